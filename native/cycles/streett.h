/* streett.h -- is there a strongly fair cycle in a strongly connected graph?
 *
 * Emerson, Lei (Modalities for model checking, 1987): where a process can move in some
 * state of a component but never does inside, a fair cycle cannot go through a state in
 * which it can; those states are taken out and the rest is searched for components
 * anew. What is left in the end is a component whose every cycle can be made fair.
 */
#ifndef KRIPKE_STREETT_H
#define KRIPKE_STREETT_H

#include "cycles/marks.h"

#include <cstdint>
#include <vector>

namespace kripke {

/* Marks of a step: those of the observer, then one for each of whom fairness is about. */
template <size_t Words> struct FairGraph {
    using MarkSet = Marks<Words>;

    struct Edge {
        uint32_t source, target;
        MarkSet marks; /* of the observer; and of who moves */
    };

    uint32_t states = 0;
    std::vector<Edge> edges;      /* sorted by source */
    std::vector<MarkSet> enabled; /* of each state: those who can move */
};

/* The states of a component with all of `required` on its edges and, for each that can
 * move in one of its states, an edge with that; empty if there is none. */
template <size_t Words>
std::vector<uint32_t> fair_component(const FairGraph<Words> &graph, const Marks<Words> &required);

} // namespace kripke
#endif
