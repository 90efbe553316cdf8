/* sketch.h -- about how many different things were seen, in 16 KB, whatever their number.
 *
 * HyperLogLog (Flajolet, Fusy, Gandouet, Meunier, 2007): the hash of a thing chooses a
 * register, which keeps the greatest number of leading zeros met. The standard error is
 * 0.8 %. Sketches of several searches are united by the greater of each two registers.
 */
#ifndef KRIPKE_SKETCH_H
#define KRIPKE_SKETCH_H

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace kripke {

class Sketch {
  public:
    static constexpr uint32_t bits = 14, registers = 1u << bits;

    void add(uint64_t hash) {
        uint8_t &place = registers_[hash >> (64 - bits)];
        const uint64_t rest = hash << bits | uint64_t{1} << (bits - 1); /* ends with a one */
        place = std::max(place, static_cast<uint8_t>(__builtin_clzll(rest) + 1));
    }

    double estimate() const {
        double sum = 0;
        uint32_t empty = 0;
        for (const uint8_t value : registers_) {
            sum += std::ldexp(1.0, -value);
            empty += value == 0;
        }
        constexpr double m = registers;
        const double raw = 0.7213 / (1 + 1.079 / m) * m * m / sum;
        return raw <= 2.5 * m && empty != 0 ? m * std::log(m / empty) : raw;
    }

    const uint8_t *data() const { return registers_.data(); }

  private:
    std::array<uint8_t, registers> registers_{};
};

} // namespace kripke
#endif
