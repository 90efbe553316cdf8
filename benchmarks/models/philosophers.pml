/* Dining philosophers; each fork is a process reached by rendezvous.
 *
 * The last philosopher is left-handed and takes the forks in the opposite order,
 * so the circle of waiting can never close.
 * Exercises: rendezvous channels in arrays, mtype messages, process parameters.
 */
#ifndef N
#define N 6
#endif

mtype = { take, put };

chan fork[N] = [0] of { mtype, byte };
bool eating[N];

proctype holder(byte me)
{
    byte who;

end:
    do
    :: fork[me]?take(who) ->
       fork[me]?put(eval(who))
    od
}

proctype philosopher(byte me; byte first; byte second)
{
    do
    :: skip;                            /* think */
       fork[first]!take(me);
       fork[second]!take(me);
       eating[me] = true;
       assert(!eating[(me + 1) % N] && !eating[(me + N - 1) % N]);
       eating[me] = false;
       fork[second]!put(me);
       fork[first]!put(me)
    od
}

init {
    byte i;

    atomic {
        do
        :: i < N ->
           run holder(i);
           if
           :: i < N - 1 -> run philosopher(i, i, i + 1)
           :: else -> run philosopher(i, 0, i)
           fi;
           i++
        :: else -> break
        od;
        i = 0
    }
}
