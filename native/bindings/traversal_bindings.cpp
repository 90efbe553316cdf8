/* traversal_bindings.cpp -- Walk in the Python module kripke._native. The typed face of
 * it is src/kripke/engines/explicit/traversal.py.
 */
#include "model/loaded_model.h"
#include "searches/traversal.h"

#include <nanobind/nanobind.h>

#include <memory>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using namespace kripke;

template <class Number> nb::bytes bytes_of(const std::vector<Number> &numbers) {
    return nb::bytes(numbers.data(), numbers.size() * sizeof(Number));
}

nb::tuple states_tuple(const StateBatch &states) {
    return nb::make_tuple(states.first, states.stride, bytes_of(states.rows), bytes_of(states.lengths));
}

nb::object expand_states(Walk &walk, uint64_t count) {
    StateBatch states;
    StepBatch steps;
    bool some;
    {
        nb::gil_scoped_release no_gil;
        some = walk.expand(count, states, steps);
    }
    if (!some)
        return nb::none();
    return nb::make_tuple(states_tuple(states),
                          nb::make_tuple(bytes_of(steps.sources), bytes_of(steps.targets), bytes_of(steps.labels),
                                         bytes_of(steps.violations), bytes_of(steps.depths),
                                         bytes_of(steps.deadlocks)));
}

nb::object read_states(Walk &walk, uint64_t count) {
    StateBatch states;
    bool some;
    {
        nb::gil_scoped_release no_gil;
        some = walk.read(count, states);
    }
    return some ? nb::object(states_tuple(states)) : nb::none();
}

} // namespace

void bind_walk(nb::module_ &module) {
    nb::class_<Walk>(module, "Walk")
        .def(
            "__init__",
            [](Walk *place, const LoadedModel &model, uint64_t max_states, uint64_t memory_limit) {
                new (place) Walk(*model, max_states, memory_limit);
            },
            "model"_a, nb::kw_only(), "max_states"_a = 0, "memory_limit"_a = 0, nb::keep_alive<1, 2>())
        .def("expand", &expand_states, "count"_a)
        .def("read", &read_states, "count"_a)
        .def("rewind", &Walk::rewind)
        .def_prop_ro("complete", &Walk::complete)
        .def_prop_ro("reason", &Walk::reason)
        .def_prop_ro("covered",
                     [](const Walk &walk) { return nb::bytes(walk.covered, walk.model().label_count); })
        .def_prop_ro("size", &Walk::size)
        .def_prop_ro("initial_count", &Walk::initial_count)
        .def_prop_ro("initial_steps", &Walk::initial_steps)
        .def_prop_ro("longest", &Walk::longest);
}
