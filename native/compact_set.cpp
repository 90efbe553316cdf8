#include "compact_set.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

namespace kripke {

namespace {

constexpr uint64_t most_bytes = uint64_t{1} << 40;

/* How full a set may be. Beyond, a block is full too soon. */
uint64_t capacity_of(uint64_t slots) { return slots / 8 * 7; }

} // namespace

template <class Slot> uint64_t CompactSet<Slot>::lines_for(uint32_t bits, uint64_t keys) {
    uint32_t factor = 4, exponent = first_exponent;
    for (;;) {
        const uint64_t lines = uint64_t{factor} << exponent;
        if (capacity_of(lines * slots_per_line) >= keys && widest_for(lines) >= bits)
            return lines;
        exponent += factor == 7;
        factor = factor == 7 ? 4 : factor + 1;
    }
}

template <class Slot> bool CompactSet<Slot>::reset(uint32_t bits, uint64_t keys) {
    const uint64_t wanted = lines_for(bits, keys);
    const auto exponent = static_cast<uint32_t>(61 - __builtin_clzll(wanted)); /* wanted / 2^exponent is 4 to 7 */
    const auto factor = static_cast<uint32_t>(wanted >> exponent);
    if (region_.data() == nullptr && !region_.reserve(most_bytes, 64))
        return false;
    if (geometry_.factor != 0)
        std::memset(region_.data(), 0, bytes());
    bits_ = bits;
    mixing_ = Mixing(bits);
    return set_lines(factor, exponent);
}

template <class Slot> bool CompactSet<Slot>::set_lines(uint32_t factor, uint32_t exponent) {
    if (!region_.ensure((uint64_t{factor} << exponent) * 64))
        return false;
    const uint32_t below = bits_ - exponent;
    geometry_ = {factor, exponent, below, below >= 64 ? ~uint64_t{0} : (uint64_t{1} << below) - 1};
    capacity_ = capacity_of(lines() * slots_per_line);
    return true;
}

/* Enter a mixed key that is not in the set. */
template <class Slot> bool CompactSet<Slot>::put(uint64_t mixed) {
    const Spot spot = geometry_.spot(mixed);
    for (uint32_t attempt = 0; attempt < tries; ++attempt) {
        Slot *const slots = line(spot.line ^ attempt);
        const uint32_t empty = look(slots, 0).empty;
        if (empty != 0) {
            slots[__builtin_ctz(empty)] = entry(spot.rest, attempt);
            return true;
        }
    }
    return false;
}

template <class Slot> bool CompactSet<Slot>::grow() {
    const Geometry before = geometry_;
    const uint64_t lines_before = lines(), kept = std::min(aside, lines_before);
    const std::unique_ptr<Slot[]> first(new (std::nothrow) Slot[kept * slots_per_line]);
    const bool carry = before.factor == 7;
    if (first == nullptr || !set_lines(carry ? 4 : before.factor + 1, before.exponent + carry))
        return false;
    std::memcpy(first.get(), region_.data(), kept * 64);
    std::memset(region_.data(), 0, kept * 64);
    bool all = true;
    const auto move = [&](uint64_t number, const Slot *slots) {
        for (uint32_t i = 0; i < slots_per_line; ++i)
            if (slots[i] != 0)
                all &= put(before.mixed(number, slots[i]));
    };
    for (uint64_t number = lines_before; number-- > kept;) {
        Slot slots[slots_per_line];
        std::memcpy(slots, line(number), sizeof slots);
        std::memset(line(number), 0, sizeof slots);
        move(number, slots);
    }
    for (uint64_t number = 0; number < kept; ++number)
        move(number, first.get() + number * slots_per_line);
    return all; /* else an entry is lost, so the search must end: too many keys want the same lines */
}

template class CompactSet<uint32_t>;
template class CompactSet<uint64_t>;

} // namespace kripke
