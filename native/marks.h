/* marks.h -- sets of marks: those of the observer's edges, then one per process for
 * fairness. Of a fixed size, so that joining and comparing them is a few words'
 * work.
 */
#ifndef KRIPKE_MARKS_H
#define KRIPKE_MARKS_H

#include <cstddef>
#include <cstdint>

namespace kripke {

template <size_t Words> struct Marks {
    uint64_t words[Words] = {};

    static Marks first(uint32_t count) {
        Marks marks;
        for (uint32_t i = 0; i < count; ++i)
            marks.add(i);
        return marks;
    }

    void add(uint32_t mark) { words[mark / 64] |= uint64_t{1} << (mark % 64); }
    bool has(uint32_t mark) const { return (words[mark / 64] >> (mark % 64) & 1) != 0; }

    Marks &operator|=(const Marks &other) {
        for (size_t i = 0; i < Words; ++i)
            words[i] |= other.words[i];
        return *this;
    }
    Marks &operator&=(const Marks &other) {
        for (size_t i = 0; i < Words; ++i)
            words[i] &= other.words[i];
        return *this;
    }
    Marks operator|(const Marks &other) const { return Marks(*this) |= other; }
    Marks operator&(const Marks &other) const { return Marks(*this) &= other; }
    /* Those that are not in `other`. */
    Marks without(const Marks &other) const {
        Marks result;
        for (size_t i = 0; i < Words; ++i)
            result.words[i] = words[i] & ~other.words[i];
        return result;
    }

    bool empty() const {
        for (const uint64_t word : words)
            if (word != 0)
                return false;
        return true;
    }
    bool contains(const Marks &other) const { return other.without(*this).empty(); }
};

} // namespace kripke
#endif
