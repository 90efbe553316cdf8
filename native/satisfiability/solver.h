/* solver.h -- an incremental SAT solver for very many small questions.
 *
 *   Conflicts are learnt from up to the first unique implication point (J. Marques-Silva, K.
 *   Sakallah, GRASP, 1999); two literals of each clause are watched (M. Moskewicz et al., Chaff,
 *   DAC 2001). What is different from other solvers is what property-directed reachability needs:
 *   a question may have a clause of its own, which is gone with all that was learnt from it when
 *   the next one is asked, and what is the same at the beginning of two questions is kept.
 *
 * INVARIANTS
 *   Level n + 1 of the trail belongs to assumption n, also where that was true before.
 *   The two literals that are watched come first in their clause. A clause that is a reason has
 *   the literal it is the reason for in front.
 */
#ifndef KRIPKE_SATISFIABILITY_SOLVER_H
#define KRIPKE_SATISFIABILITY_SOLVER_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kripke {

/* Twice the number of a variable, plus one where it is negated. */
using Literal = uint32_t;

class Solver {
  public:
    Solver() = default;
    Solver(const Solver &) = delete;
    Solver &operator=(const Solver &) = delete;

    uint32_t fresh();
    uint32_t variables() const { return static_cast<uint32_t>(values_.size() / 2); }

    /* Only these are guessed. What they do not imply must be free to be false in every solution. */
    void guess_only(const std::vector<Literal> &literals);

    /* For all questions. */
    void require(std::vector<Literal> clause);

    /* Is there a solution in which all of `first` and `then` are true, and the clause, where there
     * is one? Questions that begin with the same literals are cheaper one after the other. */
    bool solve(const std::vector<Literal> &first, const std::vector<Literal> &then,
               const std::vector<Literal> *clause = nullptr);

    /* In the last solution. */
    bool holds(Literal literal) const { return model_[literal] > 0; }

    /* Of the last question without a solution: is the assumption one of those that exclude it? */
    bool in_core(Literal literal) const { return core_[literal] == question_; }

    /* From now on everything is written down, so that another solver can be asked the same: 1 and a
     * clause, or 2 and a question: what is assumed, its own clause, and whether there is a solution.
     * Literals are as in DIMACS, with a 0 behind the last. */
    void write_down(std::vector<int32_t> &transcript) { transcript_ = &transcript; }

    uint64_t questions() const { return question_; }
    uint64_t conflicts() const { return conflicts_; }

  private:
    using Place = uint32_t; /* of a clause in `memory_`: its size, its flags, its literals */
    static constexpr Place nowhere = UINT32_MAX;
    static constexpr uint32_t head = 2;
    static constexpr uint32_t deleted = 1, learnt = 2, worth_shift = 2;

    struct Watch {
        Place clause;
        Literal other; /* where this is true, the clause need not be looked at */
    };

    void write(const std::vector<Literal> &literals, bool ended = true);
    bool answered(const std::vector<Literal> &first, const std::vector<Literal> &then,
                  const std::vector<Literal> *clause);
    Place stored(const std::vector<Literal> &clause, uint32_t flags);
    void watch(Place clause);
    bool added(std::vector<Literal> &clause, uint32_t flags, Place &place);
    void forget_question();
    bool searched();
    uint32_t level() const { return static_cast<uint32_t>(levels_.size()); }
    void decide(Literal literal);
    void assign(Literal literal, Place reason);
    void go_back(uint32_t level);
    Place propagated();
    uint32_t learn(Place conflict, std::vector<Literal> &clause);
    bool implied(Literal literal) const;
    void blame(Literal literal);
    void learnt_clause(const std::vector<Literal> &clause);
    void drop_learnt();
    void compact();
    uint32_t distinct_levels(const std::vector<Literal> &clause);

    void bump(uint32_t variable);
    void sift_up(uint32_t place);
    void sift_down(uint32_t place);
    void offer(uint32_t variable);
    uint32_t next_variable();

    std::vector<uint32_t> memory_;
    std::vector<Place> lasting_, learnt_;
    std::vector<std::vector<Watch>> watches_; /* of a literal: clauses in which its negation is watched */
    std::vector<int8_t> values_, model_;      /* of literals: 1 true, -1 false, 0 neither */
    std::vector<uint8_t> phase_, seen_, guessed_;
    std::vector<uint32_t> at_level_;
    std::vector<Place> reason_;
    std::vector<Literal> trail_;
    std::vector<uint32_t> levels_; /* where a level begins on the trail */
    size_t done_ = 0;              /* so much of the trail has been propagated */

    std::vector<double> activity_;
    std::vector<uint32_t> heap_, place_in_heap_;
    double step_ = 1.0;

    std::vector<Literal> assumptions_;
    std::vector<uint64_t> core_;
    std::vector<Literal> to_clear_;
    std::vector<uint64_t> stamp_;
    uint64_t stamps_ = 0;

    uint32_t own_ = UINT32_MAX; /* the variable that is true while the question with a clause is asked */
    Place own_clause_ = nowhere;
    std::vector<Place> from_own_;
    uint64_t question_ = 0, conflicts_ = 0, wasted_ = 0;
    size_t most_learnt_ = 4000;
    std::vector<int32_t> *transcript_ = nullptr;
    bool contradiction_ = false, only_some_ = false;
};

} // namespace kripke

#endif
