/* Two caches of one memory cell: writing goes to memory, but the other cache keeps its old copy.
 *
 * A reader that still has a valid copy sees a value that was overwritten long ago.
 * (Cure: a write makes the other copies invalid.)
 */
byte memory;
byte latest;                            /* what the last write wrote: for the assertion only */
byte copy[2];
bool valid[2];
bool bus;

inline with_bus() { atomic { !bus -> bus = true } }

active [2] proctype processor()
{
    byte n;

    do
    :: n < 2 ->                         /* write */
       n++;
       with_bus();
       copy[_pid] = 10 * (_pid + 1) + n;
       valid[_pid] = true;
       memory = copy[_pid];
       latest = copy[_pid];             /* valid[1 - _pid] = false is missing */
       bus = false
    ::                                  /* read */
       with_bus();
       if
       :: !valid[_pid] -> copy[_pid] = memory; valid[_pid] = true
       :: else
       fi;
       assert(copy[_pid] == latest);
       bus = false
    od
}
