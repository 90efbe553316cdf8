/* line.h -- a line of the table of visited states: eight slots, looked at together.
 *
 * Which of the slots has the tag is as good as random, so a loop over them would
 * be predicted wrongly at almost every lookup.
 */
#ifndef KRIPKE_LINE_H
#define KRIPKE_LINE_H

#include <cstdint>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace kripke {

inline constexpr uint64_t slots_per_line = 8;
/* The highest bits of a slot. */
inline constexpr uint32_t tag_bits = 28;

/* Bit i is set where slot i is empty or has this tag (in its highest bits, 0 below). */
inline uint32_t empty_or_tagged(const uint64_t *line, uint64_t tag) {
#if defined(__SSE2__) && !defined(__SANITIZE_THREAD__)
    static_assert(tag_bits <= 32);
    const auto *parts = reinterpret_cast<const __m128i *>(line);
    const __m128i tags = _mm_set1_epi32(static_cast<int>(tag >> 32));
    const __m128i tag_part = _mm_set1_epi32(static_cast<int>(~uint32_t{0} << (32 - tag_bits)));
    const auto half = [&](__m128i a, __m128i b) { /* four slots: all ones in the four that count */
        const __m128 first = _mm_castsi128_ps(a), second = _mm_castsi128_ps(b);
        const __m128i low = _mm_castps_si128(_mm_shuffle_ps(first, second, 0x88));
        const __m128i high = _mm_castps_si128(_mm_shuffle_ps(first, second, 0xdd));
        const __m128i tagged = _mm_cmpeq_epi32(_mm_and_si128(high, tag_part), tags);
        const __m128i empty = _mm_cmpeq_epi32(_mm_or_si128(low, high), _mm_setzero_si128());
        return _mm_or_si128(tagged, empty);
    };
    const __m128i lower = half(_mm_load_si128(parts), _mm_load_si128(parts + 1));
    const __m128i upper = half(_mm_load_si128(parts + 2), _mm_load_si128(parts + 3));
    const __m128i words = _mm_packs_epi32(lower, upper);
    return static_cast<uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(words, words))) & 0xff;
#else
    uint32_t found = 0;
    for (uint32_t i = 0; i < slots_per_line; ++i) {
        const uint64_t slot = __atomic_load_n(line + i, __ATOMIC_RELAXED);
        found |= static_cast<uint32_t>((slot == 0) | ((slot ^ tag) >> (64 - tag_bits) == 0)) << i;
    }
    return found;
#endif
}

} // namespace kripke
#endif
