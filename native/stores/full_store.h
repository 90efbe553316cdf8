/* full_store.h -- the visited set of a parallel search that keeps every state.
 *
 * RECORDS
 *   As in the store of one thread (records.h): packed, in an arena that only grows. Workers take
 *   the arena in blocks, each its own, so that none writes beside another. A handle is the
 *   offset of a record, plus 1.
 *
 * THREADS
 *   A record is written before its slot is taken by compare-and-swap; who loses to the
 *   same state uses the room again for the next one. Nothing is ever deleted. The table, the
 *   arena and the plans of packing grow alone (gate.h); the table is moved by as many
 *   threads as there are workers. What a worker has begun to look up when it waits for that is
 *   begun again.
 */
#ifndef KRIPKE_FULL_STORE_H
#define KRIPKE_FULL_STORE_H

#include "searches/gate.h"
#include "memory/own_lines.h"
#include "stores/records.h"
#include "stores/store_interface.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <vector>

namespace kripke {

class FullStore : private Records {
  public:
    static constexpr bool exact = true;
    static constexpr bool unfolds = true;
    static constexpr bool identity_is_handle = false;
    static constexpr bool forgets = false;
    static constexpr bool in_order = true;
    static constexpr uint32_t slack = std::max(ShortPlan::slack, Packing::slack);

    FullStore(Budget &budget, const SharedLimits &limits, Gate &gate);

    class View;

    // ---- Figures, alone -------------------------------------------------------

    uint64_t size() const { return counts_.total(); }
    uint64_t bytes() const;
    StoreFigures figures() const { return {}; }

    /* Have a table for so many states. */
    [[nodiscard]] bool expect(uint64_t states) { return grow_to(states + states_ahead()); }

    /* Call `each(bytes, length)` for every state. */
    template <class Each> void for_each(View &view, Each each);

  private:
    static constexpr uint64_t block_bytes = 1 << 14;
    static constexpr uint32_t batch_states = 128;
    static constexpr uint64_t batch_bytes = 16 << 10;

    /* A part of the arena that belongs to one worker. */
    struct Block {
        uint64_t first = 0, end = 0;
        uint64_t used = 0; /* up to here there are records */
    };

    /* What a record takes at most, and a short one. */
    static constexpr uint64_t short_room = ShortRecord::most_bytes + Packing::slack;
    static uint64_t room_for(uint32_t length) { return length + 2 * max_varint_bytes + Packing::slack; }

    uint64_t states_ahead() const { return (batch_states + 1) * uint64_t{limits_.workers}; }
    /* So many bytes of the arena may all workers take before one of them looks for room again: a worker leaves less
     * of each block than a record takes. */
    uint64_t bytes_ahead() const { return ahead_ * limits_.workers; }
    bool has_room() const {
        return taken_.load(std::memory_order_relaxed) + bytes_ahead() <= arena_.usable() &&
               size() + states_ahead() <= capacity_;
    }
    bool make_room_alone();
    bool grow_to(uint64_t states);
    std::vector<Range> ranges() const;

    Budget &budget_;
    const SharedLimits limits_;
    Gate &gate_;
    SharedCounts counts_;
    const uint64_t ahead_;
    std::atomic<uint64_t> taken_{0}; /* bytes of the arena given to workers */
    std::deque<View *> views_;
    StateBuffer buffer_; /* alone */
};

/* One worker's way to the store. */
class FullStore::View {
  public:
    explicit View(FullStore &store);
    View(const View &) = delete;
    View &operator=(const View &) = delete;

    bool make_room() {
        store_.gate_.pass();
        bool ready = true;
        while (ready && !store_.has_room())
            store_.gate_.alone([&] { ready = store_.make_room_alone(); });
        return ready;
    }
    uint32_t longest() const { return longest_; }

    // ---- One state ------------------------------------------------------------

    /* Of a state that is stored; 0 where it is not. */
    uint64_t handle_of(const uint8_t *state, uint32_t length) {
        return find(hash_bytes(state, length), state, length) + 1;
    }
    /* The handle of what lies behind it, if it is not the last of its block. */
    uint64_t open(uint64_t handle) {
        const Record record = store_.record(handle - 1);
        length_ = record.length;
        state_ = store_.state(record, opened_);
        return record.next + 1;
    }
    /* Of the last one that was stored: does it lie behind none that this worker has stored? */
    bool begins_block(uint64_t handle) const { return handle - 1 == block_.first; }
    const uint8_t *state() const { return state_; }
    uint32_t length() const { return length_; }

    struct Bytes {
        const uint8_t *state;
        uint32_t length;
    };
    Bytes look(uint64_t handle) {
        const Record record = store_.record(handle - 1);
        return {store_.state(record, looked_), record.length};
    }

    uint64_t identify(const uint8_t *state, uint32_t length) {
        longest_ = std::max(longest_, length);
        return hash_bytes(state, length);
    }
    void prefetch(uint64_t hash) const {
        if (store_.table_bytes_ != 0)
            __builtin_prefetch(store_.table() + store_.first_slot(hash));
    }
    bool contains(uint64_t hash, const uint8_t *state, uint32_t length) { return find(hash, state, length) != no_state; }
    Insertion insert(uint64_t hash, const uint8_t *state, uint32_t length) {
        uint64_t handle;
        return insert(hash, state, length, handle);
    }

    // ---- Many states ------------------------------------------------------------

    uint8_t *room() { return end_of_bytes_; }
    bool add(uint32_t length) {
        end_->state = end_of_bytes_;
        end_->length = length;
        ++end_;
        end_of_bytes_ += length;
        longest_ = std::max(longest_, length);
        return true;
    }
    bool full() const { return end_ == limit_ || end_of_bytes_ >= bytes_limit_; }
    uint64_t batch() const { return static_cast<uint64_t>(end_ - items_.data()); }
    void clear() {
        end_ = items_.data();
        end_of_bytes_ = written_.data();
    }

    template <class Fresh> Insertion store_batch(Fresh fresh) {
        Candidate *const first = items_.data();
        Candidate *last = store_.leave_out_recent<LeaveOut::recent>(first, end_, hand_.recent);
        clear();
        store_.begin(first, last);
        last = store_.leave_out_begun(first, last, hand_.recent);
        for (const Candidate *item = first; item != last; ++item) /* most of them are new: these lines will be written */
            __builtin_prefetch(store_.table() + store_.slot_at(store_.first_slot(item->hash), item->probe.steps), 1);
        for (Candidate *item = first; item != last; ++item) {
            uint64_t handle;
            for (const Candidate *const written = write_ahead(item, last); item != written; ++item) {
                if (!publish(item->hash, item->probe, item->shape.bytes, handle)) [[unlikely]]
                    break;
                if (!fresh(handle))
                    return Insertion::known;
            }
            if (item == last)
                break;
            const uint64_t moment = moments_;
            const Insertion outcome = insert(*item, handle);
            if (outcome == Insertion::full || outcome == Insertion::no_memory)
                return outcome;
            if (outcome == Insertion::inserted && !fresh(handle))
                break;
            if (moments_ != moment) [[unlikely]] /* others may have moved the table meanwhile */
                store_.look(item + 1, last);
        }
        return Insertion::known;
    }

    uint64_t count_known();
    void stop_storing() {}

  private:
    friend class FullStore;

    /* The offset of its record, or no_state. */
    uint64_t find(uint64_t hash, const uint8_t *state, uint32_t length) {
        if (store_.table_bytes_ == 0) [[unlikely]]
            return no_state;
        Wanted wanted(store_, hand_, state, length);
        Probe probe = store_.probe(hash);
        return store_.follow(wanted, hash, probe);
    }

    /* Write the short records of states that are likely to be new, one behind the other, to be published in this order.
     * The first state that has none. (An exchange waits for what was written just before it.) */
    const Candidate *write_ahead(const Candidate *first, const Candidate *last) const {
        uint8_t *const arena = store_.arena_.data();
        uint64_t used = block_.used;
        for (; first != last && block_.end - used >= short_room; ++first) {
            if (first->shape.bytes == 0 || first->probe.slot != 0 || limited_) [[unlikely]]
                break;
            first->record.put(arena + used, first->shape);
            used += first->shape.bytes;
        }
        return first;
    }

    Insertion insert(Candidate &item, uint64_t &handle);
    Insertion insert(uint64_t hash, const uint8_t *state, uint32_t length, uint64_t &handle);

    /* Where a record can be written that takes so much at most; null where there is no memory for it. */
    uint8_t *place_for(uint64_t bytes) {
        if (block_.end - block_.used < bytes && !take_block(bytes)) [[unlikely]]
            return nullptr;
        return store_.arena_.data() + block_.used;
    }
    bool take_block(uint64_t bytes);
    /* Enter what was written there, of `bytes` bytes, unless another state came first. */
    bool publish(uint64_t hash, const Probe &probe, uint64_t bytes, uint64_t &handle) {
        uint64_t *const slot = store_.table() + store_.slot_at(store_.first_slot(hash), probe.steps);
        uint64_t empty = 0;
        if (!__atomic_compare_exchange_n(slot, &empty, store_.slot_of(hash, block_.used), false, __ATOMIC_ACQ_REL,
                                         __ATOMIC_ACQUIRE))
            return false;
        if (probe.steps >= near) [[unlikely]]
            __atomic_store_n(&store_.far_, true, __ATOMIC_RELAXED);
        handle = block_.used + 1;
        block_.used += bytes;
        __builtin_prefetch(store_.arena_.data() + block_.used + 1024, 1);
        count_.add(1);
        return true;
    }

    FullStore &store_;
    SharedCounts::Count &count_;
    Hand hand_;
    StateBuffer opened_, looked_;
    Block block_;
    std::vector<Range> filled_;  /* blocks that are used up */
    std::vector<uint8_t, OwnLines<uint8_t>> written_; /* the batch: where a model writes, up to its end */
    std::vector<Candidate, OwnLines<Candidate>> items_;
    Candidate *end_, *const limit_ = items_.data() + batch_states;
    uint8_t *end_of_bytes_, *const bytes_limit_ = written_.data() + batch_bytes;
    const bool limited_; /* is there a limit to the number of states? */
    const uint8_t *state_ = nullptr;
    uint32_t length_ = 0;
    uint64_t moments_ = 0; /* how often it has asked to be alone in the middle of something */
    uint32_t longest_ = 0;
};

template <class Each> void FullStore::for_each(View &, Each each) {
    for (const Range &range : ranges())
        for (uint64_t offset = range.first; offset < range.end;) {
            const Record entry = record(offset);
            each(Records::state(entry, buffer_), entry.length);
            offset = entry.next;
        }
}

} // namespace kripke
#endif
