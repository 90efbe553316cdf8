#include "disturbances.h"

#include <algorithm>

namespace kripke {

namespace {

bool has_bit(const uint64_t *set, uint32_t bit) { return (set[bit / 64] >> (bit % 64) & 1) != 0; }

bool share(const uint64_t *one, const uint64_t *other, size_t words) {
    for (size_t word = 0; word < words; ++word)
        if ((one[word] & other[word]) != 0)
            return true;
    return false;
}

template <typename Visit> void each_bit(const uint64_t *set, size_t words, Visit visit) {
    for (size_t word = 0; word < words; ++word)
        for (uint64_t rest = set[word]; rest != 0; rest &= rest - 1)
            visit(static_cast<uint32_t>(word * 64) + static_cast<uint32_t>(__builtin_ctzll(rest)));
}

constexpr uint64_t pair_of(uint32_t view, uint32_t beside) { return uint64_t{view} << 32 | beside; }

/* In `changed_`: not looked for yet. */
constexpr uint32_t unknown = no_view - 1;

} // namespace

size_t Disturbances::SetHash::operator()(const Set &set) const {
    uint64_t hash = set.size();
    for (const uint64_t word : set) {
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32;
    }
    return hash;
}

Disturbances::Disturbances(std::shared_ptr<const ViewTables> tables) : tables_(std::move(tables)) {
    const size_t effects = tables_->effects.size();
    for (const Actor &actor : tables_->actors) {
        auto &numbers = numbers_.emplace_back();
        for (uint32_t view = 0; view < actor.views(); ++view)
            numbers.emplace(actor.texts[view], view);
        auto &places = places_.emplace_back();
        for (uint32_t i = 0; i < actor.seen.size(); ++i)
            places.emplace(actor.seen[i], actor.size + i);
        auto &sees = sees_.emplace_back(effects, uint8_t{0});
        for (size_t effect = 0; effect < effects; ++effect)
            for (const auto &[at, value] : tables_->effects[effect])
                if (places.contains(at))
                    sees[effect] = 1;
        changed_.emplace_back(effects);
    }
}

/* ---- States and views. ---- */

bool Disturbances::look(const uint8_t *state, uint32_t length) {
    views_.clear();
    for (uint32_t pid = 0; pid < tables_->actors.size(); ++pid) {
        const Actor &actor = tables_->actors[pid];
        if (actor.start >= length) /* it is gone, and those behind it */
            break;
        text_.assign(reinterpret_cast<const char *>(state) + actor.start, actor.size);
        for (const uint32_t at : actor.seen)
            text_.push_back(static_cast<char>(state[at]));
        const auto known = numbers_[pid].find(text_);
        if (known == numbers_[pid].end() || actor.is_known[known->second] == 0)
            return false;
        for (uint32_t other = 0; other < pid; ++other)
            if (!go_together(pid, known->second, other, views_[other]))
                return false;
        views_.push_back(known->second);
    }
    return true;
}

bool Disturbances::go_together(uint32_t one, uint32_t view, uint32_t other, uint32_t beside) const {
    const size_t words = tables_->actors[other].words();
    return has_bit(tables_->actors[one].together[other].data() + view * words, beside);
}

/* The view after a step of another; `no_view` where it is none that the actor ever has. */
uint32_t Disturbances::after(uint32_t pid, uint32_t view, uint32_t effect) {
    if (sees_[pid][effect] == 0)
        return view;
    const Actor &actor = tables_->actors[pid];
    std::vector<uint32_t> &known = changed_[pid][effect];
    if (known.empty())
        known.assign(actor.views(), unknown);
    if (known[view] == unknown) {
        text_ = actor.texts[view];
        for (const auto &[at, value] : tables_->effects[effect]) {
            const auto place = places_[pid].find(at);
            if (place != places_[pid].end())
                text_[place->second] = static_cast<char>(value);
        }
        const auto found = numbers_[pid].find(text_);
        known[view] = found == numbers_[pid].end() ? no_view : found->second;
    }
    return known[view];
}

/* ---- Two steps. ---- */

/* The move by a transition, if there is just one. */
const ViewMove *Disturbances::only(uint32_t pid, uint32_t view, uint32_t transition) const {
    const Actor &actor = tables_->actors[pid];
    const ViewMove *found = nullptr;
    for (uint32_t i = actor.first[view]; i < actor.first[view + 1]; ++i)
        if (actor.moves[i].transition == transition) {
            if (found != nullptr)
                return nullptr;
            found = &actor.moves[i];
        }
    return found;
}

bool Disturbances::same_transitions(uint32_t pid, uint32_t view, uint32_t other_view) const {
    const Actor &actor = tables_->actors[pid];
    const auto covers = [&](uint32_t one, uint32_t other) {
        for (uint32_t i = actor.first[other]; i < actor.first[other + 1]; ++i) {
            const auto begin = actor.moves.begin() + actor.first[one], end = actor.moves.begin() + actor.first[one + 1];
            if (std::none_of(begin, end, [&](const ViewMove &m) { return m.transition == actor.moves[i].transition; }))
                return false;
        }
        return true;
    };
    return view == other_view || (covers(view, other_view) && covers(other_view, view));
}

bool Disturbances::follows(uint32_t actor, const ViewMove &first, uint32_t other, uint32_t view,
                           const ViewMove &second, std::pair<uint32_t, uint32_t> &end) {
    const uint32_t between = after(other, view, first.effect);
    const ViewMove *then = between == no_view ? nullptr : only(other, between, second.transition);
    if (then == nullptr || then->result != second.result || (then->target == no_view) != (second.target == no_view))
        return false;
    end = {no_view, then->target};
    if (then->target == no_view)
        return true;
    end.first = after(actor, first.target, then->effect);
    return end.first != no_view;
}

/* Both are enabled: does each leave the other enabled, with the same errors, and is the end the same? */
bool Disturbances::accord(uint32_t one, uint32_t view, const ViewMove &mine, uint32_t other, uint32_t beside,
                          const ViewMove &theirs) {
    std::pair<uint32_t, uint32_t> end, other_end;
    if (mine.target != no_view && !follows(one, mine, other, beside, theirs, end))
        return false;
    if (theirs.target != no_view && !follows(other, theirs, one, view, mine, other_end))
        return false;
    if (mine.target == no_view || theirs.target == no_view) /* it goes wrong, and nothing follows */
        return true;
    return end.first == other_end.second && end.second == other_end.first;
}

bool Disturbances::disturbs(uint32_t one, uint32_t view, uint32_t other, uint32_t beside, const ViewMove &step) {
    const Actor &actor = tables_->actors[one];
    if (only(other, beside, step.transition) == nullptr)
        return true;
    for (uint32_t i = actor.first[view]; i < actor.first[view + 1]; ++i)
        if (only(one, view, actor.moves[i].transition) == nullptr)
            return true;
    if (step.target != no_view) {
        const uint32_t then = after(one, view, step.effect);
        if (then == no_view || !same_transitions(one, view, then))
            return true;
    }
    for (uint32_t i = actor.first[view]; i < actor.first[view + 1]; ++i)
        if (!accord(one, view, actor.moves[i], other, beside, step))
            return true;
    return false;
}

uint32_t Disturbances::disturbing_now(uint32_t one, uint32_t view, uint32_t other, uint32_t beside) {
    const uint64_t pair = key(one, view, other, beside);
    const auto known = now_.find(pair);
    if (known != now_.end())
        return known->second;
    const Actor &actor = tables_->actors[other];
    Set set((actor.transitions + 63) / 64);
    for (uint32_t i = actor.first[beside]; i < actor.first[beside + 1]; ++i) {
        const ViewMove &step = actor.moves[i];
        if (!has_bit(set.data(), step.transition) && disturbs(one, view, other, beside, step))
            set[step.transition / 64] |= uint64_t{1} << (step.transition % 64);
    }
    return now_[pair] = number_of(set);
}

/* ---- What may come. ---- */

uint64_t Disturbances::key(uint32_t one, uint32_t view, uint32_t other, uint32_t beside) const {
    /* There are fewer than 2^8 actors and 2^24 views of each. */
    return uint64_t{one} << 56 | uint64_t{view} << 32 | uint64_t{other} << 24 | beside;
}

uint32_t Disturbances::number_of(const Set &set) {
    const auto [place, is_new] = set_numbers_.emplace(set, static_cast<uint32_t>(sets_.size()));
    if (is_new)
        sets_.push_back(set);
    return place->second;
}

/* What a third one may do that goes with a view of the one and does not disturb it. */
const Disturbances::Acting &Disturbances::acting(uint32_t one, uint32_t view, uint32_t third) {
    const uint64_t where = key(one, view, third, 0);
    const auto known = acting_.find(where);
    if (known != acting_.end())
        return known->second;
    const Actor &actor = tables_->actors[third];
    const size_t words = actor.words();
    std::unordered_map<uint32_t, Set> found;
    each_bit(tables_->actors[one].together[third].data() + view * words, words, [&](uint32_t beside) {
        if (actor.first[beside] == actor.first[beside + 1])
            return;
        const uint32_t disturbing = disturbing_now(one, view, third, beside);
        for (uint32_t i = actor.first[beside]; i < actor.first[beside + 1]; ++i) {
            const ViewMove &move = actor.moves[i];
            if (move.target == no_view || has_bit(sets_[disturbing].data(), move.transition))
                continue;
            Set &having = found[move.effect];
            having.resize(words);
            having[beside / 64] |= uint64_t{1} << (beside % 64);
        }
    });
    return acting_[where] = Acting(found.begin(), found.end());
}

/* The pairs after a step of the other, or of a third, that does not disturb the one. */
std::vector<uint64_t> Disturbances::following(uint32_t one, uint32_t view, uint32_t other, uint32_t beside) {
    std::vector<uint64_t> found;
    const auto add = [&](uint32_t then, uint32_t besides) {
        if (then != no_view && besides != no_view && (then != view || besides != beside) &&
            go_together(one, then, other, besides))
            found.push_back(pair_of(then, besides));
    };
    const Actor &actor = tables_->actors[other];
    const uint32_t disturbing = disturbing_now(one, view, other, beside);
    for (uint32_t i = actor.first[beside]; i < actor.first[beside + 1]; ++i) {
        const ViewMove &move = actor.moves[i];
        if (move.target != no_view && !has_bit(sets_[disturbing].data(), move.transition))
            add(after(one, view, move.effect), move.target);
    }
    for (uint32_t third = 0; third < tables_->actors.size(); ++third) {
        if (third == one || third == other)
            continue;
        const size_t words = tables_->actors[third].words();
        const uint64_t *theirs = actor.together[third].data() + beside * words;
        for (const auto &[effect, having] : acting(one, view, third))
            if ((sees_[one][effect] != 0 || sees_[other][effect] != 0) && share(having.data(), theirs, words))
                add(after(one, view, effect), after(other, beside, effect));
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

uint32_t Disturbances::between(uint32_t one, uint32_t other) { return find(one, views_[one], other, views_[other]); }

void Disturbances::enter(uint32_t one, uint32_t view, uint32_t other, uint32_t beside) {
    const auto number = static_cast<uint32_t>(path_.size() + component_.size());
    index_.emplace(pair_of(view, beside), number);
    path_.push_back({view, beside, number, sets_[disturbing_now(one, view, other, beside)],
                     following(one, view, other, beside), 0});
}

/* All that is found from a pair on is found from every pair that leads there. */
uint32_t Disturbances::find(uint32_t one, uint32_t view, uint32_t other, uint32_t beside) {
    const auto known = found_.find(key(one, view, other, beside));
    if (known != found_.end())
        return known->second;
    const auto add = [](Set &to, const Set &from) {
        for (size_t word = 0; word < to.size(); ++word)
            to[word] |= from[word];
    };
    index_.clear();
    component_.clear();
    enter(one, view, other, beside);
    uint32_t last = 0;
    while (!path_.empty()) {
        Node &node = path_.back();
        if (node.next < node.following.size()) {
            const uint64_t pair = node.following[node.next++];
            const auto then = static_cast<uint32_t>(pair >> 32), besides = static_cast<uint32_t>(pair);
            const auto done = found_.find(key(one, then, other, besides));
            const auto open = index_.find(pair);
            if (done != found_.end())
                add(node.found, sets_[done->second]);
            else if (open != index_.end())
                node.low = std::min(node.low, open->second);
            else
                enter(one, then, other, besides);
            continue;
        }
        const Node finished = std::move(path_.back());
        path_.pop_back();
        const uint32_t own = index_.at(pair_of(finished.view, finished.beside));
        component_.push_back(pair_of(finished.view, finished.beside));
        if (!path_.empty()) {
            add(path_.back().found, finished.found);
            path_.back().low = std::min(path_.back().low, finished.low);
        }
        if (finished.low != own)
            continue;
        /* A component is complete: all its pairs were entered after this one, and all lead to one another. */
        last = number_of(finished.found);
        while (!component_.empty() && index_.at(component_.back()) >= own) {
            const uint64_t pair = component_.back();
            found_.emplace(key(one, static_cast<uint32_t>(pair >> 32), other, static_cast<uint32_t>(pair)), last);
            index_.erase(pair);
            component_.pop_back();
        }
    }
    return last;
}

} // namespace kripke
