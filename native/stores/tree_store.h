/* tree_store.h -- the visited set as a forest of shared trees: lossless, and most
 * states cost little more than what their last pairing adds.
 *
 * TREES (A. Laarman, J. van de Pol, M. Weber, Parallel recursive state compression for
 * free, SPIN 2011; A. Laarman, Optimal compression of combinatorial state vectors, 2018)
 *   A state is cut into an even number of leaves of up to eight bytes. Neighbours are
 *   joined to pairs, these to pairs again, up to one pair, the root. Every different
 *   leaf or pair below the root has a number (node_table.h) and is stored once; what
 *   is a leaf and what a pair follows from the place, so they share one table.
 *   States have most of their parts in common with other states.
 *
 * ROOTS
 *   The roots are the states. They are many, so they lie in a compact set (at four
 *   bytes and a little): keys are the two numbers, in as many bits as numbers have, and
 *   the state's shape, which is its length. Where a table has outgrown the width of
 *   the keys, the set is made anew with wider ones.
 *
 * HANDLES
 *   A state is known by the contents of its root: 8 bits shape, twice 28 bits number.
 *   It can be unfolded to its bytes at any time. Of the 255th length on, the shape is
 *   255 and the second number is that of a pair of the real one and the length.
 *
 * STEPS
 *   A successor is compared with the state it comes from leaf by leaf, and only pairs
 *   above a changed leaf are looked up anew.
 */
#ifndef KRIPKE_TREE_STORE_H
#define KRIPKE_TREE_STORE_H

#include "memory/bits.h"
#include "memory/own_lines.h"
#include "stores/root_set.h"
#include "searches/gate.h"
#include "stores/node_table.h"
#include "stores/store_interface.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace kripke {

/* The tree over states of one length. Nodes are numbered leaves first, children before
 * their parents; the root is none of them. */
struct TreeShape {
    explicit TreeShape(uint32_t state_length, uint32_t shape_number);

    struct Leaf {
        uint32_t offset;
        uint64_t mask; /* of its bytes */
    };
    struct Pair {
        uint32_t left, right;
    };

    uint32_t length;
    uint32_t number;
    std::vector<Leaf> leaves;
    std::vector<Pair> pairs; /* the first is node number leaves.size() */
    Pair top;                /* the children of the root */
    std::vector<uint64_t> above; /* of each leaf: pairs over it, one bit each; empty where there are more than 64 */

  private:
    uint32_t join(uint32_t first, uint32_t last);
};

class TreeStore {
  public:
    static constexpr bool exact = true;
    static constexpr bool unfolds = true;
    static constexpr bool identity_is_handle = true;
    static constexpr bool forgets = false;
    static constexpr bool in_order = false;
    /* Behind a state this many bytes must be readable. */
    static constexpr uint32_t slack = 8;

    TreeStore(Budget &budget, const SharedLimits &limits, Gate &gate);

    class View;

    // ---- Figures, alone -------------------------------------------------------

    uint64_t size() const { return counts_.total(); }
    uint64_t bytes() const { return roots_->bytes() + nodes_.bytes(); }
    StoreFigures figures() const { return {}; }

    /* So many states will come, in any order. */
    [[nodiscard]] bool expect(uint64_t) { return true; }

    /* Call `each(bytes, length)` for every state. */
    template <class Each> void for_each(View &view, Each each);

  private:
    static constexpr uint32_t number_bits = NodeTable::number_bits;
    static constexpr uint64_t number_mask = (uint64_t{1} << number_bits) - 1;
    static constexpr uint32_t other_shape = 255;

    /* So many nodes may all workers add before one of them looks for room again. */
    uint64_t nodes_ahead() const { return uint64_t{most_nodes_.load(std::memory_order_relaxed)} * limits_.workers; }
    bool has_room() const {
        return !broken_ && nodes_.has_room(nodes_ahead()) && shape_count_.load(std::memory_order_relaxed) <= shapes_in_keys_ &&
               size() + roots_ahead() <= roots_->capacity();
    }
    bool make_room_alone();
    bool widen_keys();
    /* States that may come before somebody looks for room again. */
    uint64_t roots_ahead() const { return 65 * uint64_t{limits_.workers}; }
    uint32_t number_bits_needed() const { return static_cast<uint32_t>(std::bit_width(nodes_.capacity())); }
    uint32_t shape_bits_needed() const {
        const uint32_t shapes = std::max(shape_count_.load(std::memory_order_relaxed), 1u);
        return static_cast<uint32_t>(std::bit_width(shapes - 1));
    }
    uint32_t key_bits_needed() const { return 2 * number_bits_needed() + shape_bits_needed(); }
    uint64_t *insert_roots(uint64_t *first, uint64_t *last);
    /* Is there room for its numbers in a key? A stored state's there is. */
    bool fits(uint64_t handle) const { return handle >> (2 * number_bits) < shapes_in_keys_; }
    const TreeShape *shape_for(uint32_t length);
    uint64_t key_of(uint64_t handle) const {
        const uint64_t left = handle >> number_bits & number_mask, right = handle & number_mask;
        return handle >> (2 * number_bits) << (2 * number_width_) | left << number_width_ | right;
    }
    RootSet::Spot spot(uint64_t handle) const { return roots_->spot(key_of(handle)); }
    uint64_t handle_of(uint64_t key) const { return handle_of(key, number_width_); }
    static uint64_t handle_of(uint64_t key, uint32_t width) {
        const uint64_t mask = (uint64_t{1} << width) - 1;
        const uint64_t left = key >> width & mask, right = key & mask;
        return key >> (2 * width) << (2 * number_bits) | left << number_bits | right;
    }

    Budget &budget_;
    const SharedLimits limits_;
    Gate &gate_;
    SharedCounts counts_;
    NodeTable nodes_;
    std::unique_ptr<RootSet> roots_; /* always there */
    bool broken_ = false; /* there was no memory to make the roots anew: nobody may look at them any more */
    uint64_t spots_ = 0; /* changes whenever the roots change their places */
    uint32_t number_width_ = 0; /* bits of a number in a key */
    uint32_t shapes_in_keys_ = 0; /* shapes that a key has bits for */

    std::mutex shapes_mutex_;
    std::vector<std::unique_ptr<TreeShape>> shapes_;
    std::atomic<uint32_t> shape_count_{0};
    std::atomic<uint32_t> most_nodes_{8}; /* of a state of any shape so far */
};

/* One worker's way to the store. */
class TreeStore::View {
  public:
    explicit View(TreeStore &store);

    bool make_room() {
        store_.gate_.pass();
        return store_.has_room() || make_more_room();
    }
    uint32_t longest() const { return longest_; }

    // ---- One state ------------------------------------------------------------

    void open(uint64_t handle) { unfold(handle, source_); }
    const uint8_t *state() const { return source_.bytes.data(); }
    uint32_t length() const { return source_.shape->length; }

    struct Bytes {
        const uint8_t *state;
        uint32_t length;
    };
    Bytes look(uint64_t handle) {
        unfold(handle, other_);
        return {other_.bytes.data(), other_.shape->length};
    }

    /* Of a state that is stored; 0 where it is not. */
    uint64_t handle_of(const uint8_t *state, uint32_t length) {
        const uint64_t handle = identify(state, length);
        return handle != 0 && contains(handle, state, length) ? handle : 0;
    }

    /* Asks for room for its nodes by itself; 0 where there is none. */
    uint64_t identify(const uint8_t *state, uint32_t length);

    void prefetch(uint64_t handle) const { store_.roots_->prefetch(store_.spot(handle)); }
    bool contains(uint64_t handle, const uint8_t *, uint32_t) const {
        return !store_.broken_ && store_.fits(handle) && store_.roots_->contains(store_.spot(handle));
    }
    Insertion insert(uint64_t handle, const uint8_t *, uint32_t) {
        Item item{handle, store_.spots_, store_.spot(handle)};
        return insert(item);
    }

    // ---- Many states ------------------------------------------------------------

    uint8_t *room() { return written_.data(); }
    bool add(uint32_t length) {
        const uint64_t handle = identify(written_.data(), length);
        if (handle == 0)
            return false;
        ++batch_;
        uint64_t &recent = recent_[handle * 0x9e3779b97f4a7c15u >> (64 - recent_bits)];
        items_[items_size_].handle = handle;
        items_size_ += !storing_ | (recent != handle);
        recent = handle;
        return true;
    }
    bool full() const { return items_size_ == batch_states; }
    uint64_t batch() const { return batch_; }
    void clear() { items_size_ = 0, batch_ = 0; }

    template <class Fresh> Insertion store_batch(Fresh fresh) {
        begin_batch();
        const uint32_t size = items_size_;
        items_size_ = 0;
        batch_ = 0;
        for (uint32_t i = 0; i < size; ++i) {
            const Insertion outcome = insert(items_[i]);
            if (outcome == Insertion::known)
                continue;
            if (outcome != Insertion::inserted)
                return outcome;
            if (!fresh(items_[i].handle))
                break;
        }
        return Insertion::known;
    }

    uint64_t count_known();
    /* From now on batches are only counted. */
    void stop_storing() { storing_ = false; }

  private:
    static constexpr uint32_t batch_states = 64;
    static constexpr uint32_t recent_bits = 14;

    /* A state with the numbers of all its nodes. */
    struct Unfolded {
        const TreeShape *shape = nullptr;
        std::vector<uint32_t, OwnLines<uint32_t>> nodes;
        std::vector<uint8_t, OwnLines<uint8_t>> bytes;
    };

    struct Item {
        uint64_t handle;
        uint64_t spots; /* TreeStore::spots_ when its spot was found */
        RootSet::Spot spot;
    };

    bool make_more_room();
    void begin_batch() {
        for (uint32_t i = 0; i < items_size_; ++i) {
            items_[i].spots = store_.spots_;
            items_[i].spot = store_.spot(items_[i].handle);
            store_.roots_->prefetch(items_[i].spot);
        }
    }
    Insertion insert(Item &item) {
        if (store_.broken_) [[unlikely]]
            return Insertion::no_memory;
        const bool limited = store_.limits_.max_states != 0;
        if (limited && store_.roots_->contains(store_.spot(item.handle)))
            return Insertion::known;
        if (limited && !store_.counts_.reserve())
            return Insertion::full;
        for (;;) {
            if (item.spots != store_.spots_) [[unlikely]] {
                item.spots = store_.spots_;
                item.spot = store_.spot(item.handle);
            }
            switch (store_.roots_->insert(item.spot)) {
            case RootSet::Insertion::inserted:
                count_.add(1);
                return Insertion::inserted;
            case RootSet::Insertion::crowded:
                if (!grow_roots(item.spots))
                    return Insertion::no_memory;
                continue;
            case RootSet::Insertion::known:
                if (limited)
                    store_.counts_.give_back();
                return Insertion::known;
            }
        }
    }
    bool grow_roots(uint64_t spots);
    void unfold(uint64_t handle, Unfolded &to);
    const TreeShape *shape_for(uint32_t length) {
        if (source_.shape != nullptr && source_.shape->length == length) [[likely]]
            return source_.shape;
        return find_shape(length);
    }
    const TreeShape *find_shape(uint32_t length);

    TreeStore &store_;
    NodeTable::Asker numbers_;
    SharedCounts::Count &count_;
    Unfolded source_, other_;
    std::vector<uint32_t, OwnLines<uint32_t>> work_; /* numbers of the nodes of the state being identified */
    std::vector<uint8_t, OwnLines<uint8_t>> dirty_;  /* which of them are not the source's */
    std::vector<uint8_t, OwnLines<uint8_t>> written_; /* where a model writes */
    std::unordered_map<uint32_t, const TreeShape *> shapes_;
    std::unique_ptr<uint64_t[]> recent_; /* handles of batches lately */
    Item items_[batch_states + 1];
    uint32_t items_size_ = 0;
    uint64_t batch_ = 0; /* states added, with those met lately */
    bool storing_ = true;
    uint32_t longest_ = 0;
};

template <class Each> void TreeStore::for_each(View &view, Each each) {
    if (roots_->capacity() != 0 && !broken_)
        roots_->for_each([&](uint64_t key) {
            const auto [state, length] = view.look(handle_of(key));
            each(state, length);
        });
}

} // namespace kripke
#endif
