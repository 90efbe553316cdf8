/* A worker that goes to sleep when there is nothing to do, and a wake-up call that comes too early.
 *
 * The worker looks at the queue and finds it empty. Before it sleeps, the boss puts a job there and calls; nobody
 * sleeps yet, so the call goes nowhere. Then the worker sleeps, with a job waiting.
 * (Cure: look and go to sleep in one step, or remember the call.)
 */
byte jobs;
bool asleep;
byte worked;

active proctype worker()
{
    do
    :: worked == 3 -> break
    :: worked < 3 && jobs > 0 ->
       jobs--;
       worked++
    :: worked < 3 && jobs == 0 ->       /* nothing to do ... */
       asleep = true;                   /* ... so sleep ... */
       !asleep                          /* ... until somebody calls */
    od
}

active proctype boss()
{
    byte n;

    do
    :: n < 3 ->
       n++;
       jobs++;
       if
       :: asleep -> asleep = false      /* call */
       :: else                          /* it works already */
       fi
    :: else -> break
    od
}
