/* value_representative.h -- one state for all that differ only by which values of a
 * family are which, for nets with typed tokens.
 *
 * model/value_symmetry.py says what such a symmetry is, engines/symmetry/value_representative.py
 * is the reference of what is done here, step by step with the same numbers. States are
 * markings as nets/high_level/marking.py writes them. A permutation changes the numbers
 * of tokens and nothing else in them, so these are all that is read and written.
 */
#ifndef KRIPKE_VALUE_REPRESENTATIVE_H
#define KRIPKE_VALUE_REPRESENTATIVE_H

#include "symmetry/representative.h"

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace kripke {

struct ValueSymmetry {
    enum class Kind : uint32_t { plain, value, structure, array, alternative, buffer };
    /* How the number of a value is made of those of its parts, which are shapes before it. */
    struct Shape {
        Kind kind;
        uint64_t count;
        uint32_t family; /* none: of no family */
        uint32_t length; /* items of an array, or the most of a buffer */
        std::vector<uint32_t> parts;
    };
    /* Values of a cell change places among each other; or all are turned. */
    struct Family {
        uint32_t count;
        std::vector<std::vector<uint32_t>> cells;
        uint32_t turn; /* 0: they are not */
    };
    struct Place {
        std::vector<std::pair<uint64_t, uint64_t>> capacity; /* ranges; none: any number of tokens */
        uint32_t shape;
    };
    static constexpr uint32_t none = UINT32_MAX;

    std::vector<Family> families;
    std::vector<Shape> shapes;
    std::vector<Place> places;
};

/* For one thread: it has scratch memory. */
class ValueRepresentative final : public Representative {
  public:
    ValueRepresentative(const ValueSymmetry &symmetry, Method method);

    void find(uint8_t *state, uint32_t length, const volatile uint32_t *stop) override;

  private:
    using Shape = ValueSymmetry::Shape;
    /* Of the tokens in which values of families may be, in their order in the state. */
    using Numbers = std::vector<uint64_t>;
    using Colours = std::vector<uint32_t>;
    /* Those of one place of which there are as many; they are kept sorted. */
    struct Run {
        uint32_t place, begin, end;
        uint64_t count;
    };

    bool read(const uint8_t *state, uint32_t length);
    Numbers exchanged(const Numbers &numbers);

    /* `to`: the new position in its family of every value. */
    Numbers renamed(const Numbers &numbers, const std::vector<uint32_t> &to) const;
    uint64_t rename(const Shape &shape, uint64_t number, const std::vector<uint32_t> &to) const;
    Numbers leaf(const Numbers &numbers, const Colours &colours) const;

    void refine(const Numbers &numbers, Colours &colours);
    uint64_t hash(const Shape &shape, uint64_t number, const Colours &colours) const;
    void spread(const Shape &shape, uint64_t number, uint64_t path, const Colours &colours);

    std::vector<uint32_t> twins(const Numbers &numbers, const Colours &colours) const;
    Numbers least(const Numbers &numbers, const Colours &colours, const std::vector<uint32_t> &twins,
                  std::set<Numbers> &leaves);
    Numbers first_leaf(const Numbers &numbers, Colours colours, const std::vector<uint32_t> &twins);

    const ValueSymmetry &symmetry_;
    const bool canonical_;
    const volatile uint32_t *stop_ = nullptr;
    std::vector<uint32_t> starts_;             /* the first value of each family among all values */
    std::vector<uint32_t> unchanged_;          /* the position of every value in its family */
    std::vector<std::vector<uint32_t>> cells_; /* numbered through all families */
    Colours given_;
    std::vector<std::vector<uint32_t>> turns_; /* for each: where it puts every value */
    std::vector<uint32_t> bits_;               /* of the numbers of the tokens of each place */

    Numbers numbers_;
    std::vector<uint64_t> offsets_; /* where each number is, in bits */
    std::vector<Run> runs_;
    std::vector<uint64_t> seen_;
    std::vector<std::pair<uint32_t, uint64_t>> around_;
    std::vector<uint32_t> order_;
};

} // namespace kripke
#endif
