/* shuffled.h -- a model whose steps come in another order: one of many, chosen by a seed.
 *
 * The order of a state's steps depends on the seed and the state alone, so that a search
 * that asks twice gets the same answer. For searches that cannot see everything, each of
 * which is to see something else. A sketch keeps about how many different states were
 * asked about, by one worker.
 */
#ifndef KRIPKE_SHUFFLED_H
#define KRIPKE_SHUFFLED_H

#include "model/model.h"
#include "stores/sketch.h"

namespace kripke {

class Shuffled : public kripke_model {
  public:
    /* The model must outlive it. */
    Shuffled(const kripke_model &model, uint64_t seed);
    Shuffled(const Shuffled &) = delete;
    Shuffled &operator=(const Shuffled &) = delete;

    const Sketch &sketch() const { return sketch_; }

  private:
    const kripke_model &model_;
    const uint64_t seed_;
    mutable Sketch sketch_;

    struct Context;
};

} // namespace kripke
#endif
