/* A producer and a consumer that meet: a channel without any room.
 *
 * A channel of capacity 0 is a rendezvous: the sender waits for the receiver and
 * both take the step together, so there is no buffer that could overflow.
 * The consumer sees every item in order, and both know when the work is done.
 *
 *     kripke check examples/promela/handover.pml                holds
 */
#define ITEMS 10

mtype = { item, done };                 /* names for the kinds of message */

chan hand = [0] of { mtype, byte };

active proctype producer()
{
    byte n;

    do
    :: n < ITEMS ->
       n++;
       hand!item(n)
    :: else ->
       hand!done(0);
       break                            /* leave the loop, and end */
    od
}

active proctype consumer()
{
    byte got, last;

    do
    :: hand?item(got) ->
       assert(got == last + 1);
       last = got
    :: hand?done(_) ->
       break
    od;
    assert(last == ITEMS)
}
