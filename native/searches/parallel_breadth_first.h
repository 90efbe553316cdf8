/* parallel_breadth_first.h -- layer by layer, each shared out among the workers.
 *
 * A layer is a list of parts. Workers take parts of the present layer and make parts of the
 * next one; when none is left they meet, and the next layer begins. So every state is found at
 * its distance from the initial states. Where the states that a worker stores lie one behind
 * the other, a part is the first of some such states; else it is a chunk of handles. A chunk
 * that was read is used again: memory is for the largest two layers, not for all.
 *
 * With partial-order reduction (reduced.h) a set of steps is not enough if all of them lead
 * to states that were expanded before (as in breadth_first.h). Which were not is kept in a
 * table beside the store: those of the two layers. A state is taken out of it before its
 * steps are computed, by any worker. So where a set was enough, a state it leads to is taken
 * out later than the state it belongs to, and around no cycle is something put off for ever.
 * (A state that another worker stores at this moment may count as expanded: then there are
 * more steps than need be. How many there are depends on who comes first.)
 */
#ifndef KRIPKE_PARALLEL_SEARCH_BREADTH_FIRST_H
#define KRIPKE_PARALLEL_SEARCH_BREADTH_FIRST_H

#include "searches/parallel_search.h"
#include "cycles/places.h"
#include "memory/stack.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <new>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace kripke {

template <class Store> class ParallelBreadthFirst final : public ParallelSearch {
  public:
    ParallelBreadthFirst(const kripke_model &model, const Options &options, Control &control)
        : ParallelSearch(model, options, control), store_(budget_, options.shared, gate_), waiting_(budget_) {
        for (uint32_t i = 0; i < options.shared.workers; ++i)
            workers_.emplace_back(*this, i);
    }

  private:
    struct Chunk {
        uint64_t size;
        uint64_t handles[127];
    };

    /* States that lie one behind the other. */
    struct Run {
        uint64_t first = 0;
        uint64_t size = 0;
        explicit operator bool() const { return size != 0; }
    };
    static constexpr uint64_t longest_run = 255;

    using Part = std::conditional_t<Store::in_order, Run, std::unique_ptr<Chunk>>;
    using Parts = std::vector<Part>;

    /* The part of a layer that one worker has found. Others help with it when they have done their own: who finds a state
     * has what is near it in its cache. */
    struct alignas(own_lines) Share {
        Parts layer;                /* entries are taken out */
        std::atomic<uint64_t> next{0}; /* the next part of it */
        Parts following;            /* of the next layer */
    };

    class Worker final : public ParallelWorker {
      public:
        Worker(ParallelBreadthFirst &parallel, uint32_t number)
            : ParallelWorker(parallel), search_(parallel), number_(number), share_(parallel.shares_.emplace_back()), view_(parallel.store_), reduces_(parallel.options().reduction),
              found_(parallel.budget()) {
            connect(this);
            out = view_.room();
        }

        void begin() {
            model().initial(this);
            if (lost)
                halt(Reason::memory);
            if (reduces_)
                store_found();
            flush();
            hand_over();
            settle();
        }

        void work() {
            while (!stopped()) {
                if (Part part = search_.next_part(number_)) {
                    expand_all(part);
                    if (search_.saves() && !finish_part()) {
                        unfinished_ = std::move(part);
                        break;
                    }
                    if constexpr (!Store::in_order)
                        search_.give_back(std::move(part));
                    continue;
                }
                flush();
                hand_over();
                if (!search_.meet())
                    break;
                if (search_.at_limit_)
                    view_.stop_storing();
            }
        }

        void take(uint32_t length, uint32_t) noexcept {
            ++handed_over_;
            if constexpr (Store::identity_is_handle)
                if (reduces_)
                    return find(length);
            if (!view_.add(length)) [[unlikely]]
                return halt(Reason::memory);
            out = view_.room();
            if (view_.full()) [[unlikely]]
                flush();
        }

        // ---- Checkpoints ----------------------------------------------------------

        /* All states of the store. */
        void save_states(CheckpointWriter &writer) {
            writer.number(search_.store_.size());
            search_.store_.for_each(view_, [&](const uint8_t *state, uint32_t length) {
                if (!search_.control_.tracing_stopped())
                    writer.text(state, length);
            });
        }

        /* Those of some parts. */
        void save_parts(CheckpointWriter &writer, const std::vector<const Part *> &parts) {
            uint64_t states = 0;
            for (const Part *part : parts)
                states += size_of(*part);
            writer.number(states);
            for (const Part *part : parts)
                open_each(*part, [&] {
                    writer.text(view_.state(), view_.length());
                    return true;
                });
        }

        /* The part that a stop has kept it from finishing, if there is one: its states are to be
         * expanded again. */
        const Part &unfinished() const { return unfinished_; }
        uint64_t settled_transitions() const { return settled_transitions_; }
        bool lost_state() const { return lost_state_; }
        /* What it made for the next layer, where a stop came before it was handed over. */
        void hand_over_rest() { hand_over(); }

        void load(CheckpointReader &reader, uint64_t transitions, bool cut) {
            const uint64_t states = reader.count(sizeof(uint64_t));
            if (!search_.store_.expect(states))
                return halt(Reason::memory);
            for (uint64_t i = 0; i < states && !stopped(); ++i) {
                const uint32_t length = reader.text(view_.room(), model().max_state_bytes);
                if (!view_.add(length))
                    return halt(Reason::memory);
                if (view_.full() || i + 1 == states)
                    load_batch();
            }
            if (!stopped() && search_.store_.size() != states)
                throw BadCheckpoint("it is damaged: a state is there twice");
            uint64_t waiting = load_parts(reader);
            Parts layer = std::exchange(share_.following, Parts());
            waiting += load_parts(reader); /* of the layer after it */
            search_.found_before_ = std::exchange(share_.following, std::move(layer));
            count_transitions(transitions);
            cut_ |= cut;
            expanded_.store(states - std::min(states, waiting), std::memory_order_relaxed);
            out = view_.room();
            settle();
        }

        uint32_t longest() const override { return view_.longest(); }
        uint64_t expanded() const { return expanded_.load(std::memory_order_relaxed); }

      private:
        static uint64_t size_of(const Part &part) {
            if constexpr (Store::in_order)
                return part.size;
            else
                return part->size;
        }

        /* Open each state of a part and call `each`, until it says false. */
        template <class Each> void open_each(const Part &part, Each each) {
            if constexpr (Store::in_order) {
                uint64_t handle = part.first;
                for (uint64_t i = 0; i < part.size; ++i) {
                    handle = view_.open(handle);
                    if (!each())
                        return;
                }
            } else {
                for (uint64_t i = 0; i < part->size; ++i) {
                    view_.open(part->handles[i]);
                    if (reduces_)
                        search_.waiting_.take_out(part->handles[i], 0);
                    if (!each())
                        return;
                }
            }
        }

        /* States of a checkpoint that wait; how many. */
        uint64_t load_parts(CheckpointReader &reader) {
            const uint64_t waiting = reader.count(sizeof(uint64_t));
            std::vector<uint8_t> state(model().max_state_bytes + uint64_t{Store::slack});
            for (uint64_t i = 0; i < waiting && !stopped(); ++i) {
                const uint32_t length = reader.text(state.data(), model().max_state_bytes);
                const uint64_t handle = view_.handle_of(state.data(), length);
                if (handle == 0)
                    throw BadCheckpoint("it is damaged: a state is missing");
                if (Store::in_order)
                    hand_over(); /* they were stored in some other order */
                put(handle);
            }
            hand_over();
            return waiting;
        }

        /* Store what the states of a part lead to. False where a stop came before all of it was
         * stored: then they count as not expanded. */
        bool finish_part() {
            flush();
            if (stopped())
                return false;
            settle();
            return true;
        }

        /* Everything that was expanded so far has its successors in the store. */
        void settle() {
            settled_transitions_ = transitions();
            unsettled_errors_ = 0;
        }

        void expand_all(const Part &part) {
            open_each(part, [this] {
                expand(view_.state(), view_.length());
                if (reduces_) {
                    settle_choice();
                    store_found();
                }
                if (stopped())
                    return false;
                expanded_.store(expanded() + 1, std::memory_order_relaxed);
                if (search_.control_.asked()) [[unlikely]]
                    search_.control_.publish(search_.now());
                return true;
            });
        }

        // ---- With reduction, of the state that was opened --------------------------

        void find(uint32_t length) {
            if (stopped())
                return;
            const uint64_t handle = view_.identify(out, length);
            if (handle == 0 || !found_.push(handle))
                halt(Reason::memory);
        }

        /* While the chosen steps lead back, take another set of steps, at last all. */
        void settle_choice() {
            while (reduced && !search_.options_.deadlocks_only && !stopped() && !leads_on()) {
                found_.shrink(0);
                ++choice;
                again = true;
                model().successors(view_.state(), view_.length(), this);
            }
            choice = 0;
            again = false;
        }

        /* Is a successor still to be expanded? Where no cycle may be left without a state that
         * is expanded in full: are all? */
        bool leads_on() {
            bool some = false, all = true;
            for (uint64_t i = 0; i < found_.size(); ++i) {
                const bool ahead = !view_.contains(found_[i], nullptr, 0) || search_.waiting_.any(found_[i]);
                some |= ahead;
                all &= ahead;
            }
            return some && (all || !search_.options_.every_cycle);
        }

        void store_found() {
            for (uint64_t i = 0; i < found_.size() && !stopped(); ++i) {
                if (!view_.make_room())
                    return halt(Reason::memory);
                const Insertion outcome = view_.insert(found_[i], nullptr, 0);
                if (outcome == Insertion::full)
                    return halt(Reason::states);
                if (outcome == Insertion::no_memory)
                    return halt(Reason::memory);
                count_transitions(1);
                if (outcome == Insertion::inserted) {
                    if (!search_.waiting_.put(found_[i], 0))
                        return halt(Reason::memory);
                    keep(found_[i]);
                }
            }
            found_.shrink(0);
        }

        /* After: the batch is empty. */
        [[gnu::noinline]] void flush() {
            if (stopped())
                view_.clear();
            else if (view_.batch() != 0)
                store_batch();
            out = view_.room();
        }

        void store_batch() {
            const uint64_t count = view_.batch();
            if (search_.at_limit_) {
                search_.gate_.pass();
                const uint64_t known = view_.count_known();
                count_transitions(known);
                cut_ |= known < count;
                return;
            }
            if (!view_.make_room()) {
                view_.clear();
                return halt(Reason::memory);
            }
            const Insertion outcome = view_.store_batch([this](uint64_t handle) { return keep(handle); });
            count_transitions(count);
            note(outcome);
        }

        /* Stop where not everything could be stored. */
        void note(Insertion outcome) {
            if (outcome == Insertion::full)
                halt(Reason::states);
            else if (outcome == Insertion::no_memory)
                halt(Reason::memory);
        }

        void load_batch() {
            if (!view_.make_room())
                return halt(Reason::memory);
            note(view_.store_batch([](uint64_t) { return true; }));
        }

        /* A new state. It is checked even where another worker has stopped the search in between: it is in the store, so
         * nobody will find it again after a resumption. */
        bool keep(uint64_t handle) {
            if (!put(handle))
                return false;
            if (checks_states()) {
                const auto [state, length] = view_.look(handle);
                check_state(state, length);
            }
            return !stopped();
        }

        /* It waits in the next layer. Where states lie in order, it is the last one that was stored. False: no memory. */
        bool put(uint64_t handle) {
            if constexpr (Store::in_order) {
                if (made_.size == longest_run || view_.begins_block(handle))
                    hand_over();
                if (made_.size++ == 0)
                    made_.first = handle;
            } else {
                if (made_ == nullptr || made_->size == std::size(made_->handles)) {
                    hand_over();
                    made_ = search_.new_chunk();
                    if (made_ == nullptr) {
                        lost_state_ = true;
                        halt(Reason::memory);
                        return false;
                    }
                }
                made_->handles[made_->size++] = handle;
            }
            return true;
        }

        void hand_over() try {
            if (made_)
                share_.following.push_back(std::exchange(made_, Part()));
        } catch (const std::bad_alloc &) {
            lost_state_ = true;
            halt(Reason::memory);
        }

        ParallelBreadthFirst &search_;
        const uint32_t number_;
        Share &share_;
        typename Store::View view_;
        Part made_{}; /* for the next layer */
        Part unfinished_{};
        uint64_t settled_transitions_ = 0;
        bool lost_state_ = false; /* is a state in the store that waits nowhere? */
        const bool reduces_;
        Stack<uint64_t> found_; /* handles of the successors of one state, with reduction */
        std::atomic<uint64_t> expanded_{0};
    };

    void explore() override {
        gate_.come_back();
        if (options_.resume.empty())
            workers_.front().begin();
        else
            resume();
        begin_layer();
        gate_.leave();
        can_be_saved_ = !control_.stopped();
        let_work(workers_);
    }

    Progress now() const override {
        uint64_t expanded = 0;
        for (const Worker &worker : workers_)
            expanded += worker.expanded();
        const uint64_t states = store_.size();
        return {states, transitions(), depth_.load(std::memory_order_relaxed), states - std::min(states, expanded),
                budget_.used()};
    }
    uint64_t bytes() const override { return store_.bytes(); }
    StoreFigures measure() const override { return store_.figures(); }
    bool keeps_paths() const override { return false; }

    // ---- Layers ---------------------------------------------------------------

    /* For this worker; null where there is none left. */
    Part next_part(size_t worker) {
        for (size_t i = 0; i < shares_.size(); ++i) {
            Share &share = shares_[(worker + i) % shares_.size()];
            if (share.next.load(std::memory_order_relaxed) >= share.layer.size())
                continue;
            const uint64_t number = share.next.fetch_add(1, std::memory_order_relaxed);
            if (number < share.layer.size())
                return std::move(share.layer[number]);
        }
        return Part();
    }

    /* All parts are taken. False: there are no more layers. */
    bool meet() {
        gate_.leave();
        const uint64_t present = round_.load(std::memory_order_acquire);
        {
            std::unique_lock lock(mutex_);
            if (++met_ == workers_.size()) {
                met_ = 0;
                begin_layer();
                round_.store(present + 1, std::memory_order_release);
                all_met_.notify_all();
            }
        }
        for (int i = 0; i < 2000 && round_.load(std::memory_order_acquire) == present && !control_.stopped(); ++i)
            std::this_thread::yield();
        if (round_.load(std::memory_order_acquire) == present) {
            std::unique_lock lock(mutex_);
            while (round_.load(std::memory_order_relaxed) == present && !control_.stopped())
                all_met_.wait_for(lock, std::chrono::milliseconds(20));
        }
        gate_.come_back();
        return !control_.stopped() && more_; /* if it is stopped, somebody may still make a layer */
    }

    /* By one worker while all others wait. */
    void begin_layer() {
        more_ = false;
        for (Share &share : shares_) {
            share.layer.swap(share.following);
            share.following.clear();
            share.next.store(0, std::memory_order_relaxed);
            more_ |= !share.layer.empty();
        }
        if (!found_before_.empty())
            shares_.front().following = std::exchange(found_before_, Parts());
        if (begun_ && more_)
            depth_.store(depth_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        begun_ = true;
        at_limit_ = options_.max_depth != 0 && depth_.load(std::memory_order_relaxed) >= options_.max_depth;
        if (more_ && checkpoint_due())
            save();
    }

    // ---- Checkpoints ------------------------------------------------------------

    /* The search while no worker works: between two layers, or after a stop. A layer that was begun
     * goes on from the parts that nobody has finished, beside what was found of the next one. */
    void save() {
        std::vector<const Part *> waiting, found;
        uint64_t transitions = 0, depth = depth_.load(std::memory_order_relaxed);
        bool cut = false;
        for (Share &share : shares_) {
            for (uint64_t i = share.next.load(std::memory_order_relaxed); i < share.layer.size(); ++i)
                waiting.push_back(&share.layer[i]);
            for (const Part &part : share.following)
                found.push_back(&part);
        }
        for (const Worker &worker : workers_) {
            if (worker.unfinished())
                waiting.push_back(&worker.unfinished());
            transitions += worker.settled_transitions();
            cut |= worker.cut();
        }
        if (waiting.empty() && !found.empty()) { /* the next layer could have begun */
            waiting.swap(found);
            ++depth;
        }
        CheckpointWriter writer(options_.checkpoint, options_.fingerprint, options_.checkpoint_key);
        writer.number(depth);
        writer.number(transitions);
        writer.number(cut);
        write_errors(writer);
        workers_.front().save_states(writer);
        workers_.front().save_parts(writer, waiting);
        workers_.front().save_parts(writer, found);
        count_checkpoint(!control_.tracing_stopped() && writer.finish());
    }

    /* Whatever has stopped the search, unless a state waits nowhere for lack of memory. */
    void save_last() override {
        if (!can_be_saved_)
            return;
        for (Worker &worker : workers_)
            worker.hand_over_rest();
        for (const Worker &worker : workers_)
            if (worker.lost_state())
                return;
        save();
    }

    void resume() {
        CheckpointReader reader(options_.resume, options_.fingerprint, options_.checkpoint_key);
        const uint64_t depth = reader.number(), transitions = reader.number();
        const bool cut = reader.number() != 0;
        read_errors(reader, workers_.front());
        workers_.front().load(reader, transitions, cut);
        if (control_.stopped())
            return;
        reader.finish();
        const bool waits = !shares_.front().following.empty();
        depth_.store(depth - (waits && depth != 0), std::memory_order_relaxed); /* the layer begins now */
        begun_ = depth != 0;
    }

    std::unique_ptr<Chunk> new_chunk() {
        {
            const std::lock_guard lock(mutex_);
            if (!read_.empty()) {
                std::unique_ptr<Chunk> chunk = std::move(read_.back());
                read_.pop_back();
                chunk->size = 0;
                return chunk;
            }
        }
        if (!budget_.take(sizeof(Chunk)))
            return nullptr;
        std::unique_ptr<Chunk> chunk(new (std::nothrow) Chunk);
        if (chunk)
            chunk->size = 0;
        return chunk;
    }

    void give_back(std::unique_ptr<Chunk> chunk) {
        const std::lock_guard lock(mutex_);
        read_.push_back(std::move(chunk));
    }

    Store store_;
    std::deque<Share> shares_; /* of each worker */
    SharedPlaces waiting_; /* handles of what was not expanded yet, with reduction */
    std::deque<Worker> workers_;
    Parts found_before_; /* of the layer after the first one, where the search goes on from a checkpoint */
    bool can_be_saved_ = false; /* is every state that was found in a layer? */
    bool more_ = false; /* is there a layer? */
    std::mutex mutex_;
    std::condition_variable all_met_;
    std::vector<std::unique_ptr<Chunk>> read_; /* to be used again */
    uint64_t met_ = 0;
    std::atomic<uint64_t> round_{0};
    std::atomic<uint64_t> depth_{0};
    bool begun_ = false;
    bool at_limit_ = false; /* are the states of this layer the last to be expanded? */
};

} // namespace kripke
#endif
