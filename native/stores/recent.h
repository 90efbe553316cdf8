/* recent.h -- the states that were looked up last, recognised without the store.
 *
 * Neighbours share successors: a state that was handed over is often handed over
 * again soon, most of all in a breadth-first search. A small table, direct
 * mapped, of short records knows most of these; it stays in the nearer caches.
 * What it forgets is looked up in the store as ever.
 */
#ifndef KRIPKE_RECENT_H
#define KRIPKE_RECENT_H

#include "memory/budget.h"
#include "stores/short_record.h"

#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

namespace kripke {

class Recent {
  public:
    explicit Recent(Budget &budget) : budget_(budget) {}
    ~Recent() {
        if (words_ != nullptr)
            budget_.give(bytes);
    }
    Recent(const Recent &) = delete;
    Recent &operator=(const Recent &) = delete;

    /* Have room for records of that many words. What was known is forgotten where
     * they are longer than those so far. False where there is no memory. */
    bool reshape(uint32_t words) {
        if (words <= words_of_entry_) [[likely]]
            return true;
        if (words_ == nullptr) {
            if (!budget_.take(bytes))
                return false;
            words_.reset(new (std::nothrow) uint64_t[bytes / 8]);
            if (words_ == nullptr) {
                budget_.give(bytes);
                return false;
            }
        }
        std::memset(words_.get(), 0, bytes); /* no record is 0: plan 0 has no short ones */
        shift_ = words == 1 ? 64 - log_of_words : words == 2 ? 65 - log_of_words : 66 - log_of_words;
        words_of_entry_ = words == 3 ? 4 : words;
        return true;
    }

    /* The table, in registers, until it is reshaped; `Words` are those of an entry. */
    template <uint32_t Words> class Table {
      public:
        explicit Table(Recent &recent) : words_(recent.words_.get()), shift_(recent.shift_) {}

        /* Was it here lately? It is now. */
        bool meet(const uint64_t *record) const {
            constexpr uint64_t factors[] = {0x9e3779b97f4a7c15u, 0xd1b54a32d192ed03u, 0xabc98388fb8fac03u,
                                            0x8cb92ba72f3d8dd7u};
            uint64_t mixed = 0, difference = 0;
            for (uint32_t i = 0; i < Words; ++i)
                mixed += record[i] * factors[i];
            uint64_t *const entry = words_ + (mixed >> shift_) * Words;
            for (uint32_t i = 0; i < Words; ++i) {
                difference |= entry[i] ^ record[i];
                entry[i] = record[i];
            }
            return difference == 0;
        }

      private:
        uint64_t *words_;
        uint32_t shift_;
    };

    /* Words of an entry: 1, 2 or 4; 0 while there are none. */
    uint32_t words() const { return words_of_entry_; }

  private:
    static constexpr uint32_t log_of_words = 14;
    static constexpr uint64_t bytes = uint64_t{8} << log_of_words;

    Budget &budget_;
    std::unique_ptr<uint64_t[]> words_;
    uint32_t words_of_entry_ = 0;
    uint32_t shift_ = 0;
};

} // namespace kripke
#endif
