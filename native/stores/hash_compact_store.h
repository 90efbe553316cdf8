/* hash_compact_store.h -- only a hash of every state is kept, of 32, 40 or 64 bits
 * (P. Wolper, D. Leroy, Reliable hashing without collision detection, CAV 1993).
 *
 * A new state whose hash is that of another is taken for it, and what follows from it
 * may be missed. The set of hashes is exact, so how often that happens is known well:
 * with s states stored, a new one is lost with probability s / 2^bits.
 */
#ifndef KRIPKE_HASH_COMPACT_STORE_H
#define KRIPKE_HASH_COMPACT_STORE_H

#include "stores/compact_set.h"
#include "searches/gate.h"
#include "memory/hash.h"
#include "stores/store_interface.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace kripke {

/* The hash of a state under a seed. */
inline uint64_t seeded_hash(const uint8_t *state, uint32_t length, uint64_t seed) {
    return hashing::fold(hash_bytes(state, length) ^ hashing::pi1, hashing::pi2 ^ (seed * 0x9e3779b97f4a7c15u));
}

/* `Slot` as for CompactSet: uint64_t for hashes of 64 bits. */
template <class Slot> class HashCompactStore {
  public:
    static constexpr bool exact = false;
    static constexpr bool unfolds = false;
    static constexpr bool identity_is_handle = false;
    static constexpr bool forgets = false;
    static constexpr uint32_t slack = 0;

    HashCompactStore(Budget &budget, const SharedLimits &limits, Gate &gate)
        : limits_(limits), gate_(gate), counts_(limits.max_states), hashes_(budget) {}

    class View {
      public:
        explicit View(HashCompactStore &store) : store_(store), count_(store.counts_.add_worker()) {}

        bool make_room() {
            store_.gate_.pass();
            bool ready = true;
            while (ready && !store_.has_room())
                store_.gate_.alone([&] { ready = store_.make_room_alone(); });
            return ready;
        }

        uint64_t identify(const uint8_t *state, uint32_t length) {
            longest_ = std::max(longest_, length);
            return seeded_hash(state, length, store_.limits_.seed) >> (64 - store_.limits_.hash_bits);
        }

        uint64_t twin(uint64_t hash) const {
            return hashing::fold(hash ^ hashing::pi2, hashing::pi1) >> (64 - store_.limits_.hash_bits);
        }

        void prefetch(uint64_t hash) const { store_.hashes_.prefetch(store_.hashes_.spot(hash)); }
        bool contains(uint64_t hash, const uint8_t *, uint32_t) const {
            return store_.hashes_.capacity() != 0 && store_.hashes_.contains(store_.hashes_.spot(hash));
        }

        Insertion insert(uint64_t hash, const uint8_t *, uint32_t) {
            if (store_.limits_.max_states != 0) {
                if (store_.hashes_.contains(store_.hashes_.spot(hash)))
                    return Insertion::known;
                if (!store_.counts_.reserve())
                    return Insertion::full;
            }
            for (;;) {
                const uint64_t lines = store_.hashes_.lines();
                switch (store_.hashes_.insert(store_.hashes_.spot(hash))) {
                case CompactSet<Slot>::Insertion::known:
                    return Insertion::known;
                case CompactSet<Slot>::Insertion::inserted:
                    count_.add(1);
                    return Insertion::inserted;
                case CompactSet<Slot>::Insertion::crowded:
                    bool grown = true;
                    store_.gate_.alone([&] { grown = store_.hashes_.lines() != lines || store_.hashes_.grow(store_.limits_.workers); });
                    if (!grown)
                        return Insertion::no_memory;
                }
            }
        }

        uint32_t longest() const { return longest_; }

      private:
        HashCompactStore &store_;
        SharedCounts::Count &count_;
        uint32_t longest_ = 0;
    };

    // ---- Figures, alone -------------------------------------------------------

    uint64_t size() const { return counts_.total(); }
    uint64_t bytes() const { return hashes_.bytes(); }
    StoreFigures figures() const {
        const double all = std::ldexp(1.0, static_cast<int>(limits_.hash_bits)), stored = static_cast<double>(size());
        const double slots = static_cast<double>(hashes_.lines() * CompactSet<Slot>::slots_per_line);
        const double part = std::min(stored / all, 1.0 - 1e-9);
        /* For every state stored, p / (1 - p) others were lost: summed up. */
        const double lost = part < 1e-4 ? stored * part / 2 : -all * std::log1p(-part) - stored;
        return {slots == 0 ? 0 : stored / slots, lost};
    }

  private:
    bool has_room() const { return size() + 2 * uint64_t{limits_.workers} <= hashes_.capacity(); }
    bool make_room_alone() {
        if (hashes_.capacity() == 0)
            return hashes_.reset(limits_.hash_bits, 2 * uint64_t{limits_.workers});
        return has_room() || hashes_.grow(limits_.workers);
    }

    const SharedLimits limits_;
    Gate &gate_;
    SharedCounts counts_;
    CompactSet<Slot> hashes_;
};

} // namespace kripke
#endif
