/* plan_binding.h -- searches in the Python module kripke._native: a SearchRequest
 * (src/kripke/engines/explicit/search.py) is read into a Plan, here and nowhere else.
 */
#ifndef KRIPKE_PLAN_BINDING_H
#define KRIPKE_PLAN_BINDING_H

#include "plan/plan.h"

#include <nanobind/nanobind.h>

namespace kripke {

Plan plan_of(nanobind::handle request, const kripke_model &model);

void bind_search(nanobind::module_ &module);

} // namespace kripke
#endif
