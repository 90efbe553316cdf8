#include "nested_depth_first.h"

#include <algorithm>

namespace kripke {

NestedDepthFirst::NestedDepthFirst(const kripke_model &model, const Options &options, Control &control)
    : Search(model, options, control, 1), successors_(budget_, model.max_state_bytes),
      inner_successors_(budget_, model.max_state_bytes), gathered_(&successors_), marked_(budget_), frames_(budget_),
      pending_(budget_), inner_frames_(budget_), inner_pending_(budget_) {
    connect(this);
}

void NestedDepthFirst::explore() {
    if (!next_candidate_room())
        return;
    model().initial(this);
    push_successors();
    while (!stopped()) {
        const uint64_t done = frames_.empty() ? 0 : frames_.top().pending;
        if (pending_.size() > done) {
            const Pending pending = pending_.top();
            pending_.pop();
            visit(pending);
        } else if (!frames_.empty()) {
            leave();
        } else {
            break;
        }
    }
}

/* Try a state as the successor of the last one of the path. */
void NestedDepthFirst::visit(const Pending &pending) {
    publish_if_asked();
    const Record record = store_.record(pending.state);
    if (colour(pending.state) != fresh)
        return meet(pending.state, pending.marked);
    *record.payload = cyan;
    if (!frames_.push({pending.state, pending_.size(), pending.marked}))
        return halt(Reason::memory);
    deepest_ = std::max(deepest_, frames_.size());
    const uint8_t *const state = store_.state(record, expanded_state_);
    gather(pending.state, state, record.length);
    if (options_.reduction)
        settle_choice(pending.state, state, record.length);
    push_successors();
}

/* Where a step of the chosen set leads back to the path, take another set, at last all.
 * The number of the set stays with the state, for the inner search. */
void NestedDepthFirst::settle_choice(uint64_t offset, const uint8_t *state, uint32_t length) {
    while (reduced && !stopped() && returns()) {
        successors_.clear();
        marked_.shrink(0);
        ++choice;
        again = true;
        if (next_candidate_room())
            model().successors(state, length, this);
    }
    *store_.record(offset).payload = static_cast<uint8_t>(cyan | (reduced ? choice : all_steps) << colour_bits);
    choice = 0;
    again = false;
}

bool NestedDepthFirst::returns() {
    store_.begin(successors_.begin(), successors_.end());
    for (const Candidate &item : successors_) {
        const uint64_t offset = store_.find(item.state, item.length, item.hash, item.probe);
        if (offset != no_state && colour(offset) == cyan)
            return true;
    }
    return successors_.size() == 0;
}

void NestedDepthFirst::leave() {
    const Frame frame = frames_.top();
    paint(frame.state, blue);
    frames_.pop();
    if (frame.marked && !frames_.empty())
        meet(frame.state, true);
}

/* The last state of the path has an edge to a state met before. */
void NestedDepthFirst::meet(uint64_t target, bool marked) {
    if (!marked)
        return;
    const Colour seen = colour(target);
    if (seen == cyan)
        close(target);
    else if (seen == blue && !options_.weak)
        search_inside(target);
}

/* A cyan state is met again: at the end of the path, or of the inner path. */
void NestedDepthFirst::close(uint64_t state) {
    Path path;
    path.reserve(frames_.size() + inner_frames_.size() + 1);
    int64_t loop = -1;
    for (uint64_t i = 0; i < frames_.size(); ++i) {
        if (frames_[i].state == state)
            loop = static_cast<int64_t>(i);
        path.push_back(frames_[i].state);
    }
    assert(loop >= 0);
    for (uint64_t i = 0; i < inner_frames_.size(); ++i)
        path.push_back(inner_frames_[i].state);
    path.push_back(state);
    found_cycle(std::move(path), loop);
}

// ---- The inner search -------------------------------------------------------

void NestedDepthFirst::search_inside(uint64_t start) {
    muted_ = true;
    gathered_ = &inner_successors_;
    expand_inside(start);
    while (!stopped() && !inner_frames_.empty()) {
        publish_if_asked();
        if (inner_pending_.size() == inner_frames_.top().pending) {
            inner_frames_.pop();
            continue;
        }
        const uint64_t state = inner_pending_.top();
        inner_pending_.pop();
        if (colour(state) == blue)
            expand_inside(state);
    }
    muted_ = false;
    gathered_ = &successors_;
}

void NestedDepthFirst::expand_inside(uint64_t state) {
    paint(state, red);
    if (!inner_frames_.push({state, inner_pending_.size()}))
        return halt(Reason::memory);
    const Record record = store_.record(state);
    if (options_.reduction) {
        const uint32_t chosen = *record.payload >> colour_bits;
        choice = chosen == all_steps ? every_step : chosen;
    }
    gather(state, store_.state(record, expanded_state_), record.length);
    choice = 0;
    if (stopped())
        return;
    store_.begin(inner_successors_.begin(), inner_successors_.end());
    for (const Candidate &item : inner_successors_) {
        const uint64_t target = store_.find(item.state, item.length, item.hash, item.probe);
        if (target == no_state)
            continue; /* kept out by the depth limit */
        const Colour seen = colour(target);
        if (seen == cyan)
            return close(target);
        if (seen == blue && !inner_pending_.push(target))
            return halt(Reason::memory);
    }
}

// ---- Successors -------------------------------------------------------------

/* The successors of a state go where gathered_ says. */
void NestedDepthFirst::gather(uint64_t offset, const uint8_t *state, uint32_t length) {
    gathered_->clear();
    if (gathered_ == &successors_)
        marked_.shrink(0);
    if (next_candidate_room())
        expand(offset, state, length);
}

bool NestedDepthFirst::next_candidate_room() {
    uint8_t *room = gathered_->room();
    if (room == nullptr)
        halt(Reason::memory); /* and `out` stays: what goes there is not taken */
    else
        out = room;
    return room != nullptr;
}

void NestedDepthFirst::take(uint32_t length, uint32_t) noexcept {
    ++handed_over_;
    if (stopped())
        return;
    gathered_->add(out, length);
    if (gathered_ == &successors_ && !marked_.push(marks != 0))
        return halt(Reason::memory);
    next_candidate_room();
}

/* Store the successors; deal with those that were tried before, push the others, the
 * first one last. */
void NestedDepthFirst::push_successors() {
    const bool at_limit = options_.max_depth != 0 && frames_.size() > options_.max_depth;
    if (stopped() || (!at_limit && !make_room(successors_.size(), successors_.bytes())))
        return;
    store_.begin(successors_.begin(), successors_.end());
    for (uint64_t i = successors_.size(); i-- > 0 && !stopped();) {
        const Candidate &item = successors_[i];
        uint64_t state;
        if (at_limit) {
            state = store_.find(item.state, item.length, item.hash, item.probe);
            if (state == no_state) {
                cut_ = true;
                continue;
            }
        } else {
            const auto [outcome, offset] = store_.find_or_insert(item.state, item.length, item.hash, item.probe);
            if (outcome == Store::Outcome::full)
                return halt(Reason::states);
            state = offset;
        }
        ++transitions_;
        if (!push_or_meet(state, marked_[i] != 0))
            return halt(Reason::memory);
    }
}

bool NestedDepthFirst::push_or_meet(uint64_t state, bool marked) {
    if (colour(state) == fresh)
        return pending_.push({state, marked});
    meet(state, marked);
    return true;
}

void NestedDepthFirst::keep_path(Finding &finding) {
    const uint64_t length = frames_.size();
    if (!budget_.take(length * sizeof(uint64_t)))
        return; /* better without a path than not at all */
    finding.path.resize(length);
    for (uint64_t i = 0; i < length; ++i)
        finding.path[i] = frames_[i].state;
}

} // namespace kripke
