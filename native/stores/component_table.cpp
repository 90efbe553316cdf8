#include "stores/component_table.h"

#include <algorithm>
#include <bit>
#include <new>

namespace kripke {

namespace {

constexpr uint64_t most_bytes = uint64_t{1} << 34; /* numbers have 32 bits, of four bytes each */
constexpr uint64_t most_slots = uint64_t{1} << 32;

} // namespace

bool ComponentTable::make_room(uint64_t more, uint64_t room) {
    if (bytes_.data() == nullptr && !bytes_.reserve(most_bytes, 1, 8))
        return false;
    if (slots_.data() == nullptr && !slots_.reserve(most_slots * sizeof(uint64_t), 1, 8))
        return false;
    if (!bytes_.ensure(used_.load(std::memory_order_relaxed) + room))
        return false;
    const uint64_t needed = size() + more;
    if (needed <= capacity_)
        return true;
    const uint64_t before = slot_mask_ == 0 ? 0 : slot_mask_ + 1;
    const uint64_t count = std::bit_ceil(std::max<uint64_t>(2 * needed, 1024));
    const std::unique_ptr<uint64_t[]> old(new (std::nothrow) uint64_t[before + 1]);
    if (count > most_slots || old == nullptr || !slots_.ensure(count * sizeof(uint64_t)))
        return false;
    std::copy_n(slots(), before, old.get());
    std::fill_n(slots(), before, 0);
    slot_mask_ = count - 1;
    slot_shift_ = static_cast<uint32_t>(64 - std::bit_width(count - 1));
    capacity_ = count / 4 * 3;
    for (uint64_t i = 0; i < before; ++i) {
        if (old[i] == 0)
            continue;
        const auto number = static_cast<uint32_t>(old[i]);
        const uint64_t hash = hash_of(head_of(number), string(number), length(number));
        uint64_t at = hash >> slot_shift_;
        while (slots()[at] != 0)
            at = (at + 1) & slot_mask_;
        slots()[at] = old[i];
    }
    return true;
}

} // namespace kripke
