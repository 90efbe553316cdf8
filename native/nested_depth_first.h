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
 * A state is stored when it is first met as a successor, all successors of a state
 * together, and expanded when its turn comes: the order is true depth-first order, and
 * every edge costs one lookup. A state takes one byte more for its colour.
 *
 * With partial-order reduction (reduced.h) no step of a state that is not expanded in full
 * leads to a cyan one: so every cycle has a state that is, and nothing is put off around it.
 * The inner search takes the same steps as the outer one (Holzmann, Peled, Yannakakis, On
 * nested depth first search, 1996): the number of the set is kept beside the colour.
 */
#ifndef KRIPKE_NESTED_DEPTH_FIRST_H
#define KRIPKE_NESTED_DEPTH_FIRST_H

#include "candidates.h"
#include "search.h"
#include "stack.h"

namespace kripke {

class NestedDepthFirst final : public Search {
  public:
    NestedDepthFirst(const kripke_model &model, const Options &options, Control &control);

    void take(uint32_t length, uint32_t label) noexcept;
    void complain(uint32_t code, uint32_t label) noexcept { found_violation(code, label); }

  private:
    enum Colour : uint8_t { fresh, cyan, blue, red };
    static constexpr uint32_t colour_bits = 2;
    static constexpr uint32_t all_steps = 63; /* in the place of the number of a set */

    struct Frame {
        uint64_t state;   /* its record */
        uint64_t pending; /* height of pending_ when its last successor is done */
        bool marked;      /* was it entered by a marked edge? */
    };

    struct InnerFrame {
        uint64_t state;
        uint64_t pending; /* height of inner_pending_, likewise */
    };

    struct Pending {
        uint64_t state;
        bool marked; /* is the edge to it? */
    };

    void explore() override;
    void keep_path(Finding &finding) override;
    uint64_t depth() const override { return deepest_ == 0 ? 0 : deepest_ - 1; }
    uint64_t queue() const override { return frames_.size(); }

    void visit(const Pending &pending);
    void settle_choice(uint64_t offset, const uint8_t *state, uint32_t length);
    bool returns();
    void leave();
    void push_successors();
    bool push_or_meet(uint64_t state, bool marked);
    void meet(uint64_t target, bool marked);
    void search_inside(uint64_t start);
    void expand_inside(uint64_t state);
    void close(uint64_t state);
    void gather(uint64_t offset, const uint8_t *state, uint32_t length);
    bool next_candidate_room();
    Colour colour(uint64_t offset) const {
        return static_cast<Colour>(*store_.record(offset).payload & ((1u << colour_bits) - 1));
    }
    void paint(uint64_t offset, Colour colour) {
        uint8_t &payload = *store_.record(offset).payload;
        payload = static_cast<uint8_t>((payload >> colour_bits << colour_bits) | colour);
    }

    Candidates successors_, inner_successors_; /* of the state being expanded */
    Candidates *gathered_;                     /* where they go */
    Stack<uint8_t> marked_;                    /* of each of successors_: was its edge marked? */
    Stack<Frame> frames_;                      /* the path */
    Stack<Pending> pending_;                   /* states to be tried */
    Stack<InnerFrame> inner_frames_;
    Stack<uint64_t> inner_pending_;
    uint64_t deepest_ = 0;
};

} // namespace kripke
#endif
