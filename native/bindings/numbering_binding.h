/* numbering_binding.h -- what a model says about its values, as Python writes it (src/kripke/model/value_ranges.py). */
#ifndef KRIPKE_NUMBERING_BINDING_H
#define KRIPKE_NUMBERING_BINDING_H

#include "stores/numbering.h"

#include <nanobind/nanobind.h>

namespace kripke {

/* From ValueRanges.to_native(). */
ValueRanges ranges_of(const nanobind::tuple &written);

void bind_numbering(nanobind::module_ &module);

} // namespace kripke
#endif
