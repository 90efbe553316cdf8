/* Fischer's lock with a clock: who finds the lock free writes its number within D ticks, and looks again after more. */
#ifndef N
#define N 4
#endif
#define D   2
#define OFF 15

byte lock;                      /* 0: nobody */
byte rest[N] = OFF;             /* ticks left to write */
byte delay[N];                  /* ticks to wait before looking */
byte inside;

active [N] proctype process()
{
    do
    :: atomic { lock == 0 -> rest[_pid] = D };
       atomic { lock = _pid + 1; rest[_pid] = OFF; delay[_pid] = D + 1 };
       if
       :: delay[_pid] == 0 && lock == _pid + 1 ->
          inside++;
          assert(inside == 1);
          inside--;
          lock = 0
       :: delay[_pid] == 0 && lock != _pid + 1
       fi
    od
}

active proctype clock()
{
    byte i;

    do
    :: d_step {
          rest[0] != 0 && rest[1] != 0 && rest[2] != 0 && rest[3] != 0 ->
          i = 0;
          do
          :: i < N ->
             if
             :: rest[i] < OFF -> rest[i]--
             :: else
             fi;
             if
             :: delay[i] > 0 -> delay[i]--
             :: else
             fi;
             i++
          :: else -> break
          od;
          i = 0
       }
    od
}
