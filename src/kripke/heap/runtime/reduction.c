/* --- which threads' steps are enough: kripke/heap/reduction/reducer.py --- */

#if REDUCE
/* A set of places that may be read, then one of those that may be written. */
#define HAS(set, place) ((set)[(place) / 64] >> ((place) % 64) & 1)

/* What thread may still touch; with a lock, as long as another holds it. */
static void future_of(const machine *vm, uint32_t thread, const uint32_t *table, uint64_t *found) {
    const W *m = vm->base;
    W w = m[2 + GLOBALS + 2 * thread];
    uint32_t i, h, running = 1;
    memcpy(found, future_sets[END_SET], sizeof future_sets[0]);
    for (; w; w = m[AT(w) + HEAD_WORDS + 2], running = 0) {
        const code *c = &codes[SMALL_VALUE(m[AT(w) + HEAD_WORDS])];
        uint32_t pc = (uint32_t)SMALL_VALUE(m[AT(w) + HEAD_WORDS + 1]) >> 3;
        const uint64_t *set = future_sets[table[c->first + pc]];
        for (i = 0; i < 2 * PLACE_WORDS; i++) found[i] |= set[i];
        for (h = c->first_handler; !running && h < c->first_handler + c->handlers; h++) {
            if (pc - 1 < handlers[h].start || pc - 1 >= handlers[h].end) continue;
            set = future_sets[table[c->first + handlers[h].target]];
            for (i = 0; i < 2 * PLACE_WORDS; i++) found[i] |= set[i];
        }
    }
}
/* The thread that has a lock; MOST_THREADS: none. */
static uint32_t holder_of(const machine *vm, uint32_t lock) {
    const W *m = vm->base;
    W w = m[1 + lock_globals[lock]], owner;
    uint32_t i;
    if (!IS_REF(w)) return MOST_THREADS;
    owner = m[AT(w) + HEAD_WORDS + 1 + (uint32_t)slot_of[(uint32_t)SMALL_VALUE(m[AT(w) + HEAD_WORDS]) * NAMES + N__owner]];
    for (i = 0; i < m[0]; i++) {
        W object = m[1 + GLOBALS + 2 * i];
        if (m[2 + GLOBALS + 2 * i] && (owner == TRUE_ ? !object : IS_REF(owner) && object == owner)) return i;
    }
    return MOST_THREADS;
}
/* By object: the threads that reach it, by their frames and by globals that they may still read. */
static void find_reached(machine *vm) {
    const W *m = vm->base;
    uint32_t thread, i;
    if (vm->base_length > vm->reached_room) vm->reached = larger(vm, vm->reached, &vm->reached_room, vm->base_length, sizeof *vm->reached);
    memset(vm->reached, 0, (size_t)vm->base_length * sizeof *vm->reached);
    for (thread = 0; thread < m[0]; thread++) {
        uint64_t bit = 1ull << thread;
        uint32_t count = 0;
        if (!m[2 + GLOBALS + 2 * thread]) continue;
        work_push(vm, &count, m[2 + GLOBALS + 2 * thread]);
        if (m[1 + GLOBALS + 2 * thread]) work_push(vm, &count, m[1 + GLOBALS + 2 * thread]);
        for (i = 0; i < GLOBALS; i++)
            if (IS_REF(m[1 + i]) && place_of_global[i] >= 0 && HAS(vm->futures[0][thread], (uint32_t)place_of_global[i])) work_push(vm, &count, m[1 + i]);
        while (count) {
            uint32_t at = vm->work[--count] >> 2, size;
            int kind = (int)KIND(m[at]);
            if (vm->reached[at] & bit) continue;
            vm->reached[at] |= bit;
            if (kind == K_INTEGER || kind == K_STRING) continue;
            size = SIZE(m[at]);
            for (i = 0; i < size; i++) if (IS_REF(m[at + HEAD_WORDS + i])) work_push(vm, &count, m[at + HEAD_WORDS + i]);
        }
    }
    vm->knows_reached = 1;
}
/* Can one of the threads come to an object? New ones nobody else knows. */
static int is_reached(machine *vm, W object, uint64_t by) {
    if (AT(object) >= vm->base_length) return 0;
    if (!vm->knows_reached) find_reached(vm);
    return (vm->reached[AT(object)] & by) != 0;
}
static int disturbs(machine *vm, const uint64_t *future, uint64_t outside, uint64_t members) {
    uint32_t thread, i;
    for (thread = 0; thread < vm->base[0]; thread++) {
        if (!(members >> thread & 1)) continue;
        for (i = vm->touched_from[thread]; i < vm->touched_from[thread + 1]; i++) {
            const touch *t = &vm->touches[i];
            if (!HAS(future + PLACE_WORDS, t->place) && !(t->written && HAS(future, t->place))) continue;
            if (!t->object || is_reached(vm, t->object, outside)) return 1;
        }
    }
    return 0;
}
/* The least set with a thread that is enough. */
static uint64_t around(machine *vm, uint32_t seed, uint64_t live) {
    uint64_t found = 1ull << seed, future[2 * PLACE_WORDS];
    uint32_t thread, lock, i, added = 1;
    while (added) {
        added = 0;
        for (thread = 0; thread < vm->base[0] && !added; thread++) {
            if (!(live & ~found) || !((live & ~found) >> thread & 1)) continue;
            memcpy(future, vm->futures[0][thread], sizeof future);
            for (lock = 0; lock < FUTURE_LOCKS; lock++) {
                if (vm->holders[lock] == MOST_THREADS || !(found >> vm->holders[lock] & 1)) continue;
                if (!(vm->knows_future[1 + lock] >> thread & 1)) {
                    future_of(vm, thread, future_without[lock], vm->futures[1 + lock][thread]);
                    vm->knows_future[1 + lock] |= 1ull << thread;
                }
                for (i = 0; i < 2 * PLACE_WORDS; i++) future[i] &= vm->futures[1 + lock][thread][i];
            }
            if (disturbs(vm, future, live & ~found, found)) { found |= 1ull << thread; added = 1; }
        }
    }
    return found;
}
static int sees_watched(const machine *vm, uint32_t thread) {
    uint32_t i;
    for (i = vm->touched_from[thread]; i < vm->touched_from[thread + 1]; i++)
        if (vm->touches[i].written && HAS(watched_places, vm->touches[i].place)) return 1;
    return 0;
}
static uint32_t bits_in(uint64_t set) { uint32_t n = 0; for (; set; set &= set - 1) n++; return n; }

/* The threads whose steps are enough. */
static uint64_t enough(machine *vm, uint64_t live, uint64_t enabled, uint64_t kept_back) {
    uint64_t best = live;
    uint32_t thread, lock, fewest = bits_in(enabled);
    if (fewest < 2) return live;
    for (thread = 0; thread < vm->base[0]; thread++) {
        if (live >> thread & 1) future_of(vm, thread, future_at, vm->futures[0][thread]);
        if ((enabled >> thread & 1) && sees_watched(vm, thread)) kept_back |= 1ull << thread;
    }
    for (lock = 0; lock < FUTURE_LOCKS; lock++) { vm->holders[lock] = holder_of(vm, lock); vm->knows_future[1 + lock] = 0; }
    vm->knows_reached = 0;
    for (thread = 0; thread < vm->base[0]; thread++) {
        uint64_t found;
        if (!(enabled >> thread & 1) || (kept_back >> thread & 1)) continue;
        found = around(vm, thread, live);
        if (!(found & enabled & kept_back) && bits_in(found & enabled) < fewest) { best = found; fewest = bits_in(found & enabled); }
    }
    return best;
}
/* Tries the steps of all threads, and says of which they are enough. */
static uint64_t chosen_threads(machine *vm, const volatile uint32_t *stop) {
    uint64_t live = 0, enabled = 0, kept_back = 0;
    uint32_t thread, choice, threads = vm->base[0];
    int ended;
    if (threads > 64) return ~0ull;
    vm->touch_count = 0;
    for (thread = 0; thread < threads; thread++) {
        vm->touched_from[thread] = vm->first_touch = vm->touch_count;
        if (!vm->base[2 + GLOBALS + 2 * thread]) continue;
        live |= 1ull << thread;
        vm->choices = 1;
        vm->recording = 1;
        for (choice = 0; choice < vm->choices && !*stop; choice++) {
            vm->goes_back = 0;
            restore(vm);
            ended = 0;
            if (!step(vm, thread, choice, &ended)) break;
            enabled |= 1ull << thread;
            if (ended || vm->goes_back) kept_back |= 1ull << thread;
        }
        vm->recording = 0;
    }
    vm->touched_from[threads] = vm->touch_count;
    if (*stop || setjmp(vm->jump)) return live; /* or there is no memory to choose with */
    return enough(vm, live, enabled, kept_back);
}
#endif
