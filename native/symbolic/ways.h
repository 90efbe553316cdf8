/* ways.h -- ways to a set of markings that are short, and not always shortest.
 *
 * Layers by numbers of steps give shortest ways, and one layer for every step: of a long way that is many sets, each
 * made from all transitions. Here are two that do without.
 *
 * WALKS
 *   Markings one by one, those that are nearer to one marking of the goal before others (best first). Often that leads
 *   there at once, in time that grows with the length of the way alone. The number of markings tried is limited.
 *
 * CHAINS
 *   Transitions are fired one after the other, each on all that is known and until it gives nothing new, up and down the
 *   levels in turns (chaining: O. Roig, J. Cortadella, E. Pastor, Verification of asynchronous circuits by BDD-based
 *   model checking of Petri nets, 1995). So steps along the levels are found in one turn. What is known before every
 *   firing is kept. Back from the goal: a marking that was not known before a firing came by it, from the one marking
 *   that it leads on from; every firing is used once at most, so the way ends at the start.
 *
 * For both: `steps` are the effects of the steps of a relation, `start` has the tokens of every level. It is in `within`,
 * as the goal is, and from it the goal is reached there.
 */
#ifndef KRIPKE_WAYS_H
#define KRIPKE_WAYS_H

#include "symbolic/diagram.h"
#include "symbolic/saturation.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace kripke {

using Marking = std::vector<uint32_t>;
using Way = std::vector<uint32_t>; /* numbers of steps */

/* Nothing where too many markings were tried. */
std::optional<Way> walk_to(Diagram &diagram, const std::vector<Effects> &steps, const Marking &start, Set goal, Set within);

Way chain_to(Diagram &diagram, Relation &relation, const Marking &start, Set goal, Set within);

} // namespace kripke
#endif
