/* root_set.h -- the roots of a tree store: keys of a fixed width, in slots of four bytes or of eight.
 *
 * Slots of four bytes hold keys of so many bits more than there are lines (compact_set.h). Where keys are much wider than
 * that, lines would have to be there that nobody fills: then slots of eight bytes take less.
 */
#ifndef KRIPKE_ROOT_SET_H
#define KRIPKE_ROOT_SET_H

#include "stores/compact_set.h"

namespace kripke {

class RootSet {
    using Narrow = CompactSet<uint32_t>;
    using Wide = CompactSet<uint64_t>;

  public:
    explicit RootSet(Budget &budget) : narrow_(budget), wide_(budget) {}

    // ---- Size, alone --------------------------------------------------------

    /* The widest keys, of at least `bits`, that such a set can hold in the room it takes. */
    static uint32_t widest_for(uint32_t bits, uint64_t keys) {
        return is_wide(bits, keys) ? 64 : Narrow::widest_for(Narrow::lines_for(bits, keys));
    }

    /* Become an empty set of keys of this width, with room for `keys`. False where there is no memory. */
    [[nodiscard]] bool reset(uint32_t bits, uint64_t keys) {
        wide_is_used_ = is_wide(bits, keys);
        if (!wide_is_used_) {
            wide_.release();
            return narrow_.reset(bits, keys);
        }
        narrow_.release();
        return wide_.reset(bits, keys);
    }

    /* Would so many keys of this width take less in slots of the other kind? */
    bool is_of_wrong_kind(uint32_t bits, uint64_t keys) const { return wide_is_used_ != is_wide(bits, keys); }

    [[nodiscard]] bool grow(uint32_t threads) { return wide_is_used_ ? wide_.grow(threads) : narrow_.grow(threads); }
    uint64_t capacity() const { return wide_is_used_ ? wide_.capacity() : narrow_.capacity(); }
    uint64_t bytes() const { return wide_is_used_ ? wide_.bytes() : narrow_.bytes(); }

    /* Call `each(key)` for every key. */
    template <class Each> void for_each(Each each) const {
        if (wide_is_used_)
            wide_.for_each(each);
        else
            narrow_.for_each(each);
    }

    // ---- Keys ---------------------------------------------------------------

    /* Where a key belongs. */
    struct Spot {
        uint64_t line, rest;
    };

    Spot spot(uint64_t key) const {
        if (wide_is_used_) [[unlikely]] {
            const Wide::Spot spot = wide_.spot(key);
            return {spot.line, spot.rest};
        }
        const Narrow::Spot spot = narrow_.spot(key);
        return {spot.line, spot.rest};
    }

    void prefetch(const Spot &spot) const {
        if (wide_is_used_) [[unlikely]]
            wide_.prefetch({spot.line, spot.rest});
        else
            narrow_.prefetch(narrowed(spot));
    }

    /* Of a key; nothing is done where the set must grow first. */
    enum class Insertion { known, inserted, crowded };

    Insertion insert(const Spot &spot) {
        if (wide_is_used_) [[unlikely]]
            return static_cast<Insertion>(wide_.insert({spot.line, spot.rest}));
        return static_cast<Insertion>(narrow_.insert(narrowed(spot)));
    }

    bool contains(const Spot &spot) const {
        if (wide_is_used_) [[unlikely]]
            return wide_.contains({spot.line, spot.rest});
        return narrow_.contains(narrowed(spot));
    }

  private:
    static_assert(static_cast<int>(Insertion::crowded) == static_cast<int>(Narrow::Insertion::crowded));
    static_assert(static_cast<int>(Insertion::inserted) == static_cast<int>(Narrow::Insertion::inserted));

    static Narrow::Spot narrowed(const Spot &spot) { return {spot.line, static_cast<uint32_t>(spot.rest)}; }

    static constexpr uint64_t many = 1 << 20; /* of fewer keys, narrow slots are faster and take little in any case */

    /* Do such keys take less in wide slots? */
    static bool is_wide(uint32_t bits, uint64_t keys) {
        return keys >= many && Narrow::lines_for(bits, keys) > Wide::lines_for(bits, keys);
    }

    Narrow narrow_;
    Wide wide_;
    bool wide_is_used_ = false;
};

} // namespace kripke
#endif
