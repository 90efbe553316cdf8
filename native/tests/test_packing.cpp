#include "check.h"
#include "stores/packing.h"

#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace kripke;

namespace {

const uint8_t *bytes_of(const std::vector<uint8_t> &state) { return state.data(); }

void bits_move_and_come_back() {
    std::mt19937_64 random(1);
    for (int i = 0; i < 2000; ++i) {
        const uint64_t mask = random() & random() & (i % 3 == 0 ? random() : ~uint64_t{0});
        const uint64_t word = random();
        const BitMoves moves(mask);
        uint64_t expected = 0;
        unsigned at = 0;
        for (unsigned bit = 0; bit < 64; ++bit)
            if (mask >> bit & 1)
                expected |= (word >> bit & 1) << at++;
        CHECK(moves.gather(word) == expected);
        CHECK(moves.scatter(expected) == (word & mask));
        CHECK(moves.scatter(~uint64_t{0}) == mask);
    }
    for (const uint64_t mask : {uint64_t{0}, ~uint64_t{0}})
        CHECK(BitMoves(mask).gather(0x123456789abcdefu) == (0x123456789abcdefu & mask));
}

/* A state of exactly its length, so that ASan sees a read outside. */
std::vector<uint8_t> random_state(std::mt19937_64 &random, uint32_t length, int values) {
    std::vector<uint8_t> state(length);
    for (uint8_t &byte : state)
        byte = static_cast<uint8_t>(random() % static_cast<unsigned>(values));
    state.shrink_to_fit();
    return state;
}

/* Whatever the order of arrival, every packed state comes back, and two states
 * packed by one plan are equal exactly if their packed forms are. */
void states_come_back(bool bit_instructions, int values) {
    Budget budget(0);
    Packing packing(budget, bit_instructions);
    std::mt19937_64 random(static_cast<unsigned>(values));
    struct Packed {
        std::vector<uint8_t> state;
        uint32_t plan;
        std::vector<uint8_t> bytes;
    };
    std::vector<Packed> all;
    for (int i = 0; i < 3000; ++i) {
        const auto length = static_cast<uint32_t>(random() % 40);
        const auto state = random_state(random, length, 1 + i * values / 3000);
        uint32_t plan = packing.plan_for(length);
        std::vector<uint8_t> bytes(length + Packing::slack);
        if (plan == Packing::unpacked || !packing.pack(plan, bytes_of(state), bytes.data())) {
            plan = packing.widen_for(bytes_of(state), length);
            CHECK(packing.plan_for(length) == plan && packing.length_of(plan) == length);
            CHECK(packing.pack(plan, bytes_of(state), bytes.data()));
        }
        CHECK(packing.packed_bytes(plan) <= length);
        all.push_back({state, plan, bytes});
    }
    for (const Packed &item : all) {
        std::vector<uint8_t> back(item.state.size() + Packing::slack);
        packing.unpack(item.plan, item.bytes.data(), back.data());
        CHECK(item.state.empty() || std::memcmp(back.data(), item.state.data(), item.state.size()) == 0);
    }
    for (size_t i = 1; i < all.size(); ++i) {
        const Packed &a = all[i - 1], &b = all[i];
        std::vector<uint8_t> bytes(a.state.size() + b.state.size() + Packing::slack);
        if (a.state.size() != b.state.size() || !packing.pack(a.plan, bytes_of(b.state), bytes.data()))
            continue;
        const bool same = std::memcmp(bytes.data(), a.bytes.data(), packing.packed_bytes(a.plan)) == 0;
        CHECK(same == (a.state == b.state));
    }
}

void constant_bits_take_no_room() {
    Budget budget(0);
    Packing packing(budget);
    std::vector<uint8_t> state(100, 0xaa);
    packing.widen_for(bytes_of(state), 100);
    CHECK(packing.packed_bytes(packing.plan_for(100)) == 0);
    state[50] ^= 5; /* bits 0 and 2; bit 1 is expected to follow */
    packing.widen_for(bytes_of(state), 100);
    CHECK(packing.packed_bytes(packing.plan_for(100)) == 1);
    state[50] ^= 7;
    uint8_t packed[8 + Packing::slack];
    CHECK(packing.pack(packing.plan_for(100), bytes_of(state), packed));
    state[51] ^= 1;
    CHECK(!packing.pack(packing.plan_for(100), bytes_of(state), packed));
}

/* States of very many lengths: plans stop before they take all the memory. */
void plans_are_bounded() {
    Budget budget(0);
    Packing packing(budget);
    const std::vector<uint8_t> state(20'000, 1);
    uint32_t length = 0;
    while (length < 20'000 && packing.widen_for(bytes_of(state), length) != Packing::unpacked)
        ++length;
    CHECK(length > 100 && length < 20'000);
    CHECK(packing.bytes() < 20'000'000 && packing.bytes() == budget.used());
    Budget small(10);
    CHECK(Packing(small).widen_for(bytes_of(state), 8) == Packing::unpacked);
}

} // namespace

void test_packing() {
    bits_move_and_come_back();
    for (const bool bit_instructions : {false, true})
        for (const int values : {1, 2, 5, 16, 256})
            states_come_back(bit_instructions, values);
    constant_bits_take_no_room();
    plans_are_bounded();
}
