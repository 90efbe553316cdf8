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

typedef struct writer { machine *vm; uint32_t size, queued; int full; } writer;

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
    here = place(w, at, head);
    if (KIND(head) != K_INTEGER && KIND(head) != K_STRING) vm->m[at] = here >> 2 << 5 | K_FORWARD;
    return here;
}
/* The state, in vm->out: its words; 0: it is too large. Destroys the memory. */
static uint32_t write_state(machine *vm) {
    writer w;
    uint32_t i, at = 0, next = 0, lost = 0;
    W *out = vm->out;
    int16_t *narrow = vm->narrow;
    w.vm = vm;
    w.size = 1 + GLOBALS + 2 * vm->threads;
    w.queued = 0;
    w.full = w.size > MAX_WORDS;
    if (w.full) return 0;
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
        PUT(written(&w, vm->thread_frame[i]));
    }
    while (next < w.queued && !w.full) {
        uint32_t from = vm->queue_place[next], head = vm->queue_head[next], size = SIZE(head);
        const W *source;
        next++;
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
            PUT(length ? place(&w, source[1] >> 2, length << 5 | K_ARRAY) : 0);
            break;
        }
        default:
            for (i = 0; i < size; i++) PUT(written(&w, source[i]));
        }
    }
    vm->fits = !lost;
    return w.full ? 0 : at;
}

/* A state whose words all fit has 16 bits for each of them: the number of threads shows which. */
#define WIDE 0x4000u

/* What write_state wrote, as bytes: how many. */
static uint32_t pack_state(machine *vm, uint32_t count, uint8_t *out) {
    if (vm->fits) { memcpy(out, vm->narrow, (size_t)count * 2); return 2 * count; }
    vm->out[0] |= WIDE;
    memcpy(out, vm->out, (size_t)count * 4);
    return 4 * count;
}
static uint32_t unpack_state(const uint8_t *state, uint32_t length, W *words) {
    int16_t first, narrow[256];
    uint32_t i, count = length / 2;
    memcpy(&first, state, 2);
    if (first & (int16_t)WIDE) {
        memcpy(words, state, length);
        words[0] &= ~WIDE;
        return length / 4;
    }
    for (i = 0; i < count; i += 256) {
        uint32_t k, n = count - i < 256 ? count - i : 256;
        memcpy(narrow, state + 2 * i, (size_t)n * 2);
        for (k = 0; k < n; k++) words[i + k] = (W)(int32_t)narrow[k];
    }
    return count;
}

/* The state that steps are made from: its words, and which objects more than one thread can reach. */
static void read_state(machine *vm, const uint8_t *state, uint32_t length) {
    uint32_t i, count = 0, live = 0, n, again = 0, threads;
    W *m = vm->base;
    n = vm->base_length = unpack_state(state, length, m);
    threads = m[0];
    for (i = 0; i < GLOBALS; i++) if (IS_REF(m[1 + i])) work_push(vm, &count, m[1 + i]);
    for (i = 0; i < threads; i++) {
        if (m[1 + GLOBALS + 2 * i]) work_push(vm, &count, m[1 + GLOBALS + 2 * i]);
        if (m[2 + GLOBALS + 2 * i]) live++;
    }
    share_pending(vm, m, count);
    if (live < 2) return;
    memset(vm->owner, 0, n);
    for (i = 0; i < threads; i++) {
        if (!m[2 + GLOBALS + 2 * i]) continue;
        count = 0;
        work_push(vm, &count, m[2 + GLOBALS + 2 * i]);
        while (count) {
            uint32_t at = vm->work[--count] >> 2, j, size;
            int kind = (int)KIND(m[at]);
            if (m[at] & SHARED) continue;
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
    memcpy(vm->m, vm->base, (size_t)vm->base_length * sizeof(W));
    vm->top = vm->base_length;
    vm->threads = vm->m[0];
    for (i = 0; i < vm->threads; i++) {
        vm->thread_object[i] = vm->m[1 + GLOBALS + 2 * i];
        vm->thread_frame[i] = vm->m[2 + GLOBALS + 2 * i];
    }
}
