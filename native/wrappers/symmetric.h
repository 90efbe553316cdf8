/* symmetric.h -- a model of which one state is kept for all that differ by a
 * symmetry only (representative.h).
 *
 * A Symmetric is a model to the search that asks it: every state that the model
 * emits is handed on as its representative.
 */
#ifndef KRIPKE_SYMMETRIC_H
#define KRIPKE_SYMMETRIC_H

#include "model/model.h"
#include "symmetry/representative.h"

#include <functional>
#include <memory>

namespace kripke {

class Symmetric : public kripke_model {
  public:
    /* Makes what chooses, for each worker one. */
    using Choosers = std::function<std::unique_ptr<Representative>()>;

    /* The model must outlive it. */
    Symmetric(const kripke_model &model, Choosers choosers);
    Symmetric(const Symmetric &) = delete;
    Symmetric &operator=(const Symmetric &) = delete;

  private:
    class Forwarder;

    const kripke_model &model_;
    const Choosers choosers_;
};

} // namespace kripke
#endif
