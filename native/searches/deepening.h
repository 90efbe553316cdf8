/* deepening.h -- IDA*: depth-first, but not where steps behind and steps ahead together are more
 * than a limit, which is raised round by round to the least value above it, until nothing is left
 * out. Without a limit: depth-first search.
 *
 * R. Korf: Depth-first iterative-deepening: an optimal admissible tree search, 1985. In a round a state
 * that is met again by a way that is not shorter is passed over. In the full store the steps to
 * it are kept beside a state, and its estimate, which is the same in all rounds. With bits
 * instead (bitstate_store.h), cleared in every round, a state that is met again is passed over whatever
 * its steps: what is found need not be shortest, and nothing found says little.
 *
 * The path is kept with its states, since bits give none back. As in best_first.h, a state is looked
 * at when it is first met.
 */
#ifndef KRIPKE_DEEPENING_H
#define KRIPKE_DEEPENING_H

#include "memory/stack.h"
#include "searches/gate.h"
#include "searches/guide.h"
#include "searches/search.h"
#include "stores/bitstate_store.h"
#include "stores/candidates.h"

#include <optional>

namespace kripke {

class Deepening final : public Search {
  public:
    Deepening(const kripke_model &model, const Options &options, Control &control);

    void take(uint32_t length, uint32_t label) noexcept;
    void complain(uint32_t code, uint32_t label) noexcept { found_violation(code, label); }
    Expansions expansions() const override { return expansions_; }
    StoreFigures figures() const override { return bits_ ? bits_->figures() : Search::figures(); }
    uint32_t longest() const override { return longest_; }

  private:
    static constexpr uint64_t no_limit = UINT64_MAX;

    /* Beside a state of the full store. */
    struct Node {
        uint32_t round;    /* in which it was expanded last */
        uint32_t steps;    /* to it, in that round */
        uint32_t estimate; /* and one; 0: it is new */
        uint32_t expanded : 1, looked : 1; /* in any round; for a deadlock, when it was first met? */
    };

    /* Of a state to be tried: behind its bytes. */
    struct Trailer {
        uint32_t length, steps;
    };

    void explore() override;
    void keep_path(ErrorPath &error_path) override;
    uint64_t depth() const override { return deepest_; }
    uint64_t queue() const override { return ends_.size(); }
    uint64_t stored() const override { return bits_ ? most_met_ : Search::stored(); }
    uint64_t stored_bytes() const override { return bits_ ? bits_->bytes() : Search::stored_bytes(); }

    void search_round();
    bool begin_round();
    void visit(const uint8_t *state, const Trailer &trailer);
    bool meet_in_store(const uint8_t *state, const Trailer &trailer);
    bool meet_in_bits(const uint8_t *state, const Trailer &trailer);
    bool first_look(const uint8_t *state, const Trailer &trailer, uint32_t &estimate);
    bool exceeds(uint32_t steps, uint32_t estimate);
    bool gather_room();
    void push_gathered(uint32_t steps);
    bool push_path(const uint8_t *state, uint32_t length);
    void shrink_path(uint64_t states);

    Guide guide_;
    Candidates gathered_;    /* the successors of the state being expanded */
    Stack<uint8_t> pending_; /* states to be tried */
    Stack<uint8_t> path_;    /* the states of the path, one behind the other */
    Stack<uint64_t> ends_;   /* where each ends there */
    Gate gate_{1};
    std::optional<BitstateStore> bits_;
    std::optional<BitstateStore::View> view_;
    Expansions expansions_;
    uint64_t limit_ = no_limit, above_ = no_limit; /* the least value that the limit kept out */
    uint64_t deepest_ = 0, most_met_ = 0;
    uint32_t longest_ = 0;
    bool limited_;
    bool told_ = false, looked_ = false; /* of the state being expanded: were its errors told in a round before, and was it
                                            looked at for a deadlock? */
};

} // namespace kripke
#endif
