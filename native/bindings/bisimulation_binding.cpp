/* bisimulation_binding.cpp -- partition refinement in the Python module kripke._native. The typed
 * face of it is src/kripke/algebra/lts/equivalences.py.
 */
#include "lts/bisimulation.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <chrono>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using namespace kripke;

std::vector<uint32_t> numbers_of(const nb::bytes &written) {
    std::vector<uint32_t> numbers(written.size() / sizeof(uint32_t));
    std::memcpy(numbers.data(), written.c_str(), numbers.size() * sizeof(uint32_t));
    return numbers;
}

Equivalence equivalence_of(const std::string &name) {
    if (name == "strong")
        return Equivalence::strong;
    if (name == "branching")
        return Equivalence::branching;
    if (name == "divergence-branching")
        return Equivalence::divergence_branching;
    if (name == "weak")
        return Equivalence::weak;
    if (name == "divergence-weak")
        return Equivalence::divergence_weak;
    throw std::invalid_argument("unknown equivalence '" + name + "'");
}

nb::bytes blocks_of(uint32_t states, const nb::bytes &sources, const nb::bytes &labels, const nb::bytes &targets,
                    const std::string &equivalence) {
    using Clock = std::chrono::steady_clock;
    TransitionSystem system{states, numbers_of(sources), numbers_of(labels), numbers_of(targets)};
    system.check();
    const Equivalence which = equivalence_of(equivalence);
    std::vector<uint32_t> blocks;
    {
        nb::gil_scoped_release no_gil;
        Clock::time_point next = Clock::now() + std::chrono::milliseconds(100);
        const Pause pause = [&next] {
            const Clock::time_point now = Clock::now();
            if (now < next)
                return;
            next = now + std::chrono::milliseconds(100);
            nb::gil_scoped_acquire gil;
            if (PyErr_CheckSignals() != 0)
                throw nb::python_error();
        };
        blocks = bisimulation(system, which, pause);
    }
    return nb::bytes(blocks.data(), blocks.size() * sizeof(uint32_t));
}

} // namespace

void bind_bisimulation(nb::module_ &module) {
    module.def("bisimulation", &blocks_of, "states"_a, "sources"_a, "labels"_a, "targets"_a, "equivalence"_a);
}
