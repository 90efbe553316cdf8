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

} // namespace

void StubbornSets::begin(const DependencyTables &tables, const std::vector<kripke_lack> &here,
                         const std::vector<uint8_t> &moved) {
    tables_ = &tables;
    here_ = &here;
    moved_ = &moved;
    found_.clear();
    complete_ = false;
    classify();
}

bool StubbornSets::choose(uint32_t number, std::vector<uint8_t> &chosen) {
    if (!complete_ && number >= found_.size())
        collect(number == 0);
    if (number >= std::min<size_t>(found_.size(), most_sets))
        return false;
    const std::vector<uint64_t> &set = found_[number].enabled;
    std::fill(chosen.begin(), chosen.end(), uint8_t{0});
    for (const kripke_lack &item : *here_)
        if (set[item.transition / 64] >> (item.transition % 64) & 1)
            chosen[item.actor] = 1;
    return true;
}

/* Find the sets around every seed; only as many as it takes to know the first if that
 * is asked for. Sets that ask for nothing of other processes come first: what they take
 * would have to be taken some time anyway. */
void StubbornSets::collect(bool first_only) {
    const DependencyTables &tables = *tables_;
    const std::vector<kripke_lack> &here = *here_;
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
    const std::vector<kripke_lack> &here = *here_;
    const std::vector<uint8_t> &moved = *moved_;
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
            const bool can = is_unclear ? moved[item.actor] != 0 : item.lacking == 0;
            const Status status = !can ? disabled : is_unclear && open > 1 ? unclear : enabled;
            status_[item.transition] = status;
            lacking_[item.transition] = is_unclear ? ~uint32_t{1} : item.lacking;
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
