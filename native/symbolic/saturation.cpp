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
    for (uint32_t event = 0; event < events_.size(); ++event) {
        const Effects &effects = events_[event];
        if (effects.empty()) {
            idle_ = true;
            continue;
        }
        const uint32_t top = effects.front().level;
        const bool changing = std::any_of(effects.begin(), effects.end(), [](const Effect &e) { return e.change != 0; });
        levels_[top].all.push_back(event);
        last_top_ = std::max(last_top_, top);
        if (changing)
            levels_[top].changing.push_back(event);
        if (effects.front().need == 0)
            active[top] |= static_cast<uint8_t>(changing ? 3 : 2);
    }
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

/* What `event`, from its effect number `position` on, makes of `set`, which is about the levels
 * from `level` on. Saturating: before, `set` is closed where nothing constrains it; after, the
 * result is closed within `within`. */
template <bool saturating>
Set Relation::fire(Set set, uint32_t event, uint32_t position, uint32_t level, Set within) {
    Diagram &d = diagram_;
    const Effects &effects = events_[event];
    if (set == Diagram::nothing || within == Diagram::nothing)
        return Diagram::nothing;
    if (position == effects.size()) {
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
    const Effect effect = effects[position];
    uint32_t here = std::min(d.level(set), effect.level);
    if (saturating)
        here = std::min(here, levels_[level].active);
    if (effect.need > 0 && d.level(set) > effect.level)
        return Diagram::nothing; /* the level is empty */
    within = d.descend(within, here);
    const Diagram::Key key{(saturating ? fired_closed : fired) | (first_ + event), set, within, here};
    Set result;
    if (d.recall(key, result))
        return result;
    const size_t base = d.entries.size();
    d.expand(set, here);
    const size_t made = d.entries.size();
    const bool touched = here == effect.level;
    for (size_t i = base; i < made; ++i) {
        const Diagram::Entry entry = d.entries[i];
        if (touched && entry.tokens < effect.need)
            continue;
        const uint32_t tokens = touched ? after(entry.tokens, effect.change) : entry.tokens;
        const Set below = fire<saturating>(entry.set, event, position + touched, here + 1, d.rest(within, here, tokens));
        if (below != Diagram::nothing)
            d.entries.push_back({tokens, below, true});
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

/* The entries from `base` on, whose rests are closed, become a set that is closed. */
Set Relation::close(uint32_t level, size_t base, Set within) {
    Diagram &d = diagram_;
    const std::vector<uint32_t> &events = levels_[level].changing;
    for (size_t i = base; !events.empty() && i < d.entries.size();) {
        if (!d.entries[i].open) {
            ++i;
            continue;
        }
        d.entries[i].open = false;
        size_t first = d.entries.size(); /* the first entry that was opened again */
        for (const uint32_t event : events) {
            d.step();
            const Effect &top = events_[event].front();
            const Diagram::Entry entry = d.entries[i];
            if (entry.tokens < top.need)
                continue;
            const uint32_t tokens = after(entry.tokens, top.change);
            const Set allowed = d.rest(within, level, tokens);
            if (allowed == Diagram::nothing)
                continue;
            d.safe_point();
            const Set below = fire<true>(entry.set, event, 1, level + 1, allowed);
            if (below == Diagram::nothing)
                continue;
            const size_t at = place_of(base, tokens);
            if (at == d.entries.size() || d.entries[at].tokens != tokens) {
                d.entries.insert(d.entries.begin() + static_cast<std::ptrdiff_t>(at), {tokens, below, true});
                if (at <= i)
                    ++i;
                first = std::min(first, at);
            } else if (const Set more = d.unite(d.entries[at].set, below); more != d.entries[at].set) {
                d.entries[at].set = more;
                d.entries[at].open = true;
                first = std::min(first, at);
            }
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

/* Add to the entries from `base` on. */
void Relation::add(size_t base, uint32_t tokens, Set set) {
    Diagram &d = diagram_;
    if (set == Diagram::nothing)
        return;
    const size_t at = place_of(base, tokens);
    if (at == d.entries.size() || d.entries[at].tokens != tokens)
        d.entries.insert(d.entries.begin() + static_cast<std::ptrdiff_t>(at), {tokens, set, true});
    else
        d.entries[at].set = d.unite(d.entries[at].set, set);
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
        for (const uint32_t event : levels_[here].all) {
            const Effect &top = events_[event].front();
            if (entry.tokens < top.need)
                continue;
            const uint32_t tokens = after(entry.tokens, top.change);
            d.safe_point();
            add(made, tokens, fire<false>(entry.set, event, 1, here + 1, d.rest(within, here, tokens)));
        }
    }
    result = d.make_from(here, made);
    d.entries.resize(base);
    d.remember(key, result);
    return result;
}

template Set Relation::fire<false>(Set, uint32_t, uint32_t, uint32_t, Set);

} // namespace kripke
