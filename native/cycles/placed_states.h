/* placed_states.h -- the states of a search by components (component_search.h), and where those
 * are whose component may still grow: the LIVE states, in the order they were met. A live state
 * has its number among them, counted from 1, for a place. Of any other state the place is
 *
 *     fresh   met as a successor at most, to be tried yet
 *     dead    its component is done with
 *
 * In the full store (PlacedRecords) the place follows the record of a state, in four bytes. In
 * a store that has no room for it (PlacedHandles) live states are on a stack that knows where
 * each is (handle_stack.h); what is stored and not on it is dead. So a state whose component is
 * done with takes no more than in any other search.
 *
 * Both are what ComponentSearch is a template over, beside what is said of states in
 * record_states.h:
 *     Spot   of a state of the path: how to come to its place
 *   uint32_t place(met), place(item), place(spot);
 *   Reason enter(ref, item);                // it becomes the last of the live states
 *   Ref live(place); uint64_t live_count();
 *   void bury(spot);                        // that live state, of the path, and all after it
 *   bool on_path(met);                      // with partial-order reduction only, as the two
 *   bool join_path(spot), void leave_path(spot); // next, which say so; false: no memory
 */
#ifndef KRIPKE_PLACED_STATES_H
#define KRIPKE_PLACED_STATES_H

#include "cycles/handle_stack.h"
#include "cycles/handle_states.h"
#include "cycles/record_states.h"
#include "memory/stack.h"

#include <cstring>
#include <utility>

namespace kripke {

namespace places_of {
constexpr uint32_t fresh = 0;
constexpr uint32_t dead = HandleStack::no_place;
} // namespace places_of

class PlacedRecords : public RecordStates {
  public:
    using Spot = uint8_t *; /* the payload */

    /* Of a state, beside its bytes; a last one says whether it is on the path. */
    static constexpr uint32_t payload_bytes(bool reduction) { return sizeof(uint32_t) + reduction; }

    PlacedRecords(Store &store, StateBuffer &buffer, Budget &budget)
        : RecordStates(store, buffer, budget), store_(store), live_(budget) {}

    static uint32_t place(const Met &met) { return place(met.payload); }
    static uint32_t place(const Item &item) { return place(item.payload); }
    static uint32_t place(Spot payload) {
        uint32_t place;
        std::memcpy(&place, payload, sizeof place);
        return place;
    }
    static Spot spot(const Item &item) { return item.payload; }

    Reason enter(Ref ref, const Item &item) {
        if (live_.size() + 1 >= places_of::dead || !live_.push(ref))
            return Reason::memory;
        set_place(item.payload, static_cast<uint32_t>(live_.size()));
        return Reason::none;
    }
    Ref live(uint32_t place) const { return live_[place - 1]; }
    uint64_t live_count() const { return live_.size(); }

    /* All but the first were met long ago. */
    void bury(Spot payload) {
        constexpr uint64_t ahead = 8;
        const uint64_t first = place(payload), count = live_.size();
        set_place(payload, places_of::dead);
        for (uint64_t i = first; i < count; ++i) {
            if (i + ahead < count)
                store_.prefetch_record(live_[i + ahead]);
            set_place(store_.record(live_[i]).payload, places_of::dead);
        }
        live_.shrink(first - 1);
    }

    static bool on_path(const Met &met) { return met.payload[path_byte] != 0; }
    static bool join_path(Spot payload) {
        payload[path_byte] = 1;
        return true;
    }
    static void leave_path(Spot payload) { payload[path_byte] = 0; }

    static Way way(Path path) { return path; } /* for an error */

  private:
    static constexpr size_t path_byte = sizeof(uint32_t);

    static void set_place(Spot payload, uint32_t place) { std::memcpy(payload, &place, sizeof place); }

    Store &store_;
    Stack<uint64_t> live_;
};

template <class Store> class PlacedHandles : public HandleStates<Store> {
    using Base = HandleStates<Store>;

  public:
    using Ref = uint64_t;
    using Spot = uint32_t; /* the place */
    struct Met {
        uint64_t ref;
        uint32_t place;
        bool known() const { return place != places_of::fresh; }
    };
    using Item = Met;

    static constexpr uint32_t payload_bytes(bool) { return 0; } /* in the full store, which is not used */

    PlacedHandles(Budget &budget, const SharedLimits &limits, uint64_t max_states)
        : Base(budget, limits, max_states), live_(budget), on_path_(budget) {}

    // ---- Successors -----------------------------------------------------------

    void hash(Candidate &item) {
        this->identify(item);
        live_.prefetch(item.hash);
    }
    Met find(const Candidate &item) const { return look(item.hash); }
    bool meet(const Candidate &item, Met &met) const {
        met = find(item);
        return true;
    }

    // ---- States ---------------------------------------------------------------

    Item look(Ref handle) const {
        const uint32_t place = live_.find(handle);
        if (place != 0)
            return {handle, place};
        return {handle, this->is_stored(handle) ? places_of::dead : places_of::fresh};
    }
    const uint8_t *open(const Item &item) { return this->open_handle(item.ref); }
    uint32_t length(const Item &) const { return this->opened_length(); } /* of the one opened last */

    // ---- Places -----------------------------------------------------------------

    static uint32_t place(const Met &met) { return met.place; }
    static uint32_t place(Spot spot) { return spot; }
    Spot spot(const Item &) const { return static_cast<Spot>(live_.size()); } /* of the one entered last */

    Reason enter(Ref handle, const Item &) {
        const Reason refused = this->store(handle);
        return refused != Reason::none || live_.push(handle) ? refused : Reason::memory;
    }
    Ref live(uint32_t place) const { return live_[place - 1]; }
    uint64_t live_count() const { return live_.size(); }
    void bury(Spot first) {
        live_.shrink(first - 1);
        if (!on_path_.empty())
            on_path_.shrink(first - 1);
    }

    bool on_path(const Met &met) const { return met.place != places_of::dead && on_path_[met.place - 1]; }
    /* The one entered last. */
    [[nodiscard]] bool join_path(Spot) { return on_path_.push(true); }
    void leave_path(Spot spot) { on_path_[spot - 1] = false; }

    typename Base::Way way(const Path &path) {
        typename Base::Way states;
        states.reserve(path.size());
        for (const uint64_t handle : path)
            this->append(states, handle);
        return states;
    }

  private:
    HandleStack live_;
    Stack<bool> on_path_; /* of each of live_, with partial-order reduction */
};

} // namespace kripke
#endif
