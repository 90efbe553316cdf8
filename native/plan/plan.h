/* plan.h -- one search, from beginning to end: what is looked for, in which model, in which
 * order, on which store, within which limits.
 *
 * A plan is plain data. Whoever asks for a search fills one (Python: bindings/plan_binding.cpp,
 * from a SearchRequest); a Composition (composition.h) makes the search of it and runs it.
 *
 * What goes with what is decided, and told to people, before: by the rules and refusals of the
 * engines (kripke/engines: rules.py, refusals.py, registration.py). Whatever C++ throws as
 * std::invalid_argument is an internal guard, here and elsewhere: it keeps a plan that should not
 * have come so far from leading to a wrong answer, and no user is meant to read it (the command
 * calls it an internal error and asks for a report). These are:
 *   guard() below            sets, threads, hashes, stores, sweeps, wrappers, numbers of atoms
 *   bindings/...             names, sizes and numbers that Python hands over
 *   searches/, cycles/       a store or an order that the search at hand does not know
 *   model/loaded_model.cpp   a state that is too long
 * A new one needs a refusal in words, on the Python side, for every way a user can come there.
 *
 * THE MODEL that is searched is the one given, with its steps at safe places alone where these are
 * enough (model/safe_places.h; not together with a reduction or symmetry), seen through at most one of
 *   reduction      fewer steps: partial-order reduction (wrappers/reduced.h)
 *   symmetry       one state for all that differ by a symmetry (wrappers/symmetric.h)
 *   max_switches   only runs with few preemptions (wrappers/preemptions.h)
 *   shuffled       steps in another order (wrappers/shuffled.h)
 * and then, where there is an observer, as its product with it (wrappers/product.h).
 */
#ifndef KRIPKE_PLAN_H
#define KRIPKE_PLAN_H

#include "model/model.h"
#include "model/observer.h"
#include "model/safe_places.h"
#include "searches/search.h"
#include "wrappers/reduced.h"
#include "wrappers/symmetric.h"

#include <cstdint>
#include <optional>

namespace kripke {

struct Plan {
    // ---- What is looked for, in which order, on which store, within which limits ----------------

    /* As a search is asked it. Its fields suffix, reduction, every_cycle, deadlocks_only and
     * strong_marks follow from the rest of the plan, and are set by the Composition. */
    Options search;
    double time_limit = 0; /* seconds; 0: none */

    // ---- The model that is searched ---------------------------------------------------------

    Advice *advice = nullptr;          /* partial-order reduction, by what this one knows; must outlive the search */
    bool deadlocks_only = false;       /* the advice is good for deadlocks alone: steps may be put off for ever */
    std::optional<SafePlaces> safe = {}; /* where the steps of one actor are enough */
    Symmetric::Choosers symmetry = {}; /* makes what chooses the one state that is kept; empty: all are */
    std::optional<uint32_t> max_switches = {};
    bool every_switch = false;         /* do switches count that must be, too? */
    bool shuffled = false;             /* by search.shared.seed */
    std::optional<Observer> observer = {};

    // ---- Questions ----------------------------------------------------------------------------

    bool looks_for_cycles() const { return search.order == Order::nested || search.order == Order::components; }
    bool is_directed() const { return search.order >= Order::astar; }
    /* By a ParallelSearch, on a store of its own; else by a Search. */
    bool is_parallel() const {
        return !looks_for_cycles() && !is_directed() &&
               (search.store != StoreKind::full || search.shared.workers != 1 || search.has_checkpoints());
    }
};

/* std::invalid_argument, where parts of the plan do not go together, or not with the model. */
void guard(const Plan &plan, const kripke_model &model);

} // namespace kripke
#endif
