/* distributed_search.h -- one worker of a breadth-first search that is spread over processes: it expands the states it
 * owns (partition.h), keeps what is its own of their successors, and puts the rest into the outbox.
 *
 * It knows no network. Whoever drives it (kripke/engines/distributed/worker.py, by MPI) calls, on every worker,
 *
 *     search.begin();                            // initial states: level 0
 *     for (;;) {
 *         while (search.expand(some)) {          // now and then
 *             send what outbox() has ready; receive() what has come;
 *         }
 *         flush, send, receive, until nobody has anything left (four counters, see worker.py)
 *         search.end_level();                    // on all workers
 *     }
 *
 * LEVELS
 *   What is received while a level is expanded is at the next level, whoever sent it: nobody begins a level before
 *   all have ended the one before. So levels are distances from the initial states, as in BreadthFirst.
 *
 * COUNTS
 *   As in search.h. A state is counted by its owner, when it is stored; a transition by the owner of the state
 *   that it leaves. With a depth limit, steps out of the last level are counted by the owner of the state they lead to,
 *   where it is known.
 *
 * PATHS
 *   find_parents goes through a level again and looks for steps to given states; so a path is found backwards,
 *   level by level, by all workers together. Only the full store keeps levels.
 *
 * NUMBERS (H. Garavel, R. Mateescu, I. Smarandache, SPIN 2001, section 3)
 *   Where somebody takes the steps (numbered_steps.h), every state has a number: that of a worker's n-th state is
 *   n * workers + rank, so numbers are unique without asking. A state that is sent has with it the number of the
 *   state it was reached from: so a step is known to the owner of its target, by two numbers. Nothing is left out of
 *   what is sent.
 *
 * LOOK-AHEAD (F. Lerda, W. Visser, SPIN 2001, section 4)
 *   A state that is sent is expanded by the sender, too, who keeps what it owns of the successors: for the level after
 *   the next. The receiver, who counts and checks the steps, does not send these back.
 */
#ifndef KRIPKE_DISTRIBUTED_SEARCH_H
#define KRIPKE_DISTRIBUTED_SEARCH_H

#include "distributed/numbered_steps.h"
#include "distributed/outbox.h"
#include "distributed/partition.h"
#include "distributed/siblings.h"
#include "distributed/state_part.h"
#include "memory/budget.h"
#include "model/sink.h"
#include "searches/control.h"
#include "searches/search.h"
#include "stores/candidates.h"

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace kripke {

/* What was received is no batch of states. */
struct BadBatch : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class DistributedSearch final : public Sink, private Newcomers {
  public:
    struct Setup {
        uint32_t rank = 0;
        uint32_t workers = 1;
        uint64_t buffer_bytes = 64 << 10;
        uint32_t spare = 4; /* buffers under way before the search waits */
        int64_t siblings = usual; /* states that are remembered as sent: `usual`, `all`, or so many */
        bool look_ahead = false;
        bool numbered = false; /* then without look-ahead, invariants and a depth limit, and with `set_steps` */

        static constexpr int64_t usual = -1, all = -2;
    };

    /* Of the options: store, deadlock, invariants, stop_at_first, max_depth, max_states (of this worker alone),
     * memory_limit. */
    DistributedSearch(const kripke_model &model, const Options &options, Control &control, const Setup &setup,
                      Partition partition);

    // ---- The search ------------------------------------------------------------------

    /* Store the initial states that are ours. */
    void begin();
    /* Expand up to so many states of the present level; fewer where the outbox is crowded. False: none is left. */
    bool expand(uint64_t most);
    /* Take a batch. BadBatch, and nothing more is to be done, where it is none. */
    void receive(const uint8_t *bytes, uint64_t count, uint32_t from);
    /* Instead of begin and expand, for the levels of a checkpoint: states that were found, counted and checked before.
     * What is ours is stored, the rest goes to the outbox; or, where everybody has all of them, nowhere (`dropping`). */
    void begin_restoring(bool dropping = false) {
        restoring_ = true;
        dropping_ = dropping;
    }
    void restore(const uint8_t *state, uint32_t length);
    void end_restored_level() { flush(); }
    void end_restoring() { restoring_ = dropping_ = false; }
    /* The next level begins. */
    void end_level();

    /* Of a numbered search, before it begins: who takes its steps. */
    void set_steps(NumberedSteps *steps) { steps_ = steps; }

    Outbox &outbox() { return outbox_; }
    Partition &partition() { return partition_; }
    StatePart &part() { return *part_; }

    // ---- Paths -----------------------------------------------------------------------

    /* Of each of the states: one of ours at the level from which a step leads to it, or an empty string. */
    std::vector<std::string> find_parents(uint64_t level, const std::vector<std::string> &states);

    // ---- Figures -----------------------------------------------------------------------

    struct Found {
        Error error;
        std::string state;
        uint64_t level;
    };
    const std::vector<Found> &found() const { return found_; }
    uint64_t errors() const { return errors_; }
    /* After a search that stopped: so many were met, by those before a restart. */
    void add_errors(uint64_t more) { errors_ += more; }

    uint64_t transitions() const { return transitions_; }
    void add_transitions(uint64_t more) { transitions_ += more; }
    uint64_t foreign() const { return foreign_; } /* successors that were another worker's */
    uint64_t level() const { return level_; }
    bool cut() const { return cut_; }
    Budget &budget() { return budget_; }
    Control &control() { return control_; }

    /* Of a numbered search: those of our states, by number, with their levels. */
    void read(const std::vector<uint64_t> &numbers, std::vector<std::string> &states, std::vector<uint64_t> &levels) {
        part_->read(numbers, states, levels);
    }

    void take(uint32_t length, uint32_t label) noexcept;
    void complain(uint32_t code, uint32_t label) noexcept;

  private:
    enum class Mode { search, look_ahead, retrace };
    /* Of the states in the batch: the model's initial ones, successors of states of ours, or known before. */
    enum class Origin { initial, step, given };

    void meet(const uint8_t *state, uint32_t length) override;
    void found(const Error &error, const uint8_t *state, uint32_t length, uint64_t level) noexcept;
    void expand_state(StatePart::State state);
    void flush();
    void flush_numbered();
    void keep_numbered(Candidate *first, Candidate *last, const NumberedSteps::Origin *origins);
    void receive_numbered(const uint8_t *at, const uint8_t *end, uint32_t from);
    uint64_t number_of(uint64_t place) const { return place * setup_.workers + setup_.rank; }
    uint32_t owner_of(Candidate &item) const;
    Candidate *leave_out_foreign(Candidate *first, Candidate *last);
    void check_owners(Candidate *first, Candidate *last) const;
    void keep(Candidate *first, Candidate *last);
    struct Foreign {
        const uint8_t *state;
        uint32_t length, owner;
    };
    bool send(const Foreign &item);
    void look_ahead(const uint8_t *state, uint32_t length);
    void look_beyond_limit(Candidate *first, Candidate *last);
    void settle(Insertion outcome);
    void turn_over() noexcept;
    void add(uint32_t length) noexcept;
    void halt(Reason reason) { control_.stop(reason); }
    bool stopped() const { return control_.stopped(); }
    bool storing() const { return options_.max_depth == 0 || level_ < options_.max_depth || starting_; }

    const Options options_;
    const Setup setup_;
    Control &control_;
    Budget budget_;
    Partition partition_;
    std::unique_ptr<StatePart> part_;
    Outbox outbox_;
    Siblings siblings_;
    Candidates batch_;
    std::vector<Candidate> arrived_;
    std::vector<Foreign> foreign_states_; /* of a batch, and room for one more */
    uint64_t foreign_count_ = 0;
    Origin origin_ = Origin::initial;
    bool restoring_ = false, dropping_ = false;
    std::vector<uint64_t> truth_, required_;
    StatePart::State source_ = {nullptr, 0};
    uint64_t level_ = 0;
    bool starting_ = true; /* are the states those of level 0? */
    uint64_t handed_over_ = 0, transitions_ = 0, foreign_ = 0, errors_ = 0;
    bool cut_ = false;
    std::vector<Found> found_;

    // ---- Numbers ----
    NumberedSteps *steps_ = nullptr;
    std::vector<NumberedSteps::Origin> origins_; /* of the candidates of the batch */
    std::vector<uint32_t> numbers_;
    uint64_t source_number_ = 0; /* of the state that is expanded */

    // ---- Look-ahead ----
    std::vector<uint32_t> senders_, next_senders_; /* of the states of a level, in their order: who looked ahead */
    uint64_t expanded_ = 0;                        /* in the present level */
    uint32_t sender_ = UINT32_MAX;                 /* of what is being stored, or expanded */
    std::vector<std::string> later_, present_later_; /* for the level after the next; for the next */

    // ---- Retrace ----
    Mode mode_ = Mode::search;
    const std::vector<std::string> *wanted_ = nullptr;
    std::vector<std::string> parents_;
    uint64_t missing_ = 0;
    std::vector<uint8_t> aside_; /* where states are made that are looked at only */
};

} // namespace kripke
#endif
