/* candidates.h -- states a model has emitted that were not looked up yet.
 *
 * They are packed tightly; only the one being written has room for the longest
 * state, so that a batch stays in the nearest cache whatever max_state_bytes is.
 * They are hashed together, not as they arrive: a state that was written byte by
 * byte a moment ago cannot be read in words yet without waiting, and the hashes of
 * several overlap.
 */
#ifndef KRIPKE_CANDIDATES_H
#define KRIPKE_CANDIDATES_H

#include "hash.h"
#include "stack.h"
#include "store.h"

#include <cstdint>

namespace kripke {

struct Candidate {
    const uint8_t *state;
    uint64_t hash;
    Store::Probe probe;
    uint32_t length;
};

class Candidates {
  public:
    Candidates(Budget &budget, uint32_t max_state_bytes)
        : max_state_bytes_(max_state_bytes), bytes_(budget), items_(budget) {}

    /* Where the next state is to be written: room for max_state_bytes. Null
     * where there is no memory for that. */
    uint8_t *room() { return bytes_.make_room(max_state_bytes_) && items_.make_room(1) ? bytes_.end() : nullptr; }

    /* Take the `length` bytes written at `state`, which is what room() gave. */
    void add([[maybe_unused]] const uint8_t *state, uint32_t length) {
        assert(state == bytes_.end() && "the model has moved its sink's out");
        assert(length <= max_state_bytes_ && "the model emitted too long a state");
        Candidate &item = *items_.end();
        item.state = bytes_.end();
        item.length = length;
        items_.extend(1);
        bytes_.extend(length);
    }

    /* Hash all, and fetch their lines of the store's table. */
    void hash_for(const Store &store) {
        for (Candidate &item : *this) {
            item.hash = hash_bytes(item.state, item.length);
            store.prefetch(item.hash);
        }
    }

    /* Enough to be looked up together? More would leave the nearest cache before
     * their turn comes. */
    bool batch_full() const { return items_.size() >= batch_states || bytes_.size() >= batch_bytes; }

    void clear() {
        items_.shrink(0);
        bytes_.shrink(0);
    }

    uint64_t size() const { return items_.size(); }
    uint64_t bytes() const { return bytes_.size(); }
    Candidate &operator[](uint64_t i) { return items_[i]; }
    Candidate *begin() { return items_.end() - items_.size(); }
    Candidate *end() { return items_.end(); }

  private:
    static constexpr uint64_t batch_states = 64;
    static constexpr uint64_t batch_bytes = 16 << 10;

    uint32_t max_state_bytes_;
    Stack<uint8_t> bytes_;
    Stack<Candidate> items_;
};

} // namespace kripke
#endif
