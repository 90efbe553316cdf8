/* A production line: belt, table, robot with two arms, press and second belt; places between them hold one piece. */
bool on_belt, on_table, on_first_arm, in_press, on_second_arm, on_second_belt;
bool table_up, pressed;
byte arm;                       /* where the robot stands: 0 table, 1 press with the first arm, 2 press with the second, 3 belt */

active proctype feed()
{
    do
    :: !on_belt -> on_belt = true
    od
}

active proctype belt()
{
    do
    :: atomic { on_belt && !on_table && !table_up -> on_belt = false; on_table = true }
    od
}

active proctype table()
{
    do
    :: on_table && !table_up -> table_up = true
    :: !on_table && table_up -> table_up = false
    od
}

active proctype robot()
{
    do
    :: arm == 0 && on_first_arm && !in_press -> arm = 1
    :: arm == 0 && in_press && pressed && !on_second_arm -> arm = 2
    :: arm == 0 && on_second_arm -> arm = 3
    :: atomic { arm == 0 && on_table && table_up && !on_first_arm -> on_table = false; on_first_arm = true }
    :: atomic { arm == 1 && on_first_arm && !in_press -> on_first_arm = false; in_press = true }; arm = 0
    :: atomic { arm == 2 && in_press && pressed && !on_second_arm -> in_press = false; on_second_arm = true }; arm = 0
    :: atomic { arm == 3 && on_second_arm && !on_second_belt -> on_second_arm = false; on_second_belt = true }; arm = 0
    od
}

active proctype press()
{
    do
    :: in_press && !pressed -> pressed = true
    :: !in_press && pressed -> pressed = false
    od
}

active proctype second_belt()
{
    do
    :: on_second_belt -> on_second_belt = false
    od
}
