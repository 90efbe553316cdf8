/* cache_store.h -- as many states as a table of fixed size holds: when it is full, old
 * ones make room for new ones (G. J. Holzmann, Tracing protocols, AT&T Technical Journal
 * 1985; P. Godefroid, G. J. Holzmann, D. Pirottin, State-space caching revisited, 1995).
 *
 * A state that was dropped is new when it is met again, and searched again. States on the
 * stack of a depth-first search are never dropped, so every cycle is closed and the
 * search comes to its end, having seen every state: what it says of them is exact. It
 * counts visits, which are as many as states only where nothing was dropped.
 *
 * WHO IS DROPPED
 *   Of the states of a bucket that are not on the stack, the one below which the search
 *   visited least: it costs least to search again. With `first_goes`, the first of them, as
 *   in the LF system (document 002, 4.3.3). (Dropping any of them, the search takes
 *   for ever soon.)
 *
 * BUCKETS
 *   A state is in one of the eight places of its bucket, or nowhere. A place is as wide
 *   as the longest state so far; a longer one makes the table anew. Where all eight
 *   places have states of the stack, the next one is kept beside the table.
 *
 * THREADS
 *   Buckets are locked, some thousand locks for all of them, for as long as eight places are
 *   looked at. A state is held by the worker that visits it, and by each that was given work
 *   below it, so that for every worker all states of its path are there.
 */
#ifndef KRIPKE_CACHE_STORE_H
#define KRIPKE_CACHE_STORE_H

#include "searches/gate.h"
#include "memory/hash.h"
#include "memory/region.h"
#include "stores/store_interface.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace kripke {

class CacheStore {
  public:
    static constexpr bool exact = true;
    static constexpr bool unfolds = false;
    static constexpr bool identity_is_handle = false;
    static constexpr bool forgets = true;
    static constexpr uint32_t slack = 0;

    CacheStore(Budget &budget, const SharedLimits &limits, Gate &gate)
        : limits_(limits), budget_(budget), gate_(gate), counts_(limits.max_states), dropped_(0), table_(budget),
          locks_(limits.workers > 1 ? lock_count : 0) {
        const uint64_t bytes = std::max<uint64_t>(limits.table_bytes, ways * 64);
        ready_ = table_.reserve(bytes, bytes) && table_.ensure(bytes);
        bytes_ = bytes;
    }
    ~CacheStore() { budget_.give(beside_bytes_); }
    CacheStore(const CacheStore &) = delete;
    CacheStore &operator=(const CacheStore &) = delete;

    class View {
      public:
        explicit View(CacheStore &store)
            : store_(store), count_(store.counts_.add_worker()), dropped_(store.dropped_.add_worker()) {}

        bool make_room() const {
            store_.gate_.pass();
            return store_.ready_;
        }
        uint64_t identify(const uint8_t *state, uint32_t length) {
            longest_ = std::max(longest_, length);
            return hash_bytes(state, length);
        }
        void prefetch(uint64_t hash) const {
            if (store_.buckets_ != 0)
                __builtin_prefetch(store_.bucket(hash));
        }
        bool contains(uint64_t hash, const uint8_t *state, uint32_t length) const {
            const Guard guard(store_, hash);
            return store_.has(hash, state, length);
        }
        Insertion insert(uint64_t hash, const uint8_t *state, uint32_t length) {
            while (length + sizeof(Place) > store_.width_) {
                bool wide = true;
                store_.gate_.alone([&] { wide = length + sizeof(Place) <= store_.width_ || store_.widen(length, dropped_); });
                if (!wide)
                    return Insertion::no_memory;
            }
            const Guard guard(store_, hash);
            if (store_.has(hash, state, length))
                return Insertion::known;
            if (store_.limits_.max_states != 0 && !store_.counts_.reserve())
                return Insertion::full;
            const Hold hold{1, count_.get()};
            count_.add(1);
            const bool kept = store_.put(hash, state, length, hold, dropped_) || store_.keep_beside(state, length, hold);
            return kept ? Insertion::inserted : Insertion::no_memory;
        }
        /* A state on this worker's path is on that of another, too, until it gives it up. */
        void hold(uint64_t hash, const uint8_t *state, uint32_t length) {
            const Guard guard(store_, hash);
            store_.hold(hash, state, length);
        }
        void give_up(uint64_t hash, const uint8_t *state, uint32_t length) {
            const Guard guard(store_, hash);
            store_.release(hash, state, length, dropped_, [](uint64_t visits) { return visits; });
        }
        /* The state leaves the path of the worker that has inserted it. */
        void release(uint64_t hash, const uint8_t *state, uint32_t length) {
            const Guard guard(store_, hash);
            store_.release(hash, state, length, dropped_, [this](uint64_t before) { return count_.get() - before; });
        }
        uint32_t longest() const { return longest_; }

      private:
        CacheStore &store_;
        SharedCounts::Count &count_, &dropped_;
        uint32_t longest_ = 0;
    };

    // ---- Figures, alone -------------------------------------------------------

    uint64_t size() const { return counts_.total(); } /* visits */
    uint64_t bytes() const { return bytes_; }
    StoreFigures figures() const {
        const double places = static_cast<double>(buckets_ * ways);
        return {places == 0 ? 0 : static_cast<double>(used_.load()) / places, 0, dropped_.total()};
    }

  private:
    static constexpr uint32_t ways = 8;
    static constexpr uint32_t lock_count = 4096;

    /* On how many paths a state is, and the visits below it; before its worker has left it, that worker's visits
     * before it. */
    struct Hold {
        uint64_t paths : 16;
        uint64_t visits : 48;
    };

    /* Before the bytes of a state. All 0: nobody is there. */
    struct Place {
        uint32_t tag; /* odd where a state is, also one of no bytes */
        uint32_t length;
        Hold hold;
    };

    /* As long as it is there, nobody else looks at the bucket. */
    class Guard {
      public:
        Guard(CacheStore &store, uint64_t hash)
            : lock_(store.locks_.empty() ? nullptr : &store.locks_[store.index(hash) % lock_count].taken) {
            while (lock_ != nullptr && lock_->exchange(true, std::memory_order_acquire))
                while (lock_->load(std::memory_order_relaxed))
                    std::this_thread::yield();
        }
        ~Guard() {
            if (lock_ != nullptr)
                lock_->store(false, std::memory_order_release);
        }
        Guard(const Guard &) = delete;
        Guard &operator=(const Guard &) = delete;

      private:
        std::atomic<bool> *lock_;
    };
    struct alignas(64) Lock {
        std::atomic<bool> taken{false};
    };

    uint64_t worth(Hold hold) const { return limits_.first_goes ? 0 : hold.visits; }
    static uint32_t tag_of(uint64_t hash) { return static_cast<uint32_t>(hash) | 1; }
    static uint8_t *state_of(Place *place) { return reinterpret_cast<uint8_t *>(place + 1); }

    uint64_t index(uint64_t hash) const {
        __extension__ typedef unsigned __int128 Wide;
        return static_cast<uint64_t>(static_cast<Wide>(hash) * buckets_ >> 64);
    }
    uint8_t *bucket(uint64_t hash) { return table_.data() + index(hash) * ways * width_; }
    Place *place(uint8_t *bucket, uint32_t way) { return reinterpret_cast<Place *>(bucket + way * width_); }

    // ---- Behind the lock of the bucket ------------------------------------------

    Place *find(uint64_t hash, const uint8_t *state, uint32_t length) {
        if (buckets_ == 0)
            return nullptr;
        uint8_t *const all = bucket(hash);
        for (uint32_t way = 0; way < ways; ++way) {
            Place *const one = place(all, way);
            if (one->tag == tag_of(hash) && one->length == length && std::memcmp(state_of(one), state, length) == 0)
                return one;
        }
        return nullptr;
    }

    bool has(uint64_t hash, const uint8_t *state, uint32_t length) {
        if (find(hash, state, length) != nullptr)
            return true;
        if (beside_count_.load(std::memory_order_relaxed) == 0)
            return false;
        const std::lock_guard lock(beside_mutex_);
        return beside_.contains(name(state, length));
    }

    /* False where there is no place for it: all have states of some path, or, for one that is
     * on none, states that are worth more. */
    bool put(uint64_t hash, const uint8_t *state, uint32_t length, Hold hold, SharedCounts::Count &dropped) {
        uint8_t *const all = buckets_ == 0 ? nullptr : bucket(hash);
        Place *chosen = nullptr;
        for (uint32_t way = 0; way < ways && all != nullptr; ++way) {
            Place *const one = place(all, way);
            if (one->tag == 0) {
                chosen = one;
                break;
            }
            if (one->hold.paths == 0 && (chosen == nullptr || worth(one->hold) < worth(chosen->hold)))
                chosen = one;
        }
        if (chosen == nullptr || (hold.paths == 0 && chosen->tag != 0 && worth(chosen->hold) > worth(hold)))
            return false;
        if (chosen->tag == 0)
            used_.fetch_add(1, std::memory_order_relaxed);
        else
            dropped.add(1);
        *chosen = {tag_of(hash), length, hold};
        std::memcpy(state_of(chosen), state, length);
        return true;
    }

    void hold(uint64_t hash, const uint8_t *state, uint32_t length) {
        if (Place *const one = find(hash, state, length)) {
            ++one->hold.paths;
            return;
        }
        const std::lock_guard lock(beside_mutex_);
        const auto found = beside_.find(name(state, length));
        if (found != beside_.end())
            ++found->second.paths;
    }

    /* It is on one path less. */
    template <class Visits>
    void release(uint64_t hash, const uint8_t *state, uint32_t length, SharedCounts::Count &dropped, Visits visits) {
        if (Place *const one = find(hash, state, length)) {
            --one->hold.paths;
            one->hold.visits = visits(one->hold.visits);
            return;
        }
        Hold left{};
        {
            const std::lock_guard lock(beside_mutex_);
            const auto found = beside_.find(name(state, length));
            if (found == beside_.end())
                return;
            --found->second.paths;
            found->second.visits = visits(found->second.visits);
            if (found->second.paths != 0)
                return;
            left = found->second;
            beside_.erase(found);
            beside_count_.store(beside_.size(), std::memory_order_relaxed);
            beside_bytes_ -= bytes_beside(length);
        }
        budget_.give(bytes_beside(length));
        if (!put(hash, state, length, left, dropped))
            dropped.add(1);
    }

    // ---- States for which there is no place --------------------------------------

    static std::string name(const uint8_t *state, uint32_t length) {
        return {reinterpret_cast<const char *>(state), length};
    }
    static uint64_t bytes_beside(uint32_t length) { return uint64_t{length} + 96; }

    bool keep_beside(const uint8_t *state, uint32_t length, Hold hold) {
        if (!budget_.take(bytes_beside(length)))
            return false;
        const std::lock_guard lock(beside_mutex_);
        beside_bytes_ += bytes_beside(length);
        try {
            beside_.emplace(name(state, length), hold);
        } catch (const std::bad_alloc &) {
            return false;
        }
        beside_count_.store(beside_.size(), std::memory_order_relaxed);
        return true;
    }

    /* Places for states of this length, alone. Those that find no room are dropped, or kept beside
     * where they are on a path. */
    bool widen(uint32_t length, SharedCounts::Count &dropped) {
        const uint64_t width_before = width_, places_before = buckets_ * ways, copied = used_.load() * width_before;
        if (!budget_.take(copied))
            return false;
        const std::unique_ptr<uint8_t[]> before(new (std::nothrow) uint8_t[copied + 1]);
        bool all = before != nullptr;
        uint8_t *end = before.get();
        for (uint64_t i = 0; all && i < places_before; ++i) {
            const uint8_t *const one = table_.data() + i * width_before;
            if (reinterpret_cast<const Place *>(one)->tag != 0)
                end = std::copy(one, one + width_before, end);
        }
        if (all && places_before != 0)
            std::memset(table_.data(), 0, places_before * width_before);
        width_ = (length + sizeof(Place) + 7) / 8 * 8;
        buckets_ = bytes_ / (ways * width_);
        used_.store(0);
        for (uint8_t *one = before.get(); all && one != end; one += width_before) {
            Place *const old = reinterpret_cast<Place *>(one);
            if (put(hash_bytes(state_of(old), old->length), state_of(old), old->length, old->hold, dropped))
                continue;
            if (old->hold.paths == 0)
                dropped.add(1);
            else
                all = keep_beside(state_of(old), old->length, old->hold);
        }
        budget_.give(copied);
        return all;
    }

    const SharedLimits limits_;
    Budget &budget_;
    Gate &gate_;
    SharedCounts counts_, dropped_;
    Region table_;
    std::vector<Lock> locks_; /* of one worker: none */
    uint64_t bytes_ = 0;
    bool ready_ = false;
    uint64_t buckets_ = 0, width_ = 0;
    std::atomic<uint64_t> used_{0};
    std::mutex beside_mutex_;
    std::unordered_map<std::string, Hold> beside_;
    std::atomic<size_t> beside_count_{0};
    uint64_t beside_bytes_ = 0;
};

} // namespace kripke
#endif
