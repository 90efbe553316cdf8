/* compact_set.h -- an exact set of numbers of a fixed width, in little more than the
 * bits that its own places do not tell.
 *
 * PLACES
 *   A key of n bits is mixed by a bijection of n bits, so that any keys look random.
 *   What the home line of a mixed key says about it need not be stored (J. G. Cleary,
 *   Compact hash tables using bidirectional linear probing, 1984): a slot holds the
 *   rest, and how it got there. A line is a cache line, and a key is looked for in its
 *   home, then in the other lines of the same block of 64, in an order that begins with
 *   the nearest, up to the first empty slot, which is where it goes. Blocks fill evenly:
 *   at nine tenths it takes many of them until one is full.
 *
 * LINES
 *   There are m * 2^e lines, 4 <= m <= 7. With f = mixed * m, the home is f >> (n - e)
 *   and the rest is what is below, without its last two bits: multiples of m that are
 *   different differ above these.
 *
 * GROWTH
 *   From m to m + 1 (5 to 7 quarters more of 2^e), in place: homes keep the order of
 *   the mixed keys, so from the end downwards every entry moves to a block where nothing
 *   is left of the old table (but for the first lines, which are put aside). No key is
 *   looked at outside the table, and there are never two tables.
 *
 * THREADS
 *   `insert` by any number of threads at once: the first empty slot is taken by
 *   compare-and-swap; who loses looks at what is there now. Nothing is ever deleted,
 *   so two threads with the same key meet at the same slot. All else alone.
 */
#ifndef KRIPKE_COMPACT_SET_H
#define KRIPKE_COMPACT_SET_H

#include "memory/region.h"

#include <cassert>
#include <cstdint>

#if defined(__SSE2__) && !defined(__SANITIZE_THREAD__)
#include <emmintrin.h>
#define KRIPKE_WIDE_LINES
#endif

namespace kripke {

/* A bijection of the numbers below 2^n. */
class Mixing {
  public:
    explicit Mixing(uint32_t bits = 64)
        : mask_(bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1), shift_((bits + 1) / 2) {}

    uint64_t mix(uint64_t x) const {
        x ^= x >> shift_;
        x = x * first & mask_;
        x ^= x >> shift_;
        x = x * second & mask_;
        return x ^ x >> shift_;
    }

    uint64_t unmix(uint64_t x) const {
        x ^= x >> shift_; /* at least half the bits: its own inverse */
        x = x * inverse(second) & mask_;
        x ^= x >> shift_;
        x = x * inverse(first) & mask_;
        return x ^ x >> shift_;
    }

  private:
    static constexpr uint64_t first = 0xbf58476d1ce4e5b9u, second = 0x94d049bb133111ebu;

    /* Of an odd number, modulo 2^64 (and so modulo any smaller power). */
    static constexpr uint64_t inverse(uint64_t odd) {
        uint64_t x = odd;
        for (int i = 0; i < 5; ++i)
            x *= 2 - odd * x;
        return x;
    }

    uint64_t mask_;
    uint32_t shift_;
};

/* `Slot` is uint32_t (rests of up to 26 bits) or uint64_t (up to 58). */
template <class Slot> class CompactSet {
  public:
    static constexpr uint32_t slots_per_line = 64 / sizeof(Slot);
    static constexpr uint32_t rest_bits = 8 * sizeof(Slot) - 6;
    static constexpr uint32_t tries = 63; /* lines of a block in which a key may be: home xor 0 to 62 */
    static constexpr uint32_t first_exponent = 10;

    explicit CompactSet(Budget &budget) : region_(budget) {}

    // ---- Size ---------------------------------------------------------------

    /* Become an empty set of keys of this width, with room for `keys`. False where
     * there is no memory. */
    [[nodiscard]] bool reset(uint32_t bits, uint64_t keys);

    /* Have no memory, and no keys; `reset` makes it a set again. */
    void release() {
        region_.release();
        geometry_ = {};
        capacity_ = 0;
    }

    /* May this many keys be in it, before it must grow? */
    uint64_t capacity() const { return capacity_; }

    /* Become larger; the entries are moved by so many threads. False where there is no memory; then nothing has
     * changed. */
    [[nodiscard]] bool grow(uint32_t threads = 1);

    uint32_t key_bits() const { return bits_; }
    uint64_t lines() const { return uint64_t{geometry_.factor} << geometry_.exponent; }
    uint64_t bytes() const { return lines() * 64; }

    /* How many lines such a set has, and the widest keys that so many lines can hold. */
    static uint64_t lines_for(uint32_t bits, uint64_t keys);
    static uint32_t widest_for(uint64_t lines) {
        return rest_bits + static_cast<uint32_t>(63 - __builtin_clzll(lines | 1));
    }

    // ---- Keys ---------------------------------------------------------------

    /* Where a key belongs. */
    struct Spot {
        uint64_t line;
        Slot rest;
    };

    Spot spot(uint64_t key) const { return geometry_.spot(mixing_.mix(key)); }

    void prefetch(const Spot &spot) const { __builtin_prefetch(line(spot.line)); }

    enum class Insertion { known, inserted, crowded };

    /* `crowded`: nothing was done, the set must grow first. */
    Insertion insert(const Spot &spot) {
        for (uint32_t attempt = 0; attempt < tries; ++attempt) {
            Slot *const slots = line(spot.line ^ attempt);
            const Slot wanted = entry(spot.rest, attempt);
            Seen seen = look(slots, wanted);
            if (seen.found != 0)
                return Insertion::known;
            while (seen.empty != 0) {
                const auto at = static_cast<uint32_t>(__builtin_ctz(seen.empty));
                Slot there = 0;
                if (__atomic_compare_exchange_n(slots + at, &there, wanted, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
                    return Insertion::inserted;
                if (there == wanted)
                    return Insertion::known;
                seen.empty &= seen.empty - 1;
            }
        }
        return Insertion::crowded;
    }

    bool contains(const Spot &spot) const {
        for (uint32_t attempt = 0; attempt < tries; ++attempt) {
            const Seen seen = look(line(spot.line ^ attempt), entry(spot.rest, attempt));
            if (seen.found != 0)
                return true;
            if (seen.empty != 0)
                return false;
        }
        return false;
    }

    /* Call `each(key)` for every key. */
    template <class Each> void for_each(Each each) const {
        for (uint64_t number = 0; number < lines(); ++number)
            for (uint32_t i = 0; i < slots_per_line; ++i)
                if (const Slot slot = line(number)[i]; slot != 0)
                    each(mixing_.unmix(geometry_.mixed(number, slot)));
    }

  private:
    /* Lines at the start: beyond them, growing moves an entry to a later block. */
    static constexpr uint64_t aside = 1024;

    struct Seen {
        uint32_t found, empty; /* bits of slots */
    };

    /* Never 0, which is an empty slot. */
    static Slot entry(Slot rest, uint32_t attempt) { return rest | static_cast<Slot>(attempt + 1) << rest_bits; }

    Slot *line(uint64_t number) { return reinterpret_cast<Slot *>(region_.data() + number * 64); }
    const Slot *line(uint64_t number) const { return reinterpret_cast<const Slot *>(region_.data() + number * 64); }

    /* factor * 2^exponent lines for keys of some width. */
    struct Geometry {
        __extension__ typedef unsigned __int128 Wide;

        Spot spot(uint64_t mixed) const {
            const Wide product = static_cast<Wide>(mixed) * factor;
            return {static_cast<uint64_t>(product >> below),
                    static_cast<Slot>((static_cast<uint64_t>(product) & below_mask) >> 2)};
        }

        /* The mixed key of a slot: of four numbers in a row, the one that the factor divides. */
        uint64_t mixed(uint64_t number, Slot slot) const {
            const uint64_t home = number ^ ((slot >> rest_bits) - 1);
            const uint64_t rest = slot & ((Slot{1} << rest_bits) - 1);
            const Wide least = (static_cast<Wide>(home) << below) + (static_cast<Wide>(rest) << 2) + factor - 1;
            if (below + exponent > 60)
                return static_cast<uint64_t>(least / factor);
            const auto small = static_cast<uint64_t>(least); /* divided by constants, which is much faster */
            return factor == 4 ? small / 4 : factor == 5 ? small / 5 : factor == 6 ? small / 6 : small / 7;
        }

        uint32_t factor = 0, exponent = 0;
        uint32_t below = 0; /* width of the keys - exponent */
        uint64_t below_mask = 0;
    };

    static Seen look(const Slot *slots, Slot wanted) {
        Seen seen{0, 0};
#ifdef KRIPKE_WIDE_LINES
        if constexpr (sizeof(Slot) == 4) {
            /* Each slot is read once: read again for the second comparison, it could have been
             * taken meanwhile, neither empty nor the one looked for. */
            const auto *parts = reinterpret_cast<const volatile __m128i *>(slots);
            const __m128i all = _mm_set1_epi32(static_cast<int>(wanted)), none = _mm_setzero_si128();
            __m128i found[4], empty[4];
            for (int i = 0; i < 4; ++i) {
                const __m128i part = parts[i];
                found[i] = _mm_cmpeq_epi32(part, all);
                empty[i] = _mm_cmpeq_epi32(part, none);
            }
            const auto bits = [](const __m128i *four) {
                return static_cast<uint32_t>(_mm_movemask_epi8(
                    _mm_packs_epi16(_mm_packs_epi32(four[0], four[1]), _mm_packs_epi32(four[2], four[3]))));
            };
            return {bits(found), bits(empty)};
        }
#endif
        for (uint32_t i = 0; i < slots_per_line; ++i) {
            const Slot slot = __atomic_load_n(slots + i, __ATOMIC_ACQUIRE);
            seen.found |= static_cast<uint32_t>(slot == wanted) << i;
            seen.empty |= static_cast<uint32_t>(slot == 0) << i;
        }
        return seen;
    }

    bool set_lines(uint32_t factor, uint32_t exponent);
    bool put(uint64_t mixed);
    template <bool Alone> bool move_lines(const Geometry &before, uint64_t first, uint64_t end);
    template <bool Alone> bool move_line(const Geometry &before, uint64_t number, const Slot *slots);

    Region region_;
    Mixing mixing_;
    uint32_t bits_ = 0;
    Geometry geometry_;
    uint64_t capacity_ = 0;
};

extern template class CompactSet<uint32_t>;
extern template class CompactSet<uint64_t>;

} // namespace kripke
#endif
