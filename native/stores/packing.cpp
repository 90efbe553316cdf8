#include "stores/packing.h"

#include "memory/varint.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace kripke {

static_assert(std::endian::native == std::endian::little, "packing reads states as little-endian words");

namespace {

/* In every byte, all bits below the highest one that is set: a field that
 * reached 4 will see 5 to 7 as well. */
uint64_t fill_down(uint64_t word) {
    word |= (word >> 1) & 0x7f7f7f7f7f7f7f7fu;
    word |= (word >> 2) & 0x3f3f3f3f3f3f3f3fu;
    word |= (word >> 4) & 0x0f0f0f0f0f0f0f0fu;
    return word;
}

} // namespace

Packing::Packing(Budget &budget, bool bit_instructions)
    : budget_(budget), plans_(1), has_bit_instructions_(bit_instructions && bit_instructions_are_fast()) {}

uint32_t Packing::widen_for(const uint8_t *state, uint32_t length) {
    const uint32_t current = plan_for(length);
    const uint64_t word_bytes = sizeof(Word) + (has_bit_instructions_ ? 0 : sizeof(BitMoves));
    const uint64_t cost = sizeof(Plan) + (length + 7) / 8 * word_bytes + ShortPlan::cost(length, has_bit_instructions_);
    if (bytes_ + cost > most_bytes || !budget_.take(cost))
        return unpacked;
    bytes_ += cost;
    return add(make_plan(state, length, current == unpacked ? nullptr : &plans_[current]));
}

uint32_t Packing::add(Plan plan) {
    const uint32_t length = plan.length;
    const auto number = static_cast<uint32_t>(plans_.size());
    uint8_t prefix[8] = {};
    const auto prefix_bits = static_cast<uint32_t>(8 * (put_varint(prefix, number) - prefix));
    std::vector<uint64_t> reference, mask;
    for (const Word &word : plan.words) {
        reference.push_back(word.reference);
        mask.push_back(word.mask);
    }
    plan.short_plan = ShortPlan(load_word(prefix), prefix_bits, length, reference, mask, has_bit_instructions_);
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
        const uint64_t here = whole ? load_word(state + 8 * i) : load_tail(state, length, tail);
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
            take(i, load_word(state + 8 * i));
        if (plan.length % 8 != 0)
            take(whole, load_tail(state, plan.length, plan.length % 8));
    };
    if (plan.packed_bytes <= 8) {
        uint64_t all = 0;
        each_word([&](const Word &word, uint64_t bits) { all |= bits << word.start; });
        store_word(packed, all);
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
        const uint64_t all = load_word(packed);
        for (size_t i = 0; i < count; ++i)
            store_word(state + 8 * i, plan.words[i].reference ^ scatter(all >> plan.words[i].start, i));
        return;
    }
    BitReader reader{packed};
    for (size_t i = 0; i < count; ++i)
        store_word(state + 8 * i, plan.words[i].reference ^ scatter(reader.get(plan.words[i].width), i));
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
