/* The fast lock of Alur and Taubenfeld with a clock: every step but waiting takes at most D ticks, a delay takes more. */
#ifndef N
#define N 3
#endif
#define D   1
#define OFF 15
#define ME  (_pid + 1)

byte x, y;
bool z;
byte rest[N] = OFF;             /* ticks left for the next step */
byte delay[N];
byte inside;

active [N] proctype process()
{
    do
    :: x = ME;
start: atomic { y == 0 -> rest[_pid] = D };
       atomic { y = ME; rest[_pid] = D };
       if
       :: atomic { x != ME -> rest[_pid] = OFF; delay[_pid] = 2 * D + 1 };
          delay[_pid] == 0;
          if
          :: y != ME -> x = ME; goto start
          :: y == ME
          fi;
          !z
       :: atomic { x == ME -> rest[_pid] = D };
          atomic { z = true; rest[_pid] = OFF }
       fi;
       inside++;
       assert(inside == 1);
       inside--;
       z = false;
       if
       :: atomic { y == ME -> y = 0 }
       :: y != ME
       fi
    od
}

active proctype clock()
{
    byte i;

    do
    :: d_step {
          rest[0] != 0 && rest[1] != 0 && rest[2] != 0 ->
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
