/* A pool of two connections, and a client that gives its connection back twice when something goes wrong.
 *
 * After that the pool believes that it has one more than there are. (Cure: the error path must not release again.)
 */
#define POOL 2

byte available = POOL;
byte in_use;

active [3] proctype client()
{
    byte requests;

    do
    :: requests < 2 ->
       requests++;
       atomic { available > 0 -> available--; in_use++ };
       if
       :: skip                          /* all is well */
       :: atomic { available++; in_use-- };   /* an error: clean up ... */
          goto failed
       fi;
failed:
       atomic {                         /* ... and clean up once more */
           available++;
           if
           :: in_use > 0 -> in_use--
           :: else
           fi
       };
       assert(available <= POOL)
    :: else -> break
    od
}
