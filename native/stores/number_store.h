/* number_store.h -- the visited set of states as numbers: lossless.
 *
 * A state is written as its number in mixed radix, in groups of 64 bits (numbering.h). These are the
 * states of a tree store (tree_store.h), a leaf for every group. So there are about half as many leaves
 * and pairs as in a tree over the bytes, and a root is still all that most states add.
 *
 * STEPS
 *   Only the digits that differ from those of the state a successor comes from are computed, and
 *   only pairs above a group that changed are hashed and looked up anew.
 */
#ifndef KRIPKE_NUMBER_STORE_H
#define KRIPKE_NUMBER_STORE_H

#include "stores/numbering.h"
#include "stores/tree_store.h"
#include "stores/view_over_tree.h"

#include <cstdint>

namespace kripke {

class NumberStore {
  public:
    static constexpr bool exact = true;
    static constexpr bool unfolds = true;
    static constexpr bool identity_is_handle = true;
    static constexpr bool forgets = false;
    static constexpr bool in_order = false;
    static constexpr uint32_t slack = 0;

    NumberStore(Budget &budget, const SharedLimits &limits, Gate &gate)
        : limits_(limits), shapes_(limits.values == nullptr ? ValueRanges{} : *limits.values, limits.suffix),
          words_(budget, of_words(limits), gate) {}

    class View;

    // ---- Figures, alone -------------------------------------------------------

    uint64_t size() const { return words_.size(); }
    uint64_t bytes() const { return words_.bytes(); }
    StoreFigures figures() const {
        StoreFigures figures;
        figures.number_bits = shapes_.bits();
        return figures;
    }

    [[nodiscard]] bool expect(uint64_t states) { return words_.expect(states); }

    /* Call `each(bytes, length)` for every state. */
    template <class Each> void for_each(View &view, Each each);

  private:
    static SharedLimits of_words(const SharedLimits &limits) {
        SharedLimits own = limits;
        own.max_state_bytes = static_cast<uint32_t>(NumberShapes::most_words(limits.max_state_bytes) * sizeof(uint64_t));
        return own;
    }

    const SharedLimits limits_;
    NumberShapes shapes_;
    TreeStore words_;
};

/* One worker's way to the store. */
class NumberStore::View : public ViewOverTree<NumberStore::View, uint64_t, Numberer::Numbered> {
  public:
    explicit View(NumberStore &store)
        : ViewOverTree(store.words_, NumberShapes::most_words(store.limits_.max_state_bytes), store.limits_.max_state_bytes),
          numberer_(store.shapes_) {}

  private:
    friend class ViewOverTree<View, uint64_t, Numberer::Numbered>;

    uint32_t write(const uint8_t *state, uint32_t length, uint64_t *to) {
        return numberer_.next(source_, state, length, to) * static_cast<uint32_t>(sizeof(uint64_t));
    }
    void read(const uint64_t *words, uint32_t bytes, Numberer::Numbered &to) {
        numberer_.read(words, bytes / static_cast<uint32_t>(sizeof(uint64_t)), to);
    }
    static uint32_t length_of(const Numberer::Numbered &state) { return state.length; }

    Numberer numberer_;
};

template <class Each> void NumberStore::for_each(View &view, Each each) { view.for_each(words_, each); }

} // namespace kripke
#endif
