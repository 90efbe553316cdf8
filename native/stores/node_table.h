/* node_table.h -- numbers for words: every different 64-bit word gets a number, from
 * 1 on, and keeps it.
 *
 * The words lie in the order of their numbers; an open hash table of 32-bit slots
 * (4 bits of the hash, 28 bits number) finds them. Any number of threads may ask at
 * once: a word is written before its slot is taken by compare-and-swap. Who loses
 * keeps the number for the next word. Numbers are taken in blocks. Only one may make room, alone.
 */
#ifndef KRIPKE_NODE_TABLE_H
#define KRIPKE_NODE_TABLE_H

#include "memory/hash.h"
#include "memory/own_lines.h"
#include "memory/region.h"

#include <atomic>
#include <cassert>
#include <cstdint>
#include <memory>
#include <vector>

namespace kripke {

class NodeTable {
  public:
    static constexpr uint32_t number_bits = 28;
    static constexpr uint32_t most_numbers = (1u << number_bits) - 1;

    explicit NodeTable(Budget &budget) : words_(budget), slots_(budget) {}

    /* Is there room for so many more? */
    bool has_room(uint64_t more) const { return with_blocks(size() + more) <= capacity_; }

    /* Make room, alone. False where there is no memory. */
    [[nodiscard]] bool make_room(uint64_t more);

    /* What one worker needs to ask. Words it asked for lately are known to it. */
    class Asker {
      public:
        /* Before anybody asks. */
        explicit Asker(NodeTable &table) : table_(table), lately_(new Known[lately_size]()) {
            table.askers_.push_back(this);
        }
        Asker(const Asker &) = delete;
        Asker &operator=(const Asker &) = delete;

        /* The number of a word. Needs room. */
        uint32_t number(uint64_t word) {
            const uint64_t hash = hash_of(word);
            Known &known = lately_[hash >> (64 - lately_bits)];
            if (known.word == word && known.number != 0) [[likely]]
                return known.number;
            known = {word, table_.look_up(word, hash, *this)};
            return known.number;
        }

      private:
        friend class NodeTable;

        struct Known {
            uint64_t word;
            uint32_t number;
        };
        static constexpr uint32_t lately_bits = 12;
        static constexpr uint32_t lately_size = 1u << lately_bits;

        NodeTable &table_;
        std::unique_ptr<Known[]> lately_;
        uint32_t next_ = 0, end_ = 0; /* numbers that were taken and are not used */
    };

    /* The word of a number. */
    uint64_t word(uint32_t number) const { return __atomic_load_n(words() + number, __ATOMIC_RELAXED); }
    void prefetch(uint32_t number) const { __builtin_prefetch(words() + number); }

    /* No number is greater. */
    uint64_t capacity() const { return capacity_; }
    uint64_t size() const { return count_.load(std::memory_order_relaxed); }
    uint64_t bytes() const { return (size() + 1) * sizeof(uint64_t) + (slot_mask_ + 1) * sizeof(uint32_t); }

  private:
    static uint64_t hash_of(uint64_t word) { return hashing::fold(word ^ hashing::pi0, hashing::pi1); }

    uint64_t *words() { return reinterpret_cast<uint64_t *>(words_.data()); }
    const uint64_t *words() const { return reinterpret_cast<const uint64_t *>(words_.data()); }
    uint32_t *slots() { return reinterpret_cast<uint32_t *>(slots_.data()); }

    static uint32_t slot_of(uint64_t hash, uint32_t number) {
        return static_cast<uint32_t>(hash & 15) << number_bits | number;
    }

    /* So many numbers, and what askers may take beside. */
    uint64_t with_blocks(uint64_t numbers) const { return numbers + block * askers_.size(); }

    uint32_t look_up(uint64_t word, uint64_t hash, Asker &asker) {
        const uint32_t tag = slot_of(hash, 0);
        for (uint64_t at = hash >> slot_shift_;; at = (at + 1) & slot_mask_) {
            uint32_t slot = __atomic_load_n(slots() + at, __ATOMIC_ACQUIRE);
            if (slot == 0) {
                if (asker.next_ == asker.end_) {
                    asker.next_ = static_cast<uint32_t>(count_.fetch_add(block, std::memory_order_relaxed) + 1);
                    asker.end_ = asker.next_ + block;
                }
                assert(asker.next_ <= capacity_);
                __atomic_store_n(words() + asker.next_, word, __ATOMIC_RELAXED);
                if (__atomic_compare_exchange_n(slots() + at, &slot, tag | asker.next_, false, __ATOMIC_ACQ_REL,
                                                __ATOMIC_ACQUIRE))
                    return asker.next_++;
            }
            if ((slot ^ tag) >> number_bits == 0 && this->word(slot & most_numbers) == word)
                return slot & most_numbers;
        }
    }

    /* Numbers that an asker takes at once: so its words have lines of the processor's cache for themselves. */
    static constexpr uint32_t block = 32;

    Region words_, slots_;
    std::vector<const Asker *> askers_;
    uint64_t capacity_ = 0;
    uint64_t slot_mask_ = 0;
    uint32_t slot_shift_ = 64;
    alignas(own_lines) std::atomic<uint64_t> count_{0}; /* numbers given away; not beside what is read all the time */
};

} // namespace kripke
#endif
