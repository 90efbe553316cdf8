#include "stores/compact_set.h"

#include "searches/side_by_side.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <new>

namespace kripke {

namespace {

constexpr uint64_t most_bytes = uint64_t{1} << 40;
constexpr uint64_t worth_threads = uint64_t{1} << 12; /* lines that are moved */

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

template <class Slot> bool CompactSet<Slot>::grow(uint32_t threads) {
    const Geometry before = geometry_;
    const uint64_t lines_before = lines(), kept = std::min(aside, lines_before);
    const std::unique_ptr<Slot[]> first(new (std::nothrow) Slot[kept * slots_per_line]);
    const bool carry = before.factor == 7;
    if (first == nullptr || !set_lines(carry ? 4 : before.factor + 1, before.exponent + carry))
        return false;
    std::memcpy(first.get(), region_.data(), kept * 64);
    std::memset(region_.data(), 0, kept * 64);
    bool all = true;
    uint64_t end = lines_before;
    if (threads > 1) {
        /* Entries go to later lines, in proportion: those of the last lines to places that no line has now. So they can be
         * moved by several threads; then those that go to the places of these, and so on. */
        const auto first_of = [&](uint64_t behind) {
            constexpr uint64_t block = 64; /* an entry is in the same block of lines as its own */
            static_assert(block > tries);
            return std::max(((behind + block) * before.factor / (before.factor + 1) + block) / block * block, kept);
        };
        for (uint64_t from = first_of(end); from < end && end - from >= worth_threads; from = first_of(end)) {
            std::atomic<bool> good{true};
            side_by_side(threads, [&](uint32_t number) {
                const uint64_t share = (end - from) / threads, mine = from + number * share;
                if (!move_lines<false>(before, mine, number + 1 == threads ? end : mine + share))
                    good.store(false, std::memory_order_relaxed);
            });
            all &= good.load(std::memory_order_relaxed);
            end = from;
        }
    }
    all &= move_lines<true>(before, kept, end);
    for (uint64_t number = 0; number < kept; ++number)
        all &= move_line<true>(before, number, first.get() + number * slots_per_line);
    return all; /* else an entry is lost, so the search must end: too many keys want the same lines */
}

/* The lines from `first` to before `end`, the last one first. Unless alone: others move others, perhaps to the same lines. */
template <class Slot>
template <bool Alone>
bool CompactSet<Slot>::move_lines(const Geometry &before, uint64_t first, uint64_t end) {
    bool all = true;
    for (uint64_t number = end; number-- > first;) {
        Slot slots[slots_per_line];
        std::memcpy(slots, line(number), sizeof slots);
        std::memset(line(number), 0, sizeof slots);
        all &= move_line<Alone>(before, number, slots);
    }
    return all;
}

template <class Slot>
template <bool Alone>
bool CompactSet<Slot>::move_line(const Geometry &before, uint64_t number, const Slot *slots) {
    bool all = true;
    for (uint32_t i = 0; i < slots_per_line; ++i) {
        if (slots[i] == 0)
            continue;
        const uint64_t mixed = before.mixed(number, slots[i]);
        all &= Alone ? put(mixed) : insert(geometry_.spot(mixed)) == Insertion::inserted;
    }
    return all;
}

template class CompactSet<uint32_t>;
template class CompactSet<uint64_t>;

} // namespace kripke
