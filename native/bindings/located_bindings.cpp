/* located_bindings.cpp -- sets of values by control points in the Python module kripke._native. The typed
 * face of it is src/kripke/engines/hierarchy/located.py.
 */
#include "bindings/symbolic_run.h"
#include "symbolic/located_search.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <functional>
#include <stdexcept>
#include <tuple>

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using namespace kripke;

/* guard, keep, failed, errors, whole, move, target, label */
using ChoiceTuple = std::tuple<uint32_t, uint32_t, uint32_t, std::vector<std::pair<uint32_t, uint32_t>>, uint32_t,
                               uint32_t, uint32_t, uint32_t>;
constexpr uint32_t most_numbers = 1u << 24; /* controls and spots */

void require(bool good, const char *what) {
    if (!good)
        throw std::invalid_argument(what);
}

/* The relation is about as many levels as the move looks at. */
void require_fit(const LocatedSearch &search, uint32_t relation, uint32_t move) {
    const Assignments &known = search.assignments;
    require(relation < known.relations() && move < known.moves(), "there is no such relation or move");
    require(relation == Assignments::never || known.width(relation) == known.related(move),
            "the relation is about other levels than the move");
}

uint32_t made_relation(LocatedSearch &search, const std::vector<Assignments::Row> &rows) {
    for (const Assignments::Row &row : rows)
        require(row.size() == rows[0].size(), "rows have one length");
    return search.assignments.relation(rows);
}

uint32_t relation_of(LocatedSearch &search, const std::vector<std::array<uint32_t, 3>> &entries) {
    const Assignments &known = search.assignments;
    uint32_t first = Assignments::never;
    for (const auto &[old, now, rest] : entries) {
        require(rest < known.relations(), "there is no such relation");
        if (rest == Assignments::never)
            continue;
        require(first == Assignments::never || known.width(rest) == known.width(first), "relations have one width");
        first = rest;
    }
    return search.assignments.relation_of(entries);
}

uint32_t made_move(LocatedSearch &search, const std::vector<std::tuple<uint32_t, bool, int64_t>> &touches) {
    std::vector<Assignments::Touch> all;
    for (const auto &[level, related, value] : touches) {
        require(all.empty() || all.back().level < level, "levels ascend");
        require(related || value >= 0, "a level that is touched is related or gets a value");
        require(level < Diagram::end && value < static_cast<int64_t>(Diagram::most_tokens), "a level or value is out of range");
        all.push_back({level, related, value >= 0, static_cast<uint32_t>(std::max<int64_t>(value, 0))});
    }
    return search.assignments.move(std::move(all));
}

void describe_spot(LocatedSearch &search, uint32_t number, uint32_t control, bool resting,
                   const std::vector<std::vector<ChoiceTuple>> &stages) {
    require(number < most_numbers && control < most_numbers, "a number is out of range");
    Spot spot{control, true, resting, {}};
    for (const auto &stage : stages) {
        spot.stages.emplace_back();
        for (const auto &[guard, keep, failed, errors, whole, move, target, label] : stage) {
            require_fit(search, guard, keep);
            require_fit(search, failed, keep);
            for (const auto &[relation, code] : errors)
                require_fit(search, relation, keep);
            require_fit(search, whole, move);
            require(target < most_numbers, "a number is out of range");
            spot.stages.back().push_back({guard, keep, failed, errors, whole, move, target, label});
        }
    }
    if (search.spots.size() <= number)
        search.spots.resize(number + 1);
    search.spots[number] = std::move(spot);
}

void describe_control(LocatedSearch &search, uint32_t number, const std::vector<std::pair<uint32_t, uint32_t>> &starts,
                      const std::vector<std::pair<uint32_t, uint32_t>> &conditions) {
    require(number < most_numbers, "a number is out of range");
    ControlPoint point{true, {}, conditions};
    for (const auto &[spot, move] : starts) {
        require(spot < most_numbers, "a number is out of range");
        require_fit(search, Assignments::always, move);
        point.starts.push_back({spot, move});
    }
    for (const auto &[relation, move] : conditions)
        require_fit(search, relation, move);
    if (search.controls.size() <= number)
        search.controls.resize(number + 1);
    search.controls[number] = std::move(point);
}

/* kind, number, code, where, actor, set; the set is held. */
nb::tuple told(LocatedSearch &search, const Event &event) {
    search.diagram.hold(event.set);
    return nb::make_tuple(static_cast<uint32_t>(event.kind), event.number, event.code, event.where, event.actor, event.set);
}

Set held(LocatedSearch &search, double time_limit, const std::function<Set()> &operation) {
    Set made = Diagram::nothing;
    run(search.diagram, time_limit, [&] { search.diagram.hold(made = operation()); });
    return made;
}

} // namespace

void bind_located(nb::module_ &module) {
    using Search = LocatedSearch;
    nb::class_<Search>(module, "LocatedSearch")
        .def("__init__", [](Search *place, uint64_t memory) { new (place) Search(memory); }, "memory_limit"_a)
        .def("relation", &made_relation)
        .def("relation_of", &relation_of)
        .def("move", &made_move)
        .def("describe_spot", &describe_spot)
        .def("describe_control", &describe_control)
        .def("release", [](Search &search, Set set) { search.diagram.release(set); })
        .def("single",
             [](Search &search, std::vector<std::pair<uint32_t, uint32_t>> values) {
                 std::sort(values.begin(), values.end());
                 return held(search, 0, [&] { return search.selection.single(values); });
             })
        .def("unite",
             [](Search &search, Set a, Set b, double time_limit) {
                 return held(search, time_limit, [&] { return search.diagram.unite(a, b); });
             })
        .def("intersect",
             [](Search &search, Set a, Set b, double time_limit) {
                 return held(search, time_limit, [&] { return search.diagram.intersect(a, b); });
             })
        .def("subtract",
             [](Search &search, Set a, Set b, double time_limit) {
                 return held(search, time_limit, [&] { return search.diagram.subtract(a, b); });
             })
        .def("image",
             [](Search &search, Set set, uint32_t relation, uint32_t move, double time_limit) {
                 require_fit(search, relation, move);
                 return held(search, time_limit, [&] { return search.assignments.image(set, relation, move); });
             })
        .def("mirrored",
             [](Search &search, Set set, double time_limit) {
                 return held(search, time_limit, [&] { return search.assignments.mirrored(set); });
             })
        .def("select",
             [](Search &search, Set pairs, Set states, uint32_t side, double time_limit) {
                 require(side < 2, "a pair has two sides");
                 return held(search, time_limit, [&] { return search.assignments.select(pairs, states, side); });
             })
        .def("project",
             [](Search &search, Set pairs, uint32_t side, double time_limit) {
                 require(side < 2, "a pair has two sides");
                 return held(search, time_limit, [&] { return search.assignments.project(pairs, side); });
             })
        .def("start", [](Search &search, uint32_t control, Set set) { run(search.diagram, 0, [&] { search.start(control, set); }); })
        .def("advance",
             [](Search &search, uint64_t rings, double time_limit) {
                 Event event{Event::done};
                 run(search.diagram, time_limit, [&] { event = search.advance(rings); });
                 return told(search, event);
             })
        .def("macro_step",
             [](Search &search, uint32_t control, Set set, uint32_t actor, double time_limit) {
                 require(control >= search.controls.size() || !search.controls[control].known ||
                             actor < search.controls[control].starts.size(),
                         "there is no such actor");
                 Event event{Event::done};
                 Located found;
                 run(search.diagram, time_limit, [&] { event = search.macro_step(control, set, actor, found); });
                 for (const auto &[where, some] : found)
                     search.diagram.hold(some);
                 return nb::make_tuple(told(search, event), found);
             })
        .def("pick", [](const Search &search, Set set) { return search.selection.pick(set); })
        .def("count",
             [](Search &search, Set set, double time_limit) {
                 Digits found;
                 run(search.diagram, time_limit, [&] { found = search.selection.count(set); });
                 return nb::bytes(found.data(), found.size() * sizeof(uint64_t));
             })
        .def("reached",
             [](Search &search) {
                 Located found;
                 for (uint32_t control = 0; control < search.reached().size(); ++control)
                     if (search.reached()[control] != Diagram::nothing) {
                         search.diagram.hold(search.reached()[control]);
                         found.emplace_back(control, search.reached()[control]);
                     }
                 return found;
             })
        .def("ring",
             [](Search &search, size_t number) {
                 require(number < search.rings().size(), "there is no such ring");
                 const Located found = search.rings()[number];
                 for (const auto &[control, set] : found)
                     search.diagram.hold(set);
                 return found;
             })
        .def("nodes_of", &Search::nodes_of)
        .def_prop_ro("rings", [](const Search &search) { return search.rings().size(); })
        .def_prop_ro("made_nodes", [](const Search &search) { return search.diagram.made(); })
        .def_prop_ro("peak_nodes", [](const Search &search) { return search.diagram.peak(); })
        .def_prop_ro("bytes", [](const Search &search) { return search.diagram.bytes(); });
}
