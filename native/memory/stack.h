/* stack.h -- a stack that grows in place and is paid for from a Budget. */
#ifndef KRIPKE_STACK_H
#define KRIPKE_STACK_H

#include "memory/region.h"

#include <cassert>
#include <cstdint>
#include <type_traits>

namespace kripke {

template <class T> class Stack {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    explicit Stack(Budget &budget) : region_(budget) {}

    /* False, and nothing pushed, where there is no memory. */
    [[nodiscard]] bool push(const T &item) {
        if (!make_room(1))
            return false;
        items()[size_++] = item;
        return true;
    }

    void pop() { shrink(size_ - 1); }
    void shrink(uint64_t size) {
        assert(size <= size_);
        size_ = size;
    }

    T &top() { return (*this)[size_ - 1]; }
    T &operator[](uint64_t i) {
        assert(i < size_);
        return items()[i];
    }
    const T &operator[](uint64_t i) const {
        assert(i < size_);
        return items()[i];
    }

    uint64_t size() const { return size_; }
    bool empty() const { return size_ == 0; }

    // ---- Writing in place -------------------------------------------------

    /* Make room for `count` more items after the last. */
    [[nodiscard]] bool make_room(uint64_t count) {
        if ((size_ + count) * sizeof(T) <= region_.usable()) [[likely]]
            return true;
        if (region_.data() == nullptr && !region_.reserve(uint64_t{1} << 38, 1, 8))
            return false;
        return region_.ensure((size_ + count) * sizeof(T));
    }

    /* The place after the last item; writable as far as there is room. */
    T *end() { return items() + size_; }

    /* Take over `count` items written there. */
    void extend(uint64_t count) {
        size_ += count;
        assert(size_ * sizeof(T) <= region_.usable());
    }

  private:
    T *items() { return reinterpret_cast<T *>(region_.data()); }
    const T *items() const { return reinterpret_cast<const T *>(region_.data()); }

    Region region_;
    uint64_t size_ = 0;
};

} // namespace kripke
#endif
