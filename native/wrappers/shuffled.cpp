#include "wrappers/shuffled.h"

#include "memory/chance.h"
#include "wrappers/step_buffer.h"

#include <new>
#include <utility>

namespace kripke {

struct Shuffled::Context {
    const Shuffled &owner;
    StepBuffer buffer;

    void hand_on(Sink &asker, uint64_t hash) {
        auto &steps = buffer.steps();
        Chance chance(hash ^ owner.seed_);
        for (size_t left = steps.size(); left > 0; --left) {
            if (asker.told_to_stop())
                return;
            std::swap(steps[left - 1], steps[chance.below(left)]);
            buffer.hand_on(steps[left - 1]);
        }
    }
};

Shuffled::Shuffled(const kripke_model &model, uint64_t seed)
    : kripke_model(model), model_(model), seed_(Chance(seed).next()) {
    context_new = [](const kripke_model *self) -> void * {
        const auto &owner = *static_cast<const Shuffled *>(self);
        try {
            return new Context{owner, StepBuffer(owner.model_)};
        } catch (const std::bad_alloc &) {
            return nullptr;
        }
    };
    context_free = [](void *context) { delete static_cast<Context *>(context); };
    kripke_model::initial = [](kripke_sink *sink) {
        Context &context = *static_cast<Context *>(sink->context);
        Sink &asker = *static_cast<Sink *>(sink);
        if (context.buffer.fill_initial(asker))
            context.hand_on(asker, 0);
    };
    kripke_model::successors = [](const uint8_t *state, uint32_t length, kripke_sink *sink) {
        Context &context = *static_cast<Context *>(sink->context);
        Sink &asker = *static_cast<Sink *>(sink);
        const uint64_t hash = hash_bytes(state, length);
        context.owner.sketch_.add(hash);
        if (context.buffer.fill(state, length, asker))
            context.hand_on(asker, hash);
    };
}

} // namespace kripke
