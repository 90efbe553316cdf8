#include "stores/short_plan.h"

#include <algorithm>
#include <bit>

namespace kripke {

namespace {

/* The lowest `count` bits that are set. */
uint64_t lowest(uint64_t mask, uint32_t count) {
    uint64_t rest = mask;
    for (; count > 0; --count)
        rest &= rest - 1;
    return mask ^ rest;
}

/* How a word of the plan is read: with the bytes before it where it is incomplete. */
struct Place {
    Place(uint32_t word, uint32_t length)
        : offset(8 * word + 8 <= length ? 8 * word : std::max(length, 8u) - 8), shift(8 * (8 * word - offset)) {}
    uint32_t offset;
    uint32_t shift;
};

} // namespace

ShortPlan::ShortPlan(uint64_t prefix, uint32_t prefix_bits, uint32_t length, const std::vector<uint64_t> &reference,
                     const std::vector<uint64_t> &mask, bool bit_instructions) {
    uint64_t bits = prefix_bits;
    for (const uint64_t kept : mask)
        bits += static_cast<uint64_t>(std::popcount(kept));
    if (bits > 8 * ShortRecord::most_bytes)
        return;
    words_ = static_cast<uint32_t>((bits + 63) / 64);
    shape_.bytes = static_cast<uint32_t>((bits + 7) / 8);
    shape_.last_mask = ~uint64_t{0} >> (8 * (8 * words_ - shape_.bytes));
    base_[0] = prefix;

    uint32_t at = prefix_bits;
    for (uint32_t i = 0; i < mask.size(); ++i) {
        const Place place(i, length);
        for (uint64_t left = mask[i]; left != 0;) {
            const uint32_t word = at / 64, shift = at % 64;
            const uint64_t taken = lowest(left, std::min<uint32_t>(64 - shift, static_cast<uint32_t>(std::popcount(left))));
            left ^= taken;
            parts_.push_back({taken << place.shift, place.offset, shift});
            base_[word] ^= BitMoves(taken).gather(reference[i]) << shift;
            ends_[word] = static_cast<uint32_t>(parts_.size());
            at += static_cast<uint32_t>(std::popcount(taken));
        }
    }
    for (uint32_t i = 1; i < ShortRecord::most_words; ++i)
        ends_[i] = std::max(ends_[i], ends_[i - 1]);

    std::vector<uint8_t> references(length + slack), fixed(length + slack);
    for (uint32_t i = 0; i < mask.size(); ++i) {
        const uint64_t free = ~mask[i];
        const uint32_t count = std::min(8u, length - 8 * i);
        std::memcpy(references.data() + 8 * i, &reference[i], count);
        std::memcpy(fixed.data() + 8 * i, &free, count);
    }
    for (uint32_t start = 0; start == 0 || start < length; start += 16) {
        Check check;
        check.offset = std::min(start, std::max(length, 16u) - 16);
        std::memcpy(&check.reference, references.data() + check.offset, sizeof check.reference);
        std::memcpy(&check.fixed, fixed.data() + check.offset, sizeof check.fixed);
        checks_.push_back(check);
    }
    if (!bit_instructions)
        for (const Part &part : parts_)
            moves_.emplace_back(part.mask);
}

} // namespace kripke
