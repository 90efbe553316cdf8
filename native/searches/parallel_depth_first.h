/* parallel_depth_first.h -- depth-first, each worker on a stack of its own.
 *
 * A worker goes down from a state to its first unknown successor, and so on; what is
 * still to be tried waits on its stack, between the states of its path. A state belongs
 * to who stores it. By one worker that is true depth-first order.
 *
 * A worker without work is given some by the others: the lowest states that wait on a
 * stack, which lead to most, with the path to them. So every worker knows the path of
 * the state at hand.
 *
 * With partial-order reduction (reduced.h) there is one worker, and what is on its path is
 * kept in a table beside the store; states are expanded with the steps left out where that is
 * due (as in depth_first.h). With a store that forgets this is as good: what is met and
 * not on the path was searched before, or is now, whatever is dropped later.
 */
#ifndef KRIPKE_PARALLEL_SEARCH_DEPTH_FIRST_H
#define KRIPKE_PARALLEL_SEARCH_DEPTH_FIRST_H

#include "searches/parallel_search.h"
#include "cycles/places.h"
#include "memory/stack.h"
#include "reduction/terminal_components.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <thread>

namespace kripke {

template <class Store> class ParallelDepthFirst final : public ParallelSearch {
  public:
    ParallelDepthFirst(const kripke_model &model, const Options &options, Control &control)
        : ParallelSearch(model, options, control), store_(budget_, options.shared, gate_) {
        for (uint32_t i = 0; i < options.shared.workers; ++i)
            workers_.emplace_back(*this);
    }

  private:
    /* open: on the path; lent: so, but it is another worker's, who gave this one work below it. */
    enum class Status : uint32_t { waiting, open, lent, given };
    static bool on_path(Status status) { return status == Status::open || status == Status::lent; }

    /* A state on a stack. */
    struct Entry {
        uint64_t offset; /* of its bytes */
        uint64_t identity;
        uint32_t length;
        Status status;
    };

    /* Work for another: a path, and states that wait at its end. */
    struct Gift {
        std::vector<Entry> entries;
        std::vector<uint8_t> bytes;
    };

    class Worker final : public ParallelWorker {
      public:
        explicit Worker(ParallelDepthFirst &parallel)
            : ParallelWorker(parallel), search_(parallel), view_(parallel.store_), entries_(parallel.budget()), bytes_(parallel.budget()),
              gathered_(parallel.budget()), found_(parallel.budget()), path_(parallel.budget()), components_(parallel.budget()),
              keeps_path_(parallel.options().reduction && !parallel.options().deadlocks_only) {
            connect(this);
        }

        void begin() {
            if (gather([this] { model().initial(this); }))
                push_unknown();
        }

        void work() {
            while (!stopped()) {
                if (search_.hungry_.load(std::memory_order_relaxed) > 0) [[unlikely]]
                    share();
                if (entries_.empty()) {
                    if (!accept(search_.ask_for_work()))
                        break;
                } else if (entries_.top().status == Status::waiting) {
                    visit();
                } else {
                    leave();
                }
            }
        }

        void take(uint32_t length, uint32_t) noexcept {
            ++handed_over_;
            if (stopped())
                return;
            const uint64_t identity = view_.identify(out, length);
            if (Store::identity_is_handle && identity == 0)
                return halt(Reason::memory);
            view_.prefetch(identity);
            const uint64_t offset = gathered_.size();
            gathered_.extend(length);
            if (!found_.push({offset, identity, length, Status::waiting}) || !next_room())
                halt(Reason::memory);
        }

        std::vector<std::string> path() const override {
            std::vector<std::string> states;
            for (uint64_t i = 0; i < entries_.size(); ++i)
                if (on_path(entries_[i].status))
                    states.emplace_back(reinterpret_cast<const char *>(&bytes_[entries_[i].offset]), entries_[i].length);
            return states;
        }

        uint32_t longest() const override { return view_.longest(); }
        uint64_t deepest() const { return deepest_.load(std::memory_order_relaxed); }
        uint64_t height() const { return height_.load(std::memory_order_relaxed); }

      private:
        bool next_room() {
            if (!gathered_.make_room(uint64_t{model().max_state_bytes} + Store::slack))
                return false;
            out = gathered_.end();
            return true;
        }

        /* Collect the states that a call of the model hands over. */
        template <class Call> bool gather(Call call) {
            gathered_.shrink(0);
            found_.shrink(0);
            if (!next_room()) {
                halt(Reason::memory);
                return false;
            }
            call();
            if (lost) [[unlikely]]
                halt(Reason::memory);
            return !stopped();
        }

        /* All has been tried from the top of the stack, or others do it. */
        void leave() {
            const Entry &entry = entries_.top();
            if (entry.status == Status::open) {
                if (keeps_components() && components_.must_take_all(entries_.size() - 1))
                    return take_others(entry);
                --depth_;
                if (keeps_components())
                    components_.leave();
                if (keeps_path_)
                    path_.take_out(entry.identity, entries_.size() - 1);
                if constexpr (Store::forgets)
                    view_.release(entry.identity, &bytes_[entry.offset], entry.length);
            } else if (entry.status == Status::lent) {
                --depth_;
                if constexpr (Store::forgets)
                    view_.give_up(entry.identity, &bytes_[entry.offset], entry.length);
            }
            pop();
        }

        void pop() {
            bytes_.shrink(entries_.top().offset);
            entries_.pop();
            height_.store(entries_.size(), std::memory_order_relaxed);
        }

        void visit() {
            Entry &entry = entries_.top();
            const uint8_t *state = &bytes_[entry.offset];
            if (!view_.make_room())
                return halt(Reason::memory);
            const Insertion outcome = view_.insert(entry.identity, state, entry.length);
            if (outcome == Insertion::full)
                return halt(Reason::states);
            if (outcome == Insertion::no_memory)
                return halt(Reason::memory);
            count_transitions(1);
            if (search_.control_.asked()) [[unlikely]]
                search_.control_.publish(search_.now());
            if (outcome == Insertion::known)
                return pop();
            entry.status = Status::open;
            if (keeps_path_ && !path_.put(entry.identity, entries_.size() - 1))
                return halt(Reason::memory);
            if (++depth_ > deepest())
                deepest_.store(depth_, std::memory_order_relaxed);
            if (checks_states())
                check_state(state, entry.length);
            if (stopped())
                return;
            const uint32_t length = entry.length;
            if constexpr (Store::identity_is_handle) {
                view_.open(entry.identity);
                state = view_.state();
            }
            if (!gather([&] { expand(state, length); }))
                return;
            if (keeps_components())
                enter_component();
            else if (keeps_path_)
                settle_choice(state, length);
            if (stopped())
                return;
            if (search_.options_.max_depth != 0 && depth_ > search_.options_.max_depth)
                look_beyond_limit();
            else
                push_unknown();
        }

        bool keeps_components() const { return keeps_path_ && !search_.options_.every_cycle; }

        /* Where do the chosen steps lead? */
        void enter_component() {
            uint64_t highest = entries_.size() - 1;
            bool trapped = reduced;
            for (uint64_t i = 0; reduced && i < found_.size(); ++i)
                if (!is_on_path(found_[i], [&](uint64_t place) { highest = std::min(highest, place); }))
                    trapped = false;
            if (!components_.enter(!reduced, trapped, highest))
                halt(Reason::memory);
        }

        /* Expand the last state of the path with the steps that were left out. */
        void take_others(const Entry &entry) {
            const uint8_t *const state = &bytes_[entry.offset];
            const uint32_t length = entry.length;
            choice = other_steps;
            const bool going_on = gather([&] { model().successors(state, length, this); });
            choice = 0;
            if (going_on)
                push_unknown();
        }

        /* While a chosen step leads back, take another set of steps, at last all. */
        void settle_choice(const uint8_t *state, uint32_t length) {
            while (reduced && !stopped() && returns()) {
                ++choice;
                again = true;
                gather([&] { model().successors(state, length, this); });
            }
            choice = 0;
            again = false;
        }

        /* Is a successor on the path, or is there none? */
        bool returns() const {
            for (uint64_t i = 0; i < found_.size(); ++i)
                if (is_on_path(found_[i], [](uint64_t) {}))
                    return true;
            return found_.size() == 0;
        }

        template <class Tell> bool is_on_path(const Entry &entry, const Tell &tell) const {
            return path_.any(entry.identity, [&](uint64_t place) {
                const Entry &other = entries_[place];
                const bool is_it = other.length == entry.length &&
                                   std::memcmp(&bytes_[other.offset], &gathered_[entry.offset], entry.length) == 0;
                if (is_it)
                    tell(place);
                return is_it;
            });
        }

        bool is_known(const Entry &entry) {
            return view_.contains(entry.identity, &gathered_[entry.offset], entry.length);
        }

        void look_beyond_limit() {
            for (uint64_t i = 0; i < found_.size(); ++i) {
                const bool known = is_known(found_[i]);
                count_transitions(known);
                cut_ |= !known;
            }
        }

        /* The first one last, so that it is on top. */
        void push_unknown() {
            for (uint64_t i = found_.size(); i-- > 0;) {
                const Entry &entry = found_[i];
                if (is_known(entry)) {
                    count_transitions(1);
                    continue;
                }
                if (!push(entry, &gathered_[entry.offset]))
                    return halt(Reason::memory);
            }
            height_.store(entries_.size(), std::memory_order_relaxed);
        }

        bool push(const Entry &entry, const uint8_t *state) {
            if (!bytes_.make_room(uint64_t{entry.length} + Store::slack) ||
                !entries_.push({bytes_.size(), entry.identity, entry.length, entry.status}))
                return false;
            std::memcpy(bytes_.end(), state, entry.length);
            bytes_.extend(entry.length);
            return true;
        }

        // ---- Company ------------------------------------------------------------

        /* Give the lower half of the lowest states that wait, unless nothing is left then. */
        void share() {
            const uint64_t size = entries_.size();
            lowest_ = std::min(lowest_, size);
            while (lowest_ < size && entries_[lowest_].status != Status::waiting)
                ++lowest_;
            uint64_t end = lowest_;
            while (end < size && entries_[end].status == Status::waiting)
                ++end;
            const uint64_t count = end == size ? (end - lowest_) / 2 : (end - lowest_ + 1) / 2;
            if (count == 0)
                return;
            try {
                Gift gift;
                const auto add = [&](const Entry &entry, Status status) {
                    const uint8_t *state = &bytes_[entry.offset];
                    gift.entries.push_back({gift.bytes.size(), entry.identity, entry.length, status});
                    gift.bytes.insert(gift.bytes.end(), state, state + entry.length);
                };
                for (uint64_t i = 0; i < lowest_; ++i)
                    if (on_path(entries_[i].status))
                        add(entries_[i], Status::lent);
                for (uint64_t i = lowest_; i < lowest_ + count; ++i)
                    add(entries_[i], Status::waiting);
                if (!lend(std::move(gift)))
                    return;
            } catch (const std::bad_alloc &) {
                return; /* then it stays here */
            }
            for (uint64_t i = lowest_; i < lowest_ + count; ++i)
                entries_[i].status = Status::given;
        }

        /* False where nobody needs it any more. Who gets it may be done with it before this returns. */
        bool lend(Gift gift) {
            if constexpr (Store::forgets) {
                const auto each_lent = [this](auto act) {
                    for (uint64_t i = 0; i < lowest_; ++i)
                        if (on_path(entries_[i].status))
                            act(entries_[i].identity, &bytes_[entries_[i].offset], entries_[i].length);
                };
                each_lent([this](auto... entry) { view_.hold(entry...); });
                if (search_.offer(std::move(gift)))
                    return true;
                each_lent([this](auto... entry) { view_.give_up(entry...); });
                return false;
            } else {
                return search_.offer(std::move(gift));
            }
        }

        bool accept(const Gift &gift) {
            if (gift.entries.empty())
                return false;
            lowest_ = 0;
            for (const Entry &entry : gift.entries) {
                if (!push(entry, gift.bytes.data() + entry.offset)) {
                    halt(Reason::memory);
                    return false;
                }
                depth_ += entry.status == Status::lent;
            }
            return true;
        }

        ParallelDepthFirst &search_;
        typename Store::View view_;
        Stack<Entry> entries_;
        Stack<uint8_t> bytes_;    /* of the states on the stack */
        Stack<uint8_t> gathered_; /* successors of one state */
        Stack<Entry> found_;
        Places path_; /* of the open entries, with reduction */
        TerminalComponents components_;
        const bool keeps_path_;
        uint64_t depth_ = 0;  /* open entries */
        uint64_t lowest_ = 0; /* no entry below waits */
        std::atomic<uint64_t> deepest_{0}, height_{0};
    };

    void explore() override {
        gate_.come_back();
        workers_.front().begin();
        gate_.leave();
        let_work(workers_);
    }

    Progress now() const override {
        uint64_t deepest = 0, height = 0;
        for (const Worker &worker : workers_) {
            deepest = std::max(deepest, worker.deepest());
            height += worker.height();
        }
        return {store_.size(), transitions(), deepest == 0 ? 0 : deepest - 1, height, budget_.used()};
    }
    uint64_t bytes() const override { return store_.bytes(); }
    StoreFigures measure() const override { return store_.figures(); }
    bool keeps_paths() const override { return true; }

    // ---- Company ----------------------------------------------------------------

    /* False where nobody needs it any more. */
    bool offer(Gift gift) {
        const std::lock_guard lock(mutex_);
        if (hungry_.load(std::memory_order_relaxed) <= 0)
            return false;
        gifts_.push_back(std::move(gift));
        hungry_.fetch_sub(1, std::memory_order_relaxed);
        changed_.notify_one();
        return true;
    }

    /* An empty one where all workers are without work, or the search is stopped. */
    Gift ask_for_work() {
        gate_.leave();
        Gift gift;
        {
            std::unique_lock lock(mutex_);
            ++idle_;
            hungry_.fetch_add(1, std::memory_order_relaxed);
            if (idle_ == workers_.size() && gifts_.empty()) {
                done_ = true;
                changed_.notify_all();
            }
            while (gifts_.empty() && !done_ && !control_.stopped())
                changed_.wait_for(lock, std::chrono::milliseconds(20));
            if (!gifts_.empty()) {
                gift = std::move(gifts_.front());
                gifts_.pop_front();
                --idle_;
            }
        }
        gate_.come_back();
        return gift;
    }

    Store store_;
    std::deque<Worker> workers_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Gift> gifts_;
    std::atomic<int64_t> hungry_{0}; /* workers without work for which there is no gift */
    size_t idle_ = 0;
    bool done_ = false;
};

} // namespace kripke
#endif
