/* packing.h -- states with the bits left out that never change.
 *
 * PLANS
 *   Most bits of a state are the same in every state of a model: high bits of
 *   small counters, parameters, the rest of a half-used field. A plan is for
 *   states of one length: a reference state and a mask of the bits in which
 *   states of that length were seen to differ from it. The packed form of a
 *   state is the string of just these bits.
 *   A state that differs in another bit does not fit; then a wider plan is made
 *   for its length. Plans are never changed or dropped, so a packed state can
 *   be unpacked for ever with the number of its plan.
 *   What is learned is only how to write states down: packing is exact whatever
 *   the states are, and knows nothing of the model.
 *
 * PLAN 0
 *   Number 0 stands for "not packed". It is the answer where plans would cost
 *   more than they save (states of very many lengths), or memory is short.
 *
 * SHORT PLANS
 *   Where the number of the plan and the packed form fit a few words together, a
 *   state can be handled as a ShortRecord, in registers (short_plan.h).
 *
 * SLACK
 *   Packed bytes are read and written, and states written, in whole words: behind
 *   them `slack` bytes must be accessible. What is read there does not matter;
 *   what is written there is garbage.
 *
 * Little-endian machines only, as are the states of compiled models.
 */
#ifndef KRIPKE_PACKING_H
#define KRIPKE_PACKING_H

#include "memory/bits.h"
#include "memory/budget.h"
#include "stores/short_plan.h"

#include <cstdint>
#include <cstring>
#include <vector>

namespace kripke {

/* Are the first `count` bytes the same? Reads up to 7 bytes behind them. */
inline bool same_bytes(const uint8_t *a, const uint8_t *b, uint32_t count) {
    if constexpr (reads_exactly)
        return same_one_by_one(a, b, count);
    uint64_t x, y;
    for (; count >= 8; a += 8, b += 8, count -= 8) {
        std::memcpy(&x, a, 8);
        std::memcpy(&y, b, 8);
        if (x != y)
            return false;
    }
    if (count == 0)
        return true;
    std::memcpy(&x, a, 8);
    std::memcpy(&y, b, 8);
    return (x ^ y) << (64 - 8 * count) == 0;
}

class Packing {
  public:
    static constexpr uint32_t slack = 16;
    static constexpr uint32_t unpacked = 0;

    /* Plans take their memory from the budget. `bit_instructions`: may the
     * machine's own be used, where it has them? */
    explicit Packing(Budget &budget, bool bit_instructions = true);
    ~Packing() { budget_.give(bytes_); }
    Packing(const Packing &) = delete;
    Packing &operator=(const Packing &) = delete;

    /* The plan that new states of this length are packed with; `unpacked` where
     * there is none yet. */
    uint32_t plan_for(uint32_t length) const {
        if (length < by_length_.size()) [[likely]]
            return by_length_[length];
        return 0;
    }

    /* A new plan for states of this length that fits this state and all that the
     * present one does. `unpacked`, and nothing changed, where there is no memory
     * for it. */
    uint32_t widen_for(const uint8_t *state, uint32_t length);

    /* Write the packed form of a state. False if it does not fit the plan. */
    bool pack(uint32_t plan, const uint8_t *state, uint8_t *packed) const {
        return has_bit_instructions_ ? pack_fast(plans_[plan], state, packed) : pack_portably(plans_[plan], state, packed);
    }

    /* Write the state of a packed form. */
    void unpack(uint32_t plan, const uint8_t *packed, uint8_t *state) const {
        if (has_bit_instructions_)
            unpack_fast(plans_[plan], packed, state);
        else
            unpack_portably(plans_[plan], packed, state);
    }

    /* What makes the short records of a plan; none, of plans that are not short. */
    const ShortPlan &short_plan(uint32_t plan) const { return plans_[plan].short_plan; }

    /* May the machine's bit instructions be used? */
    bool has_bit_instructions() const { return has_bit_instructions_; }

    // ---- Figures ----------------------------------------------------------

    uint32_t length_of(uint32_t plan) const { return plans_[plan].length; }
    uint32_t packed_bytes(uint32_t plan) const { return plans_[plan].packed_bytes; }

    /* How many plans there are, 0 included, and what they take. */
    uint32_t plan_count() const { return static_cast<uint32_t>(plans_.size()); }
    uint64_t bytes() const { return bytes_; }

  private:
    /* One word of a plan: 8 bytes of the state from 8 * position on. */
    struct Word {
        uint64_t reference;
        uint64_t mask;  /* bits that are kept; the others must be as in the reference */
        uint32_t width; /* number of bits kept */
        uint32_t start; /* where they start in the packed form, if that is one word */
    };

    struct Plan {
        uint32_t length = 0;
        uint32_t packed_bytes = 0; /* up to 8: the packed form is one word */
        uint32_t widenings = 0;
        ShortPlan short_plan;
        std::vector<Word> words;
        std::vector<BitMoves> moves; /* one for each word; empty with bit instructions */
    };

    static constexpr uint64_t most_bytes = uint64_t{16} << 20;
    static constexpr uint32_t most_widenings = 200; /* of one length; then all bits are kept */

    uint32_t add(Plan plan);
    Plan make_plan(const uint8_t *state, uint32_t length, const Plan *before) const;
    template <typename Gather>
    static bool pack_words(const Plan &plan, const uint8_t *state, uint8_t *packed, Gather gather);
    template <typename Scatter>
    static void unpack_words(const Plan &plan, const uint8_t *packed, uint8_t *state, Scatter scatter);
    static bool pack_fast(const Plan &plan, const uint8_t *state, uint8_t *packed);
    static bool pack_portably(const Plan &plan, const uint8_t *state, uint8_t *packed);
    static void unpack_fast(const Plan &plan, const uint8_t *packed, uint8_t *state);
    static void unpack_portably(const Plan &plan, const uint8_t *packed, uint8_t *state);

    Budget &budget_;
    std::vector<Plan> plans_;
    std::vector<uint32_t> by_length_;
    uint64_t bytes_ = 0;
    bool has_bit_instructions_;
};

} // namespace kripke
#endif
