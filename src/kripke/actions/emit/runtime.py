"""The part of a compiled action program that is the same for all: memory, queues, the game of partners."""

STRUCT = r"""
/* Somebody who waits offers a communication: `key` is the channel, the message and the direction of it, and whether
 * it is one of a selection; `alternative` is its number among all. */
typedef struct { uint32_t key; uint16_t control, alternative; uint8_t pid, number, rank; } offer;

#define OFFER(channel, message, sends) ((uint32_t)(channel) | (uint32_t)(message) << 8 | (uint32_t)(sends) << 16)
#define SELECTING (UINT32_C(1) << 17)

typedef struct {
    uint8_t *s;             /* the state that an action works on */
    uint32_t n;             /* its length */
    uint32_t count;         /* slots */
    uint32_t failed;        /* a violation, plus one */
    uint32_t moved;         /* slots are no longer where they were at the beginning of the action */
    kripke_sink *sink;
    uint8_t *kept;          /* the state before partners are tried */
    uint32_t at[MOST_PROCESSES + 1]; /* where slots begin */
    /* The state before the action: where its slots begin, what is offered in it, in the order of processes. Nobody
     * begins or ends to wait before the end of an action. */
    uint32_t home[MOST_PROCESSES + 1];
    /* Which control values the types of its processes have, and how long it is: in most states the slots are where they
     * were in the one before. */
    uint16_t first[MOST_PROCESSES + 1], controls[MOST_PROCESSES + 1];
    uint32_t length, slots;
    uint32_t movers;        /* those who are ready, or wait for guards that others may make true */
    uint8_t mover[MOST_PROCESSES + 1];
    uint32_t offers;
    offer offered[MOST_WAITERS];
} memory;
"""

#: what a look at a state asks
POINTS = r"""
/* What a process at a control value does. */
typedef struct {
    void (*run)(memory *w, uint32_t self, uint32_t entry); /* 0: it waits */
    uint16_t first, controls; /* the control values of its type */
    uint16_t bytes;           /* of its record */
    uint8_t moves;            /* it may have a step of its own */
    uint8_t plain;            /* its action begins at `entry` */
    uint16_t offers;          /* communications that it waits for */
    uint16_t offer;           /* the number of the first */
    uint32_t entry, branches; /* of a choice: the first of its branches among all, and their number */
    uint32_t choice;          /* the statement that chooses */
} point;

/* A communication that somebody waits for; the channel is in the port. */
typedef struct { uint32_t key; uint16_t port; } offering;
"""

#: for programs that run as well
ACCESS = r"""
/* A communication of a process that waits or is about to. */
typedef struct {
    uint8_t sends, message, guarded, has_data;
    uint8_t selective; /* a guard or a constant may refuse what comes */
    uint16_t next;     /* the control value behind it */
    uint16_t port;     /* where in the record of the process its port lies */
    uint32_t label;
} alternative;

/* The communications of one statement; of a control value at which nobody waits there are none. */
typedef struct {
    const alternative *alternatives;
    uint8_t count, selects, rechecks;
    uint16_t first; /* the number of its first alternative among all */
    int32_t rank;
    uint16_t pending[6];
} waiting_place;

static inline int64_t get_i8(const uint8_t *p) { return (int8_t)*p; }
static inline int64_t get_u8(const uint8_t *p) { return *p; }
static inline int64_t get_i16(const uint8_t *p) { int16_t v; memcpy(&v, p, 2); return v; }
static inline int64_t get_u16(const uint8_t *p) { uint16_t v; memcpy(&v, p, 2); return v; }
static inline int64_t get_i32(const uint8_t *p) { int32_t v; memcpy(&v, p, 4); return v; }
static inline int64_t get_u32(const uint8_t *p) { uint32_t v; memcpy(&v, p, 4); return v; }
static inline void set_8(uint8_t *p, int64_t v) { *p = (uint8_t)v; }
static inline void set_16(uint8_t *p, int64_t v) { uint16_t x = (uint16_t)v; memcpy(p, &x, 2); }
static inline void set_32(uint8_t *p, int64_t v) { uint32_t x = (uint32_t)v; memcpy(p, &x, 4); }

static inline void fail(memory *w, uint32_t kind) { if (!w->failed) w->failed = kind + 1; }

static inline int64_t in_range(memory *w, int64_t value, int64_t low, int64_t high, uint32_t kind) {
    if (value >= low && value <= high) return value;
    fail(w, kind);
    return 0 < low ? low : 0;
}

static inline int64_t checked_index(memory *w, int64_t value, int64_t length) {
    return in_range(w, value, 0, length - 1, INDEX);
}

static inline int64_t divided(memory *w, int64_t a, int64_t b) {
    if (b == 0) { fail(w, DIVISION); return 0; }
    return a / b - (a % b != 0 && (a % b < 0) != (b < 0));
}

static inline int64_t modulo(memory *w, int64_t a, int64_t b) {
    if (b == 0) { fail(w, DIVISION); return 0; }
    int64_t rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

/* By what is known to be positive; rounded down. */
static inline int64_t divided_by(int64_t a, int64_t b) { return a / b - (a % b < 0); }
static inline int64_t modulo_by(int64_t a, int64_t b) {
    int64_t rest = a % b;
    return rest < 0 ? rest + b : rest;
}

static inline int64_t absolute(int64_t a) { return a < 0 ? -a : a; }
static inline int64_t is_in(int64_t element, int64_t set) {
    return element >= 0 && element < 32 ? set >> element & 1 : 0;
}

static inline int64_t element(memory *w, int64_t one) { return INT64_C(1) << in_range(w, one, 0, 31, RANGE); }

/* {first..last} */
static inline int64_t elements(memory *w, int64_t first, int64_t last) {
    int64_t set = 0;
    first = in_range(w, first, 0, 31, RANGE);
    last = in_range(w, last, 0, 31, RANGE);
    for (; first <= last; first++) set |= INT64_C(1) << first;
    return set;
}

static inline uint32_t get_control(const uint8_t *record) { return (uint32_t)get_u16(record); }
static inline void set_control(uint8_t *record, uint32_t control) { set_16(record, control); }

static inline uint8_t *referred(memory *w, const uint8_t *reference) {
    uint32_t offset = reference[1] | (uint32_t)reference[2] << 8;
    return w->s + (reference[0] ? w->at[reference[0] - 1] : 0) + offset;
}

static inline uint8_t *outer(memory *w, const uint8_t *record, uint32_t hops) {
    while (hops--) record = w->s + w->at[record[3]];
    return (uint8_t *)record;
}

static inline void make_reference(memory *w, uint8_t *to, const uint8_t *address, int owner) {
    uint32_t offset = (uint32_t)(address - w->s) - (owner < 0 ? 0 : w->at[owner]);
    to[0] = (uint8_t)(owner + 1);
    to[1] = (uint8_t)offset;
    to[2] = (uint8_t)(offset >> 8);
}
"""

SLOTS = r"""
static void find_slots(memory *w) {
    uint32_t at = GLOBAL_BYTES, count = 0;
    while (at < w->n) {
        w->at[count++] = at;
        at += record_bytes[get_control(w->s + at)];
    }
    w->count = count;
}

/* A new process in the lowest free slot; its number. */
static uint32_t start(memory *w, const uint8_t *record, uint32_t size) {
    for (uint32_t pid = 0; pid < w->count; pid++) {
        uint8_t *slot = w->s + w->at[pid];
        if (get_control(slot)) continue;
        memmove(slot + size, slot + 2, w->n - w->at[pid] - 2);
        memcpy(slot, record, size);
        w->n += size - 2;
        w->moved = 1;
        find_slots(w);
        return pid;
    }
    if (w->count >= MOST_PROCESSES) { fail(w, PROCESSES); return 0; }
    memcpy(w->s + w->n, record, size);
    w->at[w->count] = w->n;
    w->n += size;
    w->moved = 1;
    return w->count++;
}

static void remove_process(memory *w, uint32_t pid) {
    uint8_t *slot = w->s + w->at[pid];
    uint32_t size = record_bytes[get_control(slot)];
    memmove(slot + 2, slot + size, w->n - w->at[pid] - size);
    slot[0] = slot[1] = 0;
    w->n -= size - 2;
    w->moved = 1;
    find_slots(w);
    while (w->count && !get_control(w->s + w->at[w->count - 1])) w->n = w->at[--w->count];
}

static int has_children(const memory *w, uint32_t pid) {
    for (uint32_t other = 0; other < w->count; other++) {
        const uint8_t *slot = w->s + w->at[other];
        if (get_control(slot) && (slot[2] & 0x7F) == pid) return 1;
    }
    return 0;
}

/* A process at its end goes when those that it created have gone; then its own creator may, or goes on. */
static void end_process(memory *w, uint32_t pid, uint32_t ended) {
    if (ended && has_children(w, pid)) {
        set_control(w->s + w->at[pid], ended);
        return;
    }
    for (;;) {
        uint32_t parent = w->s[w->at[pid] + 2], creator = parent & 0x7F;
        remove_process(w, pid);
        if (creator == 0x7F) return;
        uint8_t *record = w->s + w->at[creator];
        if (parent & 0x80) {
            set_control(record, continues[get_control(record)]);
            return;
        }
        if (!is_ended[get_control(record)] || has_children(w, creator)) return;
        pid = creator;
    }
}

static uint8_t free_channel(memory *w) {
    uint8_t used[256] = {0};
    for (uint32_t i = 1; i <= GLOBAL_PORTS; i++) used[w->s[global_ports[i - 1]]] = 1;
    for (uint32_t pid = 0; pid < w->count; pid++) {
        const uint8_t *record = w->s + w->at[pid];
        uint32_t control = get_control(record);
        if (!control) continue;
        for (uint32_t i = first_port[control]; i < last_port[control]; i++) used[record[ports[i]]] = 1;
    }
    for (uint32_t i = 1; i < 256; i++)
        if (!used[i]) return (uint8_t)i;
    fail(w, CHANNELS);
    return 0;
}

static inline void emit(memory *w, uint32_t label) { w->sink->emit(w->sink, w->n, label); }

/* The end of an action in which another process took part. */
static inline void emit_with(memory *w, uint32_t partner, uint32_t label) {
    uint64_t *const word = &w->sink->partners.bits[partner >> 6];
    const uint64_t bit = (uint64_t)1 << (partner & 63);
    *word |= bit;
    emit(w, label);
    *word &= ~bit;
}

static inline void report(memory *w, uint32_t label) {
    uint32_t kind = w->failed - 1;
    w->failed = 0;
    w->sink->report(w->sink, kind, label);
}
"""

GAME = r"""
/* Where a message goes, what it carries, on which channel, and whether a guard holds: by control value and number. */
static inline uint32_t port_of(const memory *w, uint32_t self, uint32_t control, uint32_t number) {
    return w->s[w->at[self] + waiting[control].alternatives[number].port];
}

static uint32_t values_of(memory *w, uint32_t self, uint32_t control, uint32_t number, int64_t *values);
static int store_at(memory *w, uint32_t self, uint32_t control, uint32_t number, const int64_t *values);
static int guard_of(memory *w, uint32_t self, uint32_t control, uint32_t number);

/* The source is not read beyond its length. */
static inline void copy_state(uint8_t *to, const uint8_t *from, uint32_t n) {
    if (n > 128 || n < 16) {
        memcpy(to, from, n);
        return;
    }
    for (; n > 64; to += 32, from += 32, n -= 32) memcpy(to, from, 32);
    if (n > 32) {
        memcpy(to, from, 32);
        memcpy(to + n - 32, from + n - 32, 32);
    } else {
        memcpy(to, from, 16);
        memcpy(to + n - 16, from + n - 16, 16);
    }
}

static inline uint32_t selects(const offer *one) { return one->key >> 17 & 1; }

/* Those who offer what is wanted are added to a list; `alone`: but not those who select. */
static inline uint32_t find_offers(const memory *w, uint32_t key, int alone, const offer **found, uint32_t count) {
    const uint32_t mask = alone ? UINT32_MAX : ~SELECTING;
    for (const offer *one = w->offered, *end = one + w->offers; one < end; one++) {
        found[count] = one;
        count += (one->key & mask) == key;
    }
    return count;
}

/* Those who wait to send or receive a message, in the order of their queues. */
static inline uint32_t find_waiting(const memory *w, uint32_t self, uint32_t key, const offer **found) {
    uint32_t count = 0;
    for (const offer *one = w->offered, *end = one + w->offers; one < end; one++) {
        if ((one->key & ~SELECTING) != key || one->pid == self) continue;
        uint32_t to = count++;
#if QUEUES
        for (; to && (selects(found[to - 1]) > selects(one) ||
                      (selects(found[to - 1]) == selects(one) && found[to - 1]->rank > one->rank)); to--)
            found[to] = found[to - 1];
#endif
        found[to] = one;
    }
    return count;
}

#if QUEUES
/* The queue in which a process with this alternative waits: those before it and behind it. */
static uint32_t find_queue(memory *w, uint32_t self, uint32_t control, uint32_t number, const offer **found) {
    const alternative *one = &waiting[control].alternatives[number];
    uint32_t key = OFFER(port_of(w, self, control, number), one->message, one->sends);
    uint32_t count = find_waiting(w, self, key, found), kept = 0;
    for (uint32_t k = 0; k < count; k++)
        if (selects(found[k]) == waiting[control].selects) found[kept++] = found[k];
    return kept;
}
#endif

/* A process is out of its queues, and what its communication kept is forgotten. */
static inline void leave(memory *w, uint32_t self, uint32_t control, int queued) {
    const waiting_place *place = &waiting[control];
    uint8_t *record = w->s + w->at[self];
#if QUEUES
    if (queued) {
        const offer *others[MOST_WAITERS];
        for (uint32_t i = 0; i < place->count; i++) {
            uint32_t rank = record[(uint32_t)place->rank + i];
            uint32_t count = find_queue(w, self, control, i, others);
            for (uint32_t k = 0; k < count; k++)
                if (others[k]->rank > rank)
                    w->s[w->at[others[k]->pid] + (uint32_t)waiting[others[k]->control].rank + others[k]->number]--;
        }
    }
#else
    (void)queued;
#endif
    for (uint32_t i = 0; i < 6 && place->pending[i + 1]; i += 2) /* those that keep something come first */
        memset(record + place->pending[i], 0, place->pending[i + 1]);
}

/* The message is handed over; 0: a guard or a constant refuses it. */
static inline int meet(memory *w, uint32_t self, uint32_t control, uint32_t number, const offer *partner, int queued) {
    const alternative *mine = &waiting[control].alternatives[number];
    const alternative *theirs = &waiting[partner->control].alternatives[partner->number];
    kripke_sink *sink = w->sink;
    if (mine->has_data) {
        int64_t values[MOST_FIELDS] = {0};
        if (mine->sends) {
            values_of(w, self, control, number, values);
            if (!store_at(w, partner->pid, partner->control, partner->number, values)) return 0;
        } else {
            values_of(w, partner->pid, partner->control, partner->number, values);
            if (!store_at(w, self, control, number, values)) return 0;
        }
    }
    if (mine->guarded) {
        int holds = guard_of(w, self, control, number);
        if (w->failed) { report(w, mine->label); return 1; }
        if (!holds) return 0;
    }
    if (theirs->guarded) {
        int holds = guard_of(w, partner->pid, partner->control, partner->number);
        if (w->failed) { report(w, theirs->label); return 1; }
        if (!holds) return 0;
    }
    leave(w, partner->pid, partner->control, 1);
    leave(w, self, control, queued);
    set_control(w->s + w->at[partner->pid], theirs->next);
    set_control(w->s + w->at[self], mine->next);
    sink->covered[mine->label] = sink->covered[theirs->label] = 1;
    emit_with(w, partner->pid, mine->sends ? theirs->label : mine->label);
    return 1;
}

/* Every step in which a process communicates now. `control` is the value it has, or would have, while it waits;
 * `queued`: it waits. Returns how many there were; after a failure, -1. */
static int pairings(memory *w, uint32_t self, uint32_t control, int queued) {
    const waiting_place *place = &waiting[control];
    const offer *partners[MOST_WAITERS];
    const uint8_t *record = w->s + w->at[self];
    int steps = 0, kept = 0;
    for (uint32_t i = 0; i < place->count; i++)
        if (!record[place->alternatives[i].port]) {
            fail(w, CHANNEL);
            return -1;
        }
    for (uint32_t i = 0; i < place->count; i++) {
        const alternative *mine = &place->alternatives[i];
        uint32_t key = OFFER(port_of(w, self, control, i), mine->message, !mine->sends);
        uint32_t count = find_waiting(w, self, key, partners);
        for (uint32_t k = 0; k < count; k++) {
            const offer *partner = partners[k];
            if (place->selects && selects(partner)) continue;
#if QUEUES == 2
            if (partner->rank != 1) continue;
#endif
            /* The first is tried in place; what was there before is kept where there may be others. */
            if (!kept && place->count == 1 && count == 1 && !mine->selective &&
                !waiting[partner->control].alternatives[partner->number].selective)
                return meet(w, self, control, i, partner, queued);
            if (kept) {
                w->s = w->sink->out;
                copy_state(w->s, w->kept, w->n);
            } else {
                copy_state(w->kept, w->s, w->n);
                kept = 1;
            }
            steps += meet(w, self, control, i, partner, queued);
            w->s = w->kept;
        }
    }
    if (!steps && kept) {
        w->s = w->sink->out;
        copy_state(w->s, w->kept, w->n);
    }
    return steps;
}

/* The end of an action: the process communicates, or waits. */
static void communicate(memory *w, uint32_t self, uint32_t control, uint32_t label) {
    int steps = pairings(w, self, control, 0);
    if (steps < 0) { report(w, label); return; }
    if (steps) return;
#if QUEUES
    const waiting_place *place = &waiting[control];
    const offer *others[MOST_WAITERS];
    for (uint32_t i = 0; i < place->count; i++) {
        uint32_t length = find_queue(w, self, control, i, others);
        w->s[w->at[self] + (uint32_t)place->rank + i] = (uint8_t)(length + 1);
#if QUEUES == 2
        for (uint32_t k = 0; k < length; k++)
            if (others[k]->rank == length)
                w->s[w->at[others[k]->pid] + next_offset[others[k]->control]] = (uint8_t)(self + 1);
#endif
    }
#if QUEUES == 2
    w->s[w->at[self] + next_offset[control]] = 0;
#endif
#endif
    w->sink->covered[label] = 1;
    set_control(w->s + w->at[self], control);
    emit(w, label);
}
"""

LACKING = r"""
/* Which processes there are, and what their ports hold. */
static uint32_t configuration(const uint8_t *state, uint32_t length, uint8_t *key) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < GLOBAL_PORTS; i++) key[n++] = state[global_ports[i]];
    for (uint32_t at = GLOBAL_BYTES; at < length;) {
        uint32_t control = get_control(state + at), type = control ? process_of[control] + 1 : 0;
        key[n++] = (uint8_t)type;
        key[n++] = (uint8_t)(type >> 8);
        if (control)
            for (uint32_t i = first_port[control]; i < last_port[control]; i++) key[n++] = state[at + ports[i]];
        at += record_bytes[control];
    }
    return n;
}

static uint32_t lacking(const uint8_t *state, uint32_t length, kripke_lack *here) {
    uint32_t count = 0, first = 0, pid = 0;
    for (uint32_t at = GLOBAL_BYTES; at < length; pid++) {
        uint32_t control = get_control(state + at);
        at += record_bytes[control];
        if (!control) continue;
        if (ready_index[control] >= 0)
            here[count++] = (kripke_lack){first + (uint32_t)ready_index[control], pid, 0, 0};
        first += ready_count[process_of[control]];
    }
    return count;
}
"""

ENTRY = r"""
/* Where the slots of a state begin. */
static void find_home(memory *w, const uint8_t *state, uint32_t length) {
    uint32_t count = 0;
    for (uint32_t at = GLOBAL_BYTES; at < length; count++) {
        const point *one = &points[get_control(state + at)];
        w->at[count] = w->home[count] = at;
        w->first[count] = one->first;
        w->controls[count] = one->controls;
        at += one->bytes;
    }
    w->length = length;
    w->slots = w->count = count;
    w->moved = 0;
}

/* After an action that has started or ended processes. */
static void go_home(memory *w) {
    memcpy(w->at, w->home, w->slots * sizeof *w->at);
    w->count = w->slots;
    w->n = w->length;
    w->moved = 0;
}

/* What is offered in a state, and who may move. Slots are taken to be where they were in the state before; 0: a process
 * of another type is in one of them. (The first such one is looked for at its right place.) */
static inline int look_at_home(memory *w, const uint8_t *state) {
    const uint32_t count = w->slots;
    uint8_t *mover = w->mover;
    offer *new = w->offered;
    for (uint32_t pid = 0; pid < count; pid++) {
        const uint8_t *const record = state + w->home[pid];
        const uint32_t control = get_control(record);
        if (control - w->first[pid] >= w->controls[pid]) return 0;
        const point *const here = &points[control];
        *mover = (uint8_t)pid;
        mover += here->moves;
        for (uint32_t i = 0; i < here->offers; i++, new++) {
            const offering *const one = &offerings[here->offer + i];
            new->key = record[one->port] | one->key;
            new->control = (uint16_t)control;
            new->alternative = (uint16_t)(here->offer + i);
            new->pid = (uint8_t)pid;
            new->number = (uint8_t)i;
#if QUEUES
            new->rank = record[(uint32_t)waiting[control].rank + i];
#endif
        }
    }
    w->movers = (uint32_t)(mover - w->mover);
    w->offers = (uint32_t)(new - w->offered);
    return 1;
}

static inline void begin(memory *w, const uint8_t *state, uint32_t length, uint8_t *out) {
    w->s = out;
    w->failed = 0;
    copy_state(out, state, length);
    if (w->moved) go_home(w);
}

/* The steps of a process that chooses, or that waits for guards that others may make true. */
static void several(memory *w, const uint8_t *state, uint32_t pid, uint32_t control) {
    const point *const here = &points[control];
    kripke_sink *const sink = w->sink;
    if (!here->run) {
        begin(w, state, w->length, sink->out);
        pairings(w, pid, control, 1);
        return;
    }
    sink->covered[here->choice] = 1;
    for (uint32_t i = 0; i < here->branches; i++) {
        begin(w, state, w->length, sink->out);
        here->run(w, pid, branches[here->entry + i]);
    }
}

static void successors(const uint8_t *state, uint32_t length, kripke_sink *sink) {
    memory *const w = sink->context;
    (void)communicate, (void)free_channel, (void)start, (void)end_process; /* not every program needs them */
    w->sink = sink;
    w->n = length;
    if (w->length != length || !look_at_home(w, state)) {
        find_home(w, state, length);
        look_at_home(w, state);
    }
    for (const uint8_t *mover = w->mover, *end = mover + w->movers; mover < end; mover++) {
        const uint32_t pid = *mover, control = get_control(state + w->home[pid]);
        const point *const here = &points[control];
        sink->actor = pid;
        if (!here->plain) {
            several(w, state, pid, control);
            continue;
        }
        begin(w, state, length, sink->out);
        here->run(w, pid, here->entry);
    }
}

static void initial(kripke_sink *sink) {
    memcpy(sink->out, initial_state, sizeof initial_state);
    sink->emit(sink, sizeof initial_state, 0);
}

static int valid_end(const uint8_t *state, uint32_t length) {
    for (uint32_t at = GLOBAL_BYTES; at < length;) {
        uint32_t control = get_control(state + at);
        if (!may_rest[control]) return 0;
        at += record_bytes[control];
    }
    return 1;
}

static void *context_new(const kripke_model *self) {
    memory *w = calloc(1, sizeof *w + LONGEST);
    (void)self;
    if (w) w->kept = (uint8_t *)(w + 1);
    return w;
}

static void context_free(void *context) { free(context); }

static uint32_t components(const kripke_model *self, const uint8_t *state, uint32_t length, kripke_component *parts) {
    uint32_t count = 0;
    (void)self;
    if (GLOBAL_BYTES) parts[count++] = (kripke_component){0, GLOBAL_BYTES};
    for (uint32_t at = GLOBAL_BYTES; at < length;) {
        uint32_t control = get_control(state + at), size = record_bytes[control];
        parts[count++] = (kripke_component){control ? 2 + process_of[control] : 1, size};
        at += size;
    }
    return count;
}

static const kripke_model model = {
    .abi = KRIPKE_ABI,
    .max_state_bytes = LONGEST,
    .label_count = LABELS,
    .violation_count = VIOLATIONS,
    .atom_count = ATOMS,
    .name = model_name,
    .context_new = context_new,
    .context_free = context_free,
    .initial = initial,
    .successors = successors,
    .valid_end = valid_end,
    .atoms = ATOM_FUNCTION,
    DEPENDENCIES
    .component_tables = COMPONENT_TABLES,
    .max_components = MOST_PROCESSES + 1,
    .component_names = component_names,
    .components = components,
};

const kripke_model *kripke_model_entry(void) { return &model; }
"""
