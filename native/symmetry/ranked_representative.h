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
 */
#ifndef KRIPKE_RANKED_REPRESENTATIVE_H
#define KRIPKE_RANKED_REPRESENTATIVE_H

#include "symmetry/permutation_representative.h"

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

    void find(uint8_t *state, uint32_t length, const volatile uint32_t *stop) override;

  private:
    template <uint32_t Lanes> void find_by(uint8_t *state);
    void settle(uint8_t *state, uint32_t equal);

    const std::shared_ptr<const Tables> tables_;
    std::vector<uint32_t> row_, best_, image_;
    /* By which neighbours are equal: the permutations that keep the order. */
    std::unordered_map<uint32_t, std::vector<uint32_t>> candidates_;
};

} // namespace kripke
#endif
