/* permutation_representative.h -- one state for all that differ by a permutation of
 * their parts.
 *
 * model/permutation_symmetry.py says what such a symmetry is,
 * engines/symmetry/permutation_representative.py is the reference of what is done here.
 *
 * A state is a row of numbers. Sorting puts rows that may change places in order.
 * Otherwise the least image under all permutations is found along a tree: level k of the
 * tree decides position order[k] of the image, and two permutations share the way to a
 * node as long as they take these positions from the same places by the same tables.
 * Only the nodes whose images are least so far are followed, so a state whose parts
 * differ costs as many looks as there are ways to take the first position, then the
 * second, and so on, not as many as there are permutations. Where there is a ranking,
 * ranked_representative.h does better.
 */
#ifndef KRIPKE_PERMUTATION_REPRESENTATIVE_H
#define KRIPKE_PERMUTATION_REPRESENTATIVE_H

#include "symmetry/representative.h"

#include <cstdint>
#include <vector>

namespace kripke {

struct PermutationSymmetry {
    static constexpr int32_t unchanged = -1;
    /* Where a number of the row is: 1, 2 or 4 bytes, little-endian. */
    struct Component {
        uint32_t offset, size;
    };
    /* Position p of the image has what position sources[p] had, renumbered by a table. */
    struct Permutation {
        std::vector<uint32_t> sources;
        std::vector<int32_t> tables;
    };
    /* Rows of positions, all as long; tables that make their numbers comparable, and back. */
    struct Exchange {
        std::vector<std::vector<uint32_t>> rows;
        std::vector<std::vector<int32_t>> common, own;
    };

    /* Sets of values, numbered through, and what every permutation does to them: the group is that of all
     * permutations of each set. For every position the keys of its numbers, one for each value. */
    struct Ranking {
        static constexpr uint32_t most_values = 16;
        std::vector<uint32_t> counts; /* none: there is no ranking */
        std::vector<std::vector<uint32_t>> images;
        std::vector<std::vector<uint32_t>> keys;

        void check(const PermutationSymmetry &of) const;
    };

    std::vector<Component> components;
    std::vector<std::vector<uint32_t>> tables;
    std::vector<Permutation> permutations; /* the identity among them */
    std::vector<Exchange> exchanges;
    std::vector<uint32_t> order; /* every position once */
    Ranking ranking;

    /* Throws std::invalid_argument where a number points nowhere. */
    void check() const;
};

/* For one thread: it has scratch memory. */
class PermutationRepresentative final : public Representative {
  public:
    PermutationRepresentative(const PermutationSymmetry &symmetry, Method method);

    void find(uint8_t *state, uint32_t length, const volatile uint32_t *stop) override;

  private:
    /* A way to take a position of the image; its branches are children_[first..end). */
    struct Node {
        uint32_t source;
        const uint32_t *table; /* null: as it is */
        uint32_t first, end;
    };

    /* Rows that are sorted: their cells lie side by side from `first` on, row by row. */
    struct Rows {
        size_t rows, columns, first;
    };
    struct Cell {
        uint32_t position;
        const uint32_t *common, *own; /* null: as it is */
    };

    void grow(uint32_t node, uint32_t level, std::vector<uint32_t> permutations);
    void add_rows(const PermutationSymmetry::Exchange &exchange);
    bool sort();
    bool least();

    const PermutationSymmetry &symmetry_;
    const bool sorts_;
    bool bytes_ = true; /* every number is one byte */
    std::vector<Rows> sorted_;
    std::vector<Cell> cells_;
    std::vector<Node> nodes_;      /* 0 is the root; children of a node lie side by side */
    std::vector<uint32_t> row_, image_, front_, next_;
    std::vector<uint32_t> keys_, order_;
};

} // namespace kripke
#endif
