/* Dekker's algorithm: two processes, two flags, and whose turn it is to insist. */
bool wants[2];
byte turn;
byte inside;

active [2] proctype process()
{
    do
    :: wants[_pid] = true;
       do
       :: wants[1 - _pid] ->
          if
          :: turn == _pid
          :: turn != _pid ->
             wants[_pid] = false;
             turn == _pid;
             wants[_pid] = true
          fi
       :: !wants[1 - _pid] -> break
       od;
       inside++;
       assert(inside == 1);
       inside--;
       turn = 1 - _pid;
       wants[_pid] = false
    od
}
