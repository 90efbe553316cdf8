/* record_states.h -- the states of a search for cycles in the full store (store.h): a state
 * is stored when it is first met as a successor, and what the search keeps with it follows
 * its record.
 *
 * This, ColouredHandles (coloured_handles.h) and ViewedStates (viewed_states.h) are what
 * NestedDepthFirst is a template over, and CycleSearch with those of placed_states.h:
 *     Ref      a state that was met: its turn comes, or it is on a path
 *     Marked   the same, and whether the edge to it is marked
 *     Met      a successor that was looked up
 *     Item     a state whose turn has come
 *     Place    of a state of the path, until it is left
 *     Way      the states of a path, for an error
 *   void hash(candidate), begin(first, last);   // successors, before they are looked up
 *   Met find(candidate);                        // met.known(): it was met before
 *   bool meet(candidate, met);                  // and stored if need be; false: too many
 *   bool keep(met, ref), void drop(ref);        // last kept, first dropped; false: no memory
 *   bool failed() const;                        // was there no memory for one of them?
 * and for the colours of a nested depth-first search, as is said there,
 *   Colour colour(met), colour(item);
 *   Reason enter(item); void leave(place);      // cyan, blue
 *   bool redden(item);                          // false: no memory
 */
#ifndef KRIPKE_RECORD_STATES_H
#define KRIPKE_RECORD_STATES_H

#include "stores/candidates.h"
#include "searches/control.h"
#include "searches/error_paths.h"
#include "stores/store_interface.h"

namespace kripke {

enum class Colour : uint8_t { fresh, cyan, blue, red };

class RecordStates {
  public:
    /* Are successors stored before their turn comes? */
    static constexpr bool stores_successors = true;

    using Ref = uint64_t; /* its record */
    struct Marked {
        uint64_t state : 63;
        uint64_t marked : 1;
    };
    struct Met {
        uint64_t ref;
        uint8_t *payload;
        bool known() const { return ref != no_state; }
    };
    using Item = Record;
    using Place = uint8_t *; /* the payload */
    using Way = Path;

    RecordStates(Store &store, StateBuffer &buffer, Budget &) : store_(store), buffer_(buffer) {}

    // ---- Successors -----------------------------------------------------------

    void hash(Candidate &item) { store_.hash(item); }
    void begin(Candidate *first, Candidate *last) { store_.begin_hashed(first, last); }
    static constexpr bool failed() { return false; }

    Met find(const Candidate &item) const {
        const uint64_t offset = store_.find(item);
        return {offset, offset == no_state ? nullptr : store_.payload(item, offset)};
    }
    bool meet(const Candidate &item, Met &met) {
        const auto [outcome, offset] = store_.find_or_insert(item);
        if (outcome == Store::Insertion::full)
            return false;
        met = {offset, store_.payload(item, offset)};
        return true;
    }

    bool keep(const Met &met, Ref &ref) const {
        ref = met.ref;
        return true;
    }
    void drop(Ref) const {}

    // ---- States ---------------------------------------------------------------

    Item look(Ref ref) const { return store_.record(ref); }
    const uint8_t *open(const Item &item) const { return store_.state(item, buffer_); }
    static uint32_t length(const Item &item) { return item.length; }
    static Place place(const Item &item) { return item.payload; }
    static uint64_t record(Ref ref) { return ref; }
    static bool same(Ref one, Ref other) { return one == other; }
    static void append(Way &way, Ref ref) { way.push_back(ref); }
    static constexpr uint64_t bytes_on_way() { return sizeof(Ref); } /* for each state */

    // ---- Colours: two bits of the payload ---------------------------------------

    static Colour colour(const Met &met) { return colour_in(met.payload); }
    static Colour colour(const Item &item) { return colour_in(item.payload); }
    static Reason enter(const Item &item) {
        *item.payload = static_cast<uint8_t>(Colour::cyan);
        return Reason::none;
    }
    static void leave(Place payload) { paint(payload, Colour::blue); }
    static bool redden(const Item &item) {
        paint(item.payload, Colour::red);
        return true;
    }

    // ---- The set of steps that was taken: the others ------------------------------

    static void set_choice(const Item &item, uint32_t choice) {
        const uint32_t number = std::min(choice, all_steps);
        *item.payload = static_cast<uint8_t>(number << colour_bits | static_cast<uint32_t>(colour(item)));
    }
    static uint32_t choice(const Item &item) {
        const uint32_t number = *item.payload >> colour_bits;
        return number == all_steps ? UINT32_MAX : number;
    }

  private:
    static constexpr uint32_t colour_bits = 2;
    static constexpr uint32_t all_steps = 63; /* in the place of the number of a set */

    static Colour colour_in(const uint8_t *payload) {
        return static_cast<Colour>(*payload & ((1u << colour_bits) - 1));
    }
    static void paint(uint8_t *payload, Colour colour) {
        *payload = static_cast<uint8_t>((*payload >> colour_bits << colour_bits) | static_cast<uint32_t>(colour));
    }

    Store &store_;
    StateBuffer &buffer_;
};

} // namespace kripke
#endif
