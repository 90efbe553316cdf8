/* together.h -- transitions of a net as one diagram, to be fired together.
 *
 * A transition is a list of effects on levels, from the top one down. Many transitions are a
 * diagram like those of sets of sets (S. Minato, DAC 1993): a node has a level, branches with
 * an effect on that level, and the transitions that leave the level alone. Equal nodes are one
 * node, so transitions share where they begin alike, and what they do after they have become
 * alike. So "if one of these places is marked, and one of those, move the token" is a diagram
 * of as many branches as there are places, not of as many as there are pairs.
 */
#ifndef KRIPKE_TOGETHER_H
#define KRIPKE_TOGETHER_H

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace kripke {

/* On one level: so many tokens are needed, and so many more are there afterwards. */
struct Effect {
    uint32_t level;
    uint32_t need;
    int64_t change;

    bool operator==(const Effect &) const = default;
    auto operator<=>(const Effect &) const = default;
};

/* By ascending level. */
using Effects = std::vector<Effect>;

class Together {
  public:
    static constexpr uint32_t none = 0; /* no transition */
    static constexpr uint32_t done = 1; /* one with no effects left */

    struct Branch {
        uint32_t need;
        int64_t change;
        uint32_t rest;

        auto operator<=>(const Branch &) const = default;
    };
    using Branches = std::vector<Branch>;

    struct Node {
        uint32_t level;
        Branches branches; /* none is to `none` */
        uint32_t past;     /* transitions without an effect on this level */
        bool for_empty;    /* has a branch that needs no token */
    };

    Together();

    /* The node of these transitions, sorted and each once. */
    uint32_t node_of(const std::vector<Effects> &transitions);

    const Node &node(uint32_t number) const { return nodes_[number]; }
    uint32_t size() const { return static_cast<uint32_t>(nodes_.size()); }

  private:
    using Key = std::tuple<uint32_t, Branches, uint32_t>;

    /* Transitions that begin alike: what the next effect can be, by ascending effects, and what follows. */
    struct Prefix {
        std::vector<std::pair<Effect, uint32_t>> next;
        bool complete = false; /* one of them has no effects left */
    };

    uint32_t close(const Prefix &prefix);
    uint32_t make(uint32_t level, Branches branches, uint32_t past);

    std::vector<Node> nodes_;
    std::map<Key, uint32_t> numbers_;
};

} // namespace kripke
#endif
