/* bits.h -- gathering the bits of a word under a mask at its lower end, and back. */
#ifndef KRIPKE_BITS_H
#define KRIPKE_BITS_H

#include <cstdint>
#include <cstring>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define KRIPKE_BMI2 1
#endif

namespace kripke {

/* Words are read whole although the bytes behind may be written by another thread at the same time: they are masked out,
 * but the thread sanitizer cannot know that. */
#ifdef __SANITIZE_THREAD__
inline constexpr bool reads_exactly = true;
#else
inline constexpr bool reads_exactly = false;
#endif

/* What is behind the first difference is not read. */
inline bool same_one_by_one(const uint8_t *a, const uint8_t *b, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i)
        if (a[i] != b[i])
            return false;
    return true;
}

/* Without the instructions for it: six moves by powers of two, their masks
 * computed once. */
struct BitMoves {
    explicit BitMoves(uint64_t mask);

    uint64_t gather(uint64_t word) const {
        word &= mask;
        for (unsigned i = 0; i < 6; ++i) {
            const uint64_t moving = word & moves[i];
            word = (word ^ moving) | (moving >> (1u << i));
        }
        return word;
    }

    uint64_t scatter(uint64_t word) const {
        for (unsigned i = 6; i-- > 0;) {
            const uint64_t shifted = word << (1u << i);
            word = (word & ~moves[i]) | (shifted & moves[i]);
        }
        return word & mask;
    }

    uint64_t mask;
    uint64_t moves[6];
};

/* The instructions, for machines that have them. In assembler, not as intrinsics:
 * those could not be inlined into code that is compiled for machines without. */
#ifdef KRIPKE_BMI2
inline uint64_t pext(uint64_t word, uint64_t mask) {
    uint64_t bits;
    __asm__("pextq %2, %1, %0" : "=r"(bits) : "r"(word), "rm"(mask));
    return bits;
}

inline uint64_t pdep(uint64_t bits, uint64_t mask) {
    uint64_t word;
    __asm__("pdepq %2, %1, %0" : "=r"(word) : "r"(bits), "rm"(mask));
    return word;
}
#endif

/* Are they there, and fast? */
bool bit_instructions_are_fast();

inline uint64_t load_word(const uint8_t *at) {
    uint64_t word;
    std::memcpy(&word, at, sizeof word);
    return word;
}

inline void store_word(uint8_t *at, uint64_t word) { std::memcpy(at, &word, sizeof word); }

/* The last, incomplete word of `length` bytes, `left` bytes (1 to 7) of it; 0 above. */
inline uint64_t load_tail(const uint8_t *bytes, uint32_t length, uint32_t left) {
    if (length >= 8) [[likely]]
        return load_word(bytes + length - 8) >> (8 * (8 - left));
    uint64_t word = 0;
    std::memcpy(&word, bytes + length - left, left);
    return word;
}

/* A string of bits under construction. */
struct BitWriter {
    uint8_t *out;
    uint64_t word = 0;
    uint64_t fill = 0; /* bits in `word`, below 64 */

    void put(uint64_t bits, uint64_t width) {
        word |= bits << fill;
        const uint64_t total = fill + width;
        if (total >= 64) {
            store_word(out, word);
            out += 8;
            word = fill == 0 ? 0 : bits >> (64 - fill);
            fill = total - 64;
        } else {
            fill = total;
        }
    }

    /* Writes a whole word, if there is a bit in it. */
    void finish() {
        if (fill != 0)
            store_word(out, word);
    }
};

/* Reads a string of bits. */
struct BitReader {
    const uint8_t *in;
    uint64_t at = 0; /* bit */

    /* At least `width` bits, the rest is garbage above them. */
    uint64_t get(uint64_t width) {
        const uint8_t *from = in + at / 8;
        const uint64_t shift = at % 8;
        uint64_t bits = load_word(from) >> shift;
        if (shift + width > 64)
            bits |= uint64_t{from[8]} << (64 - shift);
        at += width;
        return bits;
    }
};

} // namespace kripke
#endif
