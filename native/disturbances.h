/* disturbances.h -- while an actor stays where it is: which steps of others may disturb
 * what it is about to do.
 *
 * An actor sees a part of the state, its view, and its steps depend on that alone. Of two
 * actors and their views, the pairs are followed that come about by steps of the other
 * and of third ones while the one stays; steps that disturb the one are not followed,
 * since all of them are in the stubborn set around what the one is about to do. The
 * reference, with the argument, is engines/disturbances.py: both find the same sets.
 */
#ifndef KRIPKE_DISTURBANCES_H
#define KRIPKE_DISTURBANCES_H

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace kripke {

/* A step from one view. `transition` counts from the first of its actor; `target` is the
 * view after it, or `no_view` where it fails; `effect` what it does to what others see;
 * `result` is the same for steps with the same errors. */
struct ViewMove {
    uint32_t transition, target, effect, result;
};

constexpr uint32_t no_view = ~uint32_t{0};

/* What can be seen by each, as model/dependencies.py describes it. */
struct ViewTables {
    struct Actor {
        uint32_t start = 0, size = 0;      /* its own bytes in a state, */
        std::vector<uint32_t> seen;        /* and where the others are that it sees */
        uint32_t transitions = 0;          /* more than any move's */
        std::vector<std::string> texts;    /* by view: the bytes, */
        std::vector<uint8_t> is_known;     /* whether it is known what may happen then, */
        std::vector<uint32_t> first{0};    /* where its moves begin; one more at the end */
        std::vector<ViewMove> moves;
        std::vector<std::vector<uint64_t>> together; /* by other actor: rows of `words` of that one, one per view */

        uint32_t views() const { return static_cast<uint32_t>(texts.size()); }
        uint32_t words() const { return (views() + 63) / 64; }
    };
    std::vector<Actor> actors;
    std::vector<std::vector<std::pair<uint32_t, uint8_t>>> effects; /* bytes that change, with their new values */
};

class Disturbances {
  public:
    explicit Disturbances(std::shared_ptr<const ViewTables> tables);

    /* Turn to a state. False where nothing is known of it. */
    bool look(const uint8_t *state, uint32_t length);

    /* How many actors there are in the state. */
    uint32_t present() const { return static_cast<uint32_t>(views_.size()); }

    /* The number of a set: the transitions of the other, counted from its first, that may
     * disturb the one before it moves. Both are present. */
    uint32_t between(uint32_t one, uint32_t other);

    /* Words of 64 transitions. */
    const std::vector<uint64_t> &set(uint32_t number) const { return sets_[number]; }

  private:
    using Set = std::vector<uint64_t>;
    struct SetHash {
        size_t operator()(const Set &set) const;
    };
    using Actor = ViewTables::Actor;
    /* What third ones may do: an effect, and the views of an actor in which it has a step with it. */
    using Acting = std::vector<std::pair<uint32_t, Set>>;

    /* A pair while sets are found, component by component (R. Tarjan, 1972). */
    struct Node {
        uint32_t view, beside;
        uint32_t low;
        Set found;
        std::vector<uint64_t> following; /* pairs */
        size_t next = 0;
    };

    uint64_t key(uint32_t one, uint32_t view, uint32_t other, uint32_t beside) const;
    uint32_t number_of(const Set &set);
    uint32_t find(uint32_t one, uint32_t view, uint32_t other, uint32_t beside);
    void enter(uint32_t one, uint32_t view, uint32_t other, uint32_t beside);
    std::vector<uint64_t> following(uint32_t one, uint32_t view, uint32_t other, uint32_t beside);
    const Acting &acting(uint32_t one, uint32_t view, uint32_t third);
    uint32_t disturbing_now(uint32_t one, uint32_t view, uint32_t other, uint32_t beside);
    bool disturbs(uint32_t one, uint32_t view, uint32_t other, uint32_t beside, const ViewMove &step);
    bool accord(uint32_t one, uint32_t view, const ViewMove &mine, uint32_t other, uint32_t beside,
                const ViewMove &theirs);
    /* After `first`, does the second step, of another, go on as it would have? Where the two then are. */
    bool follows(uint32_t actor, const ViewMove &first, uint32_t other, uint32_t view, const ViewMove &second,
                 std::pair<uint32_t, uint32_t> &end);
    const ViewMove *only(uint32_t pid, uint32_t view, uint32_t transition) const;
    bool same_transitions(uint32_t pid, uint32_t view, uint32_t other_view) const;
    bool go_together(uint32_t one, uint32_t view, uint32_t other, uint32_t beside) const;
    uint32_t after(uint32_t pid, uint32_t view, uint32_t effect);

    const std::shared_ptr<const ViewTables> tables_;
    std::vector<std::unordered_map<std::string, uint32_t>> numbers_; /* by actor and text */
    std::vector<std::vector<uint8_t>> sees_;                         /* by actor and effect: does it see a change? */
    std::vector<std::vector<std::vector<uint32_t>>> changed_;        /* by actor, effect and view */
    std::vector<std::unordered_map<uint32_t, uint32_t>> places_;     /* by actor: where in a view a byte is */
    std::vector<uint32_t> views_;                                    /* of the present state */
    std::string text_;

    std::vector<Set> sets_;
    std::unordered_map<Set, uint32_t, SetHash> set_numbers_;
    std::unordered_map<uint64_t, uint32_t> now_;   /* sets of what disturbs in a pair, */
    std::unordered_map<uint64_t, uint32_t> found_; /* and from it on */
    std::unordered_map<uint64_t, Acting> acting_;
    std::vector<Node> path_;
    std::vector<uint64_t> component_;              /* pairs that are left, but may lead back */
    std::unordered_map<uint64_t, uint32_t> index_; /* of pairs whose components are not done */
};

} // namespace kripke
#endif
