#include "symmetry/ranked_representative.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <utility>

namespace kripke {

namespace {

constexpr uint32_t most_values = PermutationSymmetry::Ranking::most_values;

constexpr uint32_t lanes_for(uint32_t values) { return values <= 4 ? 4 : values <= 8 ? 8 : most_values; }

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

template <class Word> Word load(const uint8_t *at) {
    Word word;
    std::memcpy(&word, at, sizeof word);
    return word;
}

/* Fewer than eight bytes as a word: those read twice are the same. */
uint64_t load_short(const uint8_t *at, uint32_t length) {
    if (length >= 4)
        return load<uint32_t>(at) | static_cast<uint64_t>(load<uint32_t>(at + length - 4)) << (8 * (length - 4));
    const uint32_t middle = length / 2, last = length - 1;
    return static_cast<uint64_t>(at[0]) | static_cast<uint64_t>(at[middle]) << (8 * middle) |
           static_cast<uint64_t>(at[last]) << (8 * last);
}

/* The same bytes, in words where there are enough of them. */
inline void copy_bytes(uint8_t *to, const uint8_t *from, uint32_t length) {
    if (length < 8) {
        for (uint32_t k = 0; k < length; k++)
            to[k] = from[k];
        return;
    }
    for (uint32_t at = 0; at + 8 < length; at += 8)
        std::memcpy(to + at, from + at, 8);
    std::memcpy(to + length - 8, from + length - 8, 8);
}

/* Calls take(k) for every byte k in which the two differ. */
template <class Take> void for_changes(const uint8_t *one, const uint8_t *other, uint32_t length, Take take) {
    if constexpr (std::endian::native != std::endian::little) {
        for (uint32_t k = 0; k < length; k++)
            if (one[k] != other[k])
                take(k);
        return;
    }
    const auto each = [&](uint32_t first, uint64_t different) {
        while (different != 0) {
            const uint32_t at = static_cast<uint32_t>(std::countr_zero(different)) / 8;
            different &= ~(uint64_t{0xFF} << (8 * at));
            take(first + at);
        }
    };
    if (length < 8) {
        each(0, load_short(one, length) ^ load_short(other, length));
        return;
    }
    uint32_t at = 0;
    for (; at + 8 <= length; at += 8)
        each(at, load<uint64_t>(one + at) ^ load<uint64_t>(other + at));
    if (at < length) {
        const uint32_t last = length - 8;
        each(last, (load<uint64_t>(one + last) ^ load<uint64_t>(other + last)) & ~uint64_t{0} << (8 * (at - last)));
    }
}

/* The number of the order of some sums, and whether two are equal: then the first of them comes first. */
struct Order {
    uint32_t number;
    bool alike;
};

inline Order order_of(uint32_t count, const uint32_t *sums) {
    uint32_t number = 0, alike = 0;
    for (uint32_t i = 0; i < count; i++) {
        number *= count - i;
        for (uint32_t j = i + 1; j < count; j++) {
            number += sums[j] < sums[i];
            alike |= sums[j] == sums[i];
        }
    }
    return {number, alike != 0};
}

} // namespace

class RankedRepresentative::Tables {
  public:
    explicit Tables(const PermutationSymmetry &symmetry);

    /* A number of the row that is not what it was: it comes from `source`, renumbered by `table`, if there is one. */
    struct Move {
        uint32_t to, source;
        const uint32_t *table;

        uint32_t of(const uint32_t *row) const { return table == nullptr ? row[source] : table[row[source]]; }
    };
    /* The same where every number is a byte: offsets in the state, and the start of a table in `byte_tables`. */
    struct ByteMove {
        uint16_t to, source;
        uint32_t table;
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

    const PermutationSymmetry symmetry; /* the moves point into its tables */
    std::vector<Component> components;
    std::vector<Set> sets;
    std::vector<Move> moves;
    std::vector<Moves> by_order;  /* the permutation that brings values into order, by the number of their order */
    std::vector<Moves> exchanges; /* of value v and the next one */
    std::vector<uint32_t> images; /* of the values, by the number of the order */
    uint32_t values = 0, lanes = 0, length = 0;
    /* Every number is one byte, and the state has no others: */
    bool bytes = true;
    std::vector<ByteMove> byte_moves;           /* as `moves` */
    std::vector<uint8_t> byte_tables;           /* the first one changes nothing */
    std::vector<const uint32_t *> keys_at;      /* of components by their offsets */

    Order order_of(const uint32_t *sums) const;

  private:
    std::vector<uint32_t> keys_;

    void add_keys();
    void add_permutations();
    void add_byte_moves();
};

RankedRepresentative::Tables::Tables(const PermutationSymmetry &given) : symmetry(given) {
    uint32_t orders = 1;
    for (uint32_t count : symmetry.ranking.counts) {
        sets.push_back({values, values + count, orders});
        values += count;
        for (uint32_t k = 2; k <= count; k++)
            orders *= k;
    }
    lanes = lanes_for(values);
    by_order.assign(orders, {0, 0});
    exchanges.assign(values, {0, 0});
    images.assign(size_t{orders} * values, 0);
    add_keys();
    add_permutations();
    if (bytes)
        add_byte_moves();
}

void RankedRepresentative::Tables::add_keys() {
    const PermutationSymmetry::Ranking &ranking = symmetry.ranking;
    size_t room = 0;
    for (const std::vector<uint32_t> &own : ranking.keys)
        room += own.size() / values * lanes;
    keys_.reserve(room); /* the components point into it */
    for (size_t p = 0; p < symmetry.components.size(); p++) {
        const PermutationSymmetry::Component &component = symmetry.components[p];
        bytes = bytes && component.size == 1;
        length = std::max(length, component.offset + component.size);
        components.push_back({component.offset, component.size, keys_.data() + keys_.size()});
        const std::vector<uint32_t> &own = ranking.keys[p];
        for (size_t at = 0; at < own.size(); at += values) {
            keys_.insert(keys_.end(), own.begin() + static_cast<ptrdiff_t>(at),
                         own.begin() + static_cast<ptrdiff_t>(at + values));
            keys_.resize(keys_.size() + lanes - values);
        }
    }
    bytes = bytes && length == components.size() && length <= UINT16_MAX;
    keys_at.resize(bytes ? length : 0);
    if (bytes)
        for (const Component &component : components)
            keys_at[component.offset] = component.keys;
}

Order RankedRepresentative::Tables::order_of(const uint32_t *sums) const {
    Order whole{0, false};
    for (const Set &set : sets) {
        const Order own = kripke::order_of(set.end - set.first, sums + set.first);
        whole.number += set.weight * own.number;
        whole.alike = whole.alike || own.alike;
    }
    return whole;
}

void RankedRepresentative::Tables::add_permutations() {
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
        const std::vector<uint32_t> &image = symmetry.ranking.images[number];
        /* An image is in the order of the sums that it puts in order. */
        const uint32_t order = order_of(image.data()).number;
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

void RankedRepresentative::Tables::add_byte_moves() {
    byte_tables.resize(256);
    std::iota(byte_tables.begin(), byte_tables.end(), uint8_t{0});
    std::unordered_map<const uint32_t *, uint32_t> starts{{nullptr, 0}};
    for (const std::vector<uint32_t> &table : symmetry.tables) {
        starts[table.data()] = static_cast<uint32_t>(byte_tables.size());
        byte_tables.insert(byte_tables.end(), table.begin(), table.end());
    }
    for (const Move &move : moves)
        byte_moves.push_back({static_cast<uint16_t>(components[move.to].offset),
                              static_cast<uint16_t>(components[move.source].offset), starts[move.table]});
}

std::shared_ptr<const RankedRepresentative::Tables> RankedRepresentative::tables_of(const PermutationSymmetry &symmetry) {
    return std::make_shared<const Tables>(symmetry);
}

template <uint32_t Values> constexpr RankedRepresentative::Ways RankedRepresentative::of() {
    return {&RankedRepresentative::begin_bytes<Values>, &RankedRepresentative::find_bytes<Values>};
}

RankedRepresentative::RankedRepresentative(std::shared_ptr<const Tables> tables)
    : tables_(std::move(tables)), from_(tables_->length), copy_(tables_->length),
      row_(tables_->components.size()), best_(row_.size()), image_(row_.size()) {
    static constexpr Ways by_values[]{of<2>(), of<3>(), of<4>(), of<5>(), of<6>(), of<7>(), of<8>()};
    const uint32_t values = tables_->values;
    ways_ = !tables_->bytes                               ? Ways{nullptr, &RankedRepresentative::find_any}
            : tables_->sets.size() == 1 && values <= 8 ? by_values[values - 2]
                                                           : of<0>();
    begin(std::vector<uint8_t>(tables_->length).data(), tables_->length); /* all zero: each has a first number */
}

void RankedRepresentative::begin(const uint8_t *from, uint32_t) {
    if (ways_.begin != nullptr)
        (this->*ways_.begin)(from);
}

void RankedRepresentative::find(uint8_t *state, uint32_t, const volatile uint32_t *) { (this->*ways_.find)(state); }

template <uint32_t Values> void RankedRepresentative::begin_bytes(const uint8_t *from) {
    std::memcpy(from_.data(), from, tables_->length);
    from_sums_ = {};
    const uint32_t lanes = Values == 0 ? tables_->lanes : lanes_for(Values);
    const uint32_t *const *keys_at = tables_->keys_at.data();
    for (uint32_t at = 0; at < tables_->length; at++) {
        const uint32_t *keys = keys_at[at] + from[at] * lanes;
        for (uint32_t v = 0; v < lanes; v++)
            from_sums_[v] += keys[v];
    }
}

/* Values: how many there are in the one set of them; 0 for anything else. */
template <uint32_t Values> void RankedRepresentative::find_bytes(uint8_t *state) {
    const Tables &tables = *tables_;
    constexpr uint32_t room = Values == 0 ? most_values : lanes_for(Values);
    const uint32_t lanes = Values == 0 ? tables.lanes : room;
    std::array<uint32_t, room> sums;
    std::copy_n(from_sums_.begin(), room, sums.begin());
    const uint8_t *from = from_.data();
    const uint32_t *const *keys_at = tables.keys_at.data();
    for_changes(state, from, tables.length, [&](uint32_t at) {
        const uint32_t *now = keys_at[at] + state[at] * lanes, *before = keys_at[at] + from[at] * lanes;
        for (uint32_t v = 0; v < lanes; v++)
            sums[v] += now[v] - before[v];
    });
    const Order order = Values == 0 ? tables.order_of(sums.data()) : order_of(Values, sums.data());
    if (order.number != 0) {
        const Tables::Moves those = tables.by_order[order.number];
        uint8_t *copy = copy_.data();
        copy_bytes(copy, state, tables.length);
        const uint8_t *byte_tables = tables.byte_tables.data();
        const Tables::ByteMove *end = tables.byte_moves.data() + those.end;
        for (const Tables::ByteMove *move = tables.byte_moves.data() + those.first; move < end; move++)
            state[move->to] = byte_tables[move->table + copy[move->source]];
    }
    if (order.alike) {
        const uint32_t equal = equal_neighbours(sums.data(), order.number);
        if (!stays(state, equal))
            settle(state, equal);
    }
}

/* Numbers of several bytes: no state of a process of so many states is cheap. */
void RankedRepresentative::find_any(uint8_t *state) {
    const Tables &tables = *tables_;
    const Tables::Component *components = tables.components.data();
    Sums sums{};
    for (size_t p = 0; p < row_.size(); p++) {
        row_[p] = read(state + components[p].offset, components[p].size);
        const uint32_t *keys = components[p].keys + size_t{row_[p]} * tables.lanes;
        for (uint32_t v = 0; v < tables.lanes; v++)
            sums[v] += keys[v];
    }
    const Order order = tables.order_of(sums.data());
    const Tables::Moves those = tables.by_order[order.number];
    for (uint32_t k = those.first; k < those.end; k++) {
        const Tables::Move &move = tables.moves[k];
        write(state + components[move.to].offset, components[move.to].size, move.of(row_.data()));
    }
    if (order.alike)
        settle(state, equal_neighbours(sums.data(), order.number));
}

/* A bit for every value whose sum is that of the next one, when they are in order. */
uint32_t RankedRepresentative::equal_neighbours(const uint32_t *sums, uint32_t order) const {
    Sums sorted{};
    const uint32_t *image = tables_->images.data() + size_t{order} * tables_->values;
    for (uint32_t v = 0; v < tables_->values; v++)
        sorted[image[v]] = sums[v];
    uint32_t equal = 0;
    for (const Tables::Set &set : tables_->sets)
        for (uint32_t v = set.first; v + 1 < set.end; v++)
            equal |= static_cast<uint32_t>(sorted[v] == sorted[v + 1]) << v;
    return equal;
}

/* Does every exchange of neighbours with equal sums leave the state as it is? */
bool RankedRepresentative::stays(const uint8_t *state, uint32_t equal) const {
    const uint8_t *byte_tables = tables_->byte_tables.data();
    for (; equal != 0; equal &= equal - 1) {
        const Tables::Moves those = tables_->exchanges[static_cast<uint32_t>(std::countr_zero(equal))];
        for (uint32_t k = those.first; k < those.end; k++) {
            const Tables::ByteMove &move = tables_->byte_moves[k];
            if (byte_tables[move.table + state[move.source]] != state[move.to])
                return false;
        }
    }
    return true;
}

/* The least image of a state whose values are in order, where some neighbours have equal sums. */
void RankedRepresentative::settle(uint8_t *state, uint32_t equal) {
    const Tables &tables = *tables_;
    const size_t count = row_.size();
    const Tables::Component *components = tables.components.data();
    const Tables::Move *moves = tables.moves.data();
    uint32_t *row = row_.data();
    for (size_t p = 0; p < count; p++)
        row[p] = read(state + components[p].offset, components[p].size);
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
