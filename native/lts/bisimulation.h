/* bisimulation.h -- which states of a labelled transition system do the same.
 *
 * Transitions are three arrays of the same length; label 0 is the invisible one.
 *
 * strong       Paige and Tarjan's partition refinement for many labels, in O(m log n): a
 *              block is split off the larger half of its constellation, and the numbers of
 *              ways into both halves tell three sorts of states apart
 *              (R. Paige, R. Tarjan, SIAM J. Comput. 16(6), 1987; A. Valmari, Petri Nets
 *              2009, has it for labels; J. F. Groote et al., TOCL 18(2), 2017, for more).
 * branching    Components of invisible steps become single states. A block is looked at
 *              again when a state that it leads to has changed its block: its states are
 *              told apart by what they can do after invisible steps inside of it (J. F.
 *              Groote, F. Vaandrager, ICALP 1990; S. Blom, S. Orzan, STTT 7, 2005).
 * weak         The same, of what is left after branching bisimulation, with invisible
 *              steps of all sorts around a step, until nothing changes.
 *
 * With divergence a state that can go on for ever unseen (branching: without leaving its
 * block) is told from one that cannot.
 *
 * algebra/lts/equivalences.py is the reference of what is done here.
 */
#ifndef KRIPKE_BISIMULATION_H
#define KRIPKE_BISIMULATION_H

#include <cstdint>
#include <functional>
#include <vector>

namespace kripke {

struct TransitionSystem {
    uint32_t states = 0;
    std::vector<uint32_t> sources, labels, targets;

    /* Throws std::invalid_argument where a number points nowhere. */
    void check() const;
};

enum class Equivalence { strong, branching, divergence_branching, weak, divergence_weak };

/* Called now and then; what it throws ends the work. */
using Pause = std::function<void()>;

/* The block of every state, numbered in the order of their first states. */
std::vector<uint32_t> bisimulation(const TransitionSystem &system, Equivalence equivalence, const Pause &pause);

/* The components of mutual invisible steps by number, each after those it leads to. */
std::vector<uint32_t> invisible_components(const TransitionSystem &system, uint32_t &count);

} // namespace kripke
#endif
