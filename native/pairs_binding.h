/* pairs_binding.h -- pairs of views, found for Python and asked by searches. */
#ifndef KRIPKE_PAIRS_BINDING_H
#define KRIPKE_PAIRS_BINDING_H

#include "disturbances.h"

#include <memory>
#include <nanobind/nanobind.h>

namespace kripke {

/* What Python holds. */
struct FoundPairs {
    std::shared_ptr<SharedPairs> shared;
};

void bind_pairs(nanobind::module_ &module);

} // namespace kripke
#endif
