/* own_lines.h -- memory that shares no line of the processor's cache with other memory.
 *
 * What one thread writes all the time must not lie beside what others read: each write would take the line away from them.
 * (Two lines, since processors fetch them in pairs.)
 */
#ifndef KRIPKE_OWN_LINES_H
#define KRIPKE_OWN_LINES_H

#include <cstddef>
#include <new>

namespace kripke {

inline constexpr size_t own_lines = 128;

/* An allocator for std::vector. */
template <class T> struct OwnLines {
    using value_type = T;

    OwnLines() = default;
    template <class Other> OwnLines(const OwnLines<Other> &) {}

    T *allocate(size_t count) {
        const size_t bytes = (count * sizeof(T) + own_lines - 1) / own_lines * own_lines;
        return static_cast<T *>(::operator new(bytes, std::align_val_t{own_lines}));
    }
    void deallocate(T *place, size_t) { ::operator delete(place, std::align_val_t{own_lines}); }

    bool operator==(const OwnLines &) const { return true; }
};

} // namespace kripke
#endif
