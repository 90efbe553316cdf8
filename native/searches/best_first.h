/* best_first.h -- the most promising state first: A*, weighted A*, greedy best-first search,
 * and breadth-first search as the case in which nothing is known.
 *
 * P. Hart, N. Nilsson, B. Raphael: A formal basis for the heuristic determination of minimum
 * cost paths, 1968. With a state are kept the steps of the best way to it that is known, the
 * record before it on that way, and its estimate. Where a shorter way to a state is found that was
 * expanded before, it is opened again. (Not where steps behind count for nothing.)
 *
 * A state is looked at when it is first met: its atoms, and whether it is a deadlock, unless
 * the estimate says that it is none. What goes wrong in its steps is found when it is expanded.
 *
 * WHY A* FINDS A SHORTEST WAY
 *   An open state is no goal, so the estimate is at least 1 where it is never too large. While
 *   a goal at distance d has not been met, an open state lies on a shortest way to it, with
 *   its right number of steps behind, so that the least value of all is at most d. The state that
 *   is taken has that value: it has at most d - 1 steps behind, and a goal that is met from
 *   there is at distance d.
 *
 * With partial-order reduction (reduced.h) one step of the chosen set must lead to a state that
 * is not expanded, or waits to be expanded again; else all are taken. Of the states of a cycle one is
 * expanded after the others for the last time: nothing is put off around it.
 */
#ifndef KRIPKE_BEST_FIRST_H
#define KRIPKE_BEST_FIRST_H

#include "searches/guide.h"
#include "searches/open_list.h"
#include "searches/search.h"
#include "stores/candidates.h"

namespace kripke {

class BestFirst final : public Search {
  public:
    BestFirst(const kripke_model &model, const Options &options, Control &control);

    void take(uint32_t length, uint32_t label) noexcept;
    void complain(uint32_t code, uint32_t label) noexcept;
    Expansions expansions() const override { return expansions_; }

  private:
    /* Beside a state. */
    struct Node {
        uint64_t parent; /* its record; no_state: initial */
        uint32_t steps : 31, looked : 1; /* for a deadlock? */
        uint32_t estimate : 30, closed : 1, expanded : 1; /* before, at least once */
    };

    void explore() override;
    void keep_path(ErrorPath &error_path) override;
    uint64_t depth() const override { return deepest_; }
    uint64_t queue() const override { return open_count_; }

    bool gather_room();
    void settle_choice(const uint8_t *state, uint32_t length);
    bool leads_on();
    void begin_lookups();
    void meet_gathered(uint64_t parent, uint32_t steps);
    void meet(const Candidate &item, uint64_t parent, uint32_t steps);
    void first_look(uint64_t offset, Node &node, const uint8_t *state, uint32_t length);
    static Node read(const uint8_t *payload);
    static void write(uint8_t *payload, const Node &node);

    Guide guide_;
    OpenList open_;
    Candidates gathered_; /* the successors of the state being expanded */
    Expansions expansions_;
    uint64_t open_count_ = 0, deepest_ = 0;
};

} // namespace kripke
#endif
