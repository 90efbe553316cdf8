#include "lts/strong_bisimulation.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace kripke {

namespace {

/* States in blocks, the states of a block side by side, the marked ones in front. */
class Blocks {
  public:
    explicit Blocks(uint32_t states) : elements_(states), place_(states), block_of_(states) {
        std::iota(elements_.begin(), elements_.end(), 0);
        std::iota(place_.begin(), place_.end(), 0);
        first_.push_back(0);
        end_.push_back(states);
        marked_.push_back(0);
    }

    uint32_t count() const { return static_cast<uint32_t>(first_.size()); }
    uint32_t of(uint32_t state) const { return block_of_[state]; }
    uint32_t size(uint32_t block) const { return end_[block] - first_[block]; }
    uint32_t marked(uint32_t block) const { return marked_[block]; }
    const uint32_t *begin(uint32_t block) const { return elements_.data() + first_[block]; }
    const uint32_t *end(uint32_t block) const { return elements_.data() + end_[block]; }
    const uint32_t *marked_end(uint32_t block) const { return begin(block) + marked_[block]; }

    /* Returns whether it is the first of its block. */
    bool mark(uint32_t state) {
        const uint32_t block = block_of_[state], to = first_[block] + marked_[block], at = place_[state];
        if (at < to)
            return false;
        std::swap(elements_[at], elements_[to]);
        place_[elements_[at]] = at;
        place_[elements_[to]] = to;
        return marked_[block]++ == 0;
    }

    /* The marked states of a block become a block of their own, if there are others. Nothing is marked then. */
    bool split(uint32_t block, uint32_t &made) {
        const uint32_t marks = marked_[block];
        marked_[block] = 0;
        if (marks == 0 || marks == size(block))
            return false;
        made = count();
        first_.push_back(first_[block]);
        end_.push_back(first_[block] + marks);
        marked_.push_back(0);
        first_[block] += marks;
        for (uint32_t at = first_[made]; at < end_[made]; at++)
            block_of_[elements_[at]] = made;
        return true;
    }

  private:
    std::vector<uint32_t> elements_, place_, block_of_;
    std::vector<uint32_t> first_, end_, marked_;
};

/* Invariant: the partition is stable with respect to every constellation, a union of blocks:
 * of the states of a block all or none have a step with a given label into it. A constellation
 * of several blocks is split until there is none. */
class Refinement {
  public:
    Refinement(const TransitionSystem &system, const Pause &pause)
        : system_(system), pause_(pause), blocks_(system.states), into_(system.states + 1, 0),
          counter_(system.sources.size()) {}

    std::vector<uint32_t> run() {
        const size_t transitions = system_.sources.size();
        /* Steps by their targets. */
        for (size_t t = 0; t < transitions; t++)
            into_[system_.targets[t] + 1]++;
        for (uint32_t state = 0; state < system_.states; state++)
            into_[state + 1] += into_[state];
        incoming_.resize(transitions);
        std::vector<uint64_t> next(into_.begin(), into_.end() - 1);
        for (size_t t = 0; t < transitions; t++)
            incoming_[next[system_.targets[t]]++] = static_cast<uint32_t>(t);
        uint32_t labels = 0;
        for (uint32_t label : system_.labels)
            labels = std::max(labels, label + 1);
        by_label_.resize(labels);
        start();
        while (!unready_.empty()) {
            pause_();
            const uint32_t constellation = unready_.back();
            std::vector<uint32_t> &members = constellations_[constellation];
            if (members.size() < 2) {
                is_unready_[constellation] = false;
                unready_.pop_back();
                continue;
            }
            /* Of two of its blocks the smaller one is at most half of it. */
            const size_t last = members.size() - 1;
            if (blocks_.size(members[last]) > blocks_.size(members[last - 1]))
                std::swap(members[last], members[last - 1]);
            const uint32_t splitter = members[last];
            members.pop_back();
            constellation_of_[splitter] = static_cast<uint32_t>(constellations_.size());
            constellations_.push_back({splitter});
            is_unready_.push_back(false);
            refine(splitter);
        }
        std::vector<uint32_t> result(system_.states);
        for (uint32_t state = 0; state < system_.states; state++)
            result[state] = blocks_.of(state);
        return result;
    }

  private:
    /* One constellation of all states; states are told apart by the labels of their steps. */
    void start() {
        constellations_.push_back({0});
        constellation_of_.push_back(0);
        is_unready_.push_back(false);
        std::vector<uint32_t> order(system_.sources.size());
        std::iota(order.begin(), order.end(), 0);
        std::sort(order.begin(), order.end(), [this](uint32_t a, uint32_t b) {
            return std::pair(system_.labels[a], system_.sources[a]) < std::pair(system_.labels[b], system_.sources[b]);
        });
        for (size_t at = 0; at < order.size();) {
            const uint32_t label = system_.labels[order[at]];
            touched_.clear();
            while (at < order.size() && system_.labels[order[at]] == label) {
                const uint32_t source = system_.sources[order[at]];
                const uint32_t counter = new_counter();
                for (; at < order.size() && system_.labels[order[at]] == label && system_.sources[order[at]] == source;
                     at++) {
                    counter_[order[at]] = counter;
                    counts_[counter]++;
                }
                if (blocks_.mark(source))
                    touched_.push_back(blocks_.of(source));
            }
            split_touched();
        }
    }

    /* `splitter` has left its constellation: its steps no longer count for that. */
    void refine(uint32_t splitter) {
        used_.clear();
        for (const uint32_t *state = blocks_.begin(splitter); state != blocks_.end(splitter); state++)
            for (uint64_t at = into_[*state]; at < into_[*state + 1]; at++) {
                const uint32_t step = incoming_[at], label = system_.labels[step];
                if (by_label_[label].empty())
                    used_.push_back(label);
                by_label_[label].push_back(step);
            }
        for (uint32_t label : used_) {
            std::vector<uint32_t> &steps = by_label_[label];
            /* Steps of one state into the splitter get a counter of their own; what is left in the old one
             * are its steps into the rest of the constellation. */
            touched_.clear();
            for (uint32_t step : steps) {
                const uint32_t source = system_.sources[step];
                if (blocks_.mark(source))
                    touched_.push_back(blocks_.of(source));
            }
            split_touched();
            old_.clear();
            for (uint32_t step : steps) {
                const uint32_t before = counter_[step];
                if (moved_[before] == none) {
                    const uint32_t made = new_counter();
                    moved_[before] = made;
                    origin_[made] = before;
                    old_.push_back(before);
                }
                counts_[before]--;
                counts_[moved_[before]]++;
                counter_[step] = moved_[before];
            }
            /* Of the states that have a step into the splitter: those that have none into the rest. */
            for (uint32_t step : steps) {
                const uint32_t source = system_.sources[step];
                if (counts_[origin_[counter_[step]]] == 0 && blocks_.mark(source))
                    touched_.push_back(blocks_.of(source));
            }
            split_touched();
            for (uint32_t before : old_) {
                moved_[before] = none;
                if (counts_[before] == 0)
                    free_.push_back(before);
            }
            steps.clear();
        }
    }

    uint32_t new_counter() {
        if (!free_.empty()) {
            const uint32_t counter = free_.back();
            free_.pop_back();
            return counter;
        }
        counts_.push_back(0);
        moved_.push_back(none);
        origin_.push_back(none);
        return static_cast<uint32_t>(counts_.size()) - 1;
    }

    void split_touched() {
        for (uint32_t block : touched_) {
            uint32_t made;
            if (!blocks_.split(block, made))
                continue;
            const uint32_t constellation = constellation_of_[block];
            constellation_of_.push_back(constellation);
            constellations_[constellation].push_back(made);
            if (!is_unready_[constellation]) {
                is_unready_[constellation] = true;
                unready_.push_back(constellation);
            }
        }
        touched_.clear();
    }

    static constexpr uint32_t none = UINT32_MAX;

    const TransitionSystem &system_;
    const Pause &pause_;
    Blocks blocks_;
    std::vector<uint64_t> into_;     /* where the steps into a state begin in incoming_ */
    std::vector<uint32_t> incoming_; /* steps */
    /* counts_[counter_[step]]: how many steps with its label its source has into the constellation of its target. */
    std::vector<uint32_t> counter_, counts_;
    /* Of a counter: the one that its steps into the splitter moved to, and the one that its own came from. */
    std::vector<uint32_t> moved_, origin_;
    std::vector<uint32_t> old_, free_;
    std::vector<std::vector<uint32_t>> constellations_; /* their blocks */
    std::vector<uint32_t> constellation_of_;            /* of a block */
    std::vector<uint32_t> unready_;                     /* constellations that may have several blocks */
    std::vector<bool> is_unready_;
    std::vector<std::vector<uint32_t>> by_label_;
    std::vector<uint32_t> used_, touched_;
};

} // namespace

std::vector<uint32_t> strong_bisimulation(const TransitionSystem &system, const Pause &pause) {
    return system.states == 0 ? std::vector<uint32_t>() : Refinement(system, pause).run();
}

} // namespace kripke
