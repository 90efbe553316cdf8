"""The part of emitted C that is the same for every net: multi-sets, bits, contexts."""

from __future__ import annotations

RUNTIME = """
/* A multi-set: keys ascending, how many of each there are, and how many of these an instance has not taken. */
typedef struct { int64_t *key; uint64_t *count, *left; uint32_t n, room; } bag;

typedef struct {
    bag here[PLACES + 1];  /* the marking a step starts from */
    bag there[PLACES + 1]; /* of the places that a step changes */
    bag extra[BAGS + 1];   /* values of terms */
    const bag *view[PLACES + 1];
    uint32_t *order;
    uint32_t order_room;
    uint64_t sets; /* fairness sets that the instance belongs to */
    int failed;    /* out of memory */
} context;

#define MOST_COPIES UINT64_C(4294967295)

static int bag_room(context *c, bag *b, uint32_t room) {
    if (room <= b->room)
        return 1;
    uint32_t wanted = b->room ? b->room : 8;
    while (wanted < room)
        wanted *= 2;
    int64_t *const key = realloc(b->key, wanted * sizeof *key);
    if (key) b->key = key;
    uint64_t *const count = realloc(b->count, wanted * sizeof *count);
    if (count) b->count = count;
    uint64_t *const left = realloc(b->left, wanted * sizeof *left);
    if (left) b->left = left;
    if (!key || !count || !left) {
        c->failed = 1;
        return 0;
    }
    b->room = wanted;
    return 1;
}

/* Where a key is, or where it belongs. */
static inline uint32_t bag_place(const bag *b, int64_t key) {
    uint32_t low = 0, high = b->n;
    if (high < 8) {
        while (low < high && b->key[low] < key)
            low++;
        return low;
    }
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (b->key[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static inline int64_t bag_find(const bag *b, int64_t key) {
    const uint32_t at = bag_place(b, key);
    return at < b->n && b->key[at] == key ? (int64_t)at : -1;
}

static inline uint64_t bag_count(const bag *b, int64_t key) {
    const int64_t at = bag_find(b, key);
    return at < 0 ? 0 : b->count[at];
}

/* Add copies, at least one; 0 where there would be too many. */
static int bag_add(context *c, bag *b, int64_t key, uint64_t copies) {
    const uint32_t at = bag_place(b, key);
    if (at < b->n && b->key[at] == key) {
        b->count[at] += copies;
        return b->count[at] <= MOST_COPIES;
    }
    if (copies > MOST_COPIES)
        return 0;
    if (!bag_room(c, b, b->n + 1))
        return 1;
    memmove(b->key + at + 1, b->key + at, (b->n - at) * sizeof *b->key);
    memmove(b->count + at + 1, b->count + at, (b->n - at) * sizeof *b->count);
    b->key[at] = key;
    b->count[at] = copies;
    b->n++;
    return 1;
}

static inline uint64_t saturated(uint64_t a, uint64_t b) {
    const uint64_t most = MOST_COPIES + 1;
    return a > most || b > most || a * b > most ? most : a * b;
}

static uint64_t bag_total(const bag *b) {
    uint64_t total = 0;
    for (uint32_t i = 0; i < b->n; i++)
        total += b->count[i];
    return total;
}

static inline int bag_equal(const bag *a, const bag *b) {
    if (a->n != b->n)
        return 0;
    for (uint32_t i = 0; i < a->n; i++)
        if (a->key[i] != b->key[i] || a->count[i] != b->count[i])
            return 0;
    return 1;
}

static inline int bag_subset(const bag *a, const bag *b) {
    for (uint32_t i = 0; i < a->n; i++)
        if (a->count[i] > bag_count(b, a->key[i]))
            return 0;
    return 1;
}

static inline uint64_t bag_most(const bag *b) {
    uint64_t most = 0;
    for (uint32_t i = 0; i < b->n; i++)
        if (b->count[i] > most)
            most = b->count[i];
    return most;
}

static inline uint64_t bag_least(const bag *b) {
    uint64_t least = MOST_COPIES;
    for (uint32_t i = 0; i < b->n; i++)
        if (b->count[i] < least)
            least = b->count[i];
    return least;
}

/* What an instance has left of a place. */
static void bag_rest(context *c, bag *to, const bag *from) {
    to->n = 0;
    if (!bag_room(c, to, from->n))
        return;
    for (uint32_t i = 0; i < from->n; i++)
        if (from->left[i]) {
            to->key[to->n] = from->key[i];
            to->count[to->n++] = from->left[i];
        }
}

/* ---- bits, the least significant of each byte first ---- */

typedef struct { uint8_t *out; uint64_t held; uint32_t holds, length; } writer;
typedef struct { const uint8_t *in; uint32_t length, at; } reader;

static inline uint32_t bits_of(uint64_t number) { /* that tell so many things apart */
    uint32_t bits = 0;
    for (uint64_t rest = number ? number - 1 : 0; rest; rest >>= 1)
        bits++;
    return bits;
}

/* 0 where the state gets too long. */
static int put(writer *w, uint64_t number, uint32_t width) {
    while (width) {
        const uint32_t part = width < 32 ? width : 32;
        w->held |= (number & ((UINT64_C(1) << part) - 1)) << w->holds;
        w->holds += part;
        number = part < 64 ? number >> part : 0;
        width -= part;
        while (w->holds >= 8) {
            if (w->length >= LONGEST)
                return 0;
            w->out[w->length++] = (uint8_t)w->held;
            w->held >>= 8;
            w->holds -= 8;
        }
    }
    return 1;
}

static uint64_t get(reader *r, uint32_t width) {
    uint64_t number = 0;
    uint32_t done = 0;
    while (done < width) {
        const uint32_t byte = r->at / 8, shift = r->at % 8;
        const uint32_t part = width - done < 8 - shift ? width - done : 8 - shift;
        const uint64_t piece = byte < r->length ? (r->in[byte] >> shift) & ((1u << part) - 1) : 0;
        number |= piece << done;
        done += part;
        r->at += part;
    }
    return number;
}

/* How a place is written: the numbers of tokens it may hold (none: any), and its values. */
typedef struct { uint64_t low, high; } range;
typedef struct {
    const range *capacity;
    uint32_t ranges, count_bits, value_bits;
    int empty_bit;
    int64_t (*index)(int64_t key);
    int64_t (*key)(int64_t index);
} shape;

static const uint32_t count_first[5] = {0, 1, 9, 265, 65801};
static const uint32_t count_follow[5] = {0, 3, 8, 16, 32};
static const uint32_t count_width[5] = {1, 2, 3, 4, 4};
static const uint32_t count_prefix[5] = {0, 1, 3, 7, 15};

static int holds(const shape *s, uint64_t total) {
    for (uint32_t i = 0; i < s->ranges; i++)
        if (s->capacity[i].low <= total && total <= s->capacity[i].high)
            return 1;
    return s->capacity == 0;
}

static int write_count(writer *w, const shape *s, uint64_t total) {
    if (!s->capacity) {
        uint32_t code = 4;
        while (total < count_first[code])
            code--;
        return put(w, count_prefix[code], count_width[code]) && put(w, total - count_first[code], count_follow[code]);
    }
    if (s->empty_bit) {
        if (!put(w, total > 0, 1))
            return 0;
        if (!total)
            return 1;
    }
    uint64_t before = 0;
    for (uint32_t i = 0; i < s->ranges; i++) {
        if (s->capacity[i].low <= total && total <= s->capacity[i].high)
            return put(w, before + total - s->capacity[i].low, s->count_bits);
        before += s->capacity[i].high - s->capacity[i].low + 1;
    }
    return 0;
}

static uint64_t read_count(reader *r, const shape *s) {
    if (!s->capacity) {
        uint32_t code = 0;
        while (code < 4 && get(r, 1))
            code++;
        return count_first[code] + get(r, count_follow[code]);
    }
    if (s->empty_bit && !get(r, 1))
        return 0;
    uint64_t position = get(r, s->count_bits);
    for (uint32_t i = 0; i < s->ranges; i++) {
        const uint64_t size = s->capacity[i].high - s->capacity[i].low + 1;
        if (position < size)
            return s->capacity[i].low + position;
        position -= size;
    }
    return 0;
}

static int write_bag(context *c, writer *w, const shape *s, const bag *b) {
    uint64_t total = bag_total(b);
    if (!write_count(w, s, total))
        return 0;
    if (!total)
        return 1;
    uint32_t kinds = b->n;
    if (!put(w, kinds - 1, bits_of(total)))
        return 0;
    if (kinds == 1)
        return put(w, (uint64_t)s->index(b->key[0]), s->value_bits);
    if (kinds > c->order_room) {
        uint32_t *const order = realloc(c->order, 2 * kinds * sizeof *order);
        if (!order) {
            c->failed = 1;
            return 0;
        }
        c->order = order;
        c->order_room = 2 * kinds;
    }
    for (uint32_t i = 0; i < kinds; i++) {
        uint32_t at = i;
        for (; at && b->count[c->order[at - 1]] < b->count[i]; at--)
            c->order[at] = c->order[at - 1];
        c->order[at] = i;
    }
    for (uint32_t i = 0; i < b->n; i++, kinds--) {
        const uint64_t low = (total + kinds - 1) / kinds, high = total - kinds + 1, count = b->count[c->order[i]];
        if (high > low && !put(w, count - low, bits_of(high - low + 1)))
            return 0;
        if (!put(w, (uint64_t)s->index(b->key[c->order[i]]), s->value_bits))
            return 0;
        total -= count;
    }
    return 1;
}

static void read_bag(context *c, reader *r, const shape *s, bag *b) {
    uint64_t total = read_count(r, s);
    b->n = 0;
    if (!total)
        return;
    uint64_t kinds = get(r, bits_of(total)) + 1;
    if (!bag_room(c, b, (uint32_t)kinds))
        return;
    while (kinds) {
        const uint64_t low = (total + kinds - 1) / kinds, high = total - kinds + 1;
        const uint64_t count = low + (high > low ? get(r, bits_of(high - low + 1)) : 0);
        bag_add(c, b, s->key((int64_t)get(r, s->value_bits)), count);
        total -= count;
        kinds--;
    }
}

static void context_free(void *memory) {
    context *const c = memory;
    if (!c)
        return;
    bag *const groups[3] = {c->here, c->there, c->extra};
    const uint32_t sizes[3] = {PLACES + 1, PLACES + 1, BAGS + 1};
    for (uint32_t g = 0; g < 3; g++)
        for (uint32_t i = 0; i < sizes[g]; i++) {
            free(groups[g][i].key);
            free(groups[g][i].count);
            free(groups[g][i].left);
        }
    free(c->order);
    free(c);
}

static void *context_new(const kripke_model *self) {
    (void)self;
    return calloc(1, sizeof(context) + 128); /* no line of the cache for two threads */
}
"""

#: which fairness sets have an enabled instance: all steps of a state, of which only the sets are looked at
COLLECTING = """
typedef struct { kripke_sink sink; uint64_t sets; } collector;

static void collect(kripke_sink *sink, uint32_t length, uint32_t label) {
    (void)length, (void)label;
    for (uint32_t i = 0; i < WIDTH; i++)
        ((collector *)sink)->sets |= (uint64_t)sink->out[i] << 8 * i;
}

static void overlook(kripke_sink *sink, uint32_t code, uint32_t label) {
    (void)sink, (void)code, (void)label;
}

static uint64_t enabled_sets(context *c, uint32_t labels) {
    static const volatile uint32_t never = 0;
    collector all = {{0}, 0};
    all.sink.out = malloc(LONGEST + WIDTH);
    all.sink.covered = calloc(labels, 1);
    all.sink.emit = collect;
    all.sink.report = overlook;
    all.sink.stop = &never;
    all.sink.context = c;
    if (all.sink.out && all.sink.covered)
        steps(c, &all.sink);
    free(all.sink.out);
    free(all.sink.covered);
    return all.sets;
}
"""
