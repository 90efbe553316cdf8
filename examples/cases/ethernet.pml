/*
 * Two networks instead of one, and a detector that says when one of them is broken.
 *
 * After D. Cofer, E. Engstrom, R. Goldman, D. Musliner and S. Vestal, Applications of model checking at Honeywell
 * Laboratories, SPIN 2001; written anew. Again and again a station sends "I'm alive" on both networks. A network may
 * lose a message, but never two in a row; this must not be taken for a broken network. The next pair is sent when the
 * networks are through with the last one; which network is first is open.
 *
 * DETECTOR 0: two messages in a row from one network mean that the other one lost a message
 *          1: the messages of a pair have the same number; only a complete pair clears the counters
 *          2: as 1, but any message from a network clears its counter
 *
 *     kripke check ethernet.pml -D DETECTOR=0
 */

#ifndef DETECTOR
#define DETECTOR 2
#endif
#define NUMBERS 4         /* 2 bits */
#define TOLERATED 1       /* losses in a row */

chan lan[2] = [1] of { byte };           /* from the station to the networks */
chan arrived = [0] of { bit, byte };     /* from the networks to the detector: which, which number */
byte through = 2;                        /* networks that are through with the last pair */

active proctype station()
{
    byte number = 1;

end:
    do
    :: atomic {
        through == 2 ->
        through = 0;
        lan[0]!number;
        lan[1]!number;
        number = (number + 1) % NUMBERS
       }
    od
}

proctype network(bit which)
{
    byte number;
    bit lost;             /* the last one */

end:
    do
    :: lan[which]?number;
       if
       :: arrived!which, number -> lost = 0
       :: !lost -> lost = 1
       fi;
       through++
    od
}

active proctype detector()
{
    bit which;
    byte number;
    byte missing[2];      /* messages that a network did not deliver, as far as the detector knows */
#if DETECTOR == 0
    byte last = 2;
#else
    byte current;         /* the number of the pair */
    bit got[2] = 1;       /* what has come of it */
#endif

end:
    do
    :: atomic {
        arrived?which, number;
#if DETECTOR == 0
        if
        :: last == which -> missing[1 - which]++
        :: else -> missing[which] = 0
        fi;
        last = which;
#else
        if
        :: number == current ->
           missing[0] = 0;
           missing[1] = 0
        :: else ->
           /* a new pair: what is missing of those before will not come any more */
           missing[0] = missing[0] + !got[0] + (number + NUMBERS - current - 1) % NUMBERS;
           missing[1] = missing[1] + !got[1] + (number + NUMBERS - current - 1) % NUMBERS;
           got[0] = 0;
           got[1] = 0;
           current = number;
#if DETECTOR == 2
           missing[which] = 0
#endif
        fi;
        got[which] = 1;
#endif
        assert(missing[0] <= TOLERATED && missing[1] <= TOLERATED)
       }
    od
}

init { atomic { run network(0); run network(1) } }
