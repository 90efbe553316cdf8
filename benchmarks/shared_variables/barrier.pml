/* A barrier that turns its sense: the last to arrive lets all go, and the next round waits for the other sense. */
#ifndef N
#define N 4
#endif

byte waiting = N;
bool sense;
byte round[N];

active [N] proctype process()
{
    bool mine;

    do
    :: round[_pid] = (round[_pid] + 1) % 3;
       atomic { waiting--; mine = !sense };
       if
       :: atomic { waiting == 0 -> waiting = N };
          sense = mine
       :: waiting != 0 || sense == mine -> sense == mine
       fi;
       assert(round[(_pid + 1) % N] == round[_pid] || round[(_pid + 1) % N] == (round[_pid] + 1) % 3)
    od
}
