/* Lamport's bakery. Tickets end at LIMIT: who would draw a higher one waits for a lower. */
#ifndef N
#define N 3
#endif
#ifndef LIMIT
#define LIMIT 3
#endif

bool choosing[N];
byte ticket[N];
byte inside;

active [N] proctype customer()
{
    byte j, highest;

    do
    :: atomic { choosing[_pid] = true; j = 0; highest = 0 };
       do
       :: d_step {
             j < N ->
             if
             :: ticket[j] > highest -> highest = ticket[j]
             :: else
             fi;
             j++
          }
       :: atomic { j == N && highest < LIMIT -> ticket[_pid] = highest + 1; break }
       :: atomic { j == N && highest == LIMIT -> choosing[_pid] = false; goto leave }
       od;
       atomic { choosing[_pid] = false; j = 0 };
       do
       :: j < N && !choosing[j];
          d_step {
             ticket[j] == 0 || ticket[j] > ticket[_pid] || (ticket[j] == ticket[_pid] && j >= _pid) -> j++
          }
       :: j == N -> break
       od;
       inside++;
       assert(inside == 1);
       inside--;
leave: atomic { ticket[_pid] = 0; j = 0; highest = 0 }
    od
}
