/* observer.h -- what watches a run: a Büchi automaton whose guards are over the
 * atoms of a model. A never claim, a formula, the search for non-progress all
 * become one.
 *
 * In every state of the run the observer takes an edge whose guard is true there,
 * then the model takes a step; a guard may also be about that step. Edges may carry marks: a run is accepted (that is,
 * wrong) if edges of each mark are taken infinitely often. An edge may instead be
 * an error by itself: the end of a never claim, a failed assertion in it.
 */
#ifndef KRIPKE_OBSERVER_H
#define KRIPKE_OBSERVER_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kripke {

enum class Truth { no, yes, unknown };

/* A conjunction of atoms and negated atoms, word by word: the atoms of `asked`
 * must have the values of `wanted`. */
struct Cube {
    std::vector<uint64_t> asked, wanted;
    uint64_t steps_asked = 0, steps_wanted = 0; /* likewise of the step that is taken (Observer::steps) */

    bool allows_step(uint64_t step) const { return (step & steps_asked) == steps_wanted; }

    Truth judge(const uint64_t *truth, const uint64_t *failed) const {
        bool unknown = false;
        for (size_t i = 0; i < asked.size(); ++i) {
            if (((truth[i] ^ wanted[i]) & asked[i] & ~failed[i]) != 0)
                return Truth::no;
            unknown |= (asked[i] & failed[i]) != 0;
        }
        return unknown ? Truth::unknown : Truth::yes;
    }

    bool allows(const uint64_t *truth) const {
        for (size_t i = 0; i < asked.size(); ++i)
            if ((truth[i] & asked[i]) != wanted[i])
                return false;
        return true;
    }
};

struct ObserverEdge {
    static constexpr int64_t no_error = -1;

    std::vector<Cube> guard; /* one of them must be true */
    uint32_t target;
    uint64_t marks;
    int64_t error; /* its number, or no_error */

    bool allows(const uint64_t *truth) const {
        for (const Cube &cube : guard)
            if (cube.allows(truth))
                return true;
        return false;
    }

    /* May it be taken together with a step of which these atoms are true? */
    bool allows(const uint64_t *truth, const uint64_t *failed, uint64_t step) const {
        for (const Cube &cube : guard)
            if (cube.allows_step(step) && cube.judge(truth, failed) == Truth::yes)
                return true;
        return false;
    }

    /* Likewise, where the atoms of `failed` have no value. */
    Truth judge(const uint64_t *truth, const uint64_t *failed) const {
        Truth found = Truth::no;
        for (const Cube &cube : guard) {
            const Truth one = cube.judge(truth, failed);
            if (one == Truth::yes)
                return one;
            if (one == Truth::unknown)
                found = one;
        }
        return found;
    }
};

struct Observer {
    std::vector<uint32_t> initial;
    std::vector<std::vector<ObserverEdge>> edges; /* by state */
    uint32_t errors = 0;                          /* numbers of errors are below */
    bool stutters = true; /* does a run that ends go on for ever in its last state? */
    /* Fairness to events: an edge taken where atom `waiting[i]` is false has mark
     * `first_waiting` + i. */
    std::vector<uint32_t> waiting;
    uint32_t first_waiting = 0;
    /* Strong fairness to events: an edge taken where atom `at` is false has a mark, from
     * `first_strong` on, and a cycle through a state where atom `able` is true must have it. */
    struct Strong {
        uint32_t at, able;
    };
    std::vector<Strong> strong;
    uint32_t first_strong = 0;
    /* The atoms of steps that are true of a step, by its label; empty where guards are about
     * states alone. Of a run that stutters none is true. */
    std::vector<uint64_t> steps;
};

} // namespace kripke
#endif
