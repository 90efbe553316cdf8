#include "symbolic/assignments.h"

#include <algorithm>

namespace kripke {

namespace {

enum Operation : uint32_t { imaged = Diagram::own_operations + 1, mirroring, selecting, projecting = selecting + 2 };

} // namespace

Assignments::Assignments(Diagram &diagram) : diagram_(diagram), relations_(2), widths_{0, 0} {}

uint32_t Assignments::relation(std::vector<Row> rows) {
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    return rows.empty() ? never : built(rows, 0, 0, rows.size());
}

/* The rows of begin..end agree in the columns before. */
uint32_t Assignments::built(std::vector<Row> &rows, size_t column, size_t begin, size_t end) {
    if (column == rows[begin].size())
        return always;
    std::vector<Entry> entries;
    for (size_t from = begin, to; from < end; from = to) {
        const auto value = rows[from][column];
        for (to = from; to < end && rows[to][column] == value;)
            ++to;
        entries.push_back({value.first, value.second, built(rows, column + 1, from, to)});
    }
    return node(std::move(entries));
}

uint32_t Assignments::node(std::vector<Entry> entries) {
    const uint32_t width = widths_[entries[0].rest] + 1;
    const auto [known, fresh] = known_.try_emplace(std::move(entries), static_cast<uint32_t>(relations_.size()));
    if (fresh) {
        relations_.push_back(known->first);
        widths_.push_back(width);
    }
    return known->second;
}

uint32_t Assignments::relation_of(std::vector<std::array<uint32_t, 3>> entries) {
    std::vector<Entry> kept;
    for (const auto &[old, now, rest] : entries)
        if (rest != never)
            kept.push_back({old, now, rest});
    std::sort(kept.begin(), kept.end());
    return kept.empty() ? never : node(std::move(kept));
}

uint32_t Assignments::move(std::vector<Touch> touches) {
    uint32_t related = 0;
    for (const Touch &touch : touches)
        related += touch.related;
    const uint32_t first = positions_;
    positions_ += static_cast<uint32_t>(touches.size()) + 1;
    moves_.push_back({std::move(touches), first, related});
    return static_cast<uint32_t>(moves_.size() - 1);
}

Set Assignments::image(Set set, uint32_t relation, uint32_t move, uint32_t position) {
    Diagram &d = diagram_;
    if (set == Diagram::nothing || relation == never)
        return Diagram::nothing;
    if (position == moves_[move].touches.size())
        return set;
    d.step();
    const Diagram::Key key{imaged, set, relation, moves_[move].first + position};
    Set result;
    if (d.recall(key, result))
        return result;
    const Touch touch = moves_[move].touches[position];
    const Diagram::Node node = d.node(set);
    if (node.level < touch.level) {
        const Set lo = image(node.lo, relation, move, position);
        result = d.make(node.level, node.tokens, lo, image(node.hi, relation, move, position));
        d.remember(key, result);
        return result;
    }
    std::vector<std::pair<uint32_t, Set>> reached;
    const auto reach = [&](uint32_t value, Set found) {
        if (found == Diagram::nothing)
            return;
        for (auto &[known, united] : reached)
            if (known == value) {
                united = d.unite(united, found);
                return;
            }
        reached.emplace_back(value, found);
    };
    const auto one = [&](uint32_t value, Set rest) {
        if (!touch.related) {
            reach(touch.value, image(rest, relation, move, position + 1));
            return;
        }
        const std::vector<Entry> &entries = relations_[relation];
        for (auto entry = std::lower_bound(entries.begin(), entries.end(), Entry{value, 0, 0});
             entry != entries.end() && entry->old == value; ++entry)
            reach(touch.fixed ? touch.value : entry->now, image(rest, entry->rest, move, position + 1));
    };
    Set left = set;
    for (; d.level(left) == touch.level; left = d.node(left).lo)
        one(d.node(left).tokens, d.node(left).hi);
    if (left != Diagram::nothing)
        one(0, left);
    std::sort(reached.begin(), reached.end());
    const size_t base = d.entries.size();
    for (const auto &[value, found] : reached)
        d.entries.push_back({value, found, true});
    result = d.make_from(touch.level, base);
    d.remember(key, result);
    return result;
}

Set Assignments::mirrored(Set set) {
    Diagram &d = diagram_;
    if (set <= Diagram::anything)
        return set;
    d.step();
    const Diagram::Key key{mirroring, set, 0, 0};
    Set result;
    if (d.recall(key, result))
        return result;
    const Diagram::Node node = d.node(set);
    const Set lo = mirrored(node.lo);
    const Set same = d.make(node.level + 1, node.tokens, Diagram::nothing, mirrored(node.hi));
    result = d.make(node.level, node.tokens, lo, same);
    d.remember(key, result);
    return result;
}

Set Assignments::select(Set pairs, Set states, uint32_t side) {
    Diagram &d = diagram_;
    if (pairs == Diagram::nothing || states == Diagram::nothing)
        return Diagram::nothing;
    if (pairs == Diagram::unit && states == Diagram::unit)
        return pairs;
    d.step();
    const Diagram::Key key{selecting + side, pairs, states, 0};
    Set result;
    if (d.recall(key, result))
        return result;
    /* The level of the states as the pairs have it. */
    const uint32_t here = d.level(pairs), there = states == Diagram::unit ? Diagram::end : d.level(states) + side;
    const Diagram::Node node = d.node(pairs);
    if (here < there && (here & 1) != side) { /* of the other state */
        const Set lo = select(node.lo, states, side);
        result = d.make(here, node.tokens, lo, select(node.hi, states, side));
    } else if (here < there) /* the states have 0 there */
        result = select(node.lo, states, side);
    else if (there < here) /* the pairs have 0 there */
        result = select(pairs, d.node(states).lo, side);
    else {
        const Diagram::Node other = d.node(states);
        if (node.tokens < other.tokens)
            result = select(node.lo, states, side);
        else if (other.tokens < node.tokens)
            result = select(pairs, other.lo, side);
        else {
            const Set lo = select(node.lo, other.lo, side);
            result = d.make(here, node.tokens, lo, select(node.hi, other.hi, side));
        }
    }
    d.remember(key, result);
    return result;
}

Set Assignments::project(Set pairs, uint32_t side) {
    Diagram &d = diagram_;
    if (pairs <= Diagram::anything)
        return pairs;
    d.step();
    const Diagram::Key key{projecting + side, pairs, 0, 0};
    Set result;
    if (d.recall(key, result))
        return result;
    const Diagram::Node node = d.node(pairs);
    const Set lo = project(node.lo, side);
    const Set hi = project(node.hi, side);
    result = (node.level & 1) == side ? d.make(node.level - side, node.tokens, lo, hi) : d.unite(lo, hi);
    d.remember(key, result);
    return result;
}

} // namespace kripke
