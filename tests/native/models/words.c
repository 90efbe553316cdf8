/* All words over LETTERS letters of at most LONGEST letters; a step adds a
 * letter, or takes the last one away. The states are the words themselves, the
 * empty one included, so their lengths vary from 0 to LONGEST.
 * Sum of LETTERS^i, i = 0..LONGEST, states; every word but the empty one is
 * entered from its prefix and left to it again. */
#include "model.h"
#include <string.h>

#ifndef LETTERS
#define LETTERS 3
#endif
#ifndef LONGEST
#define LONGEST 6
#endif

static void initial(kripke_sink *sink) { sink->emit(sink, 0, 0); }

static void successors(const uint8_t *state, uint32_t length, kripke_sink *sink) {
    unsigned letter;
    for (letter = 0; length < LONGEST && letter < LETTERS; letter++) {
        memcpy(sink->out, state, length);
        sink->out[length] = (uint8_t)('a' + letter);
        sink->covered[0] = 1;
        sink->emit(sink, length + 1, 0);
    }
    if (length > 0) {
        memcpy(sink->out, state, length - 1);
        sink->covered[1] = 1;
        sink->emit(sink, length - 1, 1);
    }
}

static int valid_end(const uint8_t *state, uint32_t length) {
    (void)state, (void)length;
    return 0;
}

/* MAX may be made larger than any word, to see that room costs nothing. */
#ifndef MAX
#define MAX (LONGEST > 0 ? LONGEST : 1)
#endif

static const kripke_model model = {KRIPKE_ABI, MAX, 2, 0, 0, 0, "words", 0, 0, initial, successors, valid_end, 0};

const kripke_model *kripke_model_entry(void) { return &model; }
