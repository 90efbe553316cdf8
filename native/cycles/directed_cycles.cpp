#include "cycles/directed_cycles.h"

#include <algorithm>
#include <cstring>
#include <queue>
#include <string>
#include <unordered_map>

namespace kripke {

namespace {
constexpr uint32_t in_no_cycle = 0, in_every_cycle = 1; /* kinds; 2: in some */
}

DirectedCycles::DirectedCycles(const kripke_model &model, const Options &options, Control &control)
    : Search(model, options, control, sizeof(Node)), guide_(model, options_.guidance, control.stop_word()),
      open_(budget_, options.guidance.newest), gathered_(budget_, model.max_state_bytes), edges_(budget_),
      frames_(budget_), only_nested_(options.order == Order::directed_depth_first) {
    connect(this);
}

DirectedCycles::Node DirectedCycles::read(uint64_t offset) const {
    Node node;
    std::memcpy(&node, store_.record(offset).payload, sizeof node);
    return node;
}

void DirectedCycles::write(uint64_t offset, const Node &node) {
    std::memcpy(store_.record(offset).payload, &node, sizeof node);
}

// ---- The observer ------------------------------------------------------------------

uint32_t DirectedCycles::watching(const uint8_t *state, uint32_t length) const {
    const uint32_t suffix = options_.guidance.suffix;
    uint32_t found = state[length - suffix];
    if (suffix == 2)
        found |= uint32_t{state[length - 1]} << 8;
    return found;
}

uint32_t DirectedCycles::observer_state(uint64_t offset) {
    const Record record = store_.record(offset);
    return watching(store_.state(record, expanded_state_), record.length);
}

uint32_t DirectedCycles::kind(uint64_t offset) { return options_.guidance.kinds[observer_state(offset)]; }
uint32_t DirectedCycles::component(uint64_t offset) { return options_.guidance.components[observer_state(offset)]; }

// ---- The open list -----------------------------------------------------------------

void DirectedCycles::explore() {
    if (!gathered_.begin(*this))
        return halt(Reason::memory);
    if (!make_room(1, model().max_state_bytes)) /* what comes is hashed, for a table that must be there */
        return;
    model().initial(this);
    store_gathered(no_state, 0);
    for (uint64_t i = 0; i < edges_.size() && !stopped(); ++i)
        put(edges_[i].target, no_state, 0);
    edges_.shrink(0);
    Waiting next;
    while (!stopped() && open_.take(next)) {
        --waiting_;
        const Node node = read(next.state);
        if (node.closed || node.steps != next.steps)
            continue; /* it was put elsewhere since, or searched already */
        if (only_nested_ || kind(next.state) != in_no_cycle) {
            nested(next.state);
            continue;
        }
        close(next.state);
        if (!gather(next.state))
            return;
        store_gathered(next.state, node.steps + 1);
        for (uint64_t i = 0; i < edges_.size() && !stopped(); ++i)
            put(edges_[i].target, next.state, node.steps + 1);
        edges_.shrink(0);
        publish_if_asked();
    }
}

/* A way of so many steps to a state that is stored. */
void DirectedCycles::put(uint64_t offset, uint64_t parent, uint32_t steps) {
    Node node = read(offset);
    if (node.closed || (node.waits && node.steps <= steps))
        return;
    node.parent = parent;
    node.steps = steps;
    node.waits = 1;
    write(offset, node);
    deepest_ = std::max<uint64_t>(deepest_, steps);
    uint64_t estimate = 0;
    const Record record = store_.record(offset);
    const uint8_t *const state = store_.state(record, expanded_state_);
    const Guidance &guidance = options_.guidance;
    if (!only_nested_ && guidance.kinds[watching(state, record.length)] == in_no_cycle)
        estimate = guide_.steps(state, record.length);
    if (guide_.lost || !open_.put(guidance.behind * steps + guidance.ahead * estimate, {offset, steps}))
        return halt(Reason::memory);
    ++waiting_;
}

void DirectedCycles::close(uint64_t offset) {
    Node node = read(offset);
    node.closed = 1;
    write(offset, node);
    ++expansions_.expanded;
}

// ---- Successors --------------------------------------------------------------------

void DirectedCycles::take(uint32_t length, uint32_t) noexcept {
    ++handed_over_;
    if (stopped())
        return;
    if (gathered_.states().size() != 0)
        store_.hash(gathered_.states().end()[-1]);
    if (!gathered_.take(*this, length, marks != 0))
        halt(Reason::memory);
}

/* The successors of a state are gathered. False if stopped. */
bool DirectedCycles::gather(uint64_t offset) {
    if (!gathered_.begin(*this)) {
        halt(Reason::memory);
        return false;
    }
    const Record record = store_.record(offset);
    ask_for_successors(offset, store_.state(record, expanded_state_), record.length);
    return !stopped();
}

/* Store what was gathered, and put edges to it on the stack of edges, in their order. */
void DirectedCycles::store_gathered(uint64_t parent, uint32_t steps) {
    Candidates &states = gathered_.states();
    if (stopped() || !make_room(states.size(), states.bytes()))
        return;
    if (states.size() != 0)
        store_.hash(states.end()[-1]);
    store_.begin_hashed(states.begin(), states.end());
    for (uint64_t i = 0; i < states.size(); ++i) {
        const Candidate &item = states[i];
        const auto [outcome, offset] = store_.find_or_insert(item);
        if (outcome == Store::Insertion::full)
            return halt(Reason::states);
        ++transitions_;
        if (outcome == Store::Insertion::inserted) {
            const Node node{parent, steps, 0, 0, 0, 0};
            std::memcpy(store_.payload(item, offset), &node, sizeof node);
        }
        if (!edges_.push({offset, gathered_.edges()[i]}))
            return halt(Reason::memory);
    }
}

// ---- The nested search -------------------------------------------------------------

/* Depth-first from a state, inside the component that it is in. */
void DirectedCycles::nested(uint64_t root) {
    enter(root);
    while (!stopped() && !frames_.empty()) {
        publish_if_asked();
        Frame &frame = frames_.top();
        if (frame.next == frame.last) {
            leave();
            continue;
        }
        const Edge edge = edges_[frame.next++];
        look_at(edge);
    }
    if (stopped())
        return;
    edges_.shrink(0);
}

void DirectedCycles::enter(uint64_t offset) {
    close(offset);
    Node node = read(offset);
    node.height = static_cast<uint32_t>(frames_.size() + 1);
    write(offset, node);
    const uint64_t first = edges_.size();
    /* An error in a step from here needs the way to it. */
    if (!frames_.push({offset, first, first, first}))
        return halt(Reason::memory);
    deepest_ = std::max<uint64_t>(deepest_, node.steps);
    if (!gather(offset))
        return;
    store_gathered(offset, node.steps + 1);
    frames_.top().last = edges_.size();
}

void DirectedCycles::look_at(const Edge &edge) {
    const uint64_t state = frames_.top().state;
    const Node target = read(edge.target);
    const bool inside = component(edge.target) == component(state);
    if (inside && target.height != 0 && (edge.marked || kind(state) == in_every_cycle))
        return report(target.height - 1, {edge.target});
    if (target.closed)
        return;
    const uint32_t steps = read(state).steps + 1;
    if (!inside && !only_nested_)
        return put(edge.target, state, steps);
    Node entered = target;
    entered.parent = state;
    entered.steps = steps;
    write(edge.target, entered);
    enter(edge.target);
}

void DirectedCycles::leave() {
    const Frame frame = frames_.top();
    const uint32_t of = kind(frame.state);
    if (of != in_no_cycle && of != in_every_cycle)
        for (uint64_t i = frame.first; i < frame.last && !stopped(); ++i)
            if (edges_[i].marked && component(edges_[i].target) == component(frame.state))
                way_back(frame.state, edges_[i].target);
    if (stopped())
        return;
    edges_.shrink(frame.first);
    frames_.pop();
    Node node = read(frame.state);
    node.height = 0;
    write(frame.state, node);
}

uint32_t DirectedCycles::distance(uint64_t offset) const {
    StateBuffer buffer(model().max_state_bytes);
    const Record record = store_.record(offset);
    const uint8_t *const state = store_.state(record, buffer);
    const uint64_t common = std::min<uint64_t>(record.length, seed_.size());
    uint32_t found = static_cast<uint32_t>(std::max<uint64_t>(record.length, seed_.size()) - common);
    for (uint64_t i = 0; i < common; ++i)
        found += state[i] != static_cast<uint8_t>(seed_[i]);
    return found;
}

/* From the target of a marked edge of the last state of the stack back to it, or to a state before it. No state need be
 * seen by two second searches: those behind it that led to the stack would have been found. */
void DirectedCycles::way_back(uint64_t seed, uint64_t start) {
    Node node = read(start);
    if (node.height != 0)
        return report(node.height - 1, {start});
    if (node.returning)
        return;
    const Record record = store_.record(seed);
    seed_.assign(reinterpret_cast<const char *>(store_.state(record, expanded_state_)), record.length);
    node.returning = 1;
    write(start, node);
    muted_ = true;
    std::unordered_map<uint64_t, uint64_t> before{{start, no_state}};
    std::priority_queue<Back> waiting;
    uint64_t order = 0;
    waiting.push({distance(start), order, start});
    const uint64_t first = edges_.size();
    while (!stopped() && !waiting.empty()) {
        publish_if_asked();
        const uint64_t state = waiting.top().state;
        waiting.pop();
        ++expansions_.reopened;
        if (!gather(state))
            break;
        store_gathered(state, read(state).steps + 1);
        for (uint64_t i = first; i < edges_.size() && !stopped(); ++i) {
            const uint64_t target = edges_[i].target;
            if (component(target) != component(seed))
                continue;
            Node met = read(target);
            if (met.height != 0) {
                Path way{target};
                for (uint64_t at = state; at != no_state; at = before[at])
                    way.push_back(at);
                std::reverse(way.begin(), way.end());
                report(met.height - 1, way);
            } else if (!met.returning) {
                met.returning = 1;
                write(target, met);
                before[target] = state;
                waiting.push({distance(target), ++order, target});
            }
        }
        edges_.shrink(first);
    }
    muted_ = false;
}

// ---- Errors ------------------------------------------------------------------------

/* The stack, and on to its state at `loop` by a way from its end. */
void DirectedCycles::report(uint64_t loop, const Path &way) {
    Path path;
    for (uint64_t at = read(frames_[0].state).parent; at != no_state; at = read(at).parent)
        path.push_back(at);
    std::reverse(path.begin(), path.end());
    const uint64_t lead = path.size();
    for (uint64_t i = 0; i < frames_.size(); ++i)
        path.push_back(frames_[i].state);
    path.insert(path.end(), way.begin(), way.end());
    found_cycle(std::move(path), static_cast<int64_t>(lead + loop));
}

void DirectedCycles::keep_path(ErrorPath &error_path) {
    Path way;
    for (uint64_t offset = error_path.state; offset != no_state; offset = read(offset).parent)
        way.push_back(offset);
    std::reverse(way.begin(), way.end());
    error_path.set(std::move(way));
}

} // namespace kripke
