/* The algorithm of Eisenberg and McGuire, 1972: nobody waits for more than N - 1 others. */
#ifndef N
#define N 3
#endif

mtype = { idle, waiting, moving };

mtype flag[N] = idle;
byte turn;
byte inside;

active [N] proctype process()
{
    byte j;

again:
    flag[_pid] = waiting;
    j = turn;
    do
    :: atomic { j != _pid && flag[j] != idle -> j = turn }
    :: atomic { j != _pid && flag[j] == idle -> j = (j + 1) % N }
    :: j == _pid -> break
    od;
    atomic { flag[_pid] = moving; j = 0 };
    do
    :: atomic { j < N && (j == _pid || flag[j] != moving) -> j++ }
    :: j < N && j != _pid && flag[j] == moving -> goto again
    :: j == N -> break
    od;
    if
    :: turn == _pid || flag[turn] == idle
    :: turn != _pid && flag[turn] != idle -> goto again
    fi;
    turn = _pid;
    inside++;
    assert(inside == 1);
    inside--;
    j = (turn + 1) % N;
    do
    :: atomic { flag[j] == idle -> j = (j + 1) % N }
    :: flag[j] != idle -> break
    od;
    turn = j;
    flag[_pid] = idle;
    goto again
}
