/* places.h -- where the states of a stack or a queue are, by what a store knows them by
 * (store_interface.h): for searches that must know whether a state is on their path, or
 * waits, with a store that has no room for marks beside its states.
 *
 * An open hash table. Several states may be known by the same: who asks is told of every
 * place there is, and looks whether it is the state in question. What is taken out leaves no
 * gap: those behind it move up.
 */
#ifndef KRIPKE_PLACES_H
#define KRIPKE_PLACES_H

#include "memory/budget.h"

#include <cassert>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <new>

namespace kripke {

class Places {
  public:
    explicit Places(Budget &budget) : budget_(budget) {}
    ~Places() { budget_.give(bytes()); }
    Places(const Places &) = delete;
    Places &operator=(const Places &) = delete;

    /* False, and nothing changed, where there is no memory. */
    [[nodiscard]] bool put(uint64_t identity, uint64_t place) {
        assert(place != nowhere);
        if (4 * (size_ + 1) > 3 * slots_ && !grow())
            return false;
        slot_for(identity) = {identity, place};
        ++size_;
        return true;
    }

    /* Is there a place of this identity of which `is_it(place)`? */
    template <class IsIt> bool any(uint64_t identity, const IsIt &is_it) const {
        if (size_ == 0)
            return false;
        for (uint64_t at = home(identity); table_[at].place != nowhere; at = next(at))
            if (table_[at].identity == identity && is_it(table_[at].place))
                return true;
        return false;
    }
    bool any(uint64_t identity) const {
        return any(identity, [](uint64_t) { return true; });
    }

    /* What was put, once. */
    void take_out(uint64_t identity, uint64_t place) {
        uint64_t gap = home(identity);
        while (table_[gap].identity != identity || table_[gap].place != place) {
            assert(table_[gap].place != nowhere && "it was not put");
            gap = next(gap);
        }
        /* One behind the gap may move there unless its home lies between the two. */
        for (uint64_t at = next(gap); table_[at].place != nowhere; at = next(at))
            if (((at - home(table_[at].identity)) & (slots_ - 1)) >= ((at - gap) & (slots_ - 1))) {
                table_[gap] = table_[at];
                gap = at;
            }
        table_[gap].place = nowhere;
        --size_;
    }

    uint64_t size() const { return size_; }
    uint64_t bytes() const { return slots_ * sizeof(Slot); }

  private:
    static constexpr uint64_t nowhere = UINT64_MAX;
    static constexpr uint64_t first_slots = 64;

    struct Slot {
        uint64_t identity;
        uint64_t place;
    };

    uint64_t home(uint64_t identity) const { return identity * 0x9e3779b97f4a7c15u >> shift_; }
    uint64_t next(uint64_t at) const { return (at + 1) & (slots_ - 1); }

    Slot &slot_for(uint64_t identity) {
        uint64_t at = home(identity);
        while (table_[at].place != nowhere)
            at = next(at);
        return table_[at];
    }

    bool grow() {
        const uint64_t before = slots_, wanted = before == 0 ? first_slots : 2 * before;
        if (!budget_.take(wanted * sizeof(Slot)))
            return false;
        std::unique_ptr<Slot[]> old(new (std::nothrow) Slot[wanted]);
        if (old == nullptr) {
            budget_.give(wanted * sizeof(Slot));
            return false;
        }
        old.swap(table_);
        slots_ = wanted;
        shift_ = 64 - static_cast<uint32_t>(__builtin_ctzll(wanted));
        for (uint64_t at = 0; at < wanted; ++at)
            table_[at].place = nowhere;
        for (uint64_t at = 0; at < before; ++at)
            if (old[at].place != nowhere)
                slot_for(old[at].identity) = old[at];
        budget_.give(before * sizeof(Slot));
        return true;
    }

    Budget &budget_;
    std::unique_ptr<Slot[]> table_;
    uint64_t slots_ = 0; /* a power of two, or none */
    uint64_t size_ = 0;
    uint32_t shift_ = 0;
};

/* The same for several threads: divided by identity among shards, each with a lock. */
class SharedPlaces {
  public:
    explicit SharedPlaces(Budget &budget) {
        for (uint32_t i = 0; i < 1u << shard_bits; ++i)
            shards_.emplace_back(budget);
    }

    [[nodiscard]] bool put(uint64_t identity, uint64_t place) {
        Shard &shard = of(identity);
        const std::lock_guard lock(shard.mutex);
        return shard.places.put(identity, place);
    }
    bool any(uint64_t identity) {
        Shard &shard = of(identity);
        const std::lock_guard lock(shard.mutex);
        return shard.places.any(identity);
    }
    void take_out(uint64_t identity, uint64_t place) {
        Shard &shard = of(identity);
        const std::lock_guard lock(shard.mutex);
        shard.places.take_out(identity, place);
    }

  private:
    static constexpr uint32_t shard_bits = 6;

    struct alignas(64) Shard {
        explicit Shard(Budget &budget) : places(budget) {}
        std::mutex mutex;
        Places places;
    };

    /* By other bits of the product than the home in a shard. */
    Shard &of(uint64_t identity) { return shards_[(identity * 0xd1342543de82ef95u) >> (64 - shard_bits)]; }

    std::deque<Shard> shards_;
};

} // namespace kripke
#endif
