#include "nested_depth_first.h"

#include <algorithm>

namespace kripke {

NestedDepthFirst::NestedDepthFirst(const kripke_model &model, const Options &options, Control &control)
    : CycleSearch(model, options, control, 1), inner_gathered_(budget_, model.max_state_bytes),
      gathering_(&gathered_), frames_(budget_), pending_(budget_), inner_frames_(budget_), inner_pending_(budget_) {
    connect(this);
}

void NestedDepthFirst::explore() {
    if (!gather_initial())
        return;
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
    const Colour seen = colour(record.payload);
    if (seen != fresh)
        return meet(pending.state, seen, pending.marked);
    *record.payload = cyan;
    if (!frames_.push({pending.state, pending.marked, pending_.size(), record.payload}))
        return halt(Reason::memory);
    deepest_ = std::max(deepest_, frames_.size());
    const uint8_t *const state = store_.state(record, expanded_state_);
    gather(pending.state, state, record.length);
    if (options_.reduction) {
        settle_choice(state, record.length, [](const uint8_t *payload) { return colour(payload) == cyan; });
        /* The number of the set stays with the state, for the inner search. */
        *record.payload = static_cast<uint8_t>(cyan | (reduced ? choice : all_steps) << colour_bits);
        choice = 0;
    }
    push_successors();
}

void NestedDepthFirst::leave() {
    const Frame frame = frames_.top();
    paint(frame.payload, blue);
    frames_.pop();
    if (frame.marked && !frames_.empty())
        meet(frame.state, blue, true);
}

/* The last state of the path has an edge to a state met before. */
void NestedDepthFirst::meet(uint64_t target, Colour seen, bool marked) {
    if (!marked)
        return;
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
    gathering_ = &inner_gathered_;
    expand_inside(start);
    while (!stopped() && !inner_frames_.empty()) {
        publish_if_asked();
        if (inner_pending_.size() == inner_frames_.top().pending) {
            inner_frames_.pop();
            continue;
        }
        const uint64_t state = inner_pending_.top();
        inner_pending_.pop();
        if (colour(store_.record(state).payload) == blue)
            expand_inside(state);
    }
    muted_ = false;
    gathering_ = &gathered_;
}

void NestedDepthFirst::expand_inside(uint64_t state) {
    const Record record = store_.record(state);
    paint(record.payload, red);
    if (!inner_frames_.push({state, inner_pending_.size()}))
        return halt(Reason::memory);
    if (options_.reduction) {
        const uint32_t chosen = *record.payload >> colour_bits;
        choice = chosen == all_steps ? every_step : chosen;
    }
    gather(state, store_.state(record, expanded_state_), record.length);
    choice = 0;
    if (stopped())
        return;
    Candidates &successors = hashed(inner_gathered_);
    store_.begin_hashed(successors.begin(), successors.end());
    for (const Candidate &item : successors) {
        const uint64_t target = store_.find(item);
        if (target == no_state)
            continue; /* kept out by the depth limit */
        const Colour seen = colour(store_.payload(item, target));
        if (seen == cyan)
            return close(target);
        if (seen == blue && !inner_pending_.push(target))
            return halt(Reason::memory);
    }
}

// ---- Successors -------------------------------------------------------------

void NestedDepthFirst::gather(uint64_t offset, const uint8_t *state, uint32_t length) {
    if (!gathering_->begin(*this))
        return halt(Reason::memory);
    expand(offset, state, length);
}

void NestedDepthFirst::take(uint32_t length, uint32_t) noexcept {
    ++handed_over_;
    if (stopped())
        return;
    gather_one(*gathering_, length, marks != 0);
}

/* Store the successors; deal with those that were tried before, push the others, the
 * first one last. */
void NestedDepthFirst::push_successors() {
    store_gathered(frames_.size(), [this](uint64_t state, const uint8_t *payload, bool marked) {
        const Colour seen = colour(payload);
        if (seen != fresh)
            meet(state, seen, marked);
        else if (!pending_.push({state, marked}))
            halt(Reason::memory);
    });
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
