#include "wrappers/product.h"

#include "wrappers/forwarder.h"
#include "model/sink.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

namespace kripke {

/* One worker's line from the model to whoever asked the product: adds the
 * observer's state to what the model hands over. */
class Product::Forwarder final : public Sink {
  public:
    explicit Forwarder(const Product &product)
        : Sink(product.model_, nullptr), product_(product), truth_((product.model_.atom_count + 63) / 64 * 2) {
        connect(this);
        size_t most = 0;
        for (const auto &edges : product.observer_.edges)
            most = std::max(most, edges.size());
        chosen_.reserve(most);
    }

    void initial(Sink &asker) noexcept {
        edge_ = nullptr;
        nobody_waits_ = 0;
        begin(asker);
        for (const uint32_t state : product_.observer_.initial) {
            start_ = state;
            out = asker_->out;
            product_.model_.initial(this);
        }
    }

    void successors(const uint8_t *state, uint32_t length, Sink &asker) noexcept {
        length -= product_.suffix_;
        if (!asker.again) /* otherwise the edges are chosen, and their errors told */
            choose(state, length, asker);
        asker.reduced = false;
        if (chosen_.empty())
            return;
        begin(asker);
        choice = asker.choice;
        again = asker.again;
        edge_ = chosen_.front();
        keeping_ = chosen_.size() > 1;
        handed_over_ = again; /* a model that has another set of steps has steps */
        kept_.clear();
        kept_bytes_.clear();
        kept_partners_.clear();
        product_.model_.successors(state, length, this);
        asker.reduced = reduced;
        asker_->lost |= lost;
        if (asker_->lost)
            return;
        if (!handed_over_) {
            if (product_.observer_.stutters && !asker_->told_to_stop())
                stutter(state, length);
            return;
        }
        for (size_t i = 1; i < chosen_.size(); ++i)
            repeat(*chosen_[i]);
    }

    void take(uint32_t length, uint32_t label) noexcept {
        handed_over_ = true;
        if (keeping_)
            keep(length, label);
        asker_->actor = actor;
        asker_->event = event;
        asker_->met = &partners;
        asker_->more_partners = more_partners;
        asker_->more_partner_count = more_partner_count;
        if (edge_ != nullptr && !allowed(*edge_, label, happened)) {
            if (asker_->barred != nullptr)
                asker_->barred(*asker_, label);
            return; /* `out` stays: the next step goes there */
        }
        pass(length, label, edge_ == nullptr ? start_ : edge_->target, edge_ == nullptr ? 0 : edge_->marks);
    }

    void complain(uint32_t code, uint32_t label) noexcept {
        handed_over_ = true;
        asker_->actor = actor;
        asker_->report(asker_, code, label);
    }

  private:
    struct Kept {
        uint64_t at;
        uint32_t length, label, actor, event;
        uint64_t happened;
        kripke_partners partners;
        uint64_t more_at; /* in kept_partners_ */
        uint32_t more_count;
    };

    void begin(Sink &asker) {
        asker_ = &asker;
        covered = asker.covered;
        stop = asker.stop;
        safe = asker.safe;
        out = asker.out;
        actor = KRIPKE_NOBODY;
        keeping_ = false;
    }

    /* The enabled edges; what is wrong with them is reported at once. */
    void choose(const uint8_t *state, uint32_t length, Sink &asker) {
        const Product &product = product_;
        const size_t words = truth_.size() / 2;
        uint64_t *const failed = truth_.data() + words;
        uint64_t failures = 0;
        if (words != 0) {
            std::fill(failed, failed + words, 0);
            product.model_.atoms(state, length, truth_.data());
            for (size_t i = 0; i < words; ++i)
                failures |= failed[i];
        }
        nobody_waits_ = 0;
        for (size_t i = 0; i < product.observer_.waiting.size(); ++i) {
            const uint32_t atom = product.observer_.waiting[i];
            if ((truth_[atom / 64] >> (atom % 64) & 1) == 0)
                nobody_waits_ |= uint64_t{1} << (product.observer_.first_waiting + i);
        }
        asker.demands = 0;
        for (size_t i = 0; i < product.observer_.strong.size(); ++i) {
            const auto [at, able] = product.observer_.strong[i];
            const uint64_t mark = uint64_t{1} << (product.observer_.first_strong + i);
            if ((truth_[at / 64] >> (at % 64) & 1) == 0)
                nobody_waits_ |= mark;
            if ((truth_[able / 64] >> (able % 64) & 1) != 0)
                asker.demands |= mark;
        }
        uint32_t number = state[length];
        if (product.suffix_ == 2)
            number |= uint32_t{state[length + 1]} << 8;
        chosen_.clear();
        for (const ObserverEdge &edge : product.observer_.edges[number]) {
            if (failures != 0) [[unlikely]] {
                const Truth found = edge.judge(truth_.data(), failed);
                if (found == Truth::unknown)
                    alarm(asker, product.violation_count - 1);
                if (found != Truth::yes)
                    continue;
            } else if (!edge.allows(truth_.data())) {
                continue;
            }
            if (edge.error == ObserverEdge::no_error) {
                chosen_.push_back(&edge);
                continue;
            }
            alarm(asker, product.model_.violation_count + static_cast<uint32_t>(edge.error));
        }
    }

    /* May an edge that was chosen be taken together with a step of this label and with these events? */
    bool allowed(const ObserverEdge &edge, uint32_t label, uint64_t events) const {
        const std::vector<uint64_t> &steps = product_.observer_.steps;
        return steps.empty() || edge.allows(truth_.data(), truth_.data() + truth_.size() / 2, steps[label] | events);
    }

    static void alarm(Sink &asker, uint32_t code) {
        asker.actor = KRIPKE_NOBODY;
        asker.stutters = true;
        asker.report(&asker, code, 0);
        asker.stutters = false;
    }

    /* Hand on what lies at the asker's `out`, with the observer's state. */
    void pass(uint32_t length, uint32_t label, uint32_t state, uint64_t marks) {
        asker_->out[length] = static_cast<uint8_t>(state);
        if (product_.suffix_ == 2)
            asker_->out[length + 1] = static_cast<uint8_t>(state >> 8);
        asker_->marks = marks | nobody_waits_;
        asker_->emit(asker_, length + product_.suffix_, label);
        out = asker_->out;
    }

    void keep(uint32_t length, uint32_t label) {
        try {
            kept_.push_back({kept_bytes_.size(), length, label, actor, event, happened, partners, kept_partners_.size(), more_partner_count});
            kept_bytes_.insert(kept_bytes_.end(), out, out + length);
            kept_partners_.insert(kept_partners_.end(), more_partners, more_partners + more_partner_count);
        } catch (const std::bad_alloc &) {
            asker_->lost = true;
        }
    }

    /* The steps of the model again, after another move of the observer. */
    void repeat(const ObserverEdge &edge) {
        for (const Kept &kept : kept_) {
            if (asker_->told_to_stop())
                return;
            if (!allowed(edge, kept.label, kept.happened))
                continue;
            std::memcpy(asker_->out, kept_bytes_.data() + kept.at, kept.length);
            asker_->actor = kept.actor;
            asker_->event = kept.event;
            asker_->met = &kept.partners;
            asker_->more_partners = kept_partners_.data() + kept.more_at;
            asker_->more_partner_count = kept.more_count;
            pass(kept.length, kept.label, edge.target, edge.marks);
        }
    }

    void stutter(const uint8_t *state, uint32_t length) {
        asker_->stutters = true;
        asker_->met = nullptr;
        const bool watches_steps = !product_.observer_.steps.empty();
        for (const ObserverEdge *edge : chosen_) {
            if (watches_steps && !edge->allows(truth_.data(), truth_.data() + truth_.size() / 2, 0))
                continue;
            std::memmove(asker_->out, state, length);
            asker_->actor = KRIPKE_NOBODY;
            pass(length, 0, edge->target, edge->marks);
        }
        asker_->stutters = false;
    }

    const Product &product_;
    Sink *asker_ = nullptr;
    std::vector<uint64_t> truth_;
    std::vector<const ObserverEdge *> chosen_;
    const ObserverEdge *edge_ = nullptr; /* the first of them; null for initial states */
    uint32_t start_ = 0;                 /* then: the observer's state */
    uint64_t nobody_waits_ = 0;          /* marks of the events that do not wait in the state */
    bool keeping_ = false;
    bool handed_over_ = false;
    std::vector<Kept> kept_; /* the model's steps, where they are needed more than once */
    std::vector<uint8_t> kept_bytes_;
    std::vector<uint32_t> kept_partners_;
};

namespace {

uint32_t suffix_bytes(const Observer &observer) { return observer.edges.size() <= 256 ? 1 : 2; }

} // namespace

Product::Product(const kripke_model &model, Observer observer)
    : kripke_model(model), model_(model), observer_(std::move(observer)), suffix_(suffix_bytes(observer_)) {
    max_state_bytes += suffix_;
    violation_count += observer_.errors + 1;
    atom_count = 0;
    kripke_model::atoms = nullptr;
    forget_states(*this);
    ask_by_relay<Product, Forwarder>(*this);
    kripke_model::valid_end = [](const uint8_t *, uint32_t) { return 1; };
    if (model_.components == nullptr)
        return;
    /* One more, in a table of its own. */
    names_.assign(model_.component_names, model_.component_names + model_.component_tables);
    names_.push_back("observer");
    component_names = names_.data();
    component_tables = model_.component_tables + 1;
    max_components = model_.max_components + 1;
    kripke_model::components = [](const kripke_model *self, const uint8_t *state, uint32_t length,
                                  kripke_component *parts) {
        const auto &product = *static_cast<const Product *>(self);
        const kripke_model &model = product.model_;
        const uint32_t count = model.components(&model, state, length - product.suffix_, parts);
        parts[count] = {model.component_tables, product.suffix_};
        return count + 1;
    };
}

} // namespace kripke
