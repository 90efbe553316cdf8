#include "symbolic/ways.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <queue>
#include <unordered_set>
#include <utility>

namespace kripke {

namespace {

bool contains(const Diagram &diagram, Set set, const Marking &marking) {
    for (uint32_t level = 0; level < marking.size() && set != Diagram::nothing; ++level)
        set = diagram.rest(set, level, marking[level]);
    return set == Diagram::unit;
}

Set single(Diagram &diagram, const Marking &marking) {
    Set made = Diagram::unit;
    for (uint32_t level = static_cast<uint32_t>(marking.size()); level-- > 0;)
        if (marking[level] > 0)
            made = diagram.make(level, marking[level], Diagram::nothing, made);
    return made;
}

Marking pick(const Diagram &diagram, Set set, size_t levels) {
    Marking marking(levels, 0);
    while (set > Diagram::anything) {
        const Diagram::Node &node = diagram.node(set);
        if (node.lo != Diagram::nothing) {
            set = node.lo;
        } else {
            marking[node.level] = node.tokens;
            set = node.hi;
        }
    }
    return marking;
}

/* A firing that gave something new, and what was known before it. */
struct Firing {
    uint32_t step;
    Set before;
};

/* Keeps sets while it lives. */
class Kept {
  public:
    explicit Kept(Diagram &diagram) : diagram_(diagram) {}
    Kept(const Kept &) = delete;
    Kept &operator=(const Kept &) = delete;
    ~Kept() {
        for (const Set set : sets_)
            diagram_.release(set);
    }
    Set keep(Set set) {
        diagram_.hold(set);
        sets_.push_back(set);
        return set;
    }

  private:
    Diagram &diagram_;
    std::vector<Set> sets_;
};

class Walk {
  public:
    Walk(Diagram &diagram, const std::vector<Effects> &steps, Set goal, Set within, size_t levels)
        : diagram_(diagram), steps_(steps), goal_(goal), within_(within), target_(pick(diagram, goal, levels)) {}

    /* Is there a way? Then `way` has it. A marking is made when its turn comes, not when it is met. */
    bool find(const Marking &start, Way &way) {
        const size_t most = std::max<size_t>(most_numbers / (start.size() + 1), least_markings);
        bool there = take(start, {distance(start), none, 0});
        while (!there && !queue_.empty() && tried_.size() < most) {
            diagram_.step();
            const Waiting next = queue_.top();
            queue_.pop();
            Marking after = *tried_[next.from].marking;
            for (const Effect &effect : steps_[next.step])
                after[effect.level] = static_cast<uint32_t>(after[effect.level] + effect.change);
            there = take(std::move(after), next);
        }
        if (there)
            for (uint32_t i = static_cast<uint32_t>(tried_.size() - 1); tried_[i].from != none; i = tried_[i].from)
                way.push_back(tried_[i].step);
        std::reverse(way.begin(), way.end());
        return there;
    }

  private:
    static constexpr uint32_t none = UINT32_MAX;
    static constexpr size_t most_numbers = 20'000'000, least_markings = 1000;

    struct Tried {
        const Marking *marking;
        uint32_t from, step;
    };
    /* A step from a marking that was tried. */
    struct Waiting {
        uint64_t distance; /* behind it */
        uint32_t from, step;
        bool operator>(const Waiting &other) const { return distance > other.distance; }
    };
    struct Hash {
        size_t operator()(const Marking &marking) const {
            uint64_t hash = 1;
            for (const uint32_t tokens : marking)
                hash = (hash ^ tokens) * 0x9e3779b97f4a7c15u + (hash >> 29);
            return hash;
        }
    };

    static uint64_t apart(int64_t a, int64_t b) { return static_cast<uint64_t>(a < b ? b - a : a - b); }

    uint64_t distance(const Marking &marking) const {
        uint64_t sum = 0;
        for (size_t level = 0; level < marking.size(); ++level)
            sum += apart(marking[level], target_[level]);
        return sum;
    }

    /* Try a marking: is it one of the goal? */
    bool take(Marking marking, const Waiting &by) {
        const auto [place, fresh] = known_.insert(std::move(marking));
        if (!fresh || !contains(diagram_, within_, *place))
            return false;
        const uint32_t number = static_cast<uint32_t>(tried_.size());
        tried_.push_back({&*place, by.from, by.step});
        if (contains(diagram_, goal_, *place))
            return true;
        for (uint32_t step = 0; step < steps_.size(); ++step)
            wait(number, step, by.distance);
        return false;
    }

    void wait(uint32_t from, uint32_t step, uint64_t far) {
        const Marking &now = *tried_[from].marking;
        for (const Effect &effect : steps_[step]) {
            if (now[effect.level] < effect.need)
                return;
            far -= apart(now[effect.level], target_[effect.level]);
            far += apart(now[effect.level] + effect.change, target_[effect.level]);
        }
        if (queue_.size() < most_numbers)
            queue_.push({far, from, step});
    }

    Diagram &diagram_;
    const std::vector<Effects> &steps_;
    const Set goal_, within_;
    const Marking target_;
    std::unordered_set<Marking, Hash> known_; /* their addresses stay */
    std::vector<Tried> tried_;
    std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> queue_;
};

} // namespace

std::optional<Way> walk_to(Diagram &diagram, const std::vector<Effects> &steps, const Marking &start, Set goal,
                           Set within) {
    Way way;
    if (!Walk(diagram, steps, goal, within, start.size()).find(start, way))
        return std::nullopt;
    return way;
}

Way chain_to(Diagram &diagram, Relation &relation, const Marking &start, Set goal, Set within) {
    const std::vector<Effects> &steps = relation.steps();
    Kept kept(diagram);
    kept.keep(goal);
    kept.keep(within);
    Set known = kept.keep(single(diagram, start));
    Set found = diagram.intersect(known, goal);
    std::vector<Firing> firings;
    std::vector<uint32_t> order;
    for (uint32_t step = 0; step < steps.size(); ++step)
        if (std::any_of(steps[step].begin(), steps[step].end(), [](const Effect &effect) { return effect.change != 0; }))
            order.push_back(step);
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t a, uint32_t b) { return steps[a].front().level < steps[b].front().level; });
    std::vector<Set> seen(steps.size(), Diagram::nothing); /* what was known when a step was fired last; as a number only */
    while (found == Diagram::nothing) {
        const Set before_turn = known;
        for (const uint32_t step : order) {
            while (found == Diagram::nothing && seen[step] != known) {
                seen[step] = known;
                diagram.safe_point();
                const Set made = relation.image_by(step, known, within);
                const Set fresh = diagram.subtract(made, known);
                if (fresh == Diagram::nothing)
                    break;
                found = diagram.intersect(fresh, goal);
                firings.push_back({step, known});
                known = kept.keep(diagram.unite(known, fresh));
            }
            if (found != Diagram::nothing)
                break;
        }
        if (found == Diagram::nothing && known == before_turn)
            throw Stopped{Reason::error}; /* the goal is not reached: against what is asked */
        std::reverse(order.begin(), order.end());
    }
    Marking marking = pick(diagram, found, start.size());
    Way way;
    for (size_t i = firings.size(); i-- > 0;) {
        if (contains(diagram, firings[i].before, marking))
            continue;
        for (const Effect &effect : steps[firings[i].step])
            marking[effect.level] = static_cast<uint32_t>(marking[effect.level] - effect.change);
        assert(contains(diagram, firings[i].before, marking));
        way.push_back(firings[i].step);
    }
    assert(marking == start);
    std::reverse(way.begin(), way.end());
    return way;
}

} // namespace kripke
