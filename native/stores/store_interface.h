/* store_interface.h -- what a visited set is to the searches of a parallel search (parallel_search.h), which
 * are templates over it.
 *
 * A STORE is shared by all workers. It has
 *     static constexpr bool exact;      // does it lose nothing?
 *     static constexpr bool unfolds;    // can a state be got back from its handle?
 *     static constexpr bool identity_is_handle; // is it known before it is stored?
 *     static constexpr bool forgets;    // are states dropped that are on no stack?
 *     static constexpr uint32_t slack;  // bytes that are read behind a state
 *     Store(Budget &, const SharedLimits &, Gate &);
 *     uint64_t size() const, bytes() const;
 *     StoreFigures figures() const;     // of a store that is not exact
 *
 * A VIEW is one worker's way to it. All views are made before the first is used.
 *     bool make_room();                 // for one batch, or one state; at a safe point
 *     uint64_t identify(state, length); // what it is known by: a handle or a hash
 *     void prefetch(identity);
 *     bool contains(identity, state, length);
 *     Insertion insert(identity, state, length);
 *     uint32_t longest() const;         // of the states identified
 *   and where it is not exact
 *     uint64_t twin(identity);          // of the same state in a second set, in the same table
 *   and where the store forgets
 *     void release(identity, state, length);  // it has left the path of who inserted it
 *     void hold(identity, state, length), give_up(identity, state, length);  // it is on another's path, too; no longer
 *   and where the store unfolds
 *     void open(handle);                // what is identified next are its successors
 *     const uint8_t *state(); uint32_t length();  // of what was opened
 *     look(handle)                      // the bytes of any other, until the next look
 *     uint64_t handle_of(state, length);  // of a stored one, else 0
 *     and the store: for_each(view, each(state, length)), expect(states), alone
 *   and batches, for a breadth-first search:
 *     static constexpr bool in_order;   // of the store: what a worker stores lies in blocks, one behind the other;
 *     uint64_t open(handle);  bool begins_block(handle);  // then: the next one, and whether a block begins with it
 *     uint8_t *room();  bool add(length);  bool full() const;  uint64_t batch() const;  void clear();
 *     Insertion store_batch(fresh);       // fresh(handle) for every new state; false: stop
 *     void stop_storing();  uint64_t count_known();  // of the batch, without storing it
 *
 * The stores are FullStore, TreeStore, CollapseStore, NumberStore, HashCompactStore, BitstateStore and CacheStore.
 * A search by one thread with the full store has a faster way of its own (store.h).
 */
#ifndef KRIPKE_STORE_INTERFACE_H
#define KRIPKE_STORE_INTERFACE_H

#include "model/model.h"
#include "stores/numbering.h"

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kripke {

enum class StoreKind { full, tree, hash_compact, bitstate, cache, disk, collapse, numbers };

struct SharedLimits {
    uint32_t workers = 1;
    uint32_t max_state_bytes = 0;
    const kripke_model *model = nullptr; /* whose states they are */
    std::shared_ptr<const ValueRanges> values = {}; /* numbers: of the model; none where it does not know them */
    uint32_t suffix = 0; /* bytes at the end of a state that are not the model's own */
    uint64_t max_states = 0; /* 0: no limit */
    const volatile uint32_t *stop = nullptr; /* set to something else than 0: what takes long may end */
    // ---- Of stores that are not exact ------------------------------------------
    uint32_t hash_bits = 64;  /* of a state; hash compaction: 32, 40 or 64 */
    uint32_t hashes = 4;      /* bits set for a state; bitstate */
    uint64_t table_bytes = 0; /* bitstate, cache */
    bool first_goes = false;  /* cache: the first state that may go, not the one that is worth least */
    uint64_t seed = 0;        /* of the hash function */
    // ---- On disk -----------------------------------------------------------------
    std::string folder; /* where files are made */
};

/* `known` also stands for "nothing new": go on. */
enum class Insertion { known, inserted, full, no_memory };

/* What a store that is not exact, or forgets, knows about itself. */
struct StoreFigures {
    double fill = 0;    /* part of the bits or slots in use */
    double omitted = 0; /* estimate of the states taken for others */
    uint64_t dropped = 0; /* of a cache: states that made room for others */
    std::vector<std::pair<std::string, uint64_t>> components = {}; /* of a collapse: different ones in each table */
    uint32_t number_bits = 0; /* of the longest number; numbers */
};

/* How many states the workers have stored, counted by each for itself. */
class SharedCounts {
  public:
    class alignas(64) Count {
      public:
        void add(uint64_t more) {
            value_.store(value_.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
        }
        uint64_t get() const { return value_.load(std::memory_order_relaxed); }

      private:
        std::atomic<uint64_t> value_{0};
    };

    explicit SharedCounts(uint64_t most) : left_(most) {}

    /* Before the workers begin. */
    Count &add_worker() { return counts_.emplace_back(); }

    uint64_t total() const {
        uint64_t sum = 0;
        for (const Count &count : counts_)
            sum += count.get();
        return sum;
    }

    /* Where there is a limit: may one more be stored? Give back what was not used. */
    bool reserve() {
        uint64_t left = left_.load(std::memory_order_relaxed);
        while (left != 0)
            if (left_.compare_exchange_weak(left, left - 1, std::memory_order_relaxed))
                return true;
        return false;
    }
    void give_back() { left_.fetch_add(1, std::memory_order_relaxed); }

  private:
    std::deque<Count> counts_;
    std::atomic<uint64_t> left_;
};

} // namespace kripke
#endif
