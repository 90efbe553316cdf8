/* outcome.h -- everything a search has to say, whichever search it was. */
#ifndef KRIPKE_OUTCOME_H
#define KRIPKE_OUTCOME_H

#include "searches/control.h"
#include "searches/error_paths.h"
#include "searches/search.h"
#include "searches/supervise.h"
#include "stores/store_interface.h"

#include <cstdint>
#include <vector>

namespace kripke {

struct Outcome {
    Reason reason = Reason::none; /* why it ended early */
    Progress totals;
    uint64_t errors = 0; /* all that were met */
    double seconds = 0;  /* of the search, without the paths */
    uint64_t state_bytes = 0; /* length of the longest state */
    uint64_t store_bytes = 0, peak_bytes = 0;
    std::vector<uint8_t> covered; /* by label: was the step taken? */
    std::vector<Sample> samples;
    StoreFigures store;
    SweepFigures sweep;
    Expansions expansions;
    std::vector<uint8_t> sketch; /* of the states met, where steps were shuffled */
    uint64_t checkpoints = 0, failed_checkpoints = 0;

    bool complete() const { return reason == Reason::none; }
};

} // namespace kripke
#endif
