/* cycle_search.h -- what the searches for cycles have in common, whatever they keep with
 * a state, and where (record_states.h).
 *
 * All successors of a state are looked up together, and each is expanded when its turn
 * comes: the order is true depth-first order. In the full store a state is stored when it
 * is first met as a successor, so that every edge costs one lookup.
 */
#ifndef KRIPKE_CYCLE_SEARCH_H
#define KRIPKE_CYCLE_SEARCH_H

#include "cycles/gathering.h"
#include "cycles/record_states.h"
#include "searches/search.h"
#include "cycles/depth_first_order.h"

namespace kripke {

template <class Edge, class States> class CycleSearch : public Search {
  public:
    StoreFigures figures() const override {
        if constexpr (States::stores_successors)
            return Search::figures();
        else
            return states_.figures();
    }
    uint32_t longest() const override {
        if constexpr (States::stores_successors)
            return Search::longest();
        else
            return states_.longest();
    }

  protected:
    CycleSearch(const kripke_model &model, const Options &options, Control &control, uint32_t payload_bytes)
        : Search(model, options, control, payload_bytes), states_(states_of(*this)),
          gathered_(budget_, model.max_state_bytes) {}

    uint64_t depth() const override { return deepest_ == 0 ? 0 : deepest_ - 1; }
    uint64_t stored() const override {
        if constexpr (States::stores_successors)
            return Search::stored();
        else
            return states_.size();
    }
    uint64_t stored_bytes() const override {
        if constexpr (States::stores_successors)
            return Search::stored_bytes();
        else
            return states_.store_bytes();
    }

    /* Gather the initial states. False if stopped. */
    bool gather_initial() {
        if (!gathered_.begin(*this)) {
            halt(Reason::memory);
            return false;
        }
        if (States::stores_successors && !make_room(1, model().max_state_bytes))
            return false;
        model().initial(this);
        return !stopped();
    }

    /* Gather the state at `out`. (It is hashed when the next one has come: what was written
     * byte by byte a moment ago cannot be read in words without waiting.) */
    void gather_one(Gathering<Edge> &gathering, uint32_t length, const Edge &edge) {
        Candidates &states = gathering.states();
        if (states.size() != 0)
            states_.hash(states.end()[-1]);
        if (!gathering.take(*this, length, edge))
            halt(Reason::memory);
    }

    /* What was gathered, to be looked up. */
    Candidates &hashed(Gathering<Edge> &gathering) {
        Candidates &states = gathering.states();
        if (states.size() != 0)
            states_.hash(states.end()[-1]);
        if (states_.failed())
            halt(Reason::memory);
        return states;
    }

    /* Store what was gathered, of a state that has `height` states up to it on the path, and
     * call `tell(met, edge)` for each, the last one first, unless stopped. What `tell` does
     * may store no successors. */
    template <class Taker> void store_gathered(uint64_t height, const Taker &tell) {
        const bool at_limit = options_.max_depth != 0 && height > options_.max_depth;
        if (stopped())
            return;
        if (States::stores_successors && !at_limit && !make_room(gathered_.states().size(), gathered_.states().bytes()))
            return;
        Candidates &states = hashed(gathered_);
        states_.begin(states.begin(), states.end());
        const Candidate *end = states.end();
        while (end != states.begin() && !stopped()) {
            const Candidate &item = *--end;
            typename States::Met met;
            if (at_limit) {
                met = states_.find(item);
                if (!met.known()) {
                    cut_ = true;
                    continue;
                }
            } else if (!states_.meet(item, met)) {
                return halt(Reason::states);
            }
            ++transitions_;
            tell(met, gathered_.edges()[item.place]);
        }
    }

    /* With partial-order reduction: while a step of the chosen set leads to a state of which
     * `on_path(met)`, gather another set, at last all. So every cycle has a state that is
     * expanded in full. The number of the set, if it is not all. */
    template <class OnPath> void settle_choice(const uint8_t *state, uint32_t length, const OnPath &on_path) {
        while (reduced && !stopped() && returns(on_path)) {
            ++choice;
            again = true;
            if (gathered_.begin(*this))
                model().successors(state, length, this);
            else
                halt(Reason::memory);
        }
        again = false;
    }

    States states_;
    Gathering<Edge> gathered_; /* the successors of the state being expanded */
    uint64_t deepest_ = 0;     /* most states there were on the path */

  private:
    static States states_of(CycleSearch &search) {
        if constexpr (States::stores_successors) {
            return States(search.store_, search.expanded_state_, search.budget_);
        } else {
            SharedLimits limits = search.options_.shared;
            limits.workers = 1;
            limits.max_state_bytes = search.model().max_state_bytes;
            limits.model = &search.model();
            limits.max_states = 0; /* the states see to it, for some are in the store twice */
            return States(search.budget_, limits, search.options_.max_states);
        }
    }

    template <class OnPath> bool returns(const OnPath &on_path) {
        Candidates &states = hashed(gathered_);
        states_.begin(states.begin(), states.end());
        for (const Candidate &item : states) {
            const typename States::Met met = states_.find(item);
            if (met.known() && on_path(met))
                return true;
        }
        return states.size() == 0;
    }
};

} // namespace kripke
#endif
