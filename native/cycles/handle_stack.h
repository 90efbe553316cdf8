/* handle_stack.h -- a stack of states by what a store knows them by (store_interface.h), each
 * of which is on it once, that says where each is: for searches that must know whether a
 * state is on their path, or in a component that may still grow, with a store that loses
 * nothing and has no room for marks beside its states.
 *
 * Beside the stack lies an open hash table with four bytes a slot: the place, and above it as
 * many bits of the hash as there is room for, so that few other handles are looked at.
 *
 * What is pushed last is taken off first, so the table is at any time what it was before the
 * last push, and that: whoever is taken off leaves no gap that a lookup of another has passed.
 * Where the table grows, it is made anew from the stack, where it lies: what there was before
 * need not be kept meanwhile, and it can grow by half at a time.
 */
#ifndef KRIPKE_HANDLE_STACK_H
#define KRIPKE_HANDLE_STACK_H

#include "memory/region.h"
#include "memory/stack.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>
#include <cstring>

namespace kripke {

class HandleStack {
  public:
    explicit HandleStack(Budget &budget) : handles_(budget), table_(budget) {}

    /* Places are below this one. */
    static constexpr uint32_t no_place = UINT32_MAX;

    /* Its place, counted from 1; 0 where it is not on the stack. */
    uint32_t find(uint64_t handle) const {
        if (slots_ == 0)
            return 0;
        const uint64_t hash = hash_of(handle);
        const uint32_t tag = tag_of(hash);
        for (uint64_t at = home(hash); slot(at) != 0; at = next(at))
            if ((slot(at) ^ tag) <= place_mask_) {
                const uint32_t place = slot(at) & place_mask_;
                if (handles_[place - 1] == handle)
                    return place;
            }
        return 0;
    }

    void prefetch(uint64_t handle) const {
        if (slots_ != 0)
            __builtin_prefetch(slots() + home(hash_of(handle)));
    }

    /* One that is not on it. False, and nothing changed, where there is no memory, or no place left. */
    [[nodiscard]] bool push(uint64_t handle) {
        assert(find(handle) == 0);
        if (4 * (size() + 1) > 3 * slots_ && !grow())
            return false;
        if (size() + 1 >= no_place || !handles_.push(handle))
            return false;
        enter(static_cast<uint32_t>(size()));
        return true;
    }

    /* Take off all but the first `size`, the last one first. */
    void shrink(uint64_t size) {
        constexpr uint64_t ahead = 8;
        for (uint64_t place = handles_.size(); place > size; --place) {
            if (place > size + ahead)
                prefetch(handles_[place - ahead - 1]);
            const uint64_t hash = hash_of(handles_[place - 1]);
            const uint32_t wanted = tag_of(hash) | static_cast<uint32_t>(place);
            uint64_t at = home(hash);
            while (slot(at) != wanted)
                at = next(at);
            slot(at) = 0;
        }
        handles_.shrink(size);
    }

    uint64_t operator[](uint64_t i) const { return handles_[i]; }
    uint64_t size() const { return handles_.size(); }

  private:
    static constexpr uint64_t first_slots = 1024;

    static uint64_t hash_of(uint64_t handle) { return (handle ^ handle >> 32) * 0x9e3779b97f4a7c15u; }
    uint32_t tag_of(uint64_t hash) const { return static_cast<uint32_t>(hash >> 8) & ~place_mask_; }

    /* A part of all slots, as large as the hash is of all numbers. */
    uint64_t home(uint64_t hash) const {
        __extension__ typedef unsigned __int128 Wide;
        return static_cast<uint64_t>(static_cast<Wide>(hash) * slots_ >> 64);
    }
    uint64_t next(uint64_t at) const { return at + 1 == slots_ ? 0 : at + 1; }

    uint32_t *slots() { return reinterpret_cast<uint32_t *>(table_.data()); }
    const uint32_t *slots() const { return reinterpret_cast<const uint32_t *>(table_.data()); }
    uint32_t &slot(uint64_t at) { return slots()[at]; }
    uint32_t slot(uint64_t at) const { return slots()[at]; }

    void enter(uint32_t place) {
        const uint64_t hash = hash_of(handles_[place - 1]);
        uint64_t at = home(hash);
        while (slot(at) != 0)
            at = next(at);
        slot(at) = tag_of(hash) | place;
    }

    bool grow() {
        constexpr uint64_t ahead = 8;
        const uint64_t before = slots_, wanted = std::max(first_slots, slots_ + slots_ / 2);
        if (table_.data() == nullptr && !table_.reserve(uint64_t{1} << 38, 1, 8))
            return false;
        if (!table_.ensure(wanted * sizeof(uint32_t)))
            return false;
        std::memset(table_.data(), 0, before * sizeof(uint32_t));
        slots_ = wanted;
        place_mask_ = static_cast<uint32_t>((uint64_t{1} << std::min<uint64_t>(32, std::bit_width(wanted))) - 1);
        const uint64_t count = handles_.size();
        for (uint64_t place = 1; place <= count; ++place) {
            if (place + ahead <= count)
                prefetch(handles_[place + ahead - 1]);
            enter(static_cast<uint32_t>(place));
        }
        return true;
    }

    Stack<uint64_t> handles_;
    Region table_;            /* of slots; an empty one is 0 */
    uint64_t slots_ = 0;
    uint32_t place_mask_ = 0; /* the bits of a slot that are the place */
};

} // namespace kripke
#endif
