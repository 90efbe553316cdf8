/* component_search.h -- the search by components (components.h), in any store that loses nothing:
 * a template over the states and their places (placed_states.h), and what is kept of an edge.
 */
#ifndef KRIPKE_COMPONENT_SEARCH_H
#define KRIPKE_COMPONENT_SEARCH_H

#include "cycles/components.h"
#include "cycles/cycle_search.h"
#include "cycles/marks.h"
#include "cycles/placed_states.h"
#include "cycles/streett.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>
#include <unordered_map>
#include <utility>

namespace kripke {

constexpr uint32_t most_fair_edges = 1024; /* that fairness can be about */

template <size_t Words> struct FairEdge {
    Marks<Words> marks;
    Marks<Words> moved; /* those of who takes part, as far as fairness is concerned */
};

/* Without fairness, and with few marks. */
struct PlainEdge {
    Marks<1, uint8_t> marks;
    static constexpr Marks<1, uint8_t> moved = {};
};

/* A state to be tried, and the marks of the edge to it. */
template <class States, class MarkSet> class PendingEdge {
  public:
    PendingEdge(uint64_t state, const MarkSet &marks) : state_(state), marks_(marks) {}
    uint64_t state() const { return state_; }
    const MarkSet &marks() const { return marks_; }

  private:
    uint64_t state_;
    MarkSet marks_;
};

/* A record has fewer bits than a word. */
template <> class PendingEdge<PlacedRecords, Marks<1, uint8_t>> {
  public:
    PendingEdge(uint64_t state, const Marks<1, uint8_t> &marks) : both_(state << 8 | marks.words[0]) {}
    uint64_t state() const { return both_ >> 8; }
    Marks<1, uint8_t> marks() const { return {{static_cast<uint8_t>(both_)}}; }

  private:
    uint64_t both_;
};

/* A handle has not. */
template <class Store> class PendingEdge<PlacedHandles<Store>, Marks<1, uint8_t>> {
  public:
    PendingEdge(uint64_t state, const Marks<1, uint8_t> &marks) : marks_(marks.words[0]) {
        std::memcpy(state_, &state, sizeof state);
    }
    uint64_t state() const {
        uint64_t state;
        std::memcpy(&state, state_, sizeof state);
        return state;
    }
    Marks<1, uint8_t> marks() const { return {{marks_}}; }

  private:
    uint8_t state_[sizeof(uint64_t)];
    uint8_t marks_;
};

/* HasFairness: to actors or edges, or events ask for it. */
template <class States, class Edge, bool HasFairness>
class ComponentSearch final : public CycleSearch<Edge, States> {
    using MarkSet = decltype(Edge::marks);

  public:
    ComponentSearch(const kripke_model &model, const Options &options, Control &control)
        : Base(model, options, control, States::payload_bytes(options.reduction)), frames_(budget_),
          pending_(budget_), roots_(budget_), all_(MarkSet::first(MarkSet::most)),
          own_(MarkSet::first(options.sets)), required_(options.fairness == Fairness::weak ? all_ : own_) {
        this->connect(this);
        if constexpr (HasFairness)
            this->barred = [](Sink &sink, uint32_t label) noexcept {
                auto &self = static_cast<ComponentSearch &>(sink);
                self.note_enabled(self.mover(label));
            };
    }

    void take(uint32_t length, uint32_t label) noexcept {
        if constexpr (HasFairness)
            if (only_noting_)
                return note_enabled(mover(label));
        ++handed_over_;
        if (stopped())
            return;
        Edge edge;
        edge.marks = MarkSet::of(marks);
        if constexpr (HasFairness) {
            const uint32_t who = mover(label);
            note_enabled(who);
            if (who != KRIPKE_NOBODY)
                edge.moved.add(mark_of(who));
            if (met != nullptr && to_somebody() && options_.fair_to == Fair::actors)
                note_partners(edge);
        }
        gather_one(gathered_, length, edge);
    }

    void complain(uint32_t code, uint32_t label) noexcept {
        if constexpr (HasFairness) {
            note_enabled(mover(label));
            if (only_noting_)
                return;
        }
        found_violation(code, label);
    }

  private:
    using Base = CycleSearch<Edge, States>;
    using Base::budget_, Base::deepest_, Base::gathered_, Base::handed_over_, Base::muted_, Base::options_,
        Base::states_;
    using Base::actor, Base::choice, Base::demands, Base::every_step, Base::marks, Base::met, Base::more_partner_count,
        Base::more_partners, Base::safe, Base::stutters;
    using Base::expand, Base::found_cycle, Base::found_violation, Base::gather_initial, Base::gather_one, Base::halt,
        Base::hashed, Base::model, Base::publish_if_asked, Base::settle_choice, Base::stopped, Base::store_gathered;

    using Met = typename States::Met;
    using Pending = PendingEdge<States, MarkSet>;

    static constexpr uint32_t fresh = places_of::fresh, dead = places_of::dead;

    struct Frame {
        uint64_t pending; /* height of pending_ when its last successor is done */
        typename States::Spot spot;
    };

    /* A component that may still grow: the live states from `place` (counted from 1) on,
     * up to the next root's. */
    struct Root {
        uint32_t place;
        MarkSet inside;   /* on its edges */
        MarkSet incoming; /* on the edge by which it was entered */
    };

    bool to_somebody() const { return options_.fairness != Fairness::none; }
    bool strong() const {
        return HasFairness && (options_.fairness == Fairness::strong || options_.strong_marks != 0);
    }

    void explore() override {
        if (!gather_initial())
            return;
        for (uint64_t i = 0; i < gathered_.edges().size(); ++i)
            gathered_.edges()[i].marks = MarkSet();
        push_successors();
        take_turns(
            frames_, pending_, [this] { return stopped(); }, [this](const Pending &next) { visit(next); },
            [this] { leave(); });
    }

    void visit(const Pending &pending) {
        publish_if_asked();
        const uint64_t ref = pending.state();
        const auto item = states_.look(ref);
        const uint32_t seen = states_.place(item);
        if (seen != fresh)
            return meet(seen, pending.marks());
        const Reason refused = states_.enter(ref, item);
        if (refused != Reason::none)
            return halt(refused);
        const auto spot = states_.spot(item);
        if (!roots_.push({states_.place(spot), MarkSet(), pending.marks()}) || !frames_.push({pending_.size(), spot}))
            return halt(Reason::memory);
        deepest_ = std::max(deepest_, frames_.size());
        const uint8_t *const state = states_.open(item);
        const uint32_t length = states_.length(item);
        gather(ref, state, length);
        if (options_.reduction) {
            if (!states_.join_path(spot))
                return halt(Reason::memory);
            settle_choice(state, length, [this](const Met &met) { return states_.on_path(met); });
            choice = 0;
        }
        push_successors();
    }

    /* The last state of the path has an edge to a state met before: join everything
     * from that state's component on. */
    void meet(uint32_t place, MarkSet marks) {
        if (place == dead)
            return;
        while (roots_.top().place > place) {
            marks |= roots_.top().inside;
            marks |= roots_.top().incoming;
            roots_.pop();
        }
        roots_.top().inside |= marks;
        if (!strong() && roots_.top().inside.contains(required_))
            found_component();
    }

    void leave() {
        const Frame frame = frames_.top();
        if (options_.reduction)
            states_.leave_path(frame.spot);
        if (states_.place(frame.spot) == roots_.top().place) {
            if constexpr (HasFairness)
                if (strong() && roots_.top().inside.contains(required_))
                    look_for_fair_part();
            if (stopped())
                return;
            states_.bury(frame.spot);
            roots_.pop();
        }
        frames_.pop();
    }

    // ---- Successors -----------------------------------------------------------

    void gather(uint64_t ref, const uint8_t *state, uint32_t length) {
        if constexpr (HasFairness)
            enabled_ = MarkSet();
        if (!gathered_.begin(*this))
            return halt(Reason::memory);
        expand(states_.record(ref), state, length);
        if constexpr (HasFairness) {
            if (safe != nullptr)
                note_all_enabled(state, length);
            enabled_ |= MarkSet::of(demands);
            if (options_.fairness == Fairness::weak)
                for (uint64_t i = 0; i < gathered_.edges().size(); ++i)
                    add_fairness(gathered_.edges()[i]);
        }
    }

    /* At a safe place the steps of others are not taken, but these can move all the same. */
    void note_all_enabled(const uint8_t *state, uint32_t length) {
        const kripke_safe_places *const places = std::exchange(safe, nullptr);
        only_noting_ = true;
        model().successors(state, length, this);
        only_noting_ = false;
        safe = places;
    }

    uint32_t mark_of(uint32_t who) const { return options_.sets + options_.strong_marks + who; }

    bool has_mark(uint32_t who) const { return uint64_t{who} + mark_of(0) < MarkSet::most; }

    /* Whose step comes now, as far as fairness is concerned. */
    uint32_t mover(uint32_t label) noexcept {
        if (!to_somebody() || stutters)
            return KRIPKE_NOBODY;
        if (options_.fair_to == Fair::actors)
            return actor != KRIPKE_NOBODY && !has_mark(actor) ? too_many() : actor;
        try {
            const auto [known, fresh_one] = numbers_.emplace(uint64_t{actor} << 32 | label, numbers_.size());
            if (fresh_one && !has_mark(known->second))
                return too_many();
            return known->second;
        } catch (const std::bad_alloc &) {
            halt(Reason::memory);
            return KRIPKE_NOBODY;
        }
    }

    /* More than there are marks for. */
    uint32_t too_many() noexcept {
        halt(Reason::edges);
        return KRIPKE_NOBODY;
    }

    void note_enabled(uint32_t who) {
        if (who != KRIPKE_NOBODY)
            enabled_.add(mark_of(who));
    }

    /* Who receives in a rendezvous takes part in the sender's step. */
    void note_partners(Edge &edge) noexcept {
        for (uint32_t i = 0; i < 4; ++i)
            for (uint64_t bits = met->bits[i]; bits != 0; bits &= bits - 1)
                note_partner(edge, i * 64 + static_cast<uint32_t>(__builtin_ctzll(bits)));
        for (uint32_t i = 0; i < more_partner_count; ++i)
            note_partner(edge, more_partners[i]);
    }
    void note_partner(Edge &edge, uint32_t who) noexcept {
        if (has_mark(who))
            edge.moved.add(mark_of(who));
        else
            too_many();
    }

    /* Who moves has moved; who cannot move may wait. */
    void add_fairness(Edge &edge) const {
        edge.marks |= all_.without(enabled_ | own_) | edge.moved;
    }

    void push_successors() {
        store_gathered(frames_.size(), [this](const Met &met, const Edge &edge) {
            const uint32_t place = states_.place(met);
            if (place != fresh)
                meet(place, edge.marks);
            else if (!pending_.push({met.ref, edge.marks}))
                halt(Reason::memory);
        });
    }

    // ---- Traces ---------------------------------------------------------------

    void keep_path(ErrorPath &error_path) override {
        const uint64_t length = frames_.size();
        if (!budget_.take(length * states_.bytes_on_way()))
            return; /* better without a path than not at all */
        error_path.set(states_.way(path_to(length)));
    }

    Path path_to(uint64_t length) const {
        Path path;
        for (uint64_t i = 0; i < length; ++i)
            path.push_back(states_.live(states_.place(frames_[i].spot)));
        return path;
    }

    /* The path of the search to the root of the last component. */
    Path path_to_root() const {
        const uint32_t root = roots_[roots_.size() - 1].place;
        uint64_t length = 1;
        while (states_.place(frames_[length - 1].spot) != root)
            ++length;
        return path_to(length);
    }

    /* The last component has all marks. */
    void found_component() {
        muted_ = true;
        Path path = path_to_root();
        inside_.assign(states_.live_count() - (roots_.top().place - 1), true);
        lead_round(path, path.size() - 1, required_);
    }

    /* The last component is complete. Is there a strongly fair cycle in it? */
    void look_for_fair_part() {
        muted_ = true;
        const uint32_t first = roots_.top().place;
        FairGraph<MarkSet::size> graph;
        graph.states = static_cast<uint32_t>(states_.live_count() - (first - 1));
        inside_.assign(graph.states, true);
        for (uint32_t i = 0; i < graph.states && !stopped(); ++i) {
            publish_if_asked();
            each_edge(states_.live(first + i), [&](const Met &target, const Edge &edge) {
                graph.edges.push_back({i, states_.place(target) - first, edge.marks | edge.moved});
                return true;
            });
            graph.enabled.push_back(enabled_);
        }
        const std::vector<uint32_t> part = stopped() ? std::vector<uint32_t>() : fair_component(graph, required_);
        if (!part.empty()) {
            MarkSet enabled;
            for (const uint32_t state : part)
                enabled |= graph.enabled[state];
            Path path = path_to_root();
            std::vector<bool> goal(graph.states, false);
            for (const uint32_t state : part)
                goal[state] = true;
            if (!goal[0])
                walk(path, [&](const Met &target, const Edge &) { return goal[states_.place(target) - first]; });
            inside_ = goal;
            lead_round(path, path.size() - 1, required_ | enabled);
        }
        muted_ = false;
    }

    /* Call `tell(target, edge)` for every edge to a state that is inside, until it says
     * false. */
    template <class Tell> void each_edge(uint64_t state, const Tell &tell) {
        const auto item = states_.look(state);
        const uint8_t *const bytes = states_.open(item);
        choice = every_step;
        gather(state, bytes, states_.length(item));
        choice = 0;
        const uint32_t first = roots_.top().place;
        Candidates &successors = hashed(gathered_);
        states_.begin(successors.begin(), successors.end());
        for (const Candidate &candidate : successors) {
            const Met target = states_.find(candidate);
            if (!target.known())
                continue;
            const uint32_t place = states_.place(target);
            if (place == dead || place < first || place == fresh || place - first >= inside_.size() || !inside_[place - first])
                continue;
            const Edge edge = gathered_.edges()[candidate.place];
            if (!tell(target, edge))
                return;
        }
    }

    /* Extend the path, inside, by the shortest way whose last edge `goal` accepts. */
    template <class Goal> bool walk(Path &path, const Goal &goal) {
        struct Step {
            uint64_t from;
        };
        std::unordered_map<uint64_t, Step> seen;
        const uint64_t start = path.back();
        std::deque<uint64_t> queue{start};
        seen[start] = {no_state};
        uint64_t last = no_state, end = no_state;
        while (!queue.empty() && end == no_state && !stopped()) {
            publish_if_asked();
            const uint64_t state = queue.front();
            queue.pop_front();
            each_edge(state, [&](const Met &target, const Edge &edge) {
                if (goal(target, edge)) {
                    last = state;
                    end = target.ref;
                    return false;
                }
                if (seen.insert({target.ref, {state}}).second)
                    queue.push_back(target.ref);
                return true;
            });
        }
        if (end == no_state)
            return false;
        Path way{end};
        for (uint64_t state = last; state != start; state = seen[state].from)
            way.push_back(state);
        path.insert(path.end(), way.rbegin(), way.rend());
        return true;
    }

    /* Close a cycle at the end of a path, inside, with all of these marks on it. */
    void lead_round(Path &path, uint64_t loop, MarkSet missing) {
        const uint64_t start = path[loop];
        bool complete = true;
        while (!missing.empty() && complete) {
            MarkSet gained;
            complete = walk(path, [&](const Met &, const Edge &edge) {
                gained = edge.marks | edge.moved;
                return !(gained & missing).empty();
            });
            missing = missing.without(gained);
        }
        if (complete && (path.size() - 1 == loop || path.back() != start))
            complete = walk(path, [&](const Met &target, const Edge &) { return target.ref == start; });
        if (complete)
            found_cycle(states_.way(std::move(path)), static_cast<int64_t>(loop));
    }

    uint64_t queue() const override { return frames_.size(); }

    MarkSet enabled_;        /* the actors that can move in it */
    bool only_noting_ = false; /* are steps looked at for that alone? */
    Stack<Frame> frames_;    /* the path */
    Stack<Pending> pending_; /* states to be tried */
    Stack<Root> roots_;
    const MarkSet all_, own_; /* all marks, and those of the observer */
    const MarkSet required_;  /* those an accepted cycle has */
    std::unordered_map<uint64_t, uint32_t> numbers_; /* of edges, by actor and label, if fairness is about them */
    std::vector<bool> inside_; /* of the states of the last component: where a cycle may go */
};

/* With as much of an edge as is asked for. */
template <class States>
std::unique_ptr<Search> make_component_search(const kripke_model &model, const Options &options, Control &control) {
    uint64_t needed = uint64_t{options.sets} + options.strong_marks;
    if (options.fairness != Fairness::none)
        needed += options.fair_to == Fair::actors ? options.actors : most_fair_edges;
    if (needed <= 8 && options.fairness == Fairness::none && options.strong_marks == 0)
        return std::make_unique<ComponentSearch<States, PlainEdge, false>>(model, options, control);
    if (needed <= 64)
        return std::make_unique<ComponentSearch<States, FairEdge<1>, true>>(model, options, control);
    if (needed <= 128)
        return std::make_unique<ComponentSearch<States, FairEdge<2>, true>>(model, options, control);
    if (needed <= 320)
        return std::make_unique<ComponentSearch<States, FairEdge<5>, true>>(model, options, control);
    return std::make_unique<ComponentSearch<States, FairEdge<17>, true>>(model, options, control);
}

} // namespace kripke
#endif
