#include "reduction/pairs.h"

#include <algorithm>
#include <set>

namespace kripke {

/* ---- Sets. ---- */

bool SparseSet::has(uint32_t number) const {
    const auto place = std::lower_bound(blocks_.begin(), blocks_.end(), number / 64);
    return place != blocks_.end() && *place == number / 64 &&
           (words_[static_cast<size_t>(place - blocks_.begin())] >> (number % 64) & 1) != 0;
}

bool SparseSet::add(uint32_t number) {
    const auto place = std::lower_bound(blocks_.begin(), blocks_.end(), number / 64);
    const auto at = place - blocks_.begin();
    if (place == blocks_.end() || *place != number / 64) {
        blocks_.insert(place, number / 64);
        words_.insert(words_.begin() + at, 0);
    }
    uint64_t &word = words_[static_cast<size_t>(at)];
    const uint64_t bit = uint64_t{1} << (number % 64);
    if ((word & bit) != 0)
        return false;
    word |= bit;
    return true;
}

bool SparseSet::share(const SparseSet &one, const SparseSet &other) {
    for (size_t i = 0, j = 0; i < one.blocks_.size() && j < other.blocks_.size();) {
        if (one.blocks_[i] == other.blocks_[j]) {
            if ((one.words_[i] & other.words_[j]) != 0)
                return true;
            ++i, ++j;
        } else if (one.blocks_[i] < other.blocks_[j]) {
            ++i;
        } else {
            ++j;
        }
    }
    return false;
}

/* ---- The fix point. ---- */

Pairs::Pairs(std::unique_ptr<Views> views, const std::vector<std::vector<uint32_t>> &roots,
             std::vector<Counted> counted, const std::vector<std::vector<uint32_t>> &alone, Limits limits,
             std::function<void()> tick)
    : views_(std::move(views)), limits_(limits), tick_(std::move(tick)) {
    const auto is_tally = [](const Counted &one) { return one.is_tally; };
    /* Tallies assume what others have added. Those that are none are left out; where more came up than was assumed,
     * that is assumed, too, and all is found again. */
    bool done = false;
    for (uint32_t round = 0; round < limits.tally_rounds && !done; ++round) {
        if (std::none_of(counted.begin(), counted.end(), is_tally))
            break;
        try {
            find(roots, counted, alone);
            done = true;
            for (size_t number = 0; number < counted.size(); ++number) {
                if (!counted[number].is_tally)
                    continue;
                const auto up = constraints_->come_up(number);
                for (size_t pid = 0; pid < up.size(); ++pid) {
                    if (up[pid].size() > limits.tally_shares)
                        throw CountingConstraints::NoTally{number};
                    for (const int64_t share : up[pid])
                        if (counted[number].possible[pid].insert(share).second)
                            done = false;
                }
            }
        } catch (const CountingConstraints::NoTally &none) {
            counted.erase(counted.begin() + static_cast<std::ptrdiff_t>(none.number));
            done = false;
        }
    }
    if (!done) {
        std::erase_if(counted, is_tally);
        find(roots, counted, alone);
    }
    index_moves();
    views_->close();
}

void Pairs::find(const std::vector<std::vector<uint32_t>> &roots, std::vector<Counted> counted,
                 const std::vector<std::vector<uint32_t>> &alone) {
    const uint32_t actors = views_->actors();
    constraints_ = std::make_unique<CountingConstraints>(*views_, std::move(counted), alone);
    rows_.assign(actors, {});
    acts_.assign(actors, {});
    meeting_acts_.assign(actors, {});
    views_met_.assign(actors, {});
    waiting_.clear();
    count_ = looks_ = 0;
    for (const std::vector<uint32_t> &seen : roots) {
        for (uint32_t pid = 0; pid < seen.size(); ++pid)
            constraints_->begin(pid, seen[pid]);
        if (seen.size() == 1)
            go_alone(seen[0]);
        for (uint32_t one = 0; one < seen.size(); ++one)
            for (uint32_t other = one + 1; other < seen.size(); ++other)
                add(one, seen[one], other, seen[other]);
    }
    while (!waiting_.empty()) {
        const Waiting pair = waiting_.back();
        waiting_.pop_back();
        go_on(pair);
    }
}

/* The views of the first actor where there is no other. */
void Pairs::go_alone(uint32_t view) {
    std::vector<uint32_t> waiting{view};
    std::set<uint32_t> seen;
    while (!waiting.empty()) {
        const uint32_t here = waiting.back();
        waiting.pop_back();
        if (!seen.insert(here).second)
            continue;
        row(0, here);
        for (const ViewMove &move : views_->moves(0, here))
            if (move.target != no_view) {
                follow(0, here, move.target);
                waiting.push_back(move.target);
            }
    }
}

void Pairs::follow(uint32_t pid, uint32_t view, uint32_t target) {
    if (!constraints_->is_empty())
        constraints_->follow(pid, view, target);
}

std::vector<SparseSet> &Pairs::row(uint32_t pid, uint32_t view) {
    if (rows_[pid].size() <= view) {
        rows_[pid].resize(std::max<size_t>(view + size_t{1}, 2 * rows_[pid].size()));
        acts_[pid].resize(rows_[pid].size());
        meeting_acts_[pid].resize(rows_[pid].size());
    }
    std::vector<SparseSet> &row = rows_[pid][view];
    if (row.empty()) {
        row.resize(views_->actors());
        views_met_[pid].push_back(view);
        std::vector<uint32_t> &acts = acts_[pid][view];
        for (const ViewMove &move : views_->moves(pid, view))
            if (move.effect != 0 && std::find(acts.begin(), acts.end(), move.effect) == acts.end())
                acts.push_back(move.effect);
        constraints_->note(pid, view);
    }
    return rows_[pid][view];
}

void Pairs::add(uint32_t one, uint32_t view, uint32_t other, uint32_t beside) {
    row(one, view);
    row(other, beside);
    if (rows_[one][view][other].has(beside) || !constraints_->may_be(one, view, other, beside))
        return;
    rows_[one][view][other].add(beside);
    rows_[other][beside][one].add(view);
    waiting_.push_back({one, view, other, beside});
    if (++count_ > limits_.pairs)
        throw TooManyViews();
}

/* What follows a pair, and what follows it and others that are known. */
void Pairs::go_on(const Waiting &pair) {
    const auto [one, view, other, beside] = pair;
    const auto step = [this](uint32_t pid, uint32_t actor, uint32_t second, uint32_t witness) {
        for (const ViewMove &move : views_->moves(pid, actor))
            if (move.target != no_view) {
                follow(pid, actor, move.target);
                add(pid, move.target, second, views_->changed(second, witness, move.effect));
            }
    };
    step(one, view, other, beside);
    step(other, beside, one, view);
    meet(one, view, other, beside);
    CountingConstraints::Couple couple = constraints_->couple(one, view, other, beside);
    for (uint32_t third = 0; third < views_->actors(); ++third) {
        if (third == one || third == other)
            continue;
        common_.clear();
        SparseSet::each_common(rows_[one][view][third], rows_[other][beside][third], [&](uint32_t its) {
            if (couple.may_be_with(third, its))
                common_.push_back(its);
        });
        if (common_.empty())
            continue;
        look(common_.size());
        ++mark_;
        for (const uint32_t its : common_)
            for (const uint32_t effect : acts_[third][its]) {
                if (marks_.size() <= effect)
                    marks_.resize(views_->effects());
                if (std::exchange(marks_[effect], mark_) == mark_)
                    continue;
                look(1);
                if (views_->sees(one, effect) || views_->sees(other, effect))
                    add(one, views_->changed(one, view, effect), other, views_->changed(other, beside, effect));
            }
        for (size_t i = 0; i < acts_[one][view].size(); ++i)
            change_many(acts_[one][view][i], other, beside, third);
        for (size_t i = 0; i < acts_[other][beside].size(); ++i)
            change_many(acts_[other][beside][i], one, view, third);
        meet_beside(one, view, other, beside, third);
    }
}

void Pairs::meet(uint32_t one, uint32_t view, uint32_t other, uint32_t beside) {
    each_meeting(one, view, other, beside, [&](uint32_t mine, uint32_t theirs, uint32_t) {
        can_meet_ = true;
        add(one, mine, other, theirs);
    });
    const auto note = [this](uint32_t pid, uint32_t actor, uint32_t second, uint32_t witness) {
        for (const ViewMeeting &met : views_->meetings(pid, actor, second, witness)) {
            const std::pair<uint32_t, uint32_t> act(met.effect, second);
            MeetingActs &known = meeting_acts_[pid][actor];
            if (met.effect != 0 && std::find(known.begin(), known.end(), act) == known.end()) {
                known.push_back(act);
                change_all(met.effect, pid, actor, second);
            }
        }
    };
    note(one, view, other, beside);
    note(other, beside, one, view);
}

/* Two have met, which changes all pairs of others that go with one of them. */
void Pairs::change_all(uint32_t effect, uint32_t pid, uint32_t view, uint32_t partner) {
    std::vector<Waiting> found;
    for (uint32_t one = 0; one < views_->actors(); ++one)
        for (uint32_t other = one + 1; other < views_->actors(); ++other) {
            if (one == pid || one == partner || other == pid || other == partner)
                continue;
            rows_[pid][view][one].each([&](uint32_t mine) {
                SparseSet::each_common(rows_[pid][view][other], rows_[one][mine][other],
                                       [&](uint32_t theirs) { found.push_back({one, mine, other, theirs}); });
            });
        }
    look(found.size());
    for (const Waiting &pair : found)
        add(pair.one, views_->changed(pair.one, pair.view, effect), pair.other,
            views_->changed(pair.other, pair.beside, effect));
}

/* Two look on when a third meets a fourth. */
void Pairs::change_by_meetings(uint32_t pid, uint32_t actor, uint32_t one, uint32_t view, uint32_t other,
                               uint32_t beside) {
    for (size_t i = 0; i < meeting_acts_[pid][actor].size(); ++i) {
        const auto [effect, partner] = meeting_acts_[pid][actor][i];
        if (partner != one && partner != other)
            add(one, views_->changed(one, view, effect), other, views_->changed(other, beside, effect));
    }
}

/* Meetings among three of which one looks on, and of one of the three with somebody else. */
void Pairs::meet_beside(uint32_t one, uint32_t view, uint32_t other, uint32_t beside, uint32_t third) {
    if (!can_meet_)
        return;
    const auto look_on = [this](uint32_t first, uint32_t its, uint32_t second, uint32_t theirs, uint32_t pid,
                                uint32_t onlooker) {
        each_meeting(first, its, second, theirs, [&](uint32_t then, uint32_t besides, uint32_t effect) {
            const uint32_t after = views_->changed(pid, onlooker, effect);
            add(first, then, pid, after);
            add(second, besides, pid, after);
        });
    };
    for (const uint32_t its : common_) {
        look_on(one, view, other, beside, third, its);
        look_on(one, view, third, its, other, beside);
        look_on(other, beside, third, its, one, view);
        change_by_meetings(third, its, one, view, other, beside);
        change_by_meetings(one, view, other, beside, third, its);
        change_by_meetings(other, beside, one, view, third, its);
    }
}

/* A step of another changes one that goes together with all of `common_`. */
void Pairs::change_many(uint32_t effect, uint32_t one, uint32_t view, uint32_t other) {
    const bool sees = views_->sees(other, effect);
    const uint32_t after = views_->changed(one, view, effect);
    if (!sees && after == view)
        return;
    look(common_.size());
    for (const uint32_t its : common_)
        add(one, after, other, sees ? views_->changed(other, its, effect) : its);
}

void Pairs::look(uint64_t count) {
    const uint64_t before = looks_;
    looks_ += count;
    if (looks_ > limits_.looks)
        throw TooManyViews();
    if (looks_ >> 16 != before >> 16)
        tick_();
}

/* ---- Two steps. ---- */

void Pairs::index_moves() {
    enabled_.resize(actors());
    touches_.resize(actors());
    for (uint32_t pid = 0; pid < actors(); ++pid) {
        std::sort(views_met_[pid].begin(), views_met_[pid].end());
        touches_[pid].assign(rows_[pid].size() * actors(), 0);
        for (const uint32_t view : views_met_[pid])
            for (const ViewMove &move : views_->moves(pid, view)) {
                enabled_[pid][move.transition].add(view);
                for (uint32_t other = 0; other < actors(); ++other)
                    touches_[pid][view * actors() + other] |= views_->sees(other, move.effect);
            }
    }
}

bool Pairs::exclude(uint32_t pid, uint32_t transition, uint32_t other) const {
    const auto mine = enabled_[pid].find(transition), theirs = enabled_[pid].find(other);
    return mine == enabled_[pid].end() || theirs == enabled_[pid].end() ||
           !SparseSet::share(mine->second, theirs->second);
}

bool Pairs::accord(uint32_t one, uint32_t transition, uint32_t other, uint32_t other_transition) const {
    const auto mine = enabled_[one].find(transition), theirs = enabled_[other].find(other_transition);
    if (mine == enabled_[one].end() || theirs == enabled_[other].end())
        return true;
    bool found = true;
    mine->second.each([&](uint32_t view) {
        if (!found)
            return;
        const ViewMove *step = views_->only(one, view, transition);
        SparseSet::each_common(rows_[one][view][other], theirs->second, [&](uint32_t beside) {
            if (!found)
                return;
            const ViewMove *second = views_->only(other, beside, other_transition);
            found = step != nullptr && second != nullptr && accord(one, view, *step, other, beside, *second);
        });
    });
    return found;
}

/* After `first`, does the second step, of another, go on as it would have? Where the two then are. */
bool Pairs::follows(uint32_t actor, const ViewMove &first, uint32_t other, uint32_t view, const ViewMove &second,
                    std::pair<uint32_t, uint32_t> &end) const {
    const uint32_t between = views_->known_after(other, view, first.effect);
    const ViewMove *then = !has(other, between) ? nullptr : views_->only(other, between, second.transition);
    if (then == nullptr || then->result != second.result || (then->target == no_view) != (second.target == no_view))
        return false;
    end = {no_view, then->target};
    if (then->target == no_view)
        return true;
    end.first = views_->known_after(actor, first.target, then->effect);
    return end.first != no_view;
}

bool Pairs::accord(uint32_t one, uint32_t view, const ViewMove &mine, uint32_t other, uint32_t beside,
                   const ViewMove &theirs) const {
    std::pair<uint32_t, uint32_t> end, other_end;
    if (mine.target != no_view && !follows(one, mine, other, beside, theirs, end))
        return false;
    if (theirs.target != no_view && !follows(other, theirs, one, view, mine, other_end))
        return false;
    if (mine.target == no_view || theirs.target == no_view) /* it goes wrong, and nothing follows */
        return true;
    return end.first == other_end.second && end.second == other_end.first;
}

} // namespace kripke
