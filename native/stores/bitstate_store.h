/* bitstate_store.h -- a few bits for every state in a table of fixed size: supertrace
 * (G. J. Holzmann, On limits and possibilities of automated protocol analysis, PSTV
 * 1987; a Bloom filter).
 *
 * A state is taken for known when all its bits are set, by itself or by others. Its
 * bits lie in one line of 512, so that a look costs one cache miss; which line and
 * which bits is up to the hash.
 *
 * How many states were taken for others is estimated as the search goes: where a new
 * state is stored, the bits set in its line say how likely it was to be lost. That
 * new states are lost where they would have come first makes others unreachable; the
 * estimate does not see these.
 */
#ifndef KRIPKE_BITSTATE_STORE_H
#define KRIPKE_BITSTATE_STORE_H

#include "searches/gate.h"
#include "stores/hash_compact_store.h"
#include "memory/region.h"
#include "stores/store_interface.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <deque>
#include <thread>

namespace kripke {

class BitstateStore {
  public:
    static constexpr bool exact = false;
    static constexpr bool unfolds = false;
    static constexpr bool identity_is_handle = false;
    static constexpr bool forgets = false;
    static constexpr uint32_t slack = 0;

    BitstateStore(Budget &budget, const SharedLimits &limits, Gate &)
        : limits_(limits), counts_(limits.max_states), table_(budget),
          lines_(std::max<uint64_t>(limits.table_bytes / 64, 16)) {
        ready_ = table_.reserve(lines_ * 64, lines_ * 64) && table_.ensure(lines_ * 64);
    }

    class View {
      public:
        explicit View(BitstateStore &store)
            : store_(store), count_(store.counts_.add_worker()), lost_(store.lost_.emplace_back(0)) {}

        bool make_room() const { return store_.ready_; }

        uint64_t identify(const uint8_t *state, uint32_t length) {
            longest_ = std::max(longest_, length);
            return seeded_hash(state, length, store_.limits_.seed);
        }

        uint64_t twin(uint64_t hash) const { return hashing::fold(hash ^ hashing::pi2, hashing::pi1); }

        void prefetch(uint64_t hash) const { __builtin_prefetch(store_.line(hash)); }

        bool contains(uint64_t hash, const uint8_t *, uint32_t) const {
            if (!store_.ready_) [[unlikely]]
                return false; /* make_room will say so */
            const uint64_t *const line = store_.line(hash);
            return store_.each_bit(hash, [&](uint32_t bit) {
                return (__atomic_load_n(line + bit / 64, __ATOMIC_RELAXED) >> (bit % 64) & 1) != 0;
            });
        }

        Insertion insert(uint64_t hash, const uint8_t *state, uint32_t length) {
            if (contains(hash, state, length))
                return Insertion::known;
            if (store_.limits_.max_states != 0 && !store_.counts_.reserve())
                return Insertion::full;
            const Claim claim(store_, hash);
            if (store_.limits_.workers > 1 && contains(hash, state, length)) {
                if (store_.limits_.max_states != 0)
                    store_.counts_.give_back();
                return Insertion::known; /* meanwhile, by another */
            }
            if (++until_sample_ == sampled) {
                until_sample_ = 0;
                const double part = store_.filled(hash);
                const double likely = std::pow(part, store_.limits_.hashes);
                lost_ += sampled * likely / std::max(1 - likely, 1e-9);
            }
            uint64_t *const line = store_.line(hash);
            store_.each_bit(hash, [&](uint32_t bit) {
                __atomic_fetch_or(line + bit / 64, uint64_t{1} << (bit % 64), __ATOMIC_RELAXED);
                return true;
            });
            count_.add(1);
            return Insertion::inserted;
        }

        uint32_t longest() const { return longest_; }

      private:
        static constexpr uint32_t sampled = 16; /* every so many states, one is looked at */

        BitstateStore &store_;
        SharedCounts::Count &count_;
        double &lost_;
        uint32_t until_sample_ = 0;
        uint32_t longest_ = 0;
    };

    // ---- Figures, alone -------------------------------------------------------

    uint64_t size() const { return counts_.total(); }
    uint64_t bytes() const { return lines_ * 64; }
    StoreFigures figures() const {
        uint64_t set = 0;
        double lost = 0;
        const auto *const words = reinterpret_cast<const uint64_t *>(table_.data());
        for (uint64_t i = 0; ready_ && i < lines_ * 8; ++i)
            set += static_cast<uint64_t>(std::popcount(words[i]));
        for (const double part : lost_)
            lost += part;
        return {static_cast<double>(set) / (static_cast<double>(lines_) * 512), lost};
    }

  private:
    /* Bits of a new state are set by one worker at a time, so that one of them finds it
     * new. Looking needs no claim. */
    class Claim {
      public:
        Claim(BitstateStore &store, uint64_t hash) : flag_(store.claims_[hash >> (64 - claim_bits)]) {
            while (flag_.test_and_set(std::memory_order_acquire))
                std::this_thread::yield();
        }
        ~Claim() { flag_.clear(std::memory_order_release); }
        Claim(const Claim &) = delete;
        Claim &operator=(const Claim &) = delete;

      private:
        std::atomic_flag &flag_;
    };

    uint64_t *line(uint64_t hash) {
        __extension__ typedef unsigned __int128 Wide;
        const auto number = static_cast<uint64_t>(static_cast<Wide>(hash) * lines_ >> 64);
        return reinterpret_cast<uint64_t *>(table_.data() + number * 64);
    }

    /* Call `each(bit)` for the bits of a hash until it says false; false if so. */
    template <class Each> bool each_bit(uint64_t hash, Each each) const {
        uint64_t bits = hash * 0xd1342543de82ef95u;
        for (uint32_t i = 0; i < limits_.hashes; ++i) {
            if (i % 6 == 0)
                bits = (bits ^ bits >> 29) * 0xbf58476d1ce4e5b9u;
            if (!each(static_cast<uint32_t>(bits >> (55 - 9 * (i % 6)) & 511)))
                return false;
        }
        return true;
    }

    /* The part of the bits in a hash's line that are set. */
    double filled(uint64_t hash) {
        const uint64_t *const words = line(hash);
        int set = 0;
        for (int i = 0; i < 8; ++i)
            set += std::popcount(__atomic_load_n(words + i, __ATOMIC_RELAXED));
        return set / 512.0;
    }

    static constexpr uint32_t claim_bits = 10;

    const SharedLimits limits_;
    SharedCounts counts_;
    std::atomic_flag claims_[1u << claim_bits] = {}; /* by the highest bits of the hash, which choose the line */
    Region table_;
    const uint64_t lines_;
    bool ready_ = false;
    std::deque<double> lost_; /* by each worker */
};

} // namespace kripke
#endif
