/* Peterson's algorithm, broken: the flag is raised one statement too late.
 *
 * The process gives the right of way first and says that it wants in
 * afterwards.  Now process 0 can set turn = 1; process 1 sets turn = 0, raises its flag
 * and finds flag[0] still down, so it enters; then process 0 raises its flag,
 * finds turn == 0, and enters too.  The assertion fails.
 *
 *     kripke check examples/promela/peterson_late_flag.pml      violated: assertion
 *
 * Compare with peterson.pml, where these two lines stand the other way round.
 */
bool flag[2];
byte turn;
byte inside;

active [2] proctype process()
{
    byte other = 1 - _pid;

    do
    :: turn = other;
       flag[_pid] = true;                       /* too late */
       (!flag[other] || turn == _pid);

       inside++;
       assert(inside == 1);
       inside--;

       flag[_pid] = false
    od
}
