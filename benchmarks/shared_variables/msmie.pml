/* Multiprocessor shared-memory information exchange: one writes into idle buffers, many read the newest. */
#ifndef READERS
#define READERS 3
#endif

mtype = { idle, slave, newest, master };

mtype status[3] = idle;
byte readers;                   /* of the buffer that is read */
byte writes_to, reads_from;

#define find(s, b)  if :: status[0] == s -> b = 0 :: status[1] == s -> b = 1 :: status[2] == s -> b = 2 fi
#define some(s)     (status[0] == s || status[1] == s || status[2] == s)

active proctype writer()
{
    byte old;

    do
    :: atomic { some(idle) -> find(idle, writes_to); status[writes_to] = slave };
       atomic {
          if
          :: some(newest) -> find(newest, old); status[old] = idle; old = 0
          :: else
          fi;
          status[writes_to] = newest
       }
    od
}

active [READERS] proctype reader()
{
    do
    :: if
       :: atomic { readers == 0 && some(newest) -> find(newest, reads_from); status[reads_from] = master; readers = 1 }
       :: atomic { readers > 0 -> readers++ }
       fi;
       assert(status[reads_from] == master);
       if
       :: atomic { readers > 1 -> readers-- }
       :: atomic {
             readers == 1 ->
             readers = 0;
             if
             :: some(newest) -> status[reads_from] = idle
             :: else -> status[reads_from] = newest
             fi
          }
       fi
    od
}
