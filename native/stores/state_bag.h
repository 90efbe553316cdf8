/* state_bag.h -- a set of states that is made, filled and thrown away as a whole: there may be
 * thousands of them at a time, most of them small.
 *
 * States lie one behind the other in the order they came, each with a number and a depth
 * that whoever put it in chose; an open hash table of 64-bit slots (24 bits of the hash,
 * 40 bits place) finds them. A reference is the place of a state and lasts; a pointer to
 * its bytes lasts until the next one is put in.
 */
#ifndef KRIPKE_STATE_BAG_H
#define KRIPKE_STATE_BAG_H

#include "memory/budget.h"

#include <cassert>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace kripke {

class StateBag {
  public:
    enum class Insertion { known, inserted, no_memory };

    struct Entry {
        uint64_t number;
        uint32_t depth, length;
    };

    explicit StateBag(Budget &budget) : budget_(budget) {}
    ~StateBag() {
        std::free(bytes_);
        std::free(slots_);
        budget_.give(room_ + slot_count_ * sizeof(uint64_t));
    }
    StateBag(const StateBag &) = delete;
    StateBag &operator=(const StateBag &) = delete;

    bool contains(uint64_t hash, const uint8_t *state, uint32_t length) const {
        return slot_count_ != 0 && slots_[find(hash, state, length)] != 0;
    }

    Insertion insert(uint64_t hash, const uint8_t *state, const Entry &entry) {
        if ((size_ + 1) * 4 > slot_count_ * 3 && !grow_slots())
            return Insertion::no_memory;
        const uint64_t at = find(hash, state, entry.length);
        if (slots_[at] != 0)
            return Insertion::known;
        const uint64_t needed = used_ + sizeof(Entry) + entry.length;
        if (needed > room_ && !grow_bytes(needed))
            return Insertion::no_memory;
        std::memcpy(bytes_ + used_, &entry, sizeof entry);
        std::memcpy(bytes_ + used_ + sizeof entry, state, entry.length);
        slots_[at] = hash >> 40 << 40 | (used_ + 1);
        used_ = needed;
        ++size_;
        return Insertion::inserted;
    }

    // ---- In the order they came -------------------------------------------------

    uint64_t end() const { return used_; } /* the first reference is 0 */
    Entry entry(uint64_t reference) const {
        Entry entry;
        std::memcpy(&entry, bytes_ + reference, sizeof entry);
        return entry;
    }
    const uint8_t *state(uint64_t reference) const { return bytes_ + reference + sizeof(Entry); }
    uint64_t after(uint64_t reference) const { return reference + sizeof(Entry) + entry(reference).length; }

    uint64_t size() const { return size_; }
    uint64_t bytes() const { return used_ + slot_count_ * sizeof(uint64_t); }

  private:
    static constexpr uint64_t place_mask = (uint64_t{1} << 40) - 1;

    /* The slot of a state, or the empty one where it would go. */
    uint64_t find(uint64_t hash, const uint8_t *state, uint32_t length) const {
        for (uint64_t at = hash & (slot_count_ - 1);; at = (at + 1) & (slot_count_ - 1)) {
            const uint64_t slot = slots_[at];
            if (slot == 0)
                return at;
            if (slot >> 40 != hash >> 40)
                continue;
            const uint64_t reference = (slot & place_mask) - 1;
            if (entry(reference).length == length && std::memcmp(this->state(reference), state, length) == 0)
                return at;
        }
    }

    bool grow_bytes(uint64_t needed) {
        const uint64_t room = needed + needed / 2 + 64;
        if (room > place_mask || !budget_.take(room))
            return false;
        auto *const larger = static_cast<uint8_t *>(std::realloc(bytes_, room));
        budget_.give(larger == nullptr ? room : room_);
        if (larger == nullptr)
            return false;
        bytes_ = larger;
        room_ = room;
        return true;
    }

    bool grow_slots();

    Budget &budget_;
    uint8_t *bytes_ = nullptr;
    uint64_t *slots_ = nullptr;
    uint64_t used_ = 0, room_ = 0, size_ = 0;
    uint64_t slot_count_ = 0; /* a power of two, or 0 */
};

} // namespace kripke
#endif
