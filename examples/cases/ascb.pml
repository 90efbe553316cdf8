/*
 * Network cards that agree on a common tick: clock synchronisation on the buses of an aircraft.
 *
 * After D. Cofer, E. Engstrom, R. Goldman, D. Musliner and S. Vestal, Applications of model checking at Honeywell
 * Laboratories, SPIN 2001, section 6; written anew. Four cards, two on each side of the aircraft. Each side has a
 * primary and a backup bus. A card sends on both buses of its side, and listens to them and to the primary bus of
 * the other side. Every 12.5 ms it has a tick, at which it sends a timing message. Cards start in any order within two
 * frames; 200 ms after the first all must have their ticks together, whatever single fault there is.
 *
 * As in the paper, one process is the environment: it has the time, the buses and the faults. The cards know nothing
 * but their messages. The algorithm is ours, since the paper does not print it: a card takes over the tick of a card
 * that follows a reference with a smaller number, and also the tick of the other side if that side does not hear ours.
 *
 * FAULT: 0 none   1 a card cannot send on a bus   2 a card cannot hear a bus   3 a bus is dead, or somebody babbles
 *        4 a bus loses messages now and then.   With -D ONE_RULE the second half of the algorithm is missing.
 *
 *     kripke check ascb.pml -D UNITS=5 -D FRAMES=16 -D FAULT=4
 */

#ifndef FAULT
#define FAULT 0
#endif
#ifndef UNITS
#define UNITS  2                         /* of time in a frame of 12.5 ms; 5: 2.5 ms each */
#endif

#ifndef FRAMES
#define FRAMES 4                         /* 50 ms; 16: 200 ms */
#endif

#define CARDS  4
#define NEVER  UNITS
#define NO_BUS 4

#define side(card)    (card / 2)
#define primary(side) (2 * side)
#define backup(side)  (2 * side + 1)

mtype = { tick, message, sends, follows, stays };

chan to[CARDS] = [0] of { mtype, byte, bit, bit, bit };   /* reference, hears us, from the other side, at our tick */
chan from = [0] of { mtype, byte, bit };                  /* reference, hears the other side */

proctype card(byte me)
{
    byte reference = me;
    byte other;
    bit hears;            /* something from the other side in the last frame */
    bit heard;            /* and in this one */
    bit hears_us;
    bit across;
    bit together;

end:
    do
    :: atomic {
        to[me]?tick, _, _, _, _;
        hears = heard;
        heard = 0;
        from!sends, reference, hears
       }
    :: atomic {
        to[me]?message, other, hears_us, across, together;
        heard = heard || across;
        if
#ifdef ONE_RULE
        :: other < reference ->
#else
        :: other < reference || (across && !hears_us && !together) ->
#endif
           reference = other; from!follows, 0, 0
        :: else -> from!stays, 0, 0
        fi
       }
    od
}

active proctype environment()
{
    byte phase[CARDS] = NEVER;      /* when in a frame a card has its tick; NEVER: it has not started */
    byte now;                       /* in the frame */
    byte frame;                     /* since all have started */
    byte started;
    byte sender;
    byte receiver;
    byte reference;
    bit hears;
    byte bus = NO_BUS;              /* the faulty one */
    byte faulty = CARDS;            /* the faulty card; CARDS: none, or all at this bus */
    bit works;

    atomic { run card(0); run card(1); run card(2); run card(3) };
#if FAULT > 0
    if
    :: bus = 0
    :: bus = 1
    :: bus = 2
    :: bus = 3
    fi;
#endif
#if FAULT == 1 || FAULT == 2
    if
    :: faulty = 0
    :: faulty = 1
    :: faulty = 2
    :: faulty = 3
    fi;
#endif
    do
    :: atomic { frame < FRAMES ->
       /* some cards start; in the second frame all that are left */
       sender = 0;
       do
       :: sender < CARDS ->
          if
          :: phase[sender] == NEVER -> phase[sender] = now; started++
          :: phase[sender] == NEVER && frame < 1 -> skip
          :: else
          fi;
          sender++
       :: else -> break
       od;
       /* those whose tick it is send, the others listen */
       sender = 0;
       do
       :: sender < CARDS && phase[sender] == now ->
          to[sender]!tick, 0, 0, 0, 0;
          from?sends, reference, hears;
          receiver = 0;
          do
          :: receiver < CARDS && receiver != sender && phase[receiver] != NEVER ->
             works = 0;
             /* the two buses of a side are for its own cards, the primary one is for all */
#define ARRIVES(b) (b != bus || (FAULT == 1 && faulty != sender) || (FAULT == 2 && faulty != receiver))
             if
             :: ARRIVES(primary(side(sender))) -> works = 1
#if FAULT == 4
             :: !ARRIVES(primary(side(sender))) -> works = 1
#endif
             :: !ARRIVES(primary(side(sender))) -> works = 0
             fi;
             if
             :: !works && side(sender) == side(receiver) && ARRIVES(backup(side(sender))) -> works = 1
             :: else
             fi;
             if
             :: works ->
                to[receiver]!message, reference, hears, side(sender) != side(receiver), phase[receiver] == now;
                if
                :: from?follows, _, _ -> phase[receiver] = now
                :: from?stays, _, _
                fi
             :: else
             fi;
             receiver++
          :: receiver < CARDS && (receiver == sender || phase[receiver] == NEVER) -> receiver++
          :: receiver == CARDS -> break
          od;
          sender++
       :: sender < CARDS && phase[sender] != now -> sender++
       :: sender == CARDS -> break
       od;
       now = (now + 1) % UNITS;
       if
       :: now == 0 -> frame++
       :: else
       fi }
    :: frame == FRAMES -> break
    od;
    assert(phase[0] == phase[1] && phase[1] == phase[2] && phase[2] == phase[3])
}
