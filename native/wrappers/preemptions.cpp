#include "wrappers/preemptions.h"

#include "wrappers/forwarder.h"
#include "wrappers/step_buffer.h"

#include <algorithm>
#include <new>

namespace kripke {

struct Preemptions::Context {
    const Preemptions &owner;
    StepBuffer buffer;
};

Preemptions::Preemptions(const kripke_model &model, uint32_t most, bool every)
    : kripke_model(model), model_(model), most_(most), every_(every) {
    max_state_bytes += suffix;
    forget_states(*this);
    context_new = [](const kripke_model *self) -> void * {
        const auto &owner = *static_cast<const Preemptions *>(self);
        try {
            return new Context{owner, StepBuffer(owner.model_)};
        } catch (const std::bad_alloc &) {
            return nullptr;
        }
    };
    context_free = [](void *context) { delete static_cast<Context *>(context); };
    kripke_model::initial = [](kripke_sink *sink) {
        constexpr uint8_t nobody[suffix] = {255, 0};
        StepBuffer &buffer = static_cast<Context *>(sink->context)->buffer;
        if (!buffer.fill_initial(*static_cast<Sink *>(sink)))
            return;
        for (const StepBuffer::Step &step : buffer.steps())
            buffer.hand_on(step, nobody, suffix);
    };
    kripke_model::successors = pass;
}

void Preemptions::pass(const uint8_t *state, uint32_t length, kripke_sink *sink) {
    Context &context = *static_cast<Context *>(sink->context);
    Sink &asker = *static_cast<Sink *>(sink);
    if (!context.buffer.fill(state, length - suffix, asker))
        return;
    const uint32_t last = state[length - 2], count = state[length - 1];
    const auto &steps = context.buffer.steps();
    const bool counts =
        context.owner.every_
            ? last != 255
            : std::any_of(steps.begin(), steps.end(), [&](const StepBuffer::Step &step) { return step.actor == last; });
    const StepBuffer::Step *held = nullptr;
    for (const StepBuffer::Step &step : steps) {
        if (asker.told_to_stop())
            return;
        const uint32_t now = count + (counts && step.actor != last);
        if (now > context.owner.most_) {
            context.owner.cut_.store(true, std::memory_order_relaxed);
            held = &step;
            continue;
        }
        const uint8_t ending[suffix] = {static_cast<uint8_t>(std::min(step.actor, uint32_t{255})),
                                        static_cast<uint8_t>(now)};
        context.buffer.hand_on(step, ending, suffix);
    }
    if (held != nullptr && context.owner.every_) {
        asker.actor = held->actor;
        std::memcpy(asker.out, state, length);
        asker.emit(sink, length, held->label);
    }
}

} // namespace kripke
