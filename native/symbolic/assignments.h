/* assignments.h -- what assignments to some levels do to sets.
 *
 * A RELATION says which values some levels may have together, and which they get: a tree over
 * these levels, by ascending level, in which equal parts stand once. A guard is a relation that
 * changes nothing. A MOVE says which levels a step touches: each gets what the relation says, or
 * a constant, whatever it was. A level that goes out of scope gets 0, so that it costs nothing.
 * All other levels stay as they are and are not looked at: below the last level that is touched
 * an image is the set itself (the "image without identities" of R. Alur, R. Grosu,
 * M. McDougall, CAV 2000, section 3.2).
 *
 * PAIRS. Where only even levels are used, a set of pairs of states has the one state on the even
 * levels and the other on the odd ones; moves go on to work on the even ones.
 */
#ifndef KRIPKE_ASSIGNMENTS_H
#define KRIPKE_ASSIGNMENTS_H

#include "symbolic/diagram.h"

#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace kripke {

class Assignments {
  public:
    /* Old and new value on each level of a relation. */
    using Row = std::vector<std::pair<uint32_t, uint32_t>>;
    static constexpr uint32_t never = 0, always = 1; /* relations: no row; the one that is about no level */

    /* `related`: the level is the next of the relation. `fixed`: it gets `value`. At least one of them. */
    struct Touch {
        uint32_t level;
        bool related, fixed;
        uint32_t value;
    };

    explicit Assignments(Diagram &diagram);

    /* Rows of one length; equal relations have equal numbers. */
    uint32_t relation(std::vector<Row> rows);

    /* The relation whose first level has these entries: old value, new value, the relation of the other levels, all of
     * one width. */
    uint32_t relation_of(std::vector<std::array<uint32_t, 3>> entries);

    /* By ascending level. */
    uint32_t move(std::vector<Touch> touches);

    uint32_t relations() const { return static_cast<uint32_t>(relations_.size()); }
    uint32_t moves() const { return static_cast<uint32_t>(moves_.size()); }

    /* How many levels a relation is about, and how many of a move's are related: they must agree. */
    uint32_t width(uint32_t relation) const { return widths_[relation]; }
    uint32_t related(uint32_t move) const { return moves_[move].related; }

    /* What becomes of the members for which the relation has a row. */
    Set image(Set set, uint32_t relation, uint32_t move) { return image(set, relation, move, 0); }

    // ---- Pairs --------------------------------------------------------------------

    /* Every member of `set`, over even levels, with itself. */
    Set mirrored(Set set);

    /* The pairs whose state on the levels of parity `side` is in `states`, a set over even levels. */
    Set select(Set pairs, Set states, uint32_t side);

    /* The states of pairs on the levels of parity `side`, as a set over even levels. */
    Set project(Set pairs, uint32_t side);

  private:
    struct Entry {
        uint32_t old, now, rest;
        auto operator<=>(const Entry &) const = default;
    };
    struct Move {
        std::vector<Touch> touches;
        uint32_t first; /* its positions are numbered from here, through all moves */
        uint32_t related;
    };

    uint32_t node(std::vector<Entry> entries);
    uint32_t built(std::vector<Row> &rows, size_t column, size_t begin, size_t end);
    Set image(Set set, uint32_t relation, uint32_t move, uint32_t position);

    Diagram &diagram_;
    std::vector<std::vector<Entry>> relations_;
    std::vector<uint32_t> widths_;
    std::map<std::vector<Entry>, uint32_t> known_;
    std::vector<Move> moves_;
    uint32_t positions_ = 0;
};

} // namespace kripke
#endif
