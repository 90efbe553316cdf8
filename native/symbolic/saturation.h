/* saturation.h -- what transitions of a net do with sets of markings.
 *
 * A transition is the levels it is about, from the top one down: what it needs there and
 * what it adds. The same the other way round is the step back.
 *
 * CLOSURE
 *   Everything that can be reached from a set is found by saturation: from the bottom up,
 *   a node is closed under the transitions whose top level is its own, and whatever a
 *   firing makes below is closed again at once; so sets grow where they are small.
 *     G. Ciardo, G. Lüttgen, R. Siminiceanu, Saturation: an efficient iteration strategy
 *     for symbolic state space generation, TACAS 2001.
 *   Steps back are made in the same way for "exists until" (G. Ciardo, R. Siminiceanu,
 *   Structural symbolic CTL model checking of asynchronous systems, CAV 2003), within
 *   the markings of a constraint, which is followed down beside the set (Y. Zhao, G. Ciardo,
 *   Symbolic CTL model checking of asynchronous systems using constrained saturation,
 *   ATVA 2009). A level may be empty in a set and so have no node; where a transition can
 *   fire without a token at its top level, empty levels are worked on too (`active`).
 *
 * MANY TRANSITIONS THAT ARE ALIKE
 *   Transitions are fired together as far as they begin alike (together.h): those that differ
 *   only in what they read cost little more than one of them.
 */
#ifndef KRIPKE_SATURATION_H
#define KRIPKE_SATURATION_H

#include "symbolic/diagram.h"
#include "symbolic/together.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace kripke {

/* Transitions in one direction. */
class Relation {
  public:
    /* The transitions of `all`, sorted and each once, over so many levels. `number` is unlike that of every other relation
     * of the diagram, and so are those from `first` on that nodes of transitions get. */
    Relation(Diagram &diagram, uint32_t levels, const std::vector<Effects> &all, uint32_t number, uint32_t first);

    /* The least superset of `set` within `within` that no transition leaves but for what is
     * outside of it. Before: `set` is within it. */
    Set closure(Set set, Set within) { return saturate(set, 0, within); }

    /* What one transition makes of a marking of `set`, within `within`. */
    Set image(Set set, Set within);

    /* The same by a single one. */
    Set image_by(uint32_t transition, Set set, Set within) {
        return fire<false>(set, alone_[transition], 0, within);
    }

    /* The transitions by their numbers. */
    const std::vector<Effects> &steps() const { return events_; }

    /* How many numbers it uses up. */
    uint32_t size() const { return together_.size(); }

  private:
    struct Level {
        Together::Branches changing; /* of transitions with their top here, that change something */
        Together::Branches all;
        uint32_t active, active_for_image; /* the next level, from this, where one can fire without a token */
    };

    template <bool saturating> Set fire(Set set, uint32_t transitions, uint32_t level, Set within);
    Set saturate(Set set, uint32_t level, Set within);
    Set close(uint32_t level, size_t base, Set within);
    Set image_below(Set set, uint32_t level, Set within);
    size_t place_of(size_t base, uint32_t tokens) const;
    std::optional<size_t> add(size_t base, uint32_t tokens, Set set);
    static uint32_t after(uint32_t tokens, int64_t change);

    Diagram &diagram_;
    const uint32_t number_, first_;
    std::vector<Effects> events_;
    Together together_;
    std::vector<uint32_t> alone_; /* a node for every transition by itself */
    std::vector<Level> levels_;
    uint32_t last_top_ = 0; /* no transition has its top below */
    bool idle_ = false;     /* some transition is about no level */
};

} // namespace kripke
#endif
