/* advice_binding.h -- what Python knows about dependencies (src/kripke/engines/explicit/native.py), for a Reduced. */
#ifndef KRIPKE_ADVICE_BINDING_H
#define KRIPKE_ADVICE_BINDING_H

#include "searches/control.h"
#include "wrappers/reduced.h"

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>

namespace kripke {

/* Python's side of a reduction: three functions, asked for tables, for rows of transitions
 * that are at hand, and for pairs of views, by the searching thread, which has no GIL. What one
 * of them throws stops the search. */
class Advisor final : public Advice {
  public:
    Advisor(Control &control, nanobind::object ask) : control_(control), ask_(std::move(ask)) {}

    std::unique_ptr<DependencyTables> tables(const uint8_t *state, uint32_t length) override;
    bool add_rows(DependencyTables &tables, const uint8_t *state, uint32_t length, uint32_t transition) override;
    std::shared_ptr<SharedPairs> pairs() override;

    /* With the GIL, after the search: throw what a function threw. */
    void rethrow() {
        if (failure_)
            throw std::move(*failure_);
    }

  private:
    template <typename Ask> bool asking(Ask ask);

    Control &control_;
    nanobind::object ask_;
    std::optional<nanobind::python_error> failure_;
};

} // namespace kripke
#endif
