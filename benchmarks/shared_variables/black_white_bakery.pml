/* Taubenfeld's black-white bakery: tickets of two colours, so that none is higher than N. */
#ifndef N
#define N 3
#endif

bool colour;                    /* of the tickets that are given out now */
bool choosing[N];
bool mine[N];
byte ticket[N];
byte inside;

active [N] proctype customer()
{
    byte j, highest;

    do
    :: choosing[_pid] = true;
       d_step { mine[_pid] = colour; j = 0; highest = 0 };
       do
       :: d_step {
             j < N ->
             if
             :: j != _pid && mine[j] == mine[_pid] && ticket[j] > highest -> highest = ticket[j]
             :: else
             fi;
             j++
          }
       :: atomic { j == N -> ticket[_pid] = highest + 1; break }
       od;
       assert(ticket[_pid] <= N);
       d_step { choosing[_pid] = false; j = 0; highest = 0 };
       do
       :: j < N && !choosing[j];
          if
          :: d_step {
                mine[j] == mine[_pid] && (ticket[j] == 0 || ticket[j] > ticket[_pid]
                    || (ticket[j] == ticket[_pid] && j >= _pid)) -> j++
             }
          :: d_step { mine[j] != mine[_pid] && (ticket[j] == 0 || mine[_pid] != colour) -> j++ }
          fi
       :: j == N -> break
       od;
       inside++;
       assert(inside == 1);
       inside--;
       colour = !mine[_pid];
       d_step { ticket[_pid] = 0; j = 0 }
    od
}
