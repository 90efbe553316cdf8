/* Two-phase commit: one coordinator, N participants, rounds without end.
 *
 * Participants vote freely; one no makes the round abort.  After each round the
 * coordinator compares what the participants did with what it told them.
 * Exercises: mtype arrays, one buffered channel back, one per participant forth.
 */
#ifndef N
#define N 5
#endif

mtype = { prepare, yes, no, commit, abort, ack, undecided };

chan to[N] = [1] of { mtype };
chan back = [N] of { mtype, byte };
mtype outcome[N];

active [N] proctype participant()
{
    do
    :: to[_pid]?prepare ->
       outcome[_pid] = undecided;
       if
       :: back!yes(_pid);
          if
          :: to[_pid]?commit -> outcome[_pid] = commit
          :: to[_pid]?abort -> outcome[_pid] = abort
          fi
       :: back!no(_pid);
          outcome[_pid] = abort;
          to[_pid]?abort
       fi;
       back!ack(_pid)
    od
}

active proctype coordinator()
{
    byte i, votes, agreed, who;

    do
    :: i = 0;
       do
       :: i < N -> to[i]!prepare; i++
       :: else -> break
       od;

       votes = 0;
       agreed = 0;
       do
       :: votes < N ->
          if
          :: back?yes(who) -> agreed++
          :: back?no(who)
          fi;
          votes++
       :: else -> break
       od;

       i = 0;
       do
       :: i < N ->
          if
          :: agreed == N -> to[i]!commit
          :: else -> to[i]!abort
          fi;
          i++
       :: else -> break
       od;

       i = 0;
       do
       :: i < N -> back?ack(_); i++
       :: else -> break
       od;

       i = 0;
       d_step {
           do
           :: i < N ->
              assert(outcome[i] == (agreed == N -> commit : abort));
              outcome[i] = 0;
              i++
           :: else -> break
           od;
           i = 0;
           votes = 0;
           agreed = 0;
           who = 0
       }
    od
}
