#include "check.h"
#include "symbolic/binary_diagrams.h"

#include <cstdint>
#include <vector>

using namespace kripke;

namespace {

/* A counter of so many bits from level 0 on, the highest first, that goes up by one, round and round. */
uint32_t counting(BinaryDiagrams &diagrams, uint32_t bits) {
    Function relation = BinaryDiagrams::one, carry = BinaryDiagrams::one;
    std::vector<BinaryDiagrams::Touch> support;
    for (uint32_t i = bits; i-- > 0;) {
        const Function now = diagrams.variable(2 * i), after = diagrams.variable(2 * i + 1);
        relation = diagrams.conj(relation, diagrams.differ(after, diagrams.differ(now, carry)) ^ 1);
        carry = diagrams.conj(carry, now);
    }
    for (uint32_t i = 0; i < bits; ++i)
        support.push_back({2 * i, true});
    return diagrams.command(relation, support);
}

Function zero_state(BinaryDiagrams &diagrams, uint32_t bits) {
    Function set = BinaryDiagrams::one;
    for (uint32_t i = 0; i < bits; ++i)
        set = diagrams.conj(set, diagrams.variable(2 * i) ^ 1);
    return set;
}

std::vector<uint32_t> levels_now(uint32_t bits) {
    std::vector<uint32_t> levels;
    for (uint32_t i = 0; i < bits; ++i)
        levels.push_back(2 * i);
    return levels;
}

} // namespace

void test_binary_diagrams() {
    BinaryDiagrams diagrams(40);
    const Function a = diagrams.variable(0), b = diagrams.variable(2), c = diagrams.variable(4);
    CHECK(diagrams.conj(a, a ^ 1) == BinaryDiagrams::zero);
    CHECK(diagrams.disj(diagrams.conj(a, b), diagrams.conj(a ^ 1, c)) == diagrams.ite(a, b, c));
    CHECK(diagrams.differ(a, b) == diagrams.ite(a, b ^ 1, b));
    CHECK(diagrams.and_exists(diagrams.conj(a, b), c, a) == diagrams.conj(b, c));
    CHECK(diagrams.renamed(diagrams.conj(a, b), {0}, {1}) == diagrams.conj(diagrams.variable(1), b));
    CHECK(diagrams.size(a) == 2);
    CHECK(!diagrams.larger(a, 2) && diagrams.larger(a, 1));
    CHECK(diagrams.count(diagrams.disj(a, b), {0, 2, 4})[0] == 6);

    const uint32_t counter = counting(diagrams, 10);
    const Function start = zero_state(diagrams, 10);
    diagrams.hold(start);
    CHECK(diagrams.before(diagrams.after(start, counter), counter) == start);
    CHECK(diagrams.arrange({counter}) == 1);
    uint32_t ticks = 0;
    const Function all = diagrams.closure(diagrams.after(start, counter), 0, 0, [&] { ++ticks; });
    CHECK(all == BinaryDiagrams::one);
    CHECK(ticks > 1000);
    CHECK(diagrams.count(all, levels_now(10))[0] == 1024);

    /* Garbage is collected, what is held stays. */
    const Function kept = diagrams.disj(diagrams.conj(a, b), c);
    diagrams.hold(kept);
    const uint64_t before = diagrams.size(kept);
    for (uint32_t i = 0; i < 30'000; ++i) {
        Function some = BinaryDiagrams::one;
        for (uint32_t bit = 0; bit < 20; ++bit)
            some = diagrams.conj(some, diagrams.variable(2 * bit) ^ (i >> bit & 1));
        diagrams.safe_point();
    }
    CHECK(diagrams.size(kept) == before);
    CHECK(diagrams.used() < 1'500'000);
    diagrams.release(kept);
}
