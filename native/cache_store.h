/* cache_store.h -- as many states as a table of fixed size holds: when it is full, old
 * ones make room for new ones (G. J. Holzmann, Tracing protocols, AT&T Technical Journal
 * 1985; P. Godefroid, G. J. Holzmann, D. Pirottin, State-space caching revisited, 1995).
 *
 * A state that was dropped is new when it is met again, and searched again. States on the
 * stack of the depth-first search are never dropped, so every cycle is closed and the
 * search comes to its end, having seen every state: what it says of them is exact. It
 * counts visits, which are as many as states only where nothing was dropped.
 *
 * WHO IS DROPPED
 *   Of the states of a bucket that are not on the stack, the one below which the search
 *   visited least: it costs least to search again. (Dropping any of them, the search takes
 *   for ever soon.)
 *
 * BUCKETS
 *   A state is in one of the eight places of its bucket, or nowhere. A place is as wide
 *   as the longest state so far; a longer one makes the table anew. Where all eight
 *   places have states of the stack, the next one is kept beside the table.
 */
#ifndef KRIPKE_CACHE_STORE_H
#define KRIPKE_CACHE_STORE_H

#include "gate.h"
#include "hash.h"
#include "region.h"
#include "store_interface.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <unordered_map>

namespace kripke {

class CacheStore {
  public:
    static constexpr bool exact = true;
    static constexpr bool unfolds = false;
    static constexpr bool identity_is_handle = false;
    static constexpr bool forgets = true;
    static constexpr uint32_t slack = 0;

    CacheStore(Budget &budget, const SharedLimits &limits, Gate &)
        : limits_(limits), budget_(budget), counts_(limits.max_states), count_(counts_.add_worker()), table_(budget) {
        const uint64_t bytes = std::max<uint64_t>(limits.table_bytes, ways * 64);
        ready_ = table_.reserve(bytes, bytes) && table_.ensure(bytes);
        bytes_ = bytes;
    }
    ~CacheStore() { budget_.give(beside_bytes_); }
    CacheStore(const CacheStore &) = delete;
    CacheStore &operator=(const CacheStore &) = delete;

    /* Of the only worker. */
    class View {
      public:
        explicit View(CacheStore &store) : store_(store) {}

        bool make_room() const { return store_.ready_; }
        uint64_t identify(const uint8_t *state, uint32_t length) {
            longest_ = std::max(longest_, length);
            return hash_bytes(state, length);
        }
        void prefetch(uint64_t hash) const {
            if (store_.buckets_ != 0)
                __builtin_prefetch(store_.bucket(hash));
        }
        bool contains(uint64_t hash, const uint8_t *state, uint32_t length) const {
            return store_.find(hash, state, length) != nullptr || store_.is_beside(state, length);
        }
        Outcome insert(uint64_t hash, const uint8_t *state, uint32_t length) {
            if (contains(hash, state, length))
                return Outcome::known;
            if (store_.limits_.max_states != 0 && !store_.counts_.reserve())
                return Outcome::full;
            return store_.insert(hash, state, length) ? Outcome::inserted : Outcome::no_memory;
        }
        /* The state leaves the stack: it may be dropped from now on. */
        void release(uint64_t hash, const uint8_t *state, uint32_t length) { store_.release(hash, state, length); }
        uint32_t longest() const { return longest_; }

      private:
        CacheStore &store_;
        uint32_t longest_ = 0;
    };

    // ---- Figures, alone -------------------------------------------------------

    uint64_t size() const { return counts_.total(); } /* visits */
    uint64_t bytes() const { return bytes_; }
    StoreFigures figures() const {
        const double places = static_cast<double>(buckets_ * ways);
        return {places == 0 ? 0 : static_cast<double>(used_) / places, 0, dropped_};
    }

  private:
    static constexpr uint32_t ways = 8;
    static constexpr uint32_t on_stack = 1u << 31;

    /* Before the bytes of a state. All 0: nobody is there. */
    struct Place {
        uint32_t tag;
        uint32_t length; /* and `on_stack`; a state of no bytes is there when the tag is odd, which it always is */
        uint64_t visits; /* below it; while it is on the stack, all before it */
    };

    static uint32_t tag_of(uint64_t hash) { return static_cast<uint32_t>(hash) | 1; }
    static uint8_t *state_of(Place *place) { return reinterpret_cast<uint8_t *>(place + 1); }

    uint8_t *bucket(uint64_t hash) {
        __extension__ typedef unsigned __int128 Wide;
        return table_.data() + static_cast<uint64_t>(static_cast<Wide>(hash) * buckets_ >> 64) * ways * width_;
    }
    Place *place(uint8_t *bucket, uint32_t way) { return reinterpret_cast<Place *>(bucket + way * width_); }

    Place *find(uint64_t hash, const uint8_t *state, uint32_t length) {
        if (buckets_ == 0)
            return nullptr;
        uint8_t *const all = bucket(hash);
        for (uint32_t way = 0; way < ways; ++way) {
            Place *const one = place(all, way);
            if (one->tag == tag_of(hash) && (one->length & ~on_stack) == length &&
                std::memcmp(state_of(one), state, length) == 0)
                return one;
        }
        return nullptr;
    }
    bool is_beside(const uint8_t *state, uint32_t length) const {
        return !beside_.empty() && beside_.contains(std::string(reinterpret_cast<const char *>(state), length));
    }

    bool insert(uint64_t hash, const uint8_t *state, uint32_t length) {
        if (length + sizeof(Place) > width_ && !widen(length))
            return false;
        const uint64_t before = count_.get();
        count_.add(1);
        return put(hash, state, length, on_stack, before) || keep_beside(state, length, before);
    }

    /* False where there is no place for it: all have states of the stack, or, for one that is
     * not on it, states that are worth more. */
    bool put(uint64_t hash, const uint8_t *state, uint32_t length, uint32_t flag, uint64_t visits) {
        uint8_t *const all = buckets_ == 0 ? nullptr : bucket(hash);
        Place *chosen = nullptr;
        for (uint32_t way = 0; way < ways && all != nullptr; ++way) {
            Place *const one = place(all, way);
            if (one->tag == 0) {
                chosen = one;
                break;
            }
            if ((one->length & on_stack) == 0 && (chosen == nullptr || one->visits < chosen->visits))
                chosen = one;
        }
        if (chosen == nullptr || (flag == 0 && chosen->tag != 0 && chosen->visits > visits))
            return false;
        used_ += chosen->tag == 0;
        dropped_ += chosen->tag != 0;
        *chosen = {tag_of(hash), length | flag, visits};
        std::memcpy(state_of(chosen), state, length);
        return true;
    }

    static uint64_t bytes_beside(uint32_t length) { return uint64_t{length} + 96; }

    bool keep_beside(const uint8_t *state, uint32_t length, uint64_t visits) {
        if (!budget_.take(bytes_beside(length)))
            return false;
        beside_bytes_ += bytes_beside(length);
        try {
            beside_.emplace(std::string(reinterpret_cast<const char *>(state), length), visits);
        } catch (const std::bad_alloc &) {
            return false;
        }
        return true;
    }

    void release(uint64_t hash, const uint8_t *state, uint32_t length) {
        if (Place *const one = find(hash, state, length)) {
            one->length &= ~on_stack;
            one->visits = count_.get() - one->visits;
            return;
        }
        const auto found = beside_.find(std::string(reinterpret_cast<const char *>(state), length));
        if (found == beside_.end())
            return;
        const uint64_t visits = count_.get() - found->second;
        beside_.erase(found);
        beside_bytes_ -= bytes_beside(length);
        budget_.give(bytes_beside(length));
        dropped_ += !put(hash, state, length, 0, visits);
    }

    /* Places for states of this length. Those that find no room are dropped, or kept beside
     * where they are on the stack. */
    bool widen(uint32_t length) {
        const uint64_t width_before = width_, places_before = buckets_ * ways, copied = used_ * width_before;
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
        used_ = 0;
        for (uint8_t *one = before.get(); all && one != end; one += width_before) {
            Place *const old = reinterpret_cast<Place *>(one);
            const uint32_t own = old->length & ~on_stack, flag = old->length & on_stack;
            if (put(hash_bytes(state_of(old), own), state_of(old), own, flag, old->visits))
                continue;
            if (flag == 0)
                ++dropped_;
            else
                all = keep_beside(state_of(old), own, old->visits);
        }
        budget_.give(copied);
        return all;
    }

    const SharedLimits limits_;
    Budget &budget_;
    SharedCounts counts_;
    SharedCounts::Count &count_;
    Region table_;
    uint64_t bytes_ = 0;
    bool ready_ = false;
    uint64_t buckets_ = 0, width_ = 0;
    uint64_t used_ = 0, dropped_ = 0;
    std::unordered_map<std::string, uint64_t> beside_; /* with their visits */
    uint64_t beside_bytes_ = 0;
};

} // namespace kripke
#endif
