/* component_table.h -- numbers for short byte strings of several kinds: every different
 * one of a kind is stored once, and its number says where.
 *
 * The strings lie one after the other, each behind a word with its kind and length; an
 * open hash table of 64-bit slots (32 bits of the hash, 32 bits number) finds them. Any
 * number of threads may ask at once: a string is written before its slot is taken by
 * compare-and-swap; who loses leaves a string behind that nobody refers to. Only one may
 * make room, alone.
 */
#ifndef KRIPKE_COMPONENT_TABLE_H
#define KRIPKE_COMPONENT_TABLE_H

#include "memory/hash.h"
#include "memory/region.h"

#include <atomic>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <memory>

namespace kripke {

class ComponentTable {
  public:
    static constexpr uint32_t longest = 255; /* bytes of a string */
    static constexpr uint32_t most_kinds = 1u << 23;

    ComponentTable(Budget &budget, uint32_t kinds)
        : bytes_(budget), slots_(budget), counts_(new std::atomic<uint64_t>[kinds]()) {}

    /* Bytes that a string takes. */
    static constexpr uint64_t room_for(uint32_t length) { return (length + uint64_t{7}) & ~uint64_t{3}; }

    /* Is there room for so many more strings, of so many bytes in all? */
    bool has_room(uint64_t more, uint64_t room) const {
        return count_.load(std::memory_order_relaxed) + more <= capacity_ &&
               used_.load(std::memory_order_relaxed) + room <= bytes_.usable();
    }

    /* Make room, alone. False where there is no memory. */
    [[nodiscard]] bool make_room(uint64_t more, uint64_t room);

    /* The number of a string, never 0. Needs room. */
    uint32_t number(uint32_t kind, const uint8_t *string, uint32_t length) {
        const uint32_t head = kind << 8 | length;
        const uint64_t hash = hash_of(head, string, length);
        const uint64_t tag = hash << 32;
        uint64_t own = 0; /* where it was written */
        for (uint64_t at = hash >> slot_shift_;; at = (at + 1) & slot_mask_) {
            uint64_t slot = __atomic_load_n(slots() + at, __ATOMIC_ACQUIRE);
            if (slot == 0) {
                if (own == 0)
                    own = write(head, string, length);
                if (__atomic_compare_exchange_n(slots() + at, &slot, tag | own, false, __ATOMIC_ACQ_REL,
                                                __ATOMIC_ACQUIRE)) {
                    count_.fetch_add(1, std::memory_order_relaxed);
                    counts_[kind].fetch_add(1, std::memory_order_relaxed);
                    return static_cast<uint32_t>(own);
                }
            }
            const auto there = static_cast<uint32_t>(slot);
            if (((slot ^ tag) >> 32) == 0 && head_of(there) == head &&
                std::memcmp(this->string(there), string, length) == 0) {
                return there;
            }
        }
    }

    /* The string of a number. */
    const uint8_t *string(uint32_t number) const { return record(number) + sizeof(uint32_t); }
    uint32_t length(uint32_t number) const { return head_of(number) & 255; }

    uint64_t count(uint32_t kind) const { return counts_[kind].load(std::memory_order_relaxed); }
    uint64_t size() const { return count_.load(std::memory_order_relaxed); }
    uint64_t bytes() const { return used_.load(std::memory_order_relaxed) + (slot_mask_ + 1) * sizeof(uint64_t); }

  private:
    static constexpr uint64_t first = 4; /* a number is a place by four, and not 0 */

    static uint64_t hash_of(uint32_t head, const uint8_t *string, uint32_t length) {
        return hashing::fold(hash_bytes(string, length) ^ hashing::pi2, head ^ hashing::pi3);
    }

    uint64_t *slots() { return reinterpret_cast<uint64_t *>(slots_.data()); }
    const uint8_t *record(uint32_t number) const { return bytes_.data() + uint64_t{number} * 4; }
    uint32_t head_of(uint32_t number) const {
        uint32_t head;
        std::memcpy(&head, record(number), sizeof head);
        return head;
    }

    uint64_t write(uint32_t head, const uint8_t *string, uint32_t length) {
        const uint64_t at = used_.fetch_add(room_for(length), std::memory_order_relaxed);
        assert(at + room_for(length) <= bytes_.usable());
        std::memcpy(bytes_.data() + at, &head, sizeof head);
        std::memcpy(bytes_.data() + at + sizeof head, string, length);
        return at / 4;
    }

    Region bytes_, slots_;
    const std::unique_ptr<std::atomic<uint64_t>[]> counts_;
    std::atomic<uint64_t> count_{0};    /* strings that have a slot */
    std::atomic<uint64_t> used_{first}; /* bytes */
    uint64_t capacity_ = 0;
    uint64_t slot_mask_ = 0;
    uint32_t slot_shift_ = 64;
};

} // namespace kripke
#endif
