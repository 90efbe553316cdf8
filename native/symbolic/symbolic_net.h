/* symbolic_net.h -- a net over decision diagrams: its markings as sets. */
#ifndef KRIPKE_SYMBOLIC_NET_H
#define KRIPKE_SYMBOLIC_NET_H

#include "symbolic/diagram.h"
#include "symbolic/saturation.h"
#include "symbolic/selection.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace kripke {

/* (place, weight), one arc per place. */
using Arcs = std::vector<std::pair<uint32_t, uint32_t>>;

/* Terms of a sum of tokens: (place, factor). */
using Terms = std::vector<std::pair<uint32_t, int64_t>>;

struct TokenNet {
    std::vector<uint32_t> initial; /* tokens of places */
    std::vector<Arcs> presets, postsets;
};

class SymbolicNet {
  public:
    /* `levels`: of places, each a level of its own. */
    SymbolicNet(const TokenNet &net, std::vector<uint32_t> levels, uint64_t memory);

    Diagram diagram;

    // ---- Sets of markings -------------------------------------------------------

    Set initial() { return marking(initial_); }
    Set marking(const std::vector<uint32_t> &tokens);

    /* Everything reached from `set` by steps within `within`, or from which it is reached. */
    Set forward_closure(Set set, Set within) { return forward_.closure(set, within); }
    Set backward_closure(Set set, Set within) { return backward_.closure(set, within); }

    /* What is reached by one step, or from where. */
    Set successors(Set set, Set within) { return forward_.image(set, within); }
    Set predecessors(Set set, Set within) { return backward_.image(set, within); }

    /* Markings of `set` with a sum of at least `least`; that enable a transition; that enable none. */
    Set at_least(Set set, const Terms &terms, int64_t least) {
        return selection_.at_least(set, weights(terms), least);
    }
    Set enabled(Set set, uint32_t transition) { return selection_.enabled(set, transition); }
    Set dead(Set set) { return selection_.dead(set); }

    /* Transitions that lead from `start` to some marking of `goal` by way of markings of `within`: see ways.h. */
    std::optional<std::vector<uint32_t>> walk(const std::vector<uint32_t> &start, Set goal, Set within);
    std::vector<uint32_t> chain(const std::vector<uint32_t> &start, Set goal, Set within);

    // ---- About sets that are not empty --------------------------------------------

    std::pair<int64_t, int64_t> range(Set set, const Terms &terms) { return selection_.range(set, weights(terms)); }
    std::vector<uint32_t> pick(Set set) const;
    bool contains(Set set, const std::vector<uint32_t> &tokens) const;

    // ---- About any ----------------------------------------------------------------

    Digits count(Set set) { return selection_.count(set); }
    /* Pairs of a marking and a transition that it enables. */
    Digits count_steps(Set set) { return selection_.count_steps(set); }
    std::vector<uint32_t> most_on_places(Set set) const;

    uint32_t places() const { return static_cast<uint32_t>(levels_.size()); }
    uint32_t transitions() const { return transitions_; }
    const std::vector<uint32_t> &levels() const { return levels_; } /* of places */

  private:
    std::vector<Effects> effects(const TokenNet &net, bool back) const;
    std::vector<uint32_t> by_level(const std::vector<uint32_t> &tokens) const;
    std::vector<uint32_t> transitions_of(std::vector<uint32_t> steps) const;
    Weights weights(const Terms &terms) const;

    const uint32_t transitions_;
    const std::vector<uint32_t> initial_;
    const std::vector<uint32_t> levels_;
    std::vector<uint32_t> places_; /* of levels */
    Relation forward_, backward_;
    std::vector<uint32_t> transition_of_; /* one with the effects of each step of `forward_` */
    Selection selection_;
};

} // namespace kripke
#endif
