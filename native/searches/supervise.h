/* supervise.h -- run a search in a thread of its own and watch it.
 *
 * The calling thread wakes at least every 100 ms, and at once when the search
 * ends. It keeps the time limit and the growth curve, so that a search need not
 * look at a clock.
 */
#ifndef KRIPKE_SUPERVISE_H
#define KRIPKE_SUPERVISE_H

#include "searches/supervised.h"

#include <functional>
#include <vector>

namespace kripke {

/* So many states after so many seconds. */
struct Sample {
    double seconds;
    uint64_t states;
};

/* Called while the search runs. Must not throw. */
using Tick = std::function<void(const Progress &, double seconds)>;

/* Run `search` to its end, stop it after `time_limit` seconds (0: never), call
 * `tick` whenever awake. About four samples a second, fewer in a long search, the
 * last one when it has ended. Throws what the search throws. */
std::vector<Sample> supervise(Supervised &search, Control &control, double time_limit, const Tick &tick);

} // namespace kripke
#endif
