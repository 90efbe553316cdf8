/* store.h -- the visited set: which states were seen, exactly.
 *
 * ARENA
 *   The states lie one after the other, in the order they were first seen, in
 *   memory that never moves. A record is a varint length, the bytes of the
 *   state and, where asked for, a payload of fixed size; nothing else. A state
 *   is known by the offset of its record. Since the order is that of discovery,
 *   the arena is at the same time the queue of a breadth-first search.
 *
 * TABLE
 *   An open hash table of 64-bit slots: 24 bits of the hash as a tag, 40 bits
 *   offset + 1; 0 is empty. Eight slots make a cache line. A state is looked
 *   for all around its line, from a slot of its own on, then in the lines after
 *   it; the first empty slot ends the search and is where the state goes.
 *   Nothing is ever deleted. A tag that matches means that the state is almost
 *   surely the one, so a lookup costs one cache miss for the line and one for
 *   the record, both of which a caller with several states at hand can overlap:
 *   `prefetch` all, then `probe` all, then `find` or `find_or_insert` each.
 *
 * GROWTH
 *   The table doubles at a load of 0.8, in place: it is cleared, as much again is
 *   added behind it, and it is filled from the arena. So there are never two
 *   tables, and no page is touched for the first time twice. Where the budget does
 *   not allow twice the size, the present table is filled further, to 0.95.
 *
 * INVARIANTS
 *   - every record before end() is complete, and no two states are equal;
 *   - exactly one slot leads to each record (but after drop_table, or after a
 *     growth that was stopped: then only records may be read);
 *   - size() is below the number of slots, so every lookup ends.
 *
 * One thread for now. A record is written before its slot is published, and
 * publishing happens in find_or_insert alone.
 */
#ifndef KRIPKE_STORE_H
#define KRIPKE_STORE_H

#include "hash.h"
#include "region.h"
#include "varint.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <cstring>

namespace kripke {

/* The offset of no record. */
inline constexpr uint64_t no_state = UINT64_MAX;

/* A record of the arena, taken apart. */
struct Record {
    const uint8_t *state;
    uint32_t length;
    uint8_t *payload;
    uint64_t next; /* offset of the record after it */
};

class Store {
  public:
    /* `stop` is looked at while the table grows. At most `max_states` states are
     * taken (0: no such limit). `payload_bytes` follow every state, first 0. */
    Store(Budget &budget, const volatile uint32_t *stop, uint64_t max_states, uint32_t payload_bytes);

    // ---- Room -------------------------------------------------------------

    enum class Room { ready, no_memory, stopped };

    /* Make room for `states` more states of `bytes` bytes together. Ends every
     * probe begun before. Where the answer is not `ready`, insert nothing. */
    Room make_room(uint64_t states, uint64_t bytes) {
        const uint64_t end = end_ + bytes + states * (max_varint_bytes + payload_bytes_);
        if (size_ + states <= capacity_ && end <= arena_.usable()) [[likely]]
            return Room::ready;
        return make_more_room(states, end);
    }

    // ---- Looking up -------------------------------------------------------

    /* Where a lookup stands: `steps` slots were passed, `slot` is the content of
     * the one after them: 0, or of matching tag. */
    struct Probe {
        uint64_t slot;
        uint32_t steps;
    };

    enum class Outcome { known, inserted, full };

    struct Found {
        Outcome outcome;
        uint64_t offset; /* of the record; no_state if full */
    };

    /* Fetch the line of a state with this hash. */
    void prefetch(uint64_t hash) const { __builtin_prefetch(table() + 8 * (hash & line_mask_)); }

    /* Begin a lookup and fetch the record it leads to. */
    Probe probe(uint64_t hash) const {
        Probe probe{0, 0};
        advance(hash, probe);
        if (probe.slot != 0)
            __builtin_prefetch(arena_.data() + offset_in(probe.slot));
        return probe;
    }

    /* The record of a state, or no_state. */
    uint64_t find(const uint8_t *state, uint32_t length, uint64_t hash, Probe probe) const {
        return follow(state, length, hash, probe);
    }

    /* The record of a state, which is new if there was none. Needs room. */
    Found find_or_insert(const uint8_t *state, uint32_t length, uint64_t hash, Probe probe) {
        assert(hash == hash_bytes(state, length));
        const uint64_t found = follow(state, length, hash, probe);
        if (found != no_state)
            return {Outcome::known, found};
        if (size_ == max_states_)
            return {Outcome::full, no_state};
        const uint64_t offset = append(state, length);
        __atomic_store_n(table() + slot_at(hash, probe.steps), slot_of(hash, offset), __ATOMIC_RELEASE);
        ++size_;
        return {Outcome::inserted, offset};
    }

    // ---- Walking ----------------------------------------------------------

    /* The record at an offset. The first is at 0, the last one's next is end(). */
    Record record(uint64_t offset) const {
        assert(offset < end_);
        Record record;
        record.state = get_varint(arena_.data() + offset, record.length);
        record.payload = const_cast<uint8_t *>(record.state) + record.length;
        record.next = offset_after(record);
        return record;
    }

    uint64_t end() const { return end_; }

    // ---- Figures ----------------------------------------------------------

    uint64_t size() const { return size_; }
    uint32_t longest() const { return longest_; } /* length of the longest state */
    uint64_t arena_bytes() const { return end_; }
    uint64_t table_bytes() const { return table_bytes_; }

    /* Free the table: after this only records may be read. */
    void drop_table();

  private:
    static constexpr uint64_t offset_mask = (uint64_t{1} << 40) - 1;
    static constexpr uint64_t first_slots = 1024;
    static constexpr uint64_t most_table_bytes = uint64_t{1} << 38;
    static constexpr uint64_t slots_per_line = 8;

    static uint64_t slot_of(uint64_t hash, uint64_t offset) { return (hash & ~offset_mask) | (offset + 1); }
    static uint64_t offset_in(uint64_t slot) { return (slot & offset_mask) - 1; }
    static bool same_tag(uint64_t slot, uint64_t hash) { return ((slot ^ hash) & ~offset_mask) == 0; }

    uint64_t *table() { return reinterpret_cast<uint64_t *>(table_.data()); }
    const uint64_t *table() const { return reinterpret_cast<const uint64_t *>(table_.data()); }

    /* The slot a lookup meets after `steps` others: around the line from a slot
     * given by bits of the hash that neither line nor tag use, then on. */
    uint64_t slot_at(uint64_t hash, uint32_t steps) const {
        return ((hash + steps / slots_per_line) & line_mask_) * slots_per_line + (((hash >> 37) + steps) & 7);
    }

    /* Go on to the next slot that is empty (false) or has the tag (true). */
    bool advance(uint64_t hash, Probe &probe) const {
        for (;; ++probe.steps) {
            probe.slot = __atomic_load_n(table() + slot_at(hash, probe.steps), __ATOMIC_ACQUIRE);
            if (probe.slot == 0)
                return false;
            if (same_tag(probe.slot, hash))
                return true;
        }
    }

    /* Bring a lookup to its end; where there is no such state, `probe` is left at
     * the empty slot it would go to. */
    uint64_t follow(const uint8_t *state, uint32_t length, uint64_t hash, Probe &probe) const {
        for (; advance(hash, probe); ++probe.steps)
            if (equals(offset_in(probe.slot), state, length))
                return offset_in(probe.slot);
        return no_state;
    }

    bool equals(uint64_t offset, const uint8_t *state, uint32_t length) const {
        uint32_t stored;
        const uint8_t *bytes = get_varint(arena_.data() + offset, stored);
        return stored == length && std::memcmp(bytes, state, length) == 0;
    }

    uint64_t append(const uint8_t *state, uint32_t length) {
        const uint64_t offset = end_;
        longest_ = std::max(longest_, length);
        uint8_t *bytes = put_varint(arena_.data() + offset, length);
        std::memcpy(bytes, state, length);
        end_ = static_cast<uint64_t>(bytes - arena_.data()) + length + payload_bytes_;
        assert(end_ <= arena_.usable());
        return offset;
    }

    uint64_t offset_after(const Record &record) const {
        return static_cast<uint64_t>(record.payload - arena_.data()) + payload_bytes_;
    }

    Room make_more_room(uint64_t states, uint64_t end);
    bool rebuild_table(uint64_t slots);
    bool fill_table();

    const volatile uint32_t *stop_;
    uint64_t max_states_;
    uint32_t payload_bytes_;

    Region arena_;
    uint64_t end_ = 0;  /* of the last record */
    uint64_t size_ = 0; /* number of records */
    uint32_t longest_ = 0;

    Region table_;
    uint64_t table_bytes_ = 0;
    uint64_t line_mask_ = 0; /* number of lines, a power of two, less one */
    uint64_t capacity_ = 0;  /* states the table takes before something must be done */
};

} // namespace kripke
#endif
