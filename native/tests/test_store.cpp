#include "memory/budget.h"
#include "check.h"
#include "memory/hash.h"
#include "memory/stack.h"
#include "stores/store.h"
#include "memory/varint.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>

using namespace kripke;

namespace {

const volatile uint32_t go_on = 0;

const uint8_t *bytes_of(const std::string &text) { return reinterpret_cast<const uint8_t *>(text.data()); }

uint64_t hash_of(const std::string &text) { return hash_bytes(bytes_of(text), text.size()); }

Store::Found insert(Store &store, const std::string &state) {
    CHECK(store.make_room(1, state.size()) == Store::Room::ready);
    const uint64_t hash = hash_of(state);
    return store.find_or_insert(bytes_of(state), static_cast<uint32_t>(state.size()), hash, store.probe(hash));
}

uint64_t find(const Store &store, const std::string &state) {
    const uint64_t hash = hash_of(state);
    return store.find(bytes_of(state), static_cast<uint32_t>(state.size()), hash, store.probe(hash));
}

std::string state_at(const Store &store, uint64_t offset) {
    const Record record = store.record(offset);
    StateBuffer buffer(record.length);
    return {reinterpret_cast<const char *>(store.state(record, buffer)), record.length};
}

std::string random_state(std::mt19937_64 &random, size_t longest) {
    std::string state(random() % (longest + 1), '\0');
    for (char &byte : state)
        byte = static_cast<char>(random() % 3); /* few values: many equal states */
    return state;
}

void varints_come_back() {
    uint8_t buffer[max_varint_bytes];
    for (const uint32_t value : {0u, 1u, 127u, 128u, 300u, 16383u, 16384u, 1u << 28, UINT32_MAX}) {
        uint32_t back = 0;
        const uint8_t *end = put_varint(buffer, value);
        CHECK(end - buffer <= max_varint_bytes);
        CHECK(get_varint(buffer, back) == end && back == value);
    }
}

/* Every bit of the string changes about half of the bits of the hash, and
 * strings that differ in length alone differ in hash. */
void hashes_spread() {
    std::set<uint64_t> seen;
    for (size_t length = 0; length < 200; ++length) {
        std::string text(length, '\0'); /* exactly as long: ASan sees a read outside */
        text.shrink_to_fit();
        const uint64_t base = hash_of(text);
        CHECK(seen.insert(base).second);
        for (size_t bit = 0; bit < 8 * length; ++bit) {
            text[bit / 8] = static_cast<char>(1 << bit % 8);
            const uint64_t other = hash_of(text);
            text[bit / 8] = 0;
            const int changed = __builtin_popcountll(base ^ other);
            CHECK(changed >= 10 && changed <= 54);
            CHECK(seen.insert(other).second);
        }
    }
    /* Index bits and tag bits of small counters: no bucket far above its share. */
    std::map<uint64_t, int> low, high;
    for (uint32_t i = 0; i < 1 << 16; ++i) {
        const std::string text(reinterpret_cast<const char *>(&i), sizeof i);
        ++low[hash_of(text) & 1023];
        ++high[hash_of(text) >> 54];
    }
    for (const auto &counts : {low, high})
        for (const auto &[bucket, count] : counts)
            CHECK(count < 110); /* expected: 64 */
}

void budget_counts() {
    Budget budget(100);
    CHECK(budget.take(60) && !budget.take(41) && budget.take(40));
    budget.give(100);
    CHECK(budget.used() == 0 && budget.peak() == 100);
    CHECK(!budget.allows(UINT64_MAX));
    CHECK(Budget(0).allows(UINT64_MAX));
}

void stack_grows_in_place() {
    Budget budget(0);
    {
        Stack<uint64_t> stack(budget);
        CHECK(stack.push(0));
        const uint64_t *first = &stack[0];
        for (uint64_t i = 1; i < 1'000'000; ++i)
            CHECK(stack.push(i));
        CHECK(first == &stack[0] && stack.top() == 999'999 && stack[12'345] == 12'345);
        CHECK(budget.used() >= 8'000'000 && budget.used() < 13'000'000);
    }
    CHECK(budget.used() == 0);
    Budget small(100'000);
    Stack<uint64_t> stack(small);
    uint64_t pushed = 0;
    while (stack.push(pushed))
        ++pushed;
    CHECK(pushed >= 8192 && small.peak() <= 100'000);
}

void store_is_a_set(uint32_t payload_bytes, size_t longest) {
    Budget budget(0);
    Store store(budget, &go_on, 1000, 0, payload_bytes);
    std::mt19937_64 random(longest);
    std::map<std::string, uint64_t> model;
    std::vector<std::string> order;
    for (int i = 0; i < 60'000; ++i) {
        const std::string state = random_state(random, longest);
        const auto [outcome, offset] = insert(store, state);
        const auto [entry, fresh] = model.insert({state, offset});
        CHECK((outcome == Store::Insertion::inserted) == fresh);
        CHECK(entry->second == offset);
        if (fresh)
            order.push_back(state);
    }
    CHECK(store.size() == model.size());
    uint64_t offset = 0;
    for (const std::string &state : order) { /* in order of arrival */
        CHECK(offset < store.end() && state_at(store, offset) == state);
        CHECK(std::all_of(store.record(offset).payload, store.record(offset).payload + payload_bytes,
                          [](uint8_t byte) { return byte == 0; }));
        CHECK(find(store, state) == offset);
        offset = store.record(offset).next;
    }
    CHECK(offset == store.end());
    CHECK(find(store, std::string(longest + 1, 'x')) == no_state);
}

void store_keeps_its_limits() {
    Budget budget(0);
    Store store(budget, &go_on, 1000, 2, 0);
    CHECK(insert(store, "a").outcome == Store::Insertion::inserted);
    CHECK(insert(store, "b").outcome == Store::Insertion::inserted);
    CHECK(insert(store, "c").outcome == Store::Insertion::full);
    CHECK(insert(store, "a").outcome == Store::Insertion::known);
    CHECK(store.size() == 2);
}

void store_ends_with_its_memory() {
    for (const uint64_t limit : {1u, 8192u, 100'000u, 3'000'000u, 20'000'000u}) {
        Budget budget(limit);
        Store store(budget, &go_on, 1000, 0, 0);
        uint64_t count = 0;
        for (; store.make_room(1, 8) == Store::Room::ready; ++count) {
            const std::string state(reinterpret_cast<const char *>(&count), sizeof count);
            CHECK(insert(store, state).outcome == Store::Insertion::inserted);
        }
        CHECK(budget.peak() <= limit);
        for (uint64_t i = 0; i < count; ++i) /* all are there, in the fullest table too */
            CHECK(find(store, std::string(reinterpret_cast<const char *>(&i), sizeof i)) != no_state);
    }
}

/* All states are found after every growth: doubled in place or filled anew. */
void growth_loses_nothing() {
    Budget budget(0);
    Store store(budget, &go_on, 1000, 0, 0);
    std::string state(8, '\0');
    for (uint64_t i = 0; i < 1'000'000; ++i) {
        const uint64_t table = store.table_bytes();
        CHECK(store.make_room(1, 8) == Store::Room::ready);
        for (uint64_t j = 0; store.table_bytes() != table && j < i; j += 1 + i / 50'000) {
            std::memcpy(state.data(), &j, sizeof j);
            CHECK(find(store, state) != no_state);
        }
        std::memcpy(state.data(), &i, sizeof i);
        CHECK(insert(store, state).outcome == Store::Insertion::inserted);
    }
}

void growth_can_be_stopped() {
    volatile uint32_t stop = 0;
    Budget budget(0);
    Store store(budget, &stop, 1000, 0, 0);
    for (int i = 0; i < 800; ++i)
        insert(store, "state " + std::to_string(i));
    stop = 1;
    CHECK(store.make_room(100, 1000) == Store::Room::stopped);
    CHECK(store.size() == 800 && state_at(store, 0) == "state 0"); /* records can still be read */
}

} // namespace

void test_store() {
    varints_come_back();
    hashes_spread();
    budget_counts();
    stack_grows_in_place();
    for (const size_t longest : {1, 5, 11, 20, 300})
        for (const uint32_t payload_bytes : {0u, 4u})
            store_is_a_set(payload_bytes, longest);
    store_keeps_its_limits();
    store_ends_with_its_memory();
    growth_loses_nothing();
    growth_can_be_stopped();
}
