/* The algorithm of Burns and Lynch: one bit for each process, the least that is possible. */
#ifndef N
#define N 3
#endif

bool flag[N];
byte inside;

active [N] proctype process()
{
    byte j;

again:
    atomic { flag[_pid] = false; j = 0 };
    do
    :: atomic { j < _pid && !flag[j] -> j++ }
    :: j < _pid && flag[j] -> goto again
    :: atomic { j == _pid -> flag[_pid] = true; j = 0; break }
    od;
    do
    :: atomic { j < _pid && !flag[j] -> j++ }
    :: j < _pid && flag[j] -> goto again
    :: atomic { j >= _pid && j < N && (j == _pid || !flag[j]) -> j++ }
    :: j == N -> break
    od;
    inside++;
    assert(inside == 1);
    inside--;
    goto again
}
