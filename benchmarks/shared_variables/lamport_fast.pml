/* Lamport's fast lock, 1987: seven accesses to memory where nobody else wants in. Numbers of processes are from 1. */
#ifndef N
#define N 3
#endif
#define ME (_pid + 1)

bool busy[N + 1];
byte x, y;
byte inside;

active [N] proctype process()
{
    byte j;

start:
    busy[ME] = true;
    x = ME;
    if
    :: y != 0 ->
       busy[ME] = false;
       y == 0;
       goto start
    :: y == 0
    fi;
    y = ME;
    if
    :: x != ME ->
       atomic { busy[ME] = false; j = 1 };
       do
       :: atomic { j <= N && !busy[j] -> j++ }
       :: j > N -> break
       od;
       if
       :: atomic { y != ME -> j = 0 };
          y == 0;
          goto start
       :: atomic { y == ME -> j = 0 }
       fi
    :: x == ME
    fi;
    inside++;
    assert(inside == 1);
    inside--;
    y = 0;
    busy[ME] = false;
    goto start
}
