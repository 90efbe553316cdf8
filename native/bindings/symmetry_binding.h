/* symmetry_binding.h -- symmetries as Python writes them (src/kripke/engines/explicit/native.py). */
#ifndef KRIPKE_SYMMETRY_BINDING_H
#define KRIPKE_SYMMETRY_BINDING_H

#include "wrappers/symmetric.h"

#include <nanobind/nanobind.h>

#include <memory>
#include <string>

namespace kripke {

/* A model with a symmetry: of like processes (families, sites), or of tokens (families, shapes, places). */
std::unique_ptr<Symmetric> symmetric_of(const kripke_model &model, const nanobind::tuple &written,
                                        const std::string &method);

} // namespace kripke
#endif
