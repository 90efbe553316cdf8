/* stubborn.h -- stubborn sets: which of the enabled transitions of a state are
 * enough.
 *
 * The tables belong to a configuration of the model (model/dependencies.py says
 * what they mean). A stubborn set holds with an enabled transition all that do
 * not accord with it, and with a disabled one, for a condition of it that is
 * false, those of which one must happen first. The reference of the choices made
 * here is engines/stubborn.py: for the same tables both choose the same sets.
 */
#ifndef KRIPKE_STUBBORN_H
#define KRIPKE_STUBBORN_H

#include "model.h"

#include <cstdint>
#include <vector>

namespace kripke {

/* Sets of transitions, each `words` words one behind the other. */
struct DependencyTables {
    uint32_t transitions = 0;
    uint32_t words = 0;
    std::vector<uint64_t> conflicts;   /* one set per transition */
    std::vector<uint32_t> first;       /* where in `enabling` the sets of a transition begin; one more at the end */
    std::vector<uint64_t> enabling;    /* one set per transition and condition */
    std::vector<uint64_t> visible;     /* one set */

    const uint64_t *conflicts_of(uint32_t transition) const { return conflicts.data() + uint64_t{transition} * words; }
    const uint64_t *enabling_of(uint32_t transition, uint32_t condition) const {
        return enabling.data() + uint64_t{first[transition] + condition} * words;
    }
    uint32_t conditions_of(uint32_t transition) const { return first[transition + 1] - first[transition]; }
};

class StubbornSets {
  public:
    /* Sets of one state beyond this number are not tried. */
    static constexpr uint32_t most_sets = 32;

    /* Turn to a state: `here` are the transitions at the present locations, with the
     * conditions they lack; `moved[actor]` tells who has a step at all. What is given
     * here must stay until the next state. */
    void begin(const DependencyTables &tables, const std::vector<kripke_lack> &here, const std::vector<uint8_t> &moved);

    /* Mark in `chosen` (by actor) whose steps set `number` takes; sets of one process alone
     * come first, then the others in the order of their sizes. False where there is no such set, and all must be taken. */
    bool choose(uint32_t number, std::vector<uint8_t> &chosen);

  private:
    enum Status : uint8_t { elsewhere, disabled, enabled, unclear };

    /* The transitions of a stubborn set that may fire. */
    struct Found {
        uint64_t size; /* 0: of the transitions at one location, which nobody else touches */
        std::vector<uint64_t> enabled;
    };

    void collect(bool first_only);
    void classify();
    bool close(uint32_t seed);
    void need(uint32_t transition);
    void add(const uint64_t *set);
    uint64_t cost(const uint64_t *set) const;

    const DependencyTables *tables_ = nullptr;
    const std::vector<kripke_lack> *here_ = nullptr;
    const std::vector<uint8_t> *moved_ = nullptr;
    std::vector<Found> found_; /* sets of this state, the best first */
    bool complete_ = false;    /* are they all? */

    std::vector<uint8_t> status_;    /* of each transition */
    std::vector<uint32_t> lacking_;  /* of those that are disabled here */
    std::vector<uint64_t> enabled_;  /* sets: those that may fire, */
    std::vector<uint64_t> stubborn_; /* those found so far, */
    std::vector<uint64_t> waiting_;  /* and those still to be looked at */
    std::vector<uint64_t> hopeless_; /* seeds around which a set takes all that is enabled */
};

} // namespace kripke
#endif
