#include "symbolic/located_search.h"

#include <unordered_set>

namespace kripke {

void LocatedSearch::start(uint32_t control, Set set) {
    if (rings_.empty())
        rings_.emplace_back();
    if (reached_.size() <= control)
        reached_.resize(control + 1, Diagram::nothing);
    keep(reached_[control], diagram.unite(reached_[control], set));
    auto place = rings_[0].begin();
    while (place != rings_[0].end() && place->first != control)
        ++place;
    if (place == rings_[0].end())
        place = rings_[0].insert(place, {control, Diagram::nothing});
    keep(place->second, reached_[control]);
    unchecked_ = true;
}

Event LocatedSearch::checked(const Located &ring) {
    for (const auto &[control, set] : ring) {
        if (control >= controls.size() || !controls[control].known)
            return {Event::control, control};
        uint32_t number = 0;
        for (const auto &[relation, move] : controls[control].conditions) {
            const Set wrong = diagram.subtract(set, assignments.image(set, relation, move));
            if (wrong != Diagram::nothing)
                return {Event::wrong, number, 0, control, 0, wrong};
            ++number;
        }
    }
    return {Event::done};
}

void LocatedSearch::forget(Located &ring) {
    for (auto &[control, set] : ring)
        keep(set, Diagram::nothing);
    ring.clear();
}

void LocatedSearch::keep(Set &place, Set now) {
    if (now > Diagram::anything)
        diagram.hold(now);
    if (place > Diagram::anything)
        diagram.release(place);
    place = now;
}

Event LocatedSearch::advance(uint64_t rings) {
    if (rings_.empty()) /* nothing was put into the first */
        return {Event::done};
    for (;;) {
        if (unchecked_) {
            const Event event = checked(rings_.back());
            if (event.kind != Event::done)
                return event;
            unchecked_ = false;
        }
        if (rings-- == 0)
            return {Event::rings};
        Located following, found;
        const Located ring = rings_.back();
        for (const auto &[control, set] : ring)
            for (uint32_t actor = 0; actor < controls[control].starts.size(); ++actor) {
                found.clear();
                Event event{Event::done};
                try {
                    event = macro_step(control, set, actor, found);
                } catch (...) {
                    forget(following);
                    throw;
                }
                if (event.kind != Event::done) {
                    forget(following);
                    return event;
                }
                for (const auto &[after, whole] : found) {
                    if (reached_.size() <= after)
                        reached_.resize(after + 1, Diagram::nothing);
                    const Set fresh = diagram.subtract(whole, reached_[after]);
                    if (fresh == Diagram::nothing)
                        continue;
                    auto place = following.begin();
                    while (place != following.end() && place->first != after)
                        ++place;
                    if (place == following.end())
                        place = following.insert(place, {after, Diagram::nothing});
                    keep(place->second, diagram.unite(place->second, fresh));
                }
                diagram.safe_point();
            }
        if (following.empty())
            return {Event::done};
        for (const auto &[control, set] : following)
            keep(reached_[control], diagram.unite(reached_[control], set));
        rings_.push_back(std::move(following));
        unchecked_ = true;
    }
}

void LocatedSearch::add(uint32_t spot, Set set) {
    if (set == Diagram::nothing)
        return;
    if (pending_.size() <= spot) {
        pending_.resize(spot + 1, Diagram::nothing);
        visited_.resize(spot + 1, Diagram::nothing);
    }
    if (pending_[spot] == Diagram::nothing) {
        left_.push_back(spot);
        touched_.push_back(spot);
    }
    pending_[spot] = diagram.unite(pending_[spot], set);
}

Event LocatedSearch::macro_step(uint32_t control, Set set, uint32_t actor, Located &found) {
    if (control >= controls.size() || !controls[control].known)
        return {Event::control, control};
    for (const uint32_t spot : touched_)
        pending_[spot] = visited_[spot] = Diagram::nothing;
    left_.clear();
    touched_.clear();
    const auto rest = [&](uint32_t where, Set some) {
        for (auto &[known, united] : found)
            if (known == where) {
                united = diagram.unite(united, some);
                return;
            }
        found.emplace_back(where, some);
    };
    const Start start = controls[control].starts[actor];
    add(start.spot, assignments.image(set, Assignments::always, start.move));
    while (!left_.empty()) {
        const uint32_t spot = left_.back();
        left_.pop_back();
        if (spot >= spots.size() || !spots[spot].known)
            return {Event::spot, spot};
        const Set fresh = diagram.subtract(pending_[spot], visited_[spot]);
        pending_[spot] = Diagram::nothing;
        if (fresh == Diagram::nothing)
            continue;
        visited_[spot] = diagram.unite(visited_[spot], fresh);
        if (spots[spot].resting) {
            rest(spots[spot].control, fresh);
            continue;
        }
        Set rests = Diagram::nothing;
        Event event = micro_steps(spot, fresh, rests);
        if (event.kind != Event::done) {
            event.where = control;
            event.actor = actor;
            return event;
        }
        if (rests != Diagram::nothing)
            rest(spots[spot].control, rests);
    }
    return {Event::done};
}

Event LocatedSearch::micro_steps(uint32_t spot, Set set, Set &rests) {
    for (const std::vector<Choice> &stage : spots[spot].stages) {
        Set left = set;
        for (const Choice &choice : stage) {
            const Set enabled = assignments.image(set, choice.guard, choice.keep);
            left = diagram.subtract(left, enabled);
            if (choice.failed != Assignments::never)
                left = diagram.subtract(left, assignments.image(set, choice.failed, choice.keep));
            for (const auto &[relation, code] : choice.errors) {
                const Set broken = assignments.image(set, relation, choice.keep);
                if (broken != Diagram::nothing)
                    return {Event::error, choice.label, code, 0, 0, broken};
            }
            add(choice.target, assignments.image(enabled, choice.whole, choice.move));
        }
        set = left;
        if (set == Diagram::nothing)
            return {Event::done};
    }
    rests = set;
    return {Event::done};
}

uint64_t LocatedSearch::nodes_of(const std::vector<Set> &sets) const {
    std::unordered_set<Set> seen;
    std::vector<Set> left = sets;
    while (!left.empty()) {
        Set set = left.back();
        left.pop_back();
        if (set <= Diagram::anything || !seen.insert(set).second)
            continue;
        const uint32_t level = diagram.level(set);
        for (; diagram.level(set) == level; set = diagram.node(set).lo)
            left.push_back(diagram.node(set).hi);
        left.push_back(set);
    }
    return seen.size();
}

} // namespace kripke
