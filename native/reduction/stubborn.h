/* stubborn.h -- stubborn sets: which of the enabled transitions of a state are
 * enough.
 *
 * The tables belong to a configuration of the model (model/dependencies.py says
 * what they mean). A stubborn set holds with an enabled transition all that do
 * not accord with it, and with a disabled one, for a condition of it that is
 * false, those of which one must happen first. The reference of the choices made
 * here is engines/reduction/stubborn.py: for the same tables both choose the same sets.
 *
 * Which sets there are depends on where the processes are, on what is known of the
 * transitions there, and on which conditions are false, not on the rest of the state:
 * what was found is kept, and most states are answered from that.
 */
#ifndef KRIPKE_STUBBORN_H
#define KRIPKE_STUBBORN_H

#include "model/model.h"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace kripke {

/* Sets of transitions, each `words` words one behind the other, and rows of them: what
 * is known of a transition. Row t is transition t wherever it is; the rows behind are
 * those of transitions at hand, about which a state may tell more. */
class DependencyTables {
  public:
    struct KeyHash {
        size_t operator()(const std::vector<uint32_t> &key) const {
            uint64_t hash = 0;
            for (const uint32_t one : key) {
                hash = (hash ^ one) * 0x9e3779b97f4a7c15u;
                hash ^= hash >> 32;
            }
            return hash;
        }
    };

    uint32_t transitions = 0;
    uint32_t words = 0;
    std::vector<uint64_t> conflicts;   /* one set per row */
    std::vector<uint32_t> first{0};    /* where in `enabling` the sets of a row begin; one more at the end */
    std::vector<uint64_t> enabling;    /* one set per row and condition */
    std::vector<uint64_t> visible;     /* one set */
    /* Where there are views (disturbances.h): by actor its first transition, and those that are no moves. */
    std::vector<uint32_t> first_of;
    std::vector<uint64_t> unseen;

    const uint64_t *conflicts_of(uint32_t row) const { return conflicts.data() + uint64_t{row} * words; }
    const uint64_t *enabling_of(uint32_t row, uint32_t condition) const {
        return enabling.data() + uint64_t{first[row] + condition} * words;
    }
    uint32_t conditions_of(uint32_t row) const { return first[row + 1] - first[row]; }
    uint32_t rows() const { return static_cast<uint32_t>(first.size() - 1); }

    /* The transitions that may be at hand after this one: for which it is in the set
     * of condition 0. To be called when the first rows are there. */
    std::span<const uint32_t> led_to(uint32_t transition);

    /* Where the rows begin of the transitions at a location, by the first of them and what
     * the state tells about them. */
    std::unordered_map<uint64_t, uint32_t> at_hand;

    /* The row of an enabled transition by its number, what is enabled beside it, and the sets of what may
     * disturb that. */
    std::unordered_map<std::vector<uint32_t>, uint32_t, KeyHash> while_waiting;

  private:
    std::vector<uint32_t> led_to_, led_to_first_;
};

/* A transition at a present location. Where it is enabled, `waiting` is another row of
 * conflicts, of which one or the other is enough; or the same. */
struct AtHand {
    uint32_t transition, actor, lacking, row, waiting;
};

class StubbornSets {
  public:
    /* Sets of one state beyond this number are not tried. */
    static constexpr uint32_t most_sets = 32;

    /* With `locations` sets are made as small as can be; without, and for large tables, greedily. */
    explicit StubbornSets(bool locations) : locations_(locations) {}

    /* Turn to a state: `here` are the transitions at the present locations, with the
     * conditions they lack, `distant` others that lack more than to be there;
     * `moved[actor]` tells who has a step at all. */
    void begin(DependencyTables &tables, std::span<const AtHand> here, std::span<const kripke_lack> distant,
               const std::vector<uint8_t> &moved);

    /* The actors whose steps set `number` takes; sets of one process alone come first, then
     * the others in the order of their sizes. Empty where there is no such set, and all must be taken. */
    std::span<const uint32_t> choose(uint32_t number);

    /* The same of the sets of one process alone, for which `waiting` rows do not matter. */
    std::span<const uint32_t> choose_alone(uint32_t number);

  private:
    enum Status : uint8_t { elsewhere, disabled, enabled, unclear };
    using Set = std::vector<uint64_t>;

    /* The transitions of a stubborn set that may fire. */
    struct Found {
        uint64_t size; /* 0: of the transitions at one location, which nobody else touches */
        Set enabled;
    };

    /* What is known of the states that are alike: their sets, the best first. */
    struct Known {
        const DependencyTables *tables = nullptr;
        uint64_t hash = 0;
        std::vector<uint64_t> likeness;
        std::vector<std::vector<uint32_t>> sets; /* whose steps each takes */
        bool complete = false;                   /* are they all? */
        std::vector<std::vector<uint32_t>> alone; /* of those, the ones of one process alone, */
        bool alone_complete = false;              /* if they were looked for */
    };

    /* States with more transitions at hand than this are hardly ever alike. */
    static constexpr size_t most_alike = 512;
    /* Of how many sorts of states what was found is kept. */
    static constexpr size_t least_kept = size_t{1} << 12, most_kept = size_t{1} << 17;
    /* Larger tables, or more enabled transitions: sets are found greedily. */
    static constexpr uint32_t most_transitions = 4096, most_seeds = 64;

    void recall();
    Known &keep_more(uint64_t hash);
    void find_sets(bool first_only);
    std::vector<std::vector<uint32_t>> actors_of_found() const;
    void classify();
    bool collect_alone(bool first_only);
    bool collect_others(bool first_only);
    void keep(uint64_t size);

    bool alone(uint32_t seed, const Set &here);
    bool small(uint32_t seed);
    bool least(uint32_t seed);
    bool must_take_all(uint32_t seed);
    bool drop(uint32_t transition, uint32_t seed);
    bool stays(uint32_t transition, uint32_t last);

    bool has_two_rows(uint32_t transition) const { return waiting_row_[transition] != row_[transition]; }
    template <typename Visit> void each_choice(uint32_t transition, Visit visit) const;
    const uint64_t *common_of(uint32_t transition);
    void need(uint32_t transition);
    void begin_set(uint32_t seed);
    /* The first that waits becomes a member; false where none does. */
    bool take_waiting(uint32_t &transition);
    void add(const uint64_t *set);
    bool takes_all() const;
    uint64_t cost(const uint64_t *set) const;
    bool is_visible() const;

    const bool locations_;
    DependencyTables *tables_ = nullptr;
    std::vector<AtHand> here_;       /* what cannot be told without trying decided, as far as it can be */
    std::vector<kripke_lack> distant_;
    std::vector<uint64_t> likeness_; /* the same, to be compared */
    std::vector<Known> known_;       /* by the hash of the likeness, */
    uint64_t replaced_ = 0;          /* how often one had to make room for another */
    Known alone_;                    /* of a state that is not kept */
    Known *now_ = nullptr;           /* of the present state */
    std::vector<Found> found_;       /* sets of this state, the best first */

    std::vector<uint8_t> status_;   /* of each transition, */
    std::vector<uint32_t> lacking_; /* what it lacks, */
    std::vector<uint32_t> row_;     /* what is known of it, */
    std::vector<uint32_t> waiting_row_; /* and while its actor waits, */
    /* and, of the sets of which one is enough for it, one that was whole when it was last looked for */
    std::vector<const uint64_t *> choice_;
    std::vector<uint32_t> movers_;  /* those that may fire, in the order of successors, */
    std::vector<uint32_t> blocked_; /* those of which more is to be asked than where their actor is */
    Set enabled_;                   /* those that may fire, */
    Set stubborn_;                  /* those found so far, */
    Set waiting_;                   /* those still to be looked at */
    Set hopeless_;                  /* seeds around which a set takes all that is enabled */
    Set gone_;                      /* those left out, */
    Set before_;                    /* and those left out before the present attempt */
    std::vector<uint32_t> fresh_;   /* left out a moment ago */
};

} // namespace kripke
#endif
