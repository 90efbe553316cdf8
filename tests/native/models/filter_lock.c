/* The filter lock for N processes, one byte per variable: level[N], victim[N]
 * (entry 0 unused), and of each process its place, its level variable and the
 * process it looks at. A process at level l waits while some other is at l or
 * above and it is the victim; the others are looked at one by one.
 * Atom 0: at most one process is in its critical section. */
#include "model.h"
#include <string.h>

#ifndef N
#define N 4
#endif

enum { IDLE, SET_LEVEL, SET_VICTIM, LOOK, CRITICAL };

/* level 0..N-1, victim 0..N-1, place 0..N-1, at 0..N-1, other 0..N-1 */
#define LEVEL(p) (p)
#define VICTIM(l) (N + (l))
#define PLACE(p) (2 * N + (p))
#define AT(p) (3 * N + (p))
#define OTHER(p) (4 * N + (p))
#define SIZE (5 * N)

static void initial(kripke_sink *sink) {
    memset(sink->out, 0, SIZE);
    sink->emit(sink, SIZE, 0);
}

static void next_level(uint8_t *s, unsigned p) {
    if (++s[AT(p)] == N) {
        s[PLACE(p)] = CRITICAL;
        s[AT(p)] = s[OTHER(p)] = 0;
    } else {
        s[PLACE(p)] = SET_LEVEL;
        s[OTHER(p)] = 0;
    }
}

static void step(const uint8_t *state, unsigned p, kripke_sink *sink) {
    uint8_t *s = sink->out;
    unsigned q = state[OTHER(p)];
    if (state[PLACE(p)] == LOOK && q != p && state[LEVEL(q)] >= state[AT(p)] && state[VICTIM(state[AT(p)])] == p)
        return; /* waits */
    memcpy(s, state, SIZE);
    switch (state[PLACE(p)]) {
    case IDLE:
        s[AT(p)] = 1;
        s[PLACE(p)] = SET_LEVEL;
        break;
    case SET_LEVEL:
        s[LEVEL(p)] = s[AT(p)];
        s[PLACE(p)] = SET_VICTIM;
        break;
    case SET_VICTIM:
        s[VICTIM(s[AT(p)])] = (uint8_t)p;
        s[PLACE(p)] = LOOK;
        s[OTHER(p)] = 0;
        break;
    case LOOK:
        if (++s[OTHER(p)] == N)
            next_level(s, p);
        break;
    case CRITICAL:
        s[LEVEL(p)] = 0;
        s[PLACE(p)] = IDLE;
        break;
    }
    sink->covered[state[PLACE(p)]] = 1;
    sink->emit(sink, SIZE, state[PLACE(p)]);
}

static void successors(const uint8_t *state, uint32_t length, kripke_sink *sink) {
    unsigned p;
    (void)length;
    for (p = 0; p < N; p++)
        step(state, p, sink);
}

static int valid_end(const uint8_t *state, uint32_t length) {
    (void)state, (void)length;
    return 0;
}

static void atoms(const uint8_t *state, uint32_t length, uint64_t *truth) {
    unsigned p, inside = 0;
    (void)length;
    for (p = 0; p < N; p++)
        inside += state[PLACE(p)] == CRITICAL;
    truth[0] = inside <= 1;
}

static const kripke_model model = {KRIPKE_ABI, SIZE, 5, 0, 1, 0, "filter lock", 0, 0, initial, successors, valid_end, atoms, 0, 0, 0, 0};

const kripke_model *kripke_model_entry(void) { return &model; }
