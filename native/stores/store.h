/* store.h -- the visited set of one thread: which states were seen, exactly.
 *
 * Records (records.h) lie one after the other, in the order the states were first seen. So
 * the arena is at the same time the queue of a breadth-first search. Where the budget does
 * not allow a table of twice the size, the present one is filled further, to 0.95.
 *
 * INVARIANT
 *   - every record before end() is complete; after drop_table, or after a growth that was
 *     stopped, only records may be read.
 */
#ifndef KRIPKE_STORE_H
#define KRIPKE_STORE_H

#include "stores/records.h"

namespace kripke {

class Store : public Records {
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

    enum class Insertion { known, inserted, full };

    struct Found {
        Insertion outcome;
        uint64_t offset; /* of the record; no_state if full */
    };

    /* Begin the lookups of several states, and leave out those that are found to be known, or
     * equal to one before them: the end of those that are left, in their order. Each of these is
     * to be given to `find_or_insert` before anything else is looked up. Behind a
     * state ShortPlan::slack bytes must be readable. */
    Candidate *sift(Candidate *first, Candidate *last);

    /* The two halves of it, for a search that stores some of them elsewhere in between: leave out those met lately;
     * what is left counts as met from here on, so it must be stored, here or elsewhere. Then, with room made, begin the
     * lookups and leave out what is known. */
    Candidate *leave_out_met(Candidate *first, Candidate *last);
    Candidate *leave_out_known(Candidate *first, Candidate *last);
    /* The same for states whose hashes are known. */
    Candidate *leave_out_known_hashed(Candidate *first, Candidate *last);

    /* For a search that has few states at hand, and comes back to them: each was hashed while the next was made;
     * begin the lookups of all, with their short records. */
    void begin_hashed(Candidate *first, Candidate *last);

    /* The record of a state, or no_state. */
    uint64_t find(const uint8_t *state, uint32_t length, uint64_t hash, Probe probe) const {
        Wanted wanted(*this, hand_, state, length);
        return follow(wanted, hash, probe);
    }

    /* The same for a state with a short record, if it has one. */
    uint64_t find(const Candidate &item) const {
        if (item.shape.bytes == 0)
            return find(item.state, item.length, item.hash, item.probe);
        Probe probe = item.probe;
        return follow(item, probe, hand_);
    }

    /* The record of a state, which is new if there was none. Needs room. */
    Found find_or_insert(const uint8_t *state, uint32_t length, uint64_t hash, Probe probe) {
        assert(hash == hash_bytes(state, length));
        Wanted wanted(*this, hand_, state, length);
        const uint64_t found = follow(wanted, hash, probe);
        if (found != no_state)
            return {Insertion::known, found};
        if (size_ == max_states_)
            return {Insertion::full, no_state};
        const uint64_t offset = append(wanted);
        publish(hash, probe, offset);
        return {Insertion::inserted, offset};
    }

    /* The same for a state that `sift` has left. */
    Found find_or_insert(const Candidate &item) {
        if (item.shape.bytes == 0)
            return find_or_insert(item.state, item.length, item.hash, item.probe);
        Probe probe = item.probe;
        const uint64_t found = follow(item, probe, hand_);
        if (found != no_state) [[unlikely]]
            return {Insertion::known, found};
        if (size_ == max_states_)
            return {Insertion::full, no_state};
        const uint64_t offset = end_;
        item.record.put(arena_.data() + offset, item.shape);
        end_ = offset + item.shape.bytes + payload_bytes_;
        longest_ = std::max(longest_, item.length);
        publish(item.hash, probe, offset);
        return {Insertion::inserted, offset};
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

    /* The first record is at 0, the last one's next is here. */
    uint64_t end() const { return end_; }

    // ---- Figures ----------------------------------------------------------

    uint64_t size() const { return size_; }
    uint32_t longest() const { return longest_; } /* length of the longest state */
    uint64_t arena_bytes() const { return end_ + packing_.bytes(); }

    /* Free the table: after this only records may be read. */
    void drop_table();

  private:
    /* A record was written: enter it at the empty slot where its lookup ended. */
    void publish(uint64_t hash, const Probe &probe, uint64_t offset) {
        assert(end_ + Packing::slack <= arena_.usable());
        far_ |= probe.steps >= near;
        __atomic_store_n(table() + slot_at(first_slot(hash), probe.steps), slot_of(hash, offset), __ATOMIC_RELEASE);
        ++size_;
    }

    void look_at_all(Candidate *first, Candidate *last) const;
    uint64_t append(Wanted &wanted);
    Room make_more_room(uint64_t states, uint64_t end);

    uint64_t max_states_;
    mutable Hand hand_;
    uint64_t end_ = 0;  /* of the last record */
    uint64_t size_ = 0; /* number of records */
    uint32_t longest_ = 0;
};

} // namespace kripke
#endif
