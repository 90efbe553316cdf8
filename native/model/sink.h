/* sink.h -- one worker's line to a model: a kripke_sink with its context and
 * coverage.
 *
 * A class that takes states derives from Sink, calls `connect(this)` in its
 * constructor and has two functions that must not throw, for there is C between
 * them and the caller:
 *
 *     void take(uint32_t length, uint32_t label) noexcept;     // state at out
 *     void complain(uint32_t code, uint32_t label) noexcept;   // violation
 */
#ifndef KRIPKE_SINK_H
#define KRIPKE_SINK_H

#include "model/model.h"
#include "memory/own_lines.h"

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <vector>

namespace kripke {

class Sink : public kripke_sink {
  public:
    Sink(const kripke_model &model, const volatile uint32_t *stop_word)
        : kripke_sink{}, model_(model), covered_(margin + model.label_count + margin) {
        covered = covered_.data() + margin;
        stop = stop_word;
        actor = KRIPKE_NOBODY;
        safe = model.safe;
        if (model.context_new != nullptr) {
            context = model.context_new(&model);
            if (context == nullptr)
                throw std::bad_alloc();
        }
    }
    ~Sink() {
        if (model_.context_free != nullptr && context != nullptr)
            model_.context_free(context);
    }
    Sink(const Sink &) = delete;
    Sink &operator=(const Sink &) = delete;

    const kripke_model &model() const { return model_; }

    /* Acceptance marks of the step being emitted, set by a Product (product.h). */
    uint64_t marks = 0;

    /* Likewise: marks that a cycle through this state must have, and whether the step is none
     * of the model's, but an alarm of the observer or the stuttering of a run that has ended. */
    uint64_t demands = 0;
    bool stutters = false;

    /* Likewise: who else takes part in the step, or null. */
    const kripke_partners *met = nullptr;

    /* Told of a step of the model that the observer does not go along with: who would make it can move all the
     * same, as far as fairness is concerned. Null where nobody asks. */
    void (*barred)(Sink &sink, uint32_t label) noexcept = nullptr;

    /* To a Reduced (reduced.h): the number of the set of steps that is wanted, 0 for the
     * smallest; `every_step` for all, `other_steps` for those that the smallest set leaves out.
     * From it: were steps of this state left out? */
    uint32_t choice = 0;
    bool again = false; /* is the state that of the call before, of which another set is wanted? */
    bool reduced = false;
    static constexpr uint32_t every_step = UINT32_MAX, other_steps = UINT32_MAX - 1;

    /* From a Product or a Reduced: there was no memory for what came from the model, and
     * something is missing. (It came through C, which no exception can pass.) */
    bool lost = false;

    /* Is the engine waiting for an end? */
    bool told_to_stop() const { return __atomic_load_n(stop, __ATOMIC_RELAXED) != 0; }

    /* One byte per label, 1 where the statement was executed. */
    std::span<const uint8_t> coverage() const { return {covered, model_.label_count}; }

  protected:
    template <class Taker> void connect(Taker *) {
        emit = [](kripke_sink *sink, uint32_t length, uint32_t label) {
            static_cast<Taker *>(sink)->take(length, label);
        };
        report = [](kripke_sink *sink, uint32_t code, uint32_t label) {
            static_cast<Taker *>(sink)->complain(code, label);
        };
    }

  private:
    /* Written all the time: no line of the processor's cache is to hold something of another thread, too. */
    static constexpr size_t margin = own_lines;

    const kripke_model &model_;
    std::vector<uint8_t> covered_;
};

} // namespace kripke
#endif
