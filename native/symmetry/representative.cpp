#include "symmetry/representative.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <utility>

namespace kripke {

namespace {

uint32_t read(const uint8_t *at, uint32_t size) {
    uint32_t value = 0;
    for (uint32_t i = size; i-- > 0;)
        value = value << 8 | at[i];
    return value;
}

void write(uint8_t *at, uint32_t size, uint32_t value) {
    for (uint32_t i = 0; i < size; ++i, value >>= 8)
        at[i] = static_cast<uint8_t>(value);
}

uint32_t count_of(const Symmetry::Site &site, const uint8_t *state) {
    return site.length_bytes == 0 ? site.most : read(state + site.length_at, site.length_bytes);
}

/* Equal numbers for equal values, in their order. */
template <class Value> std::vector<uint32_t> ranks(const std::vector<Value> &values) {
    std::vector<uint32_t> order(values.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return values[a] < values[b]; });
    std::vector<uint32_t> found(values.size());
    uint32_t rank = 0;
    for (size_t i = 0; i < order.size(); ++i) {
        if (i > 0 && values[order[i - 1]] < values[order[i]])
            ++rank;
        found[order[i]] = rank;
    }
    return found;
}

/* The colour that most of all comes first and is had by several; the number of colours where there is none. */
uint32_t first_shared(const std::vector<uint32_t> &colours) {
    std::vector<uint32_t> members(colours.size());
    for (const uint32_t colour : colours)
        ++members[colour];
    for (uint32_t colour = 0; colour < members.size(); ++colour)
        if (members[colour] > 1)
            return colour;
    return static_cast<uint32_t>(colours.size());
}

/* The chosen one comes before its like. */
std::vector<uint32_t> set_apart(const std::vector<uint32_t> &colours, uint32_t chosen) {
    std::vector<uint32_t> found(colours.size());
    for (uint32_t i = 0; i < colours.size(); ++i)
        found[i] = 2 * colours[i] + (colours[i] == colours[chosen] && i != chosen);
    return found;
}

} // namespace

ProcessRepresentative::ProcessRepresentative(const Symmetry &symmetry, Method method) : symmetry_(symmetry), method_(method) {
    for (size_t number = 0; number < symmetry.families.size(); ++number) {
        starts_.push_back(static_cast<uint32_t>(family_of_.size()));
        family_of_.insert(family_of_.end(), symmetry.families[number].count(), static_cast<uint32_t>(number));
        for (const Symmetry::Part &part : symmetry.families[number].parts)
            for (const uint32_t offset : part.offsets)
                whole_ = std::max(whole_, offset + part.size);
    }
    for (const Symmetry::Site &site : symmetry.sites) {
        Owner owner{none, site.offset};
        for (size_t number = 0; number < symmetry.families.size(); ++number)
            for (size_t which = 0; which < symmetry.families[number].parts.size(); ++which) {
                const Symmetry::Part &part = symmetry.families[number].parts[which];
                for (uint32_t i = 0; i < part.offsets.size(); ++i)
                    if (part.offsets[i] <= site.offset && site.offset < part.offsets[i] + part.size)
                        owner = {starts_[number] + i, (uint64_t{which} << 32) + site.offset - part.offsets[i]};
            }
        owners_.push_back(owner);
    }
}

void ProcessRepresentative::find(uint8_t *state, uint32_t length, const volatile uint32_t *stop) {
    stop_ = stop;
    if (length < whole_)
        return; /* a state from before all instances were there stands for itself */
    if (method_ == Method::canonical)
        canonical(state, length);
    else
        sort(state, length);
}

uint32_t ProcessRepresentative::instance_of(uint32_t value) const {
    for (size_t number = 0; number < symmetry_.families.size(); ++number) {
        const Symmetry::Family &family = symmetry_.families[number];
        if (value - family.first < family.count())
            return starts_[number] + value - family.first;
    }
    return none;
}

/* `positions[i]`: where instance i goes, counted in its family. */
void ProcessRepresentative::permute(const uint8_t *state, uint32_t length, const std::vector<uint32_t> &positions,
                             uint8_t *result) const {
    std::memcpy(result, state, length);
    for (size_t number = 0; number < symmetry_.families.size(); ++number)
        for (const Symmetry::Part &part : symmetry_.families[number].parts)
            for (uint32_t i = 0; i < part.offsets.size(); ++i)
                std::memcpy(result + part.offsets[positions[starts_[number] + i]], state + part.offsets[i], part.size);
    for (const Symmetry::Site &site : symmetry_.sites) {
        const uint32_t count = count_of(site, result);
        for (uint32_t i = 0; i < count; ++i) {
            uint8_t *const at = result + site.offset + i * site.stride;
            const uint32_t instance = instance_of(read(at, site.size));
            if (instance != none)
                write(at, site.size, symmetry_.families[family_of_[instance]].first + positions[instance]);
        }
    }
}

// ---- Sorting --------------------------------------------------------------

int64_t ProcessRepresentative::value_of(const uint8_t *state, const Symmetry::Key &key, uint32_t instance) const {
    const uint32_t value = read(state + key.offsets[instance], key.size);
    if (key.is_reference) {
        const uint32_t target = instance_of(value);
        return target == none ? 0 : int64_t{target} - starts_[family_of_[target]] + 1;
    }
    if (key.is_signed && (value >> (8 * key.size - 1) & 1) != 0)
        return int64_t{value} - (int64_t{1} << (8 * key.size));
    return value;
}

bool ProcessRepresentative::less(const uint8_t *state, const Symmetry::Family &family, uint32_t a, uint32_t b) const {
    for (const Symmetry::Key &key : family.keys) {
        if (method_ == Method::references && !key.is_reference)
            continue;
        const int64_t one = value_of(state, key, a), other = value_of(state, key, b);
        if (one != other)
            return one < other;
    }
    return false;
}

void ProcessRepresentative::sort(uint8_t *state, uint32_t length) {
    std::vector<uint32_t> positions;
    scratch_.resize(length);
    for (size_t number = 0; number < symmetry_.families.size(); ++number) {
        const Symmetry::Family &family = symmetry_.families[number];
        for (uint32_t position = 0; position + 1 < family.count(); ++position) {
            uint32_t first = position;
            for (uint32_t i = position + 1; i < family.count(); ++i)
                if (less(state, family, i, first))
                    first = i;
            if (first == position)
                continue;
            positions.resize(family_of_.size());
            for (uint32_t i = 0; i < family_of_.size(); ++i)
                positions[i] = i - starts_[family_of_[i]];
            std::swap(positions[starts_[number] + position], positions[starts_[number] + first]);
            permute(state, length, positions, scratch_.data());
            std::memcpy(state, scratch_.data(), length);
        }
    }
}

// ---- The canonical one ----------------------------------------------------

void ProcessRepresentative::canonical(uint8_t *state, uint32_t length) {
    Colours colours = colours_of(state, length);
    const std::string given(reinterpret_cast<const char *>(state), length);
    std::set<std::string> leaves;
    const std::string found = least(given, std::move(colours), leaves);
    std::memcpy(state, found.data(), length);
}

/* Instances by their data without references; finds the references on the way. */
ProcessRepresentative::Colours ProcessRepresentative::colours_of(const uint8_t *state, uint32_t length) {
    arrows_.clear();
    scratch_.assign(state, state + length);
    for (size_t s = 0; s < symmetry_.sites.size(); ++s) {
        const Symmetry::Site &site = symmetry_.sites[s];
        const uint32_t count = count_of(site, state);
        for (uint32_t i = 0; i < count; ++i) {
            const uint32_t at = site.offset + i * site.stride;
            const uint32_t target = instance_of(read(state + at, site.size));
            if (target == none)
                continue;
            arrows_.push_back({owners_[s].instance, target, owners_[s].place + at - site.offset});
            write(scratch_.data() + at, site.size, symmetry_.families[family_of_[target]].first);
        }
    }
    std::vector<std::pair<uint32_t, std::string>> data(family_of_.size());
    for (uint32_t instance = 0; instance < family_of_.size(); ++instance) {
        const uint32_t number = family_of_[instance];
        data[instance].first = number;
        for (const Symmetry::Part &part : symmetry_.families[number].parts)
            data[instance].second.append(
                reinterpret_cast<const char *>(scratch_.data()) + part.offsets[instance - starts_[number]], part.size);
    }
    return ranks(data);
}

/* Tell instances apart by the colours of those they refer to, and of those that refer to them. */
void ProcessRepresentative::refine(Colours &colours) const {
    struct Seen {
        uint32_t colour;
        std::vector<std::pair<uint64_t, uint64_t>> around;
        bool operator<(const Seen &other) const {
            return colour != other.colour ? colour < other.colour : around < other.around;
        }
    };
    if (arrows_.empty()) {
        colours = ranks(colours);
        return;
    }
    for (;;) {
        std::vector<Seen> seen(colours.size());
        for (uint32_t i = 0; i < colours.size(); ++i)
            seen[i].colour = colours[i];
        for (const Arrow &arrow : arrows_) {
            if (arrow.owner != none)
                seen[arrow.owner].around.push_back({arrow.place << 1, colours[arrow.target]});
            const uint64_t from = arrow.owner == none ? 0 : uint64_t{colours[arrow.owner]} + 1;
            seen[arrow.target].around.push_back({arrow.place << 1 | 1, from});
        }
        for (Seen &one : seen)
            std::sort(one.around.begin(), one.around.end());
        Colours finer = ranks(seen);
        if (finer == colours)
            return;
        colours = std::move(finer);
    }
}

/* The least state by the orders that agree with the colours; `leaves` are those that were looked at. */
std::string ProcessRepresentative::least(const std::string &state, Colours colours, std::set<std::string> &leaves) const {
    refine(colours);
    const uint32_t shared = first_shared(colours);
    if (shared == colours.size()) {
        std::string found = leaf(state, colours);
        leaves.insert(found);
        return found;
    }
    std::string best;
    std::set<std::string> here;
    for (uint32_t chosen = 0; chosen < colours.size(); ++chosen) {
        if (colours[chosen] != shared)
            continue;
        if (is_set(stop_))
            return state;
        Colours apart = set_apart(colours, chosen);
        /* Where an automorphism leads from what was looked at to this, it need not be looked at. */
        if (!here.empty() && here.count(first_leaf(state, apart)) != 0)
            continue;
        std::string found = least(state, std::move(apart), here);
        if (best.empty() || found < best)
            best = std::move(found);
    }
    keep(leaves, here);
    return best;
}

std::string ProcessRepresentative::first_leaf(const std::string &state, Colours colours) const {
    for (;;) {
        refine(colours);
        const uint32_t shared = first_shared(colours);
        if (shared == colours.size())
            return leaf(state, colours);
        if (is_set(stop_))
            return state;
        const auto chosen = std::find(colours.begin(), colours.end(), shared) - colours.begin();
        colours = set_apart(colours, static_cast<uint32_t>(chosen));
    }
}

/* The state with the instances of every family in the order of their colours, which are all different. */
std::string ProcessRepresentative::leaf(const std::string &state, const Colours &colours) const {
    std::vector<uint32_t> positions(colours.size());
    for (uint32_t i = 0; i < colours.size(); ++i)
        for (uint32_t j = 0; j < colours.size(); ++j)
            positions[i] += family_of_[j] == family_of_[i] && colours[j] < colours[i];
    std::string found(state.size(), '\0');
    permute(reinterpret_cast<const uint8_t *>(state.data()), static_cast<uint32_t>(state.size()), positions,
            reinterpret_cast<uint8_t *>(found.data()));
    return found;
}

} // namespace kripke
