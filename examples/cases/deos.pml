/*
 * The scheduler of an operating system for aircraft: every thread has a budget of processor time in every period.
 *
 * After D. Cofer, E. Engstrom, R. Goldman, D. Musliner and S. Vestal, Applications of model checking at Honeywell
 * Laboratories, SPIN 2001, section 5; written anew. Threads with shorter periods go first (rate-monotonic scheduling).
 * The main thread may create two user threads, which get their budgets from its own, and a user thread may delete
 * itself. What a deleted thread had goes back to the main thread: in the next period. With -D AT_ONCE it goes back at
 * once, although the deleted thread has used a part of it: the mistake of the paper. A thread may be through with its
 * work before its budget is used.
 *
 * Two properties: a thread that wants its budget gets it (an assertion), and because budgets leave a part of the
 * processor free, the idle thread runs in every longest period. With -D WRONG_ORDER the main thread goes first: an
 * error in the scheduler, which the assertion finds.
 *
 *     kripke check deos.pml
 *     kripke check deos.pml -D AT_ONCE --property idle_runs
 */

#define LONG   6                       /* ticks of the longest period, that of main */
#define SHORT  3                       /* ticks of the short period, that of fast */
#define SPARE  5                       /* ticks of a long period that threads may use */

#define main   0                       /* threads; those with short periods have larger numbers */
#define slow   1                       /* period LONG, 1 tick */
#define fast   2                       /* period SHORT, 1 tick */
#define idle   3
#define nobody 4

#define SHARE(t) (t == fast -> 2 : 1)  /* what a thread takes of main's budget: ticks in a long period */

byte budget = SPARE;                   /* main's */
byte left[3];                          /* budgets in this period */
bit alive[3];
byte returned;                         /* what main gets back in the next period */
byte running = nobody;                 /* who has the processor */
byte tick;                             /* in the long period */
bit idled;                             /* the idle thread ran in this period */
bit over;                              /* a long period is over */

ltl idle_runs { [] (over -> idled) }

/* what a thread does with a tick */
active proctype threads()
{
end:
    do
    :: atomic {
        running < idle ->
        if
        :: left[running]--                                  /* works */
        :: left[running] = 0                                /* has done what it had to do */
        :: running == main && !alive[slow] && left[main] > SHARE(slow) ->
           left[main] = left[main] - 1 - SHARE(slow);
           budget = budget - SHARE(slow);
           alive[slow] = 1
        :: running == main && !alive[fast] && left[main] > SHARE(fast) ->
           left[main] = left[main] - 1 - SHARE(fast);
           budget = budget - SHARE(fast);
           alive[fast] = 1
        :: running != main ->                               /* deletes itself */
           left[running] = 0;
           alive[running] = 0;
#ifdef AT_ONCE
           budget = budget + SHARE(running);
           left[main] = left[main] + SHARE(running)
#else
           returned = returned + SHARE(running)
#endif
        fi;
        running = nobody
       }
    :: atomic { running == idle -> idled = 1; running = nobody }
    od
}

/* A thread that has something left at the end of its period did not get what it wanted. */
inline end_of_period(t, ticks)
{
    assert(left[t] == 0);
    if
    :: alive[t] -> left[t] = ticks
    :: else
    fi
}

active proctype scheduler()
{
    d_step { alive[main] = 1; left[main] = budget };
end:
    do
    :: atomic {
        running == nobody ->
        if
        :: tick == LONG ->
           over = 1;
           goto boundary
        :: else
        fi;
        if
        :: tick == SHORT -> end_of_period(fast, 1)
        :: else
        fi;
go_on:
        if
#ifdef WRONG_ORDER
        :: left[main] > 0 -> running = main
        :: left[main] == 0 && left[fast] > 0 -> running = fast
        :: left[main] == 0 && left[fast] == 0 && left[slow] > 0 -> running = slow
#else
        :: left[fast] > 0 -> running = fast
        :: left[fast] == 0 && left[slow] > 0 -> running = slow
        :: left[fast] == 0 && left[slow] == 0 && left[main] > 0 -> running = main
#endif
        :: left[fast] == 0 && left[slow] == 0 && left[main] == 0 -> running = idle
        fi;
        tick++
       };
    od;

boundary:
    atomic {
        over -> over = 0;
        tick = 0;
        idled = 0;
        end_of_period(fast, 1);
        end_of_period(slow, 1);
        budget = budget + returned;
        returned = 0;
        end_of_period(main, budget);
        goto go_on
    }
}
