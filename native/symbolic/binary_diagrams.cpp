#include "symbolic/binary_diagrams.h"

#include <algorithm>
#include <cassert>
#include <unordered_set>

namespace kripke {

namespace {

/* Operations whose results are remembered. */
enum Operation : uint32_t { none, conjunction, difference, choice, conjunction_exists, forward, backward, naming };

} // namespace

BinaryDiagrams::BinaryDiagrams(uint32_t levels, uint64_t collect_at)
    : levels_(levels), first_collection_(collect_at) {
    nodes_.push_back({bottom, one, one, 0});
    held_.push_back(1);
    links_.push_back({});
    results_.assign(1 << 14, {});
    rehash(1 << 14);
}

// ---- Nodes ------------------------------------------------------------------------

uint64_t BinaryDiagrams::hash(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    uint64_t x = (uint64_t{a} << 32 | b) * 0x9e3779b97f4a7c15u;
    x ^= (uint64_t{c} << 32 | d) * 0xc2b2ae3d27d4eb4fu;
    x ^= x >> 32;
    x *= 0x9fb21c651e98df25u;
    return x ^ x >> 29;
}

void BinaryDiagrams::rehash(size_t buckets) {
    buckets_.assign(buckets, 0);
    for (uint32_t i = 1; i < nodes_.size(); ++i) {
        Node &node = nodes_[i];
        if (node.level == bottom) /* free */
            continue;
        uint32_t &first = buckets_[hash(node.level, node.lo, node.hi, 0) & (buckets - 1)];
        node.next = first;
        first = i;
    }
}

Function BinaryDiagrams::make(uint32_t level, Function lo, Function hi) {
    if (lo == hi)
        return lo;
    const uint32_t negated = hi & 1;
    lo ^= negated;
    hi ^= negated;
    const uint64_t code = hash(level, lo, hi, 0);
    for (uint32_t i = buckets_[code & (buckets_.size() - 1)]; i != 0; i = nodes_[i].next)
        if (nodes_[i].hi == hi && nodes_[i].lo == lo && nodes_[i].level == level)
            return i << 1 | negated;
    uint32_t made = free_;
    if (made != 0) {
        free_ = nodes_[made].next;
    } else {
        made = static_cast<uint32_t>(nodes_.size());
        if (made >= (1u << 31) - 1)
            throw TooLarge{};
        nodes_.push_back({});
        held_.push_back(0);
    }
    if (++used_ > buckets_.size())
        rehash(buckets_.size() * 2);
    if (used_ > peak_) {
        peak_ = used_;
        if (results_.size() < used_ && results_.size() < (size_t{1} << 23))
            results_.assign(results_.size() * 2, {}); /* what is forgotten is found again */
    }
    uint32_t &first = buckets_[code & (buckets_.size() - 1)];
    nodes_[made] = {level, lo, hi, first};
    first = made;
    return made << 1 | negated;
}

bool BinaryDiagrams::recall(uint32_t operation, uint32_t a, uint32_t b, uint32_t c, Function &result) const {
    const Result &found = results_[hash(operation, a, b, c) & (results_.size() - 1)];
    if (found.operation != operation || found.a != a || found.b != b || found.c != c)
        return false;
    result = found.result;
    return true;
}

void BinaryDiagrams::remember(uint32_t operation, uint32_t a, uint32_t b, uint32_t c, Function result) {
    results_[hash(operation, a, b, c) & (results_.size() - 1)] = {operation, a, b, c, result};
}

// ---- Functions --------------------------------------------------------------------

Function BinaryDiagrams::conj(Function f, Function g) {
    if (f == zero || g == zero || f == (g ^ 1))
        return zero;
    if (f == one || f == g)
        return g;
    if (g == one)
        return f;
    if (f > g)
        std::swap(f, g);
    Function result;
    if (recall(conjunction, f, g, 0, result))
        return result;
    const uint32_t top = std::min(level(f), level(g));
    const Function lo = conj(cofactor(f, top, false), cofactor(g, top, false));
    const Function hi = conj(cofactor(f, top, true), cofactor(g, top, true));
    result = make(top, lo, hi);
    remember(conjunction, f, g, 0, result);
    return result;
}

Function BinaryDiagrams::differ(Function f, Function g) {
    const uint32_t negated = (f ^ g) & 1;
    f &= ~1u;
    g &= ~1u;
    if (f == g)
        return zero ^ negated;
    if (f == one || g == one)
        return (f == one ? g : f) ^ 1 ^ negated;
    if (f > g)
        std::swap(f, g);
    Function result;
    if (!recall(difference, f, g, 0, result)) {
        const uint32_t top = std::min(level(f), level(g));
        const Function lo = differ(cofactor(f, top, false), cofactor(g, top, false));
        const Function hi = differ(cofactor(f, top, true), cofactor(g, top, true));
        result = make(top, lo, hi);
        remember(difference, f, g, 0, result);
    }
    return result ^ negated;
}

Function BinaryDiagrams::ite(Function f, Function g, Function h) {
    if (f == one || g == h)
        return g;
    if (f == zero)
        return h;
    if (g == one || f == g)
        return disj(f, h);
    if (g == zero || f == (g ^ 1))
        return conj(f ^ 1, h);
    if (h == zero || f == h)
        return conj(f, g);
    if (h == one || f == (h ^ 1))
        return disj(f ^ 1, g);
    if (g == (h ^ 1))
        return differ(f, h);
    if (f & 1) {
        f ^= 1;
        std::swap(g, h);
    }
    const uint32_t negated = g & 1;
    g ^= negated;
    h ^= negated;
    Function result;
    if (!recall(choice, f, g, h, result)) {
        const uint32_t top = std::min({level(f), level(g), level(h)});
        const Function lo = ite(cofactor(f, top, false), cofactor(g, top, false), cofactor(h, top, false));
        const Function hi = ite(cofactor(f, top, true), cofactor(g, top, true), cofactor(h, top, true));
        result = make(top, lo, hi);
        remember(choice, f, g, h, result);
    }
    return result ^ negated;
}

Function BinaryDiagrams::and_exists(Function f, Function g, Function cube) {
    if (f == zero || g == zero || f == (g ^ 1))
        return zero;
    if (f == one && g == one)
        return one;
    const uint32_t top = std::min(level(f), level(g));
    while (cube != one && level(cube) < top)
        cube = high(cube);
    if (cube == one)
        return conj(f, g);
    if (f > g)
        std::swap(f, g);
    Function result;
    if (recall(conjunction_exists, f, g, cube, result))
        return result;
    const bool gone = level(cube) == top;
    const Function rest = gone ? high(cube) : cube;
    const Function lo = and_exists(cofactor(f, top, false), cofactor(g, top, false), rest);
    if (gone && lo == one)
        result = one;
    else {
        const Function hi = and_exists(cofactor(f, top, true), cofactor(g, top, true), rest);
        result = gone ? disj(lo, hi) : make(top, lo, hi);
    }
    remember(conjunction_exists, f, g, cube, result);
    return result;
}

Function BinaryDiagrams::renamed(Function f, const std::vector<uint32_t> &from, const std::vector<uint32_t> &to) {
    std::vector<uint32_t> target(levels_);
    for (uint32_t i = 0; i < levels_; ++i)
        target[i] = i;
    for (size_t i = 0; i < from.size(); ++i)
        target[from[i]] = to[i];
    return rename(f, target, ++renamings_);
}

Function BinaryDiagrams::rename(Function f, const std::vector<uint32_t> &target, uint32_t number) {
    if (level(f) == bottom)
        return f;
    const uint32_t negated = f & 1;
    f ^= negated;
    Function result;
    if (!recall(naming, f, number, 0, result)) {
        const Function lo = rename(low(f), target, number), hi = rename(high(f), target, number);
        const uint32_t top = target[level(f)];
        assert(top < level(lo) && top < level(hi));
        result = make(top, lo, hi);
        remember(naming, f, number, 0, result);
    }
    return result ^ negated;
}

// ---- Commands ---------------------------------------------------------------------

uint32_t BinaryDiagrams::command(Function relation, const std::vector<Touch> &support) {
    uint32_t link = 0;
    for (size_t i = support.size(); i-- > 0;) {
        links_.push_back({support[i], link});
        link = static_cast<uint32_t>(links_.size() - 1);
    }
    hold(relation);
    commands_.push_back({relation, link});
    return static_cast<uint32_t>(commands_.size() - 1);
}

Function BinaryDiagrams::after(Function set, uint32_t command) {
    return step_forward(set, commands_[command].relation, commands_[command].first);
}

Function BinaryDiagrams::before(Function set, uint32_t command) {
    return step_back(set, commands_[command].relation, commands_[command].first);
}

Function BinaryDiagrams::step_forward(Function set, Function relation, uint32_t link) {
    if (set == zero || relation == zero)
        return zero;
    if (link == 0)
        return conj(set, relation); /* true: its support is behind us */
    Function result;
    if (recall(forward, set, relation, link, result))
        return result;
    const auto [touch, rest] = links_[link];
    const uint32_t at = touch.level;
    if (level(set) < at) {
        const Function lo = step_forward(low(set), relation, link);
        const Function hi = step_forward(high(set), relation, link);
        result = make(level(set), lo, hi);
    } else {
        const Function off = cofactor(set, at, false), on = cofactor(set, at, true);
        const Function if_off = cofactor(relation, at, false), if_on = cofactor(relation, at, true);
        Function lo, hi;
        if (touch.written) {
            lo = disj(step_forward(off, cofactor(if_off, at + 1, false), rest),
                      step_forward(on, cofactor(if_on, at + 1, false), rest));
            hi = disj(step_forward(off, cofactor(if_off, at + 1, true), rest),
                      step_forward(on, cofactor(if_on, at + 1, true), rest));
        } else {
            lo = step_forward(off, if_off, rest);
            hi = step_forward(on, if_on, rest);
        }
        result = make(at, lo, hi);
    }
    remember(forward, set, relation, link, result);
    return result;
}

Function BinaryDiagrams::step_back(Function set, Function relation, uint32_t link) {
    if (set == zero || relation == zero)
        return zero;
    if (link == 0)
        return conj(set, relation);
    Function result;
    if (recall(backward, set, relation, link, result))
        return result;
    const auto [touch, rest] = links_[link];
    const uint32_t at = touch.level;
    if (level(set) < at) {
        const Function lo = step_back(low(set), relation, link);
        const Function hi = step_back(high(set), relation, link);
        result = make(level(set), lo, hi);
    } else {
        const Function off = cofactor(set, at, false), on = cofactor(set, at, true);
        const Function if_off = cofactor(relation, at, false), if_on = cofactor(relation, at, true);
        Function lo, hi;
        if (touch.written) {
            lo = disj(step_back(off, cofactor(if_off, at + 1, false), rest),
                      step_back(on, cofactor(if_off, at + 1, true), rest));
            hi = disj(step_back(off, cofactor(if_on, at + 1, false), rest),
                      step_back(on, cofactor(if_on, at + 1, true), rest));
        } else {
            lo = step_back(off, if_off, rest);
            hi = step_back(on, if_on, rest);
        }
        result = make(at, lo, hi);
    }
    remember(backward, set, relation, link, result);
    return result;
}

// ---- Closure ----------------------------------------------------------------------

uint32_t BinaryDiagrams::arrange(const std::vector<uint32_t> &commands) {
    groups_.clear();
    closed_.clear();
    const auto top = [&](uint32_t number) {
        const uint32_t first = commands_[number].first;
        return first == 0 ? bottom - 1 : links_[first].touch.level;
    };
    std::vector<uint32_t> sorted = commands;
    std::stable_sort(sorted.begin(), sorted.end(), [&](uint32_t a, uint32_t b) { return top(a) < top(b); });
    for (const uint32_t number : sorted) {
        if (groups_.empty() || groups_.back().top != top(number))
            groups_.push_back({top(number), {}});
        groups_.back().commands.push_back(number);
    }
    return static_cast<uint32_t>(groups_.size());
}

Function BinaryDiagrams::closure(Function set, uint32_t group, uint64_t most_nodes, const std::function<void()> &tick) {
    struct Running {
        BinaryDiagrams &diagrams;
        ~Running() {
            diagrams.kept_.clear();
            diagrams.tick_ = nullptr;
        }
    } running{*this};
    most_nodes_ = most_nodes;
    tick_ = &tick;
    return saturate(set, group);
}

Function BinaryDiagrams::saturate(Function set, uint32_t group) {
    if (set == zero || group == groups_.size())
        return set;
    if (const auto known = closed_.find(closed_key(set, group)); known != closed_.end())
        return known->second;
    Function result;
    const size_t base = kept_.size();
    kept_.push_back(set); /* also the key of what is remembered: it must not become another function */
    if (level(set) < groups_[group].top) {
        const Function lo = saturate(low(set), group);
        kept_.push_back(lo);
        const Function hi = saturate(high(set), group);
        result = make(level(set), lo, hi);
    } else {
        result = saturate(set, group + 1);
        kept_.push_back(result);
        /* Sets are counted as they grow; numbers of functions may come again after a collection.
         * A command that was applied to this set makes nothing new of it. */
        std::vector<uint64_t> applied(groups_[group].commands.size(), 0);
        uint64_t grown = 1;
        const size_t commands = applied.size();
        for (size_t i = 0, idle = 0; idle < commands; i = (i + 1) % commands) {
            ++idle;
            if (applied[i] == grown)
                continue;
            safe_point();
            ++applications_;
            applied[i] = grown;
            const Function made = conj(after(result, groups_[group].commands[i]), result ^ 1);
            if (made == zero)
                continue;
            result = disj(result, saturate(made, group + 1));
            kept_[base + 1] = result;
            ++grown;
            idle = 0;
        }
    }
    kept_.resize(base);
    closed_.emplace(closed_key(set, group), result);
    return result;
}

// ---- Looking ----------------------------------------------------------------------

void BinaryDiagrams::mark(Function f, std::vector<bool> &seen) const {
    std::vector<uint32_t> left{f >> 1};
    while (!left.empty()) {
        const uint32_t next = left.back();
        left.pop_back();
        if (seen[next])
            continue;
        seen[next] = true;
        left.push_back(nodes_[next].lo >> 1);
        left.push_back(nodes_[next].hi >> 1);
    }
}

uint64_t BinaryDiagrams::size(Function f) const {
    std::vector<bool> seen(nodes_.size(), false);
    mark(f, seen);
    return static_cast<uint64_t>(std::count(seen.begin(), seen.end(), true));
}

bool BinaryDiagrams::larger(Function f, uint64_t nodes) const {
    std::unordered_set<uint32_t> seen;
    std::vector<uint32_t> left{f >> 1};
    while (!left.empty()) {
        const uint32_t next = left.back();
        left.pop_back();
        if (!seen.insert(next).second)
            continue;
        if (seen.size() > nodes)
            return true;
        left.push_back(nodes_[next].lo >> 1);
        left.push_back(nodes_[next].hi >> 1);
    }
    return false;
}

std::vector<uint32_t> BinaryDiagrams::support(Function f) const {
    std::vector<bool> seen(nodes_.size(), false), occurs(levels_, false);
    mark(f, seen);
    for (uint32_t i = 1; i < nodes_.size(); ++i)
        if (seen[i])
            occurs[nodes_[i].level] = true;
    std::vector<uint32_t> found;
    for (uint32_t i = 0; i < levels_; ++i)
        if (occurs[i])
            found.push_back(i);
    return found;
}

namespace {

/* Natural numbers of so many digits; lowest first. */
struct Numbers {
    size_t digits;
    std::vector<uint64_t> all;

    uint64_t *at(size_t i) { return all.data() + i * digits; }
    void add_shifted(uint64_t *sum, const uint64_t *term, uint32_t places) const {
        const size_t whole = places / 64, part = places % 64;
        unsigned carry = 0;
        for (size_t i = whole; i < digits; ++i) {
            uint64_t digit = term[i - whole] << part;
            if (part != 0 && i > whole)
                digit |= term[i - whole - 1] >> (64 - part);
            const uint64_t first = sum[i] + digit;
            const uint64_t second = first + carry;
            carry = static_cast<unsigned>(first < digit) + static_cast<unsigned>(second < first);
            sum[i] = second;
        }
    }
    /* 2^places - number */
    void complement(uint64_t *target, const uint64_t *number, uint32_t places) const {
        unsigned carry = 1;
        for (size_t i = 0; i < digits; ++i) {
            target[i] = ~number[i] + carry;
            carry = carry && target[i] == 0;
        }
        for (size_t i = places / 64; i < digits; ++i) {
            const uint64_t bit = i == places / 64 ? uint64_t{1} << places % 64 : 0;
            const uint64_t before = target[i];
            target[i] += bit;
            if (target[i] >= before)
                break; /* no carry */
            for (size_t j = i + 1; j < digits && ++target[j] == 0; ++j) {
            }
            break;
        }
    }
};

} // namespace

std::vector<uint64_t> BinaryDiagrams::count(Function f, const std::vector<uint32_t> &levels) const {
    const uint32_t total = static_cast<uint32_t>(levels.size());
    std::vector<uint32_t> place(levels_, 0);
    for (uint32_t i = 0; i < total; ++i)
        place[levels[i]] = i;
    const auto place_of = [&](Function g) { return level(g) == bottom ? total : place[level(g)]; };
    Numbers numbers{total / 64 + 2, {}};
    std::vector<bool> seen(nodes_.size(), false);
    mark(f, seen);
    std::vector<uint32_t> order;
    for (uint32_t i = 1; i < nodes_.size(); ++i)
        if (seen[i])
            order.push_back(i);
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return nodes_[a].level > nodes_[b].level; });
    std::vector<uint32_t> index(nodes_.size(), 0);
    numbers.all.assign((order.size() + 1) * numbers.digits, 0);
    numbers.at(0)[0] = 1; /* the constant: one solution over no levels */
    std::vector<uint64_t> other(numbers.digits);
    const auto solutions = [&](Function g) -> const uint64_t * {
        uint64_t *plain = numbers.at(index[g >> 1]);
        if ((g & 1) == 0)
            return plain;
        numbers.complement(other.data(), plain, total - place_of(g));
        return other.data();
    };
    for (size_t i = 0; i < order.size(); ++i) {
        const Node &node = nodes_[order[i]];
        index[order[i]] = static_cast<uint32_t>(i + 1);
        for (const Function child : {node.lo, node.hi})
            numbers.add_shifted(numbers.at(i + 1), solutions(child), place_of(child) - place[node.level] - 1);
    }
    std::vector<uint64_t> result(numbers.digits, 0);
    numbers.add_shifted(result.data(), solutions(f), place_of(f));
    return result;
}

std::vector<std::pair<uint32_t, bool>> BinaryDiagrams::solution(Function f) const {
    std::vector<std::pair<uint32_t, bool>> found;
    while (level(f) != bottom) {
        const bool value = low(f) == zero;
        found.emplace_back(level(f), value);
        f = value ? high(f) : low(f);
    }
    return found;
}

// ---- Memory -----------------------------------------------------------------------

void BinaryDiagrams::safe_point() {
    if (tick_ != nullptr)
        (*tick_)();
    if (used_ < collect_at_)
        return;
    collect();
    collect_at_ = std::max(first_collection_, used_ * 2);
    if (tick_ != nullptr && most_nodes_ != 0 && used_ > most_nodes_)
        throw TooLarge{};
}

void BinaryDiagrams::collect() {
    std::vector<bool> seen(nodes_.size(), false);
    seen[0] = true;
    for (uint32_t i = 1; i < nodes_.size(); ++i)
        if (held_[i] != 0 && !seen[i])
            mark(i << 1, seen);
    for (const Function f : kept_)
        if (!seen[f >> 1])
            mark(f, seen);
    free_ = 0;
    used_ = 1;
    for (uint32_t i = 1; i < nodes_.size(); ++i) {
        if (seen[i]) {
            ++used_;
        } else {
            nodes_[i] = {bottom, one, one, free_};
            free_ = i;
        }
    }
    rehash(buckets_.size());
    const auto gone = [&](Function f) { return !seen[f >> 1]; };
    for (Result &one_result : results_) {
        if (one_result.operation == none)
            continue;
        const uint32_t kind = one_result.operation;
        const bool second = kind != naming;
        const bool third = kind == choice || kind == conjunction_exists;
        if (gone(one_result.result) || gone(one_result.a) || (second && gone(one_result.b)) ||
            (third && gone(one_result.c)))
            one_result = {};
    }
    std::erase_if(closed_, [&](const auto &one) { return gone(static_cast<Function>(one.first)) || gone(one.second); });
}

uint64_t BinaryDiagrams::bytes() const {
    return nodes_.capacity() * sizeof(Node) + held_.capacity() * sizeof(uint32_t) +
           buckets_.capacity() * sizeof(uint32_t) + results_.capacity() * sizeof(Result) +
           closed_.size() * (2 * sizeof(void *) + sizeof(uint64_t) + sizeof(Function));
}

} // namespace kripke
