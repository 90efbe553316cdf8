/* ranked_representative.h -- the least image of a state under all permutations of some
 * values, found by sorting the values first.
 *
 * model/permutation_symmetry.py says what a ranking is; the reference of what is done here
 * is engines/symmetry/permutation_representative.py.
 *
 * Every number of a row says something about each value: a key. The sums of keys over a row
 * move with the values, so the values can be sorted by them. Where all sums differ one
 * permutation does this, and its image is the representative. Where some are equal, the
 * least image is looked for among the permutations of values with equal sums; most of the
 * time exchanging two of them changes nothing, and that is seen first.
 *
 * A step changes few numbers: the sums of a state are made from those of the state before.
 */
#ifndef KRIPKE_RANKED_REPRESENTATIVE_H
#define KRIPKE_RANKED_REPRESENTATIVE_H

#include "symmetry/permutation_representative.h"

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace kripke {

/* For one thread: it has scratch memory. The tables behind it are shared. */
class RankedRepresentative final : public Representative {
  public:
    class Tables;
    static std::shared_ptr<const Tables> tables_of(const PermutationSymmetry &symmetry);

    explicit RankedRepresentative(std::shared_ptr<const Tables> tables);

    void begin(const uint8_t *from, uint32_t length) override;
    void find(uint8_t *state, uint32_t length, const volatile uint32_t *stop) override;

  private:
    using Sums = std::array<uint32_t, PermutationSymmetry::Ranking::most_values>;

    /* For so many values: begin and find. */
    struct Ways {
        void (RankedRepresentative::*begin)(const uint8_t *from);
        void (RankedRepresentative::*find)(uint8_t *state);
    };

    template <uint32_t Values> static constexpr Ways of();
    template <uint32_t Values> void begin_bytes(const uint8_t *from);
    template <uint32_t Values> void find_bytes(uint8_t *state);
    void find_any(uint8_t *state);
    void settle(uint8_t *state, uint32_t equal);
    bool stays(const uint8_t *state, uint32_t equal) const;
    uint32_t equal_neighbours(const uint32_t *sums, uint32_t order) const;

    const std::shared_ptr<const Tables> tables_;
    Ways ways_{};
    /* The state before, and its sums. */
    std::vector<uint8_t> from_;
    Sums from_sums_{};
    std::vector<uint8_t> copy_;
    std::vector<uint32_t> row_, best_, image_;
    /* By which neighbours are equal: the permutations that keep the order. */
    std::unordered_map<uint32_t, std::vector<uint32_t>> candidates_;
};

} // namespace kripke
#endif
