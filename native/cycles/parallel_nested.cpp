#include "cycles/parallel_nested.h"

#include "cycles/gathering.h"
#include "stores/shared_states.h"
#include "cycles/depth_first_order.h"

#include <algorithm>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

namespace kripke {

namespace {

using State = SharedStates::State;

constexpr uint64_t blue = 1, red = 2, counted = 4; /* counted: its steps are, by somebody */
constexpr uint32_t first_cyan = 3, first_pink = first_cyan + most_workers;
static_assert(first_pink + most_workers <= 64);

class ParallelNested;

// ---- One worker -------------------------------------------------------------

class alignas(128) Worker final : public Sink {
  public:
    Worker(ParallelNested &search, uint32_t number);

    void run() noexcept;

    void take(uint32_t length, uint32_t label) noexcept;
    void complain(uint32_t code, uint32_t label) noexcept;

    uint64_t transitions() const { return transitions_.load(std::memory_order_relaxed); }
    uint64_t deepest() const { return deepest_.load(std::memory_order_relaxed); }
    uint64_t height() const { return height_.load(std::memory_order_relaxed); }

  private:
    struct Frame {
        State *state;
        uint64_t pending; /* height of pending_ when its last successor is done */
        bool marked;      /* was it entered by a marked edge? */
    };

    struct InnerFrame {
        State *state;
        uint64_t pending; /* height of inner_pending_, likewise */
    };

    struct Pending {
        State *state;
        bool marked; /* is the edge to it? */
    };

    void explore();
    void visit(const Pending &pending);
    void leave();
    void meet(State *target, bool marked);
    void push_successors(uint64_t turn);
    void search_inside(State *start);
    void expand_inside(State *state);
    void wait_for_others();
    void close(State *state);
    void gather(const uint8_t *state, uint32_t length);
    State *entered(const Candidate &item);
    std::vector<std::string> path() const;
    bool stopped() const;
    void halt(Reason reason);

    static uint64_t bits(const State *state) { return state->bits.load(std::memory_order_acquire); }
    static void set(State *state, uint64_t bit) { state->bits.fetch_or(bit, std::memory_order_acq_rel); }
    static void clear(State *state, uint64_t bit) { state->bits.fetch_and(~bit, std::memory_order_acq_rel); }

    ParallelNested &search_;
    const uint32_t number_;
    const uint64_t cyan_, pink_; /* its own bits */
    Gathering<bool> gathered_; /* the successors of the state being expanded: is the edge marked? */
    Stack<Frame> frames_;     /* the path */
    Stack<Pending> pending_;  /* states to be tried */
    Stack<InnerFrame> inner_frames_;
    Stack<State *> inner_pending_;
    Stack<State *> inside_;   /* its pink states */
    Stack<State *> awaited_;  /* to be red before those are */
    bool counting_ = true;    /* is it the first to expand this state? */
    uint64_t handed_over_ = 0;
    std::atomic<uint64_t> transitions_{0}, deepest_{0}, height_{0};
};

// ---- All of them ------------------------------------------------------------

class ParallelNested final : public Search {
  public:
    ParallelNested(const kripke_model &model, const Options &options, Control &control)
        : Search(model, options, control, 0), states_(budget_, options.max_states) {
        connect(this);
        for (uint32_t i = 0; i < std::min(options.threads, most_workers); ++i)
            workers_.push_back(std::make_unique<Worker>(*this, i));
    }

    void take(uint32_t, uint32_t) noexcept {}
    void complain(uint32_t, uint32_t) noexcept {}

    uint64_t stored() const override { return states_.size(); }
    uint64_t stored_bytes() const override { return states_.bytes(); }
    uint32_t longest() const override { return states_.longest(); }

  private:
    friend class Worker;

    void explore() override {
        std::vector<std::thread> threads;
        try {
            for (size_t i = 1; i < workers_.size(); ++i)
                threads.emplace_back([this, i] { workers_[i]->run(); });
        } catch (const std::system_error &) {
            /* No more threads to be had: those that are there do it. */
        }
        workers_[0]->run();
        for (std::thread &thread : threads)
            thread.join();
        for (const auto &worker : workers_) {
            transitions_ += worker->transitions();
            for (size_t i = 0; i < worker->coverage().size(); ++i)
                covered[i] |= worker->coverage()[i];
        }
    }

    uint64_t depth() const override {
        uint64_t deepest = 0;
        for (const auto &worker : workers_)
            deepest = std::max(deepest, worker->deepest());
        return deepest == 0 ? 0 : deepest - 1;
    }
    uint64_t queue() const override {
        uint64_t most = 0;
        for (const auto &worker : workers_)
            most = std::max(most, worker->height());
        return most;
    }

    /* How far we are, from the first worker. */
    void tell() {
        if (!control_.asked())
            return;
        Progress progress{states_.size(), 0, depth(), queue(), budget_.used()};
        for (const auto &worker : workers_)
            progress.transitions += worker->transitions();
        control_.publish(progress);
    }

    void found(const Error &error, std::vector<std::string> path, int64_t loop) {
        const std::lock_guard guard(lock_);
        const bool last = error.kind == Kind::cycle || options_.stop_at_first;
        if (last && control_.stopped())
            return; /* somebody else was first */
        ErrorPath *error_path = error_paths_.add(error, no_state);
        if (last)
            halt(Reason::error);
        if (error_path == nullptr)
            return;
        error_path->states = std::move(path);
        error_path->loop = loop;
    }

    SharedStates states_;
    std::vector<std::unique_ptr<Worker>> workers_;
    std::mutex lock_; /* of error_paths_ */
};

// ---- The outer search ---------------------------------------------------------

Worker::Worker(ParallelNested &search, uint32_t number)
    : Sink(search.model(), search.control_.stop_word()), search_(search), number_(number),
      cyan_(uint64_t{1} << (first_cyan + number)), pink_(uint64_t{1} << (first_pink + number)),
      gathered_(search.budget_, search.model().max_state_bytes), frames_(search.budget_),
      pending_(search.budget_), inner_frames_(search.budget_), inner_pending_(search.budget_),
      inside_(search.budget_), awaited_(search.budget_) {
    connect(this);
}

bool Worker::stopped() const { return search_.control_.stopped(); }
void Worker::halt(Reason reason) { search_.control_.stop(reason); }

void Worker::run() noexcept {
    try {
        explore();
    } catch (const std::bad_alloc &) {
        halt(Reason::memory);
    }
}

void Worker::explore() {
    if (!gathered_.begin(*this))
        return halt(Reason::memory);
    counting_ = number_ == 0;
    model().initial(this);
    push_successors(0);
    take_turns(
        frames_, pending_, [this] { return stopped(); }, [this](const Pending &next) { visit(next); },
        [this] { leave(); });
}

/* Try a state as the successor of the last one of the path. */
void Worker::visit(const Pending &pending) {
    if (number_ == 0)
        search_.tell();
    State *const state = pending.state;
    if ((bits(state) & (cyan_ | blue)) != 0)
        return meet(state, pending.marked);
    if (!frames_.push({state, pending_.size(), pending.marked}))
        return halt(Reason::memory);
    const uint64_t before = state->bits.fetch_or(cyan_ | counted, std::memory_order_acq_rel);
    counting_ = (before & counted) == 0;
    height_.store(frames_.size(), std::memory_order_relaxed);
    deepest_.store(std::max(deepest(), frames_.size()), std::memory_order_relaxed);
    gather(state->bytes(), state->length);
    push_successors(number_ == 0 ? 0 : reinterpret_cast<uintptr_t>(state) / alignof(State) * 2 + number_);
}

void Worker::leave() {
    const Frame frame = frames_.top();
    set(frame.state, blue);
    clear(frame.state, cyan_);
    frames_.pop();
    if (frame.marked && !frames_.empty())
        meet(frame.state, true);
}

/* The last state of the path has an edge to a state that is blue, or cyan to us. */
void Worker::meet(State *target, bool marked) {
    if (!marked)
        return;
    const uint64_t seen = bits(target);
    if ((seen & cyan_) != 0)
        close(target);
    else if ((seen & red) == 0 && !search_.options_.weak)
        search_inside(target);
}

/* A state of our path is met again: at the end of it, or of the inner path. */
void Worker::close(State *state) {
    std::vector<std::string> states = path();
    int64_t loop = -1;
    for (uint64_t i = 0; i < frames_.size(); ++i)
        if (frames_[i].state == state)
            loop = static_cast<int64_t>(i);
    assert(loop >= 0);
    const auto add = [&](const State *one) {
        states.emplace_back(reinterpret_cast<const char *>(one->bytes()), one->length);
    };
    for (uint64_t i = 0; i < inner_frames_.size(); ++i)
        add(inner_frames_[i].state);
    add(state);
    search_.found({Kind::cycle, -1, -1}, std::move(states), loop);
}

std::vector<std::string> Worker::path() const {
    std::vector<std::string> states;
    for (uint64_t i = 0; i < frames_.size(); ++i)
        states.emplace_back(reinterpret_cast<const char *>(frames_[i].state->bytes()), frames_[i].state->length);
    return states;
}

// ---- The inner search -------------------------------------------------------

void Worker::search_inside(State *start) {
    counting_ = false;
    expand_inside(start);
    while (!stopped() && !inner_frames_.empty()) {
        if (number_ == 0)
            search_.tell();
        if (inner_pending_.size() == inner_frames_.top().pending) {
            inner_frames_.pop();
            continue;
        }
        State *const state = inner_pending_.top();
        inner_pending_.pop();
        if ((bits(state) & (red | pink_)) == 0)
            expand_inside(state);
    }
    wait_for_others();
    if (stopped())
        return;
    for (uint64_t i = 0; i < inside_.size(); ++i)
        set(inside_[i], red);
    for (uint64_t i = 0; i < inside_.size(); ++i)
        clear(inside_[i], pink_);
    inside_.shrink(0);
}

void Worker::expand_inside(State *state) {
    set(state, pink_);
    if (!inside_.push(state) || !inner_frames_.push({state, inner_pending_.size()}))
        return halt(Reason::memory);
    gather(state->bytes(), state->length);
    for (uint64_t i = 0; i < gathered_.states().size() && !stopped(); ++i) {
        State *const target = entered(gathered_.states()[i]);
        if (target == nullptr)
            return;
        const uint64_t seen = bits(target);
        if ((seen & cyan_) != 0)
            return close(target);
        if ((seen & red) != 0)
            continue;
        if ((gathered_.edges()[i] && !awaited_.push(target)) || ((seen & pink_) == 0 && !inner_pending_.push(target)))
            return halt(Reason::memory);
    }
}

void Worker::wait_for_others() {
    for (uint64_t i = 0; i < awaited_.size(); ++i)
        while (!stopped() && (bits(awaited_[i]) & red) == 0) {
            if (number_ == 0)
                search_.tell();
            std::this_thread::yield();
        }
    awaited_.shrink(0);
}

// ---- Successors -------------------------------------------------------------

void Worker::gather(const uint8_t *state, uint32_t length) {
    if (!gathered_.begin(*this))
        return halt(Reason::memory);
    const uint64_t before = handed_over_;
    model().successors(state, length, this);
    if (lost)
        halt(Reason::memory);
    if (handed_over_ == before && counting_ && search_.options_.deadlock && !stopped() &&
        model().valid_end(state, length) == 0)
        search_.found({Kind::deadlock, -1, -1}, path(), -1);
}

void Worker::take(uint32_t length, uint32_t) noexcept {
    ++handed_over_;
    if (stopped())
        return;
    if (!gathered_.take(*this, length, marks != 0))
        halt(Reason::memory);
}

void Worker::complain(uint32_t code, uint32_t label) noexcept {
    ++handed_over_;
    if (!counting_)
        return;
    try {
        search_.found({Kind::violation, code, label}, path(), -1);
    } catch (const std::bad_alloc &) {
        halt(Reason::memory);
    }
}

/* The state of a successor, or null and an end of the search. */
State *Worker::entered(const Candidate &item) {
    const auto [outcome, state] = search_.states_.find_or_insert(item.state, item.length);
    if (state == nullptr)
        halt(outcome == SharedStates::Insertion::full ? Reason::states : Reason::memory);
    return state;
}

/* Enter the successors; deal with those that are done with, push the others. Each
 * worker begins, by `turn`, at another one, so that they part ways. */
void Worker::push_successors(uint64_t turn) {
    if (stopped())
        return;
    const uint64_t count = gathered_.states().size();
    if (counting_)
        transitions_.store(transitions() + count, std::memory_order_relaxed);
    /* Those to be met at once come after all are pushed: an inner search gathers, too. */
    const uint64_t first = pending_.size();
    for (uint64_t i = count; i-- > 0;) {
        const uint64_t which = (i + turn) % count;
        State *const state = entered(gathered_.states()[which]);
        if (state == nullptr)
            return;
        if (!pending_.push({state, gathered_.edges()[which]}))
            return halt(Reason::memory);
    }
    uint64_t kept = first;
    for (uint64_t i = first; i < pending_.size() && !stopped(); ++i) {
        const Pending pending = pending_[i];
        if ((bits(pending.state) & (cyan_ | blue)) != 0)
            meet(pending.state, pending.marked);
        else
            pending_[kept++] = pending;
    }
    if (!stopped())
        pending_.shrink(kept);
}

} // namespace

std::unique_ptr<Search> make_parallel_nested(const kripke_model &model, const Options &options, Control &control) {
    return std::make_unique<ParallelNested>(model, options, control);
}

} // namespace kripke
