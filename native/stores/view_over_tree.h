/* view_over_tree.h -- one worker's way to a store whose states are written as words, and kept in a tree store.
 *
 * `Own`, the view itself, has the two directions:
 *   write(state, length, words)   the words of a state; how many bytes they are, 0 where there is no room
 *   read(words, bytes, unfolded)  the state of these words, with `bytes` in it
 *   length_of(unfolded)           how long that state is
 */
#ifndef KRIPKE_VIEW_OVER_TREE_H
#define KRIPKE_VIEW_OVER_TREE_H

#include "stores/tree_store.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace kripke {

template <class Own, class Word, class Unfolded> class ViewOverTree {
  public:
    bool make_room() { return tree_.make_room(); }
    uint32_t longest() const { return longest_; }

    // ---- One state ------------------------------------------------------------

    void open(uint64_t handle) {
        tree_.open(handle);
        read(tree_.state(), tree_.length(), source_);
    }
    const uint8_t *state() const { return source_.bytes.data(); }
    uint32_t length() const { return Own::length_of(source_); }

    TreeStore::View::Bytes look(uint64_t handle) {
        const auto [words, bytes] = tree_.look(handle);
        return look(words, bytes);
    }

    /* Of a state that is stored; 0 where it is not. */
    uint64_t handle_of(const uint8_t *state, uint32_t length) {
        const uint32_t bytes = write(state, length, words_.data());
        return bytes == 0 ? 0 : tree_.handle_of(reinterpret_cast<const uint8_t *>(words_.data()), bytes);
    }

    /* Asks for room for what it writes by itself; 0 where there is none. */
    uint64_t identify(const uint8_t *state, uint32_t length) {
        const uint32_t bytes = write(state, length, words_.data());
        return bytes == 0 ? 0 : tree_.identify(reinterpret_cast<const uint8_t *>(words_.data()), bytes);
    }

    void prefetch(uint64_t handle) const { tree_.prefetch(handle); }
    bool contains(uint64_t handle, const uint8_t *, uint32_t) const { return tree_.contains(handle, nullptr, 0); }
    Insertion insert(uint64_t handle, const uint8_t *, uint32_t) { return tree_.insert(handle, nullptr, 0); }

    // ---- Many states ------------------------------------------------------------

    uint8_t *room() { return written_.data(); }
    bool add(uint32_t length) {
        const uint32_t bytes = write(written_.data(), length, reinterpret_cast<Word *>(tree_.room()));
        return bytes != 0 && tree_.add(bytes);
    }
    bool full() const { return tree_.full(); }
    uint64_t batch() const { return tree_.batch(); }
    void clear() { tree_.clear(); }
    template <class Fresh> Insertion store_batch(Fresh fresh) { return tree_.store_batch(fresh); }
    uint64_t count_known() { return tree_.count_known(); }
    void stop_storing() { tree_.stop_storing(); }

    /* Call `each(bytes, length)` for every state of the tree store. */
    template <class Each> void for_each(TreeStore &tree, Each each) {
        tree.for_each(tree_, [&](const uint8_t *words, uint32_t bytes) {
            const auto [state, length] = look(words, bytes);
            each(state, length);
        });
    }

  protected:
    ViewOverTree(TreeStore &tree, uint64_t most_words, uint32_t most_bytes)
        : tree_(tree), words_(most_words + TreeStore::slack), written_(most_bytes) {}

    Unfolded source_, other_;

  private:
    uint32_t write(const uint8_t *state, uint32_t length, Word *to) {
        longest_ = std::max(longest_, length);
        return static_cast<Own *>(this)->write(state, length, to);
    }
    void read(const uint8_t *words, uint32_t bytes, Unfolded &to) {
        static_cast<Own *>(this)->read(reinterpret_cast<const Word *>(words), bytes, to);
    }
    TreeStore::View::Bytes look(const uint8_t *words, uint32_t bytes) {
        read(words, bytes, other_);
        return {other_.bytes.data(), Own::length_of(other_)};
    }

    TreeStore::View tree_;
    std::vector<Word> words_;
    std::vector<uint8_t> written_; /* where a model writes */
    uint32_t longest_ = 0;
};

} // namespace kripke
#endif
