/* directed_cycles.h -- accepted cycles by a directed search: A* to where cycles may be accepted, and a nested
 * search there.
 *
 * S. Edelkamp, A. Lluch Lafuente, S. Leue: Directed Explicit Model Checking with HSF-SPIN, SPIN 2001, section 4. The
 * components of the observer are of three kinds (Guidance::kinds): in N no cycle is accepted, in F every one, in P
 * some. States in N come in the order of their promise. A state in F or P is searched depth-first, inside the
 * component: in F a state on the stack closes an accepted cycle at once; in P a marked edge does, and when all behind a
 * state with marked edges is done, a second search looks for the way back from there, the states first that differ least
 * in their bytes from the one that it is to come back to. What lies beyond the component waits among the others.
 *
 * A cycle of the product lies in one component of the observer, and inside it this is nested depth-first search
 * (Courcoubetis, Vardi, Wolper, Yannakakis, 1992): so the components may be searched in any order.
 *
 * Order::directed_depth_first is the nested search alone, which goes everywhere. The same search in Python is
 * engines/directed/cycles.py; they see the same states.
 */
#ifndef KRIPKE_DIRECTED_CYCLES_H
#define KRIPKE_DIRECTED_CYCLES_H

#include "cycles/gathering.h"
#include "memory/stack.h"
#include "searches/guide.h"
#include "searches/open_list.h"
#include "searches/search.h"

#include <vector>

namespace kripke {

class DirectedCycles final : public Search {
  public:
    DirectedCycles(const kripke_model &model, const Options &options, Control &control);

    void take(uint32_t length, uint32_t label) noexcept;
    void complain(uint32_t code, uint32_t label) noexcept { found_violation(code, label); }
    Expansions expansions() const override { return expansions_; }

  private:
    /* Beside a state. */
    struct Node {
        uint64_t parent;            /* its record; no_state: initial */
        uint32_t steps : 30;        /* of the best way to it that is known */
        uint32_t waits : 1;         /* has it been put on the open list? */
        uint32_t closed : 1;        /* expanded */
        uint32_t height : 31;       /* its place on the stack, from 1; 0: not there */
        uint32_t returning : 1;     /* seen by a second search */
    };
    struct Edge {
        uint64_t target;
        bool marked;
    };
    struct Frame {
        uint64_t state;
        uint64_t first, next, last; /* of edges_ */
    };
    struct Back {
        uint32_t distance;
        uint64_t order; /* of equally near ones the last one first */
        uint64_t state;
        bool operator<(const Back &other) const {
            return distance != other.distance ? distance > other.distance : order < other.order;
        }
    };

    void explore() override;
    void keep_path(ErrorPath &error_path) override;
    uint64_t depth() const override { return deepest_; }
    uint64_t queue() const override { return waiting_ + frames_.size(); }

    uint32_t watching(const uint8_t *state, uint32_t length) const;
    uint32_t kind(uint64_t offset);
    uint32_t component(uint64_t offset);
    uint32_t observer_state(uint64_t offset);

    bool gather(uint64_t offset);
    void store_gathered(uint64_t parent, uint32_t steps);
    void put(uint64_t offset, uint64_t parent, uint32_t steps);
    void close(uint64_t offset);

    void nested(uint64_t root);
    void enter(uint64_t offset);
    void leave();
    void look_at(const Edge &edge);
    void way_back(uint64_t seed, uint64_t start);
    uint32_t distance(uint64_t offset) const;
    void report(uint64_t loop, const Path &way);

    Node read(uint64_t offset) const;
    void write(uint64_t offset, const Node &node);

    Guide guide_;
    OpenList open_;
    Gathering<bool> gathered_;
    Stack<Edge> edges_; /* of the states on the stack */
    Stack<Frame> frames_;
    std::string seed_; /* what a second search is to come back to */
    Expansions expansions_;
    uint64_t waiting_ = 0, deepest_ = 0;
    const bool only_nested_;
};

} // namespace kripke
#endif
