#include "searches/search.h"

#include "searches/best_first.h"
#include "searches/breadth_first.h"
#include "cycles/components.h"
#include "cycles/directed_cycles.h"
#include "searches/deepening.h"
#include "searches/depth_first.h"
#include "cycles/nested_depth_first.h"
#include "cycles/parallel_nested.h"
#include "searches/random_walk.h"
#include "cycles/shortening.h"
#include "searches/sweep.h"

#include <chrono>
#include <new>
#include <stdexcept>
#include <utility>

namespace kripke {

std::unique_ptr<Search> Search::make(const kripke_model &model, const Options &options, Control &control) {
    const bool any_store = options.order == Order::nested || options.order == Order::components ||
                           (options.order == Order::deepening && options.store == StoreKind::bitstate);
    if (options.store != StoreKind::full && (!any_store || options.threads > 1))
        throw std::invalid_argument("a search by one thread has the store \"full\", but for \"ndfs\" and \"scc\"");
    if (!options.guidance.kinds.empty())
        return std::make_unique<DirectedCycles>(model, options, control);
    switch (options.order) {
    case Order::breadth_first:
        return std::make_unique<BreadthFirst>(model, options, control);
    case Order::depth_first:
        return std::make_unique<DepthFirst>(model, options, control);
    case Order::nested:
        if (options.threads > 1)
            return make_parallel_nested(model, options, control);
        return make_nested(model, options, control);
    case Order::components:
        return make_components(model, options, control);
    case Order::random_walk:
        return std::make_unique<RandomWalk>(model, options, control);
    case Order::sweep:
        return std::make_unique<Sweep>(model, options, control);
    case Order::astar:
    case Order::best_first:
    case Order::directed_breadth_first:
        return std::make_unique<BestFirst>(model, options, control);
    case Order::deepening:
    case Order::directed_depth_first:
        return std::make_unique<Deepening>(model, options, control);
    }
    return nullptr;
}

Search::Search(const kripke_model &model, const Options &options, Control &control, uint32_t payload_bytes)
    : Sink(model, control.stop_word()), options_(options), control_(control), budget_(options.memory_limit),
      store_(budget_, control.stop_word(), model.max_state_bytes, options.max_states, payload_bytes),
      expanded_state_(model.max_state_bytes) {
    if (options.invariants.empty() && options.goals.empty())
        return;
    const size_t words = (model.atom_count + 63) / 64;
    truth_.resize(2 * words); /* and which of them failed */
    required_.resize(words);
    wanted_.resize(words);
    const auto put = [&](std::vector<uint64_t> &set, uint32_t atom) {
        assert(atom < model.atom_count);
        const uint64_t bit = uint64_t{1} << (atom % 64), before = set[atom / 64];
        set[atom / 64] |= bit;
        return (before & bit) == 0;
    };
    for (const uint32_t atom : options.invariants)
        put(required_, atom);
    for (const uint32_t atom : options.goals)
        goals_left_ += put(wanted_, atom);
}

void Search::run() {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    try {
        explore();
        if (lost) /* of the initial states */
            halt(Reason::memory);
    } catch (const std::bad_alloc &) {
        halt(Reason::memory);
    }
    seconds_ = std::chrono::duration<double>(Clock::now() - start).count();
    reason_ = control_.reason();
    if (reason_ == Reason::none && cut_)
        reason_ = Reason::depth;
    totals_ = now();
    store_bytes_ += stored_bytes();
    control_.publish(totals_);

    control_.begin_tracing();
    store_.drop_table();
    try {
        make_paths();
        shorten_cycles();
    } catch (const std::bad_alloc &) {
        /* The errors are there without their paths. */
    }
    if (control_.tracing_stopped())
        reason_ = Reason::interrupted;
}

bool Search::make_room(uint64_t states, uint64_t bytes) {
    switch (store_.make_room(states, bytes)) {
    case Store::Room::ready:
        return true;
    case Store::Room::no_memory:
        halt(Reason::memory);
        return false;
    case Store::Room::stopped:
        return false;
    }
    return false;
}

void Search::ask_for_successors(uint64_t offset, const uint8_t *state, uint32_t length) {
    source_ = offset;
    model().successors(state, length, this);
    if (lost) [[unlikely]]
        halt(Reason::memory);
}

void Search::expand(uint64_t offset, const uint8_t *state, uint32_t length) {
    const uint64_t before = handed_over_;
    ask_for_successors(offset, state, length);
    /* A model that was asked to stop may have left before its first step. */
    if (handed_over_ == before && !muted_ && !stopped())
        found_deadlock(offset, state, length);
}

void Search::found_deadlock(uint64_t offset, const uint8_t *state, uint32_t length) noexcept {
    if (options_.deadlock && model().valid_end(state, length - options_.suffix) == 0)
        found({Kind::deadlock, -1, -1}, offset);
}

void Search::check_atoms(uint64_t offset, const uint8_t *state, uint32_t length) {
    model().atoms(state, length - options_.suffix, truth_.data());
    each_broken(truth_, required_, [&](const Error &error) { found(error, offset); });
    for (size_t word = 0; word < required_.size(); ++word) {
        for (uint64_t reached = wanted_[word] & truth_[word]; reached != 0; reached &= reached - 1) {
            found({Kind::goal, static_cast<int64_t>(word * 64) + __builtin_ctzll(reached), -1}, offset);
            --goals_left_;
        }
        wanted_[word] &= ~truth_[word];
    }
    if (!options_.goals.empty() && goals_left_ == 0)
        halt(Reason::error);
}

void Search::found_violation(uint32_t code, uint32_t label) noexcept {
    ++handed_over_;
    if (!muted_)
        found({Kind::violation, code, label}, source_);
}

/* Where fairness is asked for, a loop must have more than marks: it stays as it is. */
void Search::shorten_cycles() {
    constexpr uint64_t limit = 200'000;
    for (ErrorPath &error_path : error_paths_.kept()) {
        if (error_path.error.kind != Kind::cycle || options_.fairness != Fairness::none ||
            options_.strong_marks != 0)
            continue;
        Lasso lasso{error_path.states, static_cast<uint64_t>(error_path.loop)};
        for (const uint64_t offset : error_path.path) {
            const Record record = store_.record(offset);
            const uint8_t *state = store_.state(record, expanded_state_);
            lasso.states.emplace_back(reinterpret_cast<const char *>(state), record.length);
        }
        Shortening shortening(model(), control_, options_.sets >= 64 ? UINT64_MAX : (uint64_t{1} << options_.sets) - 1);
        shortening.shorten(lasso, limit);
        if (options_.shortest)
            shortening.shortest(lasso);
        error_path.states = std::move(lasso.states);
        error_path.loop = static_cast<int64_t>(lasso.loop);
    }
}

void Search::found_cycle(Path path, int64_t loop) {
    ErrorPath *error_path = error_paths_.add({Kind::cycle, -1, -1}, path.back());
    halt(Reason::error);
    if (error_path == nullptr)
        return;
    error_path->path = std::move(path);
    error_path->loop = loop;
}

void Search::found_cycle(std::vector<std::string> states, int64_t loop) {
    ErrorPath *error_path = error_paths_.add({Kind::cycle, -1, -1}, 0);
    halt(Reason::error);
    if (error_path == nullptr)
        return;
    error_path->states = std::move(states);
    error_path->loop = loop;
}

void Search::found(const Error &error, uint64_t state) noexcept {
    if (options_.stop_at_first && error_paths_.count() > 0)
        return; /* a second error of the very step or state that ended the search */
    try {
        ErrorPath *error_path = error_paths_.add(error, state);
        if (options_.stop_at_first) {
            halt(Reason::error);
            store_bytes_ = store_.table_bytes(); /* of a table no longer needed: room for the path */
            store_.drop_table();
        }
        if (error_path != nullptr)
            keep_path(*error_path);
    } catch (const std::bad_alloc &) {
        halt(Reason::memory);
    }
}

Progress Search::now() const { return {stored(), transitions_, depth(), queue(), budget_.used()}; }

} // namespace kripke
