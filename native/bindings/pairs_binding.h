/* pairs_binding.h -- pairs of views, found for Python and asked by searches. */
#ifndef KRIPKE_PAIRS_BINDING_H
#define KRIPKE_PAIRS_BINDING_H

#include "searches/control.h"
#include "reduction/disturbances.h"

#include <memory>
#include <nanobind/nanobind.h>

namespace kripke {

/* The search for which this thread asks Python, if it does: when that is told to stop, pairs are not looked for any
 * more. */
extern thread_local const Control *asking_for;

/* What Python holds. */
struct FoundPairs {
    std::shared_ptr<SharedPairs> shared;
};

void bind_pairs(nanobind::module_ &module);

} // namespace kripke
#endif
