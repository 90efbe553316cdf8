#include "symbolic/diagram.h"

#include "memory/hash.h"

#include <algorithm>
#include <cassert>
#include <new>
#include <utility>

namespace kripke {

namespace {

constexpr uint32_t united = 1u << 24, intersected = 2u << 24, subtracted = 3u << 24; /* operations */
constexpr uint64_t first_buckets = 1 << 12;
constexpr uint64_t first_results = 1 << 12;
constexpr uint64_t most_results = 1 << 26;
constexpr uint64_t first_collection = 1 << 22;
/* So often may half of the results be driven out for lack of memory: by then the same is found again and again. */
constexpr uint32_t most_crowded = 2000;

} // namespace

uint64_t Diagram::hash(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    using namespace hashing;
    return fold((static_cast<uint64_t>(a) << 32 | b) ^ pi0, (static_cast<uint64_t>(c) << 32 | d) ^ pi1);
}

Diagram::Diagram(uint64_t memory) : budget_(memory), region_(budget_) {
    collect_at_ = std::min(first_collection, budget_.limit() / 3 / sizeof(Node));
    const uint64_t most = std::min<uint64_t>(budget_.limit() / sizeof(Node), UINT32_MAX - 1);
    if (!region_.reserve(most * sizeof(Node), 64 * sizeof(Node), 2) || !region_.ensure(3 * sizeof(Node)) ||
        !budget_.take(first_buckets * sizeof(Set) + first_results * sizeof(Result)))
        throw std::bad_alloc();
    for (const Set terminal : {nothing, unit, anything})
        nodes()[terminal] = {end, 0, nothing, nothing, nothing};
    allocated_ = used_ = peak_ = 3;
    buckets_.assign(first_buckets, nothing);
    results_.assign(first_results, Result{});
}

Set Diagram::make(uint32_t level, uint32_t tokens, Set lo, Set hi) {
    if (hi == nothing)
        return lo;
    assert(tokens > 0 && nodes()[hi].level > level);
    assert(nodes()[lo].level > level || (nodes()[lo].level == level && nodes()[lo].tokens > tokens));
    uint64_t place = hash(level, tokens, lo, hi) & (buckets_.size() - 1);
    for (Set set = buckets_[place]; set != nothing; set = nodes()[set].next) {
        const Node &known = nodes()[set];
        if (known.hi == hi && known.lo == lo && known.tokens == tokens && known.level == level)
            return set;
    }
    Set fresh = free_;
    if (fresh != nothing) {
        free_ = nodes()[fresh].next;
    } else {
        if (allocated_ >= UINT32_MAX - 1 || !region_.ensure((allocated_ + 1) * sizeof(Node)))
            throw Stopped{Reason::memory};
        fresh = static_cast<Set>(allocated_++);
    }
    nodes()[fresh] = {level, tokens, lo, hi, buckets_[place]};
    buckets_[place] = fresh;
    peak_ = std::max(peak_, ++used_);
    ++made_;
    if (used_ > buckets_.size())
        rehash();
    return fresh;
}

/* Twice as many buckets; where the budget has no more, lists get longer. */
void Diagram::rehash() {
    if (!budget_.take(buckets_.size() * sizeof(Set)))
        return;
    std::vector<Set> more(buckets_.size() * 2, nothing);
    for (Set head : buckets_)
        while (head != nothing) {
            Node &moved = nodes()[head];
            Set &bucket = more[hash(moved.level, moved.tokens, moved.lo, moved.hi) & (more.size() - 1)];
            const Set next = moved.next;
            moved.next = bucket;
            bucket = head;
            head = next;
        }
    buckets_.swap(more);
}

/* As long as there is room, for results that others drive out are found again at great expense. */
void Diagram::grow_results() {
    forgotten_ = 0;
    if (results_.size() * 2 * sizeof(Result) > budget_.limit() / 4 || !budget_.take(results_.size() * sizeof(Result))) {
        if (++crowded_ > most_crowded)
            throw Stopped{Reason::memory};
        return;
    }
    std::vector<Result> more(results_.size() * 2);
    for (const Result &known : results_)
        if (known.key.operation != 0) {
            const Key &key = known.key;
            more[hash(key.operation, key.a, key.b, key.c) & (more.size() - 1)] = known;
        }
    results_.swap(more);
}

bool Diagram::recall(const Key &key, Set &result) const {
    const Result &known = results_[hash(key.operation, key.a, key.b, key.c) & (results_.size() - 1)];
    if (!(known.key == key))
        return false;
    result = known.result;
    return true;
}

void Diagram::remember(const Key &key, Set result) {
    Result &place = results_[hash(key.operation, key.a, key.b, key.c) & (results_.size() - 1)];
    if (place.key.operation != 0 && ++forgotten_ > results_.size() / 2 && results_.size() < most_results) {
        grow_results();
        remember(key, result);
        return;
    }
    place = {key, result};
}

Set Diagram::make_from(uint32_t level, size_t base) {
    const size_t zeros = base < entries.size() && entries[base].tokens == 0 ? 1 : 0;
    Set made = zeros ? entries[base].set : nothing;
    for (size_t i = entries.size(); i-- > base + zeros;)
        made = make(level, entries[i].tokens, made, entries[i].set);
    entries.resize(base);
    return made;
}

void Diagram::expand(Set set, uint32_t level) {
    const size_t base = entries.size();
    entries.push_back({0, nothing, true});
    for (; nodes()[set].level == level; set = nodes()[set].lo)
        entries.push_back({nodes()[set].tokens, nodes()[set].hi, true});
    if (set != nothing)
        entries[base].set = set;
    else
        entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(base));
}

Set Diagram::rest(Set set, uint32_t level, uint32_t tokens) const {
    if (set == anything)
        return anything;
    while (nodes()[set].level == level) {
        if (tokens != 0 && nodes()[set].tokens >= tokens)
            return nodes()[set].tokens == tokens ? nodes()[set].hi : nothing;
        set = nodes()[set].lo;
    }
    return tokens == 0 ? set : nothing;
}

namespace {

/* Which of two nodes comes first in a diagram: below 0, 0 (the same number of the same level), above 0. */
int order(const Diagram::Node &a, const Diagram::Node &b) {
    if (a.level != b.level)
        return a.level < b.level ? -1 : 1;
    return a.tokens == b.tokens ? 0 : a.tokens < b.tokens ? -1 : 1;
}

} // namespace

Set Diagram::unite(Set a, Set b) {
    if (a == b || b == nothing)
        return a;
    if (a == nothing)
        return b;
    step();
    if (a > b)
        std::swap(a, b);
    const Key key{united, a, b, 0};
    Set result;
    if (recall(key, result))
        return result;
    const Node x = node(a), y = node(b);
    const int which = order(x, y);
    if (which < 0)
        result = make(x.level, x.tokens, unite(x.lo, b), x.hi);
    else if (which > 0)
        result = make(y.level, y.tokens, unite(a, y.lo), y.hi);
    else {
        const Set lo = unite(x.lo, y.lo);
        result = make(x.level, x.tokens, lo, unite(x.hi, y.hi));
    }
    remember(key, result);
    return result;
}

Set Diagram::intersect(Set a, Set b) {
    if (a == b || b == anything)
        return a;
    if (a == anything)
        return b;
    while (a != nothing && b != nothing) {
        const int which = order(node(a), node(b));
        if (which == 0)
            break;
        if (which < 0)
            a = node(a).lo;
        else
            b = node(b).lo;
    }
    if (a == nothing || b == nothing)
        return nothing;
    if (a == b)
        return a;
    step();
    if (a > b)
        std::swap(a, b);
    const Key key{intersected, a, b, 0};
    Set result;
    if (recall(key, result))
        return result;
    const Node x = node(a), y = node(b);
    const Set lo = intersect(x.lo, y.lo);
    result = make(x.level, x.tokens, lo, intersect(x.hi, y.hi));
    remember(key, result);
    return result;
}

Set Diagram::subtract(Set a, Set b) {
    if (a == b || a == nothing || b == anything)
        return nothing;
    while (b != nothing && order(node(b), node(a)) < 0)
        b = node(b).lo;
    if (b == nothing)
        return a;
    if (a == b)
        return nothing;
    step();
    const Key key{subtracted, a, b, 0};
    Set result;
    if (recall(key, result))
        return result;
    const Node x = node(a), y = node(b);
    if (order(x, y) < 0)
        result = make(x.level, x.tokens, subtract(x.lo, b), x.hi);
    else {
        const Set lo = subtract(x.lo, y.lo);
        result = make(x.level, x.tokens, lo, subtract(x.hi, y.hi));
    }
    remember(key, result);
    return result;
}

void Diagram::begin(const Control &control, const void *stack_floor) {
    control_ = &control;
    stack_floor_ = stack_floor;
    entries.clear();
    safe_point();
}

void Diagram::release(Set set) {
    const auto found = held_.find(set);
    assert(found != held_.end());
    if (--found->second == 0)
        held_.erase(found);
}

/* Mark what is needed, put the rest on the list of free nodes, forget all results. */
void Diagram::collect() {
    std::vector<bool> needed(allocated_, false);
    std::vector<Set> left;
    const auto mark = [&](Set set) {
        if (set > anything && !needed[set]) {
            needed[set] = true;
            left.push_back(set);
        }
    };
    for (const auto &[set, times] : held_)
        mark(set);
    for (const Entry &entry : entries)
        mark(entry.set);
    while (!left.empty()) {
        const Node &next = node(left.back());
        left.pop_back();
        mark(next.lo);
        mark(next.hi);
    }
    std::fill(buckets_.begin(), buckets_.end(), nothing);
    free_ = nothing;
    used_ = 3;
    for (uint64_t i = allocated_; i-- > 3;) {
        Node &freed = nodes()[i];
        if (needed[i]) {
            Set &bucket = buckets_[hash(freed.level, freed.tokens, freed.lo, freed.hi) & (buckets_.size() - 1)];
            freed.next = bucket;
            bucket = static_cast<Set>(i);
            ++used_;
        } else {
            freed.next = free_;
            free_ = static_cast<Set>(i);
        }
    }
    std::fill(results_.begin(), results_.end(), Result{});
    /* Twice what is needed, or what the memory has room for. */
    const uint64_t room = budget_.limit() / 2 / sizeof(Node);
    collect_at_ = std::max({collect_at_, used_ + used_ / 4, std::min(2 * used_, room)});
}

uint64_t Diagram::nodes_of(Set set) const {
    uint64_t count = 0;
    each_node(set, [&](const Node &) { ++count; });
    return count;
}

} // namespace kripke
