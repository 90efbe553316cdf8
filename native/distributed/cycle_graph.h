/* cycle_graph.h -- one worker's part of a graph in which a cycle with all marks is looked for: OWCTY, backwards.
 *
 * THE GRAPH
 *   A numbered search (distributed_search.h) tells every step to the owner of its target. So a worker knows the steps
 *   into its states, each with the number of its source: walking backwards, all that is to be sent is numbers.
 *
 * THE ALGORITHM
 *   One Way Catch Them Young (K. Fisler, R. Fraer, G. Kamhi, M. Vardi, Z. Yang, Is there a best symbolic
 *   cycle-detection algorithm?, TACAS 2001; explicit and distributed: I. Cerna, R. Pelanek, Distributed explicit fair
 *   cycle detection, SPIN 2003), here on the reversed graph, for steps that carry marks, and for several marks. S is a
 *   set of states, at first all of them.
 *     eliminate   take out of S, again and again, what has no step into S;
 *     reach(i)    take out of S what does not reach, inside S, a step with mark i inside S.
 *   Repeated until S is empty or stays as it is.
 *
 *   Nothing of a cycle with all marks is ever taken out: each of its states has a step to the next, and reaches
 *   each of the marked steps on it. Where S is not empty and stays as it is, there is such a cycle: from any state of S
 *   go on inside S to a step with mark 0, behind it to one with mark 1, and so on, for ever; S is finite, so two times
 *   one is behind a step with the last mark it is in the same state, and between them all marks were passed.
 *
 *   Also on a part of the state space: a state that was not expanded has no steps. A cycle that is found is one.
 *
 * HOW A PHASE RUNS
 *   begin_...(), on all workers; then step() until it says false, beside sending what the outbox has and
 *   receive()-ing, until nobody has anything left (rounds.py). Memory is bounded by the states: a state is at most once
 *   in the queue.
 *
 * A LASSO
 *   reach(i) with `ways` keeps for each state the next one on a way to and through a step with mark i; follow() goes along.
 */
#ifndef KRIPKE_CYCLE_GRAPH_H
#define KRIPKE_CYCLE_GRAPH_H

#include "distributed/numbered_steps.h"
#include "distributed/outbox.h"
#include "memory/budget.h"
#include "memory/stack.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace kripke {

class CycleGraph final : public NumberedSteps {
  public:
    static constexpr uint32_t most_marks = 8;
    static constexpr uint64_t nowhere = UINT64_MAX;

    /* Without `marks` every cycle will do: each step has the one mark that is looked for. */
    CycleGraph(Budget &budget, uint32_t rank, uint32_t workers, uint64_t buffer_bytes, uint32_t spare, uint32_t marks);

    // ---- Building -----------------------------------------------------------------

    uint32_t word_of(uint32_t, uint64_t marks) const override {
        return (static_cast<uint32_t>(marks) & all_marks) | always_;
    }
    bool leave(uint64_t place) override;
    bool stick(uint64_t) override { return true; }
    bool end(uint64_t, uint32_t, uint32_t) override { return true; }
    bool take(const Origin &origin, uint64_t target, bool initial) override;

    /* Steps that lead to a state that was known when the level of their source began to be expanded: every cycle has one
     * (J. Barnat, L. Brim, J. Chaloupka, Parallel breadth-first search LTL model-checking, ASE 2003). */
    uint64_t back_steps() const { return back_steps_; }
    /* A level begins; the states with places below this are known. */
    void begin_level(uint64_t known) { known_ = known; }
    uint64_t marked_steps() const { return marked_steps_; }

    // ---- Phases ---------------------------------------------------------------------

    /* All states are in S; those without a step are to be taken out. */
    bool begin();
    bool begin_reach(uint32_t mark, bool ways);
    /* What was not reached is taken out. */
    bool begin_drop();
    /* Handle so many states; fewer where the outbox is crowded. False: none is left. No memory: `failed`. */
    bool step(uint64_t most);
    /* False where it is no batch of this phase. */
    bool receive(const uint8_t *bytes, uint64_t count, uint32_t from);
    bool failed() const { return failed_; }

    uint64_t live() const { return live_; } /* states of S */
    uint64_t queued() const { return queue_.size() - head_; }
    uint64_t any() const; /* the number of a state of S, or nowhere */

    // ---- Lassos ---------------------------------------------------------------------

    /* From a state of ours along the ways of a mark, as far as they stay with this worker: the numbers of the states, the
     * last of which may be another worker's. `through`: was the last step one with the mark? Then it ends there. */
    std::vector<uint64_t> follow(uint32_t mark, uint64_t number, bool &through);

    Outbox &outbox() { return outbox_; }
    uint64_t steps() const { return edges_.size(); }

  private:
    static constexpr uint32_t all_marks = (1u << most_marks) - 1;
    static constexpr uint64_t forty = (uint64_t{1} << 40) - 1;
    enum : uint8_t { in_s = 1, reached = 2 };
    enum class Phase { none, eliminate, reach };

    /* A step into a state: 40 bits its source, 40 bits 1 + the place of the next step into the same state, 8 bits marks. */
    struct Edge {
        uint32_t source, next;
        uint8_t source_high, next_high, marks, spare;
    };
    static_assert(sizeof(Edge) == 12);
    /* 1 + the place of the first step into it; steps out of it, all and into S. */
    struct Vertex {
        uint64_t first;
        uint32_t steps, left;
    };

    bool grow(uint64_t place);
    bool tell(uint64_t source, uint64_t target, bool marked);
    bool hear(uint64_t place, uint64_t target, bool marked);
    bool remove(uint64_t place);
    uint64_t place_of(uint64_t number) const { return number / workers_; }
    uint64_t number_of(uint64_t place) const { return place * workers_ + rank_; }

    const uint32_t rank_, workers_, always_;
    Outbox outbox_;
    Stack<Edge> edges_;
    Stack<Vertex> vertices_;
    Stack<uint8_t> flags_;
    Stack<uint64_t> queue_;
    /* For each mark: of a state, the next one's number, doubled, and 1 where the step to it has the mark. */
    std::vector<std::unique_ptr<Stack<uint64_t>>> ways_;
    Budget &budget_;
    Phase phase_ = Phase::none;
    uint32_t mark_ = 0;
    bool keeps_ways_ = false, failed_ = false;
    uint64_t head_ = 0;  /* of the queue */
    uint64_t scan_ = 0;  /* reach: states whose marked steps were told */
    uint64_t live_ = 0, known_ = 0, back_steps_ = 0, marked_steps_ = 0;
};

} // namespace kripke
#endif
