/* model.h -- the C interface between a compiled model and the engine.
 *
 * A compiled model is a shared library with one exported function,
 *
 *     const kripke_model *kripke_model_entry(void);
 *
 * whose result lives as long as the library. Plain C99, no dependency but
 * <stdint.h>: any C compiler will do. The engine refuses a model whose `abi`
 * differs from its own KRIPKE_ABI.
 *
 * STATES
 *   A state is a string of at most `max_state_bytes` bytes. Its length may vary
 *   from state to state. Equal states are equal strings: the model keeps every
 *   byte canonical (no padding of undefined content).
 *
 * SINKS
 *   The engine hands a `kripke_sink` to `initial` and `successors`. The model
 *   writes a state to `sink->out`, where there is always room for
 *   `max_state_bytes` bytes, and calls `sink->emit`. The engine takes the state
 *   and moves `sink->out` on, so the model reads it again before the next state.
 *   Emit never moves or changes the source state.
 *
 * STEPS AND LABELS
 *   A label is the number of a statement of the model, 0 <= label < label_count.
 *   A step may run several statements (an atomic sequence); the label given to
 *   `emit` is that of the last one. `sink->covered[label]` is set to 1 for every
 *   statement that was executed.
 *
 * VIOLATIONS
 *   `sink->report(sink, code, label)` says that the step being computed breaks
 *   something: a failed assertion, an index out of range. Codes are the model's
 *   own, below `violation_count`. A report is not a successor: where the step
 *   goes on after the violation (a failed assertion), the model emits as well.
 *
 * THREADS
 *   All functions are re-entrant. Scratch memory lives in a context: the engine
 *   makes one per worker with `context_new` and puts it into `sink->context`.
 */
#ifndef KRIPKE_MODEL_H
#define KRIPKE_MODEL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KRIPKE_ABI 11u

/* The actor of a step that nobody makes. */
#define KRIPKE_NOBODY UINT32_MAX
/* The event of a step that has none. */
#define KRIPKE_NO_EVENT UINT32_MAX

typedef struct kripke_sink kripke_sink;

/* A set of the actors with numbers below 256, a bit for each. */
typedef struct kripke_partners {
    uint64_t bits[4];
} kripke_partners;

/* Is the number of `bytes` bytes at `offset` of a state, its lowest byte first, from `least` to
 * `most`? */
typedef struct kripke_length_test {
    uint32_t offset, bytes, least, most;
} kripke_length_test;

/* Places of actors whose steps alone are enough of a state: partial-order reduction that was
 * settled before the search (kripke/model/safe_places.py says what makes a place safe). */
typedef struct kripke_safe_places {
    uint32_t actors; /* only actors with numbers below this, at most 64, are ever at one */
    uint32_t places; /* of one actor; the numbers are the model's own */
    /* By actor * places + place: 0, or 1 + the number of the tests that must all be true. */
    const uint8_t *kinds;
    const kripke_length_test *tests; /* those with number i from first[i] to first[i + 1] */
    const uint32_t *first;
} kripke_safe_places;

struct kripke_sink {
    /* Where the next state goes. */
    uint8_t *out;
    /* Hand over the `length` bytes at `out`. */
    void (*emit)(kripke_sink *sink, uint32_t length, uint32_t label);
    /* Report a violation found while stepping. */
    void (*report)(kripke_sink *sink, uint32_t code, uint32_t label);
    /* One byte per label, set to 1 when the statement is executed. Never null. */
    uint8_t *covered;
    /* Non-zero once the engine wants to stop. A model whose single step may take
     * long (a long atomic sequence) looks at it now and then and returns. */
    const volatile uint32_t *stop;
    /* What context_new returned, for this worker alone. */
    void *context;
    /* Whose steps come now: the model sets it to the number of the actor (process,
     * component) that it is about to try (of a rendezvous: the sender), before it emits or
     * reports. Fairness is about these. A model without actors leaves it alone. */
    uint32_t actor;
    /* Non-zero while the steps are such as are possible only because nothing else
     * is (timeouts): the model sets it before it tries them. The engine clears it. */
    uint32_t last_resort;
    /* Bit i: the i-th atom of steps (an event that a formula speaks of) is true of the step
     * that is emitted. A model that has such atoms sets it at every step, others never do. */
    uint64_t happened;
    /* Who else takes part in the step that is emitted: those who received in a rendezvous. Those
     * with numbers from 256 on are in a list, which lives until the next step; a model without
     * such actors leaves it alone. */
    kripke_partners partners;
    const uint32_t *more_partners;
    uint32_t more_partner_count;
    /* With KRIPKE_STEPS_HAVE_TRANSITIONS: the number of the transition that the step emitted
     * belongs to, set before every step; UINT32_MAX where it is not known. */
    uint32_t transition;
    /* With KRIPKE_STEPS_HAVE_EVENTS: the event of the step emitted, set before every step. */
    uint32_t event;
    /* With KRIPKE_HAS_PLACES, if not null: where an actor at a safe place has a step that leads to a
     * state, the model emits and reports the steps of one such actor, and no others. Steps of others
     * that only report may come before. */
    const kripke_safe_places *safe;
    /* For the model: `emit` as it was, while the model looks whether it is called. */
    void (*kept_emit)(kripke_sink *sink, uint32_t length, uint32_t label);
};

/* A transition of the model at a place where it might fire now. A transition is
 * what may happen by one statement; its number belongs to the configuration. */
typedef struct kripke_lack {
    uint32_t transition;
    uint32_t actor;
    /* Bit i: its condition i is false (condition 0, being there, is true). 0: it is
     * enabled. KRIPKE_UNCLEAR: to be seen only by trying. */
    uint32_t lacking;
    /* A number for what the state tells, beyond the configuration, about the transitions
     * of this actor that are at hand (the values of subscripts); 0: nothing. */
    uint32_t selector;
} kripke_lack;

#define KRIPKE_UNCLEAR UINT32_MAX

/* In `flags`: nobody acts, and the label of a step is the number of its transition,
 * which also stands for its actor in `lacking`. */
#define KRIPKE_LABELS_ARE_TRANSITIONS 1u
/* In `flags`: nobody acts, and the model tells the transition of every step; its number also
 * stands for its actor in `lacking`. One may have several steps in a state. There KRIPKE_UNCLEAR says that
 * no condition but 0 is false: it is enabled where it has a step, else it lacks condition 0. */
#define KRIPKE_STEPS_HAVE_TRANSITIONS 4u
/* In `flags`: states of the same length have the same components. */
#define KRIPKE_COMPONENTS_BY_LENGTH 2u
/* In `flags`: the model tells the event of every step. */
#define KRIPKE_STEPS_HAVE_EVENTS 8u

/* In `flags`: actors have places, and the model looks at the `safe` ones of a sink. */
#define KRIPKE_HAS_PLACES 16u

/* What is seen of a step: nothing (tau), that it is the last one (tick), or an event with a name. */
typedef enum kripke_event_kind { KRIPKE_VISIBLE = 0, KRIPKE_TAU = 1, KRIPKE_TICK = 2 } kripke_event_kind;

typedef struct kripke_event {
    const char *name; /* with its data, for people */
    uint32_t kind;    /* a kripke_event_kind */
} kripke_event;

/* An estimate: the goal cannot be reached. */
#define KRIPKE_UNREACHABLE UINT32_MAX

/* A stretch of a state that belongs together (all global variables, one actor, one
 * queue), and the table of its kind: components of one kind have much in common. */
typedef struct kripke_component {
    uint32_t table;
    uint32_t length; /* bytes; may be 0 */
} kripke_component;

struct kripke_model;

typedef struct kripke_model {
    uint32_t abi;             /* KRIPKE_ABI */
    uint32_t max_state_bytes; /* no state is longer; at least 1 */
    uint32_t label_count;     /* statements */
    uint32_t violation_count; /* codes that may be reported */
    uint32_t atom_count;      /* named boolean functions of the state */
    uint32_t flags;           /* KRIPKE_... above, or 0 */
    const char *name;         /* for messages */

    /* Scratch memory of one worker; null when out of memory. Both may be null
     * pointers when the model needs none. `self` is this very structure. */
    void *(*context_new)(const struct kripke_model *self);
    void (*context_free)(void *context);

    /* Emit every initial state, label 0. */
    void (*initial)(kripke_sink *sink);

    /* Emit every successor of a state, in the order a depth-first search is to
     * try them; the same order on every call. A state that emits and reports
     * nothing has no enabled step. */
    void (*successors)(const uint8_t *state, uint32_t length, kripke_sink *sink);

    /* May the model rest in this state for ever? Asked only of states without an
     * enabled step: where it says 0, that is a deadlock. */
    int (*valid_end)(const uint8_t *state, uint32_t length);

    /* Set or clear bit i of truth[i / 64] for every atom i. `truth` has twice as
     * many words as the atoms need: in the second half, all zero before, the bit of
     * an atom is set whose evaluation fails (index out of range); it counts as
     * false, unless a property depends on it. May be null when atom_count is 0. */
    void (*atoms)(const uint8_t *state, uint32_t length, uint64_t *truth);

    /* ---- For partial-order reduction; 0 where the model does not know ---- */

    uint32_t max_key_bytes; /* what `configuration` writes at most */
    uint32_t max_lacking;   /* what `lacking` writes at most */

    /* Write what tells configurations apart: in states with the same key the same
     * transitions have the same numbers and dependencies. Returns its length. */
    uint32_t (*configuration)(const uint8_t *state, uint32_t length, uint8_t *key);

    /* Write the transitions at the present places of all actors, actor by actor.
     * Returns their number. All others lack condition 0. */
    uint32_t (*lacking)(const uint8_t *state, uint32_t length, kripke_lack *here);

    /* Write those that lack condition 0 and, besides, conditions that would be false
     * wherever their actor were. Returns their number, at most max_lacking; may be null. */
    uint32_t (*distant)(const uint8_t *state, uint32_t length, kripke_lack *there);

    /* ---- For compression; 0 where the model does not know ---- */

    uint32_t component_tables; /* tables are numbered from 0 */
    uint32_t max_components;   /* what `components` writes at most */
    const char *const *component_names; /* of the tables */

    /* Cut a state into its components, from its first byte to its last. Equal states are
     * cut alike. Returns their number. `self` is this very structure. */
    uint32_t (*components)(const struct kripke_model *self, const uint8_t *state, uint32_t length,
                           kripke_component *parts);

    /* ---- For the sweep-line method; null where there is none ---- */

    /* How far a state has come: any number, the same whenever it is asked. */
    int64_t (*measure)(const uint8_t *state, uint32_t length);

    /* ---- Actors; 0 where there are at most 256 ---- */

    uint32_t max_actors; /* their numbers are below this */

    /* ---- Events; 0 where steps have none ---- */

    uint32_t event_count;
    const kripke_event *events; /* the table, by number */
    /* The event of every label, for models whose steps do not tell it themselves
     * (KRIPKE_STEPS_HAVE_EVENTS); else null. */
    const uint32_t *label_events;

    /* ---- Acceptances; null where the model does not know. Sets have bit i of events[i / 64]
     * for event i, and room for all. Bits that are not written are 0 before. ---- */

    /* The visible events, and tick, that a step from the state carries. Returns 0 where there is a
     * tau besides: then the model refuses nothing for good. */
    int (*offers)(const uint8_t *state, uint32_t length, uint64_t *events);
    /* The events that some actor is ready for, whether or not all who must take part are. */
    void (*ready)(const uint8_t *state, uint32_t length, uint64_t *events);

    /* ---- For distribution; null: all of a state decides ---- */

    /* A key; states with the same key have the same owner. */
    uint64_t (*owner)(const uint8_t *state, uint32_t length);

    /* ---- For directed search; null where there is none ---- */

    /* How many steps it may be to a goal, by the number of one of the goals that the model was compiled for. */
    uint32_t (*estimate)(const uint8_t *state, uint32_t length, uint32_t goal);

    /* ---- Set by the engine, in a copy of this structure ---- */

    const kripke_safe_places *safe; /* what every sink gets */
} kripke_model;

typedef const kripke_model *(*kripke_model_entry_fn)(void);

#ifdef __cplusplus
}
#endif
#endif
