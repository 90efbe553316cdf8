/* symmetry_binding.h -- symmetries as Python writes them (src/kripke/engines/explicit/native.py). */
#ifndef KRIPKE_SYMMETRY_BINDING_H
#define KRIPKE_SYMMETRY_BINDING_H

#include "wrappers/symmetric.h"

#include <nanobind/nanobind.h>

#include <string>

namespace kripke {

/* What chooses the one state that is kept, by a symmetry of like processes (families, sites), or of
 * tokens (families, shapes, places). */
Symmetric::Choosers symmetry_of(const nanobind::tuple &written, const std::string &method);

} // namespace kripke
#endif
