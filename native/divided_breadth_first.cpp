#include "divided_breadth_first.h"

#include "candidates.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <deque>
#include <mutex>
#include <new>
#include <thread>
#include <utility>
#include <vector>

namespace kripke {

namespace {

class DividedBreadthFirst final : public Crew {
  public:
    DividedBreadthFirst(const kripke_model &model, const CrewOptions &options, Control &control);

  private:
    struct Letter;
    class Worker;
    using Letters = std::vector<std::unique_ptr<Letter>>;

    void explore() override;
    Progress now() const override;
    uint64_t bytes() const override;
    StoreFigures measure() const override { return {}; }
    bool keeps_paths() const override { return false; }

    uint32_t owner_of(uint64_t hash) const {
        return static_cast<uint32_t>((hash & 0xffff) * options_.shared.workers >> 16); /* bits that no store uses */
    }

    /* An empty one; null where there is no memory for it. */
    std::unique_ptr<Letter> new_letter();
    void give_back(std::unique_ptr<Letter> letter);

    /* This worker has posted everything of this layer. */
    void finish() { finished_.fetch_add(1, std::memory_order_release); }
    bool all_finished() const { return finished_.load(std::memory_order_acquire) == options_.shared.workers; }
    /* All have read everything. False: there are no more layers. */
    bool meet();
    void begin_layer();

    SharedCounts counts_;
    std::deque<Worker> workers_;
    std::mutex mutex_;
    Letters read_; /* to be used again */
    std::atomic<uint32_t> finished_{0}, met_{0};
    std::atomic<uint64_t> round_{0}, depth_{0};
    bool begun_ = false, more_ = false;
    bool at_limit_ = false; /* are the states of this layer the last to be expanded? */
};

/* Look again soon; who has waited for long sleeps. */
void wait_a_moment(uint32_t &waited) {
    if (++waited < 1000)
        std::this_thread::yield();
    else
        std::this_thread::sleep_for(std::chrono::microseconds(50));
}

/* States one behind the other, and as much behind the last as a store reads. */
struct DividedBreadthFirst::Letter {
    static constexpr uint32_t most = 128;
    static constexpr uint64_t most_bytes = 16 << 10;

    static uint64_t room(const kripke_model &model) { return most_bytes + model.max_state_bytes + ShortPlan::slack; }

    bool full() const { return size == most || bytes >= most_bytes; }
    void add(const Candidate &item) {
        std::memcpy(states.get() + bytes, item.state, item.length);
        bytes += item.length;
        lengths[size++] = item.length;
    }

    uint32_t size = 0;
    uint64_t bytes = 0;
    uint32_t lengths[most];
    std::unique_ptr<uint8_t[]> states;
};

class DividedBreadthFirst::Worker final : public CrewWorker {
  public:
    Worker(DividedBreadthFirst &search, uint32_t number)
        : CrewWorker(search), search_(search), number_(number), count_(search.counts_.add_worker()),
          store_(search.budget_, search.control_.stop_word(), model().max_state_bytes, 0, 0),
          batch_(search.budget_, model().max_state_bytes), expanded_state_(model().max_state_bytes),
          written_(search.options_.shared.workers) {
        connect(this);
    }

    /* The first worker: the initial states. */
    void begin() {
        if (ready())
            model().initial(this);
        flush();
    }

    void work() {
        if (!ready())
            return;
        uint64_t layer_end = 0; /* the initial states are no layer before all have theirs */
        do {
            expand_until(layer_end);
            flush();
            post_all();
            search_.finish();
            read_until_all_finished();
            layer_end = store_.end();
        } while (search_.meet());
    }

    void take(uint32_t length, uint32_t) noexcept {
        ++handed_over_;
        batch_.add(out, length);
        uint8_t *const room = batch_.room_in_batch();
        if (room != nullptr) [[likely]]
            out = room;
        else
            turn_over();
    }

    /* By others. */
    void post(std::unique_ptr<Letter> letter) {
        const std::lock_guard lock(mutex_);
        mail_.push_back(std::move(letter));
        waiting_.store(true, std::memory_order_release);
    }

    /* Alone: are there states that were not expanded? */
    bool has_more() const { return next_ < store_.end(); }

    uint32_t longest() const override { return store_.longest(); }
    uint64_t store_bytes() const { return store_.arena_bytes() + store_.table_bytes(); }
    uint64_t expanded() const { return expanded_.load(std::memory_order_relaxed); }

  private:
    bool ready() {
        out = batch_.room();
        if (out == nullptr)
            halt(Reason::memory);
        return out != nullptr;
    }

    void expand_until(uint64_t layer_end) {
        while (next_ < layer_end && !stopped()) {
            const Record record = store_.record(next_);
            expand(store_.state(record, expanded_state_), record.length);
            next_ = record.next;
            expanded_.store(expanded() + 1, std::memory_order_relaxed);
            if (search_.control_.asked()) [[unlikely]]
                search_.control_.publish(search_.now());
            if (waiting_.load(std::memory_order_relaxed))
                read_mail();
        }
    }

    void turn_over() noexcept {
        flush();
        if (stopped())
            batch_.clear(); /* what it holds and still will is of no use */
        uint8_t *const room = batch_.room();
        if (room != nullptr)
            out = room;
        else
            halt(Reason::memory); /* the place of the last one will do: nothing is read any more */
    }

    // ---- Successors -------------------------------------------------------------

    /* Store the own ones of the batch, write the others to their owners. */
    void flush() {
        if (stopped() || batch_.size() == 0)
            return;
        if (!make_room(batch_.size(), batch_.bytes()))
            return;
        Candidate *left = batch_.end();
        if (!search_.at_limit_) {
            count_transitions(batch_.size());
            left = store_.leave_out_lately(batch_.begin(), left);
        }
        Candidate *own = batch_.begin();
        for (Candidate *item = own; item != left; ++item) {
            store_.hash(*item);
            const uint32_t owner = search_.owner_of(item->hash);
            if (owner != number_)
                write(owner, *item);
            else if (own++ != item)
                own[-1] = *item;
        }
        settle(batch_.begin(), own);
        batch_.clear();
        out = batch_.room();
    }

    /* Candidates that are hashed: store them, or look whether the depth limit keeps them out. */
    void settle(Candidate *first, Candidate *last) {
        if (search_.at_limit_) {
            store_.begin(first, last);
            uint64_t known = 0;
            for (Candidate *item = first; item != last; ++item)
                known += store_.find(item->state, item->length, item->hash, item->probe) != no_state;
            count_transitions(known);
            cut_ |= known < static_cast<uint64_t>(last - first);
            return;
        }
        last = store_.leave_out_known(first, last);
        for (const Candidate *item = first; item != last && !stopped(); ++item)
            store(*item);
    }

    void store(const Candidate &item) {
        const bool limited = search_.options_.max_states != 0;
        if (limited && store_.find(item) != no_state)
            return;
        if (limited && !search_.counts_.reserve())
            return halt(Reason::states);
        if (store_.find_or_insert(item).outcome != Store::Outcome::inserted)
            return;
        count_.add(1);
        if (checks_states())
            check_state(item.state, item.length);
    }

    bool make_room(uint64_t states, uint64_t bytes) {
        if (store_.make_room(states, bytes) == Store::Room::ready)
            return true;
        halt(Reason::memory); /* of no effect where the search was stopped */
        return false;
    }

    // ---- Letters ------------------------------------------------------------------

    void write(uint32_t owner, const Candidate &item) {
        std::unique_ptr<Letter> &letter = written_[owner];
        if (letter == nullptr && (letter = search_.new_letter()) == nullptr)
            return halt(Reason::memory);
        letter->add(item);
        if (letter->full())
            search_.workers_[owner].post(std::move(letter));
    }

    void post_all() {
        for (uint32_t owner = 0; owner < written_.size(); ++owner)
            if (written_[owner] != nullptr)
                search_.workers_[owner].post(std::move(written_[owner]));
    }

    void read_mail() {
        {
            const std::lock_guard lock(mutex_);
            reading_.swap(mail_);
            waiting_.store(false, std::memory_order_relaxed);
        }
        for (std::unique_ptr<Letter> &letter : reading_) {
            if (!stopped())
                read(*letter);
            search_.give_back(std::move(letter));
        }
        reading_.clear();
    }

    void read(const Letter &letter) {
        if (!make_room(letter.size, letter.bytes))
            return;
        Candidate *const first = read_items_;
        const uint8_t *state = letter.states.get();
        for (uint32_t i = 0; i < letter.size; state += letter.lengths[i++]) {
            first[i].state = state;
            first[i].length = letter.lengths[i];
        }
        Candidate *last = first + letter.size;
        if (!search_.at_limit_)
            last = store_.leave_out_lately(first, last);
        for (Candidate *item = first; item != last; ++item)
            store_.hash(*item);
        settle(first, last);
    }

    void read_until_all_finished() {
        for (uint32_t waited = 0; !stopped(); wait_a_moment(waited)) {
            const bool finished = search_.all_finished(); /* then all there will be is there */
            if (waiting_.load(std::memory_order_acquire)) {
                read_mail();
                waited = 0;
            } else if (finished) {
                return;
            }
        }
    }

    DividedBreadthFirst &search_;
    const uint32_t number_;
    SharedCounts::Count &count_;
    Store store_;
    Candidates batch_;
    StateBuffer expanded_state_;
    Candidate read_items_[Letter::most];
    uint64_t next_ = 0; /* the first state that was not expanded */
    std::atomic<uint64_t> expanded_{0};
    Letters written_; /* to each worker, not yet posted */
    std::mutex mutex_;
    Letters mail_, reading_;
    std::atomic<bool> waiting_{false}; /* is there mail? */
};

DividedBreadthFirst::DividedBreadthFirst(const kripke_model &model, const CrewOptions &options, Control &control)
    : Crew(model, options, control), counts_(options.max_states) {
    for (uint32_t i = 0; i < options.shared.workers; ++i)
        workers_.emplace_back(*this, i);
}

void DividedBreadthFirst::explore() {
    workers_.front().begin();
    let_work(workers_);
}

Progress DividedBreadthFirst::now() const {
    uint64_t expanded = 0;
    for (const Worker &worker : workers_)
        expanded += worker.expanded();
    const uint64_t states = counts_.total();
    return {states, transitions(), depth_.load(std::memory_order_relaxed), states - std::min(states, expanded),
            budget_.used()};
}

uint64_t DividedBreadthFirst::bytes() const {
    uint64_t sum = 0;
    for (const Worker &worker : workers_)
        sum += worker.store_bytes();
    return sum;
}

std::unique_ptr<DividedBreadthFirst::Letter> DividedBreadthFirst::new_letter() {
    {
        const std::lock_guard lock(mutex_);
        if (!read_.empty()) {
            std::unique_ptr<Letter> letter = std::move(read_.back());
            read_.pop_back();
            return letter;
        }
    }
    if (!budget_.take(sizeof(Letter) + Letter::room(model_)))
        return nullptr;
    std::unique_ptr<Letter> letter(new (std::nothrow) Letter);
    if (letter != nullptr)
        letter->states.reset(new (std::nothrow) uint8_t[Letter::room(model_)]());
    return letter == nullptr || letter->states == nullptr ? nullptr : std::move(letter);
}

void DividedBreadthFirst::give_back(std::unique_ptr<Letter> letter) {
    letter->size = 0;
    letter->bytes = 0;
    const std::lock_guard lock(mutex_);
    read_.push_back(std::move(letter));
}

bool DividedBreadthFirst::meet() {
    const uint64_t present = round_.load(std::memory_order_acquire);
    if (met_.fetch_add(1, std::memory_order_acq_rel) + 1 == workers_.size()) {
        met_.store(0, std::memory_order_relaxed);
        begin_layer();
        round_.store(present + 1, std::memory_order_release);
    }
    uint32_t waited = 0;
    while (round_.load(std::memory_order_acquire) == present && !control_.stopped())
        wait_a_moment(waited);
    return !control_.stopped() && more_;
}

/* By one worker while all others wait. */
void DividedBreadthFirst::begin_layer() {
    finished_.store(0, std::memory_order_relaxed);
    more_ = std::any_of(workers_.begin(), workers_.end(), [](const Worker &worker) { return worker.has_more(); });
    if (begun_ && more_)
        depth_.store(depth_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    begun_ = true;
    at_limit_ = options_.max_depth != 0 && depth_.load(std::memory_order_relaxed) >= options_.max_depth;
}

} // namespace

std::unique_ptr<Crew> divided_breadth_first(const kripke_model &model, const CrewOptions &options, Control &control) {
    return std::make_unique<DividedBreadthFirst>(model, options, control);
}

} // namespace kripke
