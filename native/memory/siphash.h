/* siphash.h -- SipHash-2-4 (Aumasson and Bernstein, 2012): a mark of 64 bits under a byte
 * string of any length that nobody can make who does not have the key. For files that come
 * back from outside; states are hashed by hash.h, which is faster and hides nothing.
 */
#ifndef KRIPKE_SIPHASH_H
#define KRIPKE_SIPHASH_H

#include <bit>
#include <cstdint>
#include <cstring>

namespace kripke {

class SipHash {
  public:
    static constexpr uint32_t key_bytes = 16;

    explicit SipHash(const uint8_t *key) {
        const uint64_t first = word(key), second = word(key + 8);
        a_ = first ^ 0x736f6d6570736575;
        b_ = second ^ 0x646f72616e646f6d;
        c_ = first ^ 0x6c7967656e657261;
        d_ = second ^ 0x7465646279746573;
    }

    void add(const uint8_t *bytes, uint64_t count) {
        while (count > 0) {
            if (held_ == 0 && count >= 8) {
                mix(word(bytes));
                length_ += 8, bytes += 8, count -= 8;
                continue;
            }
            rest_[held_++] = *bytes++;
            ++length_, --count;
            if (held_ == 8) {
                mix(word(rest_));
                held_ = 0;
            }
        }
    }

    /* Of all that was added. */
    uint64_t mark() const {
        SipHash end = *this;
        std::memset(end.rest_ + held_, 0, 8 - held_);
        end.rest_[7] = static_cast<uint8_t>(length_);
        end.mix(word(end.rest_));
        end.c_ ^= 0xff;
        for (int i = 0; i < 4; ++i)
            end.round();
        return end.a_ ^ end.b_ ^ end.c_ ^ end.d_;
    }

  private:
    /* In the byte order of the machine: a file goes back to where it came from. */
    static uint64_t word(const uint8_t *bytes) {
        uint64_t value;
        std::memcpy(&value, bytes, sizeof value);
        return value;
    }

    void mix(uint64_t message) {
        d_ ^= message;
        round();
        round();
        a_ ^= message;
    }

    void round() {
        a_ += b_, c_ += d_;
        b_ = std::rotl(b_, 13) ^ a_;
        d_ = std::rotl(d_, 16) ^ c_;
        a_ = std::rotl(a_, 32);
        c_ += b_, a_ += d_;
        b_ = std::rotl(b_, 17) ^ c_;
        d_ = std::rotl(d_, 21) ^ a_;
        c_ = std::rotl(c_, 32);
    }

    uint64_t a_, b_, c_, d_;
    uint64_t length_ = 0;
    uint8_t rest_[8] = {};
    uint32_t held_ = 0;
};

} // namespace kripke
#endif
