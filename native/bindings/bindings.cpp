/* bindings.cpp -- the engine as the Python module kripke._native. The typed face
 * of it is src/kripke/engines/explicit/native.py; the stub is src/kripke/_native.pyi.
 */
#include "bindings/numbering_binding.h"
#include "bindings/pairs_binding.h"
#include "bindings/plan_binding.h"
#include "bindings/watcher.h"
#include "model/loaded_model.h"
#include "searches/graph.h"
#include "searches/supervise.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using namespace kripke;

// ---- Models ---------------------------------------------------------------

std::string string_of(const nb::bytes &bytes) { return {bytes.c_str(), bytes.size()}; }

nb::bytes bytes_of(const std::string &text) { return nb::bytes(text.data(), text.size()); }

nb::list initial(const LoadedModel &model) {
    nb::list states;
    for (const auto &[state, label] : model.initial().states)
        states.append(bytes_of(state));
    return states;
}

nb::tuple successors(const LoadedModel &model, const nb::bytes &source) {
    const LoadedModel::Steps steps = model.successors(string_of(source));
    nb::list states, violations;
    for (const auto &[state, label] : steps.states)
        states.append(nb::make_tuple(bytes_of(state), label));
    for (const auto &[code, label] : steps.violations)
        violations.append(nb::make_tuple(code, label));
    return nb::make_tuple(states, violations);
}

bool valid_end(const LoadedModel &model, const nb::bytes &state) { return model.valid_end(string_of(state)); }

std::vector<bool> atoms(const LoadedModel &model, const nb::bytes &state) { return model.atoms(string_of(state)); }

// ---- Graphs ---------------------------------------------------------------

/* A state space with what it was made of. */
struct BuiltGraph {
    std::unique_ptr<Control> control;
    std::unique_ptr<Graph> graph;
};

nb::bytes bits_of(const StateSet &set) {
    return nb::bytes(reinterpret_cast<const char *>(set.data()), set.size() * sizeof(uint64_t));
}

StateSet set_of(const BuiltGraph &built, const nb::bytes &bits) {
    StateSet set(built.graph->words());
    if (bits.size() != set.size() * sizeof(uint64_t))
        throw std::invalid_argument("this is no set of states of this graph");
    std::copy_n(static_cast<const char *>(bits.data()), bits.size(), reinterpret_cast<char *>(set.data()));
    return set;
}

BuiltGraph build_graph(const LoadedModel &model, const std::vector<uint32_t> &atoms, uint64_t max_states,
                       uint64_t memory_limit, double time_limit, nb::object progress, bool labelled) {
    for (const uint32_t atom : atoms)
        if (atom >= model->atom_count)
            throw std::invalid_argument("there is no atom " + std::to_string(atom) + ": the model has " +
                                        std::to_string(model->atom_count));
    Options options;
    options.deadlock = false;
    options.invariants = atoms;
    options.max_states = max_states;
    options.memory_limit = memory_limit;
    BuiltGraph built;
    built.control = std::make_unique<Control>();
    built.graph = std::make_unique<Graph>(*model, options, *built.control, labelled);
    Watcher watcher(*built.control, std::move(progress));
    {
        nb::gil_scoped_release no_gil;
        supervise(*built.graph, *built.control, time_limit,
                  [&](const Progress &now, double seconds) { watcher.tick(now, seconds); });
    }
    watcher.rethrow();
    return built;
}

template <class Operator> nb::bytes without_gil(const BuiltGraph &built, Operator compute) {
    StateSet result;
    {
        nb::gil_scoped_release no_gil;
        result = compute(*built.graph);
    }
    return bits_of(result);
}

nb::bytes graph_state(const BuiltGraph &built, uint32_t number) {
    if (number >= built.graph->states())
        throw std::invalid_argument("there is no such state");
    const Store &store = built.graph->store();
    StateBuffer buffer(store.longest());
    const Record record = store.record(built.graph->offset(number));
    return nb::bytes(store.state(record, buffer), record.length);
}

std::vector<uint32_t> graph_successors(const BuiltGraph &built, uint32_t number) {
    if (number >= built.graph->states() || !built.graph->complete())
        throw std::invalid_argument("there is no such state, or the graph is not complete");
    return {built.graph->successors_begin(number), built.graph->successors_end(number)};
}

/* The labels of a state's edges, in the order of its successors; none of a graph without. */
std::vector<uint32_t> graph_labels(const BuiltGraph &built, uint32_t number) {
    if (number >= built.graph->states() || !built.graph->complete())
        throw std::invalid_argument("there is no such state, or the graph is not complete");
    if (!built.graph->labelled())
        return {};
    return {built.graph->labels_begin(number), built.graph->labels_end(number)};
}

} // namespace

void bind_bisimulation(nb::module_ &module); /* bisimulation_binding.cpp */
void bind_distributed(nb::module_ &module); /* distributed_binding.cpp */
void bind_symbolic(nb::module_ &module);  /* symbolic_bindings.cpp */
void bind_binary_diagrams(nb::module_ &module);  /* binary_bindings.cpp */
void bind_directed(nb::module_ &module); /* directed_binding.cpp */
void bind_located(nb::module_ &module);   /* located_bindings.cpp */
void bind_unfolding(nb::module_ &module); /* unfolding_bindings.cpp */
void bind_interleaving(nb::module_ &module); /* interleaving_binding.cpp */
void bind_walk(nb::module_ &module);      /* traversal_bindings.cpp */
void bind_watching(nb::module_ &module);  /* watching_binding.cpp */

NB_MODULE(_native, module) {
    module.attr("ABI") = KRIPKE_ABI;

    nb::class_<LoadedModel>(module, "Model")
        .def(nb::init<const std::string &>(), "path"_a)
        .def(nb::init<uintptr_t>(), "address"_a)
        .def_prop_ro("name", [](const LoadedModel &model) { return std::string(model->name); })
        .def_prop_ro("max_state_bytes", [](const LoadedModel &model) { return model->max_state_bytes; })
        .def_prop_ro("label_count", [](const LoadedModel &model) { return model->label_count; })
        .def_prop_ro("violation_count", [](const LoadedModel &model) { return model->violation_count; })
        .def_prop_ro("atom_count", [](const LoadedModel &model) { return model->atom_count; })
        .def("initial", &initial)
        .def("successors", &successors, "state"_a)
        .def("valid_end", &valid_end, "state"_a)
        .def("atoms", &atoms, "state"_a);

    bind_search(module);

    nb::class_<BuiltGraph>(module, "Graph")
        .def_prop_ro("complete", [](const BuiltGraph &built) { return built.graph->complete(); })
        .def_prop_ro("reason", [](const BuiltGraph &built) { return name_of(built.graph->reason()); })
        .def_prop_ro("states", [](const BuiltGraph &built) { return built.graph->states(); })
        .def_prop_ro("edges", [](const BuiltGraph &built) { return built.graph->edges(); })
        .def_prop_ro("initial_states", [](const BuiltGraph &built) { return built.graph->initial_states(); })
        .def_prop_ro("undecided", [](const BuiltGraph &built) { return built.graph->undecided(); })
        .def_prop_ro("seconds", [](const BuiltGraph &built) { return built.graph->seconds(); })
        .def_prop_ro("bytes", [](const BuiltGraph &built) { return built.graph->peak_bytes(); })
        .def("state", &graph_state, "number"_a)
        .def("successors", &graph_successors, "number"_a)
        .def("labels", &graph_labels, "number"_a)
        .def_prop_ro("longest", [](const BuiltGraph &built) { return built.graph->longest(); })
        .def("atom", [](const BuiltGraph &built, size_t place) { return bits_of(built.graph->atom(place)); })
        .def("ex",
             [](const BuiltGraph &built, const nb::bytes &inside) {
                 const StateSet set = set_of(built, inside);
                 return without_gil(built, [&](Graph &graph) { return graph.ex(set); });
             })
        .def("ex_by",
             [](const BuiltGraph &built, const nb::bytes &inside, const nb::bytes &labels) {
                 if (!built.graph->labelled())
                     throw std::invalid_argument("this graph has no labels");
                 const StateSet set = set_of(built, inside);
                 const auto *first = static_cast<const uint8_t *>(labels.data());
                 const std::vector<uint8_t> wanted(first, first + labels.size());
                 return without_gil(built, [&](Graph &graph) { return graph.ex(set, wanted); });
             })
        .def("eu",
             [](const BuiltGraph &built, const nb::bytes &through, const nb::bytes &reached) {
                 const StateSet path = set_of(built, through), goal = set_of(built, reached);
                 return without_gil(built, [&](Graph &graph) { return graph.eu(path, goal); });
             })
        .def("eg", [](const BuiltGraph &built, const nb::bytes &inside) {
            const StateSet set = set_of(built, inside);
            return without_gil(built, [&](Graph &graph) { return graph.eg(set); });
        });

    module.def("graph", &build_graph, "model"_a, nb::kw_only(), "atoms"_a = std::vector<uint32_t>(),
               "max_states"_a = 0, "memory_limit"_a = 0, "time_limit"_a = 0.0, "progress"_a = nb::none(),
               "labelled"_a = false, nb::keep_alive<0, 1>());

    bind_numbering(module);
    bind_pairs(module);
    bind_bisimulation(module);
    bind_distributed(module);
    bind_symbolic(module);
    bind_binary_diagrams(module);
    bind_directed(module);
    bind_located(module);
    bind_unfolding(module);
    bind_walk(module);
    bind_interleaving(module);
    bind_watching(module);
}
