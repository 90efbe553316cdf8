/* A pool of two printers for three users, with a counting semaphore.
 *
 * A user takes a permit, looks for a free printer, prints, and gives both
 * back.  Looking for the printer is a d_step: several statements that count as
 * one indivisible step.  There is always a free printer for whoever holds a
 * permit, and never more than two jobs at once.
 *
 *     kripke check examples/promela/semaphore_pool.pml          holds
 */
#define PRINTERS 2
#define USERS 3

typedef Printer {                       /* a record, as "struct" elsewhere */
    bool busy;
    byte owner
}

Printer printer[PRINTERS];
byte permits = PRINTERS;

active [USERS] proctype user()
{
    byte p;

    do
    :: atomic { permits > 0 -> permits-- };
       d_step {
           p = 0;
           do
           :: p < PRINTERS && printer[p].busy -> p++
           :: else -> break
           od;
           assert(p < PRINTERS);
           printer[p].busy = true;
           printer[p].owner = _pid
       };

       assert(printer[p].owner == _pid); /* nobody takes it from us */

       printer[p].busy = false;
       permits++
    od
}
