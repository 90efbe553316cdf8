/* A graph given by tables, which a test fills in (graph_set). A state is the
 * number of a node, written in 2 to 39 bytes depending on the number. Of every
 * node: what it reports, then its edges, then -1 in the first column. */
#include "model.h"

#define MAX_LENGTH 40
#define LABELS 8
#define CODES 8
#define ATOMS 70 /* more than fit into one word of truth */

static const int32_t *initials;         /* nodes, then -1 */
static const int32_t *first;            /* of each node: its first row in `rows` */
static const int32_t (*rows)[3];        /* kind (0 edge, 1 report), target or code, label */
static const uint8_t *ends;             /* of each node: is it a valid end? */
static const uint64_t (*truths)[2];     /* of each node: its atoms */

void graph_set(const int32_t *i, const int32_t *f, const int32_t *r, const uint8_t *e, const uint64_t *t) {
    initials = i;
    first = f;
    rows = (const int32_t(*)[3])r;
    ends = e;
    truths = (const uint64_t(*)[2])t;
}

static uint32_t write(uint8_t *out, int32_t node) {
    uint32_t i, length = 2u + (uint32_t)node * 7u % 38u;
    out[0] = (uint8_t)node;
    out[1] = (uint8_t)(node >> 8);
    for (i = 2; i < length; i++)
        out[i] = (uint8_t)(i * 5);
    return length;
}

static int32_t read(const uint8_t *state) { return state[0] | state[1] << 8; }

static void initial(kripke_sink *sink) {
    int i;
    for (i = 0; initials[i] >= 0; i++)
        sink->emit(sink, write(sink->out, initials[i]), 0);
}

static void successors(const uint8_t *state, uint32_t length, kripke_sink *sink) {
    const int32_t(*row)[3] = rows + first[read(state)];
    (void)length;
    for (; (*row)[0] >= 0; row++) {
        sink->covered[(*row)[2]] = 1;
        sink->actor = (uint32_t)(*row)[2]; /* as many processes as labels */
        if ((*row)[0] == 1)
            sink->report(sink, (uint32_t)(*row)[1], (uint32_t)(*row)[2]);
        else
            sink->emit(sink, write(sink->out, (*row)[1]), (uint32_t)(*row)[2]);
    }
}

static int valid_end(const uint8_t *state, uint32_t length) {
    (void)length;
    return ends[read(state)];
}

static void atoms(const uint8_t *state, uint32_t length, uint64_t *truth) {
    (void)length;
    truth[0] = truths[read(state)][0];
    truth[1] = truths[read(state)][1];
}

static const kripke_model model = {
    KRIPKE_ABI, MAX_LENGTH, LABELS, CODES, ATOMS, 0, "graph", 0, 0, initial, successors, valid_end, atoms, 0, 0, 0, 0, 0};

const kripke_model *kripke_model_entry(void) { return &model; }
