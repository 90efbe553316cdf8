#include "check.h"
#include "token_representative.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace kripke;

namespace {

using Kind = TokenSymmetry::Kind;
using Edges = std::vector<std::pair<uint32_t, uint32_t>>;

/* A place with six pairs of six values that are alike. */
TokenSymmetry graphs() {
    TokenSymmetry symmetry;
    symmetry.families.push_back({6, {{0, 1, 2, 3, 4, 5}}, 0});
    symmetry.shapes.push_back({Kind::value, 6, 0, 0, {}});
    symmetry.shapes.push_back({Kind::structure, 36, TokenSymmetry::none, 0, {0, 0}});
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
    const TokenSymmetry symmetry = graphs();
    TokenRepresentative representative(symmetry, method);
    std::vector<uint32_t> to(6);
    std::iota(to.begin(), to.end(), 0u);
    std::set<std::string> given, found;
    do {
        std::string state = state_of(edges, to);
        given.insert(state);
        representative.find(reinterpret_cast<uint8_t *>(state.data()), 5);
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

/* Buffers, alternatives, arrays over a family, and turns; whatever the bytes are. */
void any_bytes_are_borne() {
    TokenSymmetry symmetry;
    symmetry.families.push_back({3, {{0, 1, 2}}, 0});
    symmetry.families.push_back({4, {}, 2});
    symmetry.shapes.push_back({Kind::value, 3, 0, 0, {}});
    symmetry.shapes.push_back({Kind::value, 4, 1, 0, {}});
    symmetry.shapes.push_back({Kind::buffer, 1 + 3 + 9, TokenSymmetry::none, 2, {0}});
    symmetry.shapes.push_back({Kind::array, 64, 0, 3, {1}});
    symmetry.shapes.push_back({Kind::alternative, 77, TokenSymmetry::none, 0, {2, 3}});
    symmetry.places.push_back({{}, 4});
    symmetry.places.push_back({{{0, 5}}, 4});
    TokenRepresentative representative(symmetry, Method::canonical);
    std::mt19937 random(1);
    for (int round = 0; round < 20000; ++round) {
        std::string state(1 + random() % 8, '\0');
        for (char &byte : state)
            byte = static_cast<char>(random());
        const uint32_t length = static_cast<uint32_t>(state.size());
        representative.find(reinterpret_cast<uint8_t *>(state.data()), length);
        const std::string once = state;
        representative.find(reinterpret_cast<uint8_t *>(state.data()), length);
        CHECK(state == once);
    }
}

} // namespace

void test_token_representative() {
    graphs_have_one_representative();
    any_bytes_are_borne();
}
