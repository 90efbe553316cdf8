#include "satisfiability/solver.h"

#include <algorithm>
#include <cassert>

namespace kripke {

namespace {

constexpr Literal negated(Literal literal) { return literal ^ 1U; }
constexpr uint32_t variable_of(Literal literal) { return literal >> 1U; }
constexpr uint32_t not_there = UINT32_MAX;

/* M. Luby, A. Sinclair, D. Zuckerman: 1, 1, 2, 1, 1, 2, 4, ... */
uint64_t luby(uint64_t number) {
    uint64_t size = 1, power = 0;
    while (size < number + 1) {
        size = 2 * size + 1;
        ++power;
    }
    while (size - 1 != number) {
        size = (size - 1) / 2;
        --power;
        number %= size;
    }
    return uint64_t{1} << power;
}

} // namespace

uint32_t Solver::fresh() {
    const uint32_t variable = variables();
    values_.resize(values_.size() + 2, 0);
    core_.resize(core_.size() + 2, 0);
    watches_.resize(watches_.size() + 2);
    phase_.push_back(0);
    seen_.push_back(0);
    guessed_.push_back(!only_some_);
    at_level_.push_back(0);
    reason_.push_back(nowhere);
    activity_.push_back(0.0);
    place_in_heap_.push_back(not_there);
    offer(variable);
    return variable;
}

void Solver::guess_only(const std::vector<Literal> &literals) {
    only_some_ = true;
    std::fill(guessed_.begin(), guessed_.end(), 0);
    for (const Literal literal : literals)
        guessed_[variable_of(literal)] = 1;
    std::erase_if(heap_, [&](uint32_t variable) { return guessed_[variable] == 0; });
    std::fill(place_in_heap_.begin(), place_in_heap_.end(), not_there);
    const std::vector<uint32_t> kept = std::move(heap_);
    heap_.clear();
    for (const uint32_t variable : kept)
        offer(variable);
}

/* --- clauses ---------------------------------------------------------------------------------- */

void Solver::write(const std::vector<Literal> &literals, bool ended) {
    for (const Literal literal : literals) {
        const auto number = static_cast<int32_t>(variable_of(literal)) + 1;
        transcript_->push_back((literal & 1U) != 0 ? -number : number);
    }
    if (ended)
        transcript_->push_back(0);
}

void Solver::require(std::vector<Literal> clause) {
    if (transcript_ != nullptr) {
        transcript_->push_back(1);
        write(clause);
    }
    Place place = nowhere;
    if (added(clause, 0, place) && place != nowhere)
        lasting_.push_back(place);
}

/* False where the clause is nothing new. A clause with two literals that are not false can be added
 * wherever the trail is; for others it goes back to the start. */
bool Solver::added(std::vector<Literal> &clause, uint32_t flags, Place &place) {
    std::sort(clause.begin(), clause.end());
    clause.erase(std::unique(clause.begin(), clause.end()), clause.end());
    for (size_t i = 0; i + 1 < clause.size(); ++i)
        if (clause[i + 1] == negated(clause[i]))
            return false;
    const auto open = [&](Literal one) { return values_[one] >= 0; };
    if (std::count_if(clause.begin(), clause.end(), open) < 2)
        go_back(0);
    if (level() == 0) {
        if (std::any_of(clause.begin(), clause.end(), [&](Literal one) { return values_[one] > 0; }))
            return false;
        std::erase_if(clause, [&](Literal one) { return values_[one] < 0; });
        if (clause.size() < 2) {
            if (clause.empty())
                contradiction_ = true;
            else
                assign(clause[0], nowhere);
            return true;
        }
    }
    std::partition(clause.begin(), clause.end(), open);
    place = stored(clause, flags);
    watch(place);
    return true;
}

Solver::Place Solver::stored(const std::vector<Literal> &clause, uint32_t flags) {
    const auto place = static_cast<Place>(memory_.size());
    memory_.push_back(static_cast<uint32_t>(clause.size()));
    memory_.push_back(flags);
    memory_.insert(memory_.end(), clause.begin(), clause.end());
    return place;
}

void Solver::watch(Place clause) {
    const Literal a = memory_[clause + head], b = memory_[clause + head + 1];
    watches_[negated(a)].push_back({clause, b});
    watches_[negated(b)].push_back({clause, a});
}

/* What belonged to the last question only. */
void Solver::forget_question() {
    if (own_clause_ == nowhere && from_own_.empty())
        return;
    for (uint32_t at = 0; at < level(); ++at)
        if (at < assumptions_.size() && variable_of(assumptions_[at]) == own_)
            go_back(at);
    if (values_[2 * own_] != 0 && at_level_[own_] > 0)
        go_back(0);
    if (own_clause_ != nowhere)
        from_own_.push_back(own_clause_);
    for (const Place place : from_own_) {
        memory_[place + 1] |= deleted;
        wasted_ += memory_[place] + head;
    }
    from_own_.clear();
    own_clause_ = nowhere;
}

void Solver::drop_learnt() {
    const auto worth = [&](Place place) { return memory_[place + 1] >> worth_shift; };
    std::stable_sort(learnt_.begin(), learnt_.end(), [&](Place a, Place b) { return worth(a) < worth(b); });
    std::vector<Place> kept;
    for (size_t i = 0; i < learnt_.size(); ++i) {
        const Place place = learnt_[i];
        const Literal front = memory_[place + head];
        const bool is_reason = values_[front] > 0 && reason_[variable_of(front)] == place;
        if (i < learnt_.size() / 2 || worth(place) <= 2 || is_reason) {
            kept.push_back(place);
        } else {
            memory_[place + 1] |= deleted;
            wasted_ += memory_[place] + head;
        }
    }
    learnt_ = std::move(kept);
    most_learnt_ = std::max(most_learnt_, learnt_.size() + 1000);
}

/* Only at level 0: there no reason is asked for. */
void Solver::compact() {
    std::vector<uint32_t> fresh_memory;
    fresh_memory.reserve(memory_.size() - wasted_);
    for (auto &watches : watches_)
        watches.clear();
    for (std::vector<Place> *places : {&lasting_, &learnt_}) {
        size_t kept = 0;
        for (const Place old : *places) {
            const uint32_t size = memory_[old];
            const auto first = memory_.begin() + old + head;
            if ((memory_[old + 1] & deleted) != 0 ||
                std::any_of(first, first + size, [&](Literal one) { return values_[one] > 0; }))
                continue;
            const auto place = static_cast<Place>(fresh_memory.size());
            fresh_memory.insert(fresh_memory.end(), memory_.begin() + old, memory_.begin() + old + head);
            uint32_t left = 0;
            for (auto literal = first; literal != first + size; ++literal)
                if (values_[*literal] == 0) {
                    fresh_memory.push_back(*literal);
                    ++left;
                }
            fresh_memory[place] = left;
            (*places)[kept++] = place;
        }
        places->resize(kept);
    }
    memory_ = std::move(fresh_memory);
    for (const std::vector<Place> *places : {&lasting_, &learnt_})
        for (const Place place : *places)
            watch(place);
    for (const Literal literal : trail_)
        reason_[variable_of(literal)] = nowhere;
    wasted_ = 0;
}

/* --- the trail -------------------------------------------------------------------------------- */

void Solver::decide(Literal literal) {
    levels_.push_back(static_cast<uint32_t>(trail_.size()));
    assign(literal, nowhere);
}

void Solver::assign(Literal literal, Place reason) {
    values_[literal] = 1;
    values_[negated(literal)] = -1;
    at_level_[variable_of(literal)] = level();
    reason_[variable_of(literal)] = reason;
    trail_.push_back(literal);
}

void Solver::go_back(uint32_t to) {
    if (level() <= to)
        return;
    const uint32_t begin = levels_[to];
    for (size_t i = trail_.size(); i-- > begin;) {
        const Literal literal = trail_[i];
        values_[literal] = values_[negated(literal)] = 0;
        phase_[variable_of(literal)] = (literal & 1U) == 0;
        offer(variable_of(literal));
    }
    trail_.resize(begin);
    levels_.resize(to);
    done_ = std::min<size_t>(done_, begin);
}

/* A clause that is false, if there is one. */
Solver::Place Solver::propagated() {
    while (done_ < trail_.size()) {
        const Literal now_true = trail_[done_++];
        const Literal now_false = negated(now_true);
        std::vector<Watch> &watches = watches_[now_true];
        size_t from = 0, to = 0;
        Place conflict = nowhere;
        while (from < watches.size()) {
            const Watch one = watches[from++];
            if (values_[one.other] > 0) {
                watches[to++] = one;
                continue;
            }
            uint32_t *const clause = &memory_[one.clause];
            if ((clause[1] & deleted) != 0)
                continue;
            Literal *const literals = clause + head;
            if (literals[0] == now_false)
                std::swap(literals[0], literals[1]);
            const Literal front = literals[0];
            if (values_[front] > 0) {
                watches[to++] = {one.clause, front};
                continue;
            }
            const uint32_t size = clause[0];
            uint32_t found = 2;
            while (found < size && values_[literals[found]] < 0)
                ++found;
            if (found < size) {
                std::swap(literals[1], literals[found]);
                watches_[negated(literals[1])].push_back({one.clause, front});
                continue;
            }
            watches[to++] = {one.clause, front};
            if (values_[front] < 0) {
                conflict = one.clause;
                break;
            }
            assign(front, one.clause);
        }
        while (from < watches.size())
            watches[to++] = watches[from++];
        watches.resize(to);
        if (conflict != nowhere) {
            done_ = trail_.size();
            return conflict;
        }
    }
    return nowhere;
}

/* --- learning --------------------------------------------------------------------------------- */

/* The clause that the conflict teaches, what it asserts in front; the level to go back to. */
uint32_t Solver::learn(Place conflict, std::vector<Literal> &clause) {
    clause.assign(1, 0);
    uint32_t open = 0;
    size_t at = trail_.size();
    Place reason = conflict;
    bool first = true;
    while (true) {
        const uint32_t size = memory_[reason];
        for (uint32_t i = first ? 0 : 1; i < size; ++i) {
            const Literal literal = memory_[reason + head + i];
            const uint32_t variable = variable_of(literal);
            if (seen_[variable] != 0 || at_level_[variable] == 0)
                continue;
            seen_[variable] = 1;
            to_clear_.push_back(literal);
            bump(variable);
            if (at_level_[variable] == level())
                ++open;
            else
                clause.push_back(literal);
        }
        first = false;
        while (seen_[variable_of(trail_[--at])] == 0) {
        }
        if (--open == 0)
            break;
        reason = reason_[variable_of(trail_[at])];
    }
    clause[0] = negated(trail_[at]);
    std::erase_if(clause, [&](Literal literal) { return literal != clause[0] && implied(literal); });
    for (const Literal literal : to_clear_)
        seen_[variable_of(literal)] = 0;
    to_clear_.clear();
    uint32_t back = 0;
    for (size_t i = 1; i < clause.size(); ++i)
        if (const uint32_t its = at_level_[variable_of(clause[i])]; its > back) {
            back = its;
            std::swap(clause[1], clause[i]);
        }
    return back;
}

/* Does it follow from others that the clause has? */
bool Solver::implied(Literal literal) const {
    const Place reason = reason_[variable_of(literal)];
    if (reason == nowhere)
        return false;
    for (uint32_t i = 1; i < memory_[reason]; ++i) {
        const uint32_t variable = variable_of(memory_[reason + head + i]);
        if (seen_[variable] == 0 && at_level_[variable] > 0)
            return false;
    }
    return true;
}

/* The assumptions from which it follows that an assumption is false. */
void Solver::blame(Literal literal) {
    core_[literal] = question_;
    const uint32_t own_variable = variable_of(literal);
    if (at_level_[own_variable] == 0)
        return;
    seen_[own_variable] = 1;
    for (size_t i = trail_.size(); i-- > levels_[0];) {
        const uint32_t variable = variable_of(trail_[i]);
        if (seen_[variable] == 0)
            continue;
        seen_[variable] = 0;
        const Place reason = reason_[variable];
        if (reason == nowhere) {
            core_[trail_[i]] = question_;
            continue;
        }
        for (uint32_t k = 1; k < memory_[reason]; ++k) {
            const uint32_t other = variable_of(memory_[reason + head + k]);
            if (at_level_[other] > 0)
                seen_[other] = 1;
        }
    }
    seen_[own_variable] = 0;
}

uint32_t Solver::distinct_levels(const std::vector<Literal> &clause) {
    ++stamps_;
    uint32_t count = 0;
    for (const Literal literal : clause) {
        const uint32_t its = at_level_[variable_of(literal)];
        if (stamp_.size() <= its)
            stamp_.resize(its + 1, 0);
        uint64_t &stamp = stamp_[its];
        count += stamp != stamps_;
        stamp = stamps_;
    }
    return count;
}

void Solver::learnt_clause(const std::vector<Literal> &clause) {
    if (clause.size() == 1) {
        assign(clause[0], nowhere);
        return;
    }
    const uint32_t worth = std::min<uint32_t>(distinct_levels(clause), 1000);
    const Place place = stored(clause, learnt | worth << worth_shift);
    watch(place);
    const bool is_own = own_clause_ != nowhere && std::find(clause.begin(), clause.end(), 2 * own_ + 1) != clause.end();
    (is_own ? from_own_ : learnt_).push_back(place);
    assign(clause[0], place);
}

/* --- searching -------------------------------------------------------------------------------- */

bool Solver::solve(const std::vector<Literal> &first, const std::vector<Literal> &then,
                   const std::vector<Literal> *clause) {
    const bool found = answered(first, then, clause);
    if (transcript_ != nullptr) {
        transcript_->push_back(2);
        write(first, false);
        write(then);
        write(clause != nullptr ? *clause : std::vector<Literal>());
        transcript_->push_back(found ? 1 : 0);
    }
    return found;
}

bool Solver::answered(const std::vector<Literal> &first, const std::vector<Literal> &then,
                      const std::vector<Literal> *clause) {
    ++question_;
    forget_question();
    if (wasted_ > 100'000 && wasted_ > memory_.size() / 2) {
        go_back(0);
        if (propagated() == nowhere)
            compact();
        else
            contradiction_ = true;
    }
    std::vector<Literal> all(first);
    if (clause != nullptr) {
        /* Where the variable was learnt to be false for good, another one takes its place. */
        if (own_ == UINT32_MAX || values_[2 * own_] != 0)
            own_ = fresh();
        all.push_back(2 * own_);
    }
    all.insert(all.end(), then.begin(), then.end());
    size_t same = 0;
    while (same < all.size() && same < assumptions_.size() && all[same] == assumptions_[same])
        ++same;
    go_back(static_cast<uint32_t>(same));
    assumptions_ = std::move(all);
    if (clause != nullptr) {
        std::vector<Literal> whole(*clause);
        whole.push_back(2 * own_ + 1);
        added(whole, 0, own_clause_);
    }
    return !contradiction_ && searched();
}

bool Solver::searched() {
    uint64_t restarts = 0, left = 100 * luby(0);
    std::vector<Literal> clause;
    while (true) {
        const Place conflict = propagated();
        if (conflict != nowhere) {
            ++conflicts_;
            if (level() == 0) {
                contradiction_ = true;
                return false;
            }
            const uint32_t back = learn(conflict, clause);
            go_back(back);
            learnt_clause(clause);
            step_ *= 1.0 / 0.95;
            left -= left > 0;
            continue;
        }
        if (left == 0) {
            left = 100 * luby(++restarts);
            go_back(static_cast<uint32_t>(assumptions_.size()));
        }
        if (learnt_.size() > most_learnt_)
            drop_learnt();
        Literal next = 0;
        bool chosen = false;
        while (level() < assumptions_.size() && !chosen) {
            const Literal wanted = assumptions_[level()];
            if (values_[wanted] > 0) {
                levels_.push_back(static_cast<uint32_t>(trail_.size()));
            } else if (values_[wanted] < 0) {
                core_[wanted] = question_;
                blame(negated(wanted));
                return false;
            } else {
                next = wanted;
                chosen = true;
            }
        }
        if (!chosen) {
            const uint32_t variable = next_variable();
            if (variable == not_there) {
                model_ = values_;
                return true;
            }
            next = 2 * variable + (phase_[variable] == 0);
        }
        decide(next);
    }
}

/* --- the order of decisions -------------------------------------------------------------------- */

void Solver::bump(uint32_t variable) {
    activity_[variable] += step_;
    if (activity_[variable] > 1e100) {
        for (double &one : activity_)
            one *= 1e-100;
        step_ *= 1e-100;
    }
    if (place_in_heap_[variable] != not_there)
        sift_up(place_in_heap_[variable]);
}

void Solver::offer(uint32_t variable) {
    if (place_in_heap_[variable] != not_there || guessed_[variable] == 0)
        return;
    place_in_heap_[variable] = static_cast<uint32_t>(heap_.size());
    heap_.push_back(variable);
    sift_up(place_in_heap_[variable]);
}

uint32_t Solver::next_variable() {
    while (!heap_.empty()) {
        const uint32_t best = heap_[0], last = heap_.back();
        heap_.pop_back();
        place_in_heap_[best] = not_there;
        if (best != last) {
            heap_[0] = last;
            place_in_heap_[last] = 0;
            sift_down(0);
        }
        if (values_[2 * best] == 0)
            return best;
    }
    return not_there;
}

void Solver::sift_up(uint32_t place) {
    const uint32_t variable = heap_[place];
    while (place > 0) {
        const uint32_t above = (place - 1) / 2;
        if (activity_[heap_[above]] >= activity_[variable])
            break;
        heap_[place] = heap_[above];
        place_in_heap_[heap_[place]] = place;
        place = above;
    }
    heap_[place] = variable;
    place_in_heap_[variable] = place;
}

void Solver::sift_down(uint32_t place) {
    const uint32_t variable = heap_[place];
    const auto size = static_cast<uint32_t>(heap_.size());
    while (2 * place + 1 < size) {
        uint32_t below = 2 * place + 1;
        if (below + 1 < size && activity_[heap_[below + 1]] > activity_[heap_[below]])
            ++below;
        if (activity_[heap_[below]] <= activity_[variable])
            break;
        heap_[place] = heap_[below];
        place_in_heap_[heap_[place]] = place;
        place = below;
    }
    heap_[place] = variable;
    place_in_heap_[variable] = place;
}

} // namespace kripke
