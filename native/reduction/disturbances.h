/* disturbances.h -- while an actor stays where it is: which steps of others may disturb
 * what it is about to do.
 *
 * Of two actors and their views, the pairs of views are followed that come about by steps of
 * the other and of third ones while the one stays; steps that disturb the one are not
 * followed, since all of them are in the stubborn set around what the one is about to do. The
 * reference, with the argument, is engines/reduction/disturbances.py: both find the same sets.
 */
#ifndef KRIPKE_DISTURBANCES_H
#define KRIPKE_DISTURBANCES_H

#include "memory/flat_map.h"
#include "reduction/pairs.h"

#include <mutex>

namespace kripke {

/* Pairs, and who may ask them for more than is known already. */
struct SharedPairs {
    explicit SharedPairs(std::unique_ptr<Pairs> found) : pairs(std::move(found)) {}
    const std::unique_ptr<Pairs> pairs;
    std::mutex mutex;
};

class Disturbances {
  public:
    explicit Disturbances(std::shared_ptr<SharedPairs> pairs);

    /* Turn to a state. False where nothing is known of it. */
    bool look(const uint8_t *state, uint32_t length);

    /* How many actors there are in the state. */
    uint32_t present() const { return static_cast<uint32_t>(now_at_.size()); }

    /* The number of a set: the transitions of the other, counted from its first, that may
     * disturb the one before it moves. Both are present. Unknown once `stop` is not zero. */
    uint32_t between(uint32_t one, uint32_t other, const volatile uint32_t *stop);

    /* Is it no set: would it take too long to find it, or may the one be disturbed by what is
     * no move of views? */
    bool is_unknown(uint32_t number) const {
        return number == FlatMap::nothing || (!sets_[number].empty() && sets_[number].back() == anything);
    }

    /* In order. */
    const std::vector<uint32_t> &set(uint32_t number) const { return sets_[number]; }

  private:
    using Set = std::vector<uint32_t>;
    /* The number of the empty set. */
    static constexpr uint32_t nothing = 0;
    /* In place of a transition. */
    static constexpr uint32_t anything = ~uint32_t{0};
    /* In place of an index. */
    static constexpr uint32_t done = FlatMap::nothing - 1;
    /* Pairs that are looked at, in all. */
    static constexpr uint32_t most_steps = 1'500'000;
    /* What third ones may do: an effect, and the views of an actor in which it has a step with it. */
    using Acting = std::vector<std::pair<uint32_t, SparseSet>>;

    /* A pair while sets are found, component by component (R. Tarjan, 1972). */
    struct Node {
        uint32_t view, beside, low;
        Set found;
        std::vector<uint64_t> following; /* pairs */
        size_t next = 0;
    };

    uint32_t number_of(const Set &set);
    uint32_t find(uint32_t one, uint32_t view, uint32_t other, uint32_t beside, const volatile uint32_t *stop);
    void enter(uint32_t one, uint32_t view, uint32_t other, uint32_t beside);
    /* The pairs after a step of the other, or of a third, that does not disturb the one; `is_disturbed`: a step of two
     * together does. */
    std::vector<uint64_t> following(uint32_t one, uint32_t view, uint32_t other, uint32_t beside, bool &is_disturbed);
    const Acting &acting(uint32_t one, uint32_t view, uint32_t third);
    uint32_t disturbing_now(uint32_t one, uint32_t view, uint32_t other, uint32_t beside);
    bool disturbs(uint32_t one, uint32_t view, uint32_t other, uint32_t beside, const ViewMove &step);
    bool same_transitions(uint32_t pid, uint32_t view, uint32_t other_view);

    const std::shared_ptr<SharedPairs> shared_;
    Pairs &pairs_;
    Views &views_;
    std::vector<uint32_t> now_at_; /* the views of the present state */

    std::vector<Set> sets_;
    std::map<Set, uint32_t> set_numbers_;
    FlatMap now_;   /* sets of what disturbs in a pair, */
    FlatMap found_; /* and from it on */
    FlatMap acting_numbers_;
    std::vector<Acting> acting_;
    uint32_t steps_left_;
    std::vector<Node> path_;
    std::vector<uint64_t> component_; /* pairs that are left, but may lead back */
    FlatMap index_;                   /* of pairs whose components are not done; `done` for the others */
};

} // namespace kripke
#endif
