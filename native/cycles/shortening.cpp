#include "cycles/shortening.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace kripke {

namespace {

constexpr uint64_t nowhere = UINT64_MAX;

/* A state together with the marks met on the way to it. */
std::string key_of(const std::string &state, uint64_t marks) {
    std::string key(state);
    key.append(reinterpret_cast<const char *>(&marks), sizeof marks);
    return key;
}

} // namespace

Shortening::Shortening(const kripke_model &model, const Control &control, uint64_t required)
    : Sink(model, control.stop_tracing_word()), control_(control), required_(required),
      buffer_(model.max_state_bytes + 1) {
    connect(this);
    out = buffer_.data();
    choice = every_step;
}

void Shortening::take(uint32_t length, uint32_t) noexcept {
    try {
        successors_.push_back({std::string(reinterpret_cast<const char *>(out), length), marks});
    } catch (const std::bad_alloc &) {
        lost = true;
    }
}

const std::vector<Shortening::Successor> &Shortening::successors(const std::string &state) {
    successors_.clear();
    model().successors(reinterpret_cast<const uint8_t *>(state.data()), static_cast<uint32_t>(state.size()), this);
    if (lost)
        throw std::bad_alloc();
    return successors_;
}

std::vector<std::string> Shortening::way(const std::vector<Node> &nodes, uint64_t last) const {
    std::vector<std::string> states;
    for (uint64_t i = last; i != nowhere; i = nodes[i].parent)
        states.push_back(nodes[i].state);
    std::reverse(states.begin(), states.end());
    return states;
}

/* Breadth-first from the initial states, to the first of the goals (`found` is its node)
 * or, without goals, as far as there are states. At most `limit` of them. */
std::vector<Shortening::Node> Shortening::reach(uint64_t limit,
                                                const std::unordered_map<std::string, uint64_t> *goals,
                                                uint64_t &found) {
    std::vector<Node> nodes;
    std::unordered_map<std::string, bool> seen;
    found = nowhere;
    const auto meet = [&](const std::string &state, uint64_t parent, uint64_t distance) {
        if (!seen.emplace(state, true).second)
            return;
        nodes.push_back({state, 0, parent, distance});
        if (goals != nullptr && found == nowhere && goals->count(state) != 0)
            found = nodes.size() - 1;
    };
    successors_.clear();
    model().initial(this);
    if (lost)
        throw std::bad_alloc();
    for (const Successor &item : std::vector<Successor>(successors_))
        meet(item.state, nowhere, 0);
    for (uint64_t i = 0; i < nodes.size() && nodes.size() < limit && found == nowhere; ++i) {
        if (control_.tracing_stopped())
            break;
        const uint64_t distance = nodes[i].distance + 1;
        for (const Successor &item : successors(std::string(nodes[i].state)))
            meet(item.state, i, distance);
    }
    return nodes;
}

/* A shortest loop through a state with all marks, of at most `longest` steps: its states
 * without the first one. Empty if none was found. */
std::vector<std::string> Shortening::loop_through(const std::string &start, uint64_t limit, uint64_t longest) {
    std::vector<Node> nodes{{start, 0, nowhere, 0}};
    std::unordered_map<std::string, bool> seen;
    for (uint64_t i = 0; i < nodes.size() && nodes.size() < limit; ++i) {
        if (nodes[i].distance == longest || control_.tracing_stopped())
            break;
        const uint64_t marks = nodes[i].marks, distance = nodes[i].distance + 1;
        for (const Successor &item : successors(std::string(nodes[i].state))) {
            const uint64_t met = (marks | item.marks) & required_;
            if (item.state == start && met == required_) {
                nodes.push_back({item.state, met, i, distance});
                std::vector<std::string> states = way(nodes, nodes.size() - 1);
                states.erase(states.begin());
                return states;
            }
            if (seen.emplace(key_of(item.state, met), true).second)
                nodes.push_back({item.state, met, i, distance});
        }
    }
    return {};
}

void Shortening::shorten(Lasso &lasso, uint64_t limit) {
    std::unordered_map<std::string, uint64_t> places; /* of the states of the loop */
    for (uint64_t i = lasso.loop; i + 1 < lasso.states.size(); ++i)
        places.emplace(lasso.states[i], i);
    uint64_t found;
    const std::vector<Node> nodes = reach(limit, &places, found);
    if (found != nowhere && nodes[found].distance <= lasso.loop) {
        std::vector<std::string> states = way(nodes, found);
        const uint64_t place = places[states.back()], steps = lasso.states.size() - 1 - lasso.loop;
        const uint64_t loop = states.size() - 1;
        for (uint64_t i = 1; i <= steps; ++i)
            states.push_back(lasso.states[lasso.loop + (place - lasso.loop + i) % steps]);
        lasso = {std::move(states), loop};
    }
    const uint64_t steps = lasso.states.size() - 1 - lasso.loop;
    const std::vector<std::string> round = loop_through(lasso.states[lasso.loop], limit, steps - 1);
    if (!round.empty()) {
        lasso.states.resize(lasso.loop + 1);
        lasso.states.insert(lasso.states.end(), round.begin(), round.end());
    }
}

void Shortening::shortest(Lasso &lasso) {
    uint64_t found;
    const std::vector<Node> nodes = reach(UINT64_MAX, nullptr, found);
    for (uint64_t i = 0; i < nodes.size() && !control_.tracing_stopped(); ++i) {
        const uint64_t best = lasso.states.size() - 1;
        if (nodes[i].distance + 1 >= best)
            break;
        const std::vector<std::string> round =
            loop_through(nodes[i].state, UINT64_MAX, best - 1 - nodes[i].distance);
        if (round.empty())
            continue;
        std::vector<std::string> states = way(nodes, i);
        const uint64_t loop = states.size() - 1;
        states.insert(states.end(), round.begin(), round.end());
        lasso = {std::move(states), loop};
    }
}

} // namespace kripke
