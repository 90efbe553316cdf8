#include "check.h"
#include "lts/bisimulation.h"

#include <algorithm>
#include <random>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

using namespace kripke;

namespace {

using Blocks = std::vector<uint32_t>;

void nothing() {}

uint32_t count(const Blocks &blocks) { return blocks.empty() ? 0 : *std::max_element(blocks.begin(), blocks.end()) + 1; }

TransitionSystem random_system(std::mt19937 &random, uint32_t states) {
    TransitionSystem system;
    system.states = states;
    const uint32_t steps = static_cast<uint32_t>(random() % (3 * states));
    for (uint32_t t = 0; t < steps; t++) {
        system.sources.push_back(random() % states);
        system.labels.push_back(random() % 3);
        system.targets.push_back(random() % states);
    }
    return system;
}

/* Rounds of signatures, taken literally. */
Blocks naive(const TransitionSystem &system) {
    Blocks blocks(system.states, 0);
    for (uint32_t before = 0; before != count(blocks) || before == 0;) {
        before = count(blocks);
        std::vector<std::pair<uint32_t, std::set<std::pair<uint32_t, uint32_t>>>> signatures(system.states), known;
        for (uint32_t state = 0; state < system.states; state++)
            signatures[state].first = blocks[state];
        for (size_t t = 0; t < system.sources.size(); t++)
            signatures[system.sources[t]].second.emplace(system.labels[t], blocks[system.targets[t]]);
        for (uint32_t state = 0; state < system.states; state++) {
            const auto found = std::find(known.begin(), known.end(), signatures[state]);
            blocks[state] = static_cast<uint32_t>(found - known.begin());
            if (found == known.end())
                known.push_back(signatures[state]);
        }
        if (system.states == 0)
            break;
    }
    return blocks;
}

void strong_is_as_taken_literally() {
    std::mt19937 random(3);
    for (int round = 0; round < 400; round++) {
        const TransitionSystem system = random_system(random, 1 + random() % 40);
        CHECK(bisimulation(system, Equivalence::strong, nothing) == naive(system));
    }
}

void coarser_and_finer() {
    std::mt19937 random(5);
    for (int round = 0; round < 400; round++) {
        const TransitionSystem system = random_system(random, 1 + random() % 60);
        const auto size = [&](Equivalence which) { return count(bisimulation(system, which, nothing)); };
        CHECK(size(Equivalence::strong) >= size(Equivalence::divergence_branching));
        CHECK(size(Equivalence::divergence_branching) >= size(Equivalence::branching));
        CHECK(size(Equivalence::branching) >= size(Equivalence::weak));
        CHECK(size(Equivalence::divergence_weak) >= size(Equivalence::weak));
    }
}

void small_ones() {
    CHECK(bisimulation({}, Equivalence::strong, nothing).empty());
    CHECK(bisimulation({}, Equivalence::weak, nothing).empty());
    /* a.(b + c) and a.b + a.c are not the same; tau.a and a are, but not strongly. */
    const TransitionSystem choices{7, {0, 1, 1, 2, 2, 3, 4}, {1, 2, 3, 1, 1, 2, 3}, {1, 5, 5, 3, 4, 5, 5}};
    CHECK(bisimulation(choices, Equivalence::weak, nothing)[0] != bisimulation(choices, Equivalence::weak, nothing)[2]);
    const TransitionSystem unseen{3, {0, 1}, {0, 1}, {1, 2}};
    CHECK((bisimulation(unseen, Equivalence::branching, nothing) == Blocks{0, 0, 1}));
    CHECK((bisimulation(unseen, Equivalence::strong, nothing) == Blocks{0, 1, 2}));
    /* A loop of invisible steps counts with divergence only. */
    const TransitionSystem turning{3, {0, 0, 1}, {0, 1, 1}, {0, 2, 2}};
    CHECK((bisimulation(turning, Equivalence::branching, nothing) == Blocks{0, 0, 1}));
    CHECK((bisimulation(turning, Equivalence::divergence_branching, nothing) == Blocks{0, 1, 2}));
    CHECK((bisimulation(turning, Equivalence::divergence_weak, nothing) == Blocks{0, 1, 2}));
}

void what_a_pause_throws_ends_it() {
    std::mt19937 random(1);
    const TransitionSystem system = random_system(random, 500);
    bool thrown = false;
    try {
        bisimulation(system, Equivalence::strong, [] { throw std::runtime_error("enough"); });
    } catch (const std::runtime_error &) {
        thrown = true;
    }
    CHECK(thrown);
}

} // namespace

void test_bisimulation() {
    strong_is_as_taken_literally();
    coarser_and_finer();
    small_ones();
    what_a_pause_throws_ends_it();
}
