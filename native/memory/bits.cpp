#include "memory/bits.h"

#include <algorithm>
#include <chrono>

namespace kripke {

#ifdef KRIPKE_BMI2
/* Some machines have the instructions but take hundreds of cycles for them: the
 * only way to know is to try. */
bool bit_instructions_are_fast() {
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("bmi2"))
        return false;
    using clock = std::chrono::steady_clock;
    auto best = clock::duration::max();
    volatile uint64_t sink = 0;
    for (int attempt = 0; attempt < 3; ++attempt) {
        const auto start = clock::now();
        uint64_t word = 0x123456789abcdefu;
        for (int i = 0; i < 256; ++i)
            word += pext(word, 0x0f0f3f010307ffffu + word);
        sink = sink + word;
        best = std::min(best, clock::now() - start);
    }
    return best < std::chrono::microseconds(4);
}
#else
bool bit_instructions_are_fast() { return false; }
#endif

BitMoves::BitMoves(uint64_t kept) : mask(kept) {
    uint64_t left = kept;
    uint64_t gaps = ~kept << 1; /* bit i: is the number of dropped bits below i odd, after prefix xor */
    for (unsigned i = 0; i < 6; ++i) {
        uint64_t parity = gaps;
        for (unsigned shift = 1; shift < 64; shift *= 2)
            parity ^= parity << shift;
        moves[i] = parity & left;
        left = (left ^ moves[i]) | (moves[i] >> (1u << i));
        gaps &= ~parity;
    }
}

} // namespace kripke
