#include "bindings/advice_binding.h"

#include "bindings/pairs_binding.h"

#include <nanobind/stl/vector.h>

#include <cstring>
#include <stdexcept>
#include <vector>

namespace nb = nanobind;

namespace kripke {

namespace {

/* Tables as Python writes them: the sets of conflicts, for each transition its enabling
 * sets, the visible ones; a set is a string of little-endian words. */
void append_set(const DependencyTables &tables, std::vector<uint64_t> &sets, nb::handle item) {
    const nb::bytes bytes = nb::cast<nb::bytes>(item);
    if (bytes.size() != tables.words * sizeof(uint64_t))
        throw std::invalid_argument("a set of transitions has a wrong size");
    sets.resize(sets.size() + tables.words);
    std::memcpy(sets.data() + sets.size() - tables.words, bytes.c_str(), bytes.size());
}

/* For each transition of a list what conflicts with it, and its enabling sets. */
void append_rows(DependencyTables &tables, const nb::list &conflicts, const nb::list &enabling) {
    if (enabling.size() != conflicts.size())
        throw std::invalid_argument("enabling sets do not fit the transitions");
    for (const nb::handle set : conflicts)
        append_set(tables, tables.conflicts, set);
    for (const nb::handle sets : enabling) {
        uint32_t count = tables.first.back();
        for (const nb::handle set : nb::cast<nb::list>(sets)) {
            append_set(tables, tables.enabling, set);
            ++count;
        }
        tables.first.push_back(count);
    }
}

std::unique_ptr<DependencyTables> tables_of(const nb::tuple &written) {
    auto tables = std::make_unique<DependencyTables>();
    const nb::list conflicts(written[0]), enabling(written[1]);
    tables->transitions = static_cast<uint32_t>(conflicts.size());
    tables->words = (tables->transitions + 63) / 64;
    append_rows(*tables, conflicts, enabling);
    append_set(*tables, tables->visible, written[2]);
    tables->first_of = nb::cast<std::vector<uint32_t>>(written[3]);
    append_set(*tables, tables->unseen, written[4]);
    return tables;
}

} // namespace

template <typename Ask> bool Advisor::asking(Ask ask) {
    nb::gil_scoped_acquire gil;
    if (failure_)
        return false;
    struct Asking {
        explicit Asking(const Control &control) { asking_for = &control; }
        ~Asking() { asking_for = nullptr; }
    } const asking(control_);
    try {
        ask();
        return true;
    } catch (nb::python_error &error) {
        control_.interrupt();
        failure_.emplace(std::move(error));
    }
    return false;
}

std::unique_ptr<DependencyTables> Advisor::tables(const uint8_t *state, uint32_t length) {
    std::unique_ptr<DependencyTables> tables;
    asking([&] { tables = tables_of(nb::cast<nb::tuple>(ask_[0](nb::bytes(state, length)))); });
    return tables;
}

bool Advisor::add_rows(DependencyTables &tables, const uint8_t *state, uint32_t length, uint32_t transition) {
    return asking([&] {
        const auto rows = nb::cast<nb::tuple>(ask_[1](nb::bytes(state, length), transition));
        append_rows(tables, nb::list(rows[0]), nb::list(rows[1]));
    });
}

std::shared_ptr<SharedPairs> Advisor::pairs() {
    std::shared_ptr<SharedPairs> found;
    asking([&] {
        const nb::object answer = ask_[2]();
        if (!answer.is_none())
            found = nb::cast<const FoundPairs &>(answer).shared;
    });
    return found;
}

} // namespace kripke
