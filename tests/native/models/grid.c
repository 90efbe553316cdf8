/* A walk on a grid of DIMENSIONS axes of SIDE places each, from the origin, one
 * place along one axis at a time, both ways round (a torus): SIDE^DIMENSIONS
 * states, 2 * DIMENSIONS * states + 1 transitions. Two bytes per axis.
 * Atoms: 0 = not at the far corner (SIDE / 2 everywhere), 1 = true. */
#include "model.h"
#include <string.h>

#ifndef SIDE
#define SIDE 10
#endif
#ifndef DIMENSIONS
#define DIMENSIONS 3
#endif

static unsigned get(const uint8_t *s, unsigned axis) { return s[2 * axis] | (unsigned)s[2 * axis + 1] << 8; }

static void put(uint8_t *s, unsigned axis, unsigned value) {
    s[2 * axis] = value & 255;
    s[2 * axis + 1] = value >> 8;
}

static void initial(kripke_sink *sink) {
    memset(sink->out, 0, 2 * DIMENSIONS);
    sink->emit(sink, 2 * DIMENSIONS, 0);
}

static void successors(const uint8_t *state, uint32_t length, kripke_sink *sink) {
    unsigned axis, direction;
    for (axis = 0; axis < DIMENSIONS; axis++)
        for (direction = 0; direction < 2; direction++) {
            unsigned label = 2 * axis + direction;
            memcpy(sink->out, state, length);
            put(sink->out, axis, (get(state, axis) + (direction ? SIDE - 1 : 1)) % SIDE);
            sink->covered[label] = 1;
            sink->emit(sink, length, label);
        }
}

static int valid_end(const uint8_t *state, uint32_t length) {
    (void)state, (void)length;
    return 0;
}

static void atoms(const uint8_t *state, uint32_t length, uint64_t *truth) {
    unsigned axis, far = 1;
    (void)length;
    for (axis = 0; axis < DIMENSIONS; axis++)
        far &= get(state, axis) == SIDE / 2;
    truth[0] = (uint64_t)!far | 2;
}

static const kripke_model model = {
    KRIPKE_ABI, 2 * DIMENSIONS, 2 * DIMENSIONS, 0, 2, 0, "grid", 0, 0, initial, successors, valid_end, atoms, 0, 0, 0, 0};

const kripke_model *kripke_model_entry(void) { return &model; }
