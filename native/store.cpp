#include "store.h"

#include <algorithm>

namespace kripke {

Store::Store(Budget &budget, const volatile uint32_t *stop, uint64_t max_states, uint32_t payload_bytes)
    : stop_(stop), max_states_(max_states == 0 ? UINT64_MAX : max_states),
      payload_bytes_(payload_bytes), arena_(budget), table_(budget) {}

Store::Room Store::make_more_room(uint64_t states, uint64_t end) {
    if (arena_.data() == nullptr && !arena_.reserve(offset_mask, 1))
        return Room::no_memory;
    if (end > offset_mask || !arena_.ensure(end))
        return Room::no_memory;
    if (size_ + states <= capacity_)
        return Room::ready;

    const uint64_t present = table_bytes_ / sizeof(uint64_t);
    uint64_t slots = std::max(present, first_slots);
    while (size_ + states > slots / 5 * 4)
        slots *= 2;
    if (table_.data() == nullptr && !table_.reserve(most_table_bytes, first_slots * sizeof(uint64_t)))
        return Room::no_memory;
    if (slots != present && table_.ensure(slots * sizeof(uint64_t)))
        return rebuild_table(slots) ? Room::ready : Room::stopped;
    /* No memory for a larger table: fill the one there is to the brim. */
    capacity_ = present / 20 * 19;
    return size_ + states <= capacity_ ? Room::ready : Room::no_memory;
}

/* Before: the memory is there, its first table_bytes_ hold the old table, the
 * rest was never used. Clearing the old table is much cheaper than new memory. */
bool Store::rebuild_table(uint64_t slots) {
    std::memset(table_.data(), 0, table_bytes_);
    table_bytes_ = slots * sizeof(uint64_t);
    line_mask_ = slots / slots_per_line - 1;
    capacity_ = slots / 5 * 4;
    return fill_table();
}

void Store::drop_table() {
    table_.release();
    table_bytes_ = line_mask_ = capacity_ = 0;
}

/* Enter every record of the arena into an empty table; false if stopped. All are
 * different, so none is compared: the walk through the arena is sequential, and
 * the lines of the table are fetched a batch ahead. */
bool Store::fill_table() {
    constexpr size_t batch = 64;
    uint64_t hashes[batch], offsets[batch];
    for (uint64_t offset = 0; offset < end_;) {
        if (__atomic_load_n(stop_, __ATOMIC_RELAXED) != 0) {
            capacity_ = 0;
            return false;
        }
        size_t count = 0;
        for (; count < batch && offset < end_; ++count) {
            const Record entry = record(offset);
            hashes[count] = hash_bytes(entry.state, entry.length);
            offsets[count] = offset;
            prefetch(hashes[count]);
            offset = entry.next;
        }
        for (size_t i = 0; i < count; ++i) {
            uint32_t steps = 0;
            while (table()[slot_at(hashes[i], steps)] != 0)
                ++steps;
            table()[slot_at(hashes[i], steps)] = slot_of(hashes[i], offsets[i]);
        }
    }
    return true;
}

} // namespace kripke
