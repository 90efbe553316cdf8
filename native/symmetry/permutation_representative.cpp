#include "symmetry/permutation_representative.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace kripke {

namespace {

uint32_t read(const uint8_t *at, uint32_t size) {
    uint32_t number = 0;
    for (uint32_t k = 0; k < size; k++)
        number |= static_cast<uint32_t>(at[k]) << (8 * k);
    return number;
}

void write(uint8_t *at, uint32_t size, uint32_t number) {
    for (uint32_t k = 0; k < size; k++)
        at[k] = static_cast<uint8_t>(number >> (8 * k));
}

} // namespace

void PermutationSymmetry::check() const {
    const auto fails = [](bool wrong, const char *what) {
        if (wrong)
            throw std::invalid_argument(what);
    };
    const size_t positions = components.size();
    const auto table = [this](int32_t number) { return number < static_cast<int32_t>(tables.size()); };
    for (const Component &component : components)
        fails(component.size != 1 && component.size != 2 && component.size != 4, "a number of a strange size");
    std::vector<uint32_t> sorted(order);
    std::sort(sorted.begin(), sorted.end());
    for (size_t k = 0; k < sorted.size(); k++)
        fails(sorted[k] != k, "an order that is none");
    fails(sorted.size() != positions, "an order that is none");
    for (const Permutation &permutation : permutations) {
        fails(permutation.sources.size() != positions || permutation.tables.size() != positions,
              "a permutation of other positions");
        for (size_t p = 0; p < positions; p++)
            fails(permutation.sources[p] >= positions || !table(permutation.tables[p]), "a permutation to nowhere");
    }
    for (const Exchange &exchange : exchanges) {
        fails(exchange.rows.empty() || exchange.rows.size() != exchange.common.size() ||
                  exchange.rows.size() != exchange.own.size(),
              "an exchange without rows");
        const size_t columns = exchange.rows.front().size();
        for (size_t r = 0; r < exchange.rows.size(); r++) {
            fails(exchange.rows[r].size() != columns || exchange.common[r].size() != columns ||
                      exchange.own[r].size() != columns,
                  "rows that are not alike");
            for (size_t c = 0; c < columns; c++)
                fails(exchange.rows[r][c] >= positions || !table(exchange.common[r][c]) || !table(exchange.own[r][c]),
                      "an exchange with nowhere");
        }
    }
}

PermutationRepresentative::PermutationRepresentative(const PermutationSymmetry &symmetry, Method method)
    : symmetry_(symmetry), sorts_(method == Method::sort), row_(symmetry.components.size()),
      image_(symmetry.components.size()) {
    if (sorts_)
        return;
    std::vector<uint32_t> all(symmetry.permutations.size());
    std::iota(all.begin(), all.end(), 0);
    nodes_.push_back({0, nullptr, 0, 0});
    grow(0, 0, std::move(all));
}

/* The branches below a node, for these permutations, which agree so far. */
void PermutationRepresentative::grow(uint32_t node, uint32_t level, std::vector<uint32_t> permutations) {
    if (level == symmetry_.order.size())
        return;
    const uint32_t position = symmetry_.order[level];
    std::map<std::pair<uint32_t, int32_t>, std::vector<uint32_t>> ways;
    for (uint32_t number : permutations) {
        const PermutationSymmetry::Permutation &one = symmetry_.permutations[number];
        ways[{one.sources[position], one.tables[position]}].push_back(number);
    }
    const uint32_t first = static_cast<uint32_t>(nodes_.size());
    for (const auto &[way, those] : ways) {
        const uint32_t *table = way.second < 0 ? nullptr : symmetry_.tables[static_cast<size_t>(way.second)].data();
        nodes_.push_back({way.first, table, 0, 0});
    }
    nodes_[node].first = first;
    nodes_[node].end = static_cast<uint32_t>(nodes_.size());
    uint32_t child = first;
    for (auto &[way, those] : ways)
        grow(child++, level + 1, std::move(those));
}

void PermutationRepresentative::find(uint8_t *state, uint32_t, const volatile uint32_t *) {
    for (size_t p = 0; p < row_.size(); p++)
        row_[p] = read(state + symmetry_.components[p].offset, symmetry_.components[p].size);
    if (sorts_)
        sort();
    else
        least();
    for (size_t p = 0; p < row_.size(); p++)
        write(state + symmetry_.components[p].offset, symmetry_.components[p].size, image_[p]);
}

void PermutationRepresentative::sort() {
    image_ = row_;
    for (const PermutationSymmetry::Exchange &exchange : symmetry_.exchanges) {
        const size_t rows = exchange.rows.size(), columns = exchange.rows.front().size();
        keys_.resize(rows * columns);
        order_.resize(rows);
        for (size_t r = 0; r < rows; r++) {
            order_[r] = static_cast<uint32_t>(r);
            for (size_t c = 0; c < columns; c++)
                keys_[r * columns + c] = renumbered(exchange.common[r][c], row_[exchange.rows[r][c]]);
        }
        /* Few rows, mostly in order already. */
        const auto less = [&](uint32_t a, uint32_t b) {
            const uint32_t *one = &keys_[a * columns], *other = &keys_[b * columns];
            return std::lexicographical_compare(one, one + columns, other, other + columns);
        };
        for (size_t r = 1; r < rows; r++) {
            const uint32_t moved = order_[r];
            size_t at = r;
            for (; at > 0 && less(moved, order_[at - 1]); at--)
                order_[at] = order_[at - 1];
            order_[at] = moved;
        }
        for (size_t r = 0; r < rows; r++)
            for (size_t c = 0; c < columns; c++)
                image_[exchange.rows[r][c]] = renumbered(exchange.own[r][c], keys_[order_[r] * columns + c]);
    }
}

void PermutationRepresentative::least() {
    front_.assign(1, 0);
    for (uint32_t position : symmetry_.order) {
        uint32_t best = UINT32_MAX;
        next_.clear();
        for (uint32_t node : front_)
            for (uint32_t child = nodes_[node].first; child < nodes_[node].end; child++) {
                const Node &way = nodes_[child];
                const uint32_t number = way.table == nullptr ? row_[way.source] : way.table[row_[way.source]];
                if (number < best) {
                    best = number;
                    next_.clear();
                }
                if (number == best)
                    next_.push_back(child);
            }
        image_[position] = best;
        front_.swap(next_);
    }
}

} // namespace kripke
