#include "symmetry/permutation_representative.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
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
    ranking.check(*this);
}

void PermutationSymmetry::Ranking::check(const PermutationSymmetry &of) const {
    const auto fails = [](bool wrong) {
        if (wrong)
            throw std::invalid_argument("a ranking that is none");
    };
    if (counts.empty())
        return;
    size_t values = 0, orders = 1;
    for (uint32_t count : counts) {
        values += count;
        fails(count < 2 || values > most_values);
        for (uint32_t k = 2; k <= count; k++)
            orders *= k;
        fails(orders > of.permutations.size());
    }
    fails(orders != of.permutations.size() || images.size() != orders || keys.size() != of.components.size());
    std::set<std::vector<uint32_t>> known;
    for (const std::vector<uint32_t> &image : images) {
        fails(image.size() != values || !known.insert(image).second);
        size_t first = 0;
        for (uint32_t count : counts) {
            std::set<uint32_t> reached(image.begin() + static_cast<ptrdiff_t>(first),
                                       image.begin() + static_cast<ptrdiff_t>(first + count));
            fails(reached.size() != count || *reached.begin() != first || *reached.rbegin() != first + count - 1);
            first += count;
        }
    }
    for (const std::vector<uint32_t> &own : keys)
        fails(own.empty() || own.size() % values != 0);
}

PermutationRepresentative::PermutationRepresentative(const PermutationSymmetry &symmetry, Method method)
    : symmetry_(symmetry), sorts_(method == Method::sort), row_(symmetry.components.size()),
      image_(symmetry.components.size()) {
    for (const PermutationSymmetry::Component &component : symmetry.components)
        bytes_ = bytes_ && component.size == 1;
    if (sorts_) {
        for (const PermutationSymmetry::Exchange &exchange : symmetry.exchanges)
            add_rows(exchange);
        return;
    }
    std::vector<uint32_t> all(symmetry.permutations.size());
    std::iota(all.begin(), all.end(), 0);
    nodes_.push_back({0, nullptr, 0, 0});
    grow(0, 0, std::move(all));
    /* No more than all permutations can be alike up to some position. */
    front_.resize(std::max<size_t>(1, symmetry.permutations.size()));
    next_.resize(front_.size());
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

void PermutationRepresentative::add_rows(const PermutationSymmetry::Exchange &exchange) {
    const auto table = [this](int32_t number) {
        return number < 0 ? nullptr : symmetry_.tables[static_cast<size_t>(number)].data();
    };
    const size_t rows = exchange.rows.size(), columns = exchange.rows.front().size();
    sorted_.push_back({rows, columns, cells_.size()});
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < columns; c++)
            cells_.push_back({exchange.rows[r][c], table(exchange.common[r][c]), table(exchange.own[r][c])});
    keys_.resize(std::max(keys_.size(), rows * columns));
    order_.resize(std::max(order_.size(), rows));
}

void PermutationRepresentative::find(uint8_t *state, uint32_t, const volatile uint32_t *) {
    const size_t count = row_.size();
    const PermutationSymmetry::Component *components = symmetry_.components.data();
    if (bytes_)
        for (size_t p = 0; p < count; p++)
            row_[p] = state[components[p].offset];
    else
        for (size_t p = 0; p < count; p++)
            row_[p] = read(state + components[p].offset, components[p].size);
    if (sorts_ ? !sort() : !least())
        return;
    if (bytes_)
        for (size_t p = 0; p < count; p++)
            state[components[p].offset] = static_cast<uint8_t>(row_[p]);
    else
        for (size_t p = 0; p < count; p++)
            write(state + components[p].offset, components[p].size, row_[p]);
}

/* Has something changed places? */
bool PermutationRepresentative::sort() {
    bool changed = false;
    for (const Rows &those : sorted_) {
        const Cell *cells = &cells_[those.first];
        const size_t rows = those.rows, columns = those.columns;
        for (size_t k = 0; k < rows * columns; k++) {
            const uint32_t number = row_[cells[k].position];
            keys_[k] = cells[k].common == nullptr ? number : cells[k].common[number];
        }
        const auto less = [&](size_t a, size_t b) {
            const uint32_t *one = &keys_[a * columns], *other = &keys_[b * columns];
            for (size_t c = 0; c < columns; c++)
                if (one[c] != other[c])
                    return one[c] < other[c];
            return false;
        };
        size_t in_order = 1;
        while (in_order < rows && !less(in_order, in_order - 1))
            in_order++;
        if (in_order == rows)
            continue;
        changed = true;
        for (size_t r = 0; r < rows; r++)
            order_[r] = static_cast<uint32_t>(r);
        for (size_t r = in_order; r < rows; r++) {
            const uint32_t moved = order_[r];
            size_t at = r;
            for (; at > 0 && less(moved, order_[at - 1]); at--)
                order_[at] = order_[at - 1];
            order_[at] = moved;
        }
        for (size_t r = 0; r < rows; r++)
            for (size_t c = 0; c < columns; c++) {
                const Cell &cell = cells[r * columns + c];
                const uint32_t key = keys_[order_[r] * columns + c];
                row_[cell.position] = cell.own == nullptr ? key : cell.own[key];
            }
    }
    return changed;
}

/* Is the least image another row? */
bool PermutationRepresentative::least() {
    uint32_t *front = front_.data(), *next = next_.data();
    size_t width = 1;
    front[0] = 0;
    const Node *nodes = nodes_.data();
    const uint32_t *row = row_.data();
    bool changed = false;
    for (uint32_t position : symmetry_.order) {
        uint32_t best = UINT32_MAX;
        size_t found = 0;
        for (size_t k = 0; k < width; k++)
            for (uint32_t child = nodes[front[k]].first, end = nodes[front[k]].end; child < end; child++) {
                const Node &way = nodes[child];
                const uint32_t number = way.table == nullptr ? row[way.source] : way.table[row[way.source]];
                if (number > best)
                    continue;
                if (number < best) {
                    best = number;
                    found = 0;
                }
                next[found++] = child;
            }
        image_[position] = best;
        changed = changed || best != row[position];
        std::swap(front, next);
        width = found;
    }
    if (changed)
        row_.swap(image_);
    return changed;
}

} // namespace kripke
