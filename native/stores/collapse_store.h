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

/* One worker's way to the store. */
class CollapseStore::View {
  public:
    explicit View(CollapseStore &store);

    bool make_room() { return lists_.make_room(); }
    uint32_t longest() const { return longest_; }

    // ---- One state ------------------------------------------------------------

    void open(uint64_t handle) {
        lists_.open(handle);
        unfold(lists_.state(), lists_.length(), source_);
    }
    const uint8_t *state() const { return source_.bytes.data(); }
    uint32_t length() const { return source_.cut->length; }

    TreeStore::View::Bytes look(uint64_t handle) {
        const auto [list, bytes] = lists_.look(handle);
        return look(list, bytes);
    }

    /* Of a state that is stored; 0 where it is not. */
    uint64_t handle_of(const uint8_t *state, uint32_t length) {
        const uint32_t bytes = list(state, length, list_.data());
        return bytes == 0 ? 0 : lists_.handle_of(as_bytes(list_), bytes);
    }

    /* Asks for room for its components by itself; 0 where there is none. */
    uint64_t identify(const uint8_t *state, uint32_t length) {
        const uint32_t bytes = list(state, length, list_.data());
        return bytes == 0 ? 0 : lists_.identify(as_bytes(list_), bytes);
    }

    void prefetch(uint64_t handle) const { lists_.prefetch(handle); }
    bool contains(uint64_t handle, const uint8_t *, uint32_t) const { return lists_.contains(handle, nullptr, 0); }
    Insertion insert(uint64_t handle, const uint8_t *, uint32_t) { return lists_.insert(handle, nullptr, 0); }

    // ---- Many states ------------------------------------------------------------

    uint8_t *room() { return written_.data(); }
    bool add(uint32_t length) {
        const uint32_t bytes = list(written_.data(), length, reinterpret_cast<uint32_t *>(lists_.room()));
        return bytes != 0 && lists_.add(bytes);
    }
    bool full() const { return lists_.full(); }
    uint64_t batch() const { return lists_.batch(); }
    void clear() { lists_.clear(); }
    template <class Fresh> Insertion store_batch(Fresh fresh) { return lists_.store_batch(fresh); }
    uint64_t count_known() { return lists_.count_known(); }
    void stop_storing() { lists_.stop_storing(); }

  private:
    friend class CollapseStore;

    /* A state with the list of its numbers. */
    struct Unfolded {
        const StateCut *cut = nullptr;
        std::vector<uint32_t> list;
        std::vector<uint8_t> bytes;
    };

    static const uint8_t *as_bytes(const std::vector<uint32_t> &list) {
        return reinterpret_cast<const uint8_t *>(list.data());
    }

    TreeStore::View::Bytes look(const uint8_t *list, uint32_t bytes) {
        unfold(list, bytes, other_);
        return {other_.bytes.data(), other_.cut->length};
    }

    /* Write the list of a state; its bytes, 0 where there is no room. */
    uint32_t list(const uint8_t *state, uint32_t length, uint32_t *to);
    void unfold(const uint8_t *list, uint32_t bytes, Unfolded &to);
    const StateCut *cut_of(const uint8_t *state, uint32_t length);
    bool make_more_room();

    CollapseStore &store_;
    TreeStore::View lists_;
    Unfolded source_, other_;
    Parts parts_;
    std::map<Parts, const StateCut *, Before> cuts_; /* those met */
    std::unordered_map<uint32_t, const StateCut *> by_length_;
    std::vector<uint32_t> list_;
    std::vector<uint8_t> written_; /* where a model writes */
    uint32_t longest_ = 0;
};

template <class Each> void CollapseStore::for_each(View &view, Each each) {
    lists_.for_each(view.lists_, [&](const uint8_t *list, uint32_t bytes) {
        const auto [state, length] = view.look(list, bytes);
        each(state, length);
    });
}

} // namespace kripke
#endif
