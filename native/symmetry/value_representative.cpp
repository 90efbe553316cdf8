#include "symmetry/value_representative.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace kripke {

namespace {

using Kind = ValueSymmetry::Kind;

uint64_t mix(uint64_t number, uint64_t more) {
    number ^= more * 0x9E3779B97F4A7C15u;
    number ^= number >> 32;
    number *= 0xD6E8FEB86659FD93u;
    return number ^ number >> 32;
}

/* Bits that tell so many things apart. */
uint32_t width(uint64_t things) { return things == 0 ? 0 : static_cast<uint32_t>(std::bit_width(things - 1)); }

/* A marking, bit by bit. Past its end there are zeros. */
class Bits {
  public:
    Bits(const uint8_t *state, uint32_t length) : state_(state), length_(uint64_t{length} * 8) {}

    uint64_t get(uint32_t bits) {
        uint64_t found = 0;
        for (uint32_t have = 0; have < bits;) {
            const uint32_t in_byte = static_cast<uint32_t>(at_ & 7), take = std::min(8 - in_byte, bits - have);
            const uint64_t byte = at_ < length_ ? state_[at_ >> 3] : 0;
            found |= (byte >> in_byte & ((1u << take) - 1)) << have;
            have += take;
            at_ += take;
        }
        return found;
    }
    uint64_t at() const { return at_; }
    bool past() const { return at_ > length_; }

  private:
    const uint8_t *state_;
    uint64_t length_, at_ = 0;
};

void put(uint8_t *state, uint64_t at, uint32_t bits, uint64_t number) {
    for (uint32_t written = 0; written < bits;) {
        const uint32_t in_byte = static_cast<uint32_t>(at & 7), take = std::min(8 - in_byte, bits - written);
        const uint32_t mask = ((1u << take) - 1) << in_byte;
        const uint32_t part = static_cast<uint32_t>(number >> written) << in_byte & mask;
        state[at >> 3] = static_cast<uint8_t>((state[at >> 3] & ~mask) | part);
        written += take;
        at += take;
    }
}

uint64_t read_count(Bits &bits, const ValueSymmetry::Place &place) {
    if (place.capacity.empty()) {
        static constexpr uint64_t first[] = {0, 1, 9, 265, 65801};
        static constexpr uint32_t follow[] = {0, 3, 8, 16, 32};
        uint32_t ones = 0;
        while (ones < 4 && bits.get(1) != 0)
            ++ones;
        return first[ones] + bits.get(follow[ones]);
    }
    uint64_t numbers = 0;
    for (const auto &[low, high] : place.capacity)
        numbers += high - low + 1;
    const uint32_t needed = width(numbers);
    if (needed > 2 && place.capacity.front().first == 0 && bits.get(1) == 0)
        return 0;
    uint64_t position = bits.get(needed);
    for (const auto &[low, high] : place.capacity) {
        if (position <= high - low)
            return low + position;
        position -= high - low + 1;
    }
    return 0;
}

/* Equal numbers for equal values, in their order. */
template <class Value> void rank(const std::vector<Value> &values, std::vector<uint32_t> &order, std::vector<uint32_t> &found) {
    order.resize(values.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return values[a] < values[b]; });
    found.resize(values.size());
    uint32_t number = 0;
    for (size_t i = 0; i < order.size(); ++i) {
        if (i > 0 && values[order[i - 1]] < values[order[i]])
            ++number;
        found[order[i]] = number;
    }
}

uint32_t greatest(const std::vector<uint32_t> &colours) { return *std::max_element(colours.begin(), colours.end()); }

/* The classes of twins of the first colour that several have. */
std::vector<uint32_t> first_open(const std::vector<uint32_t> &colours, const std::vector<uint32_t> &twins) {
    std::vector<uint32_t> members(colours.size());
    for (uint32_t value = 0; value < colours.size(); ++value)
        members[colours[value]] += twins[value] == value;
    std::vector<uint32_t> found;
    const auto colour = std::find_if(members.begin(), members.end(), [](uint32_t number) { return number > 1; });
    for (uint32_t value = 0; colour != members.end() && value < colours.size(); ++value)
        if (twins[value] == value && colours[value] == static_cast<uint32_t>(colour - members.begin()))
            found.push_back(value);
    return found;
}

/* The chosen twins come before their like. */
std::vector<uint32_t> set_apart(const std::vector<uint32_t> &colours, const std::vector<uint32_t> &twins,
                                uint32_t chosen) {
    std::vector<uint32_t> apart(colours.size()), order, found;
    for (uint32_t value = 0; value < colours.size(); ++value)
        apart[value] = 2 * colours[value] + (colours[value] == colours[chosen] && twins[value] != chosen);
    rank(apart, order, found);
    return found;
}

/* The number of the items of a buffer; what comes before those of its length is taken off its number. */
uint32_t length_of(uint64_t &number, uint64_t item_count) {
    uint32_t length = 0;
    for (uint64_t room = 1; number >= room; room *= item_count, ++length)
        number -= room;
    return length;
}

} // namespace

ValueRepresentative::ValueRepresentative(const ValueSymmetry &symmetry, Method method)
    : symmetry_(symmetry), canonical_(method == Method::canonical) {
    Colours colours;
    for (const ValueSymmetry::Family &family : symmetry.families) {
        const uint32_t start = static_cast<uint32_t>(unchanged_.size());
        starts_.push_back(start);
        for (uint32_t value = 0; value < family.count; ++value) {
            unchanged_.push_back(value);
            colours.push_back(start + value);
        }
        for (const std::vector<uint32_t> &cell : family.cells) {
            std::vector<uint32_t> &numbered = cells_.emplace_back();
            for (const uint32_t value : cell) {
                numbered.push_back(start + value);
                colours[start + value] = start + cell.front();
            }
        }
    }
    rank(colours, order_, given_);
    turns_.push_back(unchanged_);
    for (size_t number = 0; number < symmetry.families.size(); ++number) {
        const ValueSymmetry::Family &family = symmetry.families[number];
        const size_t before = turns_.size();
        for (uint32_t by = family.turn; by != 0 && by < family.count; by += family.turn)
            for (size_t i = 0; i < before; ++i) {
                std::vector<uint32_t> turned = turns_[i];
                for (uint32_t value = 0; value < family.count; ++value)
                    turned[starts_[number] + value] = (value + by) % family.count;
                turns_.push_back(std::move(turned));
            }
    }
    for (const ValueSymmetry::Place &place : symmetry.places)
        bits_.push_back(width(symmetry.shapes[place.shape].count));
}

void ValueRepresentative::find(uint8_t *state, uint32_t length, const volatile uint32_t *stop) {
    stop_ = stop;
    if (!read(state, length))
        return;
    Numbers best = exchanged(numbers_);
    for (size_t i = 1; i < turns_.size() && !is_set(stop_); ++i)
        best = std::min(best, exchanged(renamed(numbers_, turns_[i])));
    for (const Run &run : runs_)
        for (uint32_t i = run.begin; i < run.end; ++i)
            put(state, offsets_[i], bits_[run.place], best[i]);
}

/* False where the state is none. */
bool ValueRepresentative::read(const uint8_t *state, uint32_t length) {
    numbers_.clear();
    offsets_.clear();
    runs_.clear();
    Bits bits(state, length);
    for (uint32_t place = 0; place < symmetry_.places.size(); ++place) {
        const bool moves = symmetry_.shapes[symmetry_.places[place].shape].kind != Kind::plain;
        uint64_t total = read_count(bits, symmetry_.places[place]);
        if (total == 0)
            continue;
        for (uint64_t kinds = bits.get(width(total)) + 1; kinds > 0; --kinds) {
            if (total < kinds || bits.past())
                return false;
            const uint64_t low = (total + kinds - 1) / kinds, high = total - kinds + 1;
            const uint64_t count = low + bits.get(width(high - low + 1));
            if (moves) {
                const uint32_t at = static_cast<uint32_t>(numbers_.size());
                if (runs_.empty() || runs_.back().place != place || runs_.back().count != count)
                    runs_.push_back({place, at, at, count});
                ++runs_.back().end;
                offsets_.push_back(bits.at());
                numbers_.push_back(bits.get(bits_[place]));
                if (numbers_.back() >= symmetry_.shapes[symmetry_.places[place].shape].count)
                    return false;
            } else {
                bits.get(bits_[place]);
            }
            if (count > total)
                return false;
            total -= count;
        }
    }
    return !bits.past();
}

ValueRepresentative::Numbers ValueRepresentative::exchanged(const Numbers &numbers) {
    if (cells_.empty())
        return numbers;
    Colours colours = given_;
    refine(numbers, colours);
    if (!canonical_)
        return leaf(numbers, colours);
    const std::vector<uint32_t> same = twins(numbers, colours);
    std::set<Numbers> leaves;
    return least(numbers, colours, same, leaves);
}

// ---- Permutations -----------------------------------------------------------

ValueRepresentative::Numbers ValueRepresentative::renamed(const Numbers &numbers,
                                                          const std::vector<uint32_t> &to) const {
    Numbers found(numbers.size());
    for (const Run &run : runs_) {
        const Shape &shape = symmetry_.shapes[symmetry_.places[run.place].shape];
        for (uint32_t i = run.begin; i < run.end; ++i)
            found[i] = rename(shape, numbers[i], to);
        std::sort(found.begin() + run.begin, found.begin() + run.end);
    }
    return found;
}

uint64_t ValueRepresentative::rename(const Shape &shape, uint64_t number, const std::vector<uint32_t> &to) const {
    const auto part = [&](uint32_t i) -> const Shape & { return symmetry_.shapes[shape.parts[i]]; };
    uint64_t found = 0, weight = 1;
    switch (shape.kind) {
    case Kind::plain:
        return number;
    case Kind::value:
        return to[starts_[shape.family] + number];
    case Kind::alternative: {
        uint32_t tag = 0;
        for (; number >= part(tag).count; ++tag) {
            number -= part(tag).count;
            found += part(tag).count;
        }
        return found + rename(part(tag), number, to);
    }
    case Kind::structure:
        for (uint32_t i = 0; i < shape.parts.size(); ++i) {
            found += weight * rename(part(i), number % part(i).count, to);
            number /= part(i).count;
            weight *= part(i).count;
        }
        return found;
    case Kind::array: {
        const Shape &item = part(0);
        if (shape.family != ValueSymmetry::none) {
            /* The weight of the place that an item goes to. */
            for (uint32_t i = 0; i < shape.length; ++i, number /= item.count) {
                weight = 1;
                for (uint32_t k = to[starts_[shape.family] + i]; k > 0; --k)
                    weight *= item.count;
                found += weight * rename(item, number % item.count, to);
            }
            return found;
        }
        for (uint32_t i = 0; i < shape.length; ++i, number /= item.count, weight *= item.count)
            found += weight * rename(item, number % item.count, to);
        return found;
    }
    case Kind::buffer: {
        const Shape &item = part(0);
        const uint64_t whole = number;
        const uint32_t length = length_of(number, item.count);
        found = whole - number;
        for (uint32_t i = 0; i < length; ++i, number /= item.count, weight *= item.count)
            found += weight * rename(item, number % item.count, to);
        return found;
    }
    }
    return number;
}

/* The state in which the values of each cell are in the order of their colours. */
ValueRepresentative::Numbers ValueRepresentative::leaf(const Numbers &numbers, const Colours &colours) const {
    std::vector<uint32_t> to = unchanged_, sorted;
    for (const std::vector<uint32_t> &cell : cells_) {
        sorted = cell;
        std::stable_sort(sorted.begin(), sorted.end(), [&](uint32_t a, uint32_t b) { return colours[a] < colours[b]; });
        for (size_t i = 0; i < cell.size(); ++i)
            to[sorted[i]] = unchanged_[cell[i]];
    }
    return renamed(numbers, to);
}

// ---- Colours ----------------------------------------------------------------

void ValueRepresentative::refine(const Numbers &numbers, Colours &colours) {
    for (;;) {
        seen_.assign(colours.size(), 0);
        for (const Run &run : runs_) {
            const Shape &shape = symmetry_.shapes[symmetry_.places[run.place].shape];
            const uint64_t where = mix(run.place + uint64_t{1}, run.count);
            for (uint32_t i = run.begin; i < run.end; ++i)
                spread(shape, numbers[i], mix(where, hash(shape, numbers[i], colours)), colours);
        }
        around_.resize(colours.size());
        for (size_t value = 0; value < colours.size(); ++value)
            around_[value] = {colours[value], seen_[value]};
        const uint32_t before = greatest(colours);
        rank(around_, order_, colours);
        if (greatest(colours) == before)
            return;
    }
}

/* What a value is, where the values of families are their colours. */
uint64_t ValueRepresentative::hash(const Shape &shape, uint64_t number, const Colours &colours) const {
    const auto part = [&](uint32_t i) -> const Shape & { return symmetry_.shapes[shape.parts[i]]; };
    uint64_t found = 0;
    switch (shape.kind) {
    case Kind::plain:
        return mix(1, number);
    case Kind::value:
        return mix(2, colours[starts_[shape.family] + number]);
    case Kind::alternative: {
        uint32_t tag = 0;
        for (; number >= part(tag).count; ++tag)
            number -= part(tag).count;
        return mix(mix(5, tag), hash(part(tag), number, colours));
    }
    case Kind::structure:
        found = mix(3, shape.parts.size());
        for (uint32_t i = 0; i < shape.parts.size(); ++i) {
            found = mix(found, hash(part(i), number % part(i).count, colours));
            number /= part(i).count;
        }
        return found;
    case Kind::array:
    case Kind::buffer: {
        const Shape &item = part(0);
        if (shape.kind == Kind::array && shape.family != ValueSymmetry::none) {
            for (uint32_t i = 0; i < shape.length; ++i, number /= item.count)
                found += mix(mix(4, colours[starts_[shape.family] + i]), hash(item, number % item.count, colours));
            return mix(6, found);
        }
        const uint32_t length = shape.kind == Kind::array ? shape.length : length_of(number, item.count);
        found = mix(3, length);
        for (uint32_t i = 0; i < length; ++i, number /= item.count)
            found = mix(found, hash(item, number % item.count, colours));
        return found;
    }
    }
    return found;
}

/* Tell every value that a token is made of where in it it is. */
void ValueRepresentative::spread(const Shape &shape, uint64_t number, uint64_t path, const Colours &colours) {
    const auto part = [&](uint32_t i) -> const Shape & { return symmetry_.shapes[shape.parts[i]]; };
    switch (shape.kind) {
    case Kind::plain:
        return;
    case Kind::value:
        seen_[starts_[shape.family] + number] += mix(path, 7);
        return;
    case Kind::alternative: {
        uint32_t tag = 0;
        for (; number >= part(tag).count; ++tag)
            number -= part(tag).count;
        spread(part(tag), number, mix(path, tag + uint64_t{1}), colours);
        return;
    }
    case Kind::structure:
        for (uint32_t i = 0; i < shape.parts.size(); ++i) {
            spread(part(i), number % part(i).count, mix(path, i + uint64_t{1}), colours);
            number /= part(i).count;
        }
        return;
    case Kind::array:
    case Kind::buffer: {
        const Shape &item = part(0);
        const bool by_family = shape.kind == Kind::array && shape.family != ValueSymmetry::none;
        const uint32_t length = shape.kind == Kind::array ? shape.length : length_of(number, item.count);
        for (uint32_t i = 0; i < length; ++i, number /= item.count) {
            uint64_t step = i + uint64_t{1};
            if (by_family) {
                const uint32_t value = starts_[shape.family] + i;
                seen_[value] += mix(mix(path, 8), hash(item, number % item.count, colours));
                step = colours[value] + uint64_t{1};
            }
            spread(item, number % item.count, mix(path, step), colours);
        }
        return;
    }
    }
}

// ---- The canonical one ------------------------------------------------------

/* For every value the first one that it can be exchanged with, the state staying as it is. */
std::vector<uint32_t> ValueRepresentative::twins(const Numbers &numbers, const Colours &colours) const {
    std::vector<uint32_t> first(colours.size()), leaders, to = unchanged_;
    std::iota(first.begin(), first.end(), 0u);
    for (const std::vector<uint32_t> &cell : cells_) {
        leaders.clear();
        for (const uint32_t value : cell) {
            for (const uint32_t leader : leaders) {
                if (colours[leader] != colours[value])
                    continue;
                std::swap(to[leader], to[value]);
                const bool same = renamed(numbers, to) == numbers;
                std::swap(to[leader], to[value]);
                if (same) {
                    first[value] = leader;
                    break;
                }
            }
            if (first[value] == value)
                leaders.push_back(value);
        }
    }
    return first;
}

ValueRepresentative::Numbers ValueRepresentative::least(const Numbers &numbers, const Colours &colours,
                                                        const std::vector<uint32_t> &twins,
                                                        std::set<Numbers> &leaves) {
    const std::vector<uint32_t> open = first_open(colours, twins);
    if (open.empty() || is_set(stop_)) {
        Numbers found = leaf(numbers, colours);
        leaves.insert(found);
        return found;
    }
    Numbers best;
    std::set<Numbers> looked_at;
    for (const uint32_t chosen : open) {
        if (!best.empty() && is_set(stop_))
            break;
        Colours apart = set_apart(colours, twins, chosen);
        refine(numbers, apart);
        /* Whether an automorphism leads from what was looked at to this. */
        if (!looked_at.empty() && looked_at.count(first_leaf(numbers, apart, twins)) != 0)
            continue;
        Numbers found = least(numbers, apart, twins, looked_at);
        if (best.empty() || found < best)
            best = std::move(found);
    }
    keep(leaves, looked_at);
    return best;
}

ValueRepresentative::Numbers ValueRepresentative::first_leaf(const Numbers &numbers, Colours colours,
                                                             const std::vector<uint32_t> &twins) {
    for (std::vector<uint32_t> open; !(open = first_open(colours, twins)).empty() && !is_set(stop_);) {
        colours = set_apart(colours, twins, open.front());
        refine(numbers, colours);
    }
    return leaf(numbers, colours);
}

} // namespace kripke
