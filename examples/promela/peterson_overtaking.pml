/* Peterson's algorithm again: who waits is overtaken once at most.
 *
 * That is no property of single states, but of runs: from the moment process 0 waits, process 1 is out, perhaps in,
 * then out until process 0 is in. The weak until, W, does not ask that any of it comes about.
 */
bool wants[2], inside[2], waits[2];
byte turn;

active [2] proctype P()
{
    do
    :: wants[_pid] = true;
       atomic { turn = 1 - _pid; waits[_pid] = true };
       atomic { !wants[1 - _pid] || turn == _pid; waits[_pid] = false; inside[_pid] = true };
       inside[_pid] = false;
       wants[_pid] = false
    od
}

ltl overtaken_once { [] (waits[0] -> (!inside[1] W (inside[1] W (!inside[1] W inside[0])))) }
ltl one_at_a_time { [] !(inside[0] && inside[1]) }
