/* short_plan.h -- makes the short records of one plan (packing.h).
 *
 * The same bits at the same places as the general way, prepared so that a state
 * takes a handful of instructions per word: it is read in words that may overlap
 * (so there is no special last one), one look tells whether the bits left out are as
 * they should be, and every word of the record has the list of its parts.
 *
 * Up to `slack` bytes behind a state are read; it does not matter what they are.
 */
#ifndef KRIPKE_SHORT_PLAN_H
#define KRIPKE_SHORT_PLAN_H

#include "memory/bits.h"
#include "stores/short_record.h"

#include <cstdint>
#include <cstring>
#include <vector>

namespace kripke {

class ShortPlan {
  public:
    static constexpr uint32_t slack = 16;

    /* No short records. */
    ShortPlan() = default;

    /* Records begin with `prefix_bits` bits, `prefix`; `reference` and `mask` are
     * the words of the plan, of states of this length. There are none where they
     * would be too long. */
    ShortPlan(uint64_t prefix, uint32_t prefix_bits, uint32_t length, const std::vector<uint64_t> &reference,
              const std::vector<uint64_t> &mask, bool bit_instructions);

    /* Of a record; 0 where there are none. */
    uint32_t words() const { return words_; }
    ShortRecord::Shape shape() const { return shape_; }

    /* What the records of a plan take, at most. */
    static uint64_t cost(uint32_t length, bool bit_instructions) {
        const uint64_t parts = (length + 7) / 8 + ShortRecord::most_words;
        return parts * (sizeof(Part) + (bit_instructions ? 0 : sizeof(BitMoves))) + (length / 16 + 1) * sizeof(Check);
    }

    /* Packs states. It keeps what it needs in registers, and must not outlive the
     * plan. Of the `Words` that it writes those behind the record's are 0. */
    template <uint32_t Words, bool BitInstructions> class Packer;

  private:
    typedef uint64_t Pair __attribute__((vector_size(16)));

    /* Bits of 8 bytes of the state that go to one word of the record. */
    struct Part {
        uint64_t mask;
        uint32_t offset; /* of the bytes */
        uint32_t shift;  /* in the word */
    };

    /* 16 bytes of the state, and what is fixed of them. */
    struct Check {
        Pair reference, fixed;
        uint32_t offset;
    };

    uint32_t words_ = 0;
    ShortRecord::Shape shape_;
    uint64_t base_[ShortRecord::most_words] = {}; /* a record without the state's own bits */
    uint32_t ends_[ShortRecord::most_words] = {}; /* of the parts of each word */
    std::vector<Part> parts_;
    std::vector<Check> checks_;
    std::vector<BitMoves> moves_; /* of each part; empty with bit instructions */
};

template <uint32_t Words, bool BitInstructions> class ShortPlan::Packer {
  public:
    explicit Packer(const ShortPlan &plan)
        : parts_(plan.parts_.data()), moves_(plan.moves_.data()), checks_(plan.checks_.data()),
          checks_end_(checks_ + plan.checks_.size()) {
        for (uint32_t i = 0; i < Words; ++i) {
            base_[i] = plan.base_[i];
            ends_[i] = parts_ + plan.ends_[i];
        }
    }

    /* Write the words of a state's record. False if it does not fit the plan. */
    bool pack(const uint8_t *state, uint64_t *record) const {
        Pair misfit{};
        const Check *check = checks_;
        do {
            Pair content;
            std::memcpy(&content, state + check->offset, sizeof content);
            misfit |= (content ^ check->reference) & check->fixed;
        } while (++check != checks_end_);

        const Part *part = parts_;
        for (uint32_t i = 0; i < Words; ++i)
            record[i] = gather(part, ends_[i], base_[i], state);
        return (misfit[0] | misfit[1]) == 0;
    }

  private:
    uint64_t gather(const Part *&part, const Part *end, uint64_t word, const uint8_t *state) const {
        for (; part != end; ++part) {
            const uint64_t content = load_word(state + part->offset);
#ifdef KRIPKE_BMI2
            if constexpr (BitInstructions)
                word ^= pext(content, part->mask) << part->shift;
            else
#endif
                word ^= moves_[part - parts_].gather(content) << part->shift;
        }
        return word;
    }

    const Part *parts_, *ends_[Words];
    const BitMoves *moves_;
    const Check *checks_, *checks_end_; /* there is one, at least */
    uint64_t base_[Words];
};

} // namespace kripke
#endif
