/* store.h -- the visited set: which states were seen, exactly.
 *
 * ARENA
 *   The states lie one after the other, in the order they were first seen, in
 *   memory that never moves. A record is the number of a plan as a varint, the
 *   state packed by that plan (packing.h) and, where asked for, a payload of fixed
 *   size; nothing else. (Plan 0: a varint length and the bytes as they are.) A
 *   state is known by the offset of its record. Since the order is that of
 *   discovery, the arena is at the same time the queue of a breadth-first search.
 *
 * TABLE
 *   An open hash table of 64-bit slots: 28 bits of the hash as a tag, 36 bits
 *   offset + 1 (an arena of 64 GiB); 0 is empty. Eight slots make a cache line. The highest bits of
 *   the hash are the number of a state's line; it is looked for there and then
 *   in the lines after it; the first empty slot ends the search and is where the
 *   state goes.
 *   Nothing is ever deleted. A tag that matches means that the state is almost
 *   surely the one, so a lookup costs one cache miss for the line and one for
 *   the record, both of which overlap for several states at hand: `begin` all,
 *   then `find` or `find_or_insert` each.
 *
 * MANY AT ONCE
 *   A breadth-first search has many successors at hand, and most of them are known.
 *   `sift` finds these without a branch that depends on chance: first among those
 *   looked up lately (recent.h), which needs no look at the table, then where
 *   the table leads to. States whose records fit a few words (short_record.h) are
 *   packed, compared and written in registers; longer ones go the general way.
 *
 * GROWTH
 *   The table doubles at a load of 0.8, in place. The tag begins with the lowest
 *   bits of the line's number (at least `overlap` of them), so a slot tells how
 *   far it stands behind its line, and the bit after those says to which half of
 *   the line it goes. Doubling is thus one walk through the table, from its end
 *   to its start, without a look at the states. It takes a bit from the tag's
 *   power to tell states apart; before too little is left of it, the table is
 *   filled anew from the arena, with tags of later bits; likewise where a slot
 *   stands too far behind its line (almost never). Where the budget does not
 *   allow twice the size, the present table is filled further, to 0.95.
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
#include "line.h"
#include "packing.h"
#include "recent.h"
#include "region.h"
#include "varint.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <memory>

namespace kripke {

/* The offset of no record. */
inline constexpr uint64_t no_state = UINT64_MAX;

/* A record of the arena, taken apart. */
struct Record {
    uint32_t length;       /* of the state */
    uint32_t plan;         /* how it is packed */
    const uint8_t *stored; /* what is there of it */
    uint8_t *payload;
    uint64_t next; /* offset of the record after it */
};

/* Room for one unpacked state. */
class StateBuffer {
  public:
    explicit StateBuffer(uint32_t max_state_bytes) : bytes_(new uint8_t[uint64_t{max_state_bytes} + Packing::slack]) {}
    uint8_t *data() { return bytes_.get(); }

  private:
    std::unique_ptr<uint8_t[]> bytes_; /* not cleared: of a large one little may ever be touched */
};

class Store {
  public:
    /* `stop` is looked at while the table grows. At most `max_states` states are
     * taken (0: no such limit). `payload_bytes` follow every state, first 0.
     * `bit_instructions` as for Packing. */
    Store(Budget &budget, const volatile uint32_t *stop, uint32_t max_state_bytes, uint64_t max_states,
          uint32_t payload_bytes, bool bit_instructions = true);

    // ---- Room -------------------------------------------------------------

    enum class Room { ready, no_memory, stopped };

    /* Make room for `states` more states of `bytes` bytes together. Ends every
     * probe begun before. Where the answer is not `ready`, insert nothing. */
    Room make_room(uint64_t states, uint64_t bytes) {
        const uint64_t end = end_ + bytes + states * (2 * max_varint_bytes + payload_bytes_) + Packing::slack;
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

    /* A state to be looked up. */
    struct Candidate {
        const uint8_t *state;
        uint64_t hash; /* by `begin` */
        Probe probe;   /* by `begin` */
        uint32_t length;

        // ---- By `sift` ----
        uint32_t place;           /* among those that were sifted */
        ShortRecord record;       /* if it has a shape */
        ShortRecord::Shape shape;
    };

    enum class Outcome { known, inserted, full };

    struct Found {
        Outcome outcome;
        uint64_t offset; /* of the record; no_state if full */
    };

    /* Begin the lookups of several states: hash them, then probe for them. Their
     * hashes and cache misses overlap, so this is much faster than one by one.
     * (Nor could they be hashed as they are made: what was written byte by byte a
     * moment ago cannot be read in words without waiting.) */
    void begin(Candidate *first, Candidate *last) const;

    /* The same, and leave out those that are found to be known, or equal to one
     * before them: the end of those that are left, in their order. Each of these is
     * to be given to `find_or_insert` before anything else is looked up. Behind a
     * state ShortPlan::slack bytes must be readable. */
    Candidate *sift(Candidate *first, Candidate *last);

    /* The two halves of it, for a search that does something in between (divided_breadth_first.h):
     * leave out those met lately; of those that are left, all hashed, leave out what is
     * found. What the first half has left must be stored, here or elsewhere. */
    Candidate *leave_out_lately(Candidate *first, Candidate *last) {
        return leave_out_recent<LeaveOut::recent>(first, last);
    }
    Candidate *leave_out_known(Candidate *first, Candidate *last) const;

    /* For a search that has few states at hand, and comes back to them: hash each one while
     * the next is made, so that its line of the table is on its way... */
    void hash(Candidate &item) const {
        item.hash = hash_bytes(item.state, item.length);
        __builtin_prefetch(table() + first_slot(item.hash));
    }
    /* ...then begin the lookups of all, with their short records. */
    void begin_hashed(Candidate *first, Candidate *last);

    /* Begin a single lookup. */
    Probe probe(uint64_t hash) const {
        Probe probe{0, 0};
        advance(hash, probe);
        return probe;
    }

    /* The record of a state, or no_state. */
    uint64_t find(const uint8_t *state, uint32_t length, uint64_t hash, Probe probe) const {
        Wanted wanted(*this, state, length);
        return follow(wanted, hash, probe);
    }

    /* The same for a state with a short record, if it has one. */
    uint64_t find(const Candidate &item) const {
        if (item.shape.bytes == 0)
            return find(item.state, item.length, item.hash, item.probe);
        Probe probe = item.probe;
        return follow(item, probe);
    }

    /* The record of a state, which is new if there was none. Needs room. */
    Found find_or_insert(const uint8_t *state, uint32_t length, uint64_t hash, Probe probe) {
        assert(hash == hash_bytes(state, length));
        Wanted wanted(*this, state, length);
        const uint64_t found = follow(wanted, hash, probe);
        if (found != no_state)
            return {Outcome::known, found};
        if (size_ == max_states_)
            return {Outcome::full, no_state};
        const uint64_t offset = append(wanted);
        publish(hash, probe, offset);
        return {Outcome::inserted, offset};
    }

    /* The same for a state that `sift` has left. */
    Found find_or_insert(const Candidate &item) {
        if (item.shape.bytes == 0)
            return find_or_insert(item.state, item.length, item.hash, item.probe);
        Probe probe = item.probe;
        const uint64_t found = follow(item, probe);
        if (found != no_state) [[unlikely]]
            return {Outcome::known, found};
        if (size_ == max_states_)
            return {Outcome::full, no_state};
        const uint64_t offset = end_;
        item.record.put(arena_.data() + offset, item.shape);
        end_ = offset + item.shape.bytes + payload_bytes_;
        longest_ = std::max(longest_, item.length);
        publish(item.hash, probe, offset);
        return {Outcome::inserted, offset};
    }

    /* The payload of the record where a state was found whose lookup `begin_hashed` began. */
    uint8_t *payload(const Candidate &item, uint64_t offset) const {
        uint8_t *const bytes = const_cast<uint8_t *>(arena_.data()) + offset;
        const auto plan = static_cast<uint8_t>(item.record.words[0]);
        if (item.shape.bytes != 0 && *bytes == plan && plan < 0x80) [[likely]]
            return bytes + item.shape.bytes; /* of the same plan, so as long */
        return record(offset).payload;
    }

    // ---- Walking ----------------------------------------------------------

    /* The record at an offset. The first is at 0, the last one's next is end(). */
    Record record(uint64_t offset) const {
        assert(offset < end_);
        Record record;
        record.stored = get_varint(arena_.data() + offset, record.plan);
        uint32_t bytes;
        if (record.plan != Packing::unpacked) [[likely]] {
            record.length = packing_.length_of(record.plan);
            bytes = packing_.packed_bytes(record.plan);
        } else {
            record.stored = get_varint(record.stored, record.length);
            bytes = record.length;
        }
        record.payload = const_cast<uint8_t *>(record.stored) + bytes;
        record.next = static_cast<uint64_t>(record.payload - arena_.data()) + payload_bytes_;
        return record;
    }

    /* It is going to be written behind the state. */
    void prefetch_record(uint64_t offset) const { __builtin_prefetch(arena_.data() + offset, 1); }

    /* The state of a record: in the buffer, or where it lies. */
    const uint8_t *state(const Record &record, StateBuffer &buffer) const {
        if (record.plan == Packing::unpacked)
            return record.stored;
        packing_.unpack(record.plan, record.stored, buffer.data());
        return buffer.data();
    }

    uint64_t end() const { return end_; }

    // ---- Figures ----------------------------------------------------------

    uint64_t size() const { return size_; }
    uint32_t longest() const { return longest_; } /* length of the longest state */
    uint64_t arena_bytes() const { return end_ + packing_.bytes(); }
    uint64_t table_bytes() const { return table_bytes_; }

    /* Free the table: after this only records may be read. */
    void drop_table();

  private:
    static constexpr uint64_t offset_mask = (uint64_t{1} << (64 - tag_bits)) - 1;
    static constexpr uint64_t first_slots = 1024;
    static constexpr uint64_t most_table_bytes = uint64_t{1} << 38;
    static constexpr uint32_t overlap = 7; /* bits that line and tag share, at least */
    static constexpr uint32_t telling = 8; /* bits of the tag they do not share, at least */
    /* Slots nearer to their line than this can be told from others' by the shared bits. */
    static constexpr uint64_t near = slots_per_line << overlap;

    /* The tag of a slot and of a hash, each at the high end of a word. */
    static uint64_t tag_in(uint64_t slot) { return slot & ~offset_mask; }
    uint64_t tag_of(uint64_t hash) const { return (hash << tag_shift_) & ~offset_mask; }
    uint64_t slot_of(uint64_t hash, uint64_t offset) const { return tag_of(hash) | (offset + 1); }
    static uint64_t offset_in(uint64_t slot) { return (slot & offset_mask) - 1; }

    uint64_t *table() { return reinterpret_cast<uint64_t *>(table_.data()); }
    const uint64_t *table() const { return reinterpret_cast<const uint64_t *>(table_.data()); }

    /* The first slot of the line of a hash, and the one `steps` after a slot. */
    uint64_t first_slot(uint64_t hash) const { return (hash >> line_shift_) * slots_per_line; }
    uint64_t slot_at(uint64_t first, uint64_t steps) const { return (first + steps) & slot_mask_; }

    /* Go on to the next slot that is empty (false) or has the tag (true). */
    bool advance(uint64_t hash, Probe &probe) const {
        const uint64_t first = first_slot(hash), tag = tag_of(hash);
        for (;;) {
            const uint64_t at = slot_at(first, probe.steps);
            const uint64_t passed = at % slots_per_line;
            const uint32_t found = empty_or_tagged(table() + (at - passed), tag) >> passed;
            if (found != 0) [[likely]] {
                const auto ahead = static_cast<uint32_t>(__builtin_ctz(found));
                probe.steps += ahead;
                probe.slot = __atomic_load_n(table() + at + ahead, __ATOMIC_ACQUIRE);
                return probe.slot != 0;
            }
            probe.steps += static_cast<uint32_t>(slots_per_line - passed);
        }
    }

    /* A state that is looked for. It is packed when a record asks for it, once. */
    struct Wanted {
        Wanted(const Store &store, const uint8_t *bytes, uint32_t count)
            : state(bytes), length(count), plan(store.packing_.plan_for(count)) {}

        const uint8_t *state;
        uint32_t length;
        uint32_t plan;       /* for new states of its length */
        bool packed = false; /* is its packed form in the store's scratch? */
        bool fits = false;   /* if packed: does it fit the plan? */
    };

    /* Bring a lookup to its end; where there is no such state, `probe` is left at
     * the empty slot it would go to. */
    uint64_t follow(Wanted &wanted, uint64_t hash, Probe &probe) const {
        bool more = has_slot(hash, probe);
        while (more) {
            if (equals(offset_in(probe.slot), wanted))
                return offset_in(probe.slot);
            ++probe.steps;
            more = advance(hash, probe);
        }
        return no_state;
    }

    uint64_t follow(const Candidate &item, Probe &probe) const {
        bool more = has_slot(item.hash, probe);
        while (more) [[unlikely]] {
            const uint64_t offset = offset_in(probe.slot);
            if (item.record.lies_at(arena_.data() + offset, item.shape) || equals_under_another_plan(offset, item))
                return offset;
            ++probe.steps;
            more = advance(item.hash, probe);
        }
        return no_state;
    }

    /* Is there a slot of matching tag, in a lookup that was begun a while ago? A
     * slot that was empty may have been taken since; one that was taken is as it
     * was. */
    bool has_slot(uint64_t hash, Probe &probe) const {
        return probe.slot != 0 ||
               (__atomic_load_n(table() + slot_at(first_slot(hash), probe.steps), __ATOMIC_ACQUIRE) != 0 &&
                advance(hash, probe));
    }

    /* A record was written: enter it at the empty slot where its lookup ended. */
    void publish(uint64_t hash, const Probe &probe, uint64_t offset) {
        assert(end_ + Packing::slack <= arena_.usable());
        far_ |= probe.steps >= near;
        __atomic_store_n(table() + slot_at(first_slot(hash), probe.steps), slot_of(hash, offset), __ATOMIC_RELEASE);
        ++size_;
    }

    bool equals(uint64_t offset, Wanted &wanted) const {
        uint32_t plan;
        const uint8_t *stored = get_varint(arena_.data() + offset, plan);
        if (plan != wanted.plan || plan == Packing::unpacked) [[unlikely]]
            return equals_under(plan, stored, wanted);
        pack(wanted);
        return wanted.fits && same_bytes(stored, scratch_.data(), packing_.packed_bytes(plan));
    }

    void pack(Wanted &wanted) const {
        if (!wanted.packed) {
            wanted.packed = true;
            wanted.fits = packing_.pack(wanted.plan, wanted.state, scratch_.data());
        }
    }

    enum class LeaveOut { recent, none };
    template <LeaveOut Which, uint32_t Words, bool BitInstructions>
    Candidate *leave_out_recent(const ShortPlan &plan, const Candidate *start, Candidate *&next, Candidate *last,
                                Candidate *left);
    template <LeaveOut Which> Candidate *leave_out_recent(Candidate *first, Candidate *last);
    Candidate *leave_out_begun(Candidate *first, Candidate *last) const;
    template <uint32_t Words> Candidate *leave_out_found(Candidate *first, Candidate *last) const;
    static constexpr ptrdiff_t most_begun = 256; /* together */
    void look(Candidate *first, Candidate *last) const;
    uint64_t append(Wanted &wanted);
    bool equals_under_another_plan(uint64_t offset, const Candidate &item) const;
    bool equals_under(uint32_t plan, const uint8_t *stored, const Wanted &wanted) const;
    Room make_more_room(uint64_t states, uint64_t end);
    bool grow_table(uint64_t slots);
    void set_size(uint64_t slots, uint32_t tag_shift);
    bool double_table();
    bool fill_table();
    void put(uint64_t first, uint64_t slot);

    const volatile uint32_t *stop_;
    uint64_t max_states_;
    uint32_t payload_bytes_;

    Packing packing_;
    Recent recent_;
    mutable StateBuffer scratch_; /* the packed form of the state that is looked for */
    mutable StateBuffer other_;   /* for any other use */

    Region arena_;
    uint64_t end_ = 0;  /* of the last record */
    uint64_t size_ = 0; /* number of records */
    uint32_t longest_ = 0;

    Region table_;
    uint64_t table_bytes_ = 0;
    uint64_t slot_mask_ = 0; /* number of slots, a power of two, less one */
    uint32_t line_shift_ = 0; /* what is above in a hash is the number of a line */
    uint32_t tag_shift_ = 0;  /* bits of a hash above its tag */
    bool far_ = false;        /* does a slot stand too far behind its line to be doubled? */
    uint64_t capacity_ = 0;  /* states the table takes before something must be done */
};

} // namespace kripke
#endif
