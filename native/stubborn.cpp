#include "stubborn.h"

#include <algorithm>
#include <limits>

namespace kripke {

namespace {

/* The bits that are set. Written out: without a promise about the processor, the builtin
 * is a call. */
uint64_t count(uint64_t word) {
    if (word == 0)
        return 0;
    word -= word >> 1 & 0x5555555555555555u;
    word = (word & 0x3333333333333333u) + (word >> 2 & 0x3333333333333333u);
    word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return word * 0x0101010101010101u >> 56;
}

void set_bit(std::vector<uint64_t> &set, uint32_t bit) { set[bit / 64] |= uint64_t{1} << (bit % 64); }

/* In place of the lacking conditions of a transition that was tried and did not fire:
 * which ones is not known. */
constexpr uint32_t some_condition = ~uint32_t{1};

} // namespace

void StubbornSets::begin(const DependencyTables &tables, std::span<const kripke_lack> here,
                         const std::vector<uint8_t> &moved) {
    tables_ = &tables;
    here_.assign(here.begin(), here.end());
    for (kripke_lack &item : here_)
        if (item.lacking == KRIPKE_UNCLEAR && moved[item.actor] == 0)
            item.lacking = some_condition;
    recall();
}

/* Look for what is known of the present state. */
void StubbornSets::recall() {
    if (here_.size() > most_alike) {
        now_ = &alone_;
    } else {
        likeness_.resize(here_.size());
        uint64_t hash = reinterpret_cast<uintptr_t>(tables_);
        for (size_t i = 0; i < here_.size(); ++i) {
            likeness_[i] = uint64_t{here_[i].transition} << 32 | here_[i].lacking;
            hash = (hash ^ likeness_[i]) * 0x9e3779b97f4a7c15u;
            hash ^= hash >> 32;
        }
        if (known_.empty())
            known_.resize(kept);
        now_ = &known_[hash % kept];
        if (now_->tables == tables_ && now_->likeness == likeness_)
            return;
        now_->likeness = likeness_;
    }
    now_->tables = tables_;
    now_->sets.clear();
    now_->complete = false;
}

std::span<const uint32_t> StubbornSets::choose(uint32_t number) {
    if (!now_->complete && number >= now_->sets.size())
        find_sets(number == 0);
    if (number >= std::min<size_t>(now_->sets.size(), most_sets))
        return {};
    return now_->sets[number];
}

/* Fill in what is known of states like this one. */
void StubbornSets::find_sets(bool first_only) {
    classify();
    collect(first_only);
    now_->sets.clear();
    now_->complete = complete_;
    for (const Found &found : found_) {
        std::vector<uint32_t> &actors = now_->sets.emplace_back();
        for (const kripke_lack &item : here_)
            if (found.enabled[item.transition / 64] >> (item.transition % 64) & 1)
                if (actors.empty() || actors.back() != item.actor)
                    actors.push_back(item.actor);
        if (!complete_)
            return;
    }
}

/* Find the sets around every seed; only as many as it takes to know the first if that
 * is asked for. Sets that ask for nothing of other processes come first: what they take
 * would have to be taken some time anyway. */
void StubbornSets::collect(bool first_only) {
    const DependencyTables &tables = *tables_;
    const std::vector<kripke_lack> &here = here_;
    found_.clear();
    complete_ = true;
    hopeless_.assign(tables.words, 0);
    /* Seeds in the order of successors: the youngest process first, its edges in turn. */
    for (size_t end = here.size(); end > 0;) {
        size_t begin = end - 1;
        while (begin > 0 && here[begin - 1].actor == here[end - 1].actor)
            --begin;
        for (size_t i = begin; i < end; ++i) {
            const uint32_t seed = here[i].transition;
            if (status_[seed] != enabled)
                continue;
            if (!close(seed)) {
                set_bit(hopeless_, seed);
                continue;
            }
            uint64_t size = 0, seen = 0, whole = 0;
            for (uint32_t word = 0; word < tables.words; ++word) {
                whole += count(stubborn_[word]);
                stubborn_[word] &= enabled_[word];
                size += count(stubborn_[word]);
                seen |= stubborn_[word] & tables.visible[word];
            }
            if (seen != 0)
                continue;
            const bool local = whole <= end - begin;
            const auto same = [&](const Found &other) { return other.enabled == stubborn_; };
            if (std::none_of(found_.begin(), found_.end(), same))
                found_.push_back({local ? 0 : size, stubborn_});
            if (first_only && local) {
                complete_ = false;
                begin = 0; /* there is none better */
                break;
            }
        }
        end = begin;
    }
    std::stable_sort(found_.begin(), found_.end(), [](const Found &a, const Found &b) { return a.size < b.size; });
}

/* A transition whose conditions are not known in full (a rendezvous: is somebody
 * there?) is decided by whether its process moved, where that decides it. */
void StubbornSets::classify() {
    const DependencyTables &tables = *tables_;
    const std::vector<kripke_lack> &here = here_;
    status_.assign(tables.transitions, elsewhere);
    lacking_.assign(tables.transitions, 0);
    enabled_.assign(tables.words, 0);
    for (size_t begin = 0; begin < here.size();) {
        size_t end = begin, open = 0;
        for (; end < here.size() && here[end].actor == here[begin].actor; ++end)
            open += here[end].lacking == 0 || here[end].lacking == KRIPKE_UNCLEAR;
        for (size_t i = begin; i < end; ++i) {
            const kripke_lack &item = here[i];
            const bool is_unclear = item.lacking == KRIPKE_UNCLEAR;
            const bool can = is_unclear || item.lacking == 0;
            const Status status = !can ? disabled : is_unclear && open > 1 ? unclear : enabled;
            status_[item.transition] = status;
            lacking_[item.transition] = is_unclear ? some_condition : item.lacking;
            if (can)
                set_bit(enabled_, item.transition);
        }
        begin = end;
    }
}

/* False if it takes all that is enabled, or a transition around which that was so. */
bool StubbornSets::close(uint32_t seed) {
    const DependencyTables &tables = *tables_;
    stubborn_.assign(tables.words, 0);
    waiting_.assign(tables.words, 0);
    set_bit(waiting_, seed);
    for (;;) {
        uint32_t word = 0;
        while (word < tables.words && waiting_[word] == 0)
            ++word;
        if (word == tables.words)
            return true;
        const uint64_t bit = waiting_[word] & (~waiting_[word] + 1);
        const uint32_t transition = word * 64 + static_cast<uint32_t>(__builtin_ctzll(bit));
        stubborn_[word] |= bit;
        waiting_[word] &= ~bit;
        need(transition);
        bool all = true;
        uint64_t hopeless = 0;
        for (uint32_t i = 0; i < tables.words; ++i) {
            all &= (enabled_[i] & ~(stubborn_[i] | waiting_[i])) == 0;
            hopeless |= hopeless_[i] & waiting_[i];
        }
        if (all || hopeless != 0)
            return false;
    }
}

/* Add what a member of the set asks for. */
void StubbornSets::need(uint32_t transition) {
    const DependencyTables &tables = *tables_;
    const uint8_t status = status_[transition];
    if (status == enabled || status == unclear)
        add(tables.conflicts_of(transition));
    if (status == enabled)
        return;
    const uint32_t lacking = status == elsewhere ? 1 : lacking_[transition];
    const uint64_t *best = nullptr;
    uint64_t least = std::numeric_limits<uint64_t>::max();
    const uint32_t known = lacking & ((tables.conditions_of(transition) >= 32 ? 0 : 1u << tables.conditions_of(transition)) - 1);
    if (known != 0 && (known & (known - 1)) == 0) /* no choice */
        return add(tables.enabling_of(transition, static_cast<uint32_t>(__builtin_ctz(known))));
    for (uint32_t condition = 0; condition < tables.conditions_of(transition); ++condition) {
        if ((lacking >> condition & 1) == 0)
            continue;
        const uint64_t *set = tables.enabling_of(transition, condition);
        const uint64_t price = cost(set);
        if (best == nullptr || price < least) {
            best = set;
            least = price;
        }
    }
    if (best != nullptr)
        return add(best);
    /* Nothing is known of why it is disabled: everything may enable it. */
    for (uint32_t word = 0; word < tables.words; ++word)
        waiting_[word] |= enabled_[word] & ~stubborn_[word];
}

void StubbornSets::add(const uint64_t *set) {
    for (size_t word = 0; word < waiting_.size(); ++word)
        waiting_[word] |= set[word] & ~stubborn_[word];
}

/* Enabled transitions first, then any. */
uint64_t StubbornSets::cost(const uint64_t *set) const {
    uint64_t able = 0, all = 0;
    for (size_t word = 0; word < waiting_.size(); ++word) {
        const uint64_t fresh = set[word] & ~(stubborn_[word] | waiting_[word]);
        all += count(fresh);
        able += count(fresh & enabled_[word]);
    }
    return able << 32 | all;
}

} // namespace kripke
