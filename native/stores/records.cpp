#include "stores/records.h"

#include "searches/side_by_side.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <deque>
#include <new>
#include <utility>

namespace kripke {

namespace {

constexpr uint64_t worth_threads = uint64_t{1} << 13; /* lines that are moved */

} // namespace

Records::Records(Budget &budget, const volatile uint32_t *stop, uint32_t payload_bytes, bool bit_instructions)
    : stop_(stop), payload_bytes_(payload_bytes), packing_(budget, bit_instructions), arena_(budget), table_(budget) {}

void Records::begin(Candidate *first, Candidate *last) const {
    for (Candidate *next = first; first != last; first = next) {
        next += std::min(last - first, most_begun);
        for (Candidate *item = first; item != next; ++item)
            hash(*item);
        look(first, next);
    }
}

/* Which line is full, and of other tags, is as good as random: those that have to look
 * further are put on a list, and look into their next lines together. */
void Records::look(Candidate *first, Candidate *last) const {
    assert(last - first <= most_begun);
    const uint64_t *const slots = table();
    const uint8_t *const records = arena_.data() - 1; /* a slot holds offset + 1 */
    const uint32_t line_shift = line_shift_, tag_shift = tag_shift_;
    const uint64_t slot_mask = slot_mask_;
    Candidate *further[most_begun];
    size_t count = 0;
    const auto look_at = [&](Candidate *item, uint64_t at, uint32_t steps) {
        const uint64_t tag = (item->hash << tag_shift) & ~offset_mask;
        const uint32_t found = empty_or_tagged(slots + at, tag);
        const auto ahead = static_cast<uint32_t>(__builtin_ctz(found | 1 << slots_per_line));
        const uint64_t slot = __atomic_load_n(slots + at + ahead % slots_per_line, __ATOMIC_ACQUIRE);
        /* Where it goes on: at the record (of an empty slot: a harmless place), or in the next line. */
        const void *const next = found != 0 ? static_cast<const void *>(records + (slot & offset_mask))
                                            : slots + ((at + slots_per_line) & slot_mask);
        __builtin_prefetch(next);
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

Records::Candidate *Records::leave_out_begun(Candidate *first, Candidate *last, const Recent &recent) const {
    switch (recent.words()) {
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

/* Make the short records; leave out those that were met lately, or none. What is left
 * will be stored, so it may count as met from here on. */
template <Records::LeaveOut Which>
Records::Candidate *Records::leave_out_recent(Candidate *first, Candidate *last, Recent &recent) const {
    const bool fast = packing_.has_bit_instructions();
    Candidate *left = first;
    for (Candidate *item = first; item != last;) {
        const ShortPlan &plan = packing_.short_plan(packing_.plan_for(item->length));
        if (plan.words() == 0 || !recent.reshape(plan.words())) {
            left->state = item->state;
            left->length = item->length;
            left->hash = item->hash;
            left->place = static_cast<uint32_t>(item - first);
            left->shape = {};
            ++left, ++item;
        } else if (recent.words() == 1) {
            left = fast ? leave_out_recent<Which, 1, true>(plan, first, item, last, left, recent)
                        : leave_out_recent<Which, 1, false>(plan, first, item, last, left, recent);
        } else if (recent.words() == 2) {
            left = fast ? leave_out_recent<Which, 2, true>(plan, first, item, last, left, recent)
                        : leave_out_recent<Which, 2, false>(plan, first, item, last, left, recent);
        } else {
            left = fast ? leave_out_recent<Which, 4, true>(plan, first, item, last, left, recent)
                        : leave_out_recent<Which, 4, false>(plan, first, item, last, left, recent);
        }
    }
    return left;
}

/* The candidates from `next` on that have the same length. No branch depends on
 * whether one is left out: that is as good as random. */
template <Records::LeaveOut Which, uint32_t Words, bool BitInstructions>
Records::Candidate *Records::leave_out_recent(const ShortPlan &plan, const Candidate *start, Candidate *&next,
                                              Candidate *last, Candidate *left, Recent &known) {
    const ShortPlan::Packer<Words, BitInstructions> packer(plan);
    const Recent::Table<Words> recent(known);
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
template <uint32_t Words> Records::Candidate *Records::leave_out_found(Candidate *first, Candidate *last) const {
    const uint8_t *const records = arena_.data();
    Candidate *left = first;
    for (const Candidate *item = first; item != last; ++item) {
        const uint64_t slot = item->probe.slot & offset_mask;
        if (reads_exactly && slot == 0) {
            *left++ = *item;
            continue;
        }
        const uint8_t *const record = records + (slot - (slot != 0)); /* of an empty slot: any that is there */
        const bool same = Words == 1 && !reads_exactly ? ((load_word(record) ^ item->record.words[0]) & item->shape.last_mask) == 0
                                     : item->record.lies_at(record, item->shape);
        const bool known = same & (slot != 0) & (item->shape.bytes != 0);
        *left = *item;
        left += !known;
    }
    return left;
}

bool Records::equals_under_another_plan(uint64_t offset, const Candidate &item, Hand &hand) const {
    const uint8_t *const record = arena_.data() + offset;
    uint32_t plan, own;
    uint8_t bytes[ShortRecord::most_bytes];
    const uint8_t *const stored = get_varint(record, plan);
    std::memcpy(bytes, item.record.words, sizeof bytes);
    get_varint(bytes, own);
    return plan != own && equals_under(plan, stored, Wanted(*this, hand, item.state, item.length));
}

/* Is it the state of a record that is packed by another plan? */
bool Records::equals_under(uint32_t plan, const uint8_t *stored, const Wanted &wanted) const {
    if (plan != Packing::unpacked)
        return packing_.length_of(plan) == wanted.length && packing_.pack(plan, wanted.state, wanted.hand.other.data()) &&
               std::memcmp(stored, wanted.hand.other.data(), packing_.packed_bytes(plan)) == 0;
    uint32_t length;
    const uint8_t *bytes = get_varint(stored, length);
    return length == wanted.length && std::memcmp(bytes, wanted.state, length) == 0;
}

bool Records::grow_table(uint64_t slots, const std::vector<Range> &ranges, StateBuffer &buffer, uint32_t threads) {
    const uint64_t present = table_bytes_ / sizeof(uint64_t);
    const uint32_t shared_then = 64 - line_shift_ + 1 - tag_shift_;
    if (slots == 2 * present && present >= 4 * near && slots != filled_anew && shared_then <= tag_bits - telling && !far_) {
        try {
            if (double_table(threads))
                return true;
        } catch (const std::bad_alloc &) {
            /* as if it were stopped */
        }
    } else {
        if (present != 0)
            std::memset(table_.data(), 0, table_bytes_);
        const auto line_bits = static_cast<uint32_t>(std::bit_width(slots / slots_per_line) - 1);
        set_size(slots, line_bits > overlap ? line_bits - overlap : 0);
        far_ = false;
        if (fill_table(ranges, buffer))
            return true;
    }
    capacity_ = 0;
    return false;
}

void Records::set_size(uint64_t slots, uint32_t tag_shift) {
    table_bytes_ = slots * sizeof(uint64_t);
    slot_mask_ = slots - 1;
    line_shift_ = static_cast<uint32_t>(64 - (std::bit_width(slots / slots_per_line) - 1));
    tag_shift_ = tag_shift;
    capacity_ = slots / 5 * 4;
}

/* Enter a slot into the first empty place from a line on. */
void Records::put(uint64_t first, uint64_t slot) {
    uint64_t steps = 0;
    while (table()[slot_at(first, steps)] != 0)
        ++steps;
    table()[slot_at(first, steps)] = slot;
    far_ |= steps >= near;
}

/* Moves the slots of some lines of a table that is doubled, from the last line downwards. */
class Records::Doubling {
  public:
    Doubling(Records &records, uint64_t lines, uint32_t shared)
        : records_(records), lines_(lines), shared_(shared), shared_mask_((uint64_t{1} << shared) - 1) {}

    /* The lines from `first` to before `end`. What would go elsewhere than to their halves is left over. False if
     * stopped. */
    bool move_lines(uint64_t first, uint64_t end) {
        first_ = first;
        behind_ = 2 * end * slots_per_line;
        uint64_t line[slots_per_line];
        for (uint64_t number = end; number-- > first;) {
            if (number % 65536 == 0 && __atomic_load_n(records_.stop_, __ATOMIC_RELAXED) != 0)
                return false;
            uint64_t *const place = records_.table() + number * slots_per_line;
            std::memcpy(line, place, sizeof line);
            std::memset(place, 0, sizeof line);
            move_line(number, line);
        }
        return true;
    }

    /* Slots that were left over, when nobody else moves any. */
    void move_rest() {
        for (const auto &[to, slot] : left_)
            records_.put(to, slot);
        left_.clear();
        records_.far_ |= far_;
    }

    /* The first slot of the line to which a slot goes that stands in a line. */
    uint64_t target(uint64_t number, uint64_t slot) const {
        const uint64_t low = slot >> (64 - shared_);
        const uint64_t behind = (number - low) & shared_mask_;
        const uint64_t own = (number - behind) & (lines_ - 1);
        return (2 * own + half_of(slot)) * slots_per_line;
    }

  private:
    uint64_t half_of(uint64_t slot) const { return slot >> (63 - shared_) & 1; }

    void move_line(uint64_t number, const uint64_t *line) {
        uint64_t *const halves = records_.table() + 2 * number * slots_per_line;
        /* Most slots stand in their own line, and nothing is in its halves yet: then
         * no branch depends on which slot goes where. */
        uint64_t sorted[2][slots_per_line] = {}, others[slots_per_line];
        uint64_t count[2] = {0, 0}, other_count = 0;
        for (uint64_t i = 0; i < slots_per_line; ++i) {
            const uint64_t slot = line[i], half = half_of(slot);
            const uint64_t used = slot != 0, own = (slot >> (64 - shared_)) == (number & shared_mask_);
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
            put(target(number, others[i]), others[i]);
    }

    void put(uint64_t to, uint64_t slot) {
        uint64_t at = to;
        if (to >= 2 * first_ * slots_per_line && to < behind_) [[likely]] {
            while (at < behind_ && records_.table()[at] != 0)
                ++at;
            if (at < behind_) [[likely]] {
                records_.table()[at] = slot;
                far_ |= at - to >= near;
                return;
            }
        }
        left_.push_back({to, slot});
    }

    Records &records_;
    const uint64_t lines_;
    const uint32_t shared_;
    const uint64_t shared_mask_;
    uint64_t first_ = 0, behind_ = 0; /* the lines moved; the first slot behind their halves */
    bool far_ = false;
    std::vector<std::pair<uint64_t, uint64_t>> left_; /* where it goes, and the slot */
};

/* Every slot of line n goes to line 2n or 2n + 1. From the end downwards these
 * are places that were emptied before, but for the first lines, which are put
 * aside: a slot stands less than `near` slots behind its line. The upper half of the lines goes to
 * places that no line has yet, so it can be moved by several threads, then the upper half of the
 * rest, and so on. False if stopped. */
bool Records::double_table(uint32_t threads) {
    constexpr uint64_t aside = 2 * near;
    const uint64_t slots = slot_mask_ + 1, lines = slots / slots_per_line;
    const uint32_t shared = 64 - line_shift_ - tag_shift_;
    uint64_t first_lines[aside];
    assert(slots >= 2 * aside);
    std::memcpy(first_lines, table(), sizeof first_lines);
    std::memset(table(), 0, sizeof first_lines);
    set_size(2 * slots, tag_shift_);

    std::deque<Doubling> parts;
    for (uint32_t i = 0; i < threads; ++i)
        parts.emplace_back(*this, lines, shared);
    uint64_t end = lines;
    for (; threads > 1 && end >= worth_threads; end /= 2) {
        std::atomic<bool> good{true};
        side_by_side(threads, [&](uint32_t i) {
            const uint64_t share = end / 2 / threads, first = end / 2 + i * share;
            try {
                if (!parts[i].move_lines(first, i + 1 == threads ? end : first + share))
                    good.store(false, std::memory_order_relaxed);
            } catch (const std::bad_alloc &) {
                good.store(false, std::memory_order_relaxed);
            }
        });
        if (!good.load(std::memory_order_relaxed))
            return false;
        for (Doubling &part : parts)
            part.move_rest();
    }
    Doubling &rest = parts.front();
    if (!rest.move_lines(aside / slots_per_line, end))
        return false;
    rest.move_rest();
    for (uint64_t i = 0; i < aside; ++i)
        if (first_lines[i] != 0)
            put(rest.target(i / slots_per_line, first_lines[i]), first_lines[i]);
    return true;
}

/* Enter every record of the arena into an empty table; false if stopped. All are
 * different, so none is compared: the walk through the arena is sequential, and
 * the lines of the table are fetched a batch ahead. */
bool Records::fill_table(const std::vector<Range> &ranges, StateBuffer &buffer) {
    constexpr size_t batch = 64;
    uint64_t hashes[batch], offsets[batch];
    for (const Range &range : ranges) {
        for (uint64_t offset = range.first; offset < range.end;) {
            if (__atomic_load_n(stop_, __ATOMIC_RELAXED) != 0)
                return false;
            size_t count = 0;
            for (; count < batch && offset < range.end; ++count) {
                const Record entry = record(offset);
                hashes[count] = hash_bytes(state(entry, buffer), entry.length);
                offsets[count] = offset;
                __builtin_prefetch(table() + first_slot(hashes[count]));
                offset = entry.next;
            }
            for (size_t i = 0; i < count; ++i)
                put(first_slot(hashes[i]), slot_of(hashes[i], offsets[i]));
        }
    }
    return true;
}

template Records::Candidate *Records::leave_out_recent<Records::LeaveOut::recent>(Candidate *, Candidate *, Recent &) const;
template Records::Candidate *Records::leave_out_recent<Records::LeaveOut::none>(Candidate *, Candidate *, Recent &) const;

} // namespace kripke
