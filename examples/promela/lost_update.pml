/* A bank account and the update that gets lost.
 *
 * Two clerks each pay in 10: read the balance, add 10, write it back.  When both
 * read before either writes, the second write wipes out the first, and the
 * account holds 10 instead of 20.
 *
 *     kripke check examples/promela/lost_update.pml             violated: assertion
 *
 * Put the three steps of a clerk into  atomic { ... }  and the model holds.
 */
byte balance;
byte finished;

active [2] proctype clerk()
{
    byte seen;

    seen = balance;
    seen = seen + 10;
    balance = seen;
    finished++
}

active proctype auditor()
{
    finished == 2;                      /* wait until both are done */
    assert(balance == 20)
}
