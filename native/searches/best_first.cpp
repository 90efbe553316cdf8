#include "searches/best_first.h"

#include <algorithm>
#include <cstring>

namespace kripke {

BestFirst::BestFirst(const kripke_model &model, const Options &options, Control &control)
    : Search(model, options, control, sizeof(Node)), guide_(model, options_.guidance, control.stop_word()),
      open_(budget_, options.guidance.newest), gathered_(budget_, model.max_state_bytes) {
    connect(this);
}

BestFirst::Node BestFirst::read(const uint8_t *payload) {
    Node node;
    std::memcpy(&node, payload, sizeof node);
    return node;
}

void BestFirst::write(uint8_t *payload, const Node &node) { std::memcpy(payload, &node, sizeof node); }

void BestFirst::explore() {
    if (!gather_room())
        return;
    model().initial(this);
    meet_gathered(no_state, 0);
    Waiting next;
    while (!stopped() && open_.take(next)) {
        const Record record = store_.record(next.state);
        Node node = read(record.payload);
        if (node.closed || node.steps != next.steps)
            continue; /* it was put elsewhere since */
        --open_count_;
        muted_ = node.expanded; /* its errors were counted */
        node.closed = node.expanded = 1;
        write(record.payload, node);
        ++expansions_.expanded;
        if (!gather_room())
            return;
        const uint8_t *const state = store_.state(record, expanded_state_);
        ask_for_successors(next.state, state, record.length);
        if (options_.reduction)
            settle_choice(state, record.length);
        if (handed_over_ == 0 && !muted_ && !node.looked && !stopped())
            found_deadlock(next.state, state, record.length);
        meet_gathered(next.state, next.steps + 1);
        publish_if_asked();
    }
}

/* Nothing is gathered, and there is room for one. */
bool BestFirst::gather_room() {
    gathered_.clear();
    handed_over_ = 0;
    out = gathered_.room();
    if (out == nullptr)
        halt(Reason::memory);
    return out != nullptr;
}

void BestFirst::take(uint32_t length, uint32_t) noexcept {
    ++handed_over_;
    if (stopped())
        return;
    gathered_.add(out, length);
    uint8_t *const room = gathered_.room();
    if (room == nullptr)
        return halt(Reason::memory); /* `out` stays: what goes there is not taken */
    out = room;
}

void BestFirst::complain(uint32_t code, uint32_t label) noexcept {
    if (options_.stop_at_first && !stopped())
        transitions_ += gathered_.size() + 1; /* the steps up to the one that fails */
    found_violation(code, label);
}

void BestFirst::begin_lookups() {
    for (Candidate &item : gathered_)
        store_.hash(item);
    store_.begin_hashed(gathered_.begin(), gathered_.end());
}

/* While no chosen step leads on, take another set of them, at last all. */
void BestFirst::settle_choice(const uint8_t *state, uint32_t length) {
    while (reduced && !options_.deadlocks_only && !stopped() && !leads_on()) {
        if (!gather_room())
            break;
        ++choice;
        again = true;
        model().successors(state, length, this);
    }
    choice = 0;
    again = false;
}

bool BestFirst::leads_on() {
    begin_lookups();
    for (const Candidate &item : gathered_) {
        const uint64_t offset = store_.find(item);
        if (offset == no_state || !read(store_.payload(item, offset)).closed)
            return true;
    }
    return false;
}

/* The successors of a state at the end of a way of so many steps less one. */
void BestFirst::meet_gathered(uint64_t parent, uint32_t steps) {
    if (stopped() || !make_room(gathered_.size(), gathered_.bytes()))
        return;
    begin_lookups();
    for (const Candidate &item : gathered_) {
        meet(item, parent, steps);
        if (stopped())
            return;
    }
}

void BestFirst::meet(const Candidate &item, uint64_t parent, uint32_t steps) {
    const auto [outcome, offset] = store_.find_or_insert(item);
    if (outcome == Store::Insertion::full)
        return halt(Reason::states);
    ++transitions_;
    uint8_t *const payload = store_.payload(item, offset);
    Node node = read(payload);
    if (outcome == Store::Insertion::inserted) {
        node = {parent, steps, 0, 0, 0, 0};
        write(payload, node); /* an error needs its path */
        deepest_ = std::max<uint64_t>(deepest_, steps);
        first_look(offset, node, item.state, item.length);
        if (stopped())
            return;
    } else if (steps < node.steps && options_.guidance.behind != 0) {
        node.parent = parent;
        node.steps = steps;
        expansions_.reopened += node.closed;
        open_count_ -= !node.closed;
        node.closed = 0;
    } else {
        return;
    }
    write(payload, node);
    const Guidance &guidance = options_.guidance;
    if (!open_.put(guidance.behind * steps + guidance.ahead * node.estimate, {offset, steps}))
        return halt(Reason::memory);
    ++open_count_;
}

/* Errors of the state itself, and its estimate: at least 1, where there is one, since it is no goal. */
void BestFirst::first_look(uint64_t offset, Node &node, const uint8_t *state, uint32_t length) {
    check_state(offset, state, length);
    if (stopped())
        return;
    const uint32_t steps = guide_.steps(state, length);
    if (guide_.lost)
        return halt(Reason::memory);
    const bool blind = options_.guidance.blind();
    node.looked = blind || steps == 0;
    node.estimate = blind ? 0 : std::max<uint32_t>(steps, 1);
    if (node.looked && options_.deadlock && !guide_.can_move(state, length) && !stopped())
        found_deadlock(offset, state, length);
}

void BestFirst::keep_path(ErrorPath &error_path) {
    Path way;
    for (uint64_t offset = error_path.state; offset != no_state; offset = read(store_.record(offset).payload).parent)
        way.push_back(offset);
    std::reverse(way.begin(), way.end());
    error_path.set(std::move(way));
}

} // namespace kripke
