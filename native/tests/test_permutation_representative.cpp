#include "check.h"
#include "symmetry/permutation_representative.h"
#include "symmetry/ranked_representative.h"

#include <algorithm>
#include <array>
#include <random>
#include <stdexcept>
#include <vector>

using namespace kripke;

namespace {

using Row = std::array<uint8_t, 4>;

/* Three like parts with five states each, which may change places, and one that holds the number of a part. The second
 * part counts its states backwards. */
PermutationSymmetry three() {
    PermutationSymmetry symmetry;
    for (uint32_t p = 0; p < 4; p++)
        symmetry.components.push_back({p, 1});
    symmetry.tables.push_back({4, 3, 2, 1, 0});
    std::vector<uint32_t> to{0, 1, 2};
    do {
        std::vector<uint32_t> sources(4, 3);
        std::vector<int32_t> tables(4, PermutationSymmetry::unchanged);
        for (uint32_t p = 0; p < 3; p++) {
            sources[to[p]] = p;
            tables[to[p]] = (p == 1) != (to[p] == 1) ? 0 : PermutationSymmetry::unchanged;
        }
        symmetry.tables.push_back(to);
        tables[3] = static_cast<int32_t>(symmetry.tables.size()) - 1;
        symmetry.permutations.push_back({sources, tables});
    } while (std::next_permutation(to.begin(), to.end()));
    symmetry.order = {3, 0, 2, 1};
    symmetry.exchanges.push_back({{{0}, {1}, {2}}, {{-1}, {0}, {-1}}, {{-1}, {0}, {-1}}});
    symmetry.check();
    return symmetry;
}

Row image(const PermutationSymmetry &symmetry, size_t number, const Row &row) {
    const PermutationSymmetry::Permutation &permutation = symmetry.permutations[number];
    Row result;
    for (size_t p = 0; p < 4; p++) {
        const int32_t table = permutation.tables[p];
        const uint8_t value = row[permutation.sources[p]];
        result[p] = table < 0 ? value : static_cast<uint8_t>(symmetry.tables[static_cast<size_t>(table)][value]);
    }
    return result;
}

void one_for_every_class() {
    const PermutationSymmetry symmetry = three();
    PermutationRepresentative least(symmetry, Method::canonical);
    std::mt19937 random(7);
    for (int round = 0; round < 500; round++) {
        Row row{};
        for (size_t p = 0; p < 3; p++)
            row[p] = static_cast<uint8_t>(random() % 5);
        row[3] = static_cast<uint8_t>(random() % 3);
        Row expected = row;
        least.find(expected.data(), 4, nullptr);
        bool among = false;
        for (size_t number = 0; number < symmetry.permutations.size(); number++) {
            Row other = image(symmetry, number, row);
            among |= other == expected;
            least.find(other.data(), 4, nullptr);
            CHECK(other == expected);
        }
        CHECK(among);
    }
}

void sorted_rows() {
    const PermutationSymmetry symmetry = three();
    PermutationRepresentative sorting(symmetry, Method::sort);
    Row row{4, 3, 0, 2}; /* in common numbers 4, 1, 0 */
    sorting.find(row.data(), 4, nullptr);
    CHECK((row == Row{0, 3, 4, 2})); /* 0, 1, 4 */
}

/* What a number is to each part: the state of the part itself or of another, the part that is held or another. */
PermutationSymmetry ranked_three(uint32_t size) {
    PermutationSymmetry symmetry = three();
    for (uint32_t p = 0; p < 4; p++)
        symmetry.components[p] = {p * size, size};
    symmetry.ranking.counts = {3};
    for (const PermutationSymmetry::Permutation &permutation : symmetry.permutations) {
        std::vector<uint32_t> image(3);
        for (uint32_t p = 0; p < 3; p++)
            image[permutation.sources[p]] = p;
        symmetry.ranking.images.push_back(image);
    }
    for (uint32_t p = 0; p < 4; p++) {
        std::vector<uint32_t> keys;
        for (uint32_t number = 0; number < (p < 3 ? 5 : 3); number++)
            for (uint32_t value = 0; value < 3; value++)
                keys.push_back(p == 3 ? 1000 + (value == number) : (p == 1 ? 4 - number : number) * (value == p ? 7 : 3));
        symmetry.ranking.keys.push_back(keys);
    }
    symmetry.check();
    return symmetry;
}

/* Every state: the same representative for all of its class, which is one of them, whatever was before. */
void ranked(uint32_t size) {
    const PermutationSymmetry symmetry = ranked_three(size);
    RankedRepresentative chooser(RankedRepresentative::tables_of(symmetry));
    const auto found = [&](const Row &row) {
        std::vector<uint8_t> state(4 * size);
        for (size_t p = 0; p < 4; p++)
            state[p * size] = row[p];
        chooser.find(state.data(), 4 * size, nullptr);
        Row result;
        for (size_t p = 0; p < 4; p++)
            result[p] = state[p * size];
        return result;
    };
    for (uint32_t number = 0; number < 5 * 5 * 5 * 3; number++) {
        const Row row{static_cast<uint8_t>(number % 5), static_cast<uint8_t>(number / 5 % 5),
                      static_cast<uint8_t>(number / 25 % 5), static_cast<uint8_t>(number / 125)};
        const Row expected = found(row);
        bool among = false;
        for (size_t k = 0; k < symmetry.permutations.size(); k++) {
            const Row other = image(symmetry, k, row);
            among |= other == expected;
            CHECK(found(other) == expected);
        }
        CHECK(among);
        std::vector<uint8_t> before(4 * size);
        for (size_t p = 0; p < 4; p++)
            before[p * size] = row[p];
        chooser.begin(before.data(), 4 * size);
    }
}

void refused() {
    PermutationSymmetry symmetry = three();
    symmetry.permutations[1].sources[0] = 9;
    bool thrown = false;
    try {
        symmetry.check();
    } catch (const std::invalid_argument &) {
        thrown = true;
    }
    CHECK(thrown);
    symmetry = ranked_three(1);
    symmetry.ranking.images[1] = symmetry.ranking.images[0];
    thrown = false;
    try {
        symmetry.check();
    } catch (const std::invalid_argument &) {
        thrown = true;
    }
    CHECK(thrown);
}

} // namespace

void test_permutation_representative() {
    one_for_every_class();
    sorted_rows();
    ranked(1);
    ranked(2);
    refused();
}
