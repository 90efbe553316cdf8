#include "stores/shared_states.h"

#include "memory/hash.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace kripke {

SharedStates::SharedStates(Budget &budget, uint64_t max_states)
    : budget_(budget), max_states_(max_states == 0 ? UINT64_MAX : max_states),
      shards_(new Shard[uint64_t{1} << shard_bits]) {}

SharedStates::~SharedStates() { budget_.give(bytes()); }

SharedStates::Found SharedStates::find_or_insert(const uint8_t *bytes, uint32_t length) {
    const uint64_t hash = hash_bytes(bytes, length);
    Shard &shard = shards_[hash >> (64 - shard_bits)];
    const std::lock_guard guard(shard.lock);
    if (shard.used * 10 >= shard.slots * 7 && !grow(shard))
        return {Insertion::no_memory, nullptr};
    uint64_t at = hash & (shard.slots - 1);
    for (; shard.table[at].state != nullptr; at = (at + 1) & (shard.slots - 1)) {
        const Slot &slot = shard.table[at];
        if (slot.hash == hash && slot.state->length == length && std::memcmp(slot.state->bytes(), bytes, length) == 0)
            return {Insertion::found, slot.state};
    }
    if (size_.fetch_add(1, std::memory_order_relaxed) >= max_states_) {
        size_.fetch_sub(1, std::memory_order_relaxed);
        return {Insertion::full, nullptr};
    }
    State *const state = make(shard, bytes, length);
    if (state == nullptr) {
        size_.fetch_sub(1, std::memory_order_relaxed);
        return {Insertion::no_memory, nullptr};
    }
    shard.table[at] = {hash, state};
    ++shard.used;
    return {Insertion::found, state};
}

/* Twice the table, or a first one. */
bool SharedStates::grow(Shard &shard) {
    const uint64_t slots = std::max(first_slots, shard.slots * 2);
    if (!take(slots * sizeof(Slot)))
        return false;
    std::unique_ptr<Slot[]> table(new (std::nothrow) Slot[slots]());
    if (!table)
        return false;
    for (uint64_t i = 0; i < shard.slots; ++i) {
        const Slot &slot = shard.table[i];
        if (slot.state == nullptr)
            continue;
        uint64_t at = slot.hash & (slots - 1);
        while (table[at].state != nullptr)
            at = (at + 1) & (slots - 1);
        table[at] = slot;
    }
    const uint64_t before = shard.slots * sizeof(Slot);
    shard.table = std::move(table);
    shard.slots = slots;
    bytes_.fetch_sub(before, std::memory_order_relaxed);
    budget_.give(before);
    return true;
}

SharedStates::State *SharedStates::make(Shard &shard, const uint8_t *bytes, uint32_t length) {
    const uint64_t needed = (sizeof(State) + length + alignof(State) - 1) / alignof(State) * alignof(State);
    if (static_cast<uint64_t>(shard.end - shard.next) < needed) {
        const uint64_t usual = std::min(largest_block, first_block << std::min<uint64_t>(shard.blocks.size() / 4, 8));
        const uint64_t size = std::max(usual, needed);
        if (!take(size))
            return nullptr;
        std::unique_ptr<uint64_t[]> block(new (std::nothrow) uint64_t[size / sizeof(uint64_t)]);
        if (!block)
            return nullptr;
        shard.next = reinterpret_cast<uint8_t *>(block.get());
        shard.end = shard.next + size;
        shard.blocks.push_back(std::move(block));
    }
    State *const state = new (shard.next) State{0, length};
    std::memcpy(shard.next + sizeof(State), bytes, length);
    shard.next += needed;
    uint32_t longest = this->longest();
    while (longest < length && !longest_.compare_exchange_weak(longest, length, std::memory_order_relaxed)) {
    }
    return state;
}

bool SharedStates::take(uint64_t bytes) {
    if (!budget_.take(bytes))
        return false;
    bytes_.fetch_add(bytes, std::memory_order_relaxed);
    return true;
}

} // namespace kripke
