/* depth_first.h -- true depth-first order: the successors of a state are tried
 * in the order the model emits them, each with all that follows it before the
 * next.
 *
 * No recursion. The path from an initial state to the present one is a stack of
 * frames. The successors still to be tried are on a second stack, the next one
 * on top, so that what was tried is gone at once. When a state is expanded, its
 * successors are looked up together and the known ones dropped; the others are
 * looked up again, and stored, when their turn comes.
 *
 * With a depth limit the order matters: a state may be met first at the limit,
 * and later again by a shorter path that leaves steps to go. The depth at which
 * a state was met is therefore kept beside it (4 bytes more per state), and a
 * state met again at a smaller depth is expanded again (as SPIN does under
 * -DREACH): every state within max_depth steps is found. Such repeated steps
 * are counted in `transitions` again, errors are not.
 *
 * With partial-order reduction (reduced.h) a state whose chosen steps all lead to
 * states of the path may later be expanded with the others, too, or one above it, so
 * that no step is put off for ever (terminal_components.h). Where every cycle needs a
 * state that is expanded in full, one of which a step leads to the path is so at once.
 * The place on the path is kept beside a state (4 bytes more per state).
 */
#ifndef KRIPKE_DEPTH_FIRST_H
#define KRIPKE_DEPTH_FIRST_H

#include "stores/candidates.h"
#include "searches/search.h"
#include "memory/stack.h"
#include "reduction/terminal_components.h"

namespace kripke {

class DepthFirst final : public Search {
  public:
    DepthFirst(const kripke_model &model, const Options &options, Control &control);

    void take(uint32_t length, uint32_t label) noexcept;
    void complain(uint32_t code, uint32_t label) noexcept { found_violation(code, label); }

  private:
    struct Frame {
        uint64_t state;   /* its record */
        uint64_t pending; /* height of pending_ when its last successor is done */
    };

    /* Follows the bytes of a pending state. */
    struct Trailer {
        uint64_t hash;
        uint32_t length;
    };

    void explore() override;
    void keep_path(ErrorPath &error_path) override;
    uint64_t depth() const override { return deepest_ == 0 ? 0 : deepest_ - 1; }
    uint64_t queue() const override { return frames_.size(); }

    bool bounded() const { return options_.max_depth != 0; }
    void visit(const uint8_t *state, const Trailer &trailer);
    bool keeps_components() const {
        return options_.reduction && !options_.deadlocks_only && !options_.every_cycle;
    }
    void settle_choice(const uint8_t *state, uint32_t length);
    void choose_again(const uint8_t *state, uint32_t length);
    bool returns();
    void enter_component();
    void leave();
    void take_others();
    void gather_successors(uint64_t offset, const uint8_t *state, uint32_t length);
    void look_up();
    void push_unknown();
    void look_beyond_limit();
    void confirm_cut();
    bool seen_at(uint64_t offset, uint64_t depth) const;
    uint32_t beside(uint64_t offset) const;
    void set_beside(uint64_t offset, uint64_t value);
    bool next_candidate_room();

    Candidates successors_;  /* of the state being expanded, */
    uint64_t looked_up_ = 0; /* of which so many are being looked up */
    Stack<Frame> frames_;    /* the path; its last state is at depth size() - 1 */
    Stack<uint8_t> pending_; /* states to be tried */
    TerminalComponents components_;
    uint64_t deepest_ = 0; /* most frames there were */
};

} // namespace kripke
#endif
