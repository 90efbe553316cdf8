/* A ring of N stations: who has the token may use the bus and then passes it on.
 *
 * The line between two stations can lose the token. Station 0 makes a new one when it has not seen the token for
 * too long - but "too long" here only means that it has waited: the old token may just be slow.
 * With SURE it makes a new one only when there is none.
 */
#define N 3

chan line[N] = [1] of { bit };
byte on_the_bus, in_hand, lost;
bool waiting;

#define nowhere (empty(line[0]) && empty(line[1]) && empty(line[2]) && in_hand == 0)

active [N] proctype station()
{
end:
    do
    :: atomic { line[_pid]?1 -> in_hand++ };
       if
       :: _pid == 0 -> waiting = false
       :: else
       fi;
       if
       :: on_the_bus++;                                 /* something to send */
          assert(on_the_bus == 1);
          on_the_bus--
       :: skip                                          /* nothing */
       fi;
       if
       :: atomic { line[(_pid + 1) % N]!1; in_hand-- }
       :: d_step { lost < 2 -> lost++; in_hand-- }
       fi;
       if
       :: _pid == 0 -> waiting = true
       :: else
       fi
#ifdef SURE
    :: atomic { _pid == 0 && waiting && nowhere -> line[0]!1 }
#else
    :: atomic { _pid == 0 && waiting && nfull(line[0]) -> line[0]!1 }
#endif
    od
}

init { atomic { line[0]!1 } }
