#include "reduction/stubborn.h"

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
bool has_bit(const uint64_t *set, uint32_t bit) { return (set[bit / 64] >> (bit % 64) & 1) != 0; }

/* In place of the lacking conditions of a transition that was tried and did not fire:
 * which ones is not known. */
constexpr uint32_t some_condition = ~uint32_t{1};

/* In place of lacking conditions: what is told here is another row of the transition before. */
constexpr uint32_t second_row = ~uint32_t{2};

} // namespace

std::span<const uint32_t> DependencyTables::led_to(uint32_t transition) {
    if (led_to_first_.empty()) {
        led_to_first_.assign(transitions + size_t{1}, 0);
        const auto each = [this](auto visit) {
            for (uint32_t other = 0; other < transitions; ++other)
                for (uint32_t word = 0; word < words && conditions_of(other) > 0; ++word)
                    for (uint64_t rest = enabling_of(other, 0)[word]; rest != 0; rest &= rest - 1)
                        visit(word * 64 + static_cast<uint32_t>(__builtin_ctzll(rest)), other);
        };
        each([this](uint32_t from, uint32_t) { ++led_to_first_[from + 1]; });
        for (uint32_t i = 0; i < transitions; ++i)
            led_to_first_[i + 1] += led_to_first_[i];
        led_to_.resize(led_to_first_[transitions]);
        std::vector<uint32_t> next(led_to_first_.begin(), led_to_first_.end() - 1);
        each([&](uint32_t from, uint32_t other) { led_to_[next[from]++] = other; });
    }
    return {led_to_.data() + led_to_first_[transition], led_to_.data() + led_to_first_[transition + 1]};
}

void StubbornSets::begin(DependencyTables &tables, std::span<const AtHand> here, std::span<const kripke_lack> distant,
                         const std::vector<uint8_t> &moved) {
    tables_ = &tables;
    here_.assign(here.begin(), here.end());
    distant_.assign(distant.begin(), distant.end());
    for (AtHand &item : here_)
        if (item.lacking == KRIPKE_UNCLEAR && moved[item.actor] == 0)
            item.lacking = locations_ ? some_condition : 1;
    recall();
}

/* Look for what is known of the present state. */
void StubbornSets::recall() {
    if (here_.size() + distant_.size() > most_alike) {
        now_ = &alone_;
    } else {
        likeness_.clear();
        for (const AtHand &one : here_) {
            likeness_.push_back(uint64_t{one.row} << 32 | one.lacking);
            if (one.waiting != one.row)
                likeness_.push_back(uint64_t{one.waiting} << 32 | second_row);
        }
        for (const kripke_lack &one : distant_)
            likeness_.push_back(uint64_t{one.transition} << 32 | one.lacking);
        uint64_t hash = reinterpret_cast<uintptr_t>(tables_);
        for (const uint64_t one : likeness_) {
            hash = (hash ^ one) * 0x9e3779b97f4a7c15u;
            hash ^= hash >> 32;
        }
        if (known_.empty())
            known_.resize(least_kept);
        now_ = &known_[hash % known_.size()];
        if (now_->hash == hash && now_->tables == tables_ && now_->likeness == likeness_)
            return;
        if (now_->tables != nullptr && ++replaced_ > known_.size() / 4 && known_.size() < most_kept)
            now_ = &keep_more(hash);
        now_->hash = hash;
        now_->likeness = likeness_;
    }
    now_->tables = tables_;
    now_->sets.clear();
    now_->complete = false;
    now_->alone.clear();
    now_->alone_complete = false;
}

/* Where too much of what is known had to make room: twice the places. The one for what has this hash. */
StubbornSets::Known &StubbornSets::keep_more(uint64_t hash) {
    std::vector<Known> more(2 * known_.size());
    for (Known &one : known_)
        if (one.tables != nullptr)
            more[one.hash % more.size()] = std::move(one);
    known_.swap(more);
    replaced_ = 0;
    return known_[hash % known_.size()];
}

std::span<const uint32_t> StubbornSets::choose(uint32_t number) {
    if (!now_->complete && number >= now_->sets.size())
        find_sets(number == 0);
    if (number >= std::min<size_t>(now_->sets.size(), most_sets))
        return {};
    return now_->sets[number];
}

/* Fill in what is known of states like this one; only the first set if that is asked for, and
 * it is easily found. */
void StubbornSets::find_sets(bool first_only) {
    classify();
    found_.clear();
    now_->complete = !collect_alone(first_only) && !collect_others(first_only);
    now_->sets = actors_of_found();
}

std::span<const uint32_t> StubbornSets::choose_alone(uint32_t number) {
    if (!now_->alone_complete) {
        classify();
        found_.clear();
        collect_alone(false);
        now_->alone = actors_of_found();
        now_->alone_complete = true;
    }
    if (number >= std::min<size_t>(now_->alone.size(), most_sets))
        return {};
    return now_->alone[number];
}

/* Whose steps the sets take that were found. */
std::vector<std::vector<uint32_t>> StubbornSets::actors_of_found() const {
    std::vector<std::vector<uint32_t>> sets;
    for (const Found &found : found_) {
        std::vector<uint32_t> &actors = sets.emplace_back();
        for (const AtHand &item : here_)
            if (has_bit(found.enabled.data(), item.transition))
                if (actors.empty() || actors.back() != item.actor)
                    actors.push_back(item.actor);
    }
    return sets;
}

/* A transition whose conditions are not known in full (a rendezvous: is somebody
 * there?) is decided by whether its process moved, where that decides it. */
void StubbornSets::classify() {
    const DependencyTables &tables = *tables_;
    status_.assign(tables.transitions, elsewhere);
    lacking_.assign(tables.transitions, 1);
    row_.resize(tables.transitions);
    for (uint32_t transition = 0; transition < tables.transitions; ++transition)
        row_[transition] = transition;
    waiting_row_ = row_;
    choice_.assign(tables.transitions, nullptr);
    enabled_.assign(tables.words, 0);
    blocked_.clear();
    for (const kripke_lack &item : distant_) {
        lacking_[item.transition] = item.lacking;
        blocked_.push_back(item.transition);
    }
    for (size_t begin = 0; begin < here_.size();) {
        size_t end = begin, open = 0;
        for (; end < here_.size() && here_[end].actor == here_[begin].actor; ++end)
            open += here_[end].lacking == 0 || here_[end].lacking == KRIPKE_UNCLEAR;
        for (size_t i = begin; i < end; ++i) {
            const AtHand &item = here_[i];
            const bool is_unclear = item.lacking == KRIPKE_UNCLEAR;
            const bool can = is_unclear || item.lacking == 0;
            const Status status = !can ? disabled : is_unclear && open > 1 ? unclear : enabled;
            status_[item.transition] = status;
            lacking_[item.transition] = is_unclear ? some_condition : item.lacking;
            row_[item.transition] = item.row;
            waiting_row_[item.transition] = status == enabled ? item.waiting : item.row;
            if (status == disabled || status == unclear)
                blocked_.push_back(item.transition);
            if (can)
                set_bit(enabled_, item.transition);
        }
        begin = end;
    }
    /* Seeds in the order of successors: the youngest process first, its edges in turn. */
    movers_.clear();
    for (size_t end = here_.size(); end > 0;) {
        size_t begin = end - 1;
        while (begin > 0 && here_[begin - 1].actor == here_[end - 1].actor)
            --begin;
        for (size_t i = begin; i < end; ++i)
            if (has_bit(enabled_.data(), here_[i].transition))
                movers_.push_back(here_[i].transition);
        end = begin;
    }
}

/* Sets that ask for nothing of other processes come first: what they take would have to be
 * taken some time anyway. True if the first is enough for now, and is there. */
bool StubbornSets::collect_alone(bool first_only) {
    Set here(tables_->words);
    size_t at = here_.size();
    while (at > 0) {
        const size_t end = at;
        std::fill(here.begin(), here.end(), 0);
        for (const uint32_t actor = here_[end - 1].actor; at > 0 && here_[at - 1].actor == actor; --at)
            set_bit(here, here_[at - 1].transition);
        for (size_t i = at; i < end; ++i) {
            if (status_[here_[i].transition] != enabled || !alone(here_[i].transition, here) || is_visible())
                continue;
            keep(0);
            if (first_only && !found_.empty())
                return true;
        }
    }
    return false;
}

/* True if a set of one transition, than which there is none smaller, is enough for now, and is there. */
bool StubbornSets::collect_others(bool first_only) {
    const size_t alone = found_.size();
    const bool thoroughly = locations_ && tables_->transitions <= most_transitions && movers_.size() <= most_seeds;
    hopeless_.assign(tables_->words, 0);
    for (const uint32_t seed : movers_) {
        if (status_[seed] != enabled || !(thoroughly ? least(seed) : small(seed)) || is_visible())
            continue;
        uint64_t size = 0;
        for (uint32_t word = 0; word < tables_->words; ++word)
            size += count(stubborn_[word]);
        keep(size);
        if (first_only && size == 1 && !found_.empty()) {
            found_ = {found_.back()};
            return true;
        }
    }
    std::stable_sort(found_.begin() + static_cast<std::ptrdiff_t>(alone), found_.end(),
                     [](const Found &a, const Found &b) { return a.size < b.size; });
    return false;
}

/* Add the set found, of which just the enabled transitions are left. One that takes all of them is none. */
void StubbornSets::keep(uint64_t size) {
    const auto same = [&](const Found &other) { return other.enabled == stubborn_; };
    if (stubborn_ != enabled_ && std::none_of(found_.begin(), found_.end(), same))
        found_.push_back({size, stubborn_});
}

bool StubbornSets::is_visible() const {
    for (uint32_t word = 0; word < tables_->words; ++word)
        if ((stubborn_[word] & tables_->visible[word]) != 0)
            return true;
    return false;
}

/* ---- A set grows: its members ask for others, which wait. ---- */

void StubbornSets::begin_set(uint32_t seed) {
    stubborn_.assign(tables_->words, 0);
    waiting_.assign(tables_->words, 0);
    set_bit(waiting_, seed);
}

inline bool StubbornSets::take_waiting(uint32_t &transition) {
    for (uint32_t word = 0; word < tables_->words; ++word) {
        if (waiting_[word] == 0)
            continue;
        const uint64_t bit = waiting_[word] & (~waiting_[word] + 1);
        transition = word * 64 + static_cast<uint32_t>(__builtin_ctzll(bit));
        stubborn_[word] |= bit;
        waiting_[word] &= ~bit;
        return true;
    }
    return false;
}

/* Does the set have all that is enabled, or a transition around which that was so? */
inline bool StubbornSets::takes_all() const {
    uint64_t missing = 0, hopeless = 0;
    for (uint32_t word = 0; word < tables_->words; ++word) {
        missing |= enabled_[word] & ~(stubborn_[word] | waiting_[word]);
        hopeless |= hopeless_[word] & waiting_[word];
    }
    return missing == 0 || hopeless != 0;
}

/* Is there a stubborn set of transitions `here` only, at any time? */
bool StubbornSets::alone(uint32_t seed, const Set &here) {
    const uint32_t words = tables_->words;
    const auto inside = [&](const uint64_t *set) {
        for (uint32_t word = 0; word < words; ++word)
            if ((set[word] & ~here[word]) != 0)
                return false;
        return true;
    };
    begin_set(seed);
    for (uint32_t transition = 0; take_waiting(transition);) {
        const uint8_t status = status_[transition];
        if (status == unclear) {
            const uint64_t *conflicts = tables_->conflicts_of(row_[transition]);
            if (!inside(conflicts))
                return false;
            add(conflicts);
        }
        const uint64_t *best = nullptr;
        uint64_t least = std::numeric_limits<uint64_t>::max();
        each_choice(transition, [&](const uint64_t *set) {
            uint64_t size = 0;
            for (uint32_t i = 0; i < words; ++i)
                size += count(set[i]);
            if (inside(set) && size < least) {
                best = set;
                least = size;
            }
            return status == enabled; /* what may disturb it from here on is no better to begin with */
        });
        if (best == nullptr)
            return false;
        add(best);
    }
    for (uint32_t word = 0; word < words; ++word)
        stubborn_[word] &= enabled_[word];
    return true;
}

/* The sets of which one is enough, until one is found: of an enabled transition, what conflicts with it; of another,
 * what may enable it. */
template <typename Visit> void StubbornSets::each_choice(uint32_t transition, Visit visit) const {
    if (status_[transition] == enabled) {
        if (!visit(tables_->conflicts_of(row_[transition])) && has_two_rows(transition))
            visit(tables_->conflicts_of(waiting_row_[transition]));
        return;
    }
    const uint32_t row = row_[transition], conditions = tables_->conditions_of(row);
    for (uint32_t rest = lacking_[transition]; rest != 0; rest &= rest - 1) {
        const auto condition = static_cast<uint32_t>(__builtin_ctz(rest));
        if (condition >= conditions || visit(tables_->enabling_of(row, condition)))
            return;
    }
}

/* ---- The deletion algorithm: transitions are left out one by one, each with all that cannot stay without it. ---- */

/* False if there is none with the seed and nothing visible but all that are enabled. */
bool StubbornSets::least(uint32_t seed) {
    const uint32_t words = tables_->words;
    if (must_take_all(seed))
        return false;
    gone_.assign(words, 0);
    for (const bool visible : {true, false})
        for (uint32_t word = words; word-- > 0;) {
            uint64_t rest = enabled_[word] & (visible ? tables_->visible[word] : ~tables_->visible[word]);
            while (rest != 0) {
                const auto highest = static_cast<uint32_t>(63 - __builtin_clzll(rest));
                rest &= ~(uint64_t{1} << highest);
                const uint32_t transition = word * 64 + highest;
                if (has_bit(gone_.data(), transition))
                    continue;
                const bool possible = !has_bit(stubborn_.data(), transition) && drop(transition, seed);
                if (!possible && visible)
                    return false;
            }
        }
    stubborn_.resize(words);
    for (uint32_t word = 0; word < words; ++word)
        stubborn_[word] = enabled_[word] & ~gone_[word];
    return stubborn_ != enabled_;
}

/* Fills `stubborn_` with what every stubborn set with the seed has: what can be left out is not among that. */
bool StubbornSets::must_take_all(uint32_t seed) {
    begin_set(seed);
    for (uint32_t transition = 0; take_waiting(transition);) {
        if (status_[transition] == unclear)
            add(tables_->conflicts_of(row_[transition]));
        const uint64_t *common = common_of(transition);
        if (common == nullptr) /* nothing is known of why it is disabled: everything may enable it */
            return true;
        add(common);
        if (takes_all()) {
            set_bit(hopeless_, seed);
            return true;
        }
    }
    return false;
}

/* What all choices of a transition have; null where there are none. */
const uint64_t *StubbornSets::common_of(uint32_t transition) {
    const uint32_t words = tables_->words;
    const uint64_t *common = nullptr;
    each_choice(transition, [&](const uint64_t *set) {
        if (common == nullptr) {
            common = set;
            return false;
        }
        if (common != before_.data())
            before_.assign(common, common + words);
        for (uint32_t i = 0; i < words; ++i)
            before_[i] &= set[i];
        common = before_.data();
        return false;
    });
    return common;
}

/* False, and nothing is done, if the seed could not stay. */
bool StubbornSets::drop(uint32_t transition, uint32_t seed) {
    before_ = gone_;
    set_bit(gone_, transition);
    fresh_.assign(1, transition);
    bool possible = true;
    const auto leave_out = [&](uint32_t other) {
        possible = possible && other != seed;
        set_bit(gone_, other);
        fresh_.push_back(other);
    };
    while (possible && !fresh_.empty()) {
        const uint32_t last = fresh_.back();
        fresh_.pop_back();
        for (const uint32_t other : movers_)
            if (!has_bit(gone_.data(), other) &&
                (has_two_rows(other) ? !stays(other, last) : has_bit(tables_->conflicts_of(row_[other]), last)))
                leave_out(other);
        for (const uint32_t other : tables_->led_to(last)) /* to be there is all they lack, the others are blocked */
            if (status_[other] == elsewhere && lacking_[other] == 1 && !has_bit(gone_.data(), other))
                leave_out(other);
        for (const uint32_t other : blocked_)
            if (!has_bit(gone_.data(), other) && !stays(other, last))
                leave_out(other);
    }
    if (!possible)
        gone_ = before_;
    return possible;
}

/* Is a set of which one is enough still whole, now that this one is left out, too? One that was whole is
 * remembered, and is when less is left out. */
bool StubbornSets::stays(uint32_t transition, uint32_t last) {
    const uint64_t *&choice = choice_[transition];
    if (choice != nullptr && !has_bit(choice, last))
        return true;
    choice = nullptr;
    each_choice(transition, [&](const uint64_t *set) {
        uint64_t lost = 0;
        for (uint32_t word = 0; word < tables_->words; ++word)
            lost |= set[word] & gone_[word];
        if (lost == 0)
            choice = set;
        return choice != nullptr;
    });
    return choice != nullptr;
}

/* ---- Greedily: a set grows by what its members ask for. ---- */

/* False if it takes all that is enabled, or a transition around which that was so. */
bool StubbornSets::small(uint32_t seed) {
    begin_set(seed);
    for (uint32_t transition = 0; take_waiting(transition);) {
        need(transition);
        if (takes_all()) {
            set_bit(hopeless_, seed);
            return false;
        }
    }
    for (uint32_t word = 0; word < tables_->words; ++word)
        stubborn_[word] &= enabled_[word];
    return true;
}

/* Add what a member of the set asks for. */
void StubbornSets::need(uint32_t transition) {
    if (status_[transition] == unclear)
        add(tables_->conflicts_of(row_[transition]));
    const uint64_t *best = nullptr;
    uint64_t least = std::numeric_limits<uint64_t>::max();
    each_choice(transition, [&](const uint64_t *set) {
        const uint64_t price = cost(set);
        if (best == nullptr || price < least) {
            best = set;
            least = price;
        }
        return false;
    });
    if (best != nullptr)
        return add(best);
    /* Nothing is known of why it is disabled: everything may enable it. */
    add(enabled_.data());
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
