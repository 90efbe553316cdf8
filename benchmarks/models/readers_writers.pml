/* Readers and writers with writer preference, by a monitor process.
 *
 * Clients send requests to the monitor through one buffered queue and wait
 * for the grant on a rendezvous channel of their own.  The monitor defers readers
 * while a writer waits.
 * Exercises: a queue of requests next to rendezvous replies, bit masks.
 */
#ifndef READERS
#define READERS 3
#endif
#ifndef WRITERS
#define WRITERS 2
#endif
#define CLIENTS (READERS + WRITERS)

mtype = { ask_read, ask_write, done_read, done_write, go };

chan request = [CLIENTS] of { mtype, byte };
chan grant[CLIENTS] = [0] of { mtype };
byte reading, writing;

active [READERS] proctype reader()
{
    do
    :: request!ask_read(_pid);
       grant[_pid]?go;
       reading++;
       assert(writing == 0);
       reading--;
       request!done_read(_pid)
    od
}

active [WRITERS] proctype writer()
{
    do
    :: request!ask_write(_pid);
       grant[_pid]?go;
       writing++;
       assert(writing == 1 && reading == 0);
       writing--;
       request!done_write(_pid)
    od
}

active proctype monitor()
{
    short waiting;              /* bit c is set while client c waits */
    byte readers, writers;      /* clients let in */
    byte c;

    do
    :: request?ask_read(c) -> waiting = waiting | (1 << c)
    :: request?ask_write(c) -> waiting = waiting | (1 << c)
    :: request?done_read(c) -> readers--
    :: request?done_write(c) -> writers--
    :: (waiting >> READERS) != 0 && readers == 0 && writers == 0 ->
       c = READERS;
       do
       :: c < CLIENTS - 1 -> c++
       :: (waiting >> c) & 1 -> break
       :: c == CLIENTS - 1 && !((waiting >> c) & 1) -> c = READERS
       od;
       writers++;
       waiting = waiting & ~(1 << c);
       grant[c]!go
    :: waiting != 0 && (waiting >> READERS) == 0 && writers == 0 ->
       c = 0;
       do
       :: c < READERS && !((waiting >> c) & 1) -> c++
       :: else -> break
       od;
       readers++;
       waiting = waiting & ~(1 << c);
       grant[c]!go
    od
}
