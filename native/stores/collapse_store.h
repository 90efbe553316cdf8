/* collapse_store.h -- the visited set with a table of components: lossless.
 *
 * COMPONENTS (G. J. Holzmann, State compression in SPIN: recursive indexing and compression
 * training runs, SPIN 1997)
 *   The model cuts a state into components: global variables, processes, channels. Each of
 *   these has few different values, however many states their combinations make. Every
 *   different component of a kind is stored once and has a number (component_table.h), and
 *   a state is the list of the numbers of its components.
 *
 * PIECES
 *   A component of more than `longest_piece` bytes is cut into equal pieces, and so is the
 *   whole state of a model that does not know its components: what is large has many values.
 *
 * LISTS
 *   The lists of numbers are the states of a tree store (tree_store.h): two numbers make a
 *   leaf, in the order of the components. So a state costs the four bytes and a little of a
 *   root there, and its handle is that of its list. The last number is that of the cut, which
 *   tells where the components belong: where processes come and go, there are several.
 *
 * STEPS
 *   A successor is compared with the state it comes from piece by piece, and only what has
 *   changed is looked up.
 */
#ifndef KRIPKE_COLLAPSE_STORE_H
#define KRIPKE_COLLAPSE_STORE_H

#include "stores/component_table.h"
#include "stores/tree_store.h"
#include "stores/view_over_tree.h"

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace kripke {

/* Where the pieces of some states are. */
struct StateCut {
    struct Piece {
        uint32_t offset, length;
        uint32_t kind;
        uint32_t place; /* of its number in the list */
    };

    StateCut(const std::vector<kripke_component> &parts, uint32_t number);

    uint32_t number;
    uint32_t length = 0; /* of the states */
    std::vector<Piece> pieces;
    uint32_t list_length; /* places of a list; the last is the number of the cut */
    uint64_t room;        /* bytes that all pieces take in the table, if all are new */
};

class CollapseStore {
  public:
    static constexpr bool exact = true;
    static constexpr bool unfolds = true;
    static constexpr bool identity_is_handle = true;
    static constexpr bool forgets = false;
    static constexpr bool in_order = false;
    static constexpr uint32_t slack = 0;
    static constexpr uint32_t longest_piece = 32;

    CollapseStore(Budget &budget, const SharedLimits &limits, Gate &gate);

    class View;

    // ---- Figures, alone -------------------------------------------------------

    uint64_t size() const { return lists_.size(); }
    uint64_t bytes() const { return lists_.bytes() + components_.bytes(); }
    StoreFigures figures() const;

    [[nodiscard]] bool expect(uint64_t states) { return lists_.expect(states); }

    /* Call `each(bytes, length)` for every state. */
    template <class Each> void for_each(View &view, Each each);

  private:
    using Parts = std::vector<kripke_component>;
    struct Before {
        bool operator()(const Parts &one, const Parts &other) const;
    };

    const StateCut *cut_of(const Parts &parts);
    const StateCut *cut(uint32_t number);
    static SharedLimits of_lists(const SharedLimits &limits);

    /* What all workers may add before one of them looks for room again. */
    uint64_t ahead() const { return uint64_t{most_pieces_.load(std::memory_order_relaxed)} * limits_.workers; }
    uint64_t room_ahead() const { return most_room_.load(std::memory_order_relaxed) * limits_.workers; }
    bool has_room() const { return components_.has_room(ahead(), room_ahead()); }

    const SharedLimits limits_;
    const kripke_model &model_;
    const bool by_length_; /* is the length all that tells a cut? */
    Gate &gate_;
    ComponentTable components_;
    TreeStore lists_;

    std::mutex cuts_mutex_;
    std::map<Parts, uint32_t, Before> numbers_;
    std::vector<std::unique_ptr<StateCut>> cuts_;
    std::atomic<uint32_t> most_pieces_{8};
    std::atomic<uint64_t> most_room_{64};
};

/* A state with the list of its numbers. */
struct UnfoldedList {
    const StateCut *cut = nullptr;
    std::vector<uint32_t> list;
    std::vector<uint8_t> bytes;
};

/* One worker's way to the store. */
class CollapseStore::View : public ViewOverTree<CollapseStore::View, uint32_t, UnfoldedList> {
  public:
    explicit View(CollapseStore &store);

  private:
    friend class ViewOverTree<View, uint32_t, UnfoldedList>;

    /* Asks for room for the components by itself. */
    uint32_t write(const uint8_t *state, uint32_t length, uint32_t *to);
    void read(const uint32_t *list, uint32_t bytes, UnfoldedList &to);
    static uint32_t length_of(const UnfoldedList &state) { return state.cut->length; }
    const StateCut *cut_of(const uint8_t *state, uint32_t length);
    bool make_more_room();

    CollapseStore &store_;
    Parts parts_;
    std::map<Parts, const StateCut *, Before> cuts_; /* those met */
    std::unordered_map<uint32_t, const StateCut *> by_length_;
};

template <class Each> void CollapseStore::for_each(View &view, Each each) { view.for_each(lists_, each); }

} // namespace kripke
#endif
