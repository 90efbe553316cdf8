/* candidates.h -- states a model has emitted that were not looked up yet.
 *
 * They lie one behind the other; only the one being written has room for the
 * longest state, so that a batch stays in the nearest cache whatever
 * max_state_bytes is.
 */
#ifndef KRIPKE_CANDIDATES_H
#define KRIPKE_CANDIDATES_H

#include "memory/region.h"
#include "stores/store.h"

#include <algorithm>
#include <cstdint>

namespace kripke {

using Candidate = Store::Candidate;

class Candidates {
  public:
    Candidates(Budget &budget, uint32_t max_state_bytes)
        : max_state_bytes_(max_state_bytes), bytes_(budget), items_(budget) {}

    /* Where the next state is to be written: room for max_state_bytes, and a little
     * behind it (see Store::sift). Null where there is no memory for that. */
    uint8_t *room() {
        if (end_of_bytes_ < bytes_limit_ && end_ != limit_) [[likely]]
            return end_of_bytes_;
        return more_room();
    }

    /* Take the `length` bytes written at `state`, which is what room() gave. */
    void add([[maybe_unused]] const uint8_t *state, uint32_t length) {
        assert(state == end_of_bytes_ && "the model has moved its sink's out");
        assert(length <= max_state_bytes_ && "the model emitted too long a state");
        end_->state = end_of_bytes_;
        end_->length = length;
        ++end_;
        end_of_bytes_ += length;
    }

    /* Where the next state of a batch goes; null where there are enough to be looked
     * up together (more would leave the nearest cache before their turn comes), or
     * there is no memory for more. */
    uint8_t *room_in_batch() { return end_of_bytes_ < batch_bytes_limit_ && end_ < batch_limit_ ? end_of_bytes_ : nullptr; }

    void clear() {
        end_of_bytes_ = bytes_.data();
        end_ = begin();
    }

    uint64_t size() const { return static_cast<uint64_t>(end_ - begin()); }
    uint64_t bytes() const { return static_cast<uint64_t>(end_of_bytes_ - bytes_.data()); }
    Candidate &operator[](uint64_t i) { return begin()[i]; }
    Candidate *begin() { return reinterpret_cast<Candidate *>(items_.data()); }
    const Candidate *begin() const { return reinterpret_cast<const Candidate *>(items_.data()); }
    Candidate *end() { return end_; }

  private:
    static constexpr uint64_t batch_states = 128;
    static constexpr uint64_t batch_bytes = 16 << 10;
    static constexpr uint64_t reserve = uint64_t{1} << 38;

    uint8_t *more_room();

    uint32_t max_state_bytes_;
    Region bytes_, items_; /* what lies there never moves */
    /* Up to the limits there is room for one more. */
    uint8_t *end_of_bytes_ = nullptr, *bytes_limit_ = nullptr, *batch_bytes_limit_ = nullptr;
    Candidate *end_ = nullptr, *limit_ = nullptr, *batch_limit_ = nullptr;
};

inline uint8_t *Candidates::more_room() {
    if (bytes_.data() == nullptr) {
        if (!bytes_.reserve(reserve, 1, 32) || !items_.reserve(reserve, 1, 32))
            return nullptr;
        clear();
    }
    const uint64_t one = uint64_t{max_state_bytes_} + ShortPlan::slack;
    if (!bytes_.ensure(bytes() + one) || !items_.ensure((size() + 1) * sizeof(Candidate)))
        return nullptr;
    bytes_limit_ = bytes_.data() + (bytes_.usable() - one + 1);
    limit_ = begin() + items_.usable() / sizeof(Candidate);
    batch_bytes_limit_ = std::min(bytes_limit_, bytes_.data() + batch_bytes);
    batch_limit_ = std::min(limit_, begin() + batch_states);
    return end_of_bytes_;
}

} // namespace kripke
#endif
