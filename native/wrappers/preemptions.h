/* preemptions.h -- a model in which a process is interrupted only so often.
 *
 * A step of another process than the last one, which could have gone on, is a preemption
 * (Musuvathi and Qadeer, Iterative context bounding, PLDI 2007). A switch that must be,
 * because the process waits or has ended, is free, unless `every` switch is to count. Runs
 * with more than `most` are left out, and `cut` tells that there were some. Where only
 * switches are left the state leads to itself: it is no deadlock.
 *
 * STATES
 *   A state of the model, then the process that moved last (255: nobody yet) and the
 *   number of preemptions: `suffix` bytes. The model's own functions of a state are to be
 *   given the state without them (Options::suffix).
 */
#ifndef KRIPKE_PREEMPTIONS_H
#define KRIPKE_PREEMPTIONS_H

#include "model/model.h"

#include <atomic>

namespace kripke {

class Preemptions : public kripke_model {
  public:
    static constexpr uint32_t suffix = 2;
    static constexpr uint32_t most_allowed = 255;

    /* The model must outlive it. */
    Preemptions(const kripke_model &model, uint32_t most, bool every);
    Preemptions(const Preemptions &) = delete;
    Preemptions &operator=(const Preemptions &) = delete;

    bool cut() const { return cut_.load(std::memory_order_relaxed); }

  private:
    static void pass(const uint8_t *state, uint32_t length, kripke_sink *sink);

    const kripke_model &model_;
    const uint32_t most_;
    const bool every_;
    mutable std::atomic<bool> cut_{false};

    struct Context;
};

} // namespace kripke
#endif
