#include "symmetry/ranked_representative.h"

#include <algorithm>
#include <array>
#include <utility>

namespace kripke {

static constexpr uint32_t most_values = PermutationSymmetry::Ranking::most_values;

class RankedRepresentative::Tables {
  public:
    explicit Tables(const PermutationSymmetry &symmetry);

    /* A number of the row that is not what it was: it comes from `source`, renumbered by `table`, if there is one. */
    struct Move {
        uint32_t to, source;
        const uint32_t *table;

        uint32_t of(const uint32_t *row) const { return table == nullptr ? row[source] : table[row[source]]; }
    };
    /* Moves first..end of a permutation, in the order in which images are compared. */
    struct Moves {
        uint32_t first, end;
    };
    struct Component {
        uint32_t offset, size;
        const uint32_t *keys; /* lanes for every number */
    };
    /* Values first..end may change places; the numbers of their orders are multiplied by `weight`. */
    struct Set {
        uint32_t first, end, weight;
    };

    PermutationSymmetry symmetry; /* the moves point into its tables */
    std::vector<Component> components;
    std::vector<Set> sets;
    std::vector<Move> moves;
    std::vector<Moves> by_order;  /* the permutation that brings values into order, by the number of their order */
    std::vector<Moves> exchanges; /* of value v and the next one */
    std::vector<uint32_t> images; /* of the values, by the number of the order */
    uint32_t values = 0, lanes = 0;
    bool bytes = true; /* every number is one byte */

  private:
    std::vector<uint32_t> keys_;

    uint32_t order_of(const std::vector<uint32_t> &image) const;
};

/* Of values that have gone to `image`: what find_by computes from sums that `image` puts in order. */
uint32_t RankedRepresentative::Tables::order_of(const std::vector<uint32_t> &image) const {
    uint32_t number = 0;
    for (const Set &set : sets) {
        uint32_t own = 0;
        for (uint32_t i = set.first; i < set.end; i++) {
            own *= set.end - i;
            for (uint32_t j = i + 1; j < set.end; j++)
                own += image[j] < image[i];
        }
        number += set.weight * own;
    }
    return number;
}

RankedRepresentative::Tables::Tables(const PermutationSymmetry &given) : symmetry(given) {
    const PermutationSymmetry::Ranking &ranking = symmetry.ranking;
    uint32_t orders = 1;
    for (uint32_t count : ranking.counts) {
        sets.push_back({values, values + count, orders});
        values += count;
        for (uint32_t k = 2; k <= count; k++)
            orders *= k;
    }
    lanes = values <= 4 ? 4 : values <= 8 ? 8 : most_values;
    size_t room = 0;
    for (const std::vector<uint32_t> &own : ranking.keys)
        room += own.size() / values * lanes;
    keys_.reserve(room);
    for (size_t p = 0; p < symmetry.components.size(); p++) {
        const PermutationSymmetry::Component &component = symmetry.components[p];
        bytes = bytes && component.size == 1;
        components.push_back({component.offset, component.size, keys_.data() + keys_.size()});
        const std::vector<uint32_t> &own = ranking.keys[p];
        for (size_t at = 0; at < own.size(); at += values) {
            keys_.insert(keys_.end(), own.begin() + static_cast<ptrdiff_t>(at),
                         own.begin() + static_cast<ptrdiff_t>(at + values));
            keys_.resize(keys_.size() + lanes - values);
        }
    }
    by_order.assign(orders, {0, 0});
    exchanges.assign(values, {0, 0});
    images.assign(size_t{orders} * values, 0);
    for (size_t number = 0; number < symmetry.permutations.size(); number++) {
        const PermutationSymmetry::Permutation &one = symmetry.permutations[number];
        const uint32_t first = static_cast<uint32_t>(moves.size());
        for (uint32_t p : symmetry.order) {
            const int32_t table = one.tables[p];
            if (one.sources[p] != p || table >= 0)
                moves.push_back(
                    {p, one.sources[p], table < 0 ? nullptr : symmetry.tables[static_cast<size_t>(table)].data()});
        }
        const Moves those{first, static_cast<uint32_t>(moves.size())};
        const std::vector<uint32_t> &image = ranking.images[number];
        const uint32_t order = order_of(image);
        by_order[order] = those;
        std::copy(image.begin(), image.end(), images.begin() + static_cast<ptrdiff_t>(size_t{order} * values));
        /* Does it exchange two neighbours and nothing else? */
        uint32_t moved = 0, at = 0;
        for (uint32_t v = values; v-- > 0;)
            if (image[v] != v) {
                moved++;
                at = v;
            }
        if (moved == 2 && image[at] == at + 1)
            exchanges[at] = those;
    }
}

std::shared_ptr<const RankedRepresentative::Tables> RankedRepresentative::tables_of(const PermutationSymmetry &symmetry) {
    return std::make_shared<const Tables>(symmetry);
}

RankedRepresentative::RankedRepresentative(std::shared_ptr<const Tables> tables)
    : tables_(std::move(tables)), row_(tables_->components.size()), best_(row_.size()), image_(row_.size()) {}

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

void RankedRepresentative::find(uint8_t *state, uint32_t, const volatile uint32_t *) {
    switch (tables_->lanes) {
    case 4:
        return find_by<4>(state);
    case 8:
        return find_by<8>(state);
    default:
        return find_by<most_values>(state);
    }
}

template <uint32_t Lanes> void RankedRepresentative::find_by(uint8_t *state) {
    const Tables &tables = *tables_;
    const size_t count = row_.size();
    const Tables::Component *components = tables.components.data();
    uint32_t *row = row_.data();
    std::array<uint32_t, Lanes> sums{};
    const bool bytes = tables.bytes;
    for (size_t p = 0; p < count; p++) {
        const Tables::Component &component = components[p];
        const uint32_t number = bytes ? state[component.offset] : read(state + component.offset, component.size);
        row[p] = number;
        const uint32_t *keys = component.keys + size_t{number} * Lanes;
        for (uint32_t v = 0; v < Lanes; v++)
            sums[v] += keys[v];
    }
    uint32_t order = 0;
    uint32_t alike = 0;
    for (const Tables::Set &set : tables.sets) {
        uint32_t own = 0;
        for (uint32_t i = set.first; i < set.end; i++) {
            own *= set.end - i;
            for (uint32_t j = i + 1; j < set.end; j++) {
                own += sums[j] < sums[i];
                alike |= sums[j] == sums[i];
            }
        }
        order += set.weight * own;
    }
    if (order != 0) {
        const Tables::Moves those = tables.by_order[order];
        const Tables::Move *moves = tables.moves.data();
        if (bytes)
            for (uint32_t k = those.first; k < those.end; k++)
                state[components[moves[k].to].offset] = static_cast<uint8_t>(moves[k].of(row));
        else
            for (uint32_t k = those.first; k < those.end; k++)
                write(state + components[moves[k].to].offset, components[moves[k].to].size, moves[k].of(row));
    }
    if (alike == 0)
        return;
    /* The sums in their order: which neighbours are alike? */
    std::array<uint32_t, Lanes> sorted{};
    const uint32_t *image = tables.images.data() + size_t{order} * tables.values;
    for (uint32_t v = 0; v < tables.values; v++)
        sorted[image[v]] = sums[v];
    uint32_t equal = 0;
    for (const Tables::Set &set : tables.sets)
        for (uint32_t v = set.first; v + 1 < set.end; v++)
            equal |= static_cast<uint32_t>(sorted[v] == sorted[v + 1]) << v;
    settle(state, equal);
}

/* The least image of a state in which some neighbours, a bit for each, have equal sums. */
void RankedRepresentative::settle(uint8_t *state, uint32_t equal) {
    const Tables &tables = *tables_;
    const size_t count = row_.size();
    const Tables::Component *components = tables.components.data();
    const Tables::Move *moves = tables.moves.data();
    uint32_t *row = row_.data();
    for (size_t p = 0; p < count; p++)
        row[p] = read(state + components[p].offset, components[p].size);
    const auto stays = [&](const Tables::Moves &those) {
        for (uint32_t k = those.first; k < those.end; k++)
            if (moves[k].of(row) != row[moves[k].to])
                return false;
        return true;
    };
    uint32_t open = 0;
    for (uint32_t v = 0; equal >> v != 0; v++)
        if ((equal >> v & 1) != 0 && !stays(tables.exchanges[v]))
            open |= uint32_t{1} << v;
    if (open == 0)
        return;
    auto [those, fresh] = candidates_.try_emplace(equal);
    if (fresh) {
        const uint32_t values = tables.values;
        for (uint32_t order = 1; order < tables.by_order.size(); order++) {
            const uint32_t *image = tables.images.data() + size_t{order} * values;
            bool keeps = true;
            for (uint32_t v = 0; v < values; v++)
                for (uint32_t k = std::min(v, image[v]); k < std::max(v, image[v]); k++)
                    keeps = keeps && (equal >> k & 1) != 0;
            if (keeps)
                those->second.push_back(order);
        }
    }
    best_ = row_;
    bool changed = false;
    for (uint32_t order : those->second) {
        const Tables::Moves &way = tables.by_order[order];
        /* Where an image differs from the best one, the first place decides; what does not move is as in the row. */
        image_ = row_;
        for (uint32_t k = way.first; k < way.end; k++)
            image_[moves[k].to] = moves[k].of(row);
        for (uint32_t p : tables.symmetry.order)
            if (image_[p] != best_[p]) {
                if (image_[p] < best_[p]) {
                    best_.swap(image_);
                    changed = true;
                }
                break;
            }
    }
    if (changed)
        for (size_t p = 0; p < count; p++)
            write(state + components[p].offset, components[p].size, best_[p]);
}

} // namespace kripke
