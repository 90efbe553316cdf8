/* A bounded queue as a monitor with one condition for two things: "not full" and "not empty".
 *
 * notify wakes any one of those who sleep, and it can be the wrong one: a producer wakes a producer, which finds the
 * queue full and sleeps again, and nobody is awake. With ALL everybody is woken, and it goes well.
 */
#define SIZE 1
#define ROUNDS 2

bool taken;                             /* the lock of the monitor */
byte count;                             /* of things in the queue */
bool asleep[4];                         /* who sleeps in wait() */

#define lock()    atomic { !taken -> taken = true }
#define unlock()  taken = false

inline wait() {
    atomic { asleep[_pid] = true; unlock() };
    atomic { !asleep[_pid] && !taken -> taken = true }
}

inline notify() {
#ifdef ALL
    d_step { asleep[0] = false; asleep[1] = false; asleep[2] = false; asleep[3] = false }
#else
    if
    :: asleep[0] -> asleep[0] = false
    :: asleep[1] -> asleep[1] = false
    :: asleep[2] -> asleep[2] = false
    :: asleep[3] -> asleep[3] = false
    :: else
    fi
#endif
}

active [2] proctype producer()
{
    byte done;

    do
    :: done == ROUNDS -> break
    :: else ->
       lock();
       do
       :: count == SIZE -> wait()
       :: else -> break
       od;
       count++;
       notify();
       unlock();
       done++
    od
}

active [2] proctype consumer()
{
    byte done;

    do
    :: done == ROUNDS -> break
    :: else ->
       lock();
       do
       :: count == 0 -> wait()
       :: else -> break
       od;
       count--;
       notify();
       unlock();
       done++
    od
}
