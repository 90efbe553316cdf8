/* traversal.h -- every state and every step of a model, handed out in batches.
 *
 * States are numbered from 0 in breadth-first order, the initial ones first.
 * `expand` takes the next states in that order and tells the steps out of them;
 * after it has come to an end, `rewind` and `read` hand out the states once more.
 * What is kept is the visited set alone: a batch is all the memory beside it.
 *
 * A limit of states or memory keeps states out, and the steps to them: the walk is
 * then not complete, but what it hands out is consistent.
 */
#ifndef KRIPKE_TRAVERSAL_H
#define KRIPKE_TRAVERSAL_H

#include "memory/budget.h"
#include "stores/candidates.h"
#include "model/sink.h"
#include "stores/store.h"

#include <cstdint>
#include <vector>

namespace kripke {

/* States as rows of one matrix, filled up with 0. */
struct StateBatch {
    uint64_t first = 0;  /* number of the first one */
    uint32_t stride = 0; /* bytes of a row: the length of the longest */
    std::vector<uint8_t> rows;
    std::vector<uint32_t> lengths;

    uint64_t size() const { return lengths.size(); }
};

/* Steps out of the states of a batch. */
struct StepBatch {
    static constexpr uint64_t nowhere = UINT64_MAX; /* target of a step that a violation ended */
    std::vector<uint64_t> sources, targets;
    std::vector<uint32_t> labels;
    std::vector<int32_t> violations; /* code, or -1 */
    std::vector<uint32_t> depths;    /* of each state: its distance from an initial one */
    std::vector<uint8_t> deadlocks;  /* of each state: 1 where it has no step and is no valid end */
};

class Walk final : public Sink {
  public:
    /* Limits of 0 are none. */
    Walk(const kripke_model &model, uint64_t max_states, uint64_t memory_limit);

    /* The next states, at most `count`, and the steps out of them; false when there
     * are none left. */
    bool expand(uint64_t count, StateBatch &states, StepBatch &steps);

    /* Start again with state 0, and read the next states, at most `count`. */
    void rewind() { reading_ = read_ = 0; }
    bool read(uint64_t count, StateBatch &states);

    bool complete() const { return reason_ == nullptr; }
    const char *reason() const { return reason_ == nullptr ? "" : reason_; } /* "states" or "memory" */
    uint64_t size() const { return store_.size(); }
    uint64_t initial_count() const { return initial_count_; } /* states; handed over: initial_steps() */
    uint64_t initial_steps() const { return initial_steps_; }
    uint32_t longest() const { return store_.longest(); }

    void take(uint32_t length, uint32_t label) noexcept;
    void complain(uint32_t code, uint32_t label) noexcept;

  private:
    struct Origin {
        uint64_t source;
        uint32_t label;
    };

    void flush();
    void fill(StateBatch &states, uint64_t offset, uint64_t end_offset);
    uint64_t number_of(uint64_t offset) const;
    void stop(const char *reason);

    const volatile uint32_t never_ = 0;
    Budget budget_;
    Store store_;
    StateBuffer state_;
    Candidates candidates_;
    std::vector<Origin> origins_; /* of the candidates */
    StepBatch *steps_ = nullptr;  /* where steps go; null while the initial states come in */

    uint64_t source_ = 0;      /* the state being expanded */
    uint64_t handed_over_ = 0; /* states and violations the model came with */
    uint64_t next_ = 0;        /* offset of the next state to expand */
    uint64_t expanded_ = 0;    /* how many were expanded */
    uint32_t depth_ = 0;
    uint64_t layer_end_ = 0; /* number of the first state of the next layer */
    uint64_t initial_count_ = 0, initial_steps_ = 0;
    uint64_t reading_ = 0, read_ = 0; /* offset and number of the next state to read */
    const char *reason_ = nullptr;
    bool out_of_memory_ = false;
};

} // namespace kripke
#endif
