/* nested_depth_first.h -- accepting cycles of a product, by nested depth-first
 * search.
 *
 * Courcoubetis, Vardi, Wolper, Yannakakis (Memory-efficient algorithms for the
 * verification of temporal properties, 1992), with the colours of Schwoon and
 * Esparza (A note on on-the-fly verification algorithms, TACAS 2005), for marks on
 * edges. The outer search is a depth-first search; a state is
 *
 *     fresh   met as a successor, to be tried yet
 *     cyan    on the path of the outer search
 *     blue    done with by the outer search
 *     red     and known to lead to no cyan state
 *
 * A marked edge that leads to a cyan state closes an accepting cycle at once. A
 * marked edge s -> t whose target is blue starts an inner search from t, when t is
 * done with; where that meets a cyan state, there is a cycle too, for every cyan
 * state leads to s. (A marked edge is as good as an accepting state in the middle of
 * it, and inner searches are begun in the order in which those are done with: so the
 * usual argument holds, and no state need be red twice.)
 *
 * Where the observer is weak, every cycle in a component of it has the mark on all
 * its edges or on none: the edge that closes it suffices, and there is no inner
 * search.
 *
 * In the full store a state takes one byte more for its colour (record_states.h). In any
 * other that one worker can use the colours are beside the store (viewed_states.h).
 *
 * With partial-order reduction (reduced.h) no step of a state that is not expanded in full
 * leads to a cyan one: so every cycle has a state that is, and nothing is put off around it.
 * The inner search takes the same steps as the outer one (Holzmann, Peled, Yannakakis, On
 * nested depth first search, 1996), or more of those between the states that the outer one
 * has met: the number of the set is kept beside the colour, where there is room for it.
 */
#ifndef KRIPKE_NESTED_DEPTH_FIRST_H
#define KRIPKE_NESTED_DEPTH_FIRST_H

#include "search.h"

#include <memory>

namespace kripke {

/* By one thread. */
std::unique_ptr<Search> make_nested(const kripke_model &model, const Options &options, Control &control);

} // namespace kripke
#endif
