/* nested_depth_first.h -- accepting cycles of a product, by nested depth-first
 * search.
 *
 * Courcoubetis, Vardi, Wolper, Yannakakis (Memory-efficient algorithms for the
 * verification of temporal properties, 1992), with the colours of Schwoon and
 * Esparza (A note on on-the-fly verification algorithms, TACAS 2005), for marks on
 * edges. The outer search is a depth-first search; a state is
 *
 *     fresh   met as a successor, to be tried yet
 *     cyan    on the path of the outer search
 *     blue    done with by the outer search
 *     red     and known to lead to no cyan state
 *
 * A marked edge that leads to a cyan state closes an accepting cycle at once. A
 * marked edge s -> t whose target is blue starts an inner search from t, when t is
 * done with; where that meets a cyan state, there is a cycle too, for every cyan
 * state leads to s. (A marked edge is as good as an accepting state in the middle of
 * it, and inner searches are begun in the order in which those are done with: so the
 * usual argument holds, and no state need be red twice.)
 *
 * Where the observer is weak, every cycle in a component of it has the mark on all
 * its edges or on none: the edge that closes it suffices, and there is no inner
 * search.
 *
 * In the full store a state takes one byte more for its colour (record_states.h). In any
 * other that one worker can use the colours are beside the store (coloured_handles.h,
 * viewed_states.h).
 *
 * With partial-order reduction (reduced.h) no step of a state that is not expanded in full
 * leads to a cyan one: so every cycle has a state that is, and nothing is put off around it.
 * The inner search takes the same steps as the outer one (Holzmann, Peled, Yannakakis, On
 * nested depth first search, 1996), or more of those between the states that the outer one
 * has met: the number of the set is kept beside the colour, where there is room for it.
 */
#ifndef KRIPKE_NESTED_DEPTH_FIRST_H
#define KRIPKE_NESTED_DEPTH_FIRST_H

#include "cycles/cycle_search.h"

#include <algorithm>
#include <memory>

namespace kripke {

/* By one thread. */
std::unique_ptr<Search> make_nested(const kripke_model &model, const Options &options, Control &control);

/* In a store other than the full one; made elsewhere, so that the compiler may inline as much as it likes of the
 * search in the full store. */
std::unique_ptr<Search> make_nested_in_view(const kripke_model &model, const Options &options, Control &control);

/* Of edges it is kept whether they have the mark. */
template <class States> class NestedDepthFirst final : public CycleSearch<bool, States> {
  public:
    NestedDepthFirst(const kripke_model &model, const Options &options, Control &control)
        : Base(model, options, control, States::stores_successors ? 1 : 0),
          inner_gathered_(budget_, model.max_state_bytes), gathering_(&gathered_), frames_(budget_), pending_(budget_),
          inner_frames_(budget_), inner_pending_(budget_) {
        this->connect(this);
    }

    void take(uint32_t length, uint32_t) noexcept {
        ++handed_over_;
        if (stopped())
            return;
        gather_one(*gathering_, length, marks != 0);
    }
    void complain(uint32_t code, uint32_t label) noexcept { found_violation(code, label); }

  private:
    using Base = CycleSearch<bool, States>;
    using Base::budget_, Base::deepest_, Base::gathered_, Base::handed_over_, Base::muted_, Base::options_,
        Base::states_;
    using Base::choice, Base::marks, Base::reduced;
    using Base::expand, Base::found_cycle, Base::found_violation, Base::gather_initial, Base::gather_one, Base::halt,
        Base::hashed, Base::publish_if_asked, Base::settle_choice, Base::stopped, Base::store_gathered;
    using Ref = typename States::Ref;
    using Met = typename States::Met;
    using Pending = typename States::Marked; /* is the edge to it marked? */

    struct Frame {
        Pending entered;
        uint64_t pending; /* height of pending_ when its last successor is done */
        typename States::Place place;
    };

    struct InnerFrame {
        Ref state;
        uint64_t pending; /* height of inner_pending_, likewise */
    };

    void explore() override {
        if (!gather_initial())
            return;
        push_successors();
        take_turns(
            frames_, pending_, [this] { return stopped(); }, [this](const Pending &next) { visit(next); },
            [this] { leave(); });
    }

    /* Try a state as the successor of the last one of the path. */
    void visit(const Pending &pending) {
        publish_if_asked();
        const auto item = states_.look(pending.state);
        const Colour seen = states_.colour(item);
        if (seen != Colour::fresh) {
            meet(pending.state, seen, pending.marked);
            return states_.drop(pending.state);
        }
        const Reason refused = states_.enter(item);
        if (refused != Reason::none)
            return halt(refused);
        if (!frames_.push({pending, pending_.size(), states_.place(item)}))
            return halt(Reason::memory);
        deepest_ = std::max(deepest_, frames_.size());
        const uint8_t *const state = states_.open(item);
        gather(pending.state, state, states_.length(item));
        if (options_.reduction) {
            settle_choice(state, states_.length(item),
                          [this](const Met &met) { return states_.colour(met) == Colour::cyan; });
            states_.set_choice(item, reduced ? choice : Base::every_step);
            choice = 0;
        }
        push_successors();
    }

    void leave() {
        const Frame frame = frames_.top();
        states_.leave(frame.place);
        frames_.pop();
        if (frame.entered.marked && !frames_.empty())
            meet(frame.entered.state, Colour::blue, true);
        states_.drop(frame.entered.state);
    }

    /* The last state of the path has an edge to a state met before. */
    void meet(const Ref &target, Colour seen, bool marked) {
        if (!marked)
            return;
        if (seen == Colour::cyan)
            close(target);
        else if (seen == Colour::blue && !options_.weak)
            search_inside(target);
    }

    /* A cyan state is met again: at the end of the path, or of the inner path. */
    void close(const Ref &state) {
        typename States::Way way;
        int64_t loop = -1;
        for (uint64_t i = 0; i < frames_.size(); ++i) {
            if (states_.same(frames_[i].entered.state, state))
                loop = static_cast<int64_t>(i);
            states_.append(way, frames_[i].entered.state);
        }
        assert(loop >= 0);
        for (uint64_t i = 0; i < inner_frames_.size(); ++i)
            states_.append(way, inner_frames_[i].state);
        states_.append(way, state);
        found_cycle(std::move(way), loop);
    }

    // ---- The inner search -------------------------------------------------------

    void search_inside(const Ref &start) {
        muted_ = true;
        gathering_ = &inner_gathered_;
        expand_inside(start);
        while (!stopped() && !inner_frames_.empty()) {
            publish_if_asked();
            if (inner_pending_.size() == inner_frames_.top().pending) {
                states_.drop(inner_frames_.top().state);
                inner_frames_.pop();
                continue;
            }
            const Ref state = inner_pending_.top();
            inner_pending_.pop();
            expand_inside(state);
        }
        muted_ = false;
        gathering_ = &gathered_;
    }

    /* Unless that was done. */
    void expand_inside(const Ref &ref) {
        const auto item = states_.look(ref);
        if (states_.colour(item) != Colour::blue)
            return states_.drop(ref);
        if (!states_.redden(item) || !inner_frames_.push({ref, inner_pending_.size()}))
            return halt(Reason::memory);
        if (options_.reduction)
            choice = states_.choice(item);
        const uint8_t *const state = states_.open(item);
        gather(ref, state, states_.length(item));
        choice = 0;
        if (stopped())
            return;
        Candidates &successors = hashed(inner_gathered_);
        states_.begin(successors.begin(), successors.end());
        for (const Candidate &candidate : successors) {
            const Met met = states_.find(candidate);
            if (!met.known())
                continue; /* kept out by the depth limit, or by the reduction */
            const Colour seen = states_.colour(met);
            if (seen == Colour::red || seen == Colour::fresh)
                continue;
            Ref target;
            if (stopped() || !states_.keep(met, target))
                return halt(Reason::memory);
            if (seen == Colour::cyan)
                return close(target);
            if (!inner_pending_.push(target))
                return halt(Reason::memory);
        }
    }

    // ---- Successors -------------------------------------------------------------

    void gather(const Ref &ref, const uint8_t *state, uint32_t length) {
        if (!gathering_->begin(*this))
            return halt(Reason::memory);
        expand(states_.record(ref), state, length);
    }

    /* Look up the successors, the last one first: deal with those that were tried before, push
     * the others, so that the first one comes first. */
    void push_successors() {
        store_gathered(frames_.size(), [this](const Met &met, bool marked) {
            const Colour seen = states_.colour(met);
            if (seen != Colour::fresh && !marked)
                return;
            Ref state;
            if (!states_.keep(met, state))
                return halt(Reason::memory);
            if (seen != Colour::fresh) {
                meet(state, seen, marked);
                states_.drop(state);
            } else if (!pending_.push({state, marked})) {
                halt(Reason::memory);
            }
        });
    }

    void keep_path(ErrorPath &error_path) override {
        const uint64_t length = frames_.size();
        if (!budget_.take(length * states_.bytes_on_way()))
            return; /* better without a path than not at all */
        typename States::Way way;
        way.reserve(length);
        for (uint64_t i = 0; i < length; ++i)
            states_.append(way, frames_[i].entered.state);
        error_path.set(std::move(way));
    }

    uint64_t queue() const override { return frames_.size(); }

    Gathering<bool> inner_gathered_;
    Gathering<bool> *gathering_; /* where successors go: gathered_ or inner_gathered_ */
    Stack<Frame> frames_;        /* the path */
    Stack<Pending> pending_;     /* states to be tried */
    Stack<InnerFrame> inner_frames_;
    Stack<Ref> inner_pending_;
};

} // namespace kripke
#endif
