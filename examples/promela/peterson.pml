/* Peterson's algorithm: two processes share one resource without any lock in hardware.
 *
 * Each process first raises its flag ("I want in"), then gives the other the
 * right of way, and waits until the other either does not want in or has given
 * the right of way back.  At most one process is ever in the critical section:
 * the assertion counts them.
 *
 *     kripke check examples/promela/peterson.pml         holds
 */
bool flag[2];           /* flag[i]: process i wants to enter */
byte turn;              /* who may go first when both want */
byte inside;            /* how many are in the critical section */

/* "active [2]" starts two copies; _pid is 0 in one and 1 in the other. */
active [2] proctype process()
{
    byte other = 1 - _pid;

    do                                          /* a loop without end */
    :: flag[_pid] = true;
       turn = other;
       (!flag[other] || turn == _pid);          /* a condition alone waits until it is true */

       inside++;
       assert(inside == 1);
       inside--;

       flag[_pid] = false
    od
}
