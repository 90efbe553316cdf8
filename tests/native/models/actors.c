/* In the first state actor 0 may stay there for ever, while actor LAST could go to the second, where
 * nobody moves. TOGETHER: actor LAST takes part in the step of actor 0. */
#include "model.h"

static const uint32_t last = LAST;

static void initial(kripke_sink *sink) {
    sink->out[0] = 0;
    sink->emit(sink, 1, 0);
}

static void successors(const uint8_t *state, uint32_t length, kripke_sink *sink) {
    const kripke_partners nobody = {{0, 0, 0, 0}};
    (void)length;
    if (state[0] != 0)
        return;
    sink->actor = 0;
#ifdef TOGETHER
    if (last < 256) {
        sink->partners.bits[last >> 6] |= (uint64_t)1 << (last & 63);
    } else {
        sink->more_partners = &last;
        sink->more_partner_count = 1;
    }
#endif
    sink->out[0] = 0;
    sink->emit(sink, 1, 0);
    sink->partners = nobody;
    sink->more_partner_count = 0;
    sink->actor = last;
    sink->out[0] = 1;
    sink->emit(sink, 1, 1);
}

static int valid_end(const uint8_t *state, uint32_t length) {
    (void)state, (void)length;
    return 1;
}

static const kripke_model model = {KRIPKE_ABI, 1, 2, 0, 0, 0, "actors", 0, 0, initial, successors, valid_end, 0};

const kripke_model *kripke_model_entry(void) { return &model; }
