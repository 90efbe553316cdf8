/* A token ring with requests that wait for the token.
 *
 * N stations pass one token by rendezvous.  Beside each station a client asks,
 * works while its station holds the token, and thanks.  One client works at a time.
 * Exercises: rendezvous in a ring, pairs of processes sharing flags, end labels.
 */
#ifndef N
#define N 6
#endif

chan pass[N] = [0] of { bit };
bool wants[N], may[N];
byte working;

proctype station(byte me; bool starts)
{
    if
    :: starts -> skip
    :: else -> goto empty_handed
    fi;

holding:
    if
    :: wants[me] ->
       may[me] = true;
       !may[me]
    :: !wants[me]
    fi;
    pass[(me + 1) % N]!1;

empty_handed:
    pass[me]?1;
    goto holding
}

proctype client(byte me)
{
    byte job;

    do
    :: job = 1
    :: job = 2
    :: job > 0 ->
       wants[me] = true;
       may[me];
       working++;
       assert(working == 1);
       do
       :: job > 0 -> job--
       :: else -> break
       od;
       working--;
       wants[me] = false;
       may[me] = false
    od
}

init {
    byte i;

    atomic {
        do
        :: i < N ->
           run station(i, i == 0);
           run client(i);
           i++
        :: else -> break
        od;
        i = 0
    }
}
