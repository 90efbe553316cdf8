/* flat_map.h -- numbers by 64-bit keys, side by side in memory. */
#ifndef KRIPKE_FLAT_MAP_H
#define KRIPKE_FLAT_MAP_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kripke {

/* Keys are any but the largest. Nothing is taken out but everything. */
class FlatMap {
  public:
    static constexpr uint32_t nothing = ~uint32_t{0};

    /* The number of a key; `nothing` where it has none. */
    uint32_t find(uint64_t key) const {
        if (slots_.empty())
            return nothing;
        for (size_t place = place_of(key);; place = (place + 1) & (slots_.size() - 1)) {
            if (slots_[place].key == key)
                return slots_[place].number;
            if (slots_[place].key == free)
                return nothing;
        }
    }

    /* For a key that has none yet, or another one for a key that has. */
    void set(uint64_t key, uint32_t number) {
        if (2 * (used_ + 1) > slots_.size())
            grow();
        size_t place = place_of(key);
        while (slots_[place].key != key && slots_[place].key != free)
            place = (place + 1) & (slots_.size() - 1);
        used_ += slots_[place].key == free;
        slots_[place] = {key, number};
    }

    size_t size() const { return used_; }

  private:
    static constexpr uint64_t free = ~uint64_t{0};
    struct Slot {
        uint64_t key = free;
        uint32_t number = 0;
    };

    size_t place_of(uint64_t key) const {
        key *= 0x9e3779b97f4a7c15u;
        return static_cast<size_t>(key ^ key >> 32) & (slots_.size() - 1);
    }

    void grow() {
        std::vector<Slot> before(slots_.empty() ? 64 : 2 * slots_.size());
        before.swap(slots_);
        used_ = 0;
        for (const Slot &slot : before)
            if (slot.key != free)
                set(slot.key, slot.number);
    }

    std::vector<Slot> slots_; /* a power of two of them, at most half in use */
    size_t used_ = 0;
};

} // namespace kripke
#endif
