/* divided_breadth_first.h -- layer by layer, each worker with states of its own.
 *
 * The states are divided by their hash, and who owns a state stores and expands it: each
 * worker has a store for itself (store.h), the one that is fastest for one thread, and
 * shares nothing with the others but letters. A letter is a string of successors that
 * belong to another worker; who writes it leaves out those that it has met lately, so that
 * fewer than half of the successors go by letter. Letters are read between two states.
 *
 * A layer ends when all workers have expanded what they have, posted what they wrote and
 * read what they got; so every state is found at its distance from the initial states. The
 * hash divides layers evenly, unless they are small.
 *
 * As with CrewBreadthFirst there is no way back to the initial states.
 */
#ifndef KRIPKE_DIVIDED_BREADTH_FIRST_H
#define KRIPKE_DIVIDED_BREADTH_FIRST_H

#include "crew.h"

#include <memory>

namespace kripke {

std::unique_ptr<Crew> divided_breadth_first(const kripke_model &model, const CrewOptions &options, Control &control);

} // namespace kripke
#endif
