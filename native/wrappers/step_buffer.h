/* step_buffer.h -- the steps of a state, kept until it is known which of them to hand on,
 * with what, and in which order. For models that stand between a model and a search.
 */
#ifndef KRIPKE_STEP_BUFFER_H
#define KRIPKE_STEP_BUFFER_H

#include "model/sink.h"

#include <cstring>
#include <new>
#include <vector>

namespace kripke {

class StepBuffer final : public Sink {
  public:
    /* A step, or a violation (its code for a length). */
    struct Step {
        uint64_t at;
        uint32_t length, label, actor, event;
        bool violation;
    };

    explicit StepBuffer(const kripke_model &model) : Sink(model, nullptr), room_(model.max_state_bytes) {
        connect(this);
        out = room_.data();
    }

    /* What the model hands over; false where there is no memory for it. */
    bool fill_initial(Sink &asker) {
        begin(asker);
        model().initial(this);
        return !asker.lost;
    }
    bool fill(const uint8_t *state, uint32_t length, Sink &asker) {
        begin(asker);
        model().successors(state, length, this);
        return !asker.lost;
    }

    std::vector<Step> &steps() { return steps_; }

    /* One step, its state followed by `count` bytes. */
    void hand_on(const Step &step, const uint8_t *suffix = nullptr, uint32_t count = 0) {
        asker_->actor = step.actor;
        asker_->event = step.event;
        if (step.violation)
            return asker_->report(asker_, step.length, step.label);
        std::memcpy(asker_->out, bytes_.data() + step.at, step.length);
        if (count != 0)
            std::memcpy(asker_->out + step.length, suffix, count);
        asker_->emit(asker_, step.length + count, step.label);
    }

    void take(uint32_t length, uint32_t label) noexcept {
        keep({bytes_.size(), length, label, actor, event, false});
    }
    void complain(uint32_t code, uint32_t label) noexcept { keep({0, code, label, actor, event, true}); }

  private:
    void begin(Sink &asker) {
        asker_ = &asker;
        covered = asker.covered;
        stop = asker.stop;
        actor = KRIPKE_NOBODY;
        last_resort = 0;
        steps_.clear();
        bytes_.clear();
    }

    void keep(const Step &step) {
        try {
            steps_.push_back(step);
            if (!step.violation)
                bytes_.insert(bytes_.end(), out, out + step.length);
        } catch (const std::bad_alloc &) {
            asker_->lost = true;
        }
    }

    Sink *asker_ = nullptr;
    std::vector<uint8_t> room_; /* where the model writes a state */
    std::vector<Step> steps_;
    std::vector<uint8_t> bytes_;
};

} // namespace kripke
#endif
