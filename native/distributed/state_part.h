/* state_part.h -- the states that one worker of a distributed search owns, level by level.
 *
 * There are two levels at any time: the present one, whose states are being expanded, and the
 * next one, where new states go. The kinds are those of the stores:
 *   full          a Store (stores/store.h), whose arena is the queue of all levels: they can be
 *                 gone through again, which is how paths are found; where asked for, with a number
 *                 behind every state
 *   tree          handles of the two levels beside the trees
 *   hash compaction, bitstate   the states of the two levels themselves; of others only what
 *                 the store keeps
 */
#ifndef KRIPKE_STATE_PART_H
#define KRIPKE_STATE_PART_H

#include "memory/budget.h"
#include "searches/control.h"
#include "searches/search.h"
#include "stores/candidates.h"
#include "stores/store_interface.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace kripke {

/* Told of new states, before the next one is stored. */
class Newcomers {
  public:
    virtual void meet(const uint8_t *state, uint32_t length) = 0;

  protected:
    ~Newcomers() = default;
};

class StatePart {
  public:
    static std::unique_ptr<StatePart> make(const kripke_model &model, const Options &options, Control &control,
                                           Budget &budget, bool numbered = false);
    virtual ~StatePart() = default;

    // ---- Looking up -------------------------------------------------------------

    /* Leave out those that were met lately: the end of those that are left. Each of these is to be stored, here or by
     * another worker. */
    virtual Candidate *leave_out_met(Candidate *, Candidate *last) { return last; }

    /* Store those that are new, in the next level; each has its hash_bytes. `known` where that went well; `stopped` in the control may be the
     * reason of anything else. */
    virtual Insertion store(Candidate *first, Candidate *last, Newcomers *newcomers) = 0;

    /* Of a numbered part: the numbers of the states, new ones included, by the order in which they were stored. */
    virtual Insertion number(Candidate *, Candidate *, uint32_t *) { return Insertion::full; }
    /* Likewise: the number of the state that `next` gave. */
    virtual uint64_t present() const { return 0; }
    /* Likewise: the states with these numbers, in ascending order, each with its level. */
    virtual void read(const std::vector<uint64_t> &, std::vector<std::string> &, std::vector<uint64_t> &) {}

    virtual bool contains(Candidate &state) = 0;

    /* Is it faster to store the successors of each state before the next is expanded? */
    virtual bool by_source() const { return false; }

    // ---- Levels -------------------------------------------------------------------

    struct State {
        const uint8_t *bytes; /* until the next one is asked for */
        uint32_t length;
    };
    /* The next state of the present level; null bytes where there is none. */
    virtual State next() = 0;
    /* Begin the present level again. */
    virtual void rewind() = 0;
    /* The next level becomes the present one; how many states it has. False where there is no memory. */
    virtual bool end_level() = 0;
    virtual uint64_t level_size() const = 0;
    /* States of the present level that were not asked for, and those of the next. */
    virtual uint64_t queue() const = 0;
    /* Go through the states of an earlier level; false where they are not known. `end_level` must not follow. */
    virtual bool open_level(uint64_t) { return false; }

    // ---- Figures --------------------------------------------------------------------

    virtual uint64_t size() const = 0;
    virtual uint64_t bytes() const = 0;
    virtual uint32_t longest() const = 0;
    virtual StoreFigures figures() const { return {}; }
};

} // namespace kripke
#endif
