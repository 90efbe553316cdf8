#include "stores/full_store.h"

#include <new>

namespace kripke {

namespace {

const volatile uint32_t never = 0;

} // namespace

FullStore::FullStore(Budget &budget, const SharedLimits &limits, Gate &gate)
    : Records(budget, limits.stop == nullptr ? &never : limits.stop, 0, true), budget_(budget), limits_(limits), gate_(gate), counts_(limits.max_states),
      ahead_(2 * (batch_bytes + batch_states * room_for(0) + room_for(limits.max_state_bytes)) + block_bytes),
      buffer_(limits.max_state_bytes) {}

uint64_t FullStore::bytes() const {
    return taken_.load(std::memory_order_relaxed) + table_bytes_ + packing_.bytes();
}

bool FullStore::make_room_alone() try {
    if (arena_.data() == nullptr && !arena_.reserve(offset_mask, 1, 2))
        return false;
    const uint64_t end = taken_.load(std::memory_order_relaxed) + bytes_ahead();
    return end <= offset_mask && arena_.ensure(end) && grow_to(size() + states_ahead());
} catch (const std::bad_alloc &) {
    return false;
}

bool FullStore::grow_to(uint64_t states) {
    while (states > capacity_) {
        const uint64_t slots = std::max(first_slots, 2 * table_bytes_ / sizeof(uint64_t));
        if (table_.data() == nullptr && !table_.reserve(most_table_bytes, first_slots * sizeof(uint64_t)))
            return false;
        if (table_.ensure(slots * sizeof(uint64_t))) {
            if (!grow_table(slots, ranges(), buffer_, limits_.workers))
                return false;
            continue;
        }
        /* No memory for a larger table: fill the one there is to the brim. */
        capacity_ = table_bytes_ / sizeof(uint64_t) / 20 * 19;
        return states <= capacity_;
    }
    return true;
}

std::vector<Records::Range> FullStore::ranges() const {
    std::vector<Range> all;
    for (const View *view : views_) {
        all.insert(all.end(), view->filled_.begin(), view->filled_.end());
        all.push_back({view->block_.first, view->block_.used});
    }
    return all;
}

FullStore::View::View(FullStore &store)
    : store_(store), count_(store.counts_.add_worker()), hand_(store.budget_, store.limits_.max_state_bytes),
      opened_(store.limits_.max_state_bytes), looked_(store.limits_.max_state_bytes),
      written_(batch_bytes + store.limits_.max_state_bytes + slack), items_(batch_states),
      limited_(store.limits_.max_states != 0) {
    clear();
    store.views_.push_back(this);
}

bool FullStore::View::take_block(uint64_t bytes) try {
    if (block_.used != block_.first)
        filled_.push_back({block_.first, block_.used});
    const uint64_t size = std::max(block_bytes, bytes);
    block_.first = block_.used = store_.taken_.fetch_add(size, std::memory_order_relaxed);
    block_.end = block_.first + size;
    return true;
} catch (const std::bad_alloc &) {
    return false;
}

Insertion FullStore::View::insert(Candidate &item, uint64_t &handle) {
    if (item.shape.bytes == 0)
        return insert(item.hash, item.state, item.length, handle);
    bool reserved = false;
    Probe probe = item.probe;
    for (;;) {
        const uint64_t found = store_.follow(item, probe, hand_);
        if (found != no_state) [[unlikely]] {
            if (reserved)
                store_.counts_.give_back();
            handle = found + 1;
            return Insertion::known;
        }
        if (limited_ && !reserved && !(reserved = store_.counts_.reserve()))
            return Insertion::full;
        uint8_t *const place = place_for(short_room);
        if (place == nullptr)
            return Insertion::no_memory;
        item.record.put(place, item.shape);
        if (publish(item.hash, probe, item.shape.bytes, handle)) [[likely]]
            return Insertion::inserted;
        probe.slot = 0; /* look again from here on */
    }
}

Insertion FullStore::View::insert(uint64_t hash, const uint8_t *state, uint32_t length, uint64_t &handle) {
    bool reserved = false, may_widen = true;
    Probe probe = store_.probe(hash);
    for (;;) {
        Wanted wanted(store_, hand_, state, length);
        const uint64_t found = store_.follow(wanted, hash, probe);
        if (found != no_state) {
            if (reserved)
                store_.counts_.give_back();
            handle = found + 1;
            return Insertion::known;
        }
        if (limited_ && !reserved && !(reserved = store_.counts_.reserve()))
            return Insertion::full;
        if (wanted.plan != Packing::unpacked)
            store_.pack(wanted);
        if (!wanted.fits && may_widen) {
            uint32_t plan = wanted.plan;
            ++moments_;
            may_widen = !store_.gate_.alone([&] { plan = store_.packing_.widen_for(state, length); }) || plan != Packing::unpacked;
            probe = store_.probe(hash);
            continue;
        }
        if (!wanted.fits)
            wanted.plan = Packing::unpacked;
        uint8_t *const place = place_for(room_for(length));
        if (place == nullptr)
            return Insertion::no_memory;
        const uint8_t *const end = store_.write(wanted, place);
        if (publish(hash, probe, static_cast<uint64_t>(end - place), handle))
            return Insertion::inserted;
        probe.slot = 0;
    }
}

uint64_t FullStore::View::count_known() {
    uint64_t known = 0;
    Candidate *const first = items_.data(), *const last = end_;
    clear();
    store_.begin(first, last);
    for (Candidate *item = first; item != last; ++item) {
        Wanted wanted(store_, hand_, item->state, item->length);
        known += store_.follow(wanted, item->hash, item->probe) != no_state;
    }
    return known;
}

} // namespace kripke
