#include "stores/state_bag.h"

#include "memory/hash.h"

namespace kripke {

bool StateBag::grow_slots() {
    const uint64_t count = slot_count_ == 0 ? 8 : 2 * slot_count_;
    if (!budget_.take(count * sizeof(uint64_t)))
        return false;
    auto *const larger = static_cast<uint64_t *>(std::calloc(count, sizeof(uint64_t)));
    if (larger == nullptr) {
        budget_.give(count * sizeof(uint64_t));
        return false;
    }
    for (uint64_t reference = 0; reference < used_; reference = after(reference)) {
        const uint64_t hash = hash_bytes(state(reference), entry(reference).length);
        uint64_t at = hash & (count - 1);
        while (larger[at] != 0)
            at = (at + 1) & (count - 1);
        larger[at] = hash >> 40 << 40 | (reference + 1);
    }
    std::free(slots_);
    budget_.give(slot_count_ * sizeof(uint64_t));
    slots_ = larger;
    slot_count_ = count;
    return true;
}

} // namespace kripke
