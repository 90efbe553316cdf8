"""The C text of UML state machines: the algorithm of ``run_to_completion.py`` over the tables of ``uml_emit.py``.

A way is a state as bytes, reached in a run to completion; lists of ways have each state once.
"""

from __future__ import annotations

UML = r"""
enum { NO_CHOICE = 4, RANGE_FAULT = 5, UML_CODES };

typedef struct { uint64_t mask; uint32_t steps, length; uint8_t state[LONGEST]; } way;
typedef struct { way *all; uint32_t count, room; } ways;
typedef struct {
    run r;               /* that executes */
    ways pending, met, ended;
    kripke_sink *sink;
    int broken, full;    /* something went wrong and was reported; there is no memory */
    uint32_t label, step; /* the last statement; that of the event */
} machine;

static int same(const way *w, uint64_t mask, const uint8_t *state, uint32_t length) {
    return w->mask == mask && w->length == length && !memcmp(w->state, state, length);
}
static way *fresh(machine *m, ways *list) {
    if (list->count == list->room) {
        way *const more = realloc(list->all, sizeof *more * (list->room ? list->room * 2 : 8));
        if (!more) { m->full = 1; return 0; }
        list->all = more;
        list->room = list->room ? list->room * 2 : 8;
    }
    return &list->all[list->count++];
}
/* 1: it is new. */
static int add(machine *m, ways *list, uint64_t mask, uint32_t steps, const uint8_t *state, uint32_t length) {
    for (uint32_t i = 0; i < list->count; i++)
        if (same(&list->all[i], mask, state, length)) return 0;
    way *const w = fresh(m, list);
    if (!w) return 0;
    w->mask = mask, w->steps = steps, w->length = length;
    memcpy(w->state, state, length);
    return 1;
}

static void fail(machine *m, uint32_t code) {
    m->broken = 1;
    m->sink->report(m->sink, code, m->step);
}
/* What a block has met. */
static int failed(machine *m) {
    if (!m->r.fault) return 0;
    fail(m, m->r.fault - 1 == BEYOND ? RANGE_FAULT : m->r.fault - 1);
    return 1;
}
static void begin(machine *m, const uint8_t *state) {
    decode(state, &m->r);
    m->r.covered = m->sink->covered;
    m->r.label = m->label;
}

/* ---- Which transitions ---- */

static int complete(const run *r, int32_t s) { return has(atomic_mask, (uint32_t)s) || ended(r, s); }

/* Those that an event, or the completion of a state, enables; from the outside in. */
static uint32_t enabled(const run *r, uint32_t column, uint32_t *found) {
    uint32_t count = 0;
    for (uint32_t s = 1; s < STATES; s++) {
        if (!has(r->active, s) || (column == EVENTLESS && !complete(r, (int32_t)s))) continue;
        const uint32_t row = s * COLUMNS + column;
        for (uint32_t i = own_start[row]; i < own_start[row + 1] && count < 64; i++)
            if (!guards[own[i]] || guards[own[i]](r)) found[count++] = own[i];
    }
    return count;
}

static int meet(const run *r, uint32_t a, uint32_t b) {
    const int32_t d = domain(r, a), e = domain(r, b);
    if (d < 0 && e < 0) return 0;
    if (d < 0 || e < 0) { /* one is internal: does the other leave its state? */
        const int32_t s = t_source[d < 0 ? a : b], left = d < 0 ? e : d;
        return has(r->active, (uint32_t)s) && inside(s, left);
    }
    if (!(d == e || inside(d, e) || inside(e, d))) return 0;
    const int32_t inner = d > e ? d : e;
    for (uint32_t w = 0; w < WORDS; w++)
        if (r->active[w] & between(w, (uint32_t)inner + 1, (uint32_t)last[inner])) return 1;
    return 0;
}

typedef struct { uint32_t count, t[64], sets; uint64_t conflicts[64], deep, chosen[MOST_SETS]; } firing;

static void grow(firing *f, uint64_t chosen, uint64_t rest) {
    if (f->sets >= MOST_SETS) return;
    if (!rest) {
        for (uint64_t left = f->deep & ~chosen; left; left &= left - 1)
            if (!(f->conflicts[lowest(left)] & chosen)) return;
        f->chosen[f->sets++] = chosen;
        return;
    }
    const uint32_t first = lowest(rest);
    rest &= rest - 1;
    if (!(f->conflicts[first] & chosen)) {
        grow(f, chosen | UINT64_C(1) << first, rest);
        if (!(f->conflicts[first] & f->deep)) return;
    }
    grow(f, chosen, rest);
}

static void firing_sets(const run *r, uint32_t column, firing *f) {
    f->count = enabled(r, column, f->t);
    f->sets = 0;
    f->deep = 0;
    for (uint32_t i = 0; i < f->count; i++) {
        f->conflicts[i] = 0;
        for (uint32_t j = 0; j < f->count; j++)
            if (i != j && meet(r, f->t[i], f->t[j])) f->conflicts[i] |= UINT64_C(1) << j;
    }
    for (uint32_t i = 0; i < f->count; i++) {
        int beaten = 0;
        for (uint64_t rest = f->conflicts[i]; rest; rest &= rest - 1)
            beaten |= inside(t_source[f->t[lowest(rest)]], t_source[f->t[i]]);
        if (!beaten) f->deep |= UINT64_C(1) << i;
    }
    if (f->count) grow(f, 0, f->deep);
}

/* ---- Execution ---- */

static int enter_one(machine *m, uint32_t s) {
    run *const r = &m->r;
    put(r->active, s);
    if (entry_blocks[s]) { entry_blocks[s](r); if (failed(m)) return 0; }
    if (kind[s] == FINAL && !parent[s]) r->running = 0;
    return 1;
}

static int follow_body(machine *m, int32_t t) {
    if (t >= 0 && bodies[t]) { bodies[t](&m->r); if (failed(m)) return 0; }
    return 1;
}

static int enter_targets(machine *m, uint32_t t) {
    run *const r = &m->r;
    entries e;
    int32_t found[STATES];
    uint32_t number = 0;
    memset(e.in, 0, sizeof e.in);
    memset(e.by_default, 0, sizeof e.by_default);
    memset(e.defaults, 0xff, sizeof e.defaults);
    for (uint32_t j = targets_start[t]; j < targets_start[t + 1]; j++) descend(r, &e, targets[j]);
    const int32_t d = domain(r, t);
    effective(r, t, found, &number);
    for (uint32_t j = 0; j < number; j++) ascend(r, &e, found[j], d < 0 ? 0 : d);
    for (uint32_t w = 0; w < WORDS; w++)
        for (uint64_t bits = e.in[w] & (w ? UINT64_MAX : ~UINT64_C(1)); bits; bits &= bits - 1) {
            const uint32_t s = w * 64 + lowest(bits);
            if (has(r->active, s)) continue;
            if (!enter_one(m, s)) return 0;
            if (has(e.by_default, s) && !follow_body(m, initial_of[s])) return 0;
            if (!follow_body(m, e.defaults[s])) return 0;
        }
    return 1;
}

/* Exits, effect, entries, of one transition from a state; what is reached goes to `into`. */
static void execute(machine *m, const uint8_t *state, uint32_t t, uint64_t mask, uint32_t depth, ways *into) {
    run *const r = &m->r;
    uint8_t bytes[LONGEST];
    begin(m, state);
    leave(r, &t, 1);
    if (failed(m)) return;
    if (t_label[t] >= 0) mark(r, (uint32_t)t_label[t]);
    m->label = r->label;
    if (!follow_body(m, (int32_t)t)) return;
    int32_t choice = -1;
    for (uint32_t j = targets_start[t]; j < targets_start[t + 1]; j++)
        if (kind[targets[j]] == CHOICE) choice = targets[j];
    if (choice < 0) {
        if (enter_targets(m, t)) add(m, into, mask, 0, bytes, encode(r, bytes));
        return;
    }
    int32_t around[STATES];
    uint32_t count = 0;
    const int32_t d = domain(r, t);
    for (int32_t a = parent[choice]; a > 0 && a != d; a = parent[a]) around[count++] = a;
    while (count--)
        if (!has(r->active, (uint32_t)around[count]) && !enter_one(m, (uint32_t)around[count])) return;
    if (depth > 100) { fail(m, ENDLESS); return; }
    uint32_t open[TRANSITIONS], ways_out = 0;
    for (int with_guard = 1; with_guard >= 0 && !ways_out; with_guard--)
        for (uint32_t i = choice_start[choice]; i < choice_start[choice + 1]; i++)
            if (with_guard ? guards[choice_ways[i]] && guards[choice_ways[i]](r) : !guards[choice_ways[i]])
                open[ways_out++] = choice_ways[i];
    if (!ways_out) { fail(m, NO_CHOICE); return; }
    encode(r, bytes);
    for (uint32_t i = 0; i < ways_out; i++) execute(m, bytes, open[i], mask, depth + 1, into);
}

/* Every order in which the transitions of a set can be executed. */
static void fire(machine *m, const uint8_t *state, uint32_t length, const firing *f, uint64_t chosen, ways *into,
                 uint32_t steps) {
    ways now = {0, 0, 0}, next = {0, 0, 0};
    add(m, &now, 0, 0, state, length);
    for (uint64_t left = chosen; left; left &= left - 1) {
        for (uint32_t i = 0; i < now.count; i++)
            for (uint64_t rest = chosen & ~now.all[i].mask; rest; rest &= rest - 1) {
                const uint32_t n = lowest(rest);
                execute(m, now.all[i].state, f->t[n], now.all[i].mask | UINT64_C(1) << n, 0, &next);
            }
        const ways swapped = now;
        now = next;
        next = swapped;
        next.count = 0;
    }
    for (uint32_t i = 0; i < now.count; i++)
        add(m, into, 0, steps, now.all[i].state, now.all[i].length);
    free(now.all);
    free(next.all);
}

static void offer(machine *m, const uint8_t *state, uint32_t length, const uint8_t *from, uint32_t from_length,
                  uint32_t label) {
    if (length == from_length && !memcmp(state, from, length)) return;
    memcpy(m->sink->out, state, length);
    m->sink->emit(m->sink, length, label);
}

/* Take an event; 0: nothing is enabled. */
static int take(machine *m, const uint8_t *state, uint32_t length, uint32_t event, const uint8_t *from,
                uint32_t from_length) {
    firing f;
    begin(m, state);
    firing_sets(&m->r, event, &f);
    if (!f.sets) return 0;
    const uint32_t label = m->step = m->label;
    m->broken = 0;
    m->pending.count = m->met.count = m->ended.count = 0;
    for (uint32_t i = 0; i < f.sets; i++) fire(m, state, length, &f, f.chosen[i], &m->pending, 0);
    const uint32_t begun = m->pending.count;
    while (m->pending.count && !m->full) {
        const way next = m->pending.all[--m->pending.count];
        if (!add(m, &m->met, 0, 0, next.state, next.length)) continue;
        begin(m, next.state);
        if (m->r.running) firing_sets(&m->r, EVENTLESS, &f);
        else f.sets = 0;
        if (!f.sets) add(m, &m->ended, 0, 0, next.state, next.length);
        else if (next.steps >= MOST_STEPS) fail(m, ENDLESS);
        else
            for (uint32_t i = 0; i < f.sets; i++)
                fire(m, next.state, next.length, &f, f.chosen[i], &m->pending, next.steps + 1);
    }
    if (m->full || (!m->ended.count && !m->broken && begun)) fail(m, ENDLESS);
    for (uint32_t i = 0; i < m->ended.count; i++)
        offer(m, m->ended.all[i].state, m->ended.all[i].length, from, from_length, label);
    m->label = label;
    return 1;
}

static int defers(machine *m, const run *here, const uint8_t *state, uint32_t event) {
    int waits = 0;
    for (uint32_t w = 0; w < WORDS; w++) waits |= (here->active[w] & deferring[event * WORDS + w]) != 0;
    if (!waits) return 0;
    firing f;
    begin(m, state);
    firing_sets(&m->r, event, &f);
    return !f.sets;
}

static void successors(const uint8_t *state, uint32_t length, kripke_sink *sink) {
    machine *const m = sink->context;
    run here;
    uint8_t bytes[LONGEST];
    uint8_t deferred[MOST_EVENTS];
    uint32_t waiting = 0, first = 0;
    m->sink = sink;
    m->full = 0;
    m->label = 0;
    decode(state, &here);
    sink->actor = ACTOR(KRIPKE_NOBODY, 0);
    for (uint32_t i = 0; i < INVARIANTS; i++)
        if (!invariants_of_states[i](&here)) sink->report(sink, INVARIANT, WAIT + 1 + i);
    if (!here.running) return;
    for (uint32_t i = 0; i < here.waiting; i++) {
        deferred[i] = (uint8_t)defers(m, &here, state, here.external[i]);
        if (!deferred[i] && !waiting++) first = i;
    }
    if (waiting) {
        run rest = here;
        rest.waiting--;
        memmove(rest.external + first, rest.external + first + 1, (rest.waiting - first) * sizeof *rest.external);
        const uint32_t written = encode(&rest, bytes);
        sink->covered[TAKE] = 1;
        m->label = TAKE;
        sink->actor = ACTOR(EVENTS, 0);
        if (!take(m, bytes, written, here.external[first], state, length))
            offer(m, bytes, written, state, length, TAKE);
    }
    if (waiting >= QUEUE) return;
    for (uint32_t i = 0; i < EVENTS; i++) {
        m->label = FIRST_EVENT + i;
        sink->actor = ACTOR(i, 1);
        if (QUEUE > 1 || defers(m, &here, state, sent[i])) {
            int known = 0;
            for (uint32_t j = 0; j < here.waiting; j++) known |= deferred[j] && here.external[j] == sent[i];
            if (known || here.waiting >= MOST_EVENTS) continue;
            run after = here;
            after.external[after.waiting++] = sent[i];
            sink->covered[FIRST_EVENT + i] = 1;
            const uint32_t written = encode(&after, bytes);
            offer(m, bytes, written, state, length, FIRST_EVENT + i);
        } else if (take(m, state, length, sent[i], state, length))
            sink->covered[FIRST_EVENT + i] = 1;
    }
}

static void *context_new(const kripke_model *self) {
    (void)self;
    return calloc(1, sizeof(machine));
}
static void context_free(void *context) {
    machine *const m = context;
    if (!m) return;
    free(m->pending.all);
    free(m->met.all);
    free(m->ended.all);
    free(m);
}
#define CODES UML_CODES
"""
