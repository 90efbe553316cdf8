/* A ring buffer shared by several producers and consumers, guarded by semaphores.
 *
 * Producers put their own number; each consumer checks that what it takes is a
 * number somebody put.  Slots are emptied after use, and a global count ties the
 * two semaphores together.
 * Exercises: atomic test-and-decrement, inline, arrays, active [N].
 */
#ifndef PRODUCERS
#define PRODUCERS 3
#endif
#ifndef CONSUMERS
#define CONSUMERS 3
#endif
#ifndef SIZE
#define SIZE 3
#endif

byte slots = SIZE;      /* semaphore: free places */
byte items;             /* semaphore: filled places */
bool put_lock, get_lock;
byte buffer[SIZE];
byte put_at, get_at;

inline down(semaphore)
{
    atomic { semaphore > 0 -> semaphore-- }
}

inline lock(mutex)
{
    atomic { !mutex -> mutex = true }
}

active [PRODUCERS] proctype producer()
{
    do
    :: down(slots);
       lock(put_lock);
       assert(buffer[put_at] == 0);
       buffer[put_at] = _pid + 1;
       put_at = (put_at + 1) % SIZE;
       put_lock = false;
       items++
    od
}

active [CONSUMERS] proctype consumer()
{
    byte taken;

    do
    :: down(items);
       lock(get_lock);
       taken = buffer[get_at];
       buffer[get_at] = 0;
       get_at = (get_at + 1) % SIZE;
       get_lock = false;
       assert(taken > 0 && taken <= PRODUCERS);
       taken = 0;
       slots++
    od
}
