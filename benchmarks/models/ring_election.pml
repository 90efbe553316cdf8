/* Leader election in a one-way ring, after Dolev, Klawe and Rodeh (1982).
 *
 * Every active node learns the numbers of its two nearest active predecessors
 * and survives the phase only if the nearer of them carries a local maximum.
 * The numbers are dealt out in every possible order, so one search covers
 * all arrangements.  The node holding the largest number is announced.
 * Exercises: buffered channels, eval in receive, processes that end, d_step.
 */
#ifndef N
#define N 4
#endif

mtype = { one, two, winner };

chan link[N] = [N] of { mtype, byte };
byte number[N];
byte leaders;           /* nodes that declared themselves leader */

proctype node(chan from; chan to; byte mine)
{
    bool active_node = true;
    byte largest = mine;
    byte neighbour, got;

    to!one(mine);
    do
    :: from?one(got) ->
       if
       :: active_node && got != largest ->
          to!two(got);
          neighbour = got
       :: active_node && got == largest ->
          assert(got == N);
          to!winner(got)
       :: !active_node ->
          to!one(got)
       fi
    :: from?two(got) ->
       if
       :: active_node && neighbour > got && neighbour > largest ->
          largest = neighbour;
          to!one(largest)
       :: active_node && !(neighbour > got && neighbour > largest) ->
          active_node = false
       :: !active_node ->
          to!two(got)
       fi
    :: from?winner(got) ->
       if
       :: got == mine ->
          leaders++;
          assert(leaders == 1);
       :: else
       fi;
       if
       :: active_node
       :: !active_node -> to!winner(got)
       fi;
       break
    od
}

init {
    byte i, k, skipped;
    bool used[N];

    do                                  /* deal the numbers 1..N */
    :: i < N ->
       do                               /* how many free numbers to pass over */
       :: skipped < N - 1 - i -> skipped++
       :: break
       od;
       i++;
       d_step {
           k = 0;
           do
           :: used[k] -> k++
           :: !used[k] && skipped > 0 -> k++; skipped--
           :: !used[k] && skipped == 0 -> break
           od;
           used[k] = true;
           number[i - 1] = k + 1;
           k = 0
       }
    :: else -> break
    od;
    atomic {
        i = 0;
        do
        :: i < N ->
           run node(link[(i + N - 1) % N], link[i], number[i]);
           i++
        :: else -> break
        od
    }
}
