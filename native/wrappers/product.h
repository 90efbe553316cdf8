/* product.h -- a model and an observer that watches it, together a model.
 *
 * STATES
 *   A state is a state of the model followed by the observer's (one byte, or two
 *   where it has more than 256).
 *
 * STEPS
 *   The observer moves first, on the truth of the atoms in the model's state, then
 *   the model, as in SPIN. Where the model cannot move at all, it stays where it is
 *   (the stuttering extension of a finite run) and nobody acts, unless the observer
 *   is one of infinite runs only. Where the observer has no enabled edge, the state has no
 *   successor: that run is of no interest. An edge whose guard is about the step, too, goes
 *   with those steps alone for which it is true.
 *   Successors come observer's edge by observer's edge; `marks` of the sink are
 *   those of the edge.
 *
 * ERRORS
 *   Violations of the model are passed on. Those of the observer are reported with
 *   the codes that follow the model's own and label 0; the last code stands for a guard
 *   that cannot be evaluated (an index out of range in an atom that decides).
 *
 * A product has no atoms and no deadlocks. Searches and traces need not know that
 * a model is one.
 */
#ifndef KRIPKE_PRODUCT_H
#define KRIPKE_PRODUCT_H

#include "model/model.h"
#include "model/observer.h"

#include <vector>

namespace kripke {

class Product : public kripke_model {
  public:
    /* The model must outlive the product. Guards have as many words as the model's
     * atoms need; targets and initial states are states of the observer. */
    Product(const kripke_model &model, Observer observer);
    Product(const Product &) = delete;
    Product &operator=(const Product &) = delete;

  private:
    class Forwarder;

    const kripke_model &model_;
    const Observer observer_;
    const uint32_t suffix_; /* bytes of the observer's state */
    std::vector<const char *> names_; /* of the tables of components */
};

} // namespace kripke
#endif
