/* cycle_search.h -- what the searches for cycles have in common, whatever they keep with
 * a state.
 *
 * A state is stored when it is first met as a successor, all successors of a state
 * together, and expanded when its turn comes: the order is true depth-first order, and
 * every edge costs one lookup.
 */
#ifndef KRIPKE_CYCLE_SEARCH_H
#define KRIPKE_CYCLE_SEARCH_H

#include "gathering.h"
#include "search.h"

namespace kripke {

template <class Edge> class CycleSearch : public Search {
  protected:
    CycleSearch(const kripke_model &model, const Options &options, Control &control, uint32_t payload_bytes)
        : Search(model, options, control, payload_bytes), gathered_(budget_, model.max_state_bytes) {}

    uint64_t depth() const override { return deepest_ == 0 ? 0 : deepest_ - 1; }

    /* Gather the initial states. False if stopped. */
    bool gather_initial() {
        if (!gathered_.begin(*this)) {
            halt(Reason::memory);
            return false;
        }
        if (!make_room(1, model().max_state_bytes))
            return false;
        model().initial(this);
        return !stopped();
    }

    /* Gather the state at `out`. (It is hashed when the next one has come: what was written
     * byte by byte a moment ago cannot be read in words without waiting.) */
    void gather_one(Gathering<Edge> &gathering, uint32_t length, const Edge &edge) {
        Candidates &states = gathering.states();
        if (states.size() != 0)
            store_.hash(states.end()[-1]);
        if (!gathering.take(*this, length, edge))
            halt(Reason::memory);
    }

    /* What was gathered, to be looked up. */
    Candidates &hashed(Gathering<Edge> &gathering) {
        Candidates &states = gathering.states();
        if (states.size() != 0)
            store_.hash(states.end()[-1]);
        return states;
    }

    /* Store what was gathered, of a state that has `height` states up to it on the path, and
     * call `tell(state, payload, edge)` for each, the last one first, unless stopped. What
     * `tell` does may store nothing. */
    template <class Taker> void store_gathered(uint64_t height, const Taker &tell) {
        const bool at_limit = options_.max_depth != 0 && height > options_.max_depth;
        if (stopped() || (!at_limit && !make_room(gathered_.states().size(), gathered_.states().bytes())))
            return;
        Candidates &states = hashed(gathered_);
        store_.begin_hashed(states.begin(), states.end());
        const Candidate *end = states.end();
        while (end != states.begin() && !stopped()) {
            const Candidate &item = *--end;
            uint64_t state;
            if (at_limit) {
                state = store_.find(item);
                if (state == no_state) {
                    cut_ = true;
                    continue;
                }
            } else {
                const auto [outcome, offset] = store_.find_or_insert(item);
                if (outcome == Store::Outcome::full)
                    return halt(Reason::states);
                state = offset;
            }
            ++transitions_;
            tell(state, store_.payload(item, state), gathered_.edges()[item.place]);
        }
    }

    /* With partial-order reduction: while a step of the chosen set leads to a state of which
     * `on_path(payload)`, gather another set, at last all. So every cycle has a state that is
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

    Gathering<Edge> gathered_; /* the successors of the state being expanded */
    uint64_t deepest_ = 0;     /* most states there were on the path */

  private:
    template <class OnPath> bool returns(const OnPath &on_path) {
        Candidates &states = hashed(gathered_);
        store_.begin_hashed(states.begin(), states.end());
        for (const Candidate &item : states) {
            const uint64_t offset = store_.find(item);
            if (offset != no_state && on_path(store_.payload(item, offset)))
                return true;
        }
        return states.size() == 0;
    }
};

} // namespace kripke
#endif
