/* Peterson's algorithm for N processes: N - 1 levels, on each of which one stays behind. */
#ifndef N
#define N 3
#endif

byte level[N];
byte last[N];
byte inside;

active [N] proctype process()
{
    byte k, j;

    do
    :: atomic { level[_pid] = 1; k = 1 };
       do
       :: atomic { k < N -> last[k] = _pid; j = 0 };
          do
          :: atomic { j < N && (j == _pid || level[j] < k || last[k] != _pid) -> j++ }
          :: atomic { j == N -> k++; level[_pid] = k; break }
          od
       :: k == N -> break
       od;
       inside++;
       assert(inside == 1);
       inside--;
       atomic { level[_pid] = 0; k = 0; j = 0 }
    od
}
