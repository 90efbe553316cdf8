#include "check.h"
#include "symmetry/value_representative.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace kripke;

namespace {

using Kind = ValueSymmetry::Kind;
using Edges = std::vector<std::pair<uint32_t, uint32_t>>;

/* A place with six pairs of six values that are alike. */
ValueSymmetry graphs() {
    ValueSymmetry symmetry;
    symmetry.families.push_back({6, {{0, 1, 2, 3, 4, 5}}, 0});
    symmetry.shapes.push_back({Kind::value, 6, 0, 0, {}});
    symmetry.shapes.push_back({Kind::structure, 36, ValueSymmetry::none, 0, {0, 0}});
    symmetry.places.push_back({{{6, 6}}, 1});
    return symmetry;
}

/* The number of different tokens less one in three bits, then six for each. */
std::string state_of(const Edges &edges, const std::vector<uint32_t> &to) {
    std::vector<uint64_t> numbers;
    for (const auto &[from, target] : edges)
        numbers.push_back(to[from] + uint64_t{6} * to[target]);
    std::sort(numbers.begin(), numbers.end());
    uint64_t bits = 5;
    for (size_t i = 0; i < numbers.size(); ++i)
        bits |= numbers[i] << (3 + 6 * i);
    return std::string(reinterpret_cast<const char *>(&bits), 5);
}

/* The representatives of a graph under all names for its vertices. */
std::set<std::string> representatives(const Edges &edges, Method method) {
    const ValueSymmetry symmetry = graphs();
    ValueRepresentative representative(symmetry, method);
    std::vector<uint32_t> to(6);
    std::iota(to.begin(), to.end(), 0u);
    std::set<std::string> given, found;
    do {
        std::string state = state_of(edges, to);
        given.insert(state);
        representative.find(reinterpret_cast<uint8_t *>(state.data()), 5, nullptr);
        found.insert(state);
    } while (std::next_permutation(to.begin(), to.end()));
    CHECK(std::includes(given.begin(), given.end(), found.begin(), found.end()));
    return found;
}

/* What every vertex is next to does not tell them apart. */
void graphs_have_one_representative() {
    const Edges hexagon{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 0}};
    const Edges triangles{{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}};
    const Edges star{{0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}, {0, 0}};
    CHECK(representatives(hexagon, Method::canonical).size() == 1);
    CHECK(representatives(triangles, Method::canonical).size() == 1);
    CHECK(representatives(hexagon, Method::canonical) != representatives(triangles, Method::canonical));
    CHECK(representatives(hexagon, Method::sort).size() > 1);
    CHECK(representatives(star, Method::sort).size() == 1);
}

/* Rigid graphs side by side, of each of which every vertex has to be tried: there is no time for all of it. */
void whoever_is_told_to_stop_stops() {
    const Edges rigid{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {6, 0}, {0, 7},  {1, 7},
                      {2, 8}, {3, 9}, {4, 9}, {5, 10}, {6, 10}, {7, 11}, {8, 11}, {8, 9}, {10, 11}};
    const uint32_t graphs = 10, vertices = 12 * graphs;
    ValueSymmetry symmetry;
    std::vector<uint32_t> all(vertices);
    std::iota(all.begin(), all.end(), 0u);
    symmetry.families.push_back({vertices, {all}, 0});
    symmetry.shapes.push_back({Kind::value, vertices, 0, 0, {}});
    symmetry.shapes.push_back({Kind::structure, vertices * vertices, ValueSymmetry::none, 0, {0, 0}});
    const uint64_t tokens = 2 * graphs * rigid.size();
    symmetry.places.push_back({{{tokens, tokens}}, 1});

    std::vector<uint64_t> numbers;
    for (uint32_t first = 0; first < vertices; first += 12)
        for (const auto &[a, b] : rigid) {
            numbers.push_back(first + a + uint64_t{vertices} * (first + b));
            numbers.push_back(first + b + uint64_t{vertices} * (first + a));
        }
    std::sort(numbers.begin(), numbers.end());
    std::string state(1000, '\0');
    uint64_t at = 0;
    const auto put = [&](uint64_t number, uint32_t bits) {
        for (uint32_t i = 0; i < bits; ++i, ++at)
            state[at / 8] = static_cast<char>(state[at / 8] | ((number >> i & 1) << at % 8));
    };
    put(tokens - 1, 9);
    for (const uint64_t number : numbers)
        put(number, 14);
    volatile uint32_t stop = 0;
    std::thread later([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        __atomic_store_n(&stop, 1u, __ATOMIC_RELAXED);
    });
    ValueRepresentative(symmetry, Method::canonical).find(reinterpret_cast<uint8_t *>(state.data()), 1000, &stop);
    later.join();
    CHECK(is_set(&stop));
}

/* Buffers, alternatives, arrays over a family, and turns; whatever the bytes are. */
void any_bytes_are_borne() {
    ValueSymmetry symmetry;
    symmetry.families.push_back({3, {{0, 1, 2}}, 0});
    symmetry.families.push_back({4, {}, 2});
    symmetry.shapes.push_back({Kind::value, 3, 0, 0, {}});
    symmetry.shapes.push_back({Kind::value, 4, 1, 0, {}});
    symmetry.shapes.push_back({Kind::buffer, 1 + 3 + 9, ValueSymmetry::none, 2, {0}});
    symmetry.shapes.push_back({Kind::array, 64, 0, 3, {1}});
    symmetry.shapes.push_back({Kind::alternative, 77, ValueSymmetry::none, 0, {2, 3}});
    symmetry.places.push_back({{}, 4});
    symmetry.places.push_back({{{0, 5}}, 4});
    ValueRepresentative representative(symmetry, Method::canonical);
    std::mt19937 random(1);
    for (int round = 0; round < 20000; ++round) {
        std::string state(1 + random() % 8, '\0');
        for (char &byte : state)
            byte = static_cast<char>(random());
        const uint32_t length = static_cast<uint32_t>(state.size());
        representative.find(reinterpret_cast<uint8_t *>(state.data()), length, nullptr);
        const std::string once = state;
        representative.find(reinterpret_cast<uint8_t *>(state.data()), length, nullptr);
        CHECK(state == once);
    }
}

} // namespace

void test_value_representative() {
    graphs_have_one_representative();
    whoever_is_told_to_stop_stops();
    any_bytes_are_borne();
}
