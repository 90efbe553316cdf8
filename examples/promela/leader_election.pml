/* Electing a leader in a ring, after Chang and Roberts.
 *
 * Three nodes in a ring can only talk to the next one.  Each sends its own number
 * on its way.  A node passes on numbers larger than its own, swallows smaller
 * ones, and is the leader when its own number comes back.  Only the largest
 * number survives the whole way round, so there is exactly one leader.
 *
 *     kripke check examples/promela/leader_election.pml         holds
 */
#define N 3

mtype = { candidate, elected };

chan to[N] = [N] of { mtype, byte };    /* to[i]: messages on their way to node i */
byte leaders;

proctype node(byte place; byte number)
{
    byte next = (place + 1) % N;
    byte got;

    to[next]!candidate(number);
    do
    :: to[place]?candidate(got) ->
       if
       :: got > number -> to[next]!candidate(got)
       :: got < number -> skip          /* not as large as mine */
       :: got == number ->
          leaders++;
          assert(leaders == 1 && number == 30);
          to[next]!elected(number)
       fi
    :: to[place]?elected(got) ->
       if
       :: got != number -> to[next]!elected(got)
       :: else                          /* everybody has heard it */
       fi;
       break
    od
}

init {
    atomic {                            /* start all of them before any of them moves */
        run node(0, 20);
        run node(1, 30);
        run node(2, 10)
    }
}
