/* Two-phase commit: a coordinator asks N participants, and all commit or none does.
 *
 * A participant that has voted yes must wait for the decision, however long it takes. Here it grows tired of waiting
 * and aborts on its own, while the coordinator has all the votes and commits. With PATIENT it waits.
 */
#define N 3

mtype = { prepare, yes, no, commit, abort };

chan ask[N] = [2] of { mtype };
chan answer = [N] of { mtype };

bool committed, aborted;                /* somebody has */

active proctype coordinator()
{
    byte i, votes;
    bool refused;
    mtype said;

    for (i : 0 .. N - 1) {
        ask[i]!prepare
    }
    do
    :: votes < N ->
       answer?said;
       votes++;
       refused = refused || said == no
    :: else -> break
    od;
    for (i : 0 .. N - 1) {
        if
        :: refused -> ask[i]!abort
        :: else -> ask[i]!commit
        fi
    }
}

active [N] proctype participant()
{
    mtype said;
    byte me = _pid - 1;

    ask[me]?prepare;
    if
    :: answer!no;
       aborted = true
    :: answer!yes;
       if
       :: ask[me]?said ->
          if
          :: said == commit -> committed = true
          :: else -> aborted = true
          fi
#ifndef PATIENT
       :: aborted = true                /* no decision for so long: it cannot have gone well */
#endif
       fi
    fi;
    assert(!(committed && aborted))
}
