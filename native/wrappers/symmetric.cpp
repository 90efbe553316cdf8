#include "wrappers/symmetric.h"

#include "wrappers/forwarder.h"
#include "model/sink.h"

#include <new>
#include <utility>

namespace kripke {

/* One worker's line from the model to whoever asked. */
class Symmetric::Forwarder final : public Sink {
  public:
    explicit Forwarder(const Symmetric &symmetric)
        : Sink(symmetric.model_, nullptr), symmetric_(symmetric),
          representative_(symmetric.choosers_()) {
        connect(this);
    }

    void initial(Sink &asker) {
        begin(asker);
        symmetric_.model_.initial(this);
    }

    void successors(const uint8_t *state, uint32_t length, Sink &asker) {
        begin(asker);
        representative_->begin(state, length);
        symmetric_.model_.successors(state, length, this);
    }

    void take(uint32_t length, uint32_t label) noexcept {
        try {
            representative_->find(out, length, stop);
        } catch (const std::bad_alloc &) {
            /* It stands for itself, then: any state of its class may. */
        }
        asker_->actor = actor;
        asker_->emit(asker_, length, label);
        out = asker_->out;
    }

    void complain(uint32_t code, uint32_t label) noexcept {
        asker_->actor = actor;
        asker_->report(asker_, code, label);
    }

  private:
    void begin(Sink &asker) {
        asker_ = &asker;
        out = asker.out;
        covered = asker.covered;
        stop = asker.stop;
        actor = KRIPKE_NOBODY;
        last_resort = 0;
    }

    const Symmetric &symmetric_;
    const std::unique_ptr<Representative> representative_;
    Sink *asker_ = nullptr;
};

Symmetric::Symmetric(const kripke_model &model, Choosers choosers)
    : kripke_model(model), model_(model), choosers_(std::move(choosers)) {
    /* Of the events of a representative: they are those of the states it stands for with other names. */
    offers = nullptr;
    ready = nullptr;
    events = nullptr;
    event_count = 0;
    label_events = nullptr;
    flags &= ~KRIPKE_STEPS_HAVE_EVENTS;
    ask_by_relay<Symmetric, Forwarder>(*this);
}

} // namespace kripke
