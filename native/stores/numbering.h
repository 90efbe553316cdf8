/* numbering.h -- states as numbers in mixed radix (V. Shanbhag, K. Gopinath, A SPIN-based model
 * checker for telecommunication protocols, SPIN 2001, section 3).
 *
 * DIGITS
 *   The model says which values each of its scalars can have. The number of a value among these is
 *   a digit, whose base is how many there are. A slot of a queue is 0 where it is empty, else its
 *   first field counts from 1. A control point counts among those of its process. The digits are
 *   those of the globals, then those of the frames, oldest process first.
 *
 * GROUPS
 *   Digits that follow one another make a group, a number below 2^64. So nothing is lost by
 *   rounding a base up to a power of two, but for less than a bit in each group. The groups are
 *   even in number and about equally full: then the two halves of a state have about as many
 *   values (tree_store.h). All groups together, each with the weight of those before it, are the
 *   number of the state.
 *
 * SHAPES
 *   States with the same processes have a shape in common: where the digits are, and what they
 *   weigh. Its number is the lowest digit of the last group: 8 bits, and from 255 on 24 more. A
 *   message lies in one group, unless it is too long for that.
 *
 * STEPS
 *   A successor differs little from the state it comes from. Of every scalar and queue that
 *   changed, w * (i' - i) is added to the group.
 *
 * ANY STATE
 *   A state with a value that the model did not tell of is kept as its bytes, in a group for every
 *   eight of them, under the shape 0. Which of both forms a state has depends on the state alone. So the
 *   form is exact whatever the states are, and equal states have equal forms.
 */
#ifndef KRIPKE_NUMBERING_H
#define KRIPKE_NUMBERING_H

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace kripke {

/* What a model says about its values. Offsets count from the beginning of the block. */
struct ValueRanges {
    struct Scalar {
        uint32_t offset, size, bits; /* size: 1, 2 or 4 bytes */
        bool is_signed;
        std::vector<std::pair<int64_t, int64_t>> ranges; /* first and last value, ascending */
    };
    struct Queue {
        uint32_t offset, length_bytes, capacity, message_bytes;
        std::vector<Scalar> fields; /* offsets in a message */
    };
    struct Block {
        uint32_t bytes = 0;
        std::vector<Scalar> scalars; /* of a frame: the first is its control point */
        std::vector<Queue> queues;
    };

    Block globals;
    std::vector<Block> processes;
    uint32_t control_bytes = 1;
    std::vector<uint32_t> process_of; /* of a control point */
};

/* The digits of all states with the same processes. */
struct NumberShape {
    __extension__ typedef unsigned __int128 Wide;

    enum class Kind : uint8_t { plain, first, rest };

    struct Digit {
        uint32_t offset, slot;
        uint8_t size, bits;
        bool is_signed;
        bool is_power; /* is the base one of two? then of `width` bits */
        uint8_t width;
        Kind kind; /* first and other fields of a message */
        uint32_t group;
        uint64_t weight; /* in its group */
        uint64_t base, inverse; /* floor(2^64 / base), of others */
        int64_t low, high;      /* the first range */
        const std::vector<std::pair<int64_t, int64_t>> *ranges;
    };

    /* A scalar, or a queue: bytes that belong together. */
    struct Unit {
        uint32_t begin, end;
        uint32_t first_digit, last_digit; /* one behind */
        uint32_t length_bytes, capacity, fields; /* of a queue; else 0 */
        bool is_control;
    };

    /* The number of a shape, as the lowest bits of a word. */
    static constexpr uint32_t short_bits = 8, long_bits = 32;
    static constexpr uint32_t first_long = 255;
    static uint32_t bits_of(uint32_t number) { return number < first_long ? short_bits : long_bits; }
    static uint64_t written(uint32_t number) {
        return number < first_long ? number : uint64_t{number} << short_bits | first_long;
    }
    static uint32_t number_in(uint64_t word) {
        const auto low = static_cast<uint32_t>(word & first_long);
        return low < first_long ? low : static_cast<uint32_t>(word) >> short_bits;
    }
    static constexpr uint32_t no_unit = UINT32_MAX;

    /* `suffix` bytes at the end are not the model's. */
    NumberShape(const ValueRanges &values, const std::vector<uint32_t> &processes, uint32_t suffix, uint32_t number);

    uint32_t number;
    uint32_t length; /* of the states, with the suffix */
    uint32_t suffix;
    uint32_t front;  /* words of a long suffix, before the groups */
    uint32_t groups;
    uint32_t shift;  /* bits at the low end of the last group that are not digits */
    uint32_t bits; /* of the number of a state */
    std::vector<uint64_t> sizes; /* of each group: the product of its bases, 0 for 2^64 */
    std::vector<Digit> digits;
    std::vector<Unit> units; /* in the order of their digits */
    std::vector<uint32_t> unit_of; /* of a byte */
    std::vector<uint32_t> uncovered; /* bytes that are always 0 */
    std::vector<uint32_t> first_of; /* digits of each group, and the end of all */
    std::vector<uint32_t> together_with; /* first group that shares a message with this one, directly or not */

    uint32_t words() const { return front + groups; }

  private:
    void add_block(const ValueRanges::Block &block, uint32_t at, bool is_frame);
    void add_digit(const ValueRanges::Scalar &scalar, uint32_t at, uint32_t slot, Kind kind);
    bool weigh(uint32_t count);
    bool fits(uint32_t digit, Wide size) const;
};

/* All shapes of a model's states; shared by workers. */
class NumberShapes {
  public:
    /* Without values, all states are kept as bytes. Of every state the last `suffix` bytes are not the model's. */
    NumberShapes(ValueRanges values, uint32_t suffix) : values_(std::move(values)), suffix_(suffix) {}

    static constexpr uint32_t most_shapes = 1u << (NumberShape::long_bits - NumberShape::short_bits);

    const ValueRanges &values() const { return values_; }
    uint32_t suffix() const { return suffix_; }
    bool knows_values() const { return !values_.process_of.empty(); }

    /* Null where there are too many. */
    const NumberShape *of(const std::vector<uint32_t> &processes);
    const NumberShape *numbered(uint32_t number);

    /* Bits of the longest number. */
    uint32_t bits() const { return bits_.load(std::memory_order_relaxed); }

    /* So many words at most has a state of so many bytes. */
    static uint64_t most_words(uint32_t length) { return length / 2 + 8; }

  private:
    const ValueRanges values_;
    const uint32_t suffix_;
    std::mutex mutex_;
    std::map<std::vector<uint32_t>, uint32_t> numbers_;
    std::vector<std::unique_ptr<NumberShape>> shapes_; /* number 1 and on */
    std::atomic<uint32_t> bits_{0};
};

/* One worker's way from states to words and back. */
class Numberer {
  public:
    explicit Numberer(NumberShapes &shapes) : shapes_(shapes) {}

    /* A state with its words. */
    struct Numbered {
        const NumberShape *shape = nullptr; /* null: kept as bytes */
        uint32_t length = 0, words = 0;
        std::vector<uint64_t> number;
        std::vector<uint8_t> bytes; /* with room behind */
    };

    /* Write the words of a state, computed from all digits; how many there are. */
    uint32_t whole(const uint8_t *state, uint32_t length, uint64_t *to);
    /* The same, computed from what differs from another state, if they have a shape in common. */
    uint32_t next(const Numbered &before, const uint8_t *state, uint32_t length, uint64_t *to);
    /* The state of these words. */
    void read(const uint64_t *words, uint32_t count, Numbered &to);

  private:
    static constexpr uint32_t slack = 8;

    const NumberShape *shape_of(const uint8_t *state, uint32_t length);
    static bool add(const NumberShape &shape, const NumberShape::Unit &unit, const uint8_t *state, uint64_t *to);
    static bool change(const NumberShape &shape, const NumberShape::Unit &unit, const uint8_t *before,
                       const uint8_t *state, uint64_t *to);
    static void put_suffix(const NumberShape &shape, const uint8_t *state, uint64_t *to);
    static uint32_t as_bytes(const uint8_t *state, uint32_t length, uint64_t *to);

    NumberShapes &shapes_;
    std::vector<uint32_t> processes_;
    std::map<std::vector<uint32_t>, const NumberShape *> known_;
    const NumberShape *last_ = nullptr; /* the shape that `processes_` has */
};

} // namespace kripke
#endif
