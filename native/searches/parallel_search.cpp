#include "searches/parallel_search.h"

#include "stores/bitstate_store.h"
#include "searches/breadth_first.h"
#include "stores/cache_store.h"
#include "stores/collapse_store.h"
#include "searches/parallel_breadth_first.h"
#include "searches/parallel_depth_first.h"
#include "searches/disk_breadth_first.h"
#include "stores/full_store.h"
#include "stores/hash_compact_store.h"
#include "stores/number_store.h"
#include "searches/supervise.h"
#include "stores/tree_store.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <stdexcept>
#include <utility>

namespace kripke {

namespace {

template <class Store>
std::unique_ptr<ParallelSearch> make_with(const kripke_model &model, const Options &options, Control &control) {
    if (options.order == Order::depth_first)
        return std::make_unique<ParallelDepthFirst<Store>>(model, options, control);
    if constexpr (Store::unfolds)
        return std::make_unique<ParallelBreadthFirst<Store>>(model, options, control);
    throw std::invalid_argument("this store goes with depth-first search only");
}

} // namespace

std::unique_ptr<ParallelSearch> ParallelSearch::make(const kripke_model &model, const Options &options, Control &control) {
    Options resolved = options;
    resolved.shared.max_state_bytes = model.max_state_bytes;
    resolved.shared.max_states = options.max_states;
    const bool for_reduction = options.store != StoreKind::full && options.store != StoreKind::disk;
    const bool by_several = options.shared.workers > 1 && options.order != Order::breadth_first;
    if (options.reduction && (by_several || options.max_depth != 0 || !for_reduction))
        throw std::invalid_argument("a parallel search reduces with a store of its own in memory, without a depth limit, by several threads breadth-first");
    resolved.shared.model = &model;
    resolved.shared.stop = control.stop_word();
    switch (options.store) {
    case StoreKind::tree:
        return make_with<TreeStore>(model, resolved, control);
    case StoreKind::collapse:
        return make_with<CollapseStore>(model, resolved, control);
    case StoreKind::numbers:
        return make_with<NumberStore>(model, resolved, control);
    case StoreKind::hash_compact:
        if (options.shared.hash_bits == 64)
            return make_with<HashCompactStore<uint64_t>>(model, resolved, control);
        return make_with<HashCompactStore<uint32_t>>(model, resolved, control);
    case StoreKind::bitstate:
        return make_with<BitstateStore>(model, resolved, control);
    case StoreKind::cache:
        if (options.max_depth != 0)
            throw std::invalid_argument("a cache goes without a depth limit");
        return make_with<CacheStore>(model, resolved, control);
    case StoreKind::disk:
        if (options.order != Order::breadth_first || options.shared.workers != 1 || options.max_depth != 0)
            throw std::invalid_argument("the store on disk goes with one breadth-first search, without a depth limit");
        return std::make_unique<DiskBreadthFirst>(model, resolved, control);
    case StoreKind::full:
        return make_with<FullStore>(model, resolved, control);
    }
    throw std::invalid_argument("there is no such store");
}

ParallelSearch::ParallelSearch(const kripke_model &model, const Options &options, Control &control)
    : model_(model), options_(options), control_(control), budget_(options.memory_limit),
      gate_(options.shared.workers) {}

void ParallelSearch::run() {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    explore();
    seconds_ = std::chrono::duration<double>(Clock::now() - start).count();
    reason_ = control_.reason();
    covered_.assign(model_.label_count, 0);
    bool cut = false;
    for (const ParallelWorker *worker : workers_) {
        cut |= worker->cut();
        longest_ = std::max(longest_, worker->longest());
        for (uint32_t label = 0; label < model_.label_count; ++label)
            covered_[label] |= worker->coverage()[label];
    }
    if (reason_ == Reason::none && cut)
        reason_ = Reason::depth;
    totals_ = now();
    store_bytes_ = bytes();
    figures_ = measure();
    control_.publish(totals_);
    control_.begin_tracing();
    if (saves() && (reason_ == Reason::interrupted || reason_ == Reason::time || reason_ == Reason::states))
        save_last();
    if (!keeps_paths() && !error_paths_.kept().empty())
        find_paths();
    if (control_.tracing_stopped())
        reason_ = Reason::interrupted;
}

/* By a search of one worker that keeps all states; it ends where the errors are. */
void ParallelSearch::find_paths() {
    Options options = options_;
    options.order = Order::breadth_first;
    if (!options_.reduction) { /* else what is as deep is not the same for certain, nor is all of it needed */
        options.max_depth = totals_.depth + 1;
        if (options_.max_depth != 0)
            options.max_depth = std::min(options.max_depth, options_.max_depth);
    }
    if (options.memory_limit != 0)
        options.memory_limit -= std::min(budget_.used(), options.memory_limit - 1);
    Control control;
    const auto pass_on = [&](const Progress &, double) {
        if (control_.tracing_stopped())
            control.interrupt();
    };
    try {
        BreadthFirst search(model_, options, control);
        supervise(search, control, 0, pass_on);
        adopt(search);
    } catch (const std::bad_alloc &) {
        /* The errors are there without their paths. */
    }
}

void ParallelSearch::adopt(const Search &search) {
    StateBuffer buffer(model_.max_state_bytes);
    const auto states_of = [&](const ErrorPath &error_path) {
        std::vector<std::string> states;
        for (const uint64_t offset : error_path.path) {
            const Record record = search.store().record(offset);
            states.emplace_back(reinterpret_cast<const char *>(search.store().state(record, buffer)), record.length);
        }
        return states;
    };
    for (const ErrorPath &error_path : search.error_paths().kept()) {
        if (error_path.path.empty())
            continue;
        const auto same = [&](const ErrorPath &own) { return own.error == error_path.error; };
        std::vector<ErrorPath> &kept = error_paths_.kept();
        auto own = std::find_if(kept.begin(), kept.end(), same);
        if (own == kept.end()) {
            if (!options_.stop_at_first)
                continue;
            own = kept.begin(); /* several errors at the same distance: the one with a path */
            own->error = error_path.error;
        }
        own->states = states_of(error_path);
    }
}

uint64_t ParallelSearch::transitions() const {
    uint64_t sum = 0;
    for (const ParallelWorker *worker : workers_)
        sum += worker->transitions();
    return sum;
}

bool ParallelSearch::checkpoint_due() {
    if (options_.checkpoint.empty() || control_.stopped())
        return false;
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - last_checkpoint_).count();
    const bool asked = control_.take_checkpoint();
    if (!asked && (options_.checkpoint_seconds <= 0 || seconds < options_.checkpoint_seconds))
        return false;
    last_checkpoint_ = now;
    return true;
}

void ParallelSearch::write_errors(CheckpointWriter &writer) const {
    std::vector<uint8_t> covered(model_.label_count);
    for (const ParallelWorker *worker : workers_)
        for (uint32_t label = 0; label < model_.label_count; ++label)
            covered[label] |= worker->coverage()[label];
    writer.text(covered.data(), model_.label_count);
    uint64_t errors = error_paths_.count();
    for (const ParallelWorker *worker : workers_)
        errors -= worker->unsettled_errors();
    writer.number(errors);
    writer.number(error_paths_.kept().size());
    for (const ErrorPath &error_path : error_paths_.kept()) {
        writer.number(static_cast<uint64_t>(error_path.error.kind));
        writer.number(static_cast<uint64_t>(error_path.error.code));
        writer.number(static_cast<uint64_t>(error_path.error.label));
    }
}

void ParallelSearch::read_errors(CheckpointReader &reader, ParallelWorker &worker) {
    std::vector<uint8_t> covered(model_.label_count + size_t{1});
    if (reader.text(covered.data(), model_.label_count) != model_.label_count)
        throw BadCheckpoint("it is damaged: statements are missing");
    for (uint32_t label = 0; label < model_.label_count; ++label)
        worker.covered[label] |= covered[label] & 1;
    const uint64_t errors = reader.number(), kept = reader.count(3 * sizeof(uint64_t));
    for (uint64_t i = 0; i < kept; ++i) {
        const uint64_t kind = reader.number(), code = reader.number(), label = reader.number();
        const auto number = static_cast<int64_t>(code), place = static_cast<int64_t>(label);
        const bool proper = (kind == static_cast<uint64_t>(Kind::violation) && code < model_.violation_count &&
                             label < model_.label_count) ||
                            (kind == static_cast<uint64_t>(Kind::invariant) && code < model_.atom_count &&
                             (place == -1 || place == Error::unevaluated)) ||
                            (kind == static_cast<uint64_t>(Kind::deadlock) && number == -1 && place == -1);
        if (!proper)
            throw BadCheckpoint("it is damaged: there is no such error");
        error_paths_.add({static_cast<Kind>(kind), number, place}, no_state);
    }
    error_paths_.set_count(errors);
}

void ParallelSearch::found(const Error &error, const ParallelWorker &worker) noexcept {
    const std::lock_guard lock(errors_mutex_);
    if (options_.stop_at_first && error_paths_.count() > 0)
        return;
    if (options_.stop_at_first)
        control_.stop(Reason::error);
    try {
        if (ErrorPath *error_path = error_paths_.add(error, no_state))
            error_path->states = worker.path();
    } catch (const std::bad_alloc &) {
        control_.stop(Reason::memory);
    }
}

ParallelWorker::ParallelWorker(ParallelSearch &parallel) : Sink(parallel.model(), parallel.control().stop_word()), parallel_(parallel) {
    parallel.add_worker(*this);
    if (parallel.options().invariants.empty())
        return;
    const size_t words = (model().atom_count + 63) / 64;
    truth_.resize(2 * words);
    required_.resize(words);
    for (const uint32_t atom : parallel.options().invariants)
        required_[atom / 64] |= uint64_t{1} << (atom % 64);
}

void ParallelWorker::check_state(const uint8_t *state, uint32_t length) {
    model().atoms(state, length, truth_.data());
    each_broken(truth_, required_, [&](const Error &error) { parallel_.found(error, *this); });
}

void ParallelWorker::expand(const uint8_t *state, uint32_t length) {
    const uint64_t before = handed_over_;
    model().successors(state, length, this);
    if (lost) [[unlikely]]
        halt(Reason::memory);
    if (handed_over_ == before && parallel_.options().deadlock && !stopped() && model().valid_end(state, length) == 0)
        found({Kind::deadlock, -1, -1});
}

} // namespace kripke
