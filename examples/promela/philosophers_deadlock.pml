/* Dining philosophers: three people, three forks, and everybody starts with the left one.
 *
 * If all three take their left fork at the same time, each waits for the
 * right one for ever.  Nobody can move, nobody is finished: a deadlock.
 * (Cure: let one of them start with the right fork.)
 *
 *     kripke check examples/promela/philosophers_deadlock.pml   violated: deadlock
 */
#define N 3

bool taken[N];          /* taken[i]: fork i is in somebody's hand */

/* What is inside "atomic" happens in one go: see that the fork is free, and take it. */
inline take(fork)
{
    atomic { !taken[fork] -> taken[fork] = true }
}

active [N] proctype philosopher()
{
    byte left = _pid;
    byte right = (_pid + 1) % N;

    do
    :: take(left);
       take(right);
       printf("philosopher %d eats\n", _pid);
       taken[right] = false;
       taken[left] = false
    od
}
