/* strong_bisimulation.h -- see bisimulation.h. */
#ifndef KRIPKE_STRONG_BISIMULATION_H
#define KRIPKE_STRONG_BISIMULATION_H

#include "lts/bisimulation.h"

namespace kripke {

std::vector<uint32_t> strong_bisimulation(const TransitionSystem &system, const Pause &pause);

} // namespace kripke
#endif
