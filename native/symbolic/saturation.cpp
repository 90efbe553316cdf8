#include "symbolic/saturation.h"

#include <algorithm>
#include <cassert>

namespace kripke {

namespace {

/* Operations, with the number of a transition or relation in the low bits. */
constexpr uint32_t fired = 1 * Diagram::own_operations, fired_closed = 2 * Diagram::own_operations,
                   saturated = 3 * Diagram::own_operations, imaged = 4 * Diagram::own_operations;

} // namespace

Relation::Relation(Diagram &diagram, uint32_t levels, const std::vector<Effects> &all, uint32_t number, uint32_t first)
    : diagram_(diagram), number_(number), first_(first), events_(all),
      levels_(static_cast<size_t>(levels) + 1) {
    std::vector<uint8_t> active(levels, 0);
    std::vector<Effects> changing;
    for (const Effects &effects : events_) {
        alone_.push_back(together_.node_of({effects}));
        if (effects.empty()) {
            idle_ = true;
            continue;
        }
        const uint32_t top = effects.front().level;
        const bool changes = std::any_of(effects.begin(), effects.end(), [](const Effect &e) { return e.change != 0; });
        last_top_ = std::max(last_top_, top);
        if (changes)
            changing.push_back(effects);
        if (effects.front().need == 0)
            active[top] |= static_cast<uint8_t>(changes ? 3 : 2);
    }
    for (uint32_t n = together_.node_of(changing); n > Together::done; n = together_.node(n).past)
        levels_[together_.node(n).level].changing = together_.node(n).branches;
    for (uint32_t n = together_.node_of(events_); n > Together::done; n = together_.node(n).past)
        levels_[together_.node(n).level].all = together_.node(n).branches;
    levels_[levels].active = levels_[levels].active_for_image = Diagram::end;
    for (uint32_t level = levels; level-- > 0;) {
        levels_[level].active = active[level] & 1 ? level : levels_[level + 1].active;
        levels_[level].active_for_image = active[level] & 2 ? level : levels_[level + 1].active_for_image;
    }
}

uint32_t Relation::after(uint32_t tokens, int64_t change) {
    const int64_t now = static_cast<int64_t>(tokens) + change;
    assert(now >= 0);
    if (now >= static_cast<int64_t>(Diagram::most_tokens))
        throw Stopped{Reason::error};
    return static_cast<uint32_t>(now);
}

/* What a node of transitions makes of `set`, both about the levels from `level` on. Saturating: before, `set` is closed
 * where nothing constrains it; after, the result is closed within `within`. */
template <bool saturating> Set Relation::fire(Set set, uint32_t transitions, uint32_t level, Set within) {
    Diagram &d = diagram_;
    if (set == Diagram::nothing || within == Diagram::nothing)
        return Diagram::nothing;
    const Together::Node *node = &together_.node(transitions);
    /* Nothing can be taken from a level that is empty. */
    while (transitions > Together::done && !node->for_empty && d.level(set) > node->level) {
        transitions = node->past;
        node = &together_.node(transitions);
    }
    if (transitions == Together::none)
        return Diagram::nothing;
    if (transitions == Together::done) {
        if (within == Diagram::anything)
            return set;
        const Set kept = d.intersect(set, within);
        if (!saturating)
            return kept;
        d.entries.push_back({0, kept, false}); /* for safe points */
        const Set closed = saturate(kept, level, within);
        d.entries.pop_back();
        return closed;
    }
    d.step();
    uint32_t here = std::min(d.level(set), node->level);
    if (saturating)
        here = std::min(here, levels_[level].active);
    within = d.descend(within, here);
    const Diagram::Key key{(saturating ? fired_closed : fired) | (first_ + transitions), set, within, here};
    Set result;
    if (d.recall(key, result))
        return result;
    const size_t base = d.entries.size();
    d.expand(set, here);
    const size_t made = d.entries.size();
    for (size_t i = base; i < made; ++i) {
        const Diagram::Entry entry = d.entries[i];
        const auto fire_below = [&](uint32_t tokens, uint32_t rest) {
            add(made, tokens, fire<saturating>(entry.set, rest, here + 1, d.rest(within, here, tokens)));
        };
        if (here < node->level) {
            fire_below(entry.tokens, transitions);
            continue;
        }
        for (const Together::Branch &branch : node->branches)
            if (entry.tokens >= branch.need)
                fire_below(after(entry.tokens, branch.change), branch.rest);
        if (node->past != Together::none)
            fire_below(entry.tokens, node->past);
    }
    result = saturating ? close(here, made, within) : d.make_from(here, made);
    d.entries.resize(base);
    d.remember(key, result);
    return result;
}

/* Among the entries from `base` on, the first with so many tokens or more. */
size_t Relation::place_of(size_t base, uint32_t tokens) const {
    const auto first = diagram_.entries.begin() + static_cast<std::ptrdiff_t>(base);
    const auto found = std::lower_bound(first, diagram_.entries.end(), tokens,
                                        [](const Diagram::Entry &entry, uint32_t wanted) { return entry.tokens < wanted; });
    return static_cast<size_t>(found - diagram_.entries.begin());
}

/* Add to the entries from `base` on. Gives the place of an entry that has more than before and so is open. */
std::optional<size_t> Relation::add(size_t base, uint32_t tokens, Set set) {
    Diagram &d = diagram_;
    if (set == Diagram::nothing)
        return std::nullopt;
    const size_t at = place_of(base, tokens);
    if (at == d.entries.size() || d.entries[at].tokens != tokens) {
        d.entries.insert(d.entries.begin() + static_cast<std::ptrdiff_t>(at), {tokens, set, true});
        return at;
    }
    const Set more = d.unite(d.entries[at].set, set);
    if (more == d.entries[at].set)
        return std::nullopt;
    d.entries[at].set = more;
    d.entries[at].open = true;
    return at;
}

/* The entries from `base` on, whose rests are closed, become a set that is closed. */
Set Relation::close(uint32_t level, size_t base, Set within) {
    Diagram &d = diagram_;
    const Together::Branches &branches = levels_[level].changing;
    for (size_t i = base; !branches.empty() && i < d.entries.size();) {
        if (!d.entries[i].open) {
            ++i;
            continue;
        }
        d.entries[i].open = false;
        size_t first = d.entries.size(); /* the first entry that was opened again */
        for (const Together::Branch &branch : branches) {
            d.step();
            const Diagram::Entry entry = d.entries[i];
            if (entry.tokens < branch.need)
                continue;
            const uint32_t tokens = after(entry.tokens, branch.change);
            const Set allowed = d.rest(within, level, tokens);
            if (allowed == Diagram::nothing)
                continue;
            d.safe_point();
            const Set below = fire<true>(entry.set, branch.rest, level + 1, allowed);
            const size_t before = d.entries.size();
            const std::optional<size_t> at = add(base, tokens, below);
            if (!at)
                continue;
            if (d.entries.size() > before && *at <= i)
                ++i;
            first = std::min(first, *at);
        }
        i = std::min(i + 1, first);
    }
    return d.make_from(level, base);
}

/* `set`, about the levels from `level` on, and everything reached from it. */
Set Relation::saturate(Set set, uint32_t level, Set within) {
    Diagram &d = diagram_;
    if (set == Diagram::nothing)
        return set;
    const uint32_t here = std::min(d.level(set), levels_[level].active);
    if (here == Diagram::end)
        return set;
    d.step();
    within = d.descend(within, here);
    const Diagram::Key key{saturated | number_, set, within, here};
    Set result;
    if (d.recall(key, result))
        return result;
    const size_t base = d.entries.size();
    d.expand(set, here);
    const size_t made = d.entries.size();
    for (size_t i = base; i < made; ++i) {
        const Diagram::Entry entry = d.entries[i];
        const Set below = saturate(entry.set, here + 1, d.rest(within, here, entry.tokens));
        d.entries.push_back({entry.tokens, below, true});
    }
    result = close(here, made, within);
    d.entries.resize(base);
    d.remember(key, result);
    return result;
}

Set Relation::image(Set set, Set within) {
    const Set moved = image_below(set, 0, within);
    return idle_ ? diagram_.unite(moved, diagram_.intersect(set, within)) : moved;
}

/* What the transitions with their top at `level` or below make of `set`. */
Set Relation::image_below(Set set, uint32_t level, Set within) {
    Diagram &d = diagram_;
    if (set == Diagram::nothing || within == Diagram::nothing)
        return Diagram::nothing;
    const uint32_t here = std::min(d.level(set), levels_[level].active_for_image);
    if (here > last_top_) /* and so behind the last level */
        return Diagram::nothing;
    d.step();
    within = d.descend(within, here);
    const Diagram::Key key{imaged | number_, set, within, here};
    Set result;
    if (d.recall(key, result))
        return result;
    const size_t base = d.entries.size();
    d.expand(set, here);
    const size_t made = d.entries.size();
    for (size_t i = base; i < made; ++i) {
        const Diagram::Entry entry = d.entries[i];
        add(made, entry.tokens, image_below(entry.set, here + 1, d.rest(within, here, entry.tokens)));
        for (const Together::Branch &branch : levels_[here].all) {
            if (entry.tokens < branch.need)
                continue;
            const uint32_t tokens = after(entry.tokens, branch.change);
            d.safe_point();
            add(made, tokens, fire<false>(entry.set, branch.rest, here + 1, d.rest(within, here, tokens)));
        }
    }
    result = d.make_from(here, made);
    d.entries.resize(base);
    d.remember(key, result);
    return result;
}

template Set Relation::fire<false>(Set, uint32_t, uint32_t, Set);

} // namespace kripke
