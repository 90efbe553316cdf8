/* One state whose only step takes for ever, unless it is asked to stop.
 * It uses a context. */
#include "model.h"
#include <stdlib.h>

static void *context_new(const kripke_model *self) { (void)self; return malloc(1000); }
static void context_free(void *context) { free(context); }

static void initial(kripke_sink *sink) {
    sink->out[0] = 0;
    sink->emit(sink, 1, 0);
}

static void successors(const uint8_t *state, uint32_t length, kripke_sink *sink) {
    (void)state, (void)length;
    ((char *)sink->context)[999] = 1;
    while (!*sink->stop)
        ;
}

static int valid_end(const uint8_t *state, uint32_t length) {
    (void)state, (void)length;
    return 0;
}

static const kripke_model model = {
    KRIPKE_ABI, 1, 1, 0, 0, 0, "slow", context_new, context_free, initial, successors, valid_end, 0};

const kripke_model *kripke_model_entry(void) { return &model; }
