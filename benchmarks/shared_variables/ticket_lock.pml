/* A ticket lock: draw a number by fetch-and-add, wait until it is served. */
#ifndef N
#define N 4
#endif

byte next, served;
byte inside;

active [N] proctype process()
{
    byte mine;

    do
    :: atomic { mine = next; next = (next + 1) % N };
       served == mine;
       inside++;
       assert(inside == 1);
       inside--;
       atomic { served = (served + 1) % N; mine = 0 }
    od
}
