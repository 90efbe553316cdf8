#include "plan/composition.h"

#include <algorithm>
#include <string>
#include <utility>

namespace kripke {

namespace {

/* What a Search and a ParallelSearch answer alike. */
template <class AnySearch> Outcome outcome_of(const AnySearch &search) {
    Outcome outcome;
    outcome.reason = search.reason();
    outcome.totals = search.totals();
    outcome.errors = search.error_paths().count();
    outcome.seconds = search.seconds();
    outcome.state_bytes = search.longest();
    outcome.store_bytes = search.store_bytes();
    outcome.peak_bytes = search.peak_bytes();
    outcome.covered.assign(search.coverage().begin(), search.coverage().end());
    outcome.store = search.figures();
    return outcome;
}

} // namespace

Composition::Composition(const kripke_model &model, Plan plan, Control &control)
    : plan_(std::move(plan)), control_(control) {
    Options &search = plan_.search;
    search.max_depth = std::min<uint64_t>(search.max_depth, UINT32_MAX - 1);
    guard(plan_, model);
    search.guidance.estimate = model.estimate;
    const kripke_model &searched = observe(wrap(place(model)));
    search.shared.suffix = searched.max_state_bytes - model.max_state_bytes;
    search.guidance.suffix = searched.max_state_bytes - model.max_state_bytes - search.suffix;
    if (plan_.is_parallel())
        parallel_ = ParallelSearch::make(searched, search, control_);
    else
        search_ = Search::make(searched, search, control_);
}

const kripke_model &Composition::place(const kripke_model &model) {
    if (!plan_.safe)
        return model;
    safe_ = plan_.safe->view();
    placed_ = model;
    placed_.safe = &safe_;
    return placed_;
}

const kripke_model &Composition::wrap(const kripke_model &model) {
    Options &search = plan_.search;
    if (plan_.advice != nullptr) {
        search.reduction = true;
        search.every_cycle = plan_.observer.has_value();
        search.deadlocks_only = plan_.deadlocks_only && !plan_.observer;
        reduced_ = std::make_unique<Reduced>(model, *plan_.advice);
        return *reduced_;
    }
    if (plan_.symmetry) {
        symmetric_ = std::make_unique<Symmetric>(model, plan_.symmetry);
        return *symmetric_;
    }
    if (plan_.max_switches) {
        search.suffix = Preemptions::suffix;
        preemptions_ = std::make_unique<Preemptions>(model, *plan_.max_switches, plan_.every_switch);
        return *preemptions_;
    }
    if (plan_.shuffled) {
        shuffled_ = std::make_unique<Shuffled>(model, search.shared.seed);
        return *shuffled_;
    }
    return model;
}

const kripke_model &Composition::observe(const kripke_model &model) {
    if (!plan_.observer)
        return model;
    Observer observer = std::move(*plan_.observer);
    observer.first_strong = plan_.search.sets;
    plan_.search.strong_marks = static_cast<uint32_t>(observer.strong.size());
    product_ = std::make_unique<Product>(model, std::move(observer));
    return *product_;
}

Outcome Composition::run(const Tick &tick) {
    Supervised &supervised = search_ ? static_cast<Supervised &>(*search_) : *parallel_;
    std::vector<Sample> samples = supervise(supervised, control_, plan_.time_limit, tick);
    Outcome outcome;
    if (search_) {
        outcome = outcome_of(*search_);
        outcome.sweep = search_->sweep_figures();
        outcome.expansions = search_->expansions();
    } else {
        outcome = outcome_of(*parallel_);
        outcome.checkpoints = parallel_->checkpoints();
        outcome.failed_checkpoints = parallel_->failed_checkpoints();
    }
    outcome.samples = std::move(samples);
    if (preemptions_ && preemptions_->cut() && outcome.complete())
        outcome.reason = Reason::switches;
    if (shuffled_)
        outcome.sketch.assign(shuffled_->sketch().data(), shuffled_->sketch().data() + Sketch::registers);
    return outcome;
}

const std::vector<ErrorPath> &Composition::error_paths() const {
    return search_ ? search_->error_paths().kept() : parallel_->error_paths().kept();
}

void Composition::for_each_state(const ErrorPath &error, const Visit &visit) const {
    for (const std::string &state : error.states)
        visit(reinterpret_cast<const uint8_t *>(state.data()), static_cast<uint32_t>(state.size()));
    if (!error.states.empty() || !search_)
        return;
    const Store &store = search_->store();
    StateBuffer buffer(store.longest());
    for (const uint64_t offset : error.path) {
        const Record record = store.record(offset);
        visit(store.state(record, buffer), record.length);
    }
}

} // namespace kripke
