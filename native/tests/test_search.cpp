#include "check.h"
#include "own_model.h"
#include "searches/search.h"
#include "searches/supervise.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <vector>

using namespace kripke;

namespace {

/* A random graph as a model: node n is n, and n % 50 bytes more. */
struct Graph {
    std::vector<std::vector<uint32_t>> edges;
    std::vector<uint8_t> reports, bad;
    std::vector<uint32_t> initial;
};

Graph graph; /* the one being searched; a model has no place for a pointer of ours */

uint32_t length_of(uint32_t node) { return 4 + node % 50; }

void emit_node(kripke_sink *sink, uint32_t node) {
    std::memset(sink->out, 3, length_of(node));
    std::memcpy(sink->out, &node, sizeof node);
    sink->covered[0] = 1;
    sink->emit(sink, length_of(node), 0);
}

uint32_t node_of(const uint8_t *state) {
    uint32_t node;
    std::memcpy(&node, state, sizeof node);
    return node;
}

const kripke_model graph_model = own_model([](kripke_model &made) {
    made.max_state_bytes = 60;
    made.label_count = 1;
    made.violation_count = 1;
    made.atom_count = 1;
    made.name = "graph";
    made.context_new = [](const kripke_model *) { return static_cast<void *>(new int(0)); };
    made.context_free = [](void *context) { delete static_cast<int *>(context); };
    made.initial = [](kripke_sink *sink) {
        for (const uint32_t node : graph.initial)
            emit_node(sink, node);
    };
    made.successors = [](const uint8_t *state, uint32_t length, kripke_sink *sink) {
        CHECK(length == length_of(node_of(state)));
        ++*static_cast<int *>(sink->context);
        if (graph.reports[node_of(state)] != 0)
            sink->report(sink, 0, 0);
        for (const uint32_t target : graph.edges[node_of(state)])
            emit_node(sink, target);
    };
    made.valid_end = [](const uint8_t *, uint32_t) { return 0; };
    made.atoms = [](const uint8_t *state, uint32_t, uint64_t *truth) { *truth = graph.bad[node_of(state)] == 0; };
});

Graph random_graph(std::mt19937_64 &random, uint32_t nodes, uint32_t most_edges) {
    Graph made;
    made.edges.resize(nodes);
    for (auto &targets : made.edges)
        for (uint64_t i = random() % (most_edges + 1); i > 0; --i)
            targets.push_back(static_cast<uint32_t>(random() % nodes));
    for (uint32_t node = 0; node < nodes; ++node) {
        made.reports.push_back(random() % nodes < 3);
        made.bad.push_back(random() % nodes < 3);
    }
    for (uint64_t i = random() % 3 + 1; i > 0; --i)
        made.initial.push_back(static_cast<uint32_t>(random() % nodes));
    return made;
}

/* Of every node within the limit: its distance from an initial one. */
std::map<uint32_t, uint64_t> distances(uint64_t limit) {
    std::map<uint32_t, uint64_t> distance;
    std::vector<uint32_t> queue;
    for (const uint32_t node : graph.initial)
        if (distance.insert({node, 0}).second)
            queue.push_back(node);
    for (size_t i = 0; i < queue.size(); ++i) {
        const uint64_t next = distance[queue[i]] + 1;
        if (limit != 0 && next > limit)
            continue;
        for (const uint32_t target : graph.edges[queue[i]])
            if (distance.insert({target, next}).second)
                queue.push_back(target);
    }
    return distance;
}

std::vector<uint32_t> nodes_of(const Search &search, const Path &path) {
    std::vector<uint32_t> nodes;
    StateBuffer buffer(search.store().longest());
    for (const uint64_t offset : path)
        nodes.push_back(node_of(search.store().state(search.store().record(offset), buffer)));
    return nodes;
}

void check_path(const std::vector<uint32_t> &nodes) {
    CHECK(std::count(graph.initial.begin(), graph.initial.end(), nodes.front()) > 0);
    for (size_t i = 1; i < nodes.size(); ++i) {
        const auto &targets = graph.edges[nodes[i - 1]];
        CHECK(std::count(targets.begin(), targets.end(), nodes[i]) > 0);
    }
}

void check_search(Order order, uint64_t max_depth) {
    const auto distance = distances(max_depth);
    uint64_t transitions = graph.initial.size(), errors = 0;
    bool closed = true;
    for (const auto &[node, steps] : distance) {
        transitions += graph.edges[node].size();
        errors += graph.reports[node] + graph.bad[node] + (graph.edges[node].empty() && graph.reports[node] == 0);
        for (const uint32_t target : graph.edges[node])
            closed = closed && distance.count(target) > 0;
    }

    Options options;
    options.order = order;
    options.invariants = {0};
    options.stop_at_first = false;
    options.max_depth = max_depth;
    Control control;
    const auto search = Search::make(graph_model, options, control);
    search->run();
    CHECK(search->totals().states == distance.size());
    CHECK(search->reason() == (closed ? Reason::none : Reason::depth));
    CHECK(search->error_paths().count() == errors);
    if (max_depth == 0)
        CHECK(search->totals().transitions == transitions);
    for (const ErrorPath &error_path : search->error_paths().kept()) {
        const auto nodes = nodes_of(*search, error_path.path);
        CHECK(!nodes.empty());
        check_path(nodes);
        if (order == Order::breadth_first)
            CHECK(nodes.size() == distance.at(nodes.back()) + 1);
    }
}

void random_graphs() {
    std::mt19937_64 random(1);
    for (int round = 0; round < 300; ++round) {
        const auto nodes = static_cast<uint32_t>(random() % 200 + 1);
        graph = random_graph(random, nodes, static_cast<uint32_t>(random() % 6));
        for (const Order order : {Order::breadth_first, Order::depth_first})
            for (const uint64_t max_depth : {0, 1, 4, 9})
                check_search(order, max_depth);
    }
    graph = random_graph(random, 100'000, 6); /* many table sizes, full batches */
    for (const Order order : {Order::breadth_first, Order::depth_first})
        check_search(order, 0);
    graph.edges[graph.initial[0]].resize(50'000, 7); /* more successors than a batch holds */
    for (const Order order : {Order::breadth_first, Order::depth_first})
        check_search(order, 0);
}

void limits_of_memory() {
    std::mt19937_64 random(2);
    graph = random_graph(random, 20'000, 5);
    for (const Order order : {Order::breadth_first, Order::depth_first}) {
        for (uint64_t limit = 1; limit < 6'000'000; limit = limit * 5 / 4 + 1) {
            Options options;
            options.order = order;
            options.stop_at_first = false;
            options.memory_limit = limit;
            Control control;
            const auto search = Search::make(graph_model, options, control);
            search->run();
            CHECK(search->complete() || search->reason() == Reason::memory);
            CHECK(search->peak_bytes() <= limit);
        }
    }
}

/* Stopped from outside while it runs, at some moment or other. */
void stopped_by_time() {
    std::mt19937_64 random(3);
    graph = random_graph(random, 200'000, 6);
    for (const Order order : {Order::breadth_first, Order::depth_first}) {
        for (const double seconds : {1e-9, 1e-3, 0.01, 0.03, 0.1}) {
            Options options;
            options.order = order;
            options.stop_at_first = false;
            Control control;
            const auto search = Search::make(graph_model, options, control);
            const auto samples = supervise(*search, control, seconds, [](const Progress &, double) {});
            CHECK(search->complete() || search->reason() == Reason::time);
            CHECK(samples.back().states == search->totals().states);
        }
    }
}

} // namespace

void test_search() {
    random_graphs();
    limits_of_memory();
    stopped_by_time();
}
