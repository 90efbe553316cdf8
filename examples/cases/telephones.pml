/*
 * Telephones, and features that their users subscribe to.
 *
 * After M. Calder and A. Miller, Using SPIN for feature interaction analysis, SPIN 2001; written anew. Nobody has a
 * feature, unless FIRST is defined: then user 0 has this one, set to 1 (CFU: all calls to 0 go to 1). SECOND is the
 * feature of user OWNER, set to VALUE. telephones.toml goes through all of them.
 *
 * line[u] is empty: u is free. (u,0): u is engaged. (v,0): v calls u, or u calls v. (v,1): u and v are connected.
 * What a user does in a call state is one step. A variable that properties are about changes once in a step at most.
 *
 *     kripke check telephones.pml -D USERS=4 --slice --dead-variables initial --ltl '[] !(connect[0].to[1] == 1)'
 */

#define NONE 0
#define CFU  1            /* all calls go to somebody else */
#define CFB  2            /* calls go to somebody else while the line is busy */
#define OCS  3            /* no calls to somebody */
#define ODS  4            /* the number of somebody cannot be dialled */
#define TCS  5            /* no calls from somebody */
#define RBWF 6            /* a button that calls the last caller */

#ifndef FIRST
#define FIRST NONE
#endif
#ifndef SECOND
#define SECOND NONE
#define OWNER 0
#define VALUE 0
#endif
#ifndef USERS
#define USERS 2           /* the paper has 4 */
#endif
#define NOBODY 6
#define BUTTON 7          /* a number that nobody has, and the button */

#ifdef ALL
#define HAS(f) 1
#else
#define HAS(f) (FIRST == f || SECOND == f)
#endif

mtype = { quiet, off, dial, call, on };              /* what a user did last */
mtype = { silence, oring, tring, engaged, unobt };   /* what a user hears */
mtype = { st_dial, st_call, st_unobt, st_rback };

typedef Connections { bit to[USERS] }

chan line[USERS] = [1] of { byte, bit };
mtype event[USERS] = quiet;
mtype network_event[USERS] = silence;
byte dialled[USERS] = NOBODY;
byte partner[USERS] = NOBODY;
bit lifted[USERS];                                   /* 0: dev is on */
Connections connect[USERS];

/* who subscribes to what */
byte cfu[USERS] = NOBODY;
byte cfb[USERS] = NOBODY;
byte ocs[USERS] = NOBODY;
byte ods[USERS] = NOBODY;
byte tcs[USERS] = NOBODY;
bit rbwf[USERS];
byte record[USERS] = NOBODY;                         /* the last caller of who has rbwf */

#if FIRST == NONE
/* The basic service, said of user 0, who is process 1. P1 and P3 are in docs/cases/telephones.md. */
#define at_idle User[1]@idle
#define is_engaged (network_event[0] == engaged)
ltl P2 { [] (dialled[0] == 0 -> (!at_idle W is_engaged)) }
ltl P4 { [] (dialled[0] == 1 -> partner[0] == 1) }
ltl P5 { [] ((dialled[0] == 1 && event[0] == dial && full(line[1])) ->
             ((!(event[0] == call) W len(line[1]) == 0) || (!at_idle W is_engaged))) }
ltl P6 { [] (User[1]@calling -> event[0] == dial) }
ltl rests { [] (at_idle -> !lifted[0]) }
#endif

/* What becomes of a call to `who`. Forwarding goes on until nothing applies any more. */
inline feature_lookup()
{
    do
#if HAS(ODS)
    :: d_step { st == st_dial && ods[self] == who -> st = st_unobt }
#endif
#if HAS(RBWF)
    :: d_step { st == st_dial && rbwf[self] == 1 && who == BUTTON -> st = st_rback }
#endif
#if HAS(CFU)
    :: d_step { who != BUTTON && st == st_dial && cfu[who] != NOBODY -> who = cfu[who] }
#endif
#if HAS(CFB)
    :: d_step { who != BUTTON && st == st_dial && cfb[who] != NOBODY && len(line[who]) > 0 -> who = cfb[who] }
#endif
#if HAS(OCS)
    :: d_step { st == st_call && ocs[self] == who -> st = st_unobt }
#endif
#if HAS(TCS)
    :: d_step { st == st_call && tcs[who] == self -> st = st_unobt }
#endif
    :: else -> break
    od
}

inline hang_up()
{
    event[self] = on;
    lifted[self] = 0;
    dialled[self] = NOBODY;
    partner[self] = NOBODY;
    line[self]?_, _
}

proctype User(byte self)
{
    byte number = NOBODY;      /* what is dialled */
    byte who = NOBODY;         /* who is called */
    mtype st = st_dial;

    goto idle;

preidle:
    d_step { event[self] = quiet; network_event[self] = silence };

idle:
    if
    :: d_step { empty(line[self]) -> event[self] = off; lifted[self] = 1; line[self]!self, 0 };
       goto dialling
    :: d_step { full(line[self]) -> network_event[self] = tring };
       goto talert
    fi;

dialling:
    atomic {
        if
        :: d_step { number = 0; who = 0; st = st_dial }
        :: d_step { number = 1; who = 1; st = st_dial }
#if USERS > 2
        :: d_step { number = 2; who = 2; st = st_dial }
#endif
#if USERS > 3
        :: d_step { number = 3; who = 3; st = st_dial }
#endif
        :: d_step { number = BUTTON; who = BUTTON; st = st_dial }
        :: d_step { hang_up() }; goto preidle
        fi;
#if HAS(ODS) || HAS(RBWF) || HAS(CFU) || HAS(CFB)
        feature_lookup();
#endif
        if
#if HAS(RBWF)
        :: d_step { st == st_rback -> event[self] = dial; who = record[self]; number = NOBODY };
           goto ringback
#endif
        :: d_step { st == st_unobt || (st == st_dial && who == BUTTON) ->
               network_event[self] = unobt; event[self] = dial
           };
           goto unobtainable
        :: d_step { st == st_dial && who != BUTTON ->
               event[self] = dial; dialled[self] = number; partner[self] = who; number = NOBODY
           };
           goto calling
        fi
    };

#if HAS(RBWF)
ringback:
    if
    :: d_step { who == NOBODY -> network_event[self] = unobt };
       goto unobtainable
    :: d_step { who != NOBODY -> partner[self] = who };
       goto calling
    fi;
#endif

calling:
    atomic {
        event[self] = call;
#if HAS(OCS) || HAS(TCS)
        st = st_call;
        feature_lookup();
#endif
        if
#if HAS(OCS) || HAS(TCS)
        :: d_step { st == st_unobt -> network_event[self] = unobt };
           goto unobtainable
#endif
        :: d_step { st != st_unobt && (who == self || full(line[who])) ->
               network_event[self] = engaged
           };
           goto busy
        :: d_step { st != st_unobt && who != self && empty(line[who]) ->
               network_event[self] = oring;
               line[who]!self, 0;
               line[self]?_, _;
               line[self]!who, 0;
#if HAS(RBWF)
               if
               :: rbwf[who] -> record[who] = self
               :: else
               fi
#endif
           };
           goto oalert
        fi
    };

busy:
    d_step { hang_up() };
    goto preidle;

unobtainable:
    d_step { hang_up() };
    goto preidle;

oalert:
    if
    :: d_step { line[self]?[_, 1] -> connect[self].to[who] = 1 };
       goto oclose
    :: d_step { line[self]?[_, 0] -> line[who]?_, _; hang_up() };    /* nobody answers */
       goto preidle
    fi;

oclose:
    d_step { connect[self].to[who] = 0; hang_up() };
    goto preidle;

talert:
    if
    :: d_step { full(line[self]) ->
           line[self]?who, _;
           event[self] = off;
           lifted[self] = 1;
           partner[self] = who;
           line[self]!who, 1;
           line[who]?_, _;
           line[who]!self, 1;
           who = NOBODY
       };
       goto tclose
    :: d_step { empty(line[self]) -> network_event[self] = silence };
       goto idle
    fi;

tclose:
    d_step { hang_up() };
    goto preidle
}

init
{
    atomic {
#if FIRST == CFU
        cfu[0] = 1;
#elif FIRST == CFB
        cfb[0] = 1;
#elif FIRST == OCS
        ocs[0] = 1;
#elif FIRST == ODS
        ods[0] = 1;
#elif FIRST == TCS
        tcs[0] = 1;
#elif FIRST == RBWF
        rbwf[0] = 1;
#endif
#if SECOND == CFU
        cfu[OWNER] = VALUE;
#elif SECOND == CFB
        cfb[OWNER] = VALUE;
#elif SECOND == OCS
        ocs[OWNER] = VALUE;
#elif SECOND == ODS
        ods[OWNER] = VALUE;
#elif SECOND == TCS
        tcs[OWNER] = VALUE;
#elif SECOND == RBWF
        rbwf[OWNER] = 1;
#endif
        run User(0);
        run User(1);
#if USERS > 2
        run User(2);
#endif
#if USERS > 3
        run User(3);
#endif
    }
}
