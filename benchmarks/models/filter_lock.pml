/* Peterson's filter lock for N processes.
 *
 * A process climbs N-1 levels; on each it names itself the last to arrive and
 * waits until somebody arrives after it or nobody else is this high.  The wait
 * looks at one other process at a time, as real hardware would.
 * Exercises: shared arrays, _pid as index, nested loops.
 */
#ifndef N
#define N 4
#endif

byte level[N];          /* how high each process has climbed, 0 = outside */
byte last[N];           /* last arrival at each level */
byte inside;            /* processes in the critical section */

active [N] proctype process()
{
    byte rung, other;

    do
    :: rung = 1;
       do
       :: rung < N ->
          level[_pid] = rung;
          last[rung] = _pid;
          other = 0;
          do
          :: other < N ->
             (other == _pid || level[other] < rung || last[rung] != _pid);
             other++
          :: else -> break
          od;
          rung++
       :: else -> break
       od;

       inside++;
       assert(inside == 1);
       inside--;
       level[_pid] = 0
    od
}
