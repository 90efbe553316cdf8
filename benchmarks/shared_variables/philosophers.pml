/* Dining philosophers with forks in shared memory; one takes them the other way round. */
#ifndef N
#define N 5
#endif

bool taken[N];
bool eats[N];

#define FIRST   (_pid == N - 1 -> 0 : _pid)
#define SECOND  (_pid == N - 1 -> N - 1 : _pid + 1)

active [N] proctype philosopher()
{
    do
    :: atomic { !taken[FIRST] -> taken[FIRST] = true };
       atomic { !taken[SECOND] -> taken[SECOND] = true };
       eats[_pid] = true;
       assert(!eats[(_pid + 1) % N] && !eats[(_pid + N - 1) % N]);
       eats[_pid] = false;
       taken[SECOND] = false;
       taken[FIRST] = false
    od
}
