/* coloured_handles.h -- the colours of a nested depth-first search beside a store that loses
 * nothing (handle_states.h); in the place of RecordStates (record_states.h).
 *
 *     fresh   not in the store
 *     cyan    on a stack of the path, which knows where each is (handle_stack.h)
 *     red     in a second set, of handles
 *     blue    all others
 *
 * With partial-order reduction nothing tells which steps of a blue state were taken: the inner
 * search takes all that lead to states met before. That is as good: it sees at least what the
 * outer search saw, every state it reddens leads to no cyan one by any of these steps, and a
 * cyan state it meets closes a cycle of the model.
 */
#ifndef KRIPKE_COLOURED_HANDLES_H
#define KRIPKE_COLOURED_HANDLES_H

#include "cycles/handle_stack.h"
#include "cycles/handle_states.h"
#include "stores/hash_compact_store.h"

namespace kripke {

template <class Store> class ColouredHandles : public HandleStates<Store> {
    using Base = HandleStates<Store>;

  public:
    using Ref = uint64_t;
    struct [[gnu::packed]] Marked {
        Ref state;
        bool marked;
    };
    struct Met {
        Ref ref;
        Colour seen;
        bool known() const { return seen != Colour::fresh; }
    };
    using Item = Met;
    using Place = uint32_t; /* on the path */

    ColouredHandles(Budget &budget, const SharedLimits &limits, uint64_t max_states)
        : Base(budget, limits, max_states), path_(budget), red_(budget, SharedLimits(), this->gate_), red_view_(red_) {}

    // ---- Successors -----------------------------------------------------------

    void hash(Candidate &item) {
        this->identify(item);
        path_.prefetch(item.hash);
    }
    Met find(const Candidate &item) { return look(item.hash); }
    bool meet(const Candidate &item, Met &met) {
        met = find(item);
        return true;
    }
    static bool keep(const Met &met, Ref &ref) {
        ref = met.ref;
        return true;
    }

    // ---- States ---------------------------------------------------------------

    Item look(Ref handle) { return {handle, colour_of(handle)}; }
    const uint8_t *open(const Item &item) { return this->open_handle(item.ref); }
    uint32_t length(const Item &) const { return this->opened_length(); } /* of the one opened last */
    Place place(const Item &) const { return static_cast<Place>(path_.size()); } /* of the one entered last */

    // ---- Colours ----------------------------------------------------------------

    static Colour colour(const Met &met) { return met.seen; }

    Reason enter(const Item &item) {
        const Reason refused = this->store(item.ref);
        return refused != Reason::none || path_.push(item.ref) ? refused : Reason::memory;
    }
    void leave(Place place) { path_.shrink(place - 1); }
    bool redden(const Item &item) {
        some_red_ = true;
        return red_view_.make_room() && red_view_.insert(item.ref, nullptr, 0) == Insertion::inserted;
    }

    static void set_choice(const Item &, uint32_t) {}
    static uint32_t choice(const Item &) { return UINT32_MAX; }

    uint64_t store_bytes() const { return Base::store_bytes() + red_.bytes(); }

  private:
    Colour colour_of(Ref handle) {
        if (path_.find(handle) != 0)
            return Colour::cyan;
        if (!this->is_stored(handle))
            return Colour::fresh;
        return some_red_ && red_view_.contains(handle, nullptr, 0) ? Colour::red : Colour::blue;
    }

    HandleStack path_;               /* of the outer search */
    HashCompactStore<uint64_t> red_; /* in all bits of their handles, so nothing is lost */
    HashCompactStore<uint64_t>::View red_view_;
    bool some_red_ = false;
};

} // namespace kripke
#endif
