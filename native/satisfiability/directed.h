/* directed.h -- property-directed reachability: clauses that hold up to 1, 2, ... steps from the
 * start, until two levels are equal.
 *
 *   A. Bradley, SAT-based model checking without unrolling, VMCAI 2011; N. Eén, A. Mishchenko, R.
 *   Brayton, Efficient implementation of property directed reachability, FMCAD 2011. A state that
 *   leads to something wrong is lifted to all states that lead there by the same command: H.
 *   Chockler, A. Ivrii, A. Matsliah, S. Moran, Z. Nevo, Incremental formal verification of
 *   hardware, FMCAD 2011.
 *
 * COORDINATES
 *   States are told apart by coordinates, each of which is a literal now and one after a step. Of
 *   some only the positive literal is used: "the variable has another value than this". Coordinates
 *   of one variable are a group.
 *
 * LEVELS
 *   Level i is a set of cubes that no state within i steps of the start is in. A cube is kept on
 *   the highest level it is known on, and belongs to all levels below. No state of a level below
 *   the last is wrong.
 */
#ifndef KRIPKE_SATISFIABILITY_DIRECTED_H
#define KRIPKE_SATISFIABILITY_DIRECTED_H

#include "satisfiability/solver.h"

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace kripke {

/* A transition relation in clauses. */
struct ClausalRelation {
    struct Command {
        Literal taken, guard;
        std::vector<Literal> choices;
    };

    uint32_t variables = 0;
    std::vector<std::vector<Literal>> clauses;
    std::vector<Literal> now, later; /* of the coordinates */
    std::vector<bool> single;
    std::vector<uint32_t> group;
    std::vector<Literal> bits_now, bits_later; /* all of a state */
    std::vector<Command> commands;
    Literal start = 0;    /* if it is true, now is an initial state */
    Literal wrong = 0;    /* something is wrong now */
    Literal stepping = 0; /* if it is true, a command is taken */
};

class Directed {
  public:
    /* Coordinates: twice the number, plus one where it is negated. Sorted. */
    using Cube = std::vector<uint32_t>;

    struct Progress {
        size_t levels, clauses;
        uint64_t questions;
    };
    using Report = std::function<void(const Progress &)>;

    explicit Directed(ClausalRelation relation, bool written_down = false);
    Directed(const Directed &) = delete;
    Directed &operator=(const Directed &) = delete;

    /* Is nothing wrong ever reached? */
    bool holds(const Report &report);

    /* Where something is: states from an initial one on, each as its bits. */
    const std::vector<std::vector<bool>> &path() const { return path_; }

    /* Where nothing is: cubes that no state is in that is reached. */
    std::vector<Cube> excluded() const;

    Progress progress() const;

    /* Every clause and question for the solver, as solver.h says, if they were to be written down. */
    const std::vector<int32_t> &transcript() const { return transcript_; }

  private:
    struct Obligation {
        size_t level;
        uint64_t number;
        Cube states;
        std::vector<Literal> inputs;
        size_t following;
    };
    static constexpr size_t none = SIZE_MAX;

    Literal now(uint32_t coordinate) const { return relation_.now[coordinate / 2] ^ (coordinate & 1U); }
    Literal later(uint32_t coordinate) const { return relation_.later[coordinate / 2] ^ (coordinate & 1U); }

    bool wrong_at_start();
    void look_at_start();
    void add_level();
    Cube state() const;
    Cube lifted(const Cube &state, const std::vector<Literal> &inputs, const std::vector<Literal> &otherwise);
    Cube before(const Cube &following, std::vector<Literal> &inputs);
    bool may_start(const Cube &cube);
    bool reached(const Cube &cube, size_t level, Cube *needed);
    Cube apart_from_start(Cube needed, const Cube &whole);
    bool blocked(const Cube &cube, size_t level) const;
    bool block(Cube states, size_t level);
    size_t highest(Cube &cube, size_t level);
    void generalise(Cube &cube, size_t level);
    std::vector<Cube> candidates(const Cube &cube) const;
    void learn(const Cube &cube, size_t level);
    bool push();
    void find_path(size_t obligation);
    void tell(bool always = false);

    ClausalRelation relation_;
    std::vector<int32_t> transcript_;
    Solver solver_;
    std::vector<std::vector<Cube>> levels_;
    std::vector<Literal> active_;
    std::vector<double> weight_;
    double weight_step_ = 1.0;
    std::vector<int8_t> start_state_; /* of the coordinates, where there is one initial state */
    std::vector<Obligation> obligations_;
    uint64_t numbers_ = 0;
    std::vector<std::vector<bool>> path_;
    const Report *report_ = nullptr;
    double last_report_ = 0.0;
};

} // namespace kripke

#endif
