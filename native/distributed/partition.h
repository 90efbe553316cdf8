/* partition.h -- which worker owns a state.
 *
 * The states are cut into classes, by a hash of the whole state or of some of its bytes, and a
 * table says who owns a class. All workers have the same partition, so all agree, without
 * asking, on the one worker that stores a state and expands it.
 *
 * WHOLE STATE   Every step leads to any worker: all but one in `workers` of the steps are sent. The states are spread
 *               evenly.
 * SOME BYTES    A step that does not change these bytes stays with its worker (F. Lerda, R. Sisto,
 *               Distributed-memory model checking with SPIN, SPIN 1999: the control of one process; F. Lerda,
 *               W. Visser, Addressing dynamic issues of program model checking, SPIN 2001: part of the state, or
 *               all program counters). Any bytes do: what a state's owner is, is a function of its bytes alone.
 */
#ifndef KRIPKE_PARTITION_H
#define KRIPKE_PARTITION_H

#include "memory/hash.h"

#include <cstdint>
#include <stdexcept>
#include <vector>

namespace kripke {

class Partition {
  public:
    /* `owners` has a worker for each class, a power of two of them. `bytes` are places in a state, in ascending order;
     * none: all of it. A state that is too short for a place has 0 there. */
    Partition(std::vector<uint32_t> owners, std::vector<uint32_t> bytes) : owners_(std::move(owners)), bytes_(std::move(bytes)) {
        const uint64_t classes = owners_.size();
        if (classes < 2 || (classes & (classes - 1)) != 0)
            throw std::invalid_argument("a partition has a power of two of classes, at least two");
        shift_ = 64 - static_cast<uint32_t>(__builtin_ctzll(classes));
    }

    uint32_t class_of(const uint8_t *state, uint32_t length) const { return class_of_key(key(state, length)); }
    uint32_t owner(const uint8_t *state, uint32_t length) const { return owners_[class_of(state, length)]; }

    uint32_t classes() const { return static_cast<uint32_t>(owners_.size()); }
    uint32_t owner_of_class(uint32_t number) const { return owners_[number]; }
    void give(uint32_t number, uint32_t owner) { owners_.at(number) = owner; }
    const std::vector<uint32_t> &bytes() const { return bytes_; }

    // ---- Whole state ----

    bool by_hash() const { return bytes_.empty(); }
    /* The owner of a state with this hash_bytes. */
    uint32_t owner_by_hash(uint64_t hash) const { return owners_[class_of_key(hash)]; }

  private:
    uint32_t class_of_key(uint64_t key) const {
        /* Mixed once more: a store takes the highest bits of the same hash for the place of a state. */
        return static_cast<uint32_t>(hashing::fold(key ^ hashing::pi3, hashing::pi2) >> shift_);
    }

    uint64_t key(const uint8_t *state, uint32_t length) const {
        if (bytes_.empty())
            return hash_bytes(state, length);
        uint64_t key = hashing::pi0;
        for (const uint32_t place : bytes_)
            key = (key ^ (place < length ? state[place] : 0)) * 0x9e3779b97f4a7c15u;
        return key;
    }

    std::vector<uint32_t> owners_;
    std::vector<uint32_t> bytes_;
    uint32_t shift_;
};

} // namespace kripke
#endif
