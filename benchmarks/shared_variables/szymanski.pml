/* Szymanski's algorithm: a waiting room with two doors. Each look at another process is a step. */
#ifndef N
#define N 3
#endif

byte flag[N];                   /* 0 away, 1 wants in, 2 waits inside, 3 in the doorway, 4 the door is shut */
byte inside;

active [N] proctype process()
{
    byte j;

    do
    :: atomic { flag[_pid] = 1; j = 0 };
       do
       :: atomic { j < N && flag[j] < 3 -> j++ }
       :: atomic { j == N -> flag[_pid] = 3; j = 0; break }
       od;
       do
       :: atomic { j < N && flag[j] != 1 -> j++ }
       :: atomic { j < N && flag[j] == 1 -> flag[_pid] = 2; j = 0 };
          do
          :: atomic { flag[j] != 4 -> j = (j + 1) % N }
          :: flag[j] == 4 -> break
          od;
          atomic { flag[_pid] = 4; j = 0; break }
       :: atomic { j == N -> flag[_pid] = 4; j = 0; break }
       od;
       do
       :: atomic { j < _pid && flag[j] < 2 -> j++ }
       :: j == _pid -> break
       od;
       inside++;
       assert(inside == 1);
       inside--;
       do
       :: atomic { j < N && (j == _pid || flag[j] < 2 || flag[j] > 3) -> j++ }
       :: atomic { j == N -> flag[_pid] = 0; j = 0; break }
       od
    od
}
