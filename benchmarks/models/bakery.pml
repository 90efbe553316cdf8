/* Lamport's bakery with a bounded ticket machine.
 *
 * A customer draws a ticket one larger than any it sees, one slot at a time, and
 * waits for everybody with a smaller ticket.  A customer who would draw a ticket
 * beyond LIMIT gives up and comes back later, which keeps the model finite.
 * Exercises: arrays of bool and byte, long expressions, goto.
 */
#ifndef N
#define N 3
#endif
#ifndef LIMIT
#define LIMIT 5
#endif

bool choosing[N];
byte ticket[N];
byte served;            /* customers at the counter */

active [N] proctype customer()
{
    byte i, highest;

outside:
    choosing[_pid] = true;
    highest = 0;
    i = 0;
    do
    :: i < N ->
       if
       :: ticket[i] > highest -> highest = ticket[i]
       :: else
       fi;
       i++
    :: else -> break
    od;
    if
    :: highest < LIMIT -> ticket[_pid] = highest + 1
    :: else -> choosing[_pid] = false; goto outside
    fi;
    choosing[_pid] = false;

    i = 0;
    do
    :: i < N ->
       !choosing[i];
       (ticket[i] == 0 || ticket[i] > ticket[_pid]
           || (ticket[i] == ticket[_pid] && i >= _pid));
       i++
    :: else -> break
    od;

    served++;
    assert(served == 1);
    served--;
    ticket[_pid] = 0;
    goto outside
}
