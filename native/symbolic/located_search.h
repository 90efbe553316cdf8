/* located_search.h -- reachability with a set of values for every control point.
 *
 * R. Alur, R. Grosu, M. McDougall, Efficient reachability analysis of hierarchical reactive
 * machines, CAV 2000, section 3.2. A CONTROL says where all of a machine is; the reached set is a
 * map from controls to sets of values. A MACRO STEP from a control is one of some actor: it passes
 * SPOTS (a control, and where in it the actor is at work) by micro steps until it comes to rest.
 *
 * At a spot there are stages, the innermost first: what no choice of a stage takes goes on to the
 * next (weak preemption), and behind the last one comes to rest in the control of the spot.
 *
 * RINGS: the macro steps reach one ring after the other, each with what is new. They are kept, for
 * ways back. Controls and spots are numbered, and described, by the user, who is asked for those
 * that are met for the first time: `advance` and `macro_step` then end at once, and are called
 * again when the answer is there.
 */
#ifndef KRIPKE_LOCATED_SEARCH_H
#define KRIPKE_LOCATED_SEARCH_H

#include "symbolic/assignments.h"
#include "symbolic/diagram.h"
#include "symbolic/selection.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace kripke {

/* A transition at a spot. Relations go with the move named beside them. */
struct Choice {
    uint32_t guard, keep;                              /* where it is enabled; `keep` changes nothing */
    uint32_t failed;                                   /* with `keep`: where its guard has no value */
    std::vector<std::pair<uint32_t, uint32_t>> errors; /* with `keep`: relations, and codes of what goes wrong */
    uint32_t whole, move;                              /* what it does, where nothing goes wrong */
    uint32_t target;                                   /* a spot */
    uint32_t label;
};

struct Spot {
    uint32_t control = 0;
    bool known = false;
    bool resting = false; /* the macro step is over here */
    std::vector<std::vector<Choice>> stages;
};

/* Where the macro steps of an actor begin; `move` starts the levels of one that has not run before. */
struct Start {
    uint32_t spot, move;
};

struct ControlPoint {
    bool known = false;
    std::vector<Start> starts;                             /* of every actor */
    std::vector<std::pair<uint32_t, uint32_t>> conditions; /* what must hold at rest: relations and moves */
};

/* Sets of values by controls. */
using Located = std::vector<std::pair<uint32_t, Set>>;

/* Why `advance` or `macro_step` ended. */
struct Event {
    enum Kind : uint32_t {
        done,    /* nothing new; of a macro step: it is over */
        rings,   /* as many rings as were asked for */
        control, /* `number` is to be described */
        spot,    /* likewise */
        error,   /* a choice labelled `number` goes wrong with `code`; `set` is where, at its spot */
        wrong    /* condition `number` does not hold in `set`, at `where`, in the last ring */
    } kind;
    uint32_t number = 0, code = 0, where = 0, actor = 0;
    Set set = Diagram::nothing;
};

class LocatedSearch {
  public:
    /* Uses up to `memory` bytes for diagrams. */
    explicit LocatedSearch(uint64_t memory) : diagram(memory), assignments(diagram), selection(diagram, {}, 0) {}

    Diagram diagram;
    Assignments assignments;
    Selection selection;
    std::vector<ControlPoint> controls;
    std::vector<Spot> spots;

    /* Put a set into the first ring. */
    void start(uint32_t control, Set set);

    /* Up to so many rings more. Ends at an error or a wrong condition; the rings before stay. */
    Event advance(uint64_t rings);

    /* Where the macro steps of an actor from a set of values, or of pairs, come to rest. `found` are not held. */
    Event macro_step(uint32_t control, Set set, uint32_t actor, Located &found);

    /* All rings but the first, an error in them too; the last may be wrong. */
    const std::vector<Located> &rings() const { return rings_; }
    const std::vector<Set> &reached() const { return reached_; } /* by controls */

    /* How many nodes these sets have together, as many-valued diagrams: the values of a level are one node. */
    uint64_t nodes_of(const std::vector<Set> &sets) const;

  private:
    Event micro_steps(uint32_t spot, Set set, Set &rests);
    void add(uint32_t spot, Set set);
    Event checked(const Located &ring);
    void forget(Located &ring);
    void keep(Set &place, Set now); /* holds what is in a place from now on, instead of what was there */

    std::vector<Set> reached_;
    std::vector<Located> rings_;
    bool unchecked_ = false; /* the last ring is to be looked at */
    /* Of the macro step that is made: what is to be followed at each spot, and what was. */
    std::vector<Set> pending_, visited_;
    std::vector<uint32_t> left_, touched_;
};

} // namespace kripke
#endif
