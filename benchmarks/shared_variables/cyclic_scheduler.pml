/* Milner's scheduler: tasks start in turn, around a ring, and end in any order. */
#ifndef N
#define N 5
#endif

bool turn[N];
bool works[N];

active [N] proctype cell()
{
    do
    :: atomic { turn[_pid] && !works[_pid] -> turn[_pid] = false; works[_pid] = true };
       turn[(_pid + 1) % N] = true
    od
}

active [N] proctype task()
{
    do
    :: works[_pid - N] -> works[_pid - N] = false
    od
}

init { turn[0] = true }
