/* The heap machine: what kripke/heap/machine.py does, on an image of memory. Names and order follow it.
 *
 * A value is a word (kripke/heap/memory.py): ...01 a small integer, ...10 a constant, ...00 the place of an object in
 * `m`, 0 nothing. Objects are only ever added behind `top`: a step is short, and writing its state collects. */

typedef uint32_t W;
#ifdef __TINYC__
#define INLINE inline
#else
#define INLINE inline __attribute__((always_inline))
#endif
#if defined(__GNUC__) && !defined(__clang__) && !defined(__TINYC__)
#define VECTORISED __attribute__((optimize("O3")))
#else
#define VECTORISED
#endif

enum { K_INTEGER, K_STRING, K_ARRAY, K_FRAME, K_TUPLE, K_LIST, K_DICT, K_SET, K_INSTANCE, K_CELL, K_FUNCTION, K_BOUND,
       K_ITERATOR, K_RANGE, K_GENERATOR, K_FORWARD = 31 };
enum { MODE_PUSH, MODE_TRUTH, MODE_DROP, MODE_FOR, MODE_SEND };
enum { M_METHOD = 1, M_STATIC, M_CLASS, M_PROPERTY, M_SLOT, M_CONSTANT };
enum { C_NONE, C_FALSE, C_TRUE, C_INT, C_STR, C_FLOAT, C_FUNCTION, C_CLASS, C_EMPTY, C_NO_DEFAULT };
enum { RAISED = 1, FOUND = 2, BLOCKED = 3 };
enum { V_ASSERTION, V_EXCEPTION, V_OVERFLOW, V_UNSUPPORTED, V_MEMORY, V_FIRST_CLASS };

#define SHARED 0x80000000u
#define KIND(head) ((head) & 31u)
#define SIZE(head) (((head) & ~SHARED) >> 5)
#define NONE ((W)(0u << 2 | 2u))
#define FALSE_ ((W)(1u << 2 | 2u))
#define TRUE_ ((W)(2u << 2 | 2u))
#define BOOL(x) ((x) ? TRUE_ : FALSE_)
#define SMALL(n) ((W)((uint32_t)(n) << 2 | 1u))
#define IS_SMALL(w) (((w) & 3u) == 1u)
#define SMALL_VALUE(w) ((int32_t)(w) >> 2)
#define IS_CONST(w) (((w) & 3u) == 2u)
#define IS_REF(w) (((w) & 3u) == 0u && (w) != 0u)
#define MOST_THREADS 250u
#define MOST_ARGUMENTS 1024u
#define MOST_WORDS (1u << 26)
#define DEEPEST_VALUE 100
#define MOST_CHANGES 64u

typedef struct frame {
    uint32_t code, pc, mode;
    W gen, back;
    uint32_t base, sp; /* locals at base, the stack behind them up to sp */
} frame;

#if REDUCE
typedef struct touch { W object; uint32_t place, written; } touch;
#endif

typedef struct machine {
    W *m;
    uint32_t top, room;
    W *fs;
    uint32_t fs_room;
    frame *frames;
    uint32_t count; /* of frames that are unpacked */
    uint32_t depth;
    uint32_t threads;
    W thread_object[MOST_THREADS], thread_frame[MOST_THREADS];
    uint32_t thread, others, choice, choices, steps, fresh_wait, site;
    int32_t label;
    uint32_t violations, violation_code[4];
    int32_t violation_label[4];
    W args[MOST_ARGUMENTS];
    uint32_t named_name[MOST_ARGUMENTS];
    W named_value[MOST_ARGUMENTS];
    W error;
    uint32_t finding;
    int level;
    jmp_buf jump;
    uint8_t *covered;
    W *base; /* the state that steps are made from, with what is shared */
    uint32_t base_length;
    const uint8_t *source; /* the bytes of that state */
    uint32_t roots, kept;  /* where what the header refers to ends in it, and all that frames alone do not reach */
    int wide;              /* has it 32 bits for each word, and */
    uint32_t kept_lost;    /* are they needed in front of `kept`? */
    int reshaped;          /* did a container in front of `kept` get longer or shorter? */
    uint32_t changes, changed[MOST_CHANGES]; /* words in front of `kept` that the last step changed; MOST_CHANGES + 1: unknown */
    W *out;
    int16_t *narrow;
    int fits;
    uint32_t *queue_place, *queue_head;
    uint32_t queue_room;
    W *work;
    uint32_t work_room;
    uint32_t *text;
    uint32_t text_length, text_room;
    uint8_t *owner;
    uint32_t owner_room;
#if REDUCE
    touch *touches; /* by thread, from touched_from[thread] on */
    uint32_t touch_count, touch_room, first_touch, touched_from[65];
    uint32_t recording, goes_back, knows_reached, too_large;
    uint64_t *reached;
    uint32_t reached_room, holders[FUTURE_LOCKS + 1];
    uint64_t futures[FUTURE_LOCKS + 1][64][2 * PLACE_WORDS], knows_future[FUTURE_LOCKS + 1];
#endif
} machine;

static void find_(machine *vm, uint32_t code) { vm->finding = code; longjmp(vm->jump, FOUND); }
static void *larger(machine *vm, void *old, uint32_t *room, uint32_t wanted, size_t size) {
    uint32_t now = *room ? *room : 256;
    void *made;
    while (now < wanted) now *= 2;
    if (now > MOST_WORDS || !(made = realloc(old, (size_t)now * size))) { find_(vm, V_MEMORY); return old; }
    *room = now;
    return made;
}

#define AT(w) ((w) >> 2)
#define HEAD(w) (vm->m[AT(w)])
#define FIELD(w, i) (vm->m[AT(w) + HEAD_WORDS + (i)])
#define FIELDS(w) SIZE(HEAD(w))

static INLINE int kind_of(machine *vm, W w) { return IS_REF(w) ? (int)KIND(HEAD(w)) : -1; }
/* Can more than one thread come to it? All that lies in front of `kept` is so; the others have a mark. */
static INLINE int is_shared(machine *vm, W w) { return IS_REF(w) && (AT(w) < vm->kept || (HEAD(w) & SHARED) != 0); }

#if HEAD_WORDS == 2
/* The least number that is free, for this place (and thread): see Machine._number. */
static uint32_t number_of_new(machine *vm) {
    uint32_t base = NUMBERING == 2 ? vm->site << 12
                    : NUMBERING == 3 ? ((vm->site << 6) + (vm->thread < 63 ? vm->thread : 63)) << 12 : 0;
    for (;;) {
        uint32_t at = 1 + GLOBALS + 2 * vm->m[0];
        int used = 0;
        while (at < vm->top && !used) {
            if (KIND(vm->m[at]) > K_FRAME && vm->m[at + 1] == base) used = 1;
            at += HEAD_WORDS + SIZE(vm->m[at]);
        }
        if (!used) return base;
        base++;
    }
}
#endif

static INLINE W new_object(machine *vm, int kind, uint32_t size) {
    uint32_t at;
#if HEAD_WORDS == 2
    uint32_t number = kind > K_FRAME ? number_of_new(vm) : 0;
#endif
    if (vm->top + HEAD_WORDS + size > vm->room)
        vm->m = larger(vm, vm->m, &vm->room, vm->top + HEAD_WORDS + size, sizeof(W));
    at = vm->top;
    vm->top += HEAD_WORDS + size;
    vm->m[at] = size << 5 | (uint32_t)kind;
#if HEAD_WORDS == 2
    vm->m[at + 1] = number;
#endif
    memset(vm->m + at + HEAD_WORDS, 0, (size_t)size * sizeof(W));
    return at << 2;
}

static INLINE W make_int(machine *vm, int64_t n) {
    W made;
    if (n >= -(1 << 29) && n < (1 << 29)) return SMALL((int32_t)n);
    made = new_object(vm, K_INTEGER, 2);
    FIELD(made, 0) = (W)(uint64_t)n;
    FIELD(made, 1) = (W)((uint64_t)n >> 32);
    return made;
}

/* An integer, a truth among them. */
static INLINE int as_int(machine *vm, W w, int64_t *n) {
    if (IS_SMALL(w)) { *n = SMALL_VALUE(w); return 1; }
    if (w == TRUE_ || w == FALSE_) { *n = w == TRUE_; return 1; }
    if (kind_of(vm, w) == K_INTEGER) { *n = (int64_t)((uint64_t)FIELD(w, 0) | (uint64_t)FIELD(w, 1) << 32); return 1; }
    return 0;
}
static INLINE int is_bool(W w) { return w == TRUE_ || w == FALSE_; }
static INLINE int const_kind_of(W w) { return IS_CONST(w) ? const_kind[w >> 2] : -1; }
static INLINE int is_float(W w) { return const_kind_of(w) == C_FLOAT; }
static INLINE int is_string(machine *vm, W w) { return const_kind_of(w) == C_STR || kind_of(vm, w) == K_STRING; }
static INLINE int is_class(W w) { return const_kind_of(w) == C_CLASS; }
#define CLASS_NUMBER(w) ((uint32_t)const_value[(w) >> 2])

/* The letters of a string; good until the next object is made. */
static const uint32_t *letters(machine *vm, W w, uint32_t *length) {
    if (IS_CONST(w)) { uint32_t s = (uint32_t)const_value[w >> 2]; *length = text_first[s + 1] - text_first[s]; return texts + text_first[s]; }
    *length = FIELDS(w);
    return &FIELD(w, 0);
}
static int compare_letters(const uint32_t *a, uint32_t n, const uint32_t *b, uint32_t k) {
    uint32_t i, least = n < k ? n : k;
    for (i = 0; i < least; i++) if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return n == k ? 0 : n < k ? -1 : 1;
}
/* A text that is a constant of the program is that constant. */
static W make_string(machine *vm, const uint32_t *text, uint32_t length) {
    uint32_t low = 0, high = STRINGS;
    W made;
    while (low < high) {
        uint32_t middle = (low + high) / 2, constant = sorted_strings[middle], n;
        const uint32_t *other = letters(vm, constant << 2 | 2u, &n);
        int order = compare_letters(text, length, other, n);
        if (order == 0) return constant << 2 | 2u;
        if (order < 0) high = middle; else low = middle + 1;
    }
    if (length > (1u << 20)) find_(vm, V_MEMORY);
    made = new_object(vm, K_STRING, length); /* text is never inside of m where it may move: see vm->text */
    memcpy(&FIELD(made, 0), text, (size_t)length * sizeof(W));
    return made;
}

/* Texts are put together in vm->text. */
static void text_start(machine *vm) { vm->text_length = 0; }
static void text_add(machine *vm, const uint32_t *more, uint32_t length) {
    if (vm->text_length + length > vm->text_room) vm->text = larger(vm, vm->text, &vm->text_room, vm->text_length + length, 4);
    memcpy(vm->text + vm->text_length, more, (size_t)length * 4);
    vm->text_length += length;
}
static void text_letter(machine *vm, uint32_t letter) { text_add(vm, &letter, 1); }
static void text_ascii(machine *vm, const char *s) { while (*s) text_letter(vm, (uint32_t)(unsigned char)*s++); }
static void text_of(machine *vm, uint32_t number) { text_add(vm, texts + text_first[number], text_first[number + 1] - text_first[number]); }
static void text_number(machine *vm, int64_t n) {
    char digits[24];
    int at = 23;
    uint64_t rest = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
    digits[at] = 0;
    do { digits[--at] = (char)('0' + rest % 10); rest /= 10; } while (rest);
    if (n < 0) digits[--at] = '-';
    text_ascii(vm, digits + at);
}
static W text_made(machine *vm) { return make_string(vm, vm->text, vm->text_length); }

/* --- exceptions that the machine raises --- */

static W new_instance(machine *vm, uint32_t number) {
    W made = new_object(vm, K_INSTANCE, 1 + class_slots[number]);
    FIELD(made, 0) = SMALL(number);
    return made;
}
static W make_error(machine *vm, uint32_t number, W argument, int has) {
    W made = new_instance(vm, number), values = new_object(vm, K_TUPLE, has ? 1u : 0u);
    if (has) FIELD(values, 0) = argument;
    FIELD(made, 1 + slot_of[number * NAMES + N_args]) = values;
    if (number == KNOWN_StopIteration) FIELD(made, 1 + slot_of[number * NAMES + N_value]) = has ? argument : NONE;
    return made;
}
static void raise_value(machine *vm, uint32_t number, W argument) { vm->error = make_error(vm, number, argument, 1); longjmp(vm->jump, RAISED); }
/* The text is in vm->text. Python makes the text before the exception, and texts have no numbers. */
static void raise_text(machine *vm, uint32_t number) { raise_value(vm, number, text_made(vm)); }
static void raise_(machine *vm, uint32_t number, const char *message) { text_start(vm); text_ascii(vm, message); raise_text(vm, number); }

/* --- what more than one thread can reach --- */

static INLINE void work_push(machine *vm, uint32_t *count, W w) {
    if (*count == vm->work_room) vm->work = larger(vm, vm->work, &vm->work_room, *count + 1, sizeof(W));
    vm->work[(*count)++] = w;
}
static void share_pending(machine *vm, W *m, uint32_t count) {
    while (count) {
        uint32_t at = vm->work[--count] >> 2, i, size;
        int kind = (int)KIND(m[at]);
        if (at < vm->kept || (m[at] & SHARED)) continue;
        size = SIZE(m[at]);
        m[at] |= SHARED;
        if (kind == K_INTEGER || kind == K_STRING) continue;
        for (i = 0; i < size; i++) {
            W w = m[at + HEAD_WORDS + i];
            if (IS_REF(w)) work_push(vm, &count, w);
        }
    }
}
static INLINE void share(machine *vm, W w) {
    uint32_t count = 0;
    if (!IS_REF(w) || is_shared(vm, w)) return;
    work_push(vm, &count, w);
    share_pending(vm, vm->m, count);
}
