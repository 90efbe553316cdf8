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

#include <algorithm>
#include <cstdint>
#include <vector>

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
class NumberStore::View {
  public:
    explicit View(NumberStore &store)
        : words_(store.words_), numberer_(store.shapes_),
          number_(NumberShapes::most_words(store.limits_.max_state_bytes) + TreeStore::slack),
          written_(store.limits_.max_state_bytes) {}

    bool make_room() { return words_.make_room(); }
    uint32_t longest() const { return longest_; }

    // ---- One state ------------------------------------------------------------

    void open(uint64_t handle) {
        words_.open(handle);
        read(words_.state(), words_.length(), source_);
    }
    const uint8_t *state() const { return source_.bytes.data(); }
    uint32_t length() const { return source_.length; }

    TreeStore::View::Bytes look(uint64_t handle) {
        const auto [words, bytes] = words_.look(handle);
        return look(words, bytes);
    }

    /* Of a state that is stored; 0 where it is not. */
    uint64_t handle_of(const uint8_t *state, uint32_t length) {
        return words_.handle_of(as_bytes(number_), write(state, length, number_.data()));
    }

    /* Asks for room for its groups by itself; 0 where there is none. */
    uint64_t identify(const uint8_t *state, uint32_t length) {
        return words_.identify(as_bytes(number_), write(state, length, number_.data()));
    }

    void prefetch(uint64_t handle) const { words_.prefetch(handle); }
    bool contains(uint64_t handle, const uint8_t *, uint32_t) const { return words_.contains(handle, nullptr, 0); }
    Insertion insert(uint64_t handle, const uint8_t *, uint32_t) { return words_.insert(handle, nullptr, 0); }

    // ---- Many states ------------------------------------------------------------

    uint8_t *room() { return written_.data(); }
    bool add(uint32_t length) {
        return words_.add(write(written_.data(), length, reinterpret_cast<uint64_t *>(words_.room())));
    }
    bool full() const { return words_.full(); }
    uint64_t batch() const { return words_.batch(); }
    void clear() { words_.clear(); }
    template <class Fresh> Insertion store_batch(Fresh fresh) { return words_.store_batch(fresh); }
    uint64_t count_known() { return words_.count_known(); }
    void stop_storing() { words_.stop_storing(); }

  private:
    friend class NumberStore;

    static const uint8_t *as_bytes(const std::vector<uint64_t> &words) {
        return reinterpret_cast<const uint8_t *>(words.data());
    }

    TreeStore::View::Bytes look(const uint8_t *words, uint32_t bytes) {
        read(words, bytes, other_);
        return {other_.bytes.data(), other_.length};
    }

    /* Write the words of a state; how many bytes they are. */
    uint32_t write(const uint8_t *state, uint32_t length, uint64_t *to) {
        longest_ = std::max(longest_, length);
        return numberer_.next(source_, state, length, to) * static_cast<uint32_t>(sizeof(uint64_t));
    }
    void read(const uint8_t *words, uint32_t bytes, Numberer::Numbered &to) {
        numberer_.read(reinterpret_cast<const uint64_t *>(words), bytes / static_cast<uint32_t>(sizeof(uint64_t)), to);
    }

    TreeStore::View words_;
    Numberer numberer_;
    Numberer::Numbered source_, other_;
    std::vector<uint64_t> number_;
    std::vector<uint8_t> written_; /* where a model writes */
    uint32_t longest_ = 0;
};

template <class Each> void NumberStore::for_each(View &view, Each each) {
    words_.for_each(view.words_, [&](const uint8_t *words, uint32_t bytes) {
        const auto [state, length] = view.look(words, bytes);
        each(state, length);
    });
}

} // namespace kripke
#endif
