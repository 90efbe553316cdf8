/* records.h -- packed states in memory that only grows, and the table that finds them.
 *
 * ARENA
 *   The states lie in memory that never moves. A record is the number of a plan as a varint,
 *   the state packed by that plan (packing.h) and, where asked for, a payload of fixed
 *   size; nothing else. (Plan 0: a varint length and the bytes as they are.) A
 *   state is known by the offset of its record.
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
 *   then look up each.
 *
 * MANY AT ONCE
 *   A breadth-first search has many successors at hand, and most of them are known.
 *   These are found without a branch that depends on chance: first among those
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
 *   filled anew from the arena, with tags of later bits: once while it is small, which
 *   is enough for eight hundred million states; likewise where a slot stands too far
 *   behind its line (almost never).
 *
 * This is what the store of one thread (store.h) and that of a parallel search (full_store.h) have in
 * common: who writes records, where, and how slots are published is up to them.
 *
 * INVARIANTS
 *   - every record that a slot leads to is complete, and no two states are equal;
 *   - exactly one slot leads to each record (but after a growth that was stopped: then only
 *     records may be read);
 *   - there is an empty slot, so every lookup ends.
 */
#ifndef KRIPKE_RECORDS_H
#define KRIPKE_RECORDS_H

#include "memory/hash.h"
#include "stores/line.h"
#include "memory/own_lines.h"
#include "stores/packing.h"
#include "stores/recent.h"
#include "memory/region.h"
#include "memory/varint.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

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
    explicit StateBuffer(uint32_t max_state_bytes)
        : bytes_(OwnLines<uint8_t>().allocate(uint64_t{max_state_bytes} + Packing::slack)) {}
    uint8_t *data() { return bytes_.get(); }

  private:
    struct Free {
        void operator()(uint8_t *bytes) const { OwnLines<uint8_t>().deallocate(bytes, 0); }
    };
    std::unique_ptr<uint8_t[], Free> bytes_; /* not cleared: of a large one little may ever be touched */
};

/* What one worker needs to look states up. */
struct Hand {
    Hand(Budget &budget, uint32_t max_state_bytes) : recent(budget), packed(max_state_bytes), other(max_state_bytes) {}

    Recent recent;
    StateBuffer packed; /* the packed form of the state that is looked for */
    StateBuffer other;  /* for any other use */
};

class Records {
  public:
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

        // ---- Where short records are made ----
        uint32_t place;           /* among those that were sifted */
        ShortRecord record;       /* if it has a shape */
        ShortRecord::Shape shape;
    };

    /* Begin the lookups of several states: hash them, then probe for them. Their
     * hashes and cache misses overlap, so this is much faster than one by one.
     * (Nor could they be hashed as they are made: what was written byte by byte a
     * moment ago cannot be read in words without waiting.) */
    void begin(Candidate *first, Candidate *last) const;

    /* Begin a single lookup. */
    Probe probe(uint64_t hash) const {
        Probe probe{0, 0};
        advance(hash, probe);
        return probe;
    }

    /* Hash one, so that its line of the table is on its way. */
    void hash(Candidate &item) const {
        item.hash = hash_bytes(item.state, item.length);
        prefetch_line(item.hash);
    }
    void prefetch_line(uint64_t hash) const { __builtin_prefetch(table() + first_slot(hash)); }

    // ---- Reading ------------------------------------------------------------

    /* The record at an offset. */
    Record record(uint64_t offset) const {
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
        if constexpr (reads_exactly) {
            std::vector<uint8_t> alone(packing_.packed_bytes(record.plan) + uint64_t{Packing::slack});
            std::memcpy(alone.data(), record.stored, packing_.packed_bytes(record.plan));
            packing_.unpack(record.plan, alone.data(), buffer.data());
        } else {
            packing_.unpack(record.plan, record.stored, buffer.data());
        }
        return buffer.data();
    }

    uint64_t table_bytes() const { return table_bytes_; }

  protected:
    static constexpr uint64_t offset_mask = (uint64_t{1} << (64 - tag_bits)) - 1;
    static constexpr uint64_t first_slots = 1024;
    static constexpr uint64_t most_table_bytes = uint64_t{1} << 38;
    static constexpr uint32_t overlap = 7; /* bits that line and tag share, at least */
    static constexpr uint32_t telling = 8; /* bits of the tag they do not share, at least */
    /* A table of so many slots is filled anew while that costs nothing: the tags are good for all that may come. */
    static constexpr uint64_t filled_anew = uint64_t{1} << 17;
    /* Slots nearer to their line than this can be told from others' by the shared bits. */
    static constexpr uint64_t near = slots_per_line << overlap;
    static constexpr ptrdiff_t most_begun = 256; /* together */

    /* `stop` is looked at while the table grows. `payload_bytes` follow every state, first 0.
     * `bit_instructions` as for Packing. */
    Records(Budget &budget, const volatile uint32_t *stop, uint32_t payload_bytes, bool bit_instructions);

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
        Wanted(const Records &records, Hand &with, const uint8_t *bytes, uint32_t count)
            : hand(with), state(bytes), length(count), plan(records.packing_.plan_for(count)) {}

        Hand &hand;
        const uint8_t *state;
        uint32_t length;
        uint32_t plan;       /* for new states of its length */
        bool packed = false; /* is its packed form in the hand? */
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

    uint64_t follow(const Candidate &item, Probe &probe, Hand &hand) const {
        bool more = has_slot(item.hash, probe);
        while (more) [[unlikely]] {
            const uint64_t offset = offset_in(probe.slot);
            if (item.record.lies_at(arena_.data() + offset, item.shape) || equals_under_another_plan(offset, item, hand))
                return offset;
            ++probe.steps;
            more = advance(item.hash, probe);
        }
        return no_state;
    }

    /* Is there a slot of matching tag, in a lookup that was begun a while ago? A
     * slot that was empty may have been taken since; one that was taken is as it
     * was. (Where several workers publish, it may be of another tag: then the states differ.) */
    bool has_slot(uint64_t hash, Probe &probe) const {
        return probe.slot != 0 ||
               (__atomic_load_n(table() + slot_at(first_slot(hash), probe.steps), __ATOMIC_ACQUIRE) != 0 &&
                advance(hash, probe));
    }

    bool equals(uint64_t offset, Wanted &wanted) const {
        uint32_t plan;
        const uint8_t *stored = get_varint(arena_.data() + offset, plan);
        if (plan != wanted.plan || plan == Packing::unpacked) [[unlikely]]
            return equals_under(plan, stored, wanted);
        pack(wanted);
        return wanted.fits && same_bytes(stored, wanted.hand.packed.data(), packing_.packed_bytes(plan));
    }

    void pack(Wanted &wanted) const {
        if (!wanted.packed) {
            wanted.packed = true;
            wanted.fits = packing_.pack(wanted.plan, wanted.state, wanted.hand.packed.data());
        }
    }

    /* Write the record of a state that is packed and fits, or is not to be packed. What is behind it. */
    uint8_t *write(const Wanted &wanted, uint8_t *bytes) const {
        bytes = put_varint(bytes, wanted.plan);
        uint32_t count = wanted.length;
        if (wanted.plan != Packing::unpacked) {
            count = packing_.packed_bytes(wanted.plan);
            std::memcpy(bytes, wanted.hand.packed.data(), count);
        } else {
            bytes = put_varint(bytes, wanted.length);
            std::memcpy(bytes, wanted.state, count);
        }
        return bytes + count;
    }

    // ---- Many at once -------------------------------------------------------

    enum class LeaveOut { recent, none };
    /* Make the short records; leave out those that were met lately, or none. What is left must be stored, here or
     * elsewhere: it counts as met from here on. */
    template <LeaveOut Which> Candidate *leave_out_recent(Candidate *first, Candidate *last, Recent &recent) const;
    /* Leave out what is found where its lookup has come to. */
    Candidate *leave_out_begun(Candidate *first, Candidate *last, const Recent &recent) const;
    void look(Candidate *first, Candidate *last) const;

    // ---- Growth ---------------------------------------------------------------

    /* Where records lie one behind the other. */
    struct Range {
        uint64_t first, end;
    };

    /* Before: the memory is there, its first table_bytes_ hold the old table, the
     * rest was never used. All records are in these ranges; the buffer is for a state. False if stopped. */
    bool grow_table(uint64_t slots, const std::vector<Range> &ranges, StateBuffer &buffer, uint32_t threads);

    const volatile uint32_t *stop_;
    uint32_t payload_bytes_;

    Packing packing_;
    Region arena_;
    Region table_;
    uint64_t table_bytes_ = 0;
    uint64_t slot_mask_ = 0;  /* number of slots, a power of two, less one */
    uint32_t line_shift_ = 0; /* what is above in a hash is the number of a line */
    uint32_t tag_shift_ = 0;  /* bits of a hash above its tag */
    bool far_ = false;        /* does a slot stand too far behind its line to be doubled? */
    uint64_t capacity_ = 0;   /* states the table takes before something must be done */

  private:
    class Doubling;

    template <LeaveOut Which, uint32_t Words, bool BitInstructions>
    static Candidate *leave_out_recent(const ShortPlan &plan, const Candidate *start, Candidate *&next, Candidate *last,
                                       Candidate *left, Recent &known);
    template <uint32_t Words> Candidate *leave_out_found(Candidate *first, Candidate *last) const;
    bool equals_under_another_plan(uint64_t offset, const Candidate &item, Hand &hand) const;
    bool equals_under(uint32_t plan, const uint8_t *stored, const Wanted &wanted) const;
    void set_size(uint64_t slots, uint32_t tag_shift);
    bool double_table(uint32_t threads);
    bool fill_table(const std::vector<Range> &ranges, StateBuffer &buffer);
    void put(uint64_t first, uint64_t slot);
};

} // namespace kripke
#endif
