/* composition.h -- the search that a plan asks for: model, wrappers, order and store put
 * together, run, and asked what it found.
 *
 *     Control control;
 *     Composition composition(model, plan, control);
 *     const Outcome outcome = composition.run(tick);
 *     for (const ErrorPath &error : composition.error_paths())
 *         composition.for_each_state(error, show);
 */
#ifndef KRIPKE_COMPOSITION_H
#define KRIPKE_COMPOSITION_H

#include "plan/outcome.h"
#include "plan/plan.h"
#include "searches/parallel_search.h"
#include "wrappers/preemptions.h"
#include "wrappers/product.h"
#include "wrappers/shuffled.h"

#include <functional>
#include <memory>
#include <vector>

namespace kripke {

class Composition {
  public:
    /* std::invalid_argument, where parts of the plan do not go together. Model, control and the
     * plan's advice must outlive it. */
    Composition(const kripke_model &model, Plan plan, Control &control);

    /* Search to the end, watched by the calling thread (supervise.h). Once only. */
    Outcome run(const Tick &tick);

    // ---- After run --------------------------------------------------------------------------

    /* The first of each sort of error; goals are among them. */
    const std::vector<ErrorPath> &error_paths() const;

    using Visit = std::function<void(const uint8_t *state, uint32_t length)>;
    /* The states of a path, one after the other. */
    void for_each_state(const ErrorPath &error, const Visit &visit) const;

  private:
    /* The model as it is searched: through the wrappers that are made here. */
    const kripke_model &place(const kripke_model &model);
    const kripke_model &wrap(const kripke_model &model);
    const kripke_model &observe(const kripke_model &model);

    Plan plan_;
    Control &control_;
    kripke_safe_places safe_ = {};
    kripke_model placed_ = {};
    std::unique_ptr<Reduced> reduced_;
    std::unique_ptr<Symmetric> symmetric_;
    std::unique_ptr<Preemptions> preemptions_;
    std::unique_ptr<Shuffled> shuffled_;
    std::unique_ptr<Product> product_;
    /* One of both. */
    std::unique_ptr<Search> search_;
    std::unique_ptr<ParallelSearch> parallel_;
};

} // namespace kripke
#endif
