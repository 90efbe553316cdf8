#include "reduction/disturbances.h"

#include <algorithm>
#include <iterator>

namespace kripke {

namespace {

constexpr uint64_t pair_of(uint32_t view, uint32_t beside) { return uint64_t{view} << 32 | beside; }

bool has(const std::vector<uint32_t> &set, uint32_t number) {
    return std::binary_search(set.begin(), set.end(), number);
}

void join(std::vector<uint32_t> &to, const std::vector<uint32_t> &from) {
    if (std::includes(to.begin(), to.end(), from.begin(), from.end()))
        return;
    std::vector<uint32_t> both;
    std::set_union(to.begin(), to.end(), from.begin(), from.end(), std::back_inserter(both));
    to.swap(both);
}

} // namespace

Disturbances::Disturbances(std::shared_ptr<SharedPairs> pairs)
    : shared_(std::move(pairs)), pairs_(*shared_->pairs), views_(pairs_.views()),
      steps_left_(most_steps) {
    number_of({});
}

bool Disturbances::look(const uint8_t *state, uint32_t length) {
    now_at_.clear();
    for (uint32_t pid = 0; pid < views_.actors(); ++pid) {
        if (views_.actor(pid).start >= length) /* it is gone, and those behind it */
            break;
        const uint32_t view = views_.find(pid, state);
        if (view == no_view || !pairs_.has(pid, view) || !views_.is_settled(pid, view))
            return false;
        for (uint32_t other = 0; other < pid; ++other)
            if (!pairs_.go_together(pid, view, other, now_at_[other]))
                return false;
        now_at_.push_back(view);
    }
    return true;
}

/* ---- What disturbs in one pair. ---- */

bool Disturbances::same_transitions(uint32_t pid, uint32_t view, uint32_t other_view) {
    const auto covers = [&](uint32_t one, uint32_t other) {
        const auto moves = views_.moves(pid, one);
        for (const ViewMove &move : views_.moves(pid, other))
            if (std::none_of(moves.begin(), moves.end(),
                             [&](const ViewMove &m) { return m.transition == move.transition; }))
                return false;
        return true;
    };
    return view == other_view || (covers(view, other_view) && covers(other_view, view));
}

bool Disturbances::disturbs(uint32_t one, uint32_t view, uint32_t other, uint32_t beside, const ViewMove &step) {
    if (views_.only(other, beside, step.transition) == nullptr)
        return true;
    for (const ViewMove &mine : views_.moves(one, view))
        if (views_.only(one, view, mine.transition) == nullptr)
            return true;
    if (step.target != no_view) {
        const uint32_t then = views_.known_after(one, view, step.effect);
        if (!pairs_.has(one, then) || !same_transitions(one, view, then))
            return true;
    }
    for (const ViewMove &mine : views_.moves(one, view))
        if (!pairs_.accord(one, view, mine, other, beside, step))
            return true;
    return false;
}

uint32_t Disturbances::disturbing_now(uint32_t one, uint32_t view, uint32_t other, uint32_t beside) {
    if (!pairs_.touches(one, view, other) && !pairs_.touches(other, beside, one))
        return nothing;
    const uint64_t pair = key_of(one, view, other, beside);
    if (const uint32_t known = now_.find(pair); known != FlatMap::nothing)
        return known;
    Set set;
    for (const ViewMove &step : views_.moves(other, beside))
        if (disturbs(one, view, other, beside, step))
            set.push_back(step.transition);
    std::sort(set.begin(), set.end());
    set.erase(std::unique(set.begin(), set.end()), set.end());
    const uint32_t number = number_of(set);
    now_.set(pair, number);
    return number;
}

/* ---- What may come. ---- */

uint32_t Disturbances::number_of(const Set &set) {
    const auto [place, is_new] = set_numbers_.emplace(set, static_cast<uint32_t>(sets_.size()));
    if (is_new)
        sets_.push_back(set);
    return place->second;
}

/* What a third one may do that goes with a view of the one and does not disturb it. */
const Disturbances::Acting &Disturbances::acting(uint32_t one, uint32_t view, uint32_t third) {
    const uint64_t where = key_of(one, view, third, 0);
    if (const uint32_t known = acting_numbers_.find(where); known != FlatMap::nothing)
        return acting_[known];
    std::map<uint32_t, SparseSet> found;
    pairs_.beside(one, view, third).each([&](uint32_t beside) {
        const auto moves = views_.moves(third, beside);
        if (moves.empty() || !views_.is_settled(third, beside))
            return;
        const uint32_t disturbing = disturbing_now(one, view, third, beside);
        for (const ViewMove &move : moves)
            if (move.target != no_view && move.effect != 0 && !has(sets_[disturbing], move.transition))
                found[move.effect].add(beside);
    });
    acting_numbers_.set(where, static_cast<uint32_t>(acting_.size()));
    return acting_.emplace_back(found.begin(), found.end());
}

std::vector<uint64_t> Disturbances::following(uint32_t one, uint32_t view, uint32_t other, uint32_t beside,
                                              bool &is_disturbed) {
    std::vector<uint64_t> found;
    const auto add = [&](uint32_t then, uint32_t besides) {
        if (then != no_view && besides != no_view && (then != view || besides != beside) &&
            pairs_.go_together(one, then, other, besides))
            found.push_back(pair_of(then, besides));
    };
    const uint32_t disturbing = disturbing_now(one, view, other, beside);
    for (const ViewMove &move : views_.moves(other, beside))
        if (move.target != no_view && !has(sets_[disturbing], move.transition))
            add(views_.known_after(one, view, move.effect), move.target);
    for (uint32_t third = 0; third < views_.actors(); ++third) {
        if (third == one || third == other)
            continue;
        for (const auto &[effect, having] : acting(one, view, third))
            if ((views_.sees(one, effect) || views_.sees(other, effect)) &&
                SparseSet::share(having, pairs_.beside(other, beside, third)))
                add(views_.known_after(one, view, effect), views_.known_after(other, beside, effect));
        if (!pairs_.can_meet())
            continue;
        const auto together = [&](uint32_t effect, uint32_t besides) {
            const uint32_t then = views_.known_after(one, view, effect);
            if (then == no_view || besides == no_view || !pairs_.go_together(one, then, other, besides))
                return;
            is_disturbed = is_disturbed || !same_transitions(one, view, then);
            add(then, besides);
        };
        SparseSet::each_common(pairs_.beside(one, view, third), pairs_.beside(other, beside, third), [&](uint32_t its) {
            pairs_.each_meeting(other, beside, third, its,
                                [&](uint32_t theirs, uint32_t, uint32_t effect) { together(effect, theirs); });
            for (const auto &[effect, partner] : pairs_.meeting_acts(third, its))
                if (partner != one && partner != other)
                    together(effect, views_.known_after(other, beside, effect));
        });
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

uint32_t Disturbances::between(uint32_t one, uint32_t other, const volatile uint32_t *stop) {
    const uint32_t known = found_.find(key_of(one, now_at_[one], other, now_at_[other]));
    if (known != FlatMap::nothing || steps_left_ == 0)
        return known;
    const std::lock_guard lock(shared_->mutex);
    return find(one, now_at_[one], other, now_at_[other], stop);
}

void Disturbances::enter(uint32_t one, uint32_t view, uint32_t other, uint32_t beside) {
    const auto number = static_cast<uint32_t>(path_.size() + component_.size());
    index_.set(pair_of(view, beside), number);
    bool is_disturbed = false;
    std::vector<uint64_t> pairs = following(one, view, other, beside, is_disturbed);
    path_.push_back({view, beside, number, sets_[disturbing_now(one, view, other, beside)], std::move(pairs), 0});
    if (is_disturbed)
        path_.back().found.push_back(anything);
}

/* All that is found from a pair on is found from every pair that leads there. */
uint32_t Disturbances::find(uint32_t one, uint32_t view, uint32_t other, uint32_t beside,
                            const volatile uint32_t *stop) {
    index_ = {};
    component_.clear();
    path_.clear();
    enter(one, view, other, beside);
    uint32_t last = FlatMap::nothing;
    while (!path_.empty()) {
        Node &node = path_.back();
        if (node.next < node.following.size()) {
            const uint64_t pair = node.following[node.next++];
            const auto then = static_cast<uint32_t>(pair >> 32), besides = static_cast<uint32_t>(pair);
            const uint32_t open = index_.find(pair);
            if (open < done) {
                node.low = std::min(node.low, open);
                continue;
            }
            const uint32_t known = found_.find(key_of(one, then, other, besides));
            if (known != FlatMap::nothing) {
                join(node.found, sets_[known]);
                continue;
            }
            if (--steps_left_ == 0 || __atomic_load_n(stop, __ATOMIC_RELAXED) != 0)
                return FlatMap::nothing;
            enter(one, then, other, besides);
            continue;
        }
        const Node finished = std::move(path_.back());
        path_.pop_back();
        const uint64_t here = pair_of(finished.view, finished.beside);
        const uint32_t own = index_.find(here);
        component_.push_back(here);
        if (!path_.empty()) {
            join(path_.back().found, finished.found);
            path_.back().low = std::min(path_.back().low, finished.low);
        }
        if (finished.low != own)
            continue;
        /* A component is complete: all its pairs were entered after this one, and all lead to one another. */
        last = number_of(finished.found);
        while (!component_.empty() && index_.find(component_.back()) >= own) {
            const uint64_t pair = component_.back();
            found_.set(key_of(one, static_cast<uint32_t>(pair >> 32), other, static_cast<uint32_t>(pair)), last);
            index_.set(pair, done);
            component_.pop_back();
        }
    }
    return last;
}

} // namespace kripke
