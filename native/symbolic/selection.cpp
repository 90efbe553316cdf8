#include "symbolic/selection.h"

#include <algorithm>
#include <unordered_map>

namespace kripke {

namespace {

/* Operations, with the number of a transition in the low bits. */
constexpr uint32_t enabling = 5 * Diagram::own_operations, disabling = 6 * Diagram::own_operations,
                   dying = 7 * Diagram::own_operations, reaching = 8 * Diagram::own_operations,
                   staying = 9 * Diagram::own_operations;

/* Markings whose weighted sum is at least a number. Where all that can come below a node decides, it
 * need not be looked at. */
class Summing {
  public:
    Summing(Diagram &diagram, const Weights &weights) : diagram_(diagram), loan_(diagram), weights_(weights) {}

    using Range = std::pair<int64_t, int64_t>;

    /* The least and the greatest sum below a node that is not empty. */
    Range range(Set set) {
        const Diagram::Node node = diagram_.node(set);
        if (weights_.empty() || node.level > weights_.back().first)
            return {0, 0};
        if (const auto found = ranges_.find(set); found != ranges_.end())
            return found->second;
        diagram_.step();
        const int64_t here = weight(node.level) * static_cast<int64_t>(node.tokens);
        Range all = range(node.hi);
        all.first += here;
        all.second += here;
        if (node.lo != Diagram::nothing) {
            const Range other = range(node.lo);
            all = {std::min(all.first, other.first), std::max(all.second, other.second)};
        }
        loan_.entry(sizeof(std::pair<Set, Range>));
        return ranges_[set] = all;
    }

    /* Markings with a sum of at least `least`. */
    Set select(Set set, int64_t least) {
        if (set == Diagram::nothing)
            return set;
        const Range all = range(set);
        if (all.first >= least)
            return set;
        if (all.second < least)
            return Diagram::nothing;
        const std::pair<Set, int64_t> key{set, least};
        if (const auto found = selected_.find(key); found != selected_.end())
            return found->second;
        diagram_.step();
        const Diagram::Node node = diagram_.node(set);
        loan_.entry(sizeof(std::pair<std::pair<Set, int64_t>, Set>));
        const Set lo = select(node.lo, least);
        const Set hi = select(node.hi, least - weight(node.level) * static_cast<int64_t>(node.tokens));
        return selected_[key] = diagram_.make(node.level, node.tokens, lo, hi);
    }

  private:
    struct KeyHash {
        size_t operator()(const std::pair<Set, int64_t> &key) const {
            return (static_cast<uint64_t>(key.first) << 32 ^ static_cast<uint64_t>(key.second)) * 0x9e3779b97f4a7c15u;
        }
    };

    int64_t weight(uint32_t level) const {
        const auto found = std::lower_bound(weights_.begin(), weights_.end(), level,
                                            [](const auto &term, uint32_t wanted) { return term.first < wanted; });
        return found != weights_.end() && found->first == level ? found->second : 0;
    }

    Diagram &diagram_;
    Diagram::Loan loan_;
    const Weights &weights_;
    std::unordered_map<Set, Range> ranges_;
    std::unordered_map<std::pair<Set, int64_t>, Set, KeyHash> selected_;
};

} // namespace

void add_to(Digits &sum, const Digits &other) {
    if (sum.size() < other.size())
        sum.resize(other.size(), 0);
    uint64_t carry = 0;
    for (size_t i = 0; i < sum.size() && (i < other.size() || carry != 0); ++i) {
        const uint64_t digit = i < other.size() ? other[i] : 0;
        const uint64_t with_carry = sum[i] + carry;
        carry = with_carry < carry;
        sum[i] = with_carry + digit;
        carry += sum[i] < digit;
    }
    if (carry != 0)
        sum.push_back(carry);
}

Selection::Selection(Diagram &diagram, const std::vector<Effects> &transitions, uint32_t first)
    : diagram_(diagram), first_(first) {
    for (uint32_t number = 0; number < transitions.size(); ++number) {
        std::vector<Need> needs;
        for (const Effect &effect : transitions[number])
            if (effect.need > 0)
                needs.push_back({effect.level, effect.need});
        if (needs.empty()) {
            ++always_;
        } else {
            if (by_top_.size() <= needs.front().level)
                by_top_.resize(needs.front().level + 1);
            by_top_[needs.front().level].push_back(number);
        }
        needs_.push_back(std::move(needs));
    }
}

Set Selection::at_least(Set set, const Weights &weights, int64_t least) {
    if (weights.size() != 1)
        return Summing(diagram_, weights).select(set, least);
    const auto [level, weight] = weights.front();
    /* The numbers of tokens that will do begin, or end, where the weighted number passes `least`. */
    if (weight > 0) {
        const int64_t bound = least <= 0 ? 0 : (least - 1) / weight + 1;
        return bound >= Diagram::most_tokens ? Diagram::nothing
                                             : bounded<true>(set, level, static_cast<uint32_t>(bound));
    }
    if (least > 0)
        return Diagram::nothing;
    const int64_t bound = least / weight + 1; /* both are negative, or `least` is 0 */
    return bound >= Diagram::most_tokens ? set : bounded<false>(set, level, static_cast<uint32_t>(bound));
}

/* Markings with at least so many tokens on a level, or with fewer. */
template <bool wanted> Set Selection::bounded(Set set, uint32_t level, uint32_t least) {
    Diagram &d = diagram_;
    if (least == 0)
        return wanted ? set : Diagram::nothing;
    if (d.level(set) > level)
        return wanted ? Diagram::nothing : set;
    d.step();
    const Diagram::Key key{(wanted ? reaching : staying) | level, set, least, 0};
    Set result;
    if (d.recall(key, result))
        return result;
    const Diagram::Node node = d.node(set);
    const Set lo = bounded<wanted>(node.lo, level, least);
    if (node.level < level)
        result = d.make(node.level, node.tokens, lo, bounded<wanted>(node.hi, level, least));
    else
        result = (node.tokens >= least) == wanted ? d.make(node.level, node.tokens, lo, node.hi) : lo;
    d.remember(key, result);
    return result;
}

std::pair<int64_t, int64_t> Selection::range(Set set, const Weights &weights) {
    return Summing(diagram_, weights).range(set);
}

/* From the need number `position` on. A need of a level that is empty is not met. */
template <bool wanted> Set Selection::chosen(Set set, uint32_t transition, uint32_t position) {
    Diagram &d = diagram_;
    const std::vector<Need> &needs = needs_[transition];
    if (position == needs.size())
        return wanted ? set : Diagram::nothing;
    const Need need = needs[position];
    if (d.level(set) > need.level)
        return wanted ? Diagram::nothing : set;
    d.step();
    const Diagram::Key key{(wanted ? enabling : disabling) | (first_ + transition), set, position, 0};
    Set result;
    if (d.recall(key, result))
        return result;
    const Diagram::Node node = d.node(set);
    const Set lo = chosen<wanted>(node.lo, transition, position);
    if (node.level < need.level)
        result = d.make(node.level, node.tokens, lo, chosen<wanted>(node.hi, transition, position));
    else if (node.tokens >= need.tokens)
        result = d.make(node.level, node.tokens, lo, chosen<wanted>(node.hi, transition, position + 1));
    else
        result = wanted ? lo : d.make(node.level, node.tokens, lo, node.hi);
    d.remember(key, result);
    return result;
}

template Set Selection::chosen<true>(Set, uint32_t, uint32_t);
template Set Selection::chosen<false>(Set, uint32_t, uint32_t);

Set Selection::dead(Set set) { return always_ != 0 ? Diagram::nothing : dead_below(set); }

/* Markings that enable none of the transitions that need only what is at the level of `set` or below.
 * All others need more than is there, since levels before are empty or were looked at. */
Set Selection::dead_below(Set set) {
    Diagram &d = diagram_;
    if (set <= Diagram::anything)
        return set;
    d.step();
    const Diagram::Node node = d.node(set);
    const Diagram::Key key{dying, set, 0, 0};
    Set result;
    if (d.recall(key, result))
        return result;
    const Set lo = dead_below(node.lo);
    Set hi = dead_below(node.hi);
    if (node.level < by_top_.size())
        for (const uint32_t transition : by_top_[node.level])
            if (node.tokens >= needs_[transition].front().tokens)
                hi = chosen<false>(hi, transition, 1);
    result = d.make(node.level, node.tokens, lo, hi);
    d.remember(key, result);
    return result;
}

Digits Selection::count(Set set) {
    Counts known(diagram_, {{Diagram::nothing, {}}, {Diagram::unit, {1}}});
    return count_below(set, known);
}

Digits Selection::count_steps(Set set) {
    Counts known(diagram_, {{Diagram::nothing, {}}, {Diagram::unit, {1}}});
    Counts steps(diagram_, {{Diagram::nothing, {}}, {Diagram::unit, {}}});
    Digits sum = steps_below(set, steps, known);
    for (uint32_t i = 0; i < always_; ++i)
        add_to(sum, count_below(set, known));
    return sum;
}

/* With the transitions whose first need is at the level of `set` or below: what comes behind their last need is
 * shared with the set itself and counted once. */
const Digits &Selection::steps_below(Set set, Counts &steps, Counts &known) {
    if (const Digits *found = steps.find(set))
        return *found;
    diagram_.step();
    const Diagram::Node node = diagram_.node(set);
    Digits sum = steps_below(node.lo, steps, known);
    add_to(sum, steps_below(node.hi, steps, known));
    if (node.level < by_top_.size())
        for (const uint32_t transition : by_top_[node.level])
            if (node.tokens >= needs_[transition].front().tokens)
                add_to(sum, count_below(chosen<true>(node.hi, transition, 1), known));
    return steps.put(set, std::move(sum));
}

const Digits &Selection::count_below(Set set, Counts &known) {
    if (const Digits *found = known.find(set))
        return *found;
    diagram_.step();
    const Diagram::Node node = diagram_.node(set);
    Digits sum = count_below(node.lo, known);
    add_to(sum, count_below(node.hi, known));
    return known.put(set, std::move(sum));
}

std::vector<uint32_t> Selection::most_on_levels(Set set) const {
    std::vector<uint32_t> most;
    diagram_.each_node(set, [&](const Diagram::Node &node) {
        if (most.size() <= node.level)
            most.resize(node.level + 1, 0);
        most[node.level] = std::max(most[node.level], node.tokens);
    });
    return most;
}

std::vector<std::pair<uint32_t, uint32_t>> Selection::pick(Set set) const {
    std::vector<std::pair<uint32_t, uint32_t>> marking;
    while (set > Diagram::anything) {
        const Diagram::Node &node = diagram_.node(set);
        if (node.lo != Diagram::nothing) {
            set = node.lo; /* in the end an empty level, where that can be */
        } else {
            marking.emplace_back(node.level, node.tokens);
            set = node.hi;
        }
    }
    return marking;
}

Set Selection::single(const std::vector<std::pair<uint32_t, uint32_t>> &marking) {
    Set made = Diagram::unit;
    for (size_t i = marking.size(); i-- > 0;)
        if (marking[i].second > 0)
            made = diagram_.make(marking[i].first, marking[i].second, Diagram::nothing, made);
    return made;
}

} // namespace kripke
