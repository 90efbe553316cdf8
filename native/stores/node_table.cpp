#include "stores/node_table.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace kripke {

bool NodeTable::make_room(uint64_t more) {
    const uint64_t needed = with_blocks(size() + more);
    if (needed <= capacity_)
        return true;
    if (needed > most_numbers)
        return false;
    if (words_.data() == nullptr && !words_.reserve(uint64_t{most_numbers + 1} * sizeof(uint64_t), 1))
        return false;
    if (slots_.data() == nullptr && !slots_.reserve(uint64_t{most_numbers + 1} * 2 * sizeof(uint32_t), 1))
        return false;
    const uint64_t count = std::bit_ceil(std::max<uint64_t>(needed + needed / 4, 4096));
    /* Words cost memory as they come; slots all at once, at most four fifths of them used. */
    const uint64_t capacity = std::min<uint64_t>(most_numbers, std::max(needed, std::min(count / 5 * 4, needed + needed / 8)));
    if (!words_.ensure((capacity + 1) * sizeof(uint64_t)) || !slots_.ensure(count * sizeof(uint32_t)))
        return false;
    capacity_ = capacity;
    if (slot_mask_ == count - 1)
        return true;
    std::memset(slots(), 0, (slot_mask_ + 1) * sizeof(uint32_t));
    slot_mask_ = count - 1;
    slot_shift_ = static_cast<uint32_t>(64 - (std::bit_width(count) - 1));
    const auto spare = [this](uint32_t number) { /* taken, but not used yet */
        return std::any_of(askers_.begin(), askers_.end(), [=](const Asker *asker) { return asker->next_ <= number && number < asker->end_; });
    };
    for (uint32_t number = 1; number <= size(); ++number) {
        if (spare(number))
            continue;
        const uint64_t hash = hash_of(words()[number]);
        uint64_t at = hash >> slot_shift_;
        while (slots()[at] != 0)
            at = (at + 1) & slot_mask_;
        slots()[at] = slot_of(hash, number);
    }
    return true;
}

} // namespace kripke
