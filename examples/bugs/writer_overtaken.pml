/* A lock for readers and writers that lets readers in whenever others are reading: the writer can wait for ever.
 *
 * The model counts how many readers go in while the writer waits. As long as one is always inside, there is no
 * limit: the assertion that at most three overtake fails. (Cure: let no reader in while a writer waits.)
 */
byte reading;
bool writing, writer_waits;
byte overtaken;

active [2] proctype reader()
{
    do
    :: atomic {
           !writing -> reading++;
           if
           :: writer_waits -> overtaken++; assert(overtaken <= 3)
           :: else
           fi
       };
       assert(!writing);
       reading--
    od
}

active proctype writer()
{
    do
    :: writer_waits = true;
       atomic { reading == 0 -> writing = true; writer_waits = false; overtaken = 0 };
       assert(reading == 0);
       writing = false
    od
}
