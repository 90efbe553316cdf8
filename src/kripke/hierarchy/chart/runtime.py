"""The C text of compiled charts: the algorithm of ``interpreter.py`` over the tables of ``emit.py``. UML machines share
what is about the tree of states; the rest of theirs is in ``uml_runtime.py``."""

from __future__ import annotations

PREAMBLE = """/* Tables make the text long, not hard: it is worth optimising at any length. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize ("O1")
#endif
#include "model.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
"""

HEAD = r"""
enum { ENDLESS, OVERFLOW, INVARIANT, BEYOND, SCXML_CODES };

/* A chart at work. `active` and each history are sets of states, as bits. */
typedef struct {
    int32_t v[VARIABLES + 1];
    uint64_t active[WORDS];
    uint64_t history[HISTORIES + 1][WORDS];
    uint32_t waiting, delayed, first, waiting_inside;
    int running;
    uint32_t steps, fault, label;
    uint8_t *covered;
    uint16_t external[MOST_EVENTS];
    struct { uint16_t event; uint32_t rest; uint16_t id; } later[MOST_DELAYED];
    uint16_t internal[MOST_EVENTS];
} run;

static inline int64_t in_state(const run *r, uint32_t s) { return (int64_t)(r->active[s / 64] >> (s % 64) & 1); }

static inline uint32_t lowest(uint64_t bits) {
#if defined(__GNUC__) && !defined(__TINYC__)
    return (uint32_t)__builtin_ctzll(bits);
#else
    uint32_t n = 0;
    while (!(bits >> n & 1)) n++;
    return n;
#endif
}
static inline uint32_t highest(uint64_t bits) {
#if defined(__GNUC__) && !defined(__TINYC__)
    return 63u - (uint32_t)__builtin_clzll(bits);
#else
    uint32_t n = 63;
    while (!(bits >> n & 1)) n--;
    return n;
#endif
}

static inline void mark(run *r, uint32_t label) {
    r->label = label;
    r->covered[label] = 1;
}
static inline void raise_event(run *r, uint16_t event) {
    if (r->waiting_inside >= MOST_EVENTS) { r->fault = 1 + OVERFLOW; return; }
    r->internal[(r->first + r->waiting_inside++) % MOST_EVENTS] = event;
}
static inline void send(run *r, uint16_t event) {
    if (r->waiting >= MOST_EVENTS) { r->fault = 1 + OVERFLOW; return; }
    r->external[r->waiting++] = event;
}
static inline void send_later(run *r, uint16_t event, uint32_t rest, uint16_t id) {
    if (r->delayed >= MOST_DELAYED) { r->fault = 1 + OVERFLOW; return; }
    uint32_t at = r->delayed++;
    for (; at && r->later[at - 1].rest > rest; at--) r->later[at] = r->later[at - 1];
    r->later[at].event = event, r->later[at].rest = rest, r->later[at].id = id;
}
static inline void cancel(run *r, uint16_t id) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < r->delayed; i++)
        if (r->later[i].id != id) r->later[kept++] = r->later[i];
    r->delayed = kept;
}
static inline void assign(run *r, uint32_t place, int64_t value) {
    if (value < INT32_MIN || value > INT32_MAX) { r->fault = 1 + BEYOND; return; }
    r->v[place] = (int32_t)value;
}
static inline int64_t remainder_of(int64_t left, int64_t right, int *failed) {
    if (right) return left % right;
    *failed = 1;
    return 0;
}
"""

#: where transitions lead
TREE = r"""
static inline int inside(int32_t inner, int32_t outer) { return outer < inner && inner <= last[outer]; }
static inline int no_state(int32_t s) { return kind[s] >= SHALLOW; }
static inline void put(uint64_t *set, uint32_t s) { set[s / 64] |= UINT64_C(1) << (s % 64); }
static inline int has(const uint64_t *set, uint32_t s) { return (int)(set[s / 64] >> (s % 64) & 1); }

/* The bits of a word of states from..to. */
static inline uint64_t between(uint32_t word, uint32_t from, uint32_t to) {
    const uint32_t low = word * 64, high = low + 63;
    if (to < low || from > high) return 0;
    uint64_t bits = UINT64_MAX;
    if (from > low) bits &= UINT64_MAX << (from - low);
    if (to < high) bits &= UINT64_MAX >> (high - to);
    return bits;
}

/* ---- Where transitions lead ---- */

static void add_target(int32_t s, int32_t *found, uint32_t *count) {
    for (uint32_t i = 0; i < *count; i++)
        if (found[i] == s) return;
    found[(*count)++] = s;
}

static void effective(const run *r, uint32_t t, int32_t *found, uint32_t *count) {
    for (uint32_t i = targets_start[t]; i < targets_start[t + 1]; i++) {
        const int32_t s = targets[i];
        if (!no_state(s) || kind[s] == CHOICE) { add_target(s, found, count); continue; }
        const uint64_t *const kept = r->history[history_place[s]];
        int any = 0;
        for (uint32_t n = 0; n < STATES; n++)
            if (has(kept, n)) any = 1, add_target((int32_t)n, found, count);
        if (!any && initial_of[s] >= 0) effective(r, (uint32_t)initial_of[s], found, count);
    }
}

/* The state within which a transition exits and enters; -1: none. */
static int32_t searched_domain(const run *r, uint32_t t) {
    int32_t found[STATES];
    uint32_t count = 0;
    effective(r, t, found, &count);
    if (!count) return -1;
    const int32_t s = t_source[t];
    if (t_internal[t] && compound[s]) {
        uint32_t i = 0;
        while (i < count && inside(found[i], s)) i++;
        if (i == count) return s;
    }
    for (int32_t a = parent[s]; a >= 0; a = parent[a]) {
        uint32_t i = 0;
        if (!compound[a]) continue;
        while (i < count && inside(found[i], a)) i++;
        if (i == count) return a;
    }
    return 0;
}
static inline int32_t domain(const run *r, uint32_t t) {
    return DYNAMIC && t_domain[t] == -2 ? searched_domain(r, t) : t_domain[t];
}
"""

#: states are left
EXITS = r"""
/* ---- Exits and entries ---- */

static void keep_histories(run *r, const uint64_t *leaving) {
    for (uint32_t h = 0; h < HISTORIES; h++) {
        const int32_t owner = parent[history_states[h]];
        if (owner < 0 || !has(leaving, (uint32_t)owner)) continue;
        memset(r->history[h], 0, sizeof r->history[h]);
        for (uint32_t s = 0; s < STATES; s++)
            if (has(r->active, s) && (kind[history_states[h]] == DEEP
                                          ? has(atomic_mask, s) && inside((int32_t)s, owner) : parent[s] == owner))
                put(r->history[h], s);
    }
}

static void leave(run *r, const uint32_t *ts, uint32_t count) {
    uint64_t leaving[WORDS], handled = 0;
    memset(leaving, 0, sizeof leaving);
    for (uint32_t i = 0; i < count; i++) {
        const int32_t d = domain(r, ts[i]);
        if (d < 0) continue;
        for (uint32_t w = 0; w < WORDS; w++)
            leaving[w] |= r->active[w] & between(w, (uint32_t)d + 1, (uint32_t)last[d]);
    }
    if (HISTORIES) keep_histories(r, leaving);
    for (uint32_t w = 0; w < WORDS; w++) handled |= leaving[w] & exit_mask[w];
    if (!handled) {
        for (uint32_t w = 0; w < WORDS; w++) r->active[w] &= ~leaving[w];
        return;
    }
    for (uint32_t w = WORDS; w-- > 0;)
        while (leaving[w]) {
            const uint32_t s = highest(leaving[w]);
            leaving[w] &= ~(UINT64_C(1) << s);
            if (exit_blocks[w * 64 + s]) { exit_blocks[w * 64 + s](r); if (r->fault) return; }
            r->active[w] &= ~(UINT64_C(1) << s);
        }
}
"""

#: which states are entered
ENTRIES = r"""
typedef struct { uint64_t in[WORDS], by_default[WORDS]; int32_t defaults[STATES]; } entries;

static void descend(run *r, entries *e, int32_t s);

static void regions(run *r, entries *e, int32_t s) {
    for (uint32_t c = children_start[s]; c < children_start[s + 1]; c++) {
        const int32_t child = children[c];
        if (no_state(child)) continue;
        int32_t n = child;
        while (n <= last[child] && !has(e->in, (uint32_t)n)) n++;
        if (n > last[child]) descend(r, e, child);
    }
}

static void ascend(run *r, entries *e, int32_t s, int32_t until) {
    for (int32_t a = parent[s]; a >= 0 && a != until; a = parent[a]) {
        put(e->in, (uint32_t)a);
        if (kind[a] == PARALLEL) regions(r, e, a);
    }
}

static void descend(run *r, entries *e, int32_t s) {
    if (no_state(s)) {
        uint64_t kept[WORDS];
        int any = 0;
        memcpy(kept, r->history[history_place[s]], sizeof kept);
        for (uint32_t n = 0; n < STATES; n++)
            if (has(kept, n)) any = 1, descend(r, e, (int32_t)n);
        if (any) {
            for (uint32_t n = 0; n < STATES; n++)
                if (has(kept, n)) ascend(r, e, (int32_t)n, parent[s]);
            return;
        }
        const int32_t t = initial_of[s];
        if (t < 0) return;
        e->defaults[parent[s]] = t;
        for (uint32_t i = targets_start[t]; i < targets_start[t + 1]; i++) descend(r, e, targets[i]);
        for (uint32_t i = targets_start[t]; i < targets_start[t + 1]; i++) ascend(r, e, targets[i], parent[s]);
        return;
    }
    put(e->in, (uint32_t)s);
    if (compound[s]) {
        const int32_t t = initial_of[s];
        put(e->by_default, (uint32_t)s);
        for (uint32_t i = targets_start[t]; i < targets_start[t + 1]; i++) descend(r, e, targets[i]);
        for (uint32_t i = targets_start[t]; i < targets_start[t + 1]; i++) ascend(r, e, targets[i], s);
    } else if (kind[s] == PARALLEL)
        regions(r, e, s);
}

static int ended(const run *r, int32_t s) {
    if (kind[s] == PARALLEL) {
        for (uint32_t c = children_start[s]; c < children_start[s + 1]; c++)
            if (!no_state(children[c]) && !ended(r, children[c])) return 0;
        return 1;
    }
    for (uint32_t c = children_start[s]; c < children_start[s + 1]; c++)
        if (kind[children[c]] == FINAL && has(r->active, (uint32_t)children[c])) return 1;
    return 0;
}
"""

#: the bytes of states
STATES = r"""
/* ---- States ---- */

static void decode(const uint8_t *in, run *r) {
    r->running = *in++ == 1;
    memset(r->active, 0, sizeof r->active + sizeof r->history);
    memcpy(r->active, in, BITS);
    in += BITS;
    for (uint32_t h = 0; h < HISTORIES; h++, in += BITS) memcpy(r->history[h], in, BITS);
    for (uint32_t i = 0; i < VARIABLES; in += widths[i++]) {
        if (widths[i] == 1) r->v[i] = *in;
        else memcpy(&r->v[i], in, 4);
    }
    r->delayed = *in++;
    for (uint32_t i = 0; i < r->delayed; i++, in += 8) {
        r->later[i].event = (uint16_t)(in[0] | in[1] << 8);
        r->later[i].rest = (uint32_t)in[2] | (uint32_t)in[3] << 8 | (uint32_t)in[4] << 16 | (uint32_t)in[5] << 24;
        r->later[i].id = (uint16_t)(in[6] | in[7] << 8);
    }
    r->waiting = *in++;
    for (uint32_t i = 0; i < r->waiting; i++, in += 2) r->external[i] = (uint16_t)(in[0] | in[1] << 8);
    r->first = r->waiting_inside = r->steps = r->fault = 0;
}

static uint32_t encode(const run *r, uint8_t *const start) {
    uint8_t *out = start;
    *out++ = r->running ? 1 : 2;
    memcpy(out, r->active, BITS);
    out += BITS;
    for (uint32_t h = 0; h < HISTORIES; h++, out += BITS) memcpy(out, r->history[h], BITS);
    for (uint32_t i = 0; i < VARIABLES; out += widths[i++])
        for (uint32_t b = 0; b < widths[i]; b++) out[b] = (uint8_t)((uint32_t)r->v[i] >> (8 * b));
    *out++ = (uint8_t)r->delayed;
    for (uint32_t i = 0; i < r->delayed; i++, out += 8) {
        out[0] = (uint8_t)r->later[i].event, out[1] = (uint8_t)(r->later[i].event >> 8);
        for (uint32_t b = 0; b < 4; b++) out[2 + b] = (uint8_t)(r->later[i].rest >> (8 * b));
        out[6] = (uint8_t)r->later[i].id, out[7] = (uint8_t)(r->later[i].id >> 8);
    }
    *out++ = (uint8_t)r->waiting;
    for (uint32_t i = 0; i < r->waiting; i++, out += 2)
        out[0] = (uint8_t)r->external[i], out[1] = (uint8_t)(r->external[i] >> 8);
    return (uint32_t)(out - start);
}
"""

#: macro steps of SCXML
SCXML = r"""
/* ---- Which transitions ---- */

static uint32_t without_conflicts(const run *r, uint32_t *enabled, uint32_t count) {
    uint32_t kept[STATES], number = 0;
    for (uint32_t i = 0; i < count; i++) {
        const int32_t d = domain(r, enabled[i]);
        uint8_t beaten[STATES];
        int preempted = 0;
        memset(beaten, 0, number);
        for (uint32_t j = 0; j < number && !preempted; j++) {
            const int32_t other = domain(r, kept[j]);
            if (d < 0 || other < 0 || !(d == other || inside(d, other) || inside(other, d))) continue;
            if (inside(t_source[enabled[i]], t_source[kept[j]])) beaten[j] = 1;
            else preempted = 1;
        }
        if (preempted) continue;
        uint32_t left = 0;
        for (uint32_t j = 0; j < number; j++)
            if (!beaten[j]) kept[left++] = kept[j];
        kept[left++] = enabled[i];
        number = left;
    }
    memcpy(enabled, kept, number * sizeof *kept);
    return number;
}

static inline uint32_t chosen(const run *r, uint32_t column, uint32_t *enabled) {
    uint32_t count = 0;
    for (uint32_t w = 0; w < WORDS; w++)
        for (uint64_t bits = r->active[w] & waiting_mask[column * WORDS + w]; bits; bits &= bits - 1) {
            const uint32_t row = atomic_index[w * 64 + lowest(bits)] * COLUMNS + column;
            for (uint32_t c = candidates_start[row]; c < candidates_start[row + 1]; c++) {
                const uint32_t t = candidates[c];
                if (guards[t] && !guards[t](r)) continue;
                uint32_t i = 0;
                while (i < count && enabled[i] != t) i++;
                if (i == count) enabled[count++] = t;
                break;
            }
        }
    return count < 2 ? count : without_conflicts(r, enabled, count);
}

static inline void follow(run *r, uint32_t t) {
    if (t_label[t] >= 0) mark(r, (uint32_t)t_label[t]);
    if (bodies[t]) bodies[t](r);
}

static void finish(run *r, uint32_t s) {
    const int32_t owner = parent[s];
    if (!owner) { r->running = 0; return; }
    raise_event(r, (uint16_t)done_event[owner]);
    const int32_t outer = parent[owner];
    if (!r->fault && outer >= 0 && kind[outer] == PARALLEL && ended(r, outer))
        raise_event(r, (uint16_t)done_event[outer]);
}

static inline void enter_state(run *r, uint32_t s, int by_default, int32_t default_history) {
    put(r->active, s);
    if (entry_blocks[s]) { entry_blocks[s](r); if (r->fault) return; }
    if (by_default && initial_of[s] >= 0) { follow(r, (uint32_t)initial_of[s]); if (r->fault) return; }
    if (default_history >= 0) { follow(r, (uint32_t)default_history); if (r->fault) return; }
    if (kind[s] == FINAL) finish(r, s);
}

static void enter(run *r, const uint32_t *ts, uint32_t count) {
    if (!count) return;
    if ((!DYNAMIC && !PARALLELS) || (count == 1 && !t_dynamic[ts[0]])) {
        for (uint32_t i = entered_start[ts[0]]; i < entered_start[ts[0] + 1] && !r->fault; i++)
            enter_state(r, entered[i] / 2, entered[i] & 1, -1);
        return;
    }
    entries e;
    memset(e.in, 0, sizeof e.in);
    memset(e.by_default, 0, sizeof e.by_default);
    memset(e.defaults, 0xff, sizeof e.defaults);
    for (uint32_t i = 0; i < count; i++) {
        int32_t found[STATES];
        uint32_t number = 0;
        for (uint32_t j = targets_start[ts[i]]; j < targets_start[ts[i] + 1]; j++) descend(r, &e, targets[j]);
        const int32_t d = domain(r, ts[i]);
        effective(r, ts[i], found, &number);
        for (uint32_t j = 0; j < number; j++) ascend(r, &e, found[j], d < 0 ? 0 : d);
    }
    for (uint32_t w = 0; w < WORDS; w++)
        for (uint64_t bits = e.in[w] & (w ? UINT64_MAX : ~UINT64_C(1)); bits && !r->fault; bits &= bits - 1) {
            const uint32_t s = w * 64 + lowest(bits);
            enter_state(r, s, has(e.by_default, s), e.defaults[s]);
        }
}

/* ---- Macro steps ---- */

static void micro_step(run *r, const uint32_t *ts, uint32_t count) {
    if (!count) return;
    if (++r->steps > MOST_MICRO_STEPS) { r->fault = 1 + ENDLESS; return; }
    if (count == 1 && t_plain[ts[0]]) {
        const uint32_t t = ts[0], d = (uint32_t)t_domain[t];
        if (t_label[t] >= 0) mark(r, (uint32_t)t_label[t]);
        for (uint32_t w = (d + 1) / 64; w <= (uint32_t)last[d] / 64; w++)
            r->active[w] &= ~between(w, d + 1, (uint32_t)last[d]);
        for (uint32_t i = entered_start[t]; i < entered_start[t + 1]; i++) put(r->active, entered[i] / 2);
        return;
    }
    leave(r, ts, count);
    for (uint32_t i = 0; i < count && !r->fault; i++) follow(r, ts[i]);
    if (!r->fault) enter(r, ts, count);
}

static void macro_step(run *r, uint32_t *ts, uint32_t count) {
    micro_step(r, ts, count);
    while (r->running && !r->fault) {
        count = chosen(r, EVENTLESS, ts);
        if (!count) {
            if (!r->waiting_inside) return;
            const uint16_t event = r->internal[r->first];
            r->first = (r->first + 1) % MOST_EVENTS;
            r->waiting_inside--;
            count = chosen(r, event, ts);
        }
        micro_step(r, ts, count);
    }
    if (r->fault) return;
    for (uint32_t s = STATES; s-- > 1;)
        if (has(r->active, s) && exit_blocks[s]) { exit_blocks[s](r); if (r->fault) return; }
    r->waiting = r->delayed = r->waiting_inside = 0;
}

/* ---- Steps ---- */

static void give(const run *r, const uint8_t *state, uint32_t length, kripke_sink *sink) {
    if (r->fault) { sink->report(sink, r->fault - 1, r->label); return; }
    const uint32_t written = encode(r, sink->out);
    if (written != length || memcmp(sink->out, state, length)) sink->emit(sink, written, r->label);
}

/* As here, at the start of a step. */
static inline void copy(run *r, const run *here, kripke_sink *sink, uint32_t label) {
    memcpy(r, here, offsetof(run, external) + here->waiting * sizeof *r->external);
    memcpy(r->later, here->later, here->delayed * sizeof *r->later);
    r->covered = sink->covered;
    mark(r, label);
}

static uint32_t common_divisor(uint32_t a, uint32_t b) {
    while (b) { const uint32_t rest = a % b; a = b; b = rest; }
    return a;
}

static void pass_time(run *r) {
    uint32_t unit = UNIT, due = 0;
    for (uint32_t i = 0; i < r->delayed; i++) unit = common_divisor(unit, r->later[i].rest);
    if (!EVENTS) unit = r->later[0].rest;
    while (due < r->delayed && r->later[due].rest == unit) send(r, r->later[due++].event);
    for (uint32_t i = due; i < r->delayed; i++) r->later[i - due] = r->later[i], r->later[i - due].rest -= unit;
    r->delayed -= due;
}

static void successors(const uint8_t *state, uint32_t length, kripke_sink *sink) {
    run *const r = sink->context, *const here = r + 1;
    uint32_t ts[TRANSITIONS];
    decode(state, here);
    sink->actor = ACTOR(KRIPKE_NOBODY, 0);
    for (uint32_t i = 0; i < INVARIANTS; i++)
        if (!invariants_of_states[i](here)) sink->report(sink, INVARIANT, WAIT + 1 + i);
    if (!here->running) return;
    if (here->waiting) {
        copy(r, here, sink, TAKE);
        sink->actor = ACTOR(EVENTS, 0);
        r->waiting--;
        memmove(r->external, r->external + 1, r->waiting * sizeof *r->external);
        macro_step(r, ts, chosen(r, here->external[0], ts));
        give(r, state, length, sink);
    }
    for (uint32_t i = 0; here->waiting < QUEUE && i < EVENTS; i++) {
        uint32_t count = 0;
        if (QUEUE == 1 && !(count = chosen(here, sent[i], ts))) continue;
        copy(r, here, sink, FIRST_EVENT + i);
        sink->actor = ACTOR(i, 1);
        if (QUEUE == 1) macro_step(r, ts, count);
        else send(r, sent[i]);
        give(r, state, length, sink);
    }
    if (here->delayed && !here->waiting) {
        copy(r, here, sink, WAIT);
        sink->actor = ACTOR(EVENTS + 1, 0);
        pass_time(r);
        give(r, state, length, sink);
    }
}
static void *context_new(const kripke_model *self) {
    (void)self;
    return calloc(2, sizeof(run) + 64);
}
static void context_free(void *context) { free(context); }
#define CODES SCXML_CODES

"""

#: transitions of the tables: the events of the environment, taking, waiting
LACKING = r"""
static uint32_t configuration(const uint8_t *state, uint32_t length, uint8_t *key) {
    (void)state, (void)length, (void)key;
    return 0;
}

/* Events that some active state waits for. Whether a step changes anything is to be seen by trying. */
static uint32_t lacking(const uint8_t *state, uint32_t length, kripke_lack *here) {
    uint32_t count = 0;
    run r;
    (void)length;
    decode(state, &r);
    for (uint32_t i = 0; i < EVENTS + 2; i++) {
        int expected = i > EVENTS ? r.delayed > 0 : i == EVENTS || QUEUE > 1;
        for (uint32_t w = 0; w < WORDS && i < EVENTS && !expected; w++)
            expected = (r.active[w] & expecting[i * WORDS + w]) != 0;
        if (expected) here[count++] = (kripke_lack){i, i, KRIPKE_UNCLEAR, 0};
    }
    return count;
}
"""

#: atoms, and the model itself
ENDS = r"""
static int valid_end(const uint8_t *state, uint32_t length) {
    (void)length;
    return *state == 2;
}

static void atoms(const uint8_t *state, uint32_t length, uint64_t *truth) {
    run r;
    (void)length;
    decode(state, &r);
    for (uint32_t i = 0; i < ATOMS; i++) {
        const uint64_t bit = UINT64_C(1) << (i % 64);
        if (atoms_of_states[i](&r)) truth[i / 64] |= bit;
        else truth[i / 64] &= ~bit;
    }
}

static void initial(kripke_sink *sink) {
    for (uint32_t i = 0; i < INITIAL_BROKEN; i++) sink->report(sink, initial_codes[i], 0);
    for (uint32_t i = 0; i < INITIAL_STATES; i++) {
        const uint32_t length = initial_start[i + 1] - initial_start[i];
        memcpy(sink->out, initial_states + initial_start[i], length);
        sink->emit(sink, length, 0);
    }
}

static const kripke_model model = {
    KRIPKE_ABI, LONGEST, LABELS, CODES, ATOMS, 0, model_name,
    context_new, context_free, initial, successors, valid_end, atoms,
    DEPENDENCIES,
    .estimate = ESTIMATE
};

const kripke_model *kripke_model_entry(void) { return &model; }
"""
