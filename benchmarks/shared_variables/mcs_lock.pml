/* The queue lock of Mellor-Crummey and Scott: a list of those who wait, each at a flag of its own. */
#ifndef N
#define N 3
#endif
#define NOBODY N

byte tail = NOBODY;
byte next[N] = NOBODY;
bool locked[N];
byte inside;

active [N] proctype process()
{
    byte before;

    do
    :: next[_pid] = NOBODY;
       if                               /* swap the tail */
       :: atomic { tail == NOBODY -> tail = _pid }
       :: atomic { tail != NOBODY -> before = tail; tail = _pid };
          locked[_pid] = true;
          atomic { next[before] = _pid; before = 0 };
          !locked[_pid]
       fi;
       inside++;
       assert(inside == 1);
       inside--;
       if
       :: next[_pid] == NOBODY ->
          if                            /* compare and swap the tail */
          :: atomic { tail == _pid -> tail = NOBODY }
          :: tail != _pid ->
             next[_pid] != NOBODY;
             locked[next[_pid]] = false
          fi
       :: next[_pid] != NOBODY -> locked[next[_pid]] = false
       fi
    od
}
