/* chance.h -- numbers that look random: splitmix64 (Steele, Lea, Flood, 2014). */
#ifndef KRIPKE_CHANCE_H
#define KRIPKE_CHANCE_H

#include "memory/hash.h"

#include <cstdint>

namespace kripke {

class Chance {
  public:
    explicit Chance(uint64_t seed) : state_(seed) {}

    uint64_t next() {
        uint64_t z = state_ += 0x9e3779b97f4a7c15;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        return z ^ z >> 31;
    }

    /* One of 0 to count - 1. */
    uint64_t below(uint64_t count) {
        return static_cast<uint64_t>(static_cast<hashing::Wide>(next()) * count >> 64);
    }

  private:
    uint64_t state_;
};

} // namespace kripke
#endif
