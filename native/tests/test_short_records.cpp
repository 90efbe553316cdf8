/* Short records: made as the general way makes them, and a store that is given
 * its states in batches is the same set as one that gets them one by one. */
#include "memory/budget.h"
#include "check.h"
#include "stores/packing.h"
#include "stores/recent.h"
#include "stores/store.h"
#include "memory/varint.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <vector>

using namespace kripke;

namespace {

const volatile uint32_t go_on = 0;

using Bytes = std::vector<uint8_t>;

/* `length` bytes, few of them changing, and what may be read behind them. */
Bytes random_state(std::mt19937_64 &random, uint32_t length, unsigned values) {
    Bytes state(length + ShortPlan::slack);
    for (uint32_t i = 0; i < length; ++i)
        state[i] = static_cast<uint8_t>(i % 3 == 0 ? random() % values : 17 * i);
    for (uint32_t i = length; i < state.size(); ++i)
        state[i] = static_cast<uint8_t>(random());
    return state;
}

template <uint32_t Words, bool BitInstructions>
void record_is_as_ever(const Packing &packing, uint32_t plan, const Bytes &state) {
    if (packing.short_plan(plan).words() == 0 || packing.short_plan(plan).words() > Words)
        return;
    Bytes expected(ShortRecord::most_bytes + Packing::slack + max_varint_bytes);
    uint8_t *const packed = put_varint(expected.data(), plan);
    Bytes scratch(state.size() + Packing::slack);
    const bool fits = packing.pack(plan, state.data(), scratch.data());
    std::memcpy(packed, scratch.data(), packing.packed_bytes(plan));
    ShortRecord record{};
    const bool short_fits = ShortPlan::Packer<Words, BitInstructions>(packing.short_plan(plan)).pack(state.data(), record.words);
    CHECK(short_fits == fits);
    const ShortRecord::Shape shape = packing.short_plan(plan).shape();
    CHECK(shape.bytes == static_cast<uint32_t>(packed - expected.data()) + packing.packed_bytes(plan));
    if (!fits)
        return;
    CHECK(std::memcmp(record.words, expected.data(), shape.bytes) == 0);
    CHECK(record.lies_at(expected.data(), shape));
    expected[shape.bytes] ^= 0xff; /* behind the record */
    CHECK(record.lies_at(expected.data(), shape));
    expected[shape.bytes - 1] ^= 0x10;
    CHECK(!record.lies_at(expected.data(), shape));
}

void records_are_as_ever(bool bit_instructions) {
    Budget budget(0);
    Packing packing(budget, bit_instructions);
    std::mt19937_64 random(7);
    uint64_t shorts = 0;
    for (int i = 0; i < 6000; ++i) {
        const auto length = static_cast<uint32_t>(i % 3 == 0 ? random() % 130 : random() % 30);
        const Bytes state = random_state(random, length, 1 + static_cast<unsigned>(i) / 500);
        const uint32_t plan = packing.plan_for(length);
        shorts += packing.short_plan(plan).words() != 0;
        if (packing.has_bit_instructions()) {
            record_is_as_ever<1, true>(packing, plan, state);
            record_is_as_ever<2, true>(packing, plan, state);
            record_is_as_ever<4, true>(packing, plan, state);
        } else {
            record_is_as_ever<1, false>(packing, plan, state);
            record_is_as_ever<2, false>(packing, plan, state);
            record_is_as_ever<4, false>(packing, plan, state);
        }
        Bytes packed(length + Packing::slack);
        if (plan == Packing::unpacked || !packing.pack(plan, state.data(), packed.data()))
            packing.widen_for(state.data(), length);
    }
    CHECK(shorts > 3000);
}

void recent_ones_are_recognised() {
    Budget budget(0);
    {
        Recent recent(budget);
        CHECK(recent.words() == 0);
        CHECK(recent.reshape(1) && recent.words() == 1);
        const uint64_t one[] = {5}, other[] = {6}, two[] = {5, 1}, second[] = {5, 2};
        CHECK(!Recent::Table<1>(recent).meet(one) && !Recent::Table<1>(recent).meet(other));
        CHECK(Recent::Table<1>(recent).meet(one) && Recent::Table<1>(recent).meet(other));
        CHECK(recent.reshape(2) && recent.words() == 2); /* and everything is forgotten */
        CHECK(!Recent::Table<2>(recent).meet(two) && !Recent::Table<2>(recent).meet(second));
        CHECK(Recent::Table<2>(recent).meet(two));
        CHECK(recent.reshape(1) && recent.words() == 2);
        CHECK(recent.reshape(3) && recent.words() == 4);
        CHECK(budget.used() > 0);
    }
    CHECK(budget.used() == 0);
    Budget small(100);
    Recent recent(small);
    CHECK(!recent.reshape(1) && small.used() == 0 && recent.words() == 0);
}

/* What a stream of states is like. */
struct Stream {
    uint32_t shortest, longest;
    unsigned values;     /* of a byte that changes, in the end */
    uint64_t memory = 0; /* 0: no limit */
};

/* States of lengths that change within a batch, many of them equal. */
struct Batch {
    std::vector<Bytes> states;
    std::vector<std::string> texts; /* the same, without what lies behind */
    std::vector<Store::Candidate> items;
    uint64_t bytes = 0;

    Batch(const Stream &stream, std::mt19937_64 &random, int round) {
        const unsigned values = 2 + static_cast<unsigned>(round) * stream.values / 600;
        for (uint64_t i = 0, count = random() % 100; i < count; ++i) {
            const auto length = static_cast<uint32_t>(stream.shortest + random() % (stream.longest - stream.shortest + 1));
            states.push_back(i % 3 == 2 ? states[random() % states.size()] : random_state(random, length, values));
            texts.emplace_back(states.back().begin(), states.back().end() - ShortPlan::slack);
            bytes += texts.back().size();
        }
        items.resize(states.size());
        for (size_t i = 0; i < states.size(); ++i) {
            items[i].state = states[i].data();
            items[i].length = static_cast<uint32_t>(texts[i].size());
        }
    }
};

/* Batches of states, many of them equal, of lengths that change within a batch,
 * while plans are widened: every state is stored once, where it first comes. */
void batches_make_a_set(const Stream &stream, uint32_t payload_bytes, bool bit_instructions) {
    Budget budget(stream.memory);
    Store store(budget, &go_on, 1000, 0, payload_bytes, bit_instructions);
    std::mt19937_64 random(stream.longest + stream.values);
    std::map<std::string, uint64_t> known;
    std::vector<std::string> order;
    for (int round = 0; round < 600; ++round) {
        Batch batch(stream, random, round);
        if (store.make_room(batch.items.size(), batch.bytes) != Store::Room::ready) {
            CHECK(stream.memory != 0);
            break;
        }
        const auto &[states, texts, items, bytes] = batch;
        Store::Candidate *const left = store.sift(batch.items.data(), batch.items.data() + batch.items.size());
        for (const Store::Candidate *item = items.data(); item != left; ++item) {
            CHECK(item == items.data() || item[-1].place < item->place);
            CHECK(item->state == states[item->place].data() && item->length == texts[item->place].size());
            const auto [outcome, offset] = store.find_or_insert(*item);
            const auto [entry, fresh] = known.insert({texts[item->place], offset});
            CHECK((outcome == Store::Insertion::inserted) == fresh && entry->second == offset);
            if (fresh)
                order.push_back(texts[item->place]);
        }
        for (const std::string &text : texts)
            CHECK(known.count(text) != 0); /* what was left out was known, or is by now */
    }
    CHECK(store.size() == known.size() && known.size() > 100);
    uint64_t offset = 0;
    StateBuffer buffer(1000);
    for (const std::string &text : order) {
        const Record record = store.record(offset);
        CHECK(known[text] == offset && record.length == text.size());
        CHECK(std::memcmp(store.state(record, buffer), text.data(), text.size()) == 0);
        CHECK(std::all_of(record.payload, record.payload + payload_bytes, [](uint8_t byte) { return byte == 0; }));
        offset = record.next;
    }
    CHECK(offset == store.end());
}

/* A search that comes back to states: what is there is found, and the payload is that of the
 * record. */
void hashed_ones_are_found(const Stream &stream, bool bit_instructions) {
    Budget budget(0);
    Store store(budget, &go_on, 1000, 0, 1, bit_instructions);
    std::mt19937_64 random(stream.longest * 3 + stream.values);
    std::map<std::string, uint64_t> known;
    for (int round = 0; round < 600; ++round) {
        Batch batch(stream, random, round);
        CHECK(store.make_room(batch.items.size(), batch.bytes) == Store::Room::ready);
        for (Store::Candidate &item : batch.items)
            store.hash(item);
        store.begin_hashed(batch.items.data(), batch.items.data() + batch.items.size());
        for (const Store::Candidate &item : batch.items) {
            const auto entry = known.find(batch.texts[item.place]);
            CHECK(store.find(item) == (entry == known.end() ? no_state : entry->second));
        }
        for (const Store::Candidate &item : batch.items) {
            const auto [outcome, offset] = store.find_or_insert(item);
            const auto [entry, fresh] = known.insert({batch.texts[item.place], offset});
            CHECK((outcome == Store::Insertion::inserted) == fresh && entry->second == offset);
            uint8_t *const payload = store.payload(item, offset);
            CHECK(payload == store.record(offset).payload && *payload == (fresh ? 0 : 7));
            *payload = 7;
        }
    }
    CHECK(store.size() == known.size());
}

} // namespace

void test_short_records() {
    for (const bool bit_instructions : {false, true}) {
        records_are_as_ever(bit_instructions);
        for (const uint32_t payload_bytes : {0u, 4u})
            for (const Stream &stream : {Stream{13, 13, 3}, Stream{20, 20, 12}, Stream{0, 9, 5}, Stream{30, 50, 4},
                                         Stream{100, 110, 256}, Stream{1, 200, 20}, Stream{24, 24, 250},
                                         Stream{16, 16, 4, 60'000}, Stream{16, 16, 4, 400'000}})
                batches_make_a_set(stream, payload_bytes, bit_instructions);
    }
    recent_ones_are_recognised();
    for (const bool bit_instructions : {false, true})
        for (const Stream &stream : {Stream{13, 13, 3}, Stream{20, 20, 12}, Stream{0, 9, 5}, Stream{30, 50, 4},
                                     Stream{100, 110, 256}, Stream{1, 200, 20}})
            hashed_ones_are_found(stream, bit_instructions);
}
