#include "searches/random_walk.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace kripke {

RandomWalk::RandomWalk(const kripke_model &model, const Options &options, Control &control)
    : Search(model, options, control, 0), chance_(options.seed), here_(model.max_state_bytes),
      chosen_(model.max_state_bytes), run_(budget_), ends_(budget_) {
    connect(this);
    out = here_.data();
}

void RandomWalk::explore() {
    for (uint64_t done = 0; done < options_.walks && !stopped(); ++done)
        walk();
    halt(Reason::walks);
}

void RandomWalk::walk() {
    run_.shrink(0);
    ends_.shrink(0);
    choices_ = 0;
    muted_ = false;
    model().initial(this);
    while (!stopped() && choices_ != 0 && go_there()) {
        publish_if_asked();
        const uint64_t depth = ends_.size() - 1, start = depth == 0 ? 0 : ends_[depth - 1];
        deepest_ = std::max(deepest_, depth);
        const uint8_t *state = &run_[start];
        check_state(depth, state, chosen_length_);
        choices_ = 0;
        if (!stopped())
            expand(depth, state, chosen_length_);
        if (options_.max_depth != 0 && depth == options_.max_depth)
            return;
    }
}

/* The state that was chosen becomes the last one of the run. */
bool RandomWalk::go_there() {
    if (!run_.make_room(chosen_length_) || !ends_.push(run_.size() + chosen_length_)) {
        halt(Reason::memory);
        return false;
    }
    std::memcpy(run_.end(), chosen_.data(), chosen_length_);
    run_.extend(chosen_length_);
    longest_ = std::max(longest_, chosen_length_);
    met_.add(hash_bytes(chosen_.data(), chosen_length_));
    return true;
}

/* Of all that come, each is chosen with the same probability. */
void RandomWalk::take(uint32_t length, uint32_t) noexcept {
    ++handed_over_;
    ++transitions_;
    if (chance_.below(++choices_) != 0)
        return;
    std::swap(here_, chosen_);
    chosen_length_ = length;
    out = here_.data();
}

void RandomWalk::keep_path(ErrorPath &error_path) {
    for (uint64_t i = 0, start = 0; i < ends_.size(); start = ends_[i], ++i)
        error_path.states.emplace_back(reinterpret_cast<const char *>(&run_[start]), ends_[i] - start);
}

} // namespace kripke
