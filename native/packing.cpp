#include "packing.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <chrono>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define KRIPKE_BMI2 1
#endif

namespace kripke {

static_assert(std::endian::native == std::endian::little, "packing reads states as little-endian words");

namespace {

uint64_t load(const uint8_t *at) {
    uint64_t word;
    std::memcpy(&word, at, sizeof word);
    return word;
}

void store(uint8_t *at, uint64_t word) { std::memcpy(at, &word, sizeof word); }

/* In every byte, all bits below the highest one that is set: a field that
 * reached 4 will see 5 to 7 as well. */
uint64_t fill_down(uint64_t word) {
    word |= (word >> 1) & 0x7f7f7f7f7f7f7f7fu;
    word |= (word >> 2) & 0x3f3f3f3f3f3f3f3fu;
    word |= (word >> 4) & 0x0f0f0f0f0f0f0f0fu;
    return word;
}

/* The last, incomplete word of a state, `left` bytes (1 to 7) of it; 0 above. */
uint64_t load_tail(const uint8_t *state, uint32_t length, uint32_t left) {
    if (length >= 8)
        return load(state + length - 8) >> (8 * (8 - left));
    uint64_t word = 0;
    std::memcpy(&word, state + length - left, left);
    return word;
}

/* A string of bits under construction. */
struct BitWriter {
    uint8_t *out;
    uint64_t word = 0;
    uint64_t fill = 0; /* bits in `word`, below 64 */

    void put(uint64_t bits, uint64_t width) {
        word |= bits << fill;
        const uint64_t total = fill + width;
        if (total >= 64) {
            store(out, word);
            out += 8;
            word = fill == 0 ? 0 : bits >> (64 - fill);
            fill = total - 64;
        } else {
            fill = total;
        }
    }

    void finish() { store(out, word); }
};

/* Reads a string of bits. */
struct BitReader {
    const uint8_t *in;
    uint64_t at = 0; /* bit */

    /* At least `width` bits, the rest is garbage above them. */
    uint64_t get(uint64_t width) {
        const uint8_t *from = in + at / 8;
        const uint64_t shift = at % 8;
        uint64_t bits = load(from) >> shift;
        if (shift + width > 64)
            bits |= uint64_t{from[8]} << (64 - shift);
        at += width;
        return bits;
    }
};

#ifdef KRIPKE_BMI2
/* In assembler, not as intrinsics: those could not be inlined into code that is
 * compiled for machines without them. */
inline uint64_t pext(uint64_t word, uint64_t mask) {
    uint64_t bits;
    __asm__("pextq %2, %1, %0" : "=r"(bits) : "r"(word), "rm"(mask));
    return bits;
}

inline uint64_t pdep(uint64_t bits, uint64_t mask) {
    uint64_t word;
    __asm__("pdepq %2, %1, %0" : "=r"(word) : "r"(bits), "rm"(mask));
    return word;
}

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

} // namespace

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

Packing::Packing(Budget &budget, bool bit_instructions)
    : budget_(budget), plans_(1), has_bit_instructions_(bit_instructions && bit_instructions_are_fast()) {}

uint32_t Packing::widen_for(const uint8_t *state, uint32_t length) {
    const uint32_t current = plan_for(length);
    const uint64_t word_bytes = sizeof(Word) + (has_bit_instructions_ ? 0 : sizeof(BitMoves));
    const uint64_t cost = sizeof(Plan) + (length + 7) / 8 * word_bytes;
    if (bytes_ + cost > most_bytes || !budget_.take(cost))
        return unpacked;
    bytes_ += cost;
    return add(make_plan(state, length, current == unpacked ? nullptr : &plans_[current]));
}

uint32_t Packing::add(Plan plan) {
    const uint32_t length = plan.length;
    const auto number = static_cast<uint32_t>(plans_.size());
    plans_.push_back(std::move(plan));
    if (length >= by_length_.size())
        by_length_.resize(length + 1, unpacked);
    by_length_[length] = number;
    return number;
}

Packing::Plan Packing::make_plan(const uint8_t *state, uint32_t length, const Plan *before) const {
    Plan plan;
    plan.length = length;
    plan.widenings = before ? before->widenings + 1 : 0;
    const uint32_t tail = length % 8;
    uint64_t bits = 0;
    for (uint32_t i = 0; 8 * i < length; ++i) {
        const bool whole = length - 8 * i >= 8;
        const uint64_t valid = whole ? ~uint64_t{0} : (uint64_t{1} << (8 * tail)) - 1;
        const uint64_t here = whole ? load(state + 8 * i) : load_tail(state, length, tail);
        const uint64_t reference = before ? before->words[i].reference : here;
        uint64_t mask = before ? fill_down(before->words[i].mask | (here ^ reference)) : 0;
        if (plan.widenings >= most_widenings)
            mask = valid;
        const auto width = static_cast<uint32_t>(std::popcount(mask));
        const bool first_word = width != 0 && bits < 64;
        plan.words.push_back({reference, mask, width, first_word ? static_cast<uint32_t>(bits) : 0});
        bits += width;
        if (!has_bit_instructions_)
            plan.moves.emplace_back(mask);
    }
    plan.packed_bytes = static_cast<uint32_t>((bits + 7) / 8);
    return plan;
}

/* `gather(word, i)` are the kept bits of word number i. */
template <typename Gather>
inline __attribute__((always_inline)) bool Packing::pack_words(const Plan &plan, const uint8_t *state, uint8_t *packed,
                                                               Gather gather) {
    uint64_t misfit = 0;
    const auto each_word = [&](auto put) {
        const size_t whole = plan.length / 8;
        const auto take = [&](size_t i, uint64_t content) {
            const Word &word = plan.words[i];
            const uint64_t difference = content ^ word.reference;
            misfit |= difference & ~word.mask;
            put(word, gather(difference, i));
        };
        for (size_t i = 0; i < whole; ++i)
            take(i, load(state + 8 * i));
        if (plan.length % 8 != 0)
            take(whole, load_tail(state, plan.length, plan.length % 8));
    };
    if (plan.packed_bytes <= 8) {
        uint64_t all = 0;
        each_word([&](const Word &word, uint64_t bits) { all |= bits << word.start; });
        store(packed, all);
    } else {
        BitWriter writer{packed};
        each_word([&](const Word &word, uint64_t bits) { writer.put(bits, word.width); });
        writer.finish();
    }
    return misfit == 0;
}

/* `scatter(bits, i)` puts bits back to their places in word number i. */
template <typename Scatter>
inline __attribute__((always_inline)) void Packing::unpack_words(const Plan &plan, const uint8_t *packed, uint8_t *state,
                                                                 Scatter scatter) {
    const size_t count = plan.words.size();
    if (plan.packed_bytes <= 8) {
        const uint64_t all = load(packed);
        for (size_t i = 0; i < count; ++i)
            store(state + 8 * i, plan.words[i].reference ^ scatter(all >> plan.words[i].start, i));
        return;
    }
    BitReader reader{packed};
    for (size_t i = 0; i < count; ++i)
        store(state + 8 * i, plan.words[i].reference ^ scatter(reader.get(plan.words[i].width), i));
}

bool Packing::pack_portably(const Plan &plan, const uint8_t *state, uint8_t *packed) {
    return pack_words(plan, state, packed, [&](uint64_t word, size_t i) { return plan.moves[i].gather(word); });
}

void Packing::unpack_portably(const Plan &plan, const uint8_t *packed, uint8_t *state) {
    unpack_words(plan, packed, state, [&](uint64_t bits, size_t i) { return plan.moves[i].scatter(bits); });
}

#ifdef KRIPKE_BMI2
bool Packing::pack_fast(const Plan &plan, const uint8_t *state, uint8_t *packed) {
    const Word *words = plan.words.data();
    return pack_words(plan, state, packed, [words](uint64_t word, size_t i) { return pext(word, words[i].mask); });
}

void Packing::unpack_fast(const Plan &plan, const uint8_t *packed, uint8_t *state) {
    const Word *words = plan.words.data();
    unpack_words(plan, packed, state, [words](uint64_t bits, size_t i) { return pdep(bits, words[i].mask); });
}
#else
bool Packing::pack_fast(const Plan &plan, const uint8_t *state, uint8_t *packed) {
    return pack_portably(plan, state, packed);
}

void Packing::unpack_fast(const Plan &plan, const uint8_t *packed, uint8_t *state) {
    unpack_portably(plan, packed, state);
}
#endif

} // namespace kripke
