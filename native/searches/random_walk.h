/* random_walk.h -- runs at random: from an initial state on, of all steps any one is
 * taken, up to max_depth of them; then again, `walks` times.
 *
 * Nothing is stored but the present run, so that no model is too large; that nothing was
 * found says little. Every step out of the states met is checked, not only the one taken.
 * `states` is an estimate of how many different ones were met.
 */
#ifndef KRIPKE_RANDOM_WALK_H
#define KRIPKE_RANDOM_WALK_H

#include "memory/chance.h"
#include "searches/search.h"
#include "stores/sketch.h"
#include "memory/stack.h"

namespace kripke {

class RandomWalk final : public Search {
  public:
    RandomWalk(const kripke_model &model, const Options &options, Control &control);

    void take(uint32_t length, uint32_t label) noexcept;
    void complain(uint32_t code, uint32_t label) noexcept { found_violation(code, label); }
    uint32_t longest() const override { return longest_; }

  private:
    void explore() override;
    void keep_path(ErrorPath &error_path) override;
    uint64_t depth() const override { return deepest_; }
    uint64_t queue() const override { return ends_.size(); }
    uint64_t stored() const override { return static_cast<uint64_t>(met_.estimate() + 0.5); }
    uint64_t stored_bytes() const override { return sizeof(Sketch); }

    void walk();
    bool go_there();

    Chance chance_;
    Sketch met_;
    std::vector<uint8_t> here_, chosen_; /* where the model writes; what was chosen of what it wrote */
    uint32_t chosen_length_ = 0;
    uint64_t choices_ = 0;
    Stack<uint8_t> run_;   /* its states, one behind the other */
    Stack<uint64_t> ends_; /* where each of them ends */
    uint64_t deepest_ = 0;
    uint32_t longest_ = 0;
};

} // namespace kripke
#endif
