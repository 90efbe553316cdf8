/* short_record.h -- a record of the arena that fits a few words.
 *
 * It is the record as it lies there, the number of its plan included, in words,
 * with 0 behind its end. So two states are equal if their short records are,
 * and looking one up or writing it down is a matter of a few registers.
 * (If the records differ the states may still be equal: packed by different plans.)
 */
#ifndef KRIPKE_SHORT_RECORD_H
#define KRIPKE_SHORT_RECORD_H

#include "memory/bits.h"

#include <cstdint>

namespace kripke {

struct ShortRecord {
    static constexpr uint32_t most_words = 4;
    static constexpr uint32_t most_bytes = 8 * most_words;

    /* What the records of one plan have in common. */
    struct Shape {
        uint32_t bytes = 0;     /* of a record, 0 where there is none */
        uint64_t last_mask = 0; /* the bits of its last word that belong to it */
    };

    uint64_t words[most_words];

    /* Is this what lies there? Reads whole words. */
    bool lies_at(const uint8_t *place, Shape shape) const {
        if constexpr (reads_exactly)
            return same_one_by_one(place, reinterpret_cast<const uint8_t *>(words), shape.bytes);
        uint64_t difference = 0;
        uint32_t i = 0;
        for (; 8 * (i + 1) < shape.bytes; ++i)
            difference |= load_word(place + 8 * i) ^ words[i];
        return (difference | ((load_word(place + 8 * i) ^ words[i]) & shape.last_mask)) == 0;
    }

    /* Write it there, in whole words: what lies behind becomes 0. */
    void put(uint8_t *place, Shape shape) const {
        for (uint32_t i = 0; 8 * i < shape.bytes; ++i)
            store_word(place + 8 * i, words[i]);
    }
};

} // namespace kripke
#endif
