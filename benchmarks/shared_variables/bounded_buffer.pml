/* Producers and consumers around a ring of cells, with counting semaphores and a mutex for each side. */
#ifndef SIZE
#define SIZE 3
#endif

byte cell[SIZE];
byte filled, free = SIZE;
byte in, out;
bool putting, taking;

active [2] proctype producer()
{
    do
    :: atomic { free > 0 -> free-- };
       atomic { !putting -> putting = true };
       assert(cell[in] == 0);
       cell[in] = _pid + 1;
       in = (in + 1) % SIZE;
       putting = false;
       filled++
    od
}

active [2] proctype consumer()
{
    do
    :: atomic { filled > 0 -> filled-- };
       atomic { !taking -> taking = true };
       assert(cell[out] != 0);
       cell[out] = 0;
       out = (out + 1) % SIZE;
       taking = false;
       free++
    od
}
