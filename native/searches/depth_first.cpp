#include "searches/depth_first.h"

#include <algorithm>
#include <cstring>

namespace kripke {

namespace {

/* The least depth a state was met at; with reduction, its depth on the path and one more, 0: it is not there. */
uint32_t payload_bytes(const Options &options) {
    return options.reduction || options.max_depth != 0 ? sizeof(uint32_t) : 0;
}

} // namespace

DepthFirst::DepthFirst(const kripke_model &model, const Options &options, Control &control)
    : Search(model, options, control, payload_bytes(options)),
      successors_(budget_, model.max_state_bytes), frames_(budget_), pending_(budget_), components_(budget_) {
    connect(this);
}

void DepthFirst::explore() {
    if (!next_candidate_room() || !make_room(1, model().max_state_bytes))
        return;
    model().initial(this);
    push_unknown();
    while (!stopped()) {
        const uint64_t done = frames_.empty() ? 0 : frames_.top().pending;
        if (pending_.size() > done) {
            Trailer trailer;
            pending_.shrink(pending_.size() - sizeof trailer);
            std::memcpy(&trailer, pending_.end(), sizeof trailer);
            pending_.shrink(pending_.size() - trailer.length);
            visit(pending_.end(), trailer); /* it stays there until something is pushed */
        } else if (!frames_.empty()) {
            leave();
        } else {
            break;
        }
    }
    if (cut_ && !stopped())
        confirm_cut();
}

/* Try a state as the successor of the last one of the path. */
void DepthFirst::visit(const uint8_t *state, const Trailer &trailer) {
    publish_if_asked();
    if (!make_room(1, trailer.length))
        return;
    const auto [outcome, offset] =
        store_.find_or_insert(state, trailer.length, trailer.hash, store_.probe(trailer.hash));
    if (outcome == Store::Insertion::full)
        return halt(Reason::states);
    ++transitions_;
    const bool known = outcome == Store::Insertion::known;
    const uint64_t depth = frames_.size();
    if (known && seen_at(offset, depth))
        return;
    if (!frames_.push({offset, pending_.size()}))
        return halt(Reason::memory);
    deepest_ = std::max(deepest_, frames_.size());
    if (options_.reduction)
        set_beside(offset, depth + 1);
    else if (bounded())
        set_beside(offset, depth);
    if (!known)
        check_state(offset, state, trailer.length);
    if (stopped())
        return;
    muted_ = known; /* known, but nearer than before: its errors were counted */
    gather_successors(offset, state, trailer.length);
    if (options_.every_cycle)
        settle_choice(state, trailer.length);
    if (keeps_components())
        enter_component();
    if (bounded() && depth == options_.max_depth)
        look_beyond_limit();
    else
        push_unknown();
}

void DepthFirst::gather_successors(uint64_t offset, const uint8_t *state, uint32_t length) {
    successors_.clear();
    looked_up_ = 0;
    if (next_candidate_room())
        expand(offset, state, length);
}

bool DepthFirst::next_candidate_room() {
    uint8_t *room = successors_.room();
    if (room == nullptr)
        halt(Reason::memory); /* and `out` stays: what goes there is not taken */
    else
        out = room;
    return room != nullptr;
}

void DepthFirst::take(uint32_t length, uint32_t) noexcept {
    ++handed_over_;
    if (stopped())
        return;
    successors_.add(out, length);
    next_candidate_room();
}

/* Begin to look up the successors, once. */
void DepthFirst::look_up() {
    if (looked_up_ != successors_.size())
        store_.begin(successors_.begin(), successors_.end());
    looked_up_ = successors_.size();
}

/* Drop the known successors and push the others, the first one last. A successor
 * that is there twice stays, and is met as known in its turn. */
void DepthFirst::push_unknown() {
    if (stopped())
        return;
    look_up();
    for (uint64_t i = successors_.size(); i-- > 0;) {
        const Candidate &item = successors_[i];
        const uint64_t offset = store_.find(item.state, item.length, item.hash, item.probe);
        if (offset != no_state && seen_at(offset, frames_.size())) {
            ++transitions_;
            continue;
        }
        const Trailer trailer{item.hash, item.length};
        if (!pending_.make_room(item.length + sizeof trailer))
            return halt(Reason::memory);
        std::memcpy(pending_.end(), item.state, item.length);
        std::memcpy(pending_.end() + item.length, &trailer, sizeof trailer);
        pending_.extend(item.length + sizeof trailer);
    }
}

/* Of the successors of a state at the limit: is there an unknown one? */
void DepthFirst::look_beyond_limit() {
    if (stopped())
        return;
    look_up();
    for (const Candidate &item : successors_) {
        const bool known = store_.find(item.state, item.length, item.hash, item.probe) != no_state;
        transitions_ += known;
        cut_ |= !known;
    }
}

/* What was kept out by the limit may have been found by a shorter path later, or
 * the state that leads to it expanded from a smaller depth. Look once more at the
 * states that stayed at the limit. */
void DepthFirst::confirm_cut() {
    muted_ = true;
    const uint64_t transitions = transitions_;
    cut_ = false;
    for (uint64_t offset = 0; offset < store_.end() && !cut_ && !stopped();) {
        const Record record = store_.record(offset);
        if (!seen_at(offset, options_.max_depth - 1)) {
            gather_successors(offset, store_.state(record, expanded_state_), record.length);
            look_beyond_limit();
        }
        offset = record.next;
    }
    transitions_ = transitions;
}

/* All that follows the last state of the path is done. */
void DepthFirst::leave() {
    if (keeps_components()) {
        if (components_.must_take_all(frames_.size() - 1))
            return take_others();
        components_.leave();
    }
    if (options_.reduction)
        set_beside(frames_.top().state, 0);
    frames_.pop();
}

/* Where do the chosen steps lead? */
void DepthFirst::enter_component() {
    if (stopped())
        return;
    const uint64_t place = frames_.size() - 1;
    uint64_t highest = place;
    bool trapped = reduced;
    if (reduced) {
        look_up();
        for (const Candidate &item : successors_) {
            const uint64_t offset = store_.find(item.state, item.length, item.hash, item.probe);
            const uint32_t on_path = offset == no_state ? 0 : beside(offset);
            if (on_path == 0)
                trapped = false;
            else
                highest = std::min<uint64_t>(highest, on_path - 1);
        }
    }
    if (!components_.enter(!reduced, trapped, highest))
        halt(Reason::memory);
}

/* Expand the last state of the path with the steps that were left out. */
void DepthFirst::take_others() {
    const uint64_t offset = frames_.top().state;
    const Record record = store_.record(offset);
    successors_.clear();
    looked_up_ = 0;
    if (!next_candidate_room())
        return;
    muted_ = false;
    choice = other_steps;
    ask_for_successors(offset, store_.state(record, expanded_state_), record.length);
    choice = 0;
    push_unknown();
}

/* While a chosen step leads to the path, take another set of steps, at last all. */
void DepthFirst::settle_choice(const uint8_t *state, uint32_t length) {
    while (reduced && !stopped() && returns())
        choose_again(state, length);
    choice = 0;
    again = false;
}

void DepthFirst::choose_again(const uint8_t *state, uint32_t length) {
    successors_.clear();
    looked_up_ = 0;
    ++choice;
    again = true;
    if (next_candidate_room())
        model().successors(state, length, this);
}

/* Is a successor on the path, or is there none? */
bool DepthFirst::returns() {
    look_up();
    for (const Candidate &item : successors_) {
        const uint64_t offset = store_.find(item.state, item.length, item.hash, item.probe);
        if (offset != no_state && beside(offset) != 0)
            return true;
    }
    return successors_.size() == 0;
}

/* Was this known state met at this depth or a smaller one? */
bool DepthFirst::seen_at(uint64_t offset, uint64_t depth) const {
    return !bounded() || beside(offset) <= depth;
}

uint32_t DepthFirst::beside(uint64_t offset) const {
    uint32_t value;
    std::memcpy(&value, store_.record(offset).payload, sizeof value);
    return value;
}

void DepthFirst::set_beside(uint64_t offset, uint64_t value) {
    const auto kept = static_cast<uint32_t>(value);
    std::memcpy(store_.record(offset).payload, &kept, sizeof kept);
}

void DepthFirst::keep_path(ErrorPath &error_path) {
    const uint64_t length = frames_.size();
    if (!budget_.take(length * sizeof(uint64_t)))
        return; /* better without a path than not at all */
    error_path.path.resize(length);
    for (uint64_t i = 0; i < length; ++i)
        error_path.path[i] = frames_[i].state;
}

} // namespace kripke
