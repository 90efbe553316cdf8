/* --- states: kripke/heap/memory.py --- */

#if HEAD_WORDS == 2
static int compare_numbers(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}
/* Marks in `owner` what can be reached from the words pushed; `frames_only` leaves other objects unmarked. */
static void mark(machine *vm, uint32_t count) {
    while (count) {
        uint32_t at = vm->work[--count] >> 2, i, size = SIZE(vm->m[at]);
        int kind = (int)KIND(vm->m[at]);
        if (vm->owner[at]) continue;
        vm->owner[at] = 1;
        if (kind == K_INTEGER || kind == K_STRING) continue;
        for (i = 0; i < size; i++) if (IS_REF(vm->m[at + HEAD_WORDS + i])) work_push(vm, &count, vm->m[at + HEAD_WORDS + i]);
    }
}
static void count_references(machine *vm, uint32_t *counts, uint32_t at, int change, uint32_t *dead, uint32_t *dead_count) {
    uint32_t i, size = SIZE(vm->m[at]);
    int kind = (int)KIND(vm->m[at]);
    if (kind == K_INTEGER || kind == K_STRING) return;
    for (i = 0; i < size; i++) {
        W w = vm->m[at + HEAD_WORDS + i];
        if (!IS_REF(w)) continue;
        if (KIND(vm->m[w >> 2]) == K_ARRAY) { count_references(vm, counts, w >> 2, change, dead, dead_count); continue; }
        counts[w >> 2] += (uint32_t)change;
        if (change < 0 && !counts[w >> 2]) dead[(*dead_count)++] = w >> 2;
    }
}
/* The objects that collection leaves, by number, in `found`: how many. */
static uint32_t kept_objects(machine *vm, uint64_t *found) {
    uint32_t at, kept = 0, count = 0, i, first = 1 + GLOBALS + 2 * vm->m[0];
    memset(vm->owner, 0, vm->top);
    for (i = 0; i < vm->threads; i++) if (vm->thread_frame[i]) work_push(vm, &count, vm->thread_frame[i]);
    if (COLLECTION == 0) {
        for (i = 0; i < GLOBALS; i++) if (IS_REF(vm->m[1 + i])) work_push(vm, &count, vm->m[1 + i]);
        for (i = 0; i < vm->threads; i++) if (vm->thread_object[i]) work_push(vm, &count, vm->thread_object[i]);
    } else {
        for (at = first; at < vm->top; at += HEAD_WORDS + SIZE(vm->m[at])) if (KIND(vm->m[at]) > K_FRAME) work_push(vm, &count, at << 2);
    }
    mark(vm, count);
    if (COLLECTION == 1) {
        uint32_t *counts = calloc(vm->top, sizeof *counts), *dead = malloc((size_t)vm->top * sizeof *dead), dead_count = 0;
        if (!counts || !dead) { free(counts); free(dead); find_(vm, V_MEMORY); }
        for (i = 0; i < GLOBALS; i++) if (IS_REF(vm->m[1 + i])) counts[vm->m[1 + i] >> 2]++;
        for (i = 0; i < vm->threads; i++) {
            if (vm->thread_object[i]) counts[vm->thread_object[i] >> 2]++;
            if (vm->thread_frame[i]) counts[vm->thread_frame[i] >> 2]++;
        }
        for (at = first; at < vm->top; at += HEAD_WORDS + SIZE(vm->m[at]))
            if (vm->owner[at] && KIND(vm->m[at]) >= K_FRAME) count_references(vm, counts, at, 1, dead, &dead_count);
        for (at = first; at < vm->top; at += HEAD_WORDS + SIZE(vm->m[at]))
            if (vm->owner[at] && KIND(vm->m[at]) >= K_FRAME && !counts[at]) dead[dead_count++] = at;
        while (dead_count) {
            at = dead[--dead_count];
            vm->owner[at] = 0;
            count_references(vm, counts, at, -1, dead, &dead_count);
        }
        free(counts);
        free(dead);
    }
    for (at = first; at < vm->top; at += HEAD_WORDS + SIZE(vm->m[at]))
        if (vm->owner[at] && KIND(vm->m[at]) > K_FRAME) found[kept++] = (uint64_t)vm->m[at + 1] << 32 | at;
    qsort(found, kept, sizeof *found, compare_numbers);
    return kept;
}
#endif

/* `size`: with all that is placed; `at`: what is written. What lies in front of `kept` stays where it is. */
typedef struct writer { machine *vm; uint32_t size, queued, next, full, at, kept, lost; } writer;

/* Words are written twice: as they are, and in 16 bits, which is all that most states need. */
#define PUT(value) do { W put_ = (value); out[at] = put_; narrow[at++] = (int16_t)put_; lost |= (put_ + 0x8000u) & 0xFFFF0000u; } while (0)

static INLINE W place(writer *w, uint32_t at, uint32_t head) {
    machine *vm = w->vm;
    uint32_t here = w->size;
    w->size += HEAD_WORDS + SIZE(head);
    if (w->size > MAX_WORDS || w->queued == vm->queue_room) { w->full = 1; return 0; }
    vm->queue_place[w->queued] = at;
    vm->queue_head[w->queued++] = head & ~SHARED;
    return here << 2;
}
static INLINE W written(writer *w, W value) {
    machine *vm = w->vm;
    uint32_t at, head;
    W here;
    if (!IS_REF(value) || w->full) return value;
    at = AT(value);
    head = vm->m[at];
    if (KIND(head) == K_FORWARD) return head >> 5 << 2;
    if (KIND(head) == K_INTEGER || KIND(head) == K_STRING) return place(w, at, head);
    if (at < w->kept) return value;
    here = place(w, at, head);
    vm->m[at] = here >> 2 << 5 | K_FORWARD;
    return here;
}
/* Objects that are placed but not written yet, and all that they refer to. */
static void write_objects(writer *w) {
    machine *vm = w->vm;
    W *out = vm->out;
    int16_t *narrow = vm->narrow;
    uint32_t at = w->at, lost = w->lost, i;
    while (w->next < w->queued && !w->full) {
        uint32_t from = vm->queue_place[w->next], head = vm->queue_head[w->next], size = SIZE(head);
        const W *source;
        w->next++;
        PUT(head);
#if HEAD_WORDS == 2
        PUT(KIND(head) > K_FRAME ? vm->m[from + 1] : 0);
#endif
        source = vm->m + from + HEAD_WORDS;
        switch (KIND(head)) {
        case K_INTEGER: case K_STRING:
            for (i = 0; i < size; i++) PUT(source[i]);
            break;
        case K_LIST: case K_DICT: case K_SET: {
            uint32_t length = (uint32_t)SMALL_VALUE(source[0]);
            PUT(source[0]);
            PUT(length ? place(w, source[1] >> 2, length << 5 | K_ARRAY) : 0);
            break;
        }
        default:
            for (i = 0; i < size; i++) PUT(written(w, source[i]));
        }
    }
    w->at = at;
    w->lost = lost;
}
/* The frames, behind all else, and what they alone refer to. The state, in vm->out: its words; 0: it is too large. */
static uint32_t write_frames(writer *w) {
    machine *vm = w->vm;
    uint32_t i;
    for (i = 0; i < vm->threads; i++) {
        const uint32_t at = 2 + GLOBALS + 2 * i;
        const W here = written(w, vm->thread_frame[i]);
        vm->out[at] = here;
        vm->narrow[at] = (int16_t)here;
        w->lost |= (here + 0x8000u) & 0xFFFF0000u;
    }
    write_objects(w);
    vm->fits = !w->lost;
    return w->full ? 0 : w->at;
}
/* All of the state. Destroys the memory. */
static uint32_t write_state(machine *vm) {
    writer w = {vm, 1 + GLOBALS + 2 * vm->threads, 0, 0, 0, 0, 0, 0};
    uint32_t i, at = 0, lost = 0;
    W *out = vm->out;
    int16_t *narrow = vm->narrow;
    vm->changes = MOST_CHANGES + 1;
    if (w.size > MAX_WORDS) return 0;
#if HEAD_WORDS == 2
    {
        uint64_t *found = malloc((size_t)vm->top * sizeof *found);
        uint32_t kept;
        if (!found) return 0;
        kept = kept_objects(vm, found);
        for (i = 0; i < kept; i++) written(&w, (uint32_t)found[i] << 2);
        free(found);
    }
#endif
    PUT(vm->threads);
    for (i = 0; i < GLOBALS; i++) PUT(written(&w, vm->m[1 + i]));
    for (i = 0; i < vm->threads; i++) {
        PUT(written(&w, vm->thread_object[i]));
        PUT(0);
    }
    w.at = at;
    w.lost = lost;
    write_objects(&w);
    return write_frames(&w);
}

#if BY_DIFFERENCE
/* Notes the words from..to that the step changed; 0: there are too many. */
static int find_changes(machine *vm, uint32_t from, uint32_t to) {
    while (from < to) {
        uint32_t n = to - from < 32 ? to - from : 32, i;
        if (memcmp(vm->m + from, vm->base + from, (size_t)n * sizeof(W))) {
            for (i = from; i < from + n; i++) {
                if (vm->m[i] == vm->base[i]) continue;
                if (vm->changes == MOST_CHANGES) { vm->changes = MOST_CHANGES + 1; return 0; }
                vm->changed[vm->changes++] = i;
            }
        }
        from += n;
    }
    return 1;
}
/* What the header refers to has the same place, whoever else refers to it. */
static INLINE int has_its_place(const machine *vm, W w) {
    return !IS_REF(w) || (AT(w) < vm->roots && KIND(vm->m[AT(w)]) != K_INTEGER && KIND(vm->m[AT(w)]) != K_STRING);
}
#define DOES_NOT_FIT(value) (((value) + 0x8000u) & 0xFFFF0000u)
/* Did the step leave everything in its place that not only frames reach? Then `changed` has what is different there. */
static int stays_in_place(machine *vm) {
    uint32_t i, first = 1 + GLOBALS + 2 * vm->threads;
    vm->changes = MOST_CHANGES + 1;
    if (!vm->kept || vm->reshaped || vm->threads != vm->base[0]) return 0;
    for (i = 0; i < vm->threads; i++) if (vm->thread_object[i] != vm->base[1 + GLOBALS + 2 * i]) return 0;
    vm->changes = 0;
    if (!find_changes(vm, 1, 1 + GLOBALS) || !find_changes(vm, first, vm->kept)) return 0;
    for (i = 0; i < vm->changes; i++) {
        uint32_t at = vm->changed[i];
        W old = vm->base[at], value = vm->m[at];
        if (DOES_NOT_FIT(old) || DOES_NOT_FIT(value) ||
            (at < first ? IS_REF(old) || IS_REF(value) : !has_its_place(vm, old) || !has_its_place(vm, value))) {
            vm->changes = MOST_CHANGES + 1;
            return 0;
        }
    }
    return 1;
}
/* The state as the difference from the one before: what stays in its place is copied, and changed words are set. Of the
 * memory, only what frames alone reach is destroyed. */
static uint32_t write_difference(machine *vm) {
    writer w = {vm, vm->kept, 0, 0, 0, vm->kept, vm->kept, vm->kept_lost};
    uint32_t i, words;
    if (vm->wide) {
        memcpy(vm->out, vm->source, (size_t)vm->kept * sizeof(W));
        vm->out[0] = vm->threads;
        for (i = 0; i < vm->changes; i++) vm->out[vm->changed[i]] = vm->m[vm->changed[i]];
        if (!vm->kept_lost) for (i = 0; i < vm->kept; i++) vm->narrow[i] = (int16_t)vm->out[i];
        return write_frames(&w);
    }
    memcpy(vm->narrow, vm->source, (size_t)vm->kept * sizeof *vm->narrow);
    for (i = 0; i < vm->changes; i++) vm->narrow[vm->changed[i]] = (int16_t)vm->m[vm->changed[i]];
    words = write_frames(&w);
    if (!vm->fits) {
        for (i = 0; i < 1 + GLOBALS; i++) vm->out[i] = (W)(int32_t)vm->narrow[i];
        for (; i < 1 + GLOBALS + 2 * vm->threads; i += 2) vm->out[i] = (W)(int32_t)vm->narrow[i];
        for (; i < vm->kept; i++) vm->out[i] = (W)(int32_t)vm->narrow[i];
    }
    return words;
}
#endif

/* A state whose words all fit has 16 bits for each of them: the number of threads shows which. */
#define WIDE 0x4000u

/* What write_state wrote, as bytes: how many. */
static uint32_t pack_state(machine *vm, uint32_t count, uint8_t *out) {
    if (vm->fits) { memcpy(out, vm->narrow, (size_t)count * 2); return 2 * count; }
    vm->out[0] |= WIDE;
    memcpy(out, vm->out, (size_t)count * 4);
    return 4 * count;
}
VECTORISED static void widen(const uint8_t *state, uint32_t count, W *words) {
    int16_t narrow[256];
    uint32_t i, k;
    for (i = 0; i + 256 <= count; i += 256) {
        memcpy(narrow, state + 2 * i, sizeof narrow);
        for (k = 0; k < 256; k++) words[i + k] = (W)(int32_t)narrow[k];
    }
    memcpy(narrow, state + 2 * i, (size_t)(count - i) * 2);
    for (k = 0; k < count - i; k++) words[i + k] = (W)(int32_t)narrow[k];
}
static uint32_t unpack_state(const uint8_t *state, uint32_t length, W *words) {
    int16_t first;
    memcpy(&first, state, 2);
    if (first & (int16_t)WIDE) {
        memcpy(words, state, length);
        words[0] &= ~WIDE;
        return length / 4;
    }
    widen(state, length / 2, words);
    return length / 2;
}

#if BY_DIFFERENCE
static INLINE void find_root(machine *vm, W w) {
    if (IS_REF(w) && AT(w) + HEAD_WORDS + SIZE(vm->base[AT(w)]) > vm->roots) vm->roots = AT(w) + HEAD_WORDS + SIZE(vm->base[AT(w)]);
}
/* What not only frames reach comes first: it ends where the frame of the first thread is. */
static void find_kept(machine *vm, int wide) {
    const W *m = vm->base;
    uint32_t i, first = 1 + GLOBALS + 2 * m[0];
    for (i = 0; i < m[0] && !vm->kept; i++) vm->kept = AT(m[2 + GLOBALS + 2 * i]);
    vm->roots = vm->kept_lost = 0;
    for (i = 0; i < GLOBALS; i++) find_root(vm, m[1 + i]);
    for (i = 0; i < m[0]; i++) find_root(vm, m[1 + GLOBALS + 2 * i]);
    vm->wide = wide;
    if (!wide) return;
    for (i = 1; i < 1 + GLOBALS; i++) vm->kept_lost |= DOES_NOT_FIT(m[i]);
    for (; i < first; i += 2) vm->kept_lost |= DOES_NOT_FIT(m[i]);
    for (i = first; i < vm->kept; i++) vm->kept_lost |= DOES_NOT_FIT(m[i]);
}
#endif

/* The state that steps are made from: its words, and which objects more than one thread can reach. */
static void read_state(machine *vm, const uint8_t *state, uint32_t length) {
    uint32_t i, count = 0, live = 0, n, again = 0, threads;
    W *m = vm->base;
    n = vm->base_length = unpack_state(state, length, m);
    threads = m[0];
    for (i = 0; i < threads; i++) if (m[2 + GLOBALS + 2 * i]) live++;
    vm->changes = MOST_CHANGES + 1;
    vm->kept = 0;
#if BY_DIFFERENCE
    vm->source = state;
    find_kept(vm, length != 2 * n);
#else
    for (i = 0; i < GLOBALS; i++) if (IS_REF(m[1 + i])) work_push(vm, &count, m[1 + i]);
    for (i = 0; i < threads; i++) if (m[1 + GLOBALS + 2 * i]) work_push(vm, &count, m[1 + GLOBALS + 2 * i]);
    share_pending(vm, m, count);
#endif
    if (live < 2) return;
    memset(vm->owner + vm->kept, 0, n - vm->kept);
    for (i = 0; i < threads; i++) {
        if (!m[2 + GLOBALS + 2 * i]) continue;
        count = 0;
        work_push(vm, &count, m[2 + GLOBALS + 2 * i]);
        while (count) {
            uint32_t at = vm->work[--count] >> 2, j, size;
            int kind = (int)KIND(m[at]);
            if (at < vm->kept || (m[at] & SHARED)) continue;
            if (vm->owner[at]) { if (vm->owner[at] != i + 1) vm->queue_place[again++] = at; continue; }
            vm->owner[at] = (uint8_t)(i + 1);
            if (kind == K_INTEGER || kind == K_STRING) continue;
            size = SIZE(m[at]);
            for (j = 0; j < size; j++) if (IS_REF(m[at + HEAD_WORDS + j])) work_push(vm, &count, m[at + HEAD_WORDS + j]);
        }
    }
    count = 0;
    for (i = 0; i < again; i++) work_push(vm, &count, vm->queue_place[i] << 2);
    share_pending(vm, m, count);
}
/* Memory as it is in that state. */
static void restore(machine *vm) {
    uint32_t i;
    if (vm->base_length > vm->room) vm->m = larger(vm, vm->m, &vm->room, vm->base_length, sizeof(W));
    if (vm->changes <= MOST_CHANGES) {
        for (i = 0; i < vm->changes; i++) vm->m[vm->changed[i]] = vm->base[vm->changed[i]];
        memcpy(vm->m + vm->kept, vm->base + vm->kept, (size_t)(vm->base_length - vm->kept) * sizeof(W));
    } else memcpy(vm->m, vm->base, (size_t)vm->base_length * sizeof(W));
    vm->changes = MOST_CHANGES + 1;
    vm->reshaped = 0;
    vm->top = vm->base_length;
    vm->threads = vm->m[0];
    for (i = 0; i < vm->threads; i++) {
        vm->thread_object[i] = vm->m[1 + GLOBALS + 2 * i];
        vm->thread_frame[i] = vm->m[2 + GLOBALS + 2 * i];
    }
}
