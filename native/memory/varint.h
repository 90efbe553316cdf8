/* varint.h -- numbers in as few bytes as they need: seven bits to a byte, low
 * bits first, the high bit set in all bytes but the last.
 */
#ifndef KRIPKE_VARINT_H
#define KRIPKE_VARINT_H

#include <cstdint>

namespace kripke {

/* No 32-bit number takes more bytes. */
inline constexpr uint32_t max_varint_bytes = 5;

/* Write `value` at `p`; the place after it. */
inline uint8_t *put_varint(uint8_t *p, uint32_t value) {
    for (; value >= 0x80; value >>= 7)
        *p++ = static_cast<uint8_t>(value | 0x80);
    *p++ = static_cast<uint8_t>(value);
    return p;
}

/* Read a number from `p` into `value`; the place after it. */
inline const uint8_t *get_varint(const uint8_t *p, uint32_t &value) {
    uint32_t result = *p & 0x7f;
    for (int shift = 7; *p++ & 0x80; shift += 7)
        result |= static_cast<uint32_t>(*p & 0x7f) << shift;
    value = result;
    return p;
}

} // namespace kripke
#endif
