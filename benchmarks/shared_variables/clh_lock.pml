/* The queue lock of Craig, Landin and Hagersten: wait at the node of the one before, and keep that node. */
#ifndef N
#define N 4
#endif

bool busy[N + 1];               /* a node for each process, and a free one */
byte tail = N;
byte inside;

active [N] proctype process()
{
    byte mine = _pid, before;

    do
    :: busy[mine] = true;
       atomic { before = tail; tail = mine };
       !busy[before];
       inside++;
       assert(inside == 1);
       inside--;
       atomic { busy[mine] = false; mine = before; before = 0 }
    od
}
