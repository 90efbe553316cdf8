/*
 * A worker that may hang, and a watchdog that ends its task: `unless` leaves the task at any point.
 * The logger runs only while nobody else has something to do: it has the lowest priority.
 * The buffer is freed only where the task ends in good order, so a task that was ended keeps it. With FREE it is freed then, too.
 */

bool buffer_taken, expired;
byte tasks, logged;

active proctype worker() priority 3 {
    do
    :: tasks < 3 ->
        tasks++;
        {
            assert(!buffer_taken);
            buffer_taken = true;
            if
            :: skip                 /* done */
            :: skip -> (tasks > 3)  /* hangs */
            fi;
            buffer_taken = false
        } unless {
            expired -> expired = false
#ifdef FREE
            ; buffer_taken = false
#endif
        }
    :: else -> break
    od
}

active proctype watchdog() priority 2 {
    end: do
    :: buffer_taken -> expired = true
    od
}

active proctype logger() priority 1 {
    end: do
    :: logged < tasks -> logged++
    od
}
