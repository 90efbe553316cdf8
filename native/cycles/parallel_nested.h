/* parallel_nested.h -- accepting cycles of a product, by nested depth-first search in
 * several threads.
 *
 * Evangelista, Laarman, Petrucci, van de Pol (Improved multi-core nested depth-first
 * search, ATVA 2012), for marks on edges. Every worker searches the whole product
 * depth-first, each in an order of its own, but leaves out what another has done with.
 * To all workers a state is
 *
 *     blue    done with by some worker's outer search
 *     red     known to lead to no accepting cycle
 *
 * and to each worker by itself
 *
 *     cyan    on the path of its outer search
 *     pink    met by its inner search
 *
 * A marked edge s -> t whose target is blue and not red starts an inner search from t.
 * Where that meets a state that is cyan to the same worker, there is an accepting cycle.
 * Where it meets none, all its pink states become red together; but not before the
 * target of every marked edge between them is.
 *
 * WHY NO CYCLE IS MISSED. Red states lead to red states only. So the states of an
 * accepting cycle become red together, if ever, at the end of one inner search, and are
 * all pink to it. One of the cycle's edges u -> v is marked, v is not red yet, and the
 * worker would wait.
 *
 * WHY NOBODY WAITS FOR EVER. What is waited for is the target v of a marked edge from a
 * pink state u. If u is blue, whoever made it so has searched from v first. Else
 * another worker has u ahead of it, and will. Were that one waiting, in the end, for
 * the first, then the first one's inner search would have gone along all those paths to
 * a state of its own path, and found a cycle.
 *
 * Where the observer is weak there is no inner search (nested_depth_first.h): of the
 * states of a cycle, the one that becomes blue first has a successor there that is cyan
 * to the same worker.
 *
 * The counts of a search to the end are those of one thread; errors in steps are counted
 * once, by the worker that comes first. Depth limits are not for this search.
 */
#ifndef KRIPKE_PARALLEL_NESTED_H
#define KRIPKE_PARALLEL_NESTED_H

#include "searches/search.h"

#include <memory>

namespace kripke {

/* As many workers have room in the bits of a state. */
constexpr uint32_t most_workers = 30;

std::unique_ptr<Search> make_parallel_nested(const kripke_model &model, const Options &options, Control &control);

} // namespace kripke
#endif
