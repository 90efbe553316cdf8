/* guide.h -- what a directed search knows of a state before it is expanded: an estimate of
 * the steps to a goal, and whether the state has steps at all.
 *
 * Estimates come from the model (kripke_model::estimate). Of a product with an observer it is
 * the state of the observer that says which of them. Where the model has none, the number of
 * actors that can move may stand for it (of transitions, where nobody acts): a state in
 * which few can move is near a deadlock (H_ap of Edelkamp, Lluch Lafuente, Leue: Directed Explicit
 * Model Checking with HSF-SPIN, SPIN 2001).
 */
#ifndef KRIPKE_GUIDE_H
#define KRIPKE_GUIDE_H

#include "model/model.h"
#include "model/sink.h"
#include "stores/records.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace kripke {

/* How the next state is chosen: that of the least behind * (steps to it) + ahead * (estimate). */
struct Guidance {
    uint64_t behind = 1, ahead = 1;
    bool newest = true;  /* of equal ones, that which was met last? else first */
    bool active = false; /* is the estimate how many can move? */
    bool estimates = false; /* has the model estimates? */
    /* Of a product: the number of the estimate by the state of the observer, -1 for none. */
    std::vector<int32_t> of_observer;
    /* Where cycles are looked for: by the state of the observer, the number of its component, and its kind
     * (directed_cycles.h). */
    std::vector<uint32_t> components, kinds;
    // ---- Set by the composition: of the model itself, where a product is searched ----
    uint32_t (*estimate)(const uint8_t *state, uint32_t length, uint32_t goal) = nullptr;
    uint32_t suffix = 0; /* bytes of the observer's state */

    bool blind() const { return !estimates && !active; }
};

class Guide final : public Sink {
  public:
    static constexpr uint32_t far = 0x3fffffff; /* no goal can be reached */

    Guide(const kripke_model &model, const Guidance &guidance, const volatile uint32_t *stop_word)
        : Sink(model, stop_word), guidance_(guidance), room_(model.max_state_bytes) {
        connect(this);
        out = room_.data();
    }

    uint32_t steps(const uint8_t *state, uint32_t length) {
        if (guidance_.active)
            return movers(state, length);
        if (!guidance_.estimates)
            return 0;
        uint32_t goal = 0;
        if (guidance_.suffix != 0) {
            length -= guidance_.suffix;
            uint32_t watching = state[length];
            if (guidance_.suffix == 2)
                watching |= uint32_t{state[length + 1]} << 8;
            const int32_t number = guidance_.of_observer[watching];
            if (number < 0)
                return 0;
            goal = static_cast<uint32_t>(number);
        }
        return std::min(guidance_.estimate(state, length, goal), far);
    }

    /* Has the state a step? */
    bool can_move(const uint8_t *state, uint32_t length) {
        moved_ = false;
        counting_ = false;
        model().successors(state, length, this);
        return moved_ || told_to_stop();
    }

    void take(uint32_t, uint32_t label) noexcept { note(label); }
    void complain(uint32_t, uint32_t label) noexcept { note(label); }

  private:
    uint32_t movers(const uint8_t *state, uint32_t length) {
        moved_ = false;
        counting_ = true;
        count_ = 0;
        std::fill(seen_.begin(), seen_.end(), 0);
        actor = KRIPKE_NOBODY;
        model().successors(state, length, this);
        return count_;
    }

    void note(uint32_t label) noexcept {
        moved_ = true;
        if (!counting_)
            return;
        if (actor == KRIPKE_NOBODY)
            return add(label);
        add(actor);
        for (uint32_t word = 0; word < 4; ++word)
            for (uint64_t bits = partners.bits[word]; bits != 0; bits &= bits - 1)
                add(word * 64 + static_cast<uint32_t>(__builtin_ctzll(bits)));
        for (uint32_t i = 0; i < more_partner_count; ++i)
            add(more_partners[i]);
    }

    void add(uint32_t number) noexcept {
        if (number / 64 >= seen_.size()) {
            try {
                seen_.resize(number / 64 + 1);
            } catch (const std::bad_alloc &) {
                lost = true;
                return;
            }
        }
        const uint64_t bit = uint64_t{1} << (number % 64);
        count_ += (seen_[number / 64] & bit) == 0;
        seen_[number / 64] |= bit;
    }

    const Guidance &guidance_;
    StateBuffer room_;
    bool moved_ = false, counting_ = false;
    uint32_t count_ = 0;
    std::vector<uint64_t> seen_;
};

} // namespace kripke
#endif
