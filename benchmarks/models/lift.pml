/* A lift serving FLOORS floors, with calls from outside and buttons inside.
 *
 * The controller keeps its direction while there is a call ahead, stops where it is
 * asked to, and never moves with the door open.  Passengers press at any time.
 * Exercises: typedef with arrays, mtype state, d_step searches, rendezvous both ways.
 */
#ifndef FLOORS
#define FLOORS 6
#endif

mtype = { up, down, halt, open, shut };

typedef Panel {
    bool outside[FLOORS];
    bool inside[FLOORS]
}

Panel button;
mtype door = shut;
mtype motion = halt;
byte at;
chan motor = [0] of { mtype };
chan hinge = [0] of { mtype };

active proctype passengers()
{
    byte floor;

    do
    :: floor < FLOORS - 1 -> floor++
    :: floor > 0 -> floor--
    :: !button.outside[floor] -> button.outside[floor] = true
    :: door == open && !button.inside[floor] -> button.inside[floor] = true
    od
}

active proctype engine()
{
end:
    do
    :: motor?up ->
       motion = up;
       assert(door == shut && at < FLOORS - 1);
       at++;
       motion = halt;
       motor!halt
    :: motor?down ->
       motion = down;
       assert(door == shut && at > 0);
       at--;
       motion = halt;
       motor!halt
    od
}

active proctype doors()
{
end:
    do
    :: hinge?open ->
       assert(motion == halt);
       door = open
    :: hinge?shut ->
       door = shut
    od
}

active proctype controller()
{
    mtype heading = up;
    bool above, below;
    byte i;

    do
    :: motion == halt && (button.outside[at] || button.inside[at]) ->
       hinge!open;
       door == open;
       button.outside[at] = false;
       button.inside[at] = false;
       hinge!shut;
       door == shut
    :: motion == halt && !button.outside[at] && !button.inside[at] ->
       d_step {
           above = false;
           below = false;
           i = 0;
           do
           :: i < FLOORS ->
              if
              :: i > at -> above = above || button.outside[i] || button.inside[i]
              :: i < at -> below = below || button.outside[i] || button.inside[i]
              :: else
              fi;
              i++
           :: else -> break
           od;
           i = 0
       };
       if
       :: heading == up && !above && below -> heading = down
       :: heading == down && !below && above -> heading = up
       :: else
       fi;
       if
       :: heading == up && above -> motor!up; motor?halt
       :: heading == down && below -> motor!down; motor?halt
       :: else
       fi
    od
}
