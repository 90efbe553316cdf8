#include "store.h"

#include <algorithm>
#include <bit>

namespace kripke {

Store::Store(Budget &budget, const volatile uint32_t *stop, uint32_t max_state_bytes, uint64_t max_states,
             uint32_t payload_bytes, bool bit_instructions)
    : stop_(stop), max_states_(max_states == 0 ? UINT64_MAX : max_states), payload_bytes_(payload_bytes),
      packing_(budget, bit_instructions), recent_(budget), scratch_(max_state_bytes), other_(max_state_bytes), arena_(budget), table_(budget) {}

void Store::begin(Candidate *first, Candidate *last) const {
    for (Candidate *next = first; first != last; first = next) {
        next += std::min(last - first, most_begun);
        for (Candidate *item = first; item != next; ++item)
            hash(*item);
        look(first, next);
    }
}

/* Which line is full, and of other tags, is as good as random: those that have to look
 * further are put on a list, and look into their next lines together. */
void Store::look(Candidate *first, Candidate *last) const {
    assert(last - first <= most_begun);
    const uint64_t *const slots = table();
    const uint8_t *const records = arena_.data() - 1; /* a slot holds offset + 1 */
    const uint32_t line_shift = line_shift_, tag_shift = tag_shift_;
    Candidate *further[most_begun];
    size_t count = 0;
    const auto look_at = [&](Candidate *item, uint64_t at, uint32_t steps) {
        const uint64_t tag = (item->hash << tag_shift) & ~offset_mask;
        const uint32_t found = empty_or_tagged(slots + at, tag);
        const auto ahead = static_cast<uint32_t>(__builtin_ctz(found | 1 << slots_per_line));
        const uint64_t slot = __atomic_load_n(slots + at + ahead % slots_per_line, __ATOMIC_ACQUIRE);
        __builtin_prefetch(records + (slot & offset_mask)); /* of an empty slot: a harmless place */
        item->probe = {slot, steps + ahead};
        further[count] = item;
        count += found == 0;
    };
    for (Candidate *item = first; item != last; ++item)
        look_at(item, (item->hash >> line_shift) * slots_per_line, 0);
    while (count != 0) {
        const size_t looking = count;
        count = 0;
        for (size_t i = 0; i < looking; ++i) {
            Candidate *const item = further[i];
            look_at(item, slot_at(first_slot(item->hash), item->probe.steps), item->probe.steps);
        }
    }
}

Store::Candidate *Store::sift(Candidate *first, Candidate *last) {
    Candidate *const left = leave_out_lately(first, last);
    begin(first, left);
    return leave_out_begun(first, left);
}

Store::Candidate *Store::leave_out_known(Candidate *first, Candidate *last) const {
    for (Candidate *item = first; item != last;) {
        Candidate *const next = item + std::min(last - item, most_begun);
        look(item, next);
        item = next;
    }
    return leave_out_begun(first, last);
}

Store::Candidate *Store::leave_out_begun(Candidate *first, Candidate *last) const {
    switch (recent_.words()) {
    case 0:
        return last;
    case 1:
        return leave_out_found<1>(first, last);
    case 2:
        return leave_out_found<2>(first, last);
    default:
        return leave_out_found<4>(first, last);
    }
}

void Store::begin_hashed(Candidate *first, Candidate *last) {
    leave_out_recent<LeaveOut::none>(first, last);
    for (; last - first > most_begun; first += most_begun)
        look(first, first + most_begun);
    look(first, last);
}

/* Make the short records; leave out those that were met lately, or none. What is left
 * will be stored, so it may count as met from here on. */
template <Store::LeaveOut Which> Store::Candidate *Store::leave_out_recent(Candidate *first, Candidate *last) {
    const bool fast = packing_.has_bit_instructions();
    Candidate *left = first;
    for (Candidate *item = first; item != last;) {
        const ShortPlan &plan = packing_.short_plan(packing_.plan_for(item->length));
        if (plan.words() == 0 || !recent_.reshape(plan.words())) {
            left->state = item->state;
            left->length = item->length;
            left->hash = item->hash;
            left->place = static_cast<uint32_t>(item - first);
            left->shape = {};
            ++left, ++item;
        } else if (recent_.words() == 1) {
            left = fast ? leave_out_recent<Which, 1, true>(plan, first, item, last, left)
                        : leave_out_recent<Which, 1, false>(plan, first, item, last, left);
        } else if (recent_.words() == 2) {
            left = fast ? leave_out_recent<Which, 2, true>(plan, first, item, last, left)
                        : leave_out_recent<Which, 2, false>(plan, first, item, last, left);
        } else {
            left = fast ? leave_out_recent<Which, 4, true>(plan, first, item, last, left)
                        : leave_out_recent<Which, 4, false>(plan, first, item, last, left);
        }
    }
    return left;
}

/* The candidates from `next` on that have the same length. No branch depends on
 * whether one is left out: that is as good as random. */
template <Store::LeaveOut Which, uint32_t Words, bool BitInstructions>
Store::Candidate *Store::leave_out_recent(const ShortPlan &plan, const Candidate *start, Candidate *&next,
                                          Candidate *last, Candidate *left) {
    const ShortPlan::Packer<Words, BitInstructions> packer(plan);
    const Recent::Table<Words> recent(recent_);
    const uint32_t length = next->length;
    const ShortRecord::Shape shape = plan.shape();
    Candidate *item = next;
    auto place = static_cast<uint32_t>(item - start);
    for (; item != last && item->length == length; ++item, ++place) {
        const uint8_t *const state = item->state;
        left->state = state;
        left->length = length;
        if constexpr (Which == LeaveOut::none)
            left->hash = item->hash;
        left->place = place;
        left->shape = shape;
        uint64_t record[Words];
        const bool fits = packer.pack(state, record);
        std::memcpy(left->record.words, record, sizeof record);
        if (!fits) [[unlikely]] {
            left->shape = {};
            ++left;
            continue;
        }
        if constexpr (Which == LeaveOut::recent)
            left += !recent.meet(record);
        else
            ++left;
    }
    next = item;
    return left;
}

/* Leave out the candidates that lie where their lookup has come to. */
template <uint32_t Words> Store::Candidate *Store::leave_out_found(Candidate *first, Candidate *last) const {
    const uint8_t *const records = arena_.data();
    Candidate *left = first;
    for (const Candidate *item = first; item != last; ++item) {
        const uint64_t slot = item->probe.slot & offset_mask;
        const uint8_t *const record = records + (slot - (slot != 0)); /* of an empty slot: any that is there */
        const bool same = Words == 1 ? ((load_word(record) ^ item->record.words[0]) & item->shape.last_mask) == 0
                                     : item->record.lies_at(record, item->shape);
        const bool known = same & (slot != 0) & (item->shape.bytes != 0);
        *left = *item;
        left += !known;
    }
    return left;
}

bool Store::equals_under_another_plan(uint64_t offset, const Candidate &item) const {
    const uint8_t *const record = arena_.data() + offset;
    uint32_t plan, own;
    uint8_t bytes[ShortRecord::most_bytes];
    const uint8_t *const stored = get_varint(record, plan);
    std::memcpy(bytes, item.record.words, sizeof bytes);
    get_varint(bytes, own);
    return plan != own && equals_under(plan, stored, Wanted(*this, item.state, item.length));
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
    uint8_t *bytes = put_varint(arena_.data() + offset, wanted.plan);
    uint32_t count = wanted.length;
    if (wanted.plan != Packing::unpacked) {
        count = packing_.packed_bytes(wanted.plan);
        std::memcpy(bytes, scratch_.data(), count);
    } else {
        bytes = put_varint(bytes, wanted.length);
        std::memcpy(bytes, wanted.state, count);
    }
    end_ = static_cast<uint64_t>(bytes - arena_.data()) + count + payload_bytes_;
    return offset;
}

/* Is it the state of a record that is packed by another plan? */
bool Store::equals_under(uint32_t plan, const uint8_t *stored, const Wanted &wanted) const {
    if (plan != Packing::unpacked)
        return packing_.length_of(plan) == wanted.length && packing_.pack(plan, wanted.state, other_.data()) &&
               std::memcmp(stored, other_.data(), packing_.packed_bytes(plan)) == 0;
    uint32_t length;
    const uint8_t *bytes = get_varint(stored, length);
    return length == wanted.length && std::memcmp(bytes, wanted.state, length) == 0;
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
        return grow_table(slots) ? Room::ready : Room::stopped;
    /* No memory for a larger table: fill the one there is to the brim. */
    capacity_ = present / 20 * 19;
    return size_ + states <= capacity_ ? Room::ready : Room::no_memory;
}

/* Before: the memory is there, its first table_bytes_ hold the old table, the
 * rest was never used. False if stopped. */
bool Store::grow_table(uint64_t slots) {
    const uint64_t present = table_bytes_ / sizeof(uint64_t);
    const uint32_t shared_then = 64 - line_shift_ + 1 - tag_shift_;
    if (slots == 2 * present && present >= 4 * near && shared_then <= tag_bits - telling && !far_) {
        if (double_table())
            return true;
    } else {
        if (present != 0)
            std::memset(table_.data(), 0, table_bytes_);
        const auto line_bits = static_cast<uint32_t>(std::bit_width(slots / slots_per_line) - 1);
        set_size(slots, line_bits > overlap ? line_bits - overlap : 0);
        far_ = false;
        if (fill_table())
            return true;
    }
    capacity_ = 0;
    return false;
}

void Store::set_size(uint64_t slots, uint32_t tag_shift) {
    table_bytes_ = slots * sizeof(uint64_t);
    slot_mask_ = slots - 1;
    line_shift_ = static_cast<uint32_t>(64 - (std::bit_width(slots / slots_per_line) - 1));
    tag_shift_ = tag_shift;
    capacity_ = slots / 5 * 4;
}

/* Enter a slot into the first empty place from a line on. */
void Store::put(uint64_t first, uint64_t slot) {
    uint64_t steps = 0;
    while (table()[slot_at(first, steps)] != 0)
        ++steps;
    table()[slot_at(first, steps)] = slot;
    far_ |= steps >= near;
}

/* Every slot of line n goes to line 2n or 2n + 1. From the end downwards these
 * are places that were emptied before, but for the first lines, which are put
 * aside: a slot stands less than `near` slots behind its line. False if stopped. */
bool Store::double_table() {
    constexpr uint64_t aside = 2 * near;
    const uint64_t slots = slot_mask_ + 1, lines = slots / slots_per_line;
    const uint32_t shared = 64 - line_shift_ - tag_shift_;
    uint64_t first_lines[aside], line[slots_per_line];
    assert(slots >= 2 * aside);
    std::memcpy(first_lines, table(), sizeof first_lines);
    std::memset(table(), 0, sizeof first_lines);
    set_size(2 * slots, tag_shift_);

    const uint64_t shared_mask = (uint64_t{1} << shared) - 1;
    const auto move = [&](uint64_t number, uint64_t slot) {
        const uint64_t low = slot >> (64 - shared);
        const uint64_t behind = (number - low) & shared_mask;
        const uint64_t own = (number - behind) & (lines - 1);
        const uint64_t half = slot >> (63 - shared) & 1;
        put((2 * own + half) * slots_per_line, slot);
    };
    for (uint64_t number = lines; number-- > aside / slots_per_line;) {
        if (number % 65536 == 0 && __atomic_load_n(stop_, __ATOMIC_RELAXED) != 0)
            return false;
        std::memcpy(line, table() + number * slots_per_line, sizeof line);
        std::memset(table() + number * slots_per_line, 0, sizeof line);
        uint64_t *const halves = table() + 2 * number * slots_per_line;
        /* Most slots stand in their own line, and nothing is in its halves yet: then
         * no branch depends on which slot goes where. */
        uint64_t sorted[2][slots_per_line] = {}, others[slots_per_line];
        uint64_t count[2] = {0, 0}, other_count = 0;
        for (const uint64_t slot : line) {
            const uint64_t half = slot >> (63 - shared) & 1;
            const uint64_t used = slot != 0, own = (slot >> (64 - shared)) == (number & shared_mask);
            sorted[half][count[half]] = slot;
            count[half] += used & own;
            others[other_count] = slot;
            other_count += used & ~own;
        }
        sorted[0][count[0] % slots_per_line] *= count[0] == slots_per_line;
        sorted[1][count[1] % slots_per_line] *= count[1] == slots_per_line;
        if (halves[0] == 0 && halves[slots_per_line] == 0) [[likely]] {
            std::memcpy(halves, sorted, sizeof sorted);
        } else {
            for (uint64_t half = 0; half < 2; ++half)
                for (uint64_t i = 0; i < count[half]; ++i)
                    put((2 * number + half) * slots_per_line, sorted[half][i]);
        }
        for (uint64_t i = 0; i < other_count; ++i)
            move(number, others[i]);
    }
    for (uint64_t i = 0; i < aside; ++i)
        if (first_lines[i] != 0)
            move(i / slots_per_line, first_lines[i]);
    return true;
}

void Store::drop_table() {
    table_.release();
    table_bytes_ = slot_mask_ = capacity_ = 0;
}

/* Enter every record of the arena into an empty table; false if stopped. All are
 * different, so none is compared: the walk through the arena is sequential, and
 * the lines of the table are fetched a batch ahead. */
bool Store::fill_table() {
    constexpr size_t batch = 64;
    uint64_t hashes[batch], offsets[batch];
    for (uint64_t offset = 0; offset < end_;) {
        if (__atomic_load_n(stop_, __ATOMIC_RELAXED) != 0)
            return false;
        size_t count = 0;
        for (; count < batch && offset < end_; ++count) {
            const Record entry = record(offset);
            hashes[count] = hash_bytes(state(entry, other_), entry.length);
            offsets[count] = offset;
            __builtin_prefetch(table() + first_slot(hashes[count]));
            offset = entry.next;
        }
        for (size_t i = 0; i < count; ++i)
            put(first_slot(hashes[i]), slot_of(hashes[i], offsets[i]));
    }
    return true;
}

} // namespace kripke
