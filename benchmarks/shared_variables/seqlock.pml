/* A sequence lock: a reader that meets a writer reads again, and never returns half of an update. */
#ifndef READERS
#define READERS 2
#endif
#ifndef UPDATES
#define UPDATES 3
#endif

byte number;                    /* odd while the writer is at work */
byte left, right;

active proctype writer()
{
    do
    :: number < 2 * UPDATES ->
       number++;
       left++;
       right++;
       number++
    :: number == 2 * UPDATES -> break
    od
}

active [READERS] proctype reader()
{
    byte before, a, b;

    do
    :: atomic { number % 2 == 0 -> before = number };
       a = left;
       b = right;
       if
       :: atomic { number == before -> assert(a == b); a = 0; b = 0 }
       :: number != before
       fi;
       if
       :: number == 2 * UPDATES -> break
       :: number != 2 * UPDATES
       fi
    od
}
