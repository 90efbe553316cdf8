/* region.h -- memory that grows in place.
 *
 * A region reserves a range of addresses and uses it from the front: what lies
 * in it never moves. Reserving is free; a page costs memory when it is first
 * touched. What may be touched is taken from a Budget in steps (`ensure`); the
 * rest is protected, so nothing goes past the budget unseen.
 * Far from the front the system is asked for huge pages: a small model touches
 * few small pages, a large one saves most of the address translation misses. What
 * a large region is extended by is touched ahead by another thread.
 */
#ifndef KRIPKE_REGION_H
#define KRIPKE_REGION_H

#include "memory/budget.h"
#include "memory/prefaulter.h"

#include <cstddef>
#include <cstdint>

namespace kripke {

class Region {
  public:
    explicit Region(Budget &budget) : budget_(budget) {}
    ~Region() { release(); }
    Region(const Region &) = delete;
    Region &operator=(const Region &) = delete;

    /* Reserve up to `bytes` of addresses; fewer where the system or the budget
     * has fewer, but `at_least`. False, and nothing reserved, where that fails. Several
     * regions share what a process may map (ulimit -v): this one takes at most one
     * `part`-th of it.
     * Before: nothing is reserved. After: no byte may be used yet, all read 0. */
    [[nodiscard]] bool reserve(uint64_t bytes, uint64_t at_least, uint64_t part = 4);

    /* Make the first `bytes` usable; some more may be, so that many small calls
     * are cheap. False, and nothing changed, where the budget or the reserve
     * does not allow it. */
    [[nodiscard]] bool ensure(uint64_t bytes) { return bytes <= usable_ || extend(bytes); }

    /* Return everything to the system and the budget. */
    void release();

    uint8_t *data() { return data_; }
    const uint8_t *data() const { return data_; }
    uint64_t usable() const { return usable_; }

  private:
    bool extend(uint64_t bytes);

    Budget &budget_;
    uint8_t *data_ = nullptr;
    uint64_t reserved_ = 0;
    uint64_t usable_ = 0; /* invariant: taken from budget_, <= reserved_ */
    void *mapping_ = nullptr;
    uint64_t mapping_bytes_ = 0;
    Prefaulter prefaulter_;
};

} // namespace kripke
#endif
