#include "stores/store.h"

#include <algorithm>

namespace kripke {

Store::Store(Budget &budget, const volatile uint32_t *stop, uint32_t max_state_bytes, uint64_t max_states,
             uint32_t payload_bytes, bool bit_instructions)
    : Records(budget, stop, payload_bytes, bit_instructions), max_states_(max_states == 0 ? UINT64_MAX : max_states),
      hand_(budget, max_state_bytes) {}

/* The short records are made on the way. */
Store::Candidate *Store::sift(Candidate *first, Candidate *last) {
    return leave_out_known(first, leave_out_met(first, last));
}

Store::Candidate *Store::leave_out_met(Candidate *first, Candidate *last) {
    return leave_out_recent<LeaveOut::recent>(first, last, hand_.recent);
}

Store::Candidate *Store::leave_out_known(Candidate *first, Candidate *last) {
    begin(first, last);
    return leave_out_begun(first, last, hand_.recent);
}

Store::Candidate *Store::leave_out_known_hashed(Candidate *first, Candidate *last) {
    for (const Candidate *item = first; item != last; ++item)
        prefetch_line(item->hash);
    look_at_all(first, last);
    return leave_out_begun(first, last, hand_.recent);
}

void Store::begin_hashed(Candidate *first, Candidate *last) {
    leave_out_recent<LeaveOut::none>(first, last, hand_.recent);
    look_at_all(first, last);
}

void Store::look_at_all(Candidate *first, Candidate *last) const {
    for (; last - first > most_begun; first += most_begun)
        look(first, first + most_begun);
    look(first, last);
}

/* Write a new record at the end of the arena. */
uint64_t Store::append(Wanted &wanted) {
    if (wanted.plan != Packing::unpacked)
        pack(wanted);
    if (!wanted.fits) {
        wanted.plan = packing_.widen_for(wanted.state, wanted.length);
        wanted.packed = false;
        if (wanted.plan != Packing::unpacked)
            pack(wanted);
    }
    longest_ = std::max(longest_, wanted.length);
    const uint64_t offset = end_;
    end_ = static_cast<uint64_t>(write(wanted, arena_.data() + offset) - arena_.data()) + payload_bytes_;
    return offset;
}

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
        return grow_table(slots, {{0, end_}}, hand_.other, 1) ? Room::ready : Room::stopped;
    /* No memory for a larger table: fill the one there is to the brim. */
    capacity_ = present / 20 * 19;
    return size_ + states <= capacity_ ? Room::ready : Room::no_memory;
}

void Store::drop_table() {
    table_.release();
    table_bytes_ = slot_mask_ = capacity_ = 0;
}

} // namespace kripke
