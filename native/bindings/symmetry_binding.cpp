#include "bindings/symmetry_binding.h"

#include "symmetry/permutation_representative.h"
#include "symmetry/ranked_representative.h"
#include "symmetry/value_representative.h"

#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

namespace nb = nanobind;

namespace kripke {

namespace {

Symmetry processes_of(const nb::tuple &written) {
    using Part = std::tuple<std::vector<uint32_t>, uint32_t>;
    using Key = std::tuple<std::vector<uint32_t>, uint32_t, bool, bool>;
    using Family = std::tuple<uint32_t, std::vector<Part>, std::vector<Key>>;
    Symmetry symmetry;
    for (auto &[first, parts, keys] : nb::cast<std::vector<Family>>(written[0])) {
        Symmetry::Family &family = symmetry.families.emplace_back();
        family.first = first;
        for (auto &[offsets, size] : parts)
            family.parts.push_back({offsets, size});
        for (auto &[offsets, size, is_signed, is_reference] : keys)
            family.keys.push_back({offsets, size, is_signed, is_reference});
        if (family.parts.empty())
            throw std::invalid_argument("a family without data");
    }
    for (const auto &site : nb::cast<std::vector<std::array<uint32_t, 6>>>(written[1]))
        symmetry.sites.push_back({site[0], site[1], site[2], site[3], site[4], site[5]});
    return symmetry;
}

ValueSymmetry tokens_of(const nb::tuple &written) {
    using Family = std::tuple<uint32_t, std::vector<std::vector<uint32_t>>, uint32_t>;
    using Shape = std::tuple<uint32_t, uint64_t, int32_t, uint32_t, std::vector<uint32_t>>;
    using Place = std::tuple<std::vector<std::pair<uint64_t, uint64_t>>, uint32_t>;
    ValueSymmetry symmetry;
    const auto less = [](size_t bound) { return [bound](uint32_t number) { return number < bound; }; };
    for (auto &[count, cells, turn] : nb::cast<std::vector<Family>>(written[0])) {
        for (const std::vector<uint32_t> &cell : cells)
            if (!std::all_of(cell.begin(), cell.end(), less(count)))
                throw std::invalid_argument("a cell of other values than those of its family");
        symmetry.families.push_back({count, cells, turn});
    }
    for (auto &[kind, count, family, length, parts] : nb::cast<std::vector<Shape>>(written[1])) {
        const bool known = family < static_cast<int64_t>(symmetry.families.size());
        if (kind > static_cast<uint32_t>(ValueSymmetry::Kind::buffer) || count == 0 || !known ||
            !std::all_of(parts.begin(), parts.end(), less(symmetry.shapes.size())))
            throw std::invalid_argument("a shape that is none");
        symmetry.shapes.push_back({static_cast<ValueSymmetry::Kind>(kind), count,
                                   family < 0 ? ValueSymmetry::none : static_cast<uint32_t>(family), length, parts});
    }
    for (auto &[capacity, shape] : nb::cast<std::vector<Place>>(written[2])) {
        if (shape >= symmetry.shapes.size())
            throw std::invalid_argument("a place whose tokens have no shape");
        symmetry.places.push_back({capacity, shape});
    }
    return symmetry;
}

PermutationSymmetry permutations_of(const nb::tuple &written) {
    using Permutation = std::tuple<std::vector<uint32_t>, std::vector<int32_t>>;
    using Exchange = std::tuple<std::vector<std::vector<uint32_t>>, std::vector<std::vector<int32_t>>,
                                std::vector<std::vector<int32_t>>>;
    PermutationSymmetry symmetry;
    for (auto &[offset, size] : nb::cast<std::vector<std::pair<uint32_t, uint32_t>>>(written[0]))
        symmetry.components.push_back({offset, size});
    symmetry.tables = nb::cast<std::vector<std::vector<uint32_t>>>(written[1]);
    for (auto &[sources, tables] : nb::cast<std::vector<Permutation>>(written[2]))
        symmetry.permutations.push_back({sources, tables});
    for (auto &[rows, common, own] : nb::cast<std::vector<Exchange>>(written[3]))
        symmetry.exchanges.push_back({rows, common, own});
    symmetry.order = nb::cast<std::vector<uint32_t>>(written[4]);
    symmetry.ranking.counts = nb::cast<std::vector<uint32_t>>(written[5]);
    symmetry.ranking.images = nb::cast<std::vector<std::vector<uint32_t>>>(written[6]);
    symmetry.ranking.keys = nb::cast<std::vector<std::vector<uint32_t>>>(written[7]);
    symmetry.check();
    return symmetry;
}

Method method_of(const std::string &name) {
    if (name == "references")
        return Method::references;
    if (name == "sort")
        return Method::sort;
    if (name == "canonical")
        return Method::canonical;
    throw std::invalid_argument("unknown representative '" + name + "'");
}

} // namespace

Symmetric::Choosers symmetry_of(const nb::tuple &written, const std::string &method) {
    const Method how = method_of(method);
    if (nb::len(written) == 3)
        return [symmetry = tokens_of(written), how] { return std::make_unique<ValueRepresentative>(symmetry, how); };
    if (nb::len(written) == 8) {
        PermutationSymmetry symmetry = permutations_of(written);
        if (how != Method::sort && !symmetry.ranking.counts.empty())
            return [tables = RankedRepresentative::tables_of(symmetry)] {
                return std::make_unique<RankedRepresentative>(tables);
            };
        return [symmetry = std::move(symmetry), how] {
            return std::make_unique<PermutationRepresentative>(symmetry, how);
        };
    }
    return [symmetry = processes_of(written), how] { return std::make_unique<ProcessRepresentative>(symmetry, how); };
}

} // namespace kripke
