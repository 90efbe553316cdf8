/* A counter that grows for ever, eight bytes and PADDING more that never change. */
#include "model.h"
#include <string.h>

#ifndef PADDING
#define PADDING 0
#endif

static void write(kripke_sink *sink, uint64_t value) {
    memset(sink->out, 7, 8 + PADDING);
    memcpy(sink->out, &value, 8);
    sink->emit(sink, 8 + PADDING, 0);
}

static void initial(kripke_sink *sink) { write(sink, 0); }

/* Two steps, so that breadth-first layers grow. */
static void successors(const uint8_t *state, uint32_t length, kripke_sink *sink) {
    uint64_t value;
    (void)length;
    memcpy(&value, state, 8);
    write(sink, 2 * value + 1);
    write(sink, 2 * value + 2);
}

static int valid_end(const uint8_t *state, uint32_t length) {
    (void)state, (void)length;
    return 1;
}

static const kripke_model model = {KRIPKE_ABI, 8 + PADDING, 1, 0, 0, 0, "counter", 0, 0, initial, successors, valid_end, 0};

const kripke_model *kripke_model_entry(void) { return &model; }
