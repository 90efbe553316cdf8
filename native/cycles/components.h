/* components.h -- accepting cycles of a product, by its strongly connected
 * components.
 *
 * Couvreur (On-the-fly verification of linear temporal logic, FM 1999), on the
 * algorithm of Dijkstra and Gabow: one depth-first search, and a stack of the roots of
 * the components that may still grow, each with the marks on the edges inside. An edge
 * back to such a component joins it with those above it. As soon as one has all marks
 * there is an accepting cycle in it: no observer is too general, and no state is
 * expanded twice.
 *
 * FAIRNESS is about processes, and never becomes part of the observer. A cycle is
 *   weakly fair    if every process moves on it or cannot move in one of its states:
 *                  one more mark per process, on an edge where it moves and on every
 *                  edge from a state in which it cannot;
 *   strongly fair  if every process that can move in one of its states does move. That is
 *                  no matter of marks: a component which is complete is taken apart
 *                  until what is left is fair or has gone (streett.h).
 * A step is made by the process that the model names; of a rendezvous, by the sender.
 * Fairness to EDGES is the same with every process and label of a step by itself in the
 * place of a process. Events of the observer to which strong fairness is asked for
 * (observer.h) demand their marks where they could happen, as processes do.
 *
 * In the full store a state takes four bytes more, for its place among the live states. With
 * another that loses nothing the live states are beside the store (placed_states.h). With one
 * that may take a state for another this search is not for: an edge to a state that was taken
 * for a live one would join components that are none.
 */
#ifndef KRIPKE_COMPONENTS_H
#define KRIPKE_COMPONENTS_H

#include "searches/search.h"

#include <memory>

namespace kripke {

/* By one thread. */
std::unique_ptr<Search> make_components(const kripke_model &model, const Options &options, Control &control);

/* In a store other than the full one; made elsewhere, as the nested search is. */
std::unique_ptr<Search> make_components_in_view(const kripke_model &model, const Options &options, Control &control);

} // namespace kripke
#endif
