/* forwarder.h -- for models that stand between a model and a search: every line to such a model
 * (sink.h) has a Forwarder of its own for a context, which asks the model behind it and hands on
 * what it makes of the answer.
 *
 *     Forwarder(const Model &);            // may throw std::bad_alloc
 *     void initial(Sink &asker);
 *     void successors(const uint8_t *state, uint32_t length, Sink &asker);
 */
#ifndef KRIPKE_FORWARDER_H
#define KRIPKE_FORWARDER_H

#include "model/sink.h"

#include <new>

namespace kripke {

/* For a model whose states are longer than those of the model it was copied from: it knows nothing of
 * its states but what it says itself from here on. */
inline void forget_states(kripke_model &model) {
    model.configuration = nullptr;
    model.lacking = nullptr;
    model.distant = nullptr;
    model.components = nullptr;
    model.measure = nullptr;
    model.offers = nullptr;
    model.ready = nullptr;
    model.owner = nullptr;
    model.estimate = nullptr;
}

/* From now on `model`, which is a Model, is asked by way of Relays. */
template <class Model, class Forwarder> void ask_by_relay(kripke_model &model) {
    model.context_new = [](const kripke_model *self) -> void * {
        try {
            return new Forwarder(*static_cast<const Model *>(self));
        } catch (const std::bad_alloc &) {
            return nullptr;
        }
    };
    model.context_free = [](void *context) { delete static_cast<Forwarder *>(context); };
    model.initial = [](kripke_sink *sink) {
        static_cast<Forwarder *>(sink->context)->initial(*static_cast<Sink *>(sink));
    };
    model.successors = [](const uint8_t *state, uint32_t length, kripke_sink *sink) {
        static_cast<Forwarder *>(sink->context)->successors(state, length, *static_cast<Sink *>(sink));
    };
}

} // namespace kripke
#endif
