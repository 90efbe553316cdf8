/* Readers and writers with two semaphores and a counter (Courtois, Heymans, Parnas): readers first. */
#ifndef READERS
#define READERS 3
#endif
#ifndef WRITERS
#define WRITERS 2
#endif

bool mutex, room;               /* taken? */
byte readers;
byte reading, writing;

#define P(s)    atomic { !s -> s = true }
#define V(s)    s = false

active [READERS] proctype reader()
{
    do
    :: P(mutex);
       readers++;
       if
       :: readers == 1 -> P(room)
       :: readers != 1
       fi;
       V(mutex);
       reading++;
       assert(writing == 0);
       reading--;
       P(mutex);
       readers--;
       if
       :: readers == 0 -> V(room)
       :: readers != 0
       fi;
       V(mutex)
    od
}

active [WRITERS] proctype writer()
{
    do
    :: P(room);
       writing++;
       assert(writing == 1 && reading == 0);
       writing--;
       V(room)
    od
}
