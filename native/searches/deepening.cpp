#include "searches/deepening.h"

#include <algorithm>
#include <cstring>

namespace kripke {

Deepening::Deepening(const kripke_model &model, const Options &options, Control &control)
    : Search(model, options, control, sizeof(Node)), guide_(model, options_.guidance, control.stop_word()),
      gathered_(budget_, model.max_state_bytes), pending_(budget_), path_(budget_), ends_(budget_),
      limited_(options.order == Order::deepening) {
    connect(this);
}

void Deepening::explore() {
    limit_ = limited_ ? 0 : no_limit;
    do {
        ++expansions_.rounds;
        above_ = no_limit;
        if (begin_round())
            search_round();
        if (bits_)
            most_met_ = std::max(most_met_, bits_->size());
        limit_ = above_;
    } while (!stopped() && above_ != no_limit);
}

/* Nothing was met in this round yet. */
bool Deepening::begin_round() {
    pending_.shrink(0);
    shrink_path(0);
    if (options_.store != StoreKind::bitstate)
        return true;
    view_.reset();
    SharedLimits limits = options_.shared;
    limits.workers = 1;
    limits.max_states = options_.max_states;
    bits_.emplace(budget_, limits, gate_);
    view_.emplace(*bits_);
    if (!view_->make_room())
        halt(Reason::memory);
    return !stopped();
}

void Deepening::search_round() {
    if (!gather_room())
        return;
    muted_ = expansions_.rounds > 1;
    model().initial(this);
    push_gathered(0);
    while (!stopped() && !pending_.empty()) {
        Trailer trailer;
        pending_.shrink(pending_.size() - sizeof trailer);
        std::memcpy(&trailer, pending_.end(), sizeof trailer);
        pending_.shrink(pending_.size() - trailer.length);
        shrink_path(trailer.steps);
        visit(pending_.end(), trailer); /* it stays there until something is pushed */
        publish_if_asked();
    }
}

void Deepening::visit(const uint8_t *state, const Trailer &trailer) {
    ++transitions_;
    if (!push_path(state, trailer.length)) /* an error needs its path */
        return halt(Reason::memory);
    if (!(bits_ ? meet_in_bits(state, trailer) : meet_in_store(state, trailer)))
        return;
    ++expansions_.expanded;
    deepest_ = std::max<uint64_t>(deepest_, trailer.steps);
    if (!gather_room())
        return;
    const uint64_t end = ends_.top();
    const uint8_t *const kept = &path_[end - trailer.length];
    muted_ = told_;
    ask_for_successors(0, kept, trailer.length);
    if (handed_over_ == 0 && !muted_ && !looked_ && !stopped())
        found_deadlock(0, kept, trailer.length);
    push_gathered(trailer.steps + 1);
}

/* Is it to be expanded? */
bool Deepening::meet_in_store(const uint8_t *state, const Trailer &trailer) {
    if (!make_room(1, trailer.length))
        return false;
    const uint64_t hash = hash_bytes(state, trailer.length);
    const auto [outcome, offset] = store_.find_or_insert(state, trailer.length, hash, store_.probe(hash));
    if (outcome == Store::Insertion::full) {
        halt(Reason::states);
        return false;
    }
    uint8_t *const payload = store_.record(offset).payload;
    Node node;
    std::memcpy(&node, payload, sizeof node);
    const bool met = node.round == expansions_.rounds;
    if (met && (!limited_ || node.steps <= trailer.steps))
        return false;
    if (node.estimate == 0) {
        uint32_t estimate = 0;
        if (!first_look(state, trailer, estimate))
            return false;
        node.estimate = estimate + 1;
        node.looked = looked_;
        std::memcpy(payload, &node, sizeof node);
    }
    if (exceeds(trailer.steps, node.estimate - 1))
        return false;
    told_ = node.expanded;
    looked_ = node.looked;
    expansions_.reopened += met;
    node.round = static_cast<uint32_t>(expansions_.rounds);
    node.steps = trailer.steps;
    node.expanded = 1;
    std::memcpy(payload, &node, sizeof node);
    return true;
}

bool Deepening::meet_in_bits(const uint8_t *state, const Trailer &trailer) {
    const uint64_t hash = view_->identify(state, trailer.length);
    if (view_->contains(hash, state, trailer.length))
        return false;
    uint32_t estimate = 0;
    if (!first_look(state, trailer, estimate) || exceeds(trailer.steps, estimate))
        return false;
    if (view_->insert(hash, state, trailer.length) == Insertion::full) {
        halt(Reason::states);
        return false;
    }
    told_ = false;
    return true;
}

/* Errors of the state itself, and its estimate; false if stopped. */
bool Deepening::first_look(const uint8_t *state, const Trailer &trailer, uint32_t &estimate) {
    longest_ = std::max(longest_, trailer.length);
    check_state(0, state, trailer.length);
    if (stopped())
        return false;
    estimate = guide_.steps(state, trailer.length);
    const bool blind = options_.guidance.blind();
    looked_ = blind || estimate == 0;
    if (looked_ && options_.deadlock && !guide_.can_move(state, trailer.length) && !stopped())
        found_deadlock(0, state, trailer.length);
    estimate = blind ? 0 : std::max<uint32_t>(estimate, 1);
    return !stopped();
}

bool Deepening::exceeds(uint32_t steps, uint32_t estimate) {
    const uint64_t value = options_.guidance.behind * steps + options_.guidance.ahead * estimate;
    if (value <= limit_)
        return false;
    above_ = std::min(above_, value);
    return true;
}

bool Deepening::gather_room() {
    gathered_.clear();
    handed_over_ = 0;
    out = gathered_.room();
    if (out == nullptr)
        halt(Reason::memory);
    return out != nullptr;
}

void Deepening::take(uint32_t length, uint32_t) noexcept {
    ++handed_over_;
    if (stopped())
        return;
    gathered_.add(out, length);
    uint8_t *const room = gathered_.room();
    if (room == nullptr)
        return halt(Reason::memory); /* `out` stays: what goes there is not taken */
    out = room;
}

/* The first one last, so that it comes first. */
void Deepening::push_gathered(uint32_t steps) {
    for (uint64_t i = gathered_.size(); i-- > 0 && !stopped();) {
        const Candidate &item = gathered_[i];
        const Trailer trailer{item.length, steps};
        if (!pending_.make_room(item.length + sizeof trailer))
            return halt(Reason::memory);
        std::memcpy(pending_.end(), item.state, item.length);
        std::memcpy(pending_.end() + item.length, &trailer, sizeof trailer);
        pending_.extend(item.length + sizeof trailer);
    }
}

bool Deepening::push_path(const uint8_t *state, uint32_t length) {
    if (!path_.make_room(length) || !ends_.push(path_.size() + length))
        return false;
    std::memcpy(path_.end(), state, length);
    path_.extend(length);
    return true;
}

void Deepening::shrink_path(uint64_t states) {
    if (states >= ends_.size())
        return;
    ends_.shrink(states);
    path_.shrink(states == 0 ? 0 : ends_.top());
}

void Deepening::keep_path(ErrorPath &error_path) {
    std::vector<std::string> way;
    for (uint64_t i = 0; i < ends_.size(); ++i) {
        const uint64_t start = i == 0 ? 0 : ends_[i - 1];
        way.emplace_back(reinterpret_cast<const char *>(&path_[start]), ends_[i] - start);
    }
    error_path.set(std::move(way));
}

} // namespace kripke
