/* nested_depth_first.h -- accepting cycles of a product, by nested depth-first
 * search.
 *
 * Courcoubetis, Vardi, Wolper, Yannakakis (Memory-efficient algorithms for the
 * verification of temporal properties, 1992), with the colours of Schwoon and
 * Esparza (A note on on-the-fly verification algorithms, TACAS 2005), for marks on
 * edges. The outer search is a depth-first search; a state is
 *
 *     fresh   met as a successor, to be tried yet
 *     cyan    on the path of the outer search
 *     blue    done with by the outer search
 *     red     and known to lead to no cyan state
 *
 * A marked edge that leads to a cyan state closes an accepting cycle at once. A
 * marked edge s -> t whose target is blue starts an inner search from t, when t is
 * done with; where that meets a cyan state, there is a cycle too, for every cyan
 * state leads to s. (A marked edge is as good as an accepting state in the middle of
 * it, and inner searches are begun in the order in which those are done with: so the
 * usual argument holds, and no state need be red twice.)
 *
 * Where the observer is weak, every cycle in a component of it has the mark on all
 * its edges or on none: the edge that closes it suffices, and there is no inner
 * search.
 *
 * A state takes one byte more for its colour.
 *
 * With partial-order reduction (reduced.h) no step of a state that is not expanded in full
 * leads to a cyan one: so every cycle has a state that is, and nothing is put off around it.
 * The inner search takes the same steps as the outer one (Holzmann, Peled, Yannakakis, On
 * nested depth first search, 1996): the number of the set is kept beside the colour.
 */
#ifndef KRIPKE_NESTED_DEPTH_FIRST_H
#define KRIPKE_NESTED_DEPTH_FIRST_H

#include "cycle_search.h"

namespace kripke {

/* Of edges it is kept whether they have the mark. */
class NestedDepthFirst final : public CycleSearch<bool> {
  public:
    NestedDepthFirst(const kripke_model &model, const Options &options, Control &control);

    void take(uint32_t length, uint32_t label) noexcept;
    void complain(uint32_t code, uint32_t label) noexcept { found_violation(code, label); }

  private:
    enum Colour : uint8_t { fresh, cyan, blue, red };
    static constexpr uint32_t colour_bits = 2;
    static constexpr uint32_t all_steps = 63; /* in the place of the number of a set */

    struct Frame {
        uint64_t state : 63; /* its record */
        uint64_t marked : 1; /* was it entered by a marked edge? */
        uint64_t pending;    /* height of pending_ when its last successor is done */
        uint8_t *payload;    /* of the record */
    };

    struct InnerFrame {
        uint64_t state;
        uint64_t pending; /* height of inner_pending_, likewise */
    };

    struct Pending {
        uint64_t state : 63;
        uint64_t marked : 1; /* is the edge to it? */
    };

    void explore() override;
    void keep_path(Finding &finding) override;
    uint64_t queue() const override { return frames_.size(); }

    void visit(const Pending &pending);
    void leave();
    void push_successors();
    void meet(uint64_t target, Colour seen, bool marked);
    void search_inside(uint64_t start);
    void expand_inside(uint64_t state);
    void close(uint64_t state);
    void gather(uint64_t offset, const uint8_t *state, uint32_t length);

    static Colour colour(const uint8_t *payload) { return static_cast<Colour>(*payload & ((1u << colour_bits) - 1)); }
    static void paint(uint8_t *payload, Colour colour) {
        *payload = static_cast<uint8_t>((*payload >> colour_bits << colour_bits) | colour);
    }

    Gathering<bool> inner_gathered_;
    Gathering<bool> *gathering_; /* where successors go: gathered_ or inner_gathered_ */
    Stack<Frame> frames_;        /* the path */
    Stack<Pending> pending_;     /* states to be tried */
    Stack<InnerFrame> inner_frames_;
    Stack<uint64_t> inner_pending_;
};

} // namespace kripke
#endif
