/* binary_bindings.cpp -- binary decision diagrams in the Python module kripke._native. The typed
 * face of it is src/kripke/engines/diagrams/manager.py.
 */
#include "symbolic/binary_diagrams.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using namespace kripke;

/* To Python: a closure needs more nodes than it may have. */
struct DiagramsTooLarge : std::runtime_error {
    using std::runtime_error::runtime_error;
};

using Package = std::shared_ptr<BinaryDiagrams>;

/* A function that is held as long as Python has it. */
class Held {
  public:
    Held(Package package, Function function) : package_(std::move(package)), function_(function) {
        package_->hold(function_);
    }
    Held(const Held &other) : Held(other.package_, other.function_) {}
    Held &operator=(const Held &) = delete;
    ~Held() { package_->release(function_); }

    const Package &package() const { return package_; }
    Function function() const { return function_; }

    bool operator==(const Held &other) const { return function_ == other.function_ && package_ == other.package_; }

  private:
    Package package_;
    Function function_;
};

struct Diagrams {
    Package package;
    uint32_t levels;

    void known(uint32_t level) const {
        if (level >= levels)
            throw std::invalid_argument("there is no such level");
    }
    void commands_known(const std::vector<uint32_t> &commands) const {
        for (const uint32_t command : commands)
            if (command >= package->commands())
                throw std::invalid_argument("there is no such command");
    }
    Function own(const Held &held) const {
        if (held.package() != package)
            throw std::invalid_argument("a function of other diagrams");
        return held.function();
    }
    Held held(Function function) const { return {package, function}; }
};

template <class Operation> Held made(const Held &a, const Held &b, const Operation &operation) {
    if (a.package() != b.package())
        throw std::invalid_argument("a function of other diagrams");
    a.package()->safe_point();
    return {a.package(), operation(*a.package(), a.function(), b.function())};
}

Function cube(Diagrams &diagrams, const std::vector<uint32_t> &levels) {
    Function all = BinaryDiagrams::one;
    for (const uint32_t level : levels) {
        diagrams.known(level);
        all = diagrams.package->conj(all, diagrams.package->variable(level));
    }
    return all;
}

Held closure(Diagrams &diagrams, const Held &set, uint32_t group, uint64_t most_nodes, const nb::object &tick) {
    using Clock = std::chrono::steady_clock;
    auto last = Clock::now();
    uint32_t calls = 0;
    const auto look = [&] {
        if ((++calls & 0x3f) != 0 || Clock::now() - last < std::chrono::milliseconds(100))
            return;
        last = Clock::now();
        if (PyErr_CheckSignals() != 0)
            throw nb::python_error();
        if (!tick.is_none())
            tick();
    };
    diagrams.package->safe_point();
    try {
        return diagrams.held(diagrams.package->closure(diagrams.own(set), group, most_nodes, look));
    } catch (const BinaryDiagrams::TooLarge &) {
        throw DiagramsTooLarge("the diagrams have grown too large");
    }
}

} // namespace

void bind_binary_diagrams(nb::module_ &module) {
    nb::exception<DiagramsTooLarge>(module, "DiagramsTooLarge");
    nb::class_<Held>(module, "BinaryFunction")
        .def("__and__",
             [](const Held &a, const Held &b) {
                 return made(a, b, [](BinaryDiagrams &d, Function f, Function g) { return d.conj(f, g); });
             })
        .def("__or__",
             [](const Held &a, const Held &b) {
                 return made(a, b, [](BinaryDiagrams &d, Function f, Function g) { return d.disj(f, g); });
             })
        .def("__xor__",
             [](const Held &a, const Held &b) {
                 return made(a, b, [](BinaryDiagrams &d, Function f, Function g) { return d.differ(f, g); });
             })
        .def("__invert__", [](const Held &a) { return Held(a.package(), a.function() ^ 1); })
        .def("__eq__", [](const Held &a, const Held &b) { return a == b; }, nb::is_operator())
        .def("__ne__", [](const Held &a, const Held &b) { return !(a == b); }, nb::is_operator())
        .def("__hash__", [](const Held &a) { return a.function(); })
        .def("__len__", [](const Held &a) { return a.package()->size(a.function()); })
        .def("larger", [](const Held &a, uint64_t nodes) { return a.package()->larger(a.function(), nodes); })
        .def("support", [](const Held &a) { return a.package()->support(a.function()); })
        .def("solution",
             [](const Held &a) {
                 if (a.function() == BinaryDiagrams::zero)
                     throw std::invalid_argument("there is no solution");
                 return a.package()->solution(a.function());
             });
    nb::class_<Diagrams>(module, "BinaryDiagrams")
        .def("__init__",
             [](Diagrams *place, uint32_t levels, uint64_t collect_at) {
                 new (place) Diagrams{std::make_shared<BinaryDiagrams>(levels, collect_at), levels};
             },
             "levels"_a, "collect_at"_a = uint64_t{1} << 22)
        .def_prop_ro("true", [](Diagrams &d) { return d.held(BinaryDiagrams::one); })
        .def("variable",
             [](Diagrams &d, uint32_t level) {
                 d.known(level);
                 return d.held(d.package->variable(level));
             })
        .def("ite",
             [](Diagrams &d, const Held &f, const Held &g, const Held &h) {
                 d.package->safe_point();
                 return d.held(d.package->ite(d.own(f), d.own(g), d.own(h)));
             })
        .def("and_exists",
             [](Diagrams &d, const Held &f, const Held &g, const std::vector<uint32_t> &levels) {
                 d.package->safe_point();
                 return d.held(d.package->and_exists(d.own(f), d.own(g), cube(d, levels)));
             })
        .def("renamed",
             [](Diagrams &d, const Held &f, const std::vector<uint32_t> &from, const std::vector<uint32_t> &to) {
                 if (from.size() != to.size())
                     throw std::invalid_argument("every level has a new one");
                 for (size_t i = 0; i < from.size(); ++i) {
                     d.known(from[i]);
                     d.known(to[i]);
                 }
                 d.package->safe_point();
                 return d.held(d.package->renamed(d.own(f), from, to));
             })
        .def("command",
             [](Diagrams &d, const Held &relation, const std::vector<std::pair<uint32_t, bool>> &support) {
                 std::vector<BinaryDiagrams::Touch> touched;
                 for (const auto &[level, written] : support) {
                     d.known(written ? level + 1 : level);
                     if (!touched.empty() && touched.back().level >= level)
                         throw std::invalid_argument("a support is by ascending level");
                     touched.push_back({level, written});
                 }
                 return d.package->command(d.own(relation), touched);
             })
        .def("after",
             [](Diagrams &d, const Held &set, const std::vector<uint32_t> &commands) {
                 d.commands_known(commands);
                 d.package->safe_point();
                 Function all = BinaryDiagrams::zero;
                 for (const uint32_t command : commands)
                     all = d.package->disj(all, d.package->after(d.own(set), command));
                 return d.held(all);
             })
        .def("before",
             [](Diagrams &d, const Held &set, const std::vector<uint32_t> &commands) {
                 d.commands_known(commands);
                 d.package->safe_point();
                 Function all = BinaryDiagrams::zero;
                 for (const uint32_t command : commands)
                     all = d.package->disj(all, d.package->before(d.own(set), command));
                 return d.held(all);
             })
        .def("arrange",
             [](Diagrams &d, const std::vector<uint32_t> &commands) {
                 d.commands_known(commands);
                 return d.package->arrange(commands);
             })
        .def("closure", &closure, "set"_a, "group"_a, "most_nodes"_a, "tick"_a.none())
        .def("count",
             [](Diagrams &d, const Held &f, const std::vector<uint32_t> &levels) {
                 const std::vector<uint64_t> digits = d.package->count(d.own(f), levels);
                 return nb::bytes(digits.data(), digits.size() * sizeof(uint64_t));
             })
        .def_prop_ro("nodes", [](Diagrams &d) { return d.package->used(); })
        .def_prop_ro("peak_nodes", [](Diagrams &d) { return d.package->peak(); })
        .def_prop_ro("applications", [](Diagrams &d) { return d.package->applications(); })
        .def_prop_ro("bytes", [](Diagrams &d) { return d.package->bytes(); });
}
