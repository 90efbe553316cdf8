/* LENGTH states in a row, 0 to LENGTH - 1; the last one is a valid end unless
 * DEADLOCK is defined. */
#include "model.h"

#ifndef LENGTH
#define LENGTH 1000
#endif

static void write(kripke_sink *sink, uint32_t value, uint32_t label) {
    unsigned i;
    for (i = 0; i < 4; i++)
        sink->out[i] = (uint8_t)(value >> 8 * i);
    sink->emit(sink, 4, label);
}

static uint32_t read(const uint8_t *s) { return s[0] | (uint32_t)s[1] << 8 | (uint32_t)s[2] << 16 | (uint32_t)s[3] << 24; }

static void initial(kripke_sink *sink) { write(sink, 0, 0); }

static void successors(const uint8_t *state, uint32_t length, kripke_sink *sink) {
    (void)length;
    if (read(state) + 1 < LENGTH)
        write(sink, read(state) + 1, 0);
}

static int valid_end(const uint8_t *state, uint32_t length) {
    (void)state, (void)length;
#ifdef DEADLOCK
    return 0;
#else
    return 1;
#endif
}

static const kripke_model model = {KRIPKE_ABI, 4, 1, 0, 0, 0, "chain", 0, 0, initial, successors, valid_end, 0};

const kripke_model *kripke_model_entry(void) { return &model; }
