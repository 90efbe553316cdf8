/* Trains before a bridge with one track: a signal box queues those that come and lets one cross at a time. */
#ifndef N
#define N 4
#endif
#define NONE N

bool near[N];                   /* a train has come and was not seen yet */
byte queue[N] = NONE;
byte waiting;                   /* trains in the queue */
byte green = NONE;              /* the train that may cross */
byte crossing;

active [N] proctype train()
{
    do
    :: near[_pid] = true;
       green == _pid;
       crossing++;
       assert(crossing == 1);
       crossing--;
       green = NONE
    od
}

active proctype signal_box()
{
    byte i;

    do
    :: atomic { near[0] -> near[0] = false; queue[waiting] = 0; waiting++ }
    :: atomic { near[1] -> near[1] = false; queue[waiting] = 1; waiting++ }
    :: atomic { near[2] -> near[2] = false; queue[waiting] = 2; waiting++ }
    :: atomic { near[3] -> near[3] = false; queue[waiting] = 3; waiting++ }
    :: d_step {
          green == NONE && waiting > 0 ->
          green = queue[0];
          waiting--;
          i = 0;
          do
          :: i < N - 1 -> queue[i] = queue[i + 1]; i++
          :: else -> break
          od;
          queue[N - 1] = NONE;
          i = 0
       }
    od
}
