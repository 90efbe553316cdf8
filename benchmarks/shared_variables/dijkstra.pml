/* Dijkstra's algorithm of 1965 for N processes: the first that was published. */
#ifndef N
#define N 3
#endif

bool passive[N] = true;         /* does not want to enter */
bool behind[N] = true;          /* not yet at the second stage */
byte turn;
byte inside;

active [N] proctype process()
{
    byte j;

away:
    passive[_pid] = false;
again:
    if
    :: turn != _pid ->
       behind[_pid] = true;
       if
       :: passive[turn] -> turn = _pid
       :: !passive[turn]
       fi;
       goto again
    :: turn == _pid
    fi;
    atomic { behind[_pid] = false; j = 0 };
    do
    :: atomic { j < N && (j == _pid || behind[j]) -> j++ }
    :: j < N && j != _pid && !behind[j] -> goto again
    :: j == N -> break
    od;
    inside++;
    assert(inside == 1);
    inside--;
    behind[_pid] = true;
    passive[_pid] = true;
    goto away
}
