/* Anderson's array lock: everybody waits at a slot of its own; who leaves opens the next. */
#ifndef N
#define N 4
#endif

bool open[N];
byte next;
byte inside;

active [N] proctype process()
{
    byte mine;

    do
    :: atomic { mine = next; next = (next + 1) % N };
       open[mine];
       open[mine] = false;
       inside++;
       assert(inside == 1);
       inside--;
       atomic { open[(mine + 1) % N] = true; mine = 0 }
    od
}

init { open[0] = true }
