/* MESI cache coherence of one line among N caches on a snooping bus.
 *
 * A cache asks for the bus, and while it holds it every other cache reacts to
 * the request at once (d_step).  Between the steps the processors read and
 * write.  At any time a modified or exclusive copy must be the only copy, and
 * every valid copy must hold the latest value.
 * Exercises: typedef, mtype variables, d_step, inline, unsigned fields.
 */
#ifndef N
#define N 5
#endif
#define VALUES 3

mtype = { modified, exclusive, shared, invalid };
mtype = { idle, want_read, want_write };

typedef Line {
    mtype state;
    mtype wish;
    unsigned value : 3
}

Line cache[N];
unsigned memory : 3;
unsigned latest : 3;    /* what the last write anywhere wrote */
bool bus;

/* Every cache but the owner of the bus gives up its right to write; a modified
 * copy goes back to memory first. */
inline snoop_read()
{
    d_step {
        alone = true;
        i = 0;
        do
        :: i < N ->
           if
           :: i != me && cache[i].state != invalid ->
              alone = false;
              if
              :: cache[i].state == modified -> memory = cache[i].value
              :: else
              fi;
              cache[i].state = shared
           :: else
           fi;
           i++
        :: else -> break
        od;
        i = 0
    }
}

inline snoop_write()
{
    d_step {
        i = 0;
        do
        :: i < N ->
           if
           :: i != me ->
              if
              :: cache[i].state == modified -> memory = cache[i].value
              :: else
              fi;
              cache[i].state = invalid;
              cache[i].value = 0
           :: else
           fi;
           i++
        :: else -> break
        od;
        i = 0
    }
}

inline check_alone()
{
    d_step {
        i = 0;
        do
        :: i < N ->
           assert(i == me || cache[i].state == invalid);
           i++
        :: else -> break
        od;
        i = 0
    }
}

proctype processor(byte me)
{
    byte i;
    bool alone;

    do
    :: atomic {                                 /* read hit */
           cache[me].state != invalid ->
           assert(cache[me].value == latest)
       }

    :: cache[me].state == invalid ->            /* read miss */
       cache[me].wish = want_read;
       atomic { !bus -> bus = true };
       snoop_read();
       cache[me].value = memory;
       if
       :: alone -> cache[me].state = exclusive
       :: else -> cache[me].state = shared
       fi;
       alone = false;
       cache[me].wish = idle;
       bus = false

    :: cache[me].state != modified ->           /* write miss or upgrade */
       cache[me].wish = want_write;
       atomic { !bus -> bus = true };
       snoop_write();
       atomic {
           cache[me].state = modified;
           latest = (latest + 1) % VALUES;
           cache[me].value = latest
       };
       check_alone();
       cache[me].wish = idle;
       bus = false

    :: atomic {                                 /* write hit */
           cache[me].state == modified && !bus ->
           latest = (latest + 1) % VALUES;
           cache[me].value = latest
       }

    :: atomic {                                 /* evict */
           cache[me].state != invalid && !bus ->
           if
           :: cache[me].state == modified -> memory = cache[me].value
           :: else
           fi;
           cache[me].state = invalid;
           cache[me].value = 0
       }
    od
}

init {
    byte n;

    atomic {
        do
        :: n < N ->
           cache[n].state = invalid;
           cache[n].wish = idle;
           run processor(n);
           n++
        :: else -> break
        od;
        n = 0
    }
}
