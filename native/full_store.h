/* full_store.h -- the visited set of a crew that keeps every state as it is.
 *
 * RECORDS
 *   A state is written once, with its length, to memory that only grows (an arena), and
 *   stays where it is: its place is its handle. Workers take the arena in blocks, each
 *   its own.
 *
 * SLOTS
 *   An open hash table of 64-bit slots: the highest bits of the hash and the place of
 *   the record. A state is looked for from the home of its hash upwards to the first
 *   empty slot. Homes follow from the bits in the slot alone, in proportion, so the table
 *   grows in place: from its end downwards, every run of slots between two empty ones is
 *   taken out and put where it belongs now, never below where it was, and no record is
 *   looked at. Behind the last home there are some more slots, so that no run goes round.
 *
 * THREADS
 *   A record is written before its slot is taken by compare-and-swap; who loses to the
 *   same state uses the room again for the next one. Nothing is ever deleted. The table
 *   and the arena grow alone (gate.h).
 */
#ifndef KRIPKE_FULL_STORE_H
#define KRIPKE_FULL_STORE_H

#include "gate.h"
#include "hash.h"
#include "region.h"
#include "store_interface.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

namespace kripke {

class FullStore {
  public:
    static constexpr bool exact = true;
    static constexpr bool unfolds = true;
    static constexpr bool identity_is_handle = false;
    static constexpr bool forgets = false;
    static constexpr uint32_t slack = 0;

    FullStore(Budget &budget, const SharedLimits &limits, Gate &gate);

    class View;

    // ---- Figures, alone -------------------------------------------------------

    uint64_t size() const { return counts_.total(); }
    uint64_t bytes() const { return taken_.load(std::memory_order_relaxed) + (homes_ + behind) * sizeof(uint64_t); }
    StoreFigures figures() const { return {}; }

    /* Have a table for so many states. Those of another table come in its order: in a table
     * that is still small, all would want the same slots. */
    [[nodiscard]] bool expect(uint64_t states) {
        while (capacity_ < states + (batch_states + 1) * uint64_t{limits_.workers})
            if (!grow_table())
                return false;
        return true;
    }

    /* Call `each(bytes, length)` for every state. */
    template <class Each> void for_each(View &, Each each) {
        for (uint64_t at = 0; homes_ != 0 && at < homes_ + behind; ++at)
            if (const uint64_t slot = slots()[at]; slot != 0)
                each(state_at(slot & place_mask), length_at(slot & place_mask));
    }

  private:
    static constexpr uint32_t place_bits = 34; /* of a slot; the rest are bits of the hash */
    static constexpr uint32_t hash_bits = 64 - place_bits;
    static constexpr uint64_t place_mask = (uint64_t{1} << place_bits) - 1;
    static constexpr uint64_t unit = 8; /* places are multiples of it */
    static constexpr uint64_t behind = 4096; /* slots after the homes; a run so long there is never */
    static constexpr uint64_t block_bytes = 8192;
    static constexpr uint32_t batch_states = 64;
    static constexpr uint64_t batch_bytes = 32768;

    static uint64_t record_bytes(uint32_t length) { return (sizeof(uint32_t) + uint64_t{length} + unit - 1) / unit * unit; }

    const uint8_t *record(uint64_t place) const { return arena_.data() + place * unit; }
    uint32_t length_at(uint64_t place) const {
        uint32_t length;
        std::memcpy(&length, record(place), sizeof length);
        return length;
    }
    const uint8_t *state_at(uint64_t place) const { return record(place) + sizeof(uint32_t); }
    bool is(uint64_t place, const uint8_t *state, uint32_t length) const {
        return length_at(place) == length && std::memcmp(state_at(place), state, length) == 0;
    }

    uint64_t *slots() { return reinterpret_cast<uint64_t *>(table_.data()); }
    uint64_t home(uint64_t hash) const { return (hash >> place_bits) * homes_ >> hash_bits; }

    /* The place of a state, 0 where it is not there. */
    uint64_t find(uint64_t hash, const uint8_t *state, uint32_t length) {
        if (homes_ == 0) [[unlikely]]
            return 0;
        for (uint64_t at = home(hash); at < homes_ + behind; ++at) {
            const uint64_t slot = __atomic_load_n(slots() + at, __ATOMIC_ACQUIRE);
            if (slot == 0)
                return 0;
            if ((slot ^ hash) >> place_bits == 0 && is(slot & place_mask, state, length))
                return slot & place_mask;
        }
        return 0;
    }

    /* So many bytes of the arena may all workers take before one of them looks for room
     * again. Of two blocks in a row, the records fill more than one. */
    uint64_t bytes_ahead() const { return ahead_ * limits_.workers; }
    bool has_room() const {
        return taken_.load(std::memory_order_relaxed) + bytes_ahead() <= arena_.usable() &&
               size() + (batch_states + 1) * uint64_t{limits_.workers} <= capacity_;
    }
    bool make_room_alone();
    bool grow_table();
    void put(uint64_t slot);

    const SharedLimits limits_;
    Gate &gate_;
    SharedCounts counts_;
    const uint64_t ahead_;
    Region arena_;
    std::atomic<uint64_t> taken_{unit}; /* bytes of the arena given to workers; place 0 is none */
    Region table_;
    uint64_t homes_ = 0;
    uint64_t capacity_ = 0; /* states that the table has room for */
};

/* One worker's way to the store. */
class FullStore::View {
  public:
    explicit View(FullStore &store);

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
        return store_.find(hash_bytes(state, length), state, length);
    }
    void open(uint64_t place) { open_ = place; }
    const uint8_t *state() const { return store_.state_at(open_); }
    uint32_t length() const { return store_.length_at(open_); }

    struct Bytes {
        const uint8_t *state;
        uint32_t length;
    };
    Bytes look(uint64_t place) const { return {store_.state_at(place), store_.length_at(place)}; }

    uint64_t identify(const uint8_t *state, uint32_t length) {
        longest_ = std::max(longest_, length);
        return hash_bytes(state, length);
    }
    void prefetch(uint64_t hash) const {
        if (store_.homes_ != 0)
            __builtin_prefetch(store_.slots() + store_.home(hash));
    }
    bool contains(uint64_t hash, const uint8_t *state, uint32_t length) const {
        return store_.find(hash, state, length) != 0;
    }
    Outcome insert(uint64_t hash, const uint8_t *state, uint32_t length) {
        uint64_t place;
        return insert(hash, state, length, place);
    }

    // ---- Many states ------------------------------------------------------------

    uint8_t *room() { return written_.data() + used_; }
    bool add(uint32_t length) {
        ++batch_;
        const uint8_t *const state = room();
        const uint64_t hash = identify(state, length);
        const Met &met = lately_[hash >> (64 - lately_bits)];
        if (met.hash == hash && met.place != 0 && storing_ && store_.is(met.place, state, length))
            return true;
        prefetch(hash);
        items_[items_size_++] = {hash, used_, length};
        used_ += length;
        return true;
    }
    bool full() const { return items_size_ == batch_states || used_ >= batch_bytes; }
    uint64_t batch() const { return batch_; }

    template <class Fresh> Outcome store_batch(Fresh fresh) {
        prefetch_records();
        const uint32_t size = end_batch();
        for (uint32_t i = 0; i < size; ++i) {
            const Item &item = items_[i];
            uint64_t place;
            const Outcome outcome = insert(item.hash, written_.data() + item.offset, item.length, place);
            if (outcome == Outcome::full || outcome == Outcome::no_memory)
                return outcome;
            lately_[item.hash >> (64 - lately_bits)] = {item.hash, place};
            if (outcome == Outcome::inserted && !fresh(place))
                break;
        }
        return Outcome::known;
    }

    uint64_t count_known();
    void stop_storing() { storing_ = false; }

  private:
    static constexpr uint32_t lately_bits = 13;

    struct Item {
        uint64_t hash, offset; /* of its bytes in `written_` */
        uint32_t length;
    };
    struct Met {
        uint64_t hash, place;
    };

    void prefetch_records();
    uint32_t end_batch() {
        const uint32_t size = items_size_;
        items_size_ = 0;
        batch_ = 0;
        used_ = 0;
        return size;
    }
    Outcome insert(uint64_t hash, const uint8_t *state, uint32_t length, uint64_t &place);
    uint64_t write(const uint8_t *state, uint32_t length);

    FullStore &store_;
    SharedCounts::Count &count_;
    uint64_t block_ = 0, block_end_ = 0; /* what is left of a block, in bytes of the arena */
    std::vector<uint8_t> written_;       /* where a model writes */
    std::unique_ptr<Met[]> lately_;      /* states of batches lately, by hash */
    Item items_[batch_states];
    uint32_t items_size_ = 0;
    uint64_t used_ = 0;
    uint64_t batch_ = 0; /* states added, with those met lately */
    uint64_t open_ = 0;
    bool storing_ = true;
    uint32_t longest_ = 0;
};

} // namespace kripke
#endif
