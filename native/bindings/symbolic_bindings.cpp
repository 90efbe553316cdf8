/* symbolic_bindings.cpp -- sets of markings in the Python module kripke._native. The typed face
 * of it is src/kripke/engines/nets/symbolic/sets.py.
 */
#include "bindings/symbolic_run.h"
#include "symbolic/symbolic_net.h"
#include "symbolic/variable_order.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using namespace kripke;

/* The set an operation makes, held for the caller. */
Set held(SymbolicNet &net, double time_limit, const std::function<Set()> &operation) {
    Set made = Diagram::nothing;
    run(net.diagram, time_limit, [&] { net.diagram.hold(made = operation()); });
    return made;
}

nb::bytes bytes_of(const Digits &digits) { return nb::bytes(digits.data(), digits.size() * sizeof(uint64_t)); }

void create(SymbolicNet *place, const std::vector<uint32_t> &initial, const std::vector<Arcs> &presets,
            const std::vector<Arcs> &postsets, std::vector<uint32_t> levels, uint64_t memory_limit) {
    const auto known = [&](uint32_t number) {
        if (number >= initial.size())
            throw std::invalid_argument("there is no such place");
    };
    if (presets.size() != postsets.size())
        throw std::invalid_argument("every transition has a preset and a postset");
    for (const std::vector<Arcs> *all : {&presets, &postsets})
        for (const Arcs &arcs : *all)
            for (const auto &[number, weight] : arcs) {
                known(number);
                if (weight == 0 || weight >= Diagram::most_tokens)
                    throw std::invalid_argument("a weight is out of range");
            }
    if (levels.size() != initial.size())
        throw std::invalid_argument("every place has a level of its own");
    std::vector<uint32_t> sorted = levels;
    std::sort(sorted.begin(), sorted.end());
    for (size_t i = 0; i < sorted.size(); ++i)
        if (sorted[i] != i)
            throw std::invalid_argument("every place has a level of its own");
    for (const uint32_t tokens : initial)
        if (tokens >= Diagram::most_tokens)
            throw std::invalid_argument("a number of tokens is out of range");
    nb::gil_scoped_release no_gil;
    new (place) SymbolicNet({initial, presets, postsets}, std::move(levels), memory_limit);
}

std::vector<std::vector<uint32_t>> orders(uint32_t places, const std::vector<std::vector<uint32_t>> &groups) {
    for (const std::vector<uint32_t> &group : groups)
        for (const uint32_t number : group)
            if (number >= places)
                throw std::invalid_argument("there is no such place");
    nb::gil_scoped_release no_gil;
    return orders_of_places(places, groups);
}

void require_size(const SymbolicNet &net, const std::vector<uint32_t> &tokens) {
    if (tokens.size() != net.places())
        throw std::invalid_argument("a marking gives every place its tokens");
}

void require_places(const SymbolicNet &net, const Terms &terms) {
    if (std::any_of(terms.begin(), terms.end(), [&](const auto &term) { return term.first >= net.places(); }))
        throw std::invalid_argument("there is no such place");
}

} // namespace

void bind_symbolic(nb::module_ &module) {
    nb::exception<SymbolicStopped>(module, "SymbolicStopped");
    module.def("orders_of_places", &orders, "places"_a, "groups"_a);
    using Net = SymbolicNet;
    nb::class_<Net>(module, "SymbolicNet")
        .def("__init__", &create, "initial"_a, "presets"_a, "postsets"_a, "levels"_a, nb::kw_only(),
             "memory_limit"_a = 0)
        .def("release", [](Net &net, Set set) { net.diagram.release(set); })
        .def("initial", [](Net &net) { return held(net, 0, [&] { return net.initial(); }); })
        .def("marking",
             [](Net &net, const std::vector<uint32_t> &tokens) {
                 require_size(net, tokens);
                 return held(net, 0, [&] { return net.marking(tokens); });
             })
        .def("forward_closure",
             [](Net &net, Set set, Set within, double time_limit) {
                 return held(net, time_limit, [&] { return net.forward_closure(set, within); });
             })
        .def("backward_closure",
             [](Net &net, Set set, Set within, double time_limit) {
                 return held(net, time_limit, [&] { return net.backward_closure(set, within); });
             })
        .def("successors",
             [](Net &net, Set set, Set within, double time_limit) {
                 return held(net, time_limit, [&] { return net.successors(set, within); });
             })
        .def("predecessors",
             [](Net &net, Set set, Set within, double time_limit) {
                 return held(net, time_limit, [&] { return net.predecessors(set, within); });
             })
        .def("unite",
             [](Net &net, Set a, Set b, double time_limit) {
                 return held(net, time_limit, [&] { return net.diagram.unite(a, b); });
             })
        .def("intersect",
             [](Net &net, Set a, Set b, double time_limit) {
                 return held(net, time_limit, [&] { return net.diagram.intersect(a, b); });
             })
        .def("subtract",
             [](Net &net, Set a, Set b, double time_limit) {
                 return held(net, time_limit, [&] { return net.diagram.subtract(a, b); });
             })
        .def("at_least",
             [](Net &net, Set set, const Terms &terms, int64_t least, double time_limit) {
                 require_places(net, terms);
                 return held(net, time_limit, [&] { return net.at_least(set, terms, least); });
             })
        .def("enabled",
             [](Net &net, Set set, const std::vector<uint32_t> &transitions, double time_limit) {
                 for (const uint32_t transition : transitions)
                     if (transition >= net.transitions())
                         throw std::invalid_argument("there is no such transition");
                 return held(net, time_limit, [&] {
                     Set all = Diagram::nothing;
                     for (const uint32_t transition : transitions)
                         all = net.diagram.unite(all, net.enabled(set, transition));
                     return all;
                 });
             })
        .def("dead",
             [](Net &net, Set set, double time_limit) { return held(net, time_limit, [&] { return net.dead(set); }); })
        .def("range",
             [](Net &net, Set set, const Terms &terms, double time_limit) {
                 require_places(net, terms);
                 std::pair<int64_t, int64_t> found;
                 run(net.diagram, time_limit, [&] { found = net.range(set, terms); });
                 return found;
             })
        .def("count",
             [](Net &net, Set set, double time_limit) {
                 Digits found;
                 run(net.diagram, time_limit, [&] { found = net.count(set); });
                 return bytes_of(found);
             })
        .def("count_steps",
             [](Net &net, Set set, double time_limit) {
                 Digits found;
                 run(net.diagram, time_limit, [&] { found = net.count_steps(set); });
                 return bytes_of(found);
             })
        .def("walk",
             [](Net &net, const std::vector<uint32_t> &start, Set goal, Set within, double time_limit) {
                 require_size(net, start);
                 std::optional<std::vector<uint32_t>> found;
                 run(net.diagram, time_limit, [&] { found = net.walk(start, goal, within); });
                 return found;
             })
        .def("chain",
             [](Net &net, const std::vector<uint32_t> &start, Set goal, Set within, double time_limit) {
                 require_size(net, start);
                 std::vector<uint32_t> found;
                 run(net.diagram, time_limit, [&] { found = net.chain(start, goal, within); });
                 return found;
             })
        .def("pick", &Net::pick)
        .def("contains",
             [](const Net &net, Set set, const std::vector<uint32_t> &tokens) {
                 require_size(net, tokens);
                 return net.contains(set, tokens);
             })
        .def("most_on_places", &Net::most_on_places)
        .def("nodes_of", [](const Net &net, Set set) { return net.diagram.nodes_of(set); })
        .def_prop_ro("levels", &Net::levels)
        .def_prop_ro("nodes", [](const Net &net) { return net.diagram.used(); })
        .def_prop_ro("peak_nodes", [](const Net &net) { return net.diagram.peak(); })
        .def_prop_ro("bytes", [](const Net &net) { return net.diagram.bytes(); });
}
