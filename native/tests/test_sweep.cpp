/* Sweeps over graphs that a hash makes, by measures that a hash makes: every state is seen. */
#include "check.h"
#include "memory/hash.h"
#include "searches/search.h"
#include "stores/state_bag.h"
#include "searches/supervise.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace kripke;

namespace {

uint32_t nodes = 0;
enum class Measure { constant, forward, some_back, random } measured = Measure::constant;

uint32_t mixed(uint32_t node, uint32_t number) {
    uint64_t word = (uint64_t{node} << 8 | number) * 0x9e3779b97f4a7c15u;
    word ^= word >> 29;
    return static_cast<uint32_t>(word * 0xbf58476d1ce4e5b9u >> 24);
}
/* Mostly to nodes with greater numbers; `forward`: always. */
uint32_t edge(uint32_t node, uint32_t number) {
    const uint32_t to = mixed(node, number);
    if (measured == Measure::forward || to % 16 != 0)
        return node + to % std::min(40u, nodes - node);
    return to % nodes;
}
uint32_t edges(uint32_t node) { return mixed(node, 99) % 5; }
uint32_t length_of(uint32_t node) { return 4 + node % 30; }

void emit_node(kripke_sink *sink, uint32_t node) {
    std::memset(sink->out, 3, length_of(node));
    std::memcpy(sink->out, &node, sizeof node);
    sink->emit(sink, length_of(node), 0);
}
uint32_t node_of(const uint8_t *state) {
    uint32_t node;
    std::memcpy(&node, state, sizeof node);
    return node;
}

kripke_model graph() {
    kripke_model model{};
    model.abi = KRIPKE_ABI;
    model.max_state_bytes = 40;
    model.label_count = model.violation_count = model.atom_count = 1;
    model.name = "graph";
    model.initial = [](kripke_sink *sink) {
        for (uint32_t node = 0; node < 3; ++node)
            emit_node(sink, node % nodes);
    };
    model.successors = [](const uint8_t *state, uint32_t, kripke_sink *sink) {
        const uint32_t node = node_of(state);
        if (node % 700 == 699)
            sink->report(sink, 0, 0);
        for (uint32_t i = 0; i < edges(node); ++i)
            emit_node(sink, edge(node, i));
    };
    model.valid_end = [](const uint8_t *, uint32_t) { return 0; };
    model.atoms = [](const uint8_t *state, uint32_t, uint64_t *truth) { *truth = node_of(state) % 500 != 499; };
    model.measure = [](const uint8_t *state, uint32_t) -> int64_t {
        const uint32_t node = node_of(state);
        switch (measured) {
        case Measure::constant:
            return -5;
        case Measure::random:
            return static_cast<int64_t>(mixed(node, 7) % 20) - 10;
        default:
            return node / 8;
        }
    };
    return model;
}

std::set<uint32_t> reachable() {
    std::set<uint32_t> found;
    std::vector<uint32_t> queue;
    const auto meet = [&](uint32_t node) {
        if (found.insert(node).second)
            queue.push_back(node);
    };
    for (uint32_t node = 0; node < 3; ++node)
        meet(node % nodes);
    for (size_t i = 0; i < queue.size(); ++i)
        for (uint32_t number = 0; number < edges(queue[i]); ++number)
            meet(edge(queue[i], number));
    return found;
}

void check_path(const ErrorPath &error_path) {
    CHECK(!error_path.states.empty());
    uint32_t before = 0;
    for (size_t i = 0; i < error_path.states.size(); ++i) {
        const uint32_t node = node_of(reinterpret_cast<const uint8_t *>(error_path.states[i].data()));
        CHECK(error_path.states[i].size() == length_of(node));
        bool reached = i == 0 && node < 3;
        for (uint32_t number = 0; i > 0 && number < edges(before); ++number)
            reached |= edge(before, number) == node;
        CHECK(reached);
        before = node;
    }
    CHECK(error_path.error.kind != Kind::deadlock || edges(before) == 0);
    CHECK(error_path.error.kind != Kind::invariant || before % 500 == 499);
    CHECK(error_path.error.kind != Kind::violation || before % 700 == 699);
}

Options asked() {
    Options options;
    options.order = Order::sweep;
    options.invariants = {0};
    options.stop_at_first = false;
    options.folder = "/tmp";
    return options;
}

void all_measures() {
    const kripke_model model = graph();
    for (const Measure measure : {Measure::constant, Measure::forward, Measure::some_back, Measure::random})
        for (const uint32_t size : {1u, 40u, 3'000u, 20'000u}) {
            nodes = size;
            measured = measure;
            const std::set<uint32_t> states = reachable();
            std::set<Kind> kinds;
            for (const uint32_t node : states) {
                if (edges(node) == 0 && node % 700 != 699)
                    kinds.insert(Kind::deadlock);
                if (node % 500 == 499)
                    kinds.insert(Kind::invariant);
                if (node % 700 == 699)
                    kinds.insert(Kind::violation);
            }
            Control control;
            const auto search = Search::make(model, asked(), control);
            supervise(*search, control, 0, [](const Progress &, double) {});
            CHECK(search->complete());
            std::set<Kind> found;
            for (const ErrorPath &error_path : search->error_paths().kept()) {
                found.insert(error_path.error.kind);
                check_path(error_path);
            }
            CHECK(found == kinds);
            const SweepFigures figures = search->sweep_figures();
            CHECK(search->totals().states >= states.size());
            CHECK(search->totals().queue == 0);
            if (measure == Measure::constant || measure == Measure::forward) {
                CHECK(search->totals().states == states.size());
                CHECK(figures.sweeps == 1 && figures.persistent == 0);
            }
            if (measure == Measure::constant)
                CHECK(figures.most_kept == states.size());
            else if (measure == Measure::forward && size >= 3'000)
                CHECK(figures.most_kept < states.size() / 10);
        }
}

/* Out of memory, out of states, stopped, without a file. */
void early_ends() {
    const kripke_model model = graph();
    nodes = 5'000;
    measured = Measure::some_back;
    for (uint64_t limit = 1; limit < 8'000'000; limit = limit * 2 + 1) {
        Options options = asked();
        options.memory_limit = limit;
        Control control;
        const auto search = Search::make(model, options, control);
        search->run();
        CHECK(search->complete() || search->reason() == Reason::memory);
        CHECK(search->peak_bytes() <= limit);
    }
    for (const uint64_t most : {1u, 3u, 100u}) {
        Options options = asked();
        options.max_states = most;
        Control control;
        const auto search = Search::make(model, options, control);
        search->run();
        CHECK(search->reason() == Reason::states && search->totals().states == most);
    }
    Options options = asked();
    options.stop_at_first = true;
    Control first;
    const auto error = Search::make(model, options, first);
    error->run();
    CHECK(error->reason() == Reason::error && error->error_paths().kept().size() == 1);
    check_path(error->error_paths().kept().front());
    options.folder = "/no/such/folder";
    Control none;
    const auto lost = Search::make(model, options, none);
    lost->run();
    CHECK(lost->reason() == Reason::disk);
}

void bag() {
    Budget budget(0);
    {
        StateBag states(budget);
        std::map<std::string, uint64_t> expected;
        for (uint32_t i = 0; i < 3'000; ++i) {
            const std::string state(mixed(i, 1) % 40, static_cast<char>('a' + mixed(i, 2) % 26));
            const auto *bytes = reinterpret_cast<const uint8_t *>(state.data());
            const auto length = static_cast<uint32_t>(state.size());
            const uint64_t hash = hash_bytes(bytes, length);
            const bool fresh = expected.emplace(state, i).second;
            CHECK(states.contains(hash, bytes, length) != fresh);
            CHECK((states.insert(hash, bytes, {i, 0, length}) == StateBag::Insertion::inserted) == fresh);
        }
        uint64_t count = 0;
        for (uint64_t at = 0; at < states.end(); at = states.after(at), ++count) {
            const StateBag::Entry entry = states.entry(at);
            CHECK(expected.at({reinterpret_cast<const char *>(states.state(at)), entry.length}) == entry.number);
        }
        CHECK(count == expected.size() && states.size() == count && budget.used() >= states.bytes());
    }
    CHECK(budget.used() == 0);
}

} // namespace

void test_sweep() {
    bag();
    all_measures();
    early_ends();
}
