/* search.h -- what every search has in common: what it is asked, what it checks
 * in a state, what it answers.
 *
 * A search makes the reachable states of a model, each once, and checks
 *   - violations, which the model reports while a step is computed;
 *   - deadlocks: states without a step that are no valid end;
 *   - invariants: atoms that must be true in every state.
 * And it looks for goals: atoms for each of which a state is wanted in which it is
 * true. A goal that was found is not looked for again; when all are, the search ends.
 * The orders are BreadthFirst and DepthFirst, RandomWalk where neither can see everything, Sweep where
 * not all states are to be kept, BestFirst and Deepening where an estimate says which state is nearest to an error,
 * and for cycles NestedDepthFirst and Components: these look, in a Product, for a cycle with all marks (Kind::cycle), and
 * end at the first.
 *
 * COUNTS
 *   states       distinct states, the initial ones included
 *   transitions  states the model handed over, the initial ones included: the
 *                stored and the matched, as SPIN counts. Of a state that the
 *                depth limit keeps out, nothing is counted.
 *   A complete search gives the same two numbers in either order.
 *
 * DEPTH LIMIT
 *   States up to max_depth steps from an initial state are stored and checked,
 *   the steps out of those at the limit included; what these lead to is looked
 *   up but not stored. The search is incomplete, for reason `depth`, only where
 *   one of them leads to a state that is not stored in the end.
 */
#ifndef KRIPKE_SEARCH_H
#define KRIPKE_SEARCH_H

#include "memory/budget.h"
#include "searches/control.h"
#include "searches/error_paths.h"
#include "searches/guide.h"
#include "model/sink.h"
#include "stores/store.h"
#include "stores/store_interface.h"
#include "searches/supervised.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace kripke {

enum class Order {
    breadth_first,
    depth_first,
    nested,
    components,
    random_walk,
    sweep,
    // ---- Directed: by guidance (guide.h) ----
    astar,
    best_first,
    deepening,
    directed_breadth_first,
    directed_depth_first
};

/* Which runs count: all, or those in which every process that is always (weak),
 * or again and again (strong), able to move does move again and again. */
enum class Fairness { none, weak, strong };

/* To whom: to every process, or to every step by itself that a process may make, by its
 * label. */
enum class Fair { actors, edges };

struct Options {
    Order order = Order::breadth_first;
    bool deadlock = true;             /* is a deadlock an error? */
    std::vector<uint32_t> invariants; /* atoms that must be true */
    std::vector<uint32_t> goals;      /* atoms that are to become true */
    bool stop_at_first = true;        /* end at the first error */
    uint64_t max_depth = 0;           /* 0: no limit; below 2^32 - 1 */
    uint64_t max_states = 0;          /* 0: no limit */
    uint64_t memory_limit = 0;        /* bytes; 0: no limit */
    uint32_t suffix = 0;              /* bytes at the end of a state that are not the model's (preemptions.h) */
    uint64_t walks = 0;               /* random_walk only */
    uint64_t seed = 0;                /* random_walk only */
    Guidance guidance = {};           /* directed searches only */
    std::string folder;               /* sweep only: where its file is made */
    bool reduction = false;           /* is the model a Reduced, or a Product of one? without a depth limit */
    bool every_cycle = false;         /* with reduction: is a state of every cycle to be expanded in full? */
    bool deadlocks_only = false;      /* with reduction: may steps be put off for ever? */
    // ---- Cycles -------------------------------------------------------------
    uint32_t sets = 1;                  /* marks a cycle must have; nested: 1 */
    bool weak = false;                  /* has every cycle of the observer all marks on each edge, or none? */
    Fairness fairness = Fairness::none; /* components only */
    Fair fair_to = Fair::actors;
    uint32_t actors = 255;              /* there are no more than these; with more than 1,000 a search gives up */
    uint32_t strong_marks = 0;          /* marks after `sets` that a cycle has if one of its states demands it */
    bool shortest = false;              /* of all counterexamples, one of the fewest steps? */
    uint32_t threads = 1;               /* nested only, and then without a depth limit */
    // ---- What keeps the states: of a ParallelSearch, and of a nested search by one thread ------
    StoreKind store = StoreKind::full;
    SharedLimits shared = {}; /* workers of a parallel search, and what belongs to the kind of store */
    // ---- Checkpoints: of a parallel search, breadth-first ----------------------------------------
    std::string checkpoint;        /* the file; empty: none are written */
    double checkpoint_seconds = 0; /* so often, and when the control says so; 0: only then */
    std::string resume;            /* go on from this one */
    std::string fingerprint;       /* of model and options */
    std::string checkpoint_key;    /* 16 bytes */

    bool has_checkpoints() const { return !checkpoint.empty() || !resume.empty(); }
};

/* Of a sweep: how often the line went over the states, the most that were kept at a time, and those kept for good. */
struct SweepFigures {
    uint64_t sweeps = 0, most_kept = 0, persistent = 0;
};

/* Of a directed search: states that were expanded, those of them again since a shorter way was found, and how
 * often the limit of a deepening search was raised. */
struct Expansions {
    uint64_t expanded = 0, reopened = 0, rounds = 0;
};

class Search : public Sink, public Supervised {
  public:
    static std::unique_ptr<Search> make(const kripke_model &model, const Options &options, Control &control);

    /* Search, then make the traces. Once only. */
    void run() override;

    // ---- The answer, after run --------------------------------------------

    bool complete() const { return reason_ == Reason::none; }
    Reason reason() const { return reason_; }
    const ErrorPaths &error_paths() const { return error_paths_; }
    const Progress &totals() const override { return totals_; }
    double seconds() const override { return seconds_; } /* of the search, without the traces */
    uint64_t store_bytes() const { return store_bytes_; }
    uint64_t peak_bytes() const { return budget_.peak(); }
    const Store &store() const { return store_; }
    virtual uint32_t longest() const { return store_.longest(); } /* length of the longest state */
    virtual StoreFigures figures() const { return {}; }           /* of a store that is not exact */
    virtual SweepFigures sweep_figures() const { return {}; }
    virtual Expansions expansions() const { return {}; }

  protected:
    Search(const kripke_model &model, const Options &options, Control &control, uint32_t payload_bytes);

    // ---- What an order does -----------------------------------------------

    /* Visit states until there are none left or stopped(). */
    virtual void explore() = 0;
    /* Give a new error its path, at once... */
    virtual void keep_path(ErrorPath &) {}
    /* ...or give all their paths when the search has ended. */
    virtual void make_paths() {}
    virtual uint64_t depth() const = 0;
    virtual uint64_t queue() const = 0;
    /* Of an order with a store of its own: what is in it. */
    virtual uint64_t stored() const { return store_.size(); }
    virtual uint64_t stored_bytes() const { return store_.arena_bytes() + store_.table_bytes(); }

    // ---- What an order uses -----------------------------------------------

    bool stopped() const { return control_.stopped(); }
    void halt(Reason reason) { control_.stop(reason); }
    /* Make room in the store, or halt. */
    bool make_room(uint64_t states, uint64_t bytes);
    /* The successors of a state go to the sink; check its steps. */
    void expand(uint64_t offset, const uint8_t *state, uint32_t length);
    /* The same for a state that is known to have successors. */
    void ask_for_successors(uint64_t offset, const uint8_t *state, uint32_t length);
    /* A state without steps: an error, unless it is a valid end. */
    void found_deadlock(uint64_t offset, const uint8_t *state, uint32_t length) noexcept;
    /* Check a state that was just stored. */
    void check_state(uint64_t offset, const uint8_t *state, uint32_t length) {
        if (!truth_.empty())
            check_atoms(offset, state, length);
    }
    /* An accepted cycle: the last state of the path is that at `loop` again. */
    void found_cycle(Path path, int64_t loop);
    void found_cycle(std::vector<std::string> states, int64_t loop);
    /* A violation in a step from the state being expanded. */
    void found_violation(uint32_t code, uint32_t label) noexcept;
    /* Tell the watcher how far we are, if it wants to know. */
    void publish_if_asked() {
        if (control_.asked()) [[unlikely]]
            control_.publish(now());
    }

    const Options options_;
    Control &control_;
    Budget budget_;
    Store store_;
    StateBuffer expanded_state_; /* the state being expanded, where it must be unpacked */
    uint64_t transitions_ = 0;
    uint64_t handed_over_ = 0; /* states and violations the model came with so far */
    bool cut_ = false;         /* has the depth limit kept a state out? */
    bool muted_ = false;       /* errors of this state were counted before */
    ErrorPaths error_paths_;

  private:
    void shorten_cycles();
    void check_atoms(uint64_t offset, const uint8_t *state, uint32_t length);
    void found(const Error &error, uint64_t state) noexcept;
    Progress now() const;

    std::vector<uint64_t> truth_;    /* atoms of a state */
    std::vector<uint64_t> required_; /* those that must be set */
    std::vector<uint64_t> wanted_;   /* those that are to be found set */
    size_t goals_left_ = 0;
    uint64_t source_ = no_state;     /* the state being expanded */

    Reason reason_ = Reason::none;
    Progress totals_;
    double seconds_ = 0;
    uint64_t store_bytes_ = 0;
};

} // namespace kripke
#endif
