/* --- behind model.h --- */

static void machine_free(void *context) {
    machine *vm = context;
    if (!vm) return;
    free(vm->m); free(vm->fs); free(vm->frames); free(vm->base); free(vm->out); free(vm->narrow); free(vm->queue_place); free(vm->queue_head);
    free(vm->work); free(vm->text); free(vm->owner);
#if REDUCE
    free(vm->touches); free(vm->reached);
#endif
    free(vm);
}
static void *machine_new(const kripke_model *self) {
    machine *vm = calloc(1, sizeof *vm);
    (void)self;
    if (!vm) return 0;
    vm->room = MAX_WORDS + 4096;
    vm->fs_room = 4096;
    vm->queue_room = MAX_WORDS;
    vm->work_room = MAX_WORDS + 4096;
    vm->text_room = 256;
    vm->m = malloc((size_t)vm->room * sizeof(W));
    vm->fs = malloc((size_t)vm->fs_room * sizeof(W));
    vm->frames = malloc((DEEPEST_CALLS + 16) * sizeof *vm->frames);
    vm->base = malloc((size_t)MAX_WORDS * sizeof(W));
    vm->out = malloc((size_t)MAX_WORDS * sizeof(W));
    vm->narrow = malloc((size_t)MAX_WORDS * sizeof *vm->narrow);
    vm->queue_place = malloc((size_t)MAX_WORDS * sizeof *vm->queue_place);
    vm->queue_head = malloc((size_t)MAX_WORDS * sizeof *vm->queue_head);
    vm->work = malloc((size_t)vm->work_room * sizeof(W));
    vm->text = malloc(vm->text_room * sizeof *vm->text);
    vm->owner_room = MAX_WORDS;
    vm->owner = malloc(vm->owner_room);
    if (!vm->m || !vm->fs || !vm->frames || !vm->base || !vm->out || !vm->narrow || !vm->queue_place || !vm->queue_head || !vm->work || !vm->text || !vm->owner) {
        machine_free(vm);
        return 0;
    }
    return vm;
}

static void initial(kripke_sink *sink) {
    memcpy(sink->out, initial_state, sizeof initial_state);
    sink->emit(sink, (uint32_t)sizeof initial_state, 0);
}

/* Nobody runs but daemons. */
static int finished(const W *m) {
    uint32_t i;
    for (i = 0; i < m[0]; i++) {
        W object = m[1 + GLOBALS + 2 * i];
        int32_t slot;
        if (!m[2 + GLOBALS + 2 * i]) continue;
        if (!object) return 0;
        slot = slot_of[(uint32_t)SMALL_VALUE(m[AT(object) + HEAD_WORDS]) * NAMES + N_daemon];
        if (slot < 0 || m[AT(object) + HEAD_WORDS + 1 + (uint32_t)slot] != TRUE_) return 0;
    }
    return 1;
}

static int room_to_write(machine *vm) {
    if (vm->top > vm->owner_room) {
        uint8_t *made = realloc(vm->owner, vm->top);
        if (!made) return 0;
        vm->owner = made;
        vm->owner_room = vm->top;
    }
    return 1;
}
/* What step() leaves becomes a state, if there is one. */
static void write_step(machine *vm, kripke_sink *sink, int ended) {
    uint32_t words = 0, i;
    if (!ended) {
        if (setjmp(vm->jump) == 0) {
#if BY_DIFFERENCE
            if (stays_in_place(vm)) words = write_difference(vm);
            else
#endif
            words = room_to_write(vm) ? write_state(vm) : 0;
        } else words = 0;
#if REDUCE
        if (!words) vm->too_large = 1;
#endif
        if (!words && vm->violations < 4) {
            vm->violation_code[vm->violations] = V_MEMORY;
            vm->violation_label[vm->violations++] = vm->label;
        }
    }
    for (i = 0; i < vm->violations; i++) sink->report(sink, vm->violation_code[i], (uint32_t)vm->violation_label[i]);
    if (words) {
        uint32_t length = pack_state(vm, words, sink->out);
        sink->emit(sink, length, (uint32_t)vm->label);
    }
}

/* The steps of a thread. */
static void thread_steps(machine *vm, kripke_sink *sink, uint32_t thread) {
    uint32_t choice;
    int ended;
    if (!vm->base[2 + GLOBALS + 2 * thread]) return;
    sink->actor = thread;
    vm->choices = 1;
    for (choice = 0; choice < vm->choices && !*sink->stop; choice++) {
        restore(vm);
        if (!step(vm, thread, choice, &ended)) break;
        write_step(vm, sink, ended);
    }
}
static void successors(const uint8_t *state, uint32_t length, kripke_sink *sink) {
    machine *vm = sink->context;
    uint32_t thread;
    vm->covered = sink->covered;
    read_state(vm, state, length);
    if (finished(vm->base)) return;
#if REDUCE
    {
        const uint64_t chosen = chosen_threads(vm, sink->stop);
        vm->too_large = 0;
        for (thread = 0; thread < vm->base[0] && !*sink->stop; thread++)
            if (thread >= 64 || (chosen >> thread & 1)) thread_steps(vm, sink, thread);
        if (!vm->too_large) return; /* else nothing follows, and all steps are needed */
        for (thread = 0; thread < vm->base[0] && thread < 64 && !*sink->stop; thread++)
            if (!(chosen >> thread & 1)) thread_steps(vm, sink, thread);
    }
#else
    for (thread = 0; thread < vm->base[0] && !*sink->stop; thread++) thread_steps(vm, sink, thread);
#endif
}

static machine *looking(void) {
#ifdef __TINYC__
    return machine_new(0);
#else
    static __thread machine *kept;
    if (!kept) kept = machine_new(0);
    return kept;
#endif
}
static void looked(machine *vm) {
#ifdef __TINYC__
    machine_free(vm);
#else
    (void)vm;
#endif
}
static int valid_end(const uint8_t *state, uint32_t length) {
    machine *vm = looking();
    int result;
    if (!vm) return 1;
    unpack_state(state, length, vm->base);
    result = finished(vm->base);
    looked(vm);
    return result;
}

#if ATOMS
/* Conditions call nothing. -1: one has no value. */
static int evaluate(machine *vm, uint32_t number) {
    vm->count = 0;
    vm->level = 0;
    vm->depth = 0;
    if (setjmp(vm->jump)) return -1;
    memset(vm->fs, 0, 64 * sizeof(W));
    open_frame(vm, number);
    for (;;) {
        frame *f = now(vm);
        uint32_t at = codes[number].first + f->pc;
        if (op_of[at] == OP_RETURN) return pop(vm) == TRUE_;
        f->pc++;
        execute(vm, op_of[at], arg_of[at]);
        if (vm->count != 1) return -1;
    }
}
static void atoms(const uint8_t *state, uint32_t length, uint64_t *truth) {
    uint32_t i, k, words = (ATOMS + 63) / 64;
    machine *vm = looking();
    if (!vm) { for (i = 0; i < ATOMS; i++) truth[words + i / 64] |= 1ull << (i % 64); return; }
    for (i = 0; i < ATOMS; i++) {
        int value = 2;
        vm->top = unpack_state(state, length, vm->m);
        for (k = atom_first[i]; k < atom_first[i + 1] && value == 2; k++) if (!vm->m[1 + atom_globals[k]]) value = atom_unbound[i];
        if (value == 2) value = evaluate(vm, atom_code[i]);
        if (value == 1) truth[i / 64] |= 1ull << (i % 64); else truth[i / 64] &= ~(1ull << (i % 64));
        if (value < 0) truth[words + i / 64] |= 1ull << (i % 64);
    }
    looked(vm);
}
#endif

/* Collapse: globals and threads, then every object by itself; the pools of one kind are shared. */
static W word_at(const uint8_t *state, uint32_t width, uint32_t at) {
    int16_t narrow;
    W wide;
    if (width == 2) { memcpy(&narrow, state + 2 * at, 2); return (W)(int32_t)narrow; }
    memcpy(&wide, state + 4 * at, 4);
    return wide;
}
static uint32_t components(const kripke_model *self, const uint8_t *state, uint32_t length, kripke_component *parts) {
    uint32_t width = word_at(state, 2, 0) & WIDE ? 4 : 2, n = length / width, count = 1;
    uint32_t at = 1 + GLOBALS + 2 * (word_at(state, width, 0) & ~WIDE);
    (void)self;
    parts[0].table = 0;
    parts[0].length = at * width;
    while (at < n) {
        W head = word_at(state, width, at);
        uint32_t size = HEAD_WORDS + SIZE(head);
        if (count == MOST_COMPONENTS) parts[count - 1].length += width * size;
        else {
            parts[count].table = KIND(head) == K_FRAME ? 1 : KIND(head) == K_INSTANCE ? 2 : 3;
            parts[count++].length = width * size;
        }
        at += size;
    }
    return count;
}
static const char *const component_names[] = {"globals and threads", "frames", "instances", "other objects"};

static const kripke_model model = {
    .abi = KRIPKE_ABI,
    .max_state_bytes = MAX_WORDS * 4,
    .label_count = LABELS,
    .violation_count = V_FIRST_CLASS + CLASSES,
    .atom_count = ATOMS,
    .name = "heap",
    .context_new = machine_new,
    .context_free = machine_free,
    .initial = initial,
    .successors = successors,
    .valid_end = valid_end,
#if ATOMS
    .atoms = atoms,
#endif
    .component_tables = 4,
    .max_components = MOST_COMPONENTS,
    .component_names = component_names,
    .components = components,
};
#if defined(_WIN32)
__declspec(dllexport)
#endif
const kripke_model *kripke_model_entry(void) { return &model; }
