/* COUNT initial states, each handed over twice, and one common end. */
#include "model.h"
#include <string.h>

#ifndef COUNT
#define COUNT 1000
#endif

static void write(kripke_sink *sink, uint32_t value) {
    memcpy(sink->out, &value, 4);
    sink->emit(sink, 4, 0);
}

static void initial(kripke_sink *sink) {
    uint32_t i;
    for (i = 0; i < 2 * COUNT; i++)
        write(sink, i / 2);
}

static void successors(const uint8_t *state, uint32_t length, kripke_sink *sink) {
    uint32_t value;
    (void)length;
    memcpy(&value, state, 4);
    if (value < COUNT)
        write(sink, COUNT);
}

static int valid_end(const uint8_t *state, uint32_t length) {
    (void)state, (void)length;
    return 1;
}

static const kripke_model model = {KRIPKE_ABI, 4, 1, 0, 0, 0, "seeds", 0, 0, initial, successors, valid_end, 0};

const kripke_model *kripke_model_entry(void) { return &model; }
