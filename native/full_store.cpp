#include "full_store.h"

#include <new>

namespace kripke {

FullStore::FullStore(Budget &budget, const SharedLimits &limits, Gate &gate)
    : limits_(limits), gate_(gate), counts_(limits.max_states),
      ahead_(2 * (batch_bytes + batch_states * (sizeof(uint32_t) + unit) + limits.max_state_bytes) + block_bytes),
      arena_(budget), table_(budget) {}

bool FullStore::make_room_alone() {
    if (arena_.data() == nullptr && !arena_.reserve((place_mask + 1) * unit, 1, 2))
        return false;
    if (!arena_.ensure(taken_.load(std::memory_order_relaxed) + bytes_ahead()))
        return false;
    while (size() + (batch_states + 1) * uint64_t{limits_.workers} > capacity_)
        if (!grow_table())
            return false;
    return true;
}

bool FullStore::grow_table() {
    const uint64_t before = homes_ == 0 ? 0 : homes_ + behind;
    const uint64_t homes = std::max<uint64_t>(4096, homes_ + homes_ / 2);
    if (table_.data() == nullptr && !table_.reserve(uint64_t{1} << 40, 1, 4))
        return false;
    if (!table_.ensure((homes + behind) * sizeof(uint64_t)))
        return false;
    homes_ = homes;
    capacity_ = homes / 4 * 3;
    std::vector<uint64_t> run;
    for (uint64_t at = before; at-- > 0;) {
        if (slots()[at] != 0) {
            run.push_back(slots()[at]);
            slots()[at] = 0;
        }
        if (at == 0 || slots()[at - 1] == 0) {
            for (const uint64_t slot : run)
                put(slot);
            run.clear();
        }
    }
    return true;
}

void FullStore::put(uint64_t slot) {
    uint64_t at = home(slot);
    while (slots()[at] != 0)
        ++at;
    slots()[at] = slot;
}

FullStore::View::View(FullStore &store)
    : store_(store), count_(store.counts_.add_worker()),
      written_(batch_bytes + store.limits_.max_state_bytes), lately_(new Met[size_t{1} << lately_bits]()) {}

/* The record is the next to be written over until its slot is taken. */
uint64_t FullStore::View::write(const uint8_t *state, uint32_t length) {
    const uint64_t bytes = record_bytes(length);
    if (block_end_ - block_ < bytes) {
        const uint64_t size = std::max(block_bytes, bytes);
        block_ = store_.taken_.fetch_add(size, std::memory_order_relaxed);
        block_end_ = block_ + size;
    }
    uint8_t *const record = store_.arena_.data() + block_;
    std::memcpy(record, &length, sizeof length);
    std::memcpy(record + sizeof length, state, length);
    return block_ / unit;
}

Outcome FullStore::View::insert(uint64_t hash, const uint8_t *state, uint32_t length, uint64_t &place) {
    const bool limited = store_.limits_.max_states != 0;
    if (limited && (place = store_.find(hash, state, length)) != 0)
        return Outcome::known;
    if (limited && !store_.counts_.reserve())
        return Outcome::full;
    uint64_t written = 0;
    for (uint64_t at = store_.home(hash); at < store_.homes_ + behind; ++at) {
        uint64_t *const slot = store_.slots() + at;
        uint64_t there = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
        if (there == 0) {
            if (written == 0)
                written = write(state, length);
            const uint64_t wanted = (hash & ~place_mask) | written;
            if (__atomic_compare_exchange_n(slot, &there, wanted, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
                block_ += record_bytes(length);
                count_.add(1);
                place = written;
                return Outcome::inserted;
            }
        }
        if ((there ^ hash) >> place_bits == 0 && store_.is(there & place_mask, state, length)) {
            if (limited)
                store_.counts_.give_back();
            place = there & place_mask;
            return Outcome::known;
        }
    }
    return Outcome::no_memory; /* too many states want the same slots */
}

/* The records that the states of the batch will be compared with. */
void FullStore::View::prefetch_records() {
    for (uint32_t i = 0; i < items_size_; ++i) {
        const uint64_t hash = items_[i].hash;
        const uint64_t slot = __atomic_load_n(store_.slots() + store_.home(hash), __ATOMIC_RELAXED);
        if ((slot ^ hash) >> place_bits == 0)
            __builtin_prefetch(store_.record(slot & place_mask));
    }
}

uint64_t FullStore::View::count_known() {
    uint64_t known = 0;
    const uint32_t size = end_batch();
    for (uint32_t i = 0; i < size; ++i)
        known += store_.find(items_[i].hash, written_.data() + items_[i].offset, items_[i].length) != 0;
    return known;
}

} // namespace kripke
