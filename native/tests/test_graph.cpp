/* The operators of branching time on random graphs, beside their fix-points. */
#include "check.h"
#include "own_model.h"
#include "searches/graph.h"

#include <cstring>
#include <random>
#include <vector>

using namespace kripke;

namespace {

std::vector<std::vector<uint32_t>> rows; /* of the graph being searched */

void emit_node(kripke_sink *sink, uint32_t node) {
    std::memcpy(sink->out, &node, sizeof node);
    sink->emit(sink, sizeof node, 0);
}

uint32_t node_of(const uint8_t *state) {
    uint32_t node;
    std::memcpy(&node, state, sizeof node);
    return node;
}

const kripke_model rows_model = own_model([](kripke_model &made) {
    made.max_state_bytes = 4;
    made.label_count = 1;
    made.violation_count = 1;
    made.atom_count = 1;
    made.name = "rows";
    made.initial = [](kripke_sink *sink) { emit_node(sink, 0); };
    made.successors = [](const uint8_t *state, uint32_t, kripke_sink *sink) {
        for (const uint32_t target : rows[node_of(state)])
            emit_node(sink, target);
    };
    made.valid_end = [](const uint8_t *, uint32_t) { return 1; };
    made.atoms = [](const uint8_t *state, uint32_t, uint64_t *truth) { *truth = node_of(state) % 3 == 0; };
});

bool has(const StateSet &set, uint32_t state) { return (set[state / 64] >> (state % 64) & 1) != 0; }

bool some_successor(const Graph &graph, uint32_t state, const StateSet &set) {
    for (const uint32_t *to = graph.successors_begin(state); to != graph.successors_end(state); ++to)
        if (has(set, *to))
            return true;
    return false;
}

/* Repeat until nothing changes: a state stays in the set, or gets in, by `belongs`. */
template <class Belongs> StateSet fix_point(const Graph &graph, StateSet set, Belongs belongs) {
    for (bool more = true; more;) {
        more = false;
        for (uint32_t state = 0; state < graph.states(); ++state)
            if (belongs(state, set) != has(set, state)) {
                set[state / 64] ^= uint64_t{1} << (state % 64);
                more = true;
            }
    }
    return set;
}

void check_operators(std::mt19937_64 &random) {
    Options options;
    options.deadlock = false;
    options.stop_at_first = false;
    options.invariants = {0};
    Control control;
    Graph graph(rows_model, options, control);
    graph.run();
    CHECK(graph.complete() && graph.initial_states() == 1);
    const StateSet atom = graph.atom(0);
    StateSet other(graph.words());
    for (uint32_t state = 0; state < graph.states(); ++state)
        other[state / 64] |= (random() & 1) << (state % 64);
    const StateSet ex = graph.ex(other), eu = graph.eu(atom, other), eg = graph.eg(other);
    const StateSet least = fix_point(graph, StateSet(graph.words()), [&](uint32_t state, const StateSet &now) {
        return has(now, state) || has(other, state) || (has(atom, state) && some_successor(graph, state, now));
    });
    const StateSet greatest = fix_point(graph, other, [&](uint32_t state, const StateSet &now) {
        const bool ends = graph.successors_begin(state) == graph.successors_end(state);
        return has(now, state) && (ends || some_successor(graph, state, now));
    });
    CHECK(eu == least);
    CHECK(eg == greatest);
    for (uint32_t state = 0; state < graph.states(); ++state)
        CHECK(has(ex, state) == some_successor(graph, state, other));
}

} // namespace

void test_graph() {
    std::mt19937_64 random(6);
    for (int round = 0; round < 300; ++round) {
        rows.assign(random() % 150 + 1, {});
        for (auto &targets : rows)
            for (uint64_t i = random() % 4; i > 0; --i)
                targets.push_back(static_cast<uint32_t>(random() % rows.size()));
        check_operators(random);
    }
}
