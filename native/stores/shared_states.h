/* shared_states.h -- a set of states that several threads fill at once.
 *
 * The states are divided by their hash among shards, each with a lock, a table and
 * memory of its own; a shard's table grows under its lock, alone. A state that was
 * entered stays where it is, so that whoever has a pointer to one reads it without a
 * lock. States are kept as they are, unpacked.
 *
 * Every state carries a word of bits for the search to use, first 0; its owner gives
 * them their meaning.
 */
#ifndef KRIPKE_SHARED_STATES_H
#define KRIPKE_SHARED_STATES_H

#include "memory/budget.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace kripke {

class SharedStates {
  public:
    struct State {
        std::atomic<uint64_t> bits;
        uint32_t length;

        const uint8_t *bytes() const { return reinterpret_cast<const uint8_t *>(this + 1); }
    };

    /* At most `max_states` are taken (0: no such limit). */
    SharedStates(Budget &budget, uint64_t max_states);
    ~SharedStates();
    SharedStates(const SharedStates &) = delete;
    SharedStates &operator=(const SharedStates &) = delete;

    enum class Insertion { found, full, no_memory };

    struct Found {
        Insertion outcome;
        State *state; /* null unless found */
    };

    /* The state, entered if it was not there. */
    Found find_or_insert(const uint8_t *bytes, uint32_t length);

    uint64_t size() const { return size_.load(std::memory_order_relaxed); }
    uint32_t longest() const { return longest_.load(std::memory_order_relaxed); } /* length of the longest state */
    uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }     /* all they take */

  private:
    static constexpr uint32_t shard_bits = 7;
    static constexpr uint64_t first_slots = 64, first_block = 4096, largest_block = 1 << 20;

    /* A slot is a state's hash and where it is. */
    struct Slot {
        uint64_t hash;
        State *state;
    };

    struct alignas(64) Shard {
        std::mutex lock;
        std::unique_ptr<Slot[]> table;
        uint64_t slots = 0, used = 0;
        std::vector<std::unique_ptr<uint64_t[]>> blocks; /* where the states are */
        uint8_t *next = nullptr, *end = nullptr;         /* room in the last of them */
    };

    bool grow(Shard &shard);
    State *make(Shard &shard, const uint8_t *bytes, uint32_t length);
    bool take(uint64_t bytes);

    Budget &budget_;
    const uint64_t max_states_;
    std::atomic<uint64_t> size_{0}, bytes_{0};
    std::atomic<uint32_t> longest_{0};
    std::unique_ptr<Shard[]> shards_;
};

} // namespace kripke
#endif
