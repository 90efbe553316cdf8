#include "check.h"
#include "own_model.h"
#include "stores/compact_set.h"
#include "searches/parallel_search.h"
#include "cycles/places.h"
#include "stores/root_set.h"
#include "searches/supervise.h"

#include <cstring>
#include <deque>
#include <map>
#include <random>
#include <set>
#include <string>
#include <unistd.h>
#include <vector>

using namespace kripke;

namespace {

/* Nodes with up to five edges to others, as a hash will have it; states of 50 lengths. */
uint32_t nodes = 0;

uint32_t edge(uint32_t node, uint32_t number) {
    uint64_t mixed = (uint64_t{node} << 8 | number) * 0x9e3779b97f4a7c15u;
    mixed ^= mixed >> 31;
    return static_cast<uint32_t>(mixed * 0xbf58476d1ce4e5b9u >> 20) % nodes;
}
uint32_t edges(uint32_t node) { return edge(node, 99) % 6; }
uint32_t length_of(uint32_t node) { return 4 + node % 50; }

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

const kripke_model hashed_graph = own_model([](kripke_model &made) {
    made.max_state_bytes = 60;
    made.label_count = 1;
    made.violation_count = 1;
    made.atom_count = 1;
    made.name = "hashed graph";
    made.initial = [](kripke_sink *sink) {
        for (uint32_t node = 0; node < 3; ++node)
            emit_node(sink, node % nodes);
    };
    made.successors = [](const uint8_t *state, uint32_t, kripke_sink *sink) {
        const uint32_t node = node_of(state);
        for (uint32_t i = 0; i < edges(node); ++i)
            emit_node(sink, edge(node, i));
    };
    made.valid_end = [](const uint8_t *, uint32_t) { return 0; };
    made.atoms = [](const uint8_t *state, uint32_t, uint64_t *truth) { *truth = node_of(state) % 1000 != 999; };
});

/* The same with components: the node, then what lies behind it, cut now here, now there. */
const char *const cut_names[] = {"node", "even", "odd"};

kripke_model cut_graph() {
    kripke_model model = hashed_graph;
    model.component_tables = 3;
    model.max_components = 8;
    model.component_names = cut_names;
    model.components = [](const kripke_model *, const uint8_t *state, uint32_t length, kripke_component *parts) {
        const uint32_t node = node_of(state), rest = length - 4, kinds = 1 + node % 2;
        uint32_t count = 0;
        parts[count++] = {0, 4};
        if (node % 3 == 0)
            parts[count++] = {kinds, 0};
        parts[count++] = {kinds, rest / 3};
        parts[count++] = {kinds, rest - rest / 3};
        return count;
    };
    return model;
}

struct Counts {
    uint64_t states = 0, transitions = 3, errors = 0, depth = 0;
};

Counts counted() {
    Counts counts;
    std::map<uint32_t, uint64_t> distance;
    std::vector<uint32_t> queue;
    const auto meet = [&](uint32_t node, uint64_t steps) {
        if (distance.insert({node, steps}).second)
            queue.push_back(node);
    };
    for (uint32_t node = 0; node < 3; ++node)
        meet(node % nodes, 0);
    for (size_t i = 0; i < queue.size(); ++i) {
        const uint32_t node = queue[i];
        counts.transitions += edges(node);
        counts.errors += (edges(node) == 0) + (node % 1000 == 999);
        counts.depth = distance[node];
        for (uint32_t number = 0; number < edges(node); ++number)
            meet(edge(node, number), distance[node] + 1);
    }
    counts.states = queue.size();
    return counts;
}

Options asked_of(StoreKind store, Order order, uint32_t workers) {
    Options options;
    options.order = order;
    options.store = store;
    options.invariants = {0};
    options.stop_at_first = false;
    options.shared.workers = workers;
    options.shared.table_bytes = 8 << 20;
    options.shared.folder = "/tmp";
    return options;
}

const std::vector<std::pair<StoreKind, Order>> ways = {{StoreKind::full, Order::breadth_first},
                                                       {StoreKind::full, Order::depth_first},
                                                       {StoreKind::tree, Order::breadth_first},
                                                       {StoreKind::tree, Order::depth_first},
                                                       {StoreKind::collapse, Order::breadth_first},
                                                       {StoreKind::collapse, Order::depth_first},
                                                       {StoreKind::numbers, Order::breadth_first},
                                                       {StoreKind::numbers, Order::depth_first},
                                                       {StoreKind::hash_compact, Order::depth_first},
                                                       {StoreKind::bitstate, Order::depth_first},
                                                       {StoreKind::cache, Order::depth_first},
                                                       {StoreKind::disk, Order::breadth_first}};

bool for_one_worker(StoreKind store) { return store == StoreKind::disk; }

void check_path(const std::vector<std::string> &states) {
    CHECK(!states.empty());
    for (size_t i = 0; i < states.size(); ++i) {
        const uint32_t node = node_of(reinterpret_cast<const uint8_t *>(states[i].data()));
        CHECK(states[i].size() == length_of(node));
        bool reached = i == 0 && node < 3;
        if (i > 0) {
            const uint32_t before = node_of(reinterpret_cast<const uint8_t *>(states[i - 1].data()));
            for (uint32_t number = 0; number < edges(before); ++number)
                reached |= edge(before, number) == node;
        }
        CHECK(reached);
    }
}

/* Every node is one by itself; what lies behind is of one byte value, so its length is all. */
void check_components(const StoreFigures &figures, uint64_t states) {
    CHECK(figures.components.size() == 3);
    CHECK(figures.components[0].first == "node" && figures.components[0].second == states);
    CHECK(figures.components[1].second <= 34 && figures.components[2].second <= 34);
}

void all_ways(const kripke_model &model) {
    for (const uint32_t size : {1u, 50u, 2'000u, 12'000u}) {
        nodes = size;
        const Counts expected = counted();
        for (const auto &[store, order] : ways)
            for (const uint32_t workers : {1u, 2u, 4u}) {
                if ((workers > 1 && for_one_worker(store)) || (model.components && store != StoreKind::collapse))
                    continue;
                Control control;
                const auto parallel = ParallelSearch::make(model, asked_of(store, order, workers), control);
                supervise(*parallel, control, 0, [](const Progress &, double) {});
                CHECK(parallel->complete());
                CHECK(parallel->totals().states == expected.states);
                CHECK(parallel->totals().transitions == expected.transitions);
                CHECK(parallel->error_paths().count() == expected.errors);
                if (order == Order::breadth_first)
                    CHECK(parallel->totals().depth == expected.depth);
                if (model.components)
                    check_components(parallel->figures(), expected.states);
                for (const ErrorPath &error_path : parallel->error_paths().kept())
                    check_path(error_path.states);
            }
    }
}

/* So many states that tables are moved by several threads. */
void large_tables() {
    nodes = 300'000;
    const Counts expected = counted();
    CHECK(expected.states > 200'000);
    for (const auto &[store, order] : ways)
        for (const uint32_t workers : {1u, 3u}) {
            if (store != StoreKind::full && store != StoreKind::tree && store != StoreKind::hash_compact)
                continue;
            Control control;
            const auto parallel = ParallelSearch::make(hashed_graph, asked_of(store, order, workers), control);
            parallel->run();
            CHECK(parallel->complete());
            CHECK(parallel->totals().states == expected.states);
            CHECK(parallel->totals().transitions == expected.transitions);
            CHECK(parallel->error_paths().count() == expected.errors);
        }
}

/* A cache that is too small: all states are visited, some again. */
void dropped_states() {
    nodes = 2'000;
    const Counts expected = counted();
    uint64_t dropped = 0;
    for (const uint64_t bytes : {uint64_t{1} << 20, uint64_t{120'000}, uint64_t{100'000}})
        for (const uint32_t workers : {1u, 2u, 4u}) {
            Options options = asked_of(StoreKind::cache, Order::depth_first, workers);
            options.shared.table_bytes = bytes;
            Control control;
            const auto parallel = ParallelSearch::make(hashed_graph, options, control);
            supervise(*parallel, control, 0, [](const Progress &, double) {});
            CHECK(parallel->complete());
            dropped += parallel->figures().dropped;
            CHECK(parallel->totals().states >= expected.states);
            CHECK(parallel->totals().states - parallel->figures().dropped <= expected.states);
            CHECK(parallel->error_paths().count() >= expected.errors);
            for (const ErrorPath &error_path : parallel->error_paths().kept())
                check_path(error_path.states);
        }
    CHECK(dropped > 0);
}

/* Out of memory, or stopped, at any moment. */
void early_ends() {
    nodes = 5'000;
    for (const auto &[store, order] : ways)
        for (uint64_t limit = 1; limit < 8'000'000; limit = limit * 3 + 1) {
            Options options = asked_of(store, order, for_one_worker(store) ? 1 : 2);
            options.memory_limit = limit;
            options.shared.table_bytes = store == StoreKind::cache ? 1 << 20 : 1 << 16; /* a small cache takes for ever */
            Control control;
            const auto parallel = ParallelSearch::make(hashed_graph, options, control);
            parallel->run();
            CHECK(parallel->complete() || parallel->reason() == Reason::memory);
            CHECK(parallel->peak_bytes() <= limit);
        }
    for (const auto &[store, order] : ways)
        for (const double seconds : {1e-9, 1e-3, 0.02}) {
            Control control;
            const auto parallel = ParallelSearch::make(hashed_graph, asked_of(store, order, for_one_worker(store) ? 1 : 3), control);
            supervise(*parallel, control, seconds, [](const Progress &, double) {});
            CHECK(parallel->complete() || parallel->reason() == Reason::time);
        }
}

/* As many states, and as deep, as asked for; what lies beyond is told apart from nothing. */
void limits() {
    nodes = 12'000;
    const Counts expected = counted();
    for (const auto &[store, order] : ways) {
        if (order != Order::breadth_first || store == StoreKind::disk)
            continue;
        for (const uint32_t workers : {1u, 2u, 4u}) {
            for (const uint64_t most : {uint64_t{1}, uint64_t{3}, uint64_t{500}, expected.states - 1, expected.states}) {
                Options options = asked_of(store, order, workers);
                options.max_states = most;
                Control control;
                const auto parallel = ParallelSearch::make(hashed_graph, options, control);
                parallel->run();
                CHECK(parallel->totals().states == most);
                CHECK(parallel->complete() == (most == expected.states));
            }
            uint64_t transitions = 0;
            for (uint64_t depth = 1; depth <= expected.depth; ++depth) {
                Options options = asked_of(store, order, workers);
                options.max_depth = depth;
                Control control;
                const auto parallel = ParallelSearch::make(hashed_graph, options, control);
                parallel->run();
                CHECK(parallel->totals().depth == depth);
                CHECK(parallel->complete() == (depth == expected.depth));
                CHECK(parallel->totals().transitions >= transitions);
                transitions = parallel->totals().transitions;
            }
            CHECK(transitions == expected.transitions);
        }
    }
}

/* Gone on from where a limit of states ended it, by other stores and threads. */
void checkpoints() {
    nodes = 12'000;
    const Counts expected = counted();
    const std::string file = "/tmp/test-of-kripke-parallel-" + std::to_string(getpid());
    for (const StoreKind store : {StoreKind::full, StoreKind::tree, StoreKind::collapse})
        for (const uint64_t most : {5u, 300u, 4'000u}) {
            Options first = asked_of(store, Order::breadth_first, 2);
            first.checkpoint = file;
            first.checkpoint_seconds = 1e-9;
            first.checkpoint_key = "0123456789abcdef";
            first.max_states = most;
            Control control;
            const auto parallel = ParallelSearch::make(hashed_graph, first, control);
            parallel->run();
            CHECK(parallel->reason() == Reason::states && parallel->checkpoints() > 0);
            for (const StoreKind other : {StoreKind::full, StoreKind::tree, StoreKind::collapse}) {
                Options then = asked_of(other, Order::breadth_first, 2);
                then.resume = file;
                then.checkpoint_key = first.checkpoint_key;
                Control again;
                const auto resumed = ParallelSearch::make(hashed_graph, then, again);
                resumed->run();
                CHECK(resumed->complete());
                CHECK(resumed->totals().states == expected.states);
                CHECK(resumed->totals().transitions == expected.transitions);
                CHECK(resumed->totals().depth == expected.depth);
                CHECK(resumed->error_paths().count() == expected.errors);
            }
        }
    std::remove(file.c_str());
}

/* The graph, of which a set of steps is the first edge; what a Reduced would do. */
kripke_model first_edges() {
    kripke_model model = hashed_graph;
    model.successors = [](const uint8_t *state, uint32_t, kripke_sink *sink) {
        auto &asker = *static_cast<Sink *>(sink);
        const uint32_t node = node_of(state), all = edges(node);
        asker.reduced = asker.choice == 0 && all > 1;
        for (uint32_t i = 0; i < (asker.reduced ? 1 : all); ++i)
            emit_node(sink, edge(node, i));
    };
    return model;
}

/* The same choices with every store; by several workers, others. */
void reduction() {
    const kripke_model model = first_edges();
    for (const uint32_t size : {50u, 3'000u}) {
        nodes = size;
        const uint64_t all = counted().states;
        for (const bool every_cycle : {false, true})
            for (const auto &[store, order] : ways) {
                if (store == StoreKind::full || store == StoreKind::disk)
                    continue;
                Options options = asked_of(store, order, 1);
                options.reduction = true;
                options.every_cycle = every_cycle;
                Options alone = options;
                alone.store = StoreKind::full;
                Control one, other, third;
                const auto search = Search::make(model, alone, one);
                search->run();
                const auto parallel = ParallelSearch::make(model, options, other);
                parallel->run();
                CHECK(parallel->complete() && search->complete());
                CHECK(parallel->totals().states == search->totals().states);
                CHECK(parallel->totals().transitions == search->totals().transitions);
                CHECK(parallel->error_paths().count() == search->error_paths().count());
                for (const ErrorPath &error_path : parallel->error_paths().kept())
                    check_path(error_path.states);
                if (order != Order::breadth_first)
                    continue;
                options.shared.workers = 3;
                const auto several = ParallelSearch::make(model, options, third);
                several->run();
                CHECK(several->complete() && several->totals().states <= all);
            }
    }
}

template <class Slot> void compact_set(uint32_t bits) {
    Budget budget(0);
    CompactSet<Slot> set(budget);
    CHECK(set.reset(bits, 0));
    std::mt19937_64 random(bits);
    std::set<uint64_t> expected;
    for (uint64_t i = 0; i < 120'000; ++i) {
        const uint64_t mask = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
        const uint64_t key = i % 3 == 0 ? random() & mask : i * 977 / 5 & mask;
        if (expected.size() + 1 > set.capacity())
            CHECK(set.grow());
        const bool fresh = expected.insert(key).second;
        CHECK(set.contains(set.spot(key)) != fresh);
        typename CompactSet<Slot>::Insertion outcome;
        while ((outcome = set.insert(set.spot(key))) == CompactSet<Slot>::Insertion::crowded)
            CHECK(set.grow());
        CHECK((outcome == CompactSet<Slot>::Insertion::inserted) == fresh);
    }
    uint64_t count = 0;
    set.for_each([&](uint64_t key) { count += expected.count(key); });
    CHECK(count == expected.size());
}

/* Many keys that are much wider than what tells their lines apart take slots of eight bytes, others of four. */
void root_set() {
    constexpr uint64_t keys = 1'200'000, odd = 0x9e3779b97f4a7c15u;
    constexpr uint32_t wide = 50, narrow = 40;
    for (const uint32_t bits : {wide, narrow}) {
        Budget budget(0);
        RootSet set(budget);
        CHECK(set.reset(bits, keys));
        CHECK(set.bytes() < 16 * keys && (set.bytes() > 8 * keys) == (bits == wide));
        CHECK(!set.is_of_wrong_kind(bits, keys) && set.is_of_wrong_kind(wide + narrow - bits, keys));
        const uint64_t mask = (uint64_t{1} << bits) - 1;
        for (uint64_t i = 0; i < keys; ++i) {
            if (i + 1 > set.capacity())
                CHECK(set.grow(2));
            RootSet::Insertion outcome;
            while ((outcome = set.insert(set.spot(i * odd & mask))) == RootSet::Insertion::crowded)
                CHECK(set.grow(2));
            CHECK(outcome == RootSet::Insertion::inserted);
        }
        uint64_t sum = 0, expected = 0, count = 0;
        for (uint64_t i = 0; i < keys; ++i)
            expected += i * odd & mask;
        set.for_each([&](uint64_t key) {
            sum += key;
            ++count;
        });
        CHECK(count == keys && sum == expected);
        CHECK(set.contains(set.spot(odd & mask)) && !set.contains(set.spot(keys * odd & mask)));
    }
}

/* Put and taken out as on a stack, and as in a queue; many are known by the same. */
void places() {
    std::mt19937_64 random(7);
    for (const uint64_t kinds : {3u, 100u, 1'000'000u}) {
        Budget budget(0);
        Places places(budget);
        std::deque<std::pair<uint64_t, uint64_t>> there;
        std::map<uint64_t, std::set<uint64_t>> expected;
        const auto check = [&](uint64_t identity) {
            std::set<uint64_t> found;
            const bool some = places.any(identity);
            CHECK(!places.any(identity, [&](uint64_t place) { return !found.insert(place).second; }));
            CHECK(some == !found.empty());
            const auto known = expected.find(identity);
            CHECK(found == (known == expected.end() ? std::set<uint64_t>() : known->second));
        };
        for (uint64_t i = 0; i < 20'000; ++i) {
            const uint64_t identity = random() % kinds;
            const bool growing = i / 500 % 3 != 2;
            if (there.empty() || random() % 8 < (growing ? 5 : 2)) {
                CHECK(places.put(identity, i));
                there.push_back({identity, i});
                expected[identity].insert(i);
            } else {
                const auto [old, place] = kinds % 2 == 0 ? there.front() : there.back();
                kinds % 2 == 0 ? there.pop_front() : there.pop_back();
                places.take_out(old, place);
                expected[old].erase(place);
                check(old);
            }
            if (kinds > 3 || i % 50 == 0)
                check(identity);
            CHECK(places.size() == there.size());
        }
    }
    Budget little(100);
    Places places(little);
    CHECK(!places.put(1, 1));
    CHECK(!places.any(1));
}

} // namespace

void test_parallel_search() {
    places();
    root_set();
    compact_set<uint32_t>(30);
    compact_set<uint32_t>(38);
    compact_set<uint64_t>(38);
    compact_set<uint64_t>(64);
    all_ways(hashed_graph);
    all_ways(cut_graph());
    large_tables();
    reduction();
    limits();
    dropped_states();
    early_ends();
    checkpoints();
}
