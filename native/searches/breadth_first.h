/* breadth_first.h -- states in the order of their distance from the initial ones.
 *
 * The arena of the store is the queue: what lies before `next_` was expanded.
 * Successors, of several states if need be, are gathered to a batch and looked
 * up together. The places where a layer begins are remembered; from these, and
 * by expanding again, shortest paths are found without a parent pointer per
 * state (retrace.h).
 *
 * With partial-order reduction (reduced.h) a set of steps is not enough if all of them
 * lead to states that were expanded before: around a cycle nothing is put off for ever.
 * The distances are then those by the chosen steps.
 *
 * Invariant: layer d is the records from layers_[d] to layers_[d + 1] (the last:
 * to the end of the store) and holds states whose distance from an initial state
 * is d; all of them, but for the last layer while the one before is expanded.
 */
#ifndef KRIPKE_BREADTH_FIRST_H
#define KRIPKE_BREADTH_FIRST_H

#include "stores/candidates.h"
#include "searches/search.h"
#include "memory/stack.h"

namespace kripke {

class BreadthFirst final : public Search {
  public:
    BreadthFirst(const kripke_model &model, const Options &options, Control &control);

    void take(uint32_t length, uint32_t label) noexcept;
    void complain(uint32_t code, uint32_t label) noexcept { found_violation(code, label); }

  private:
    void explore() override;
    void make_paths() override;
    uint64_t depth() const override;
    uint64_t queue() const override { return store_.size() - expanded_; }

    void expand_layer();
    void settle_choice(const uint8_t *state, uint32_t length);
    bool leads_on();
    void turn_over() noexcept;
    void flush();
    bool store_batch();
    void look_beyond_limit();

    Candidates batch_;
    Stack<uint64_t> layers_; /* where each begins */
    uint64_t next_ = 0;      /* the next record to expand */
    uint64_t expanded_ = 0;  /* how many were */
    bool storing_ = true;    /* false while the layer at the limit is expanded */
};

} // namespace kripke
#endif
