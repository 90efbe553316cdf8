/* hash.h -- a 64-bit hash of short byte strings.
 *
 * Multiply two words to 128 bits and fold the halves (the idea behind wyhash
 * and its kin): every bit of the result depends on every bit of the string, so
 * that the store may use the low bits as an index and the high bits as a tag.
 * The value differs between byte orders; nothing outside a process keeps it.
 */
#ifndef KRIPKE_HASH_H
#define KRIPKE_HASH_H

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace kripke {

namespace hashing {

__extension__ typedef unsigned __int128 Wide;

/* Digits of pi: no structure to meet that of the states. */
inline constexpr uint64_t pi0 = 0x243f6a8885a308d3, pi1 = 0x13198a2e03707344, pi2 = 0xa4093822299f31d0,
                          pi3 = 0x082efa98ec4e6c89;

inline uint64_t fold(uint64_t a, uint64_t b) {
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

inline uint64_t read8(const uint8_t *p) {
    uint64_t word;
    std::memcpy(&word, p, sizeof word);
    return word;
}

inline uint64_t read4(const uint8_t *p) {
    uint32_t word;
    std::memcpy(&word, p, sizeof word);
    return word;
}

} // namespace hashing

/* Hash `n` bytes. Reads nothing outside them. */
inline uint64_t hash_bytes(const uint8_t *p, size_t n) {
    using namespace hashing;
    uint64_t seed = pi0, a, b;
    if (n > 16) {
        size_t left = n;
        if (left > 64) { /* three chains, so that the multiplications overlap */
            uint64_t second = pi1, third = pi2;
            for (; left > 48; p += 48, left -= 48) {
                seed = fold(read8(p) ^ pi1, read8(p + 8) ^ seed);
                second = fold(read8(p + 16) ^ pi2, read8(p + 24) ^ second);
                third = fold(read8(p + 32) ^ pi3, read8(p + 40) ^ third);
            }
            seed ^= second ^ third;
        }
        for (; left > 16; p += 16, left -= 16)
            seed = fold(read8(p) ^ pi1, read8(p + 8) ^ seed);
        /* The last 16 bytes, overlapping what was read where n is no multiple. */
        a = read8(p + left - 16);
        b = read8(p + left - 8);
    } else if (n >= 8) {
        a = read8(p);
        b = read8(p + n - 8);
    } else if (n >= 4) {
        a = read4(p);
        b = read4(p + n - 4);
    } else if (n > 0) {
        a = static_cast<uint64_t>(p[0]) << 16 | static_cast<uint64_t>(p[n >> 1]) << 8 | p[n - 1];
        b = 0;
    } else {
        a = b = 0;
    }
    return fold(fold(a ^ pi2, b ^ seed) ^ pi1, pi3 ^ static_cast<uint64_t>(n) << 32 ^ pi0);
}

} // namespace kripke
#endif
