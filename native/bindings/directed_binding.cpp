/* directed_binding.cpp -- property-directed reachability in the Python module kripke._native. Its
 * caller is src/kripke/engines/satisfiability/pdr.py.
 */
#include "satisfiability/directed.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdlib>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using namespace kripke;

/* Literals as DIMACS writes them: 1, -1, 2, -2, ... */
using Signed = std::vector<int>;

struct Reading {
    uint32_t variables;

    Literal operator()(int literal) const {
        const auto variable = static_cast<uint32_t>(std::abs(literal));
        if (variable == 0 || variable > variables)
            throw std::invalid_argument("there is no such literal");
        return 2 * (variable - 1) + (literal < 0);
    }
    std::vector<Literal> operator()(const Signed &literals) const {
        std::vector<Literal> found;
        for (const int literal : literals)
            found.push_back((*this)(literal));
        return found;
    }
};

/* `clauses` follow each other, a 0 behind each. */
ClausalRelation relation_of(uint32_t variables, const Signed &clauses, const std::pair<Signed, Signed> &coordinates,
                  const std::vector<std::pair<uint32_t, bool>> &kinds, const std::pair<Signed, Signed> &bits,
                  const std::vector<std::tuple<int, int, Signed>> &commands, const std::tuple<int, int, int> &questions) {
    const Reading read{variables};
    ClausalRelation relation;
    relation.variables = variables;
    std::vector<Literal> clause;
    for (const int literal : clauses) {
        if (literal != 0) {
            clause.push_back(read(literal));
            continue;
        }
        relation.clauses.push_back(clause);
        clause.clear();
    }
    relation.now = read(coordinates.first);
    relation.later = read(coordinates.second);
    for (const auto &[group, single] : kinds) {
        relation.group.push_back(group);
        relation.single.push_back(single);
    }
    relation.bits_now = read(bits.first);
    relation.bits_later = read(bits.second);
    if (relation.now.size() != relation.later.size() || relation.now.size() != kinds.size() ||
        relation.bits_now.size() != relation.bits_later.size())
        throw std::invalid_argument("a step leads from states to states of the same kind");
    for (const auto &[taken, guard, choices] : commands)
        relation.commands.push_back({read(taken), read(guard), read(choices)});
    relation.start = read(std::get<0>(questions));
    relation.wrong = read(std::get<1>(questions));
    relation.stepping = read(std::get<2>(questions));
    return relation;
}

} // namespace

void bind_directed(nb::module_ &module) {
    nb::class_<Directed>(module, "Directed")
        .def("__init__",
             [](Directed *place, uint32_t variables, const Signed &clauses, const std::pair<Signed, Signed> &coordinates,
                const std::vector<std::pair<uint32_t, bool>> &kinds, const std::pair<Signed, Signed> &bits,
                const std::vector<std::tuple<int, int, Signed>> &commands, const std::tuple<int, int, int> &questions,
                bool written_down) {
                 new (place) Directed(relation_of(variables, clauses, coordinates, kinds, bits, commands, questions),
                                      written_down);
             },
             "variables"_a, "clauses"_a, "coordinates"_a, "kinds"_a, "bits"_a, "commands"_a, "questions"_a,
             "written_down"_a = false)
        .def("holds",
             [](Directed &search, const std::function<void(size_t, size_t)> &report) {
                 return search.holds([&](const Directed::Progress &now) { report(now.levels, now.clauses); });
             })
        .def_prop_ro("path", &Directed::path)
        .def_prop_ro("excluded", &Directed::excluded)
        .def_prop_ro("transcript",
                     [](const Directed &search) {
                         const auto &all = search.transcript();
                         return nb::bytes(all.data(), all.size() * sizeof(int32_t));
                     })
        .def_prop_ro("progress", [](const Directed &search) {
            const Directed::Progress now = search.progress();
            return std::tuple(now.levels, now.clauses, now.questions);
        });
}
