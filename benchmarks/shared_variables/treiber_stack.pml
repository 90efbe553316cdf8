/* Treiber's stack: each process pushes a node of its own by compare-and-swap, then pops one, whosever it is. */
#ifndef N
#define N 3
#endif
#define NOTHING N

byte top = NOTHING;
byte below[N] = NOTHING;
bool popped[N];

active [N] proctype process()
{
    byte seen, under;

    do
    :: atomic { seen = top; below[_pid] = seen };
       if
       :: atomic { top == seen -> top = _pid; break }
       :: top != seen
       fi
    od;
    do
    :: atomic { top != NOTHING -> seen = top };
       under = below[seen];
       if
       :: atomic { top == seen -> top = under; break }
       :: top != seen
       fi
    od;
    assert(!popped[seen]);
    popped[seen] = true
}
