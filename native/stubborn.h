/* stubborn.h -- stubborn sets: which of the enabled transitions of a state are
 * enough.
 *
 * The tables belong to a configuration of the model (model/dependencies.py says
 * what they mean). A stubborn set holds with an enabled transition all that do
 * not accord with it, and with a disabled one, for a condition of it that is
 * false, those of which one must happen first. The reference of the choices made
 * here is engines/stubborn.py: for the same tables both choose the same sets.
 *
 * Which sets there are depends on where the processes are and on which conditions are
 * false, not on the rest of the state: what was found is kept, and most states are
 * answered from that.
 */
#ifndef KRIPKE_STUBBORN_H
#define KRIPKE_STUBBORN_H

#include "model.h"

#include <cstdint>
#include <span>
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
     * conditions they lack; `moved[actor]` tells who has a step at all. */
    void begin(const DependencyTables &tables, std::span<const kripke_lack> here, const std::vector<uint8_t> &moved);

    /* The actors whose steps set `number` takes; sets of one process alone come first, then
     * the others in the order of their sizes. Empty where there is no such set, and all must be taken. */
    std::span<const uint32_t> choose(uint32_t number);

  private:
    enum Status : uint8_t { elsewhere, disabled, enabled, unclear };

    /* The transitions of a stubborn set that may fire. */
    struct Found {
        uint64_t size; /* 0: of the transitions at one location, which nobody else touches */
        std::vector<uint64_t> enabled;
    };

    /* What is known of the states that are alike: their sets, the best first. */
    struct Known {
        const DependencyTables *tables = nullptr;
        std::vector<uint64_t> likeness;
        std::vector<std::vector<uint32_t>> sets; /* whose steps each takes */
        bool complete = false;                   /* are they all? */
    };

    /* States with more transitions at hand than this are hardly ever alike. */
    static constexpr size_t most_alike = 512;
    static constexpr size_t kept = size_t{1} << 15;

    void recall();
    void find_sets(bool first_only);
    void collect(bool first_only);
    void classify();
    bool close(uint32_t seed);
    void need(uint32_t transition);
    void add(const uint64_t *set);
    uint64_t cost(const uint64_t *set) const;

    const DependencyTables *tables_ = nullptr;
    std::vector<kripke_lack> here_;  /* what cannot be told without trying decided, as far as it can be */
    std::vector<uint64_t> likeness_; /* the same, to be compared */
    std::vector<Known> known_;       /* by the hash of the likeness */
    Known alone_;                    /* of a state that is not kept */
    Known *now_ = nullptr;           /* of the present state */
    std::vector<Found> found_;       /* sets of this state, the best first */
    bool complete_ = false;          /* are they all? */

    std::vector<uint8_t> status_;    /* of each transition */
    std::vector<uint32_t> lacking_;  /* of those that are disabled here */
    std::vector<uint64_t> enabled_;  /* sets: those that may fire, */
    std::vector<uint64_t> stubborn_; /* those found so far, */
    std::vector<uint64_t> waiting_;  /* and those still to be looked at */
    std::vector<uint64_t> hopeless_; /* seeds around which a set takes all that is enabled */
};

} // namespace kripke
#endif
