/* marks.h -- sets of marks: those of the observer's edges, then one per process for
 * fairness. Of a fixed size, so that joining and comparing them is a few words'
 * work.
 */
#ifndef KRIPKE_MARKS_H
#define KRIPKE_MARKS_H

#include <cstddef>
#include <cstdint>

namespace kripke {

template <size_t Words, class Word = uint64_t> struct Marks {
    static constexpr uint32_t bits = 8 * sizeof(Word);
    static constexpr uint32_t most = Words * bits;
    static constexpr size_t size = Words;

    Word words[Words] = {};

    static Marks first(uint32_t count) {
        Marks marks;
        for (uint32_t i = 0; i < count; ++i)
            marks.add(i);
        return marks;
    }

    /* The marks of the first word. */
    static Marks of(uint64_t word) {
        Marks marks;
        marks.words[0] = static_cast<Word>(word);
        return marks;
    }

    void add(uint32_t mark) { words[mark / bits] |= static_cast<Word>(uint64_t{1} << (mark % bits)); }
    bool has(uint32_t mark) const { return (words[mark / bits] >> (mark % bits) & 1) != 0; }

    Marks &operator|=(const Marks &other) {
        for (size_t i = 0; i < Words; ++i)
            words[i] = static_cast<Word>(words[i] | other.words[i]);
        return *this;
    }
    Marks &operator&=(const Marks &other) {
        for (size_t i = 0; i < Words; ++i)
            words[i] = static_cast<Word>(words[i] & other.words[i]);
        return *this;
    }
    Marks operator|(const Marks &other) const { return Marks(*this) |= other; }
    Marks operator&(const Marks &other) const { return Marks(*this) &= other; }
    /* Those that are not in `other`. */
    Marks without(const Marks &other) const {
        Marks result;
        for (size_t i = 0; i < Words; ++i)
            result.words[i] = static_cast<Word>(words[i] & ~other.words[i]);
        return result;
    }

    bool empty() const {
        for (const Word word : words)
            if (word != 0)
                return false;
        return true;
    }
    bool contains(const Marks &other) const { return other.without(*this).empty(); }
};

} // namespace kripke
#endif
