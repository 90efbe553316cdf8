/* viewed_states.h -- the states of a nested depth-first search in a store that is not exact
 * (store_interface.h); in the place of RecordStates (record_states.h).
 *
 * A state is stored when its turn comes. Its bytes lie on a stack, above those of the state
 * it is a successor of, while it waits or is on a path.
 *
 *     fresh   not in the store
 *     cyan    in a table of the path, which is exact: bytes are compared, whatever the store
 *     red     in a second set: other bits or hashes of the same table (as SPIN does under
 *             -DBITSTATE)
 *     blue    all others
 *
 * So a cycle that is found is one, whatever the store takes for known. What is known by
 * mistake may hide others.
 *
 * With partial-order reduction the inner search takes all steps that lead to states met before, as
 * with handles (coloured_handles.h).
 */
#ifndef KRIPKE_VIEWED_STATES_H
#define KRIPKE_VIEWED_STATES_H

#include "searches/gate.h"
#include "cycles/places.h"
#include "cycles/record_states.h"
#include "memory/stack.h"

#include <cstring>
#include <string>
#include <vector>

namespace kripke {

template <class Store> class ViewedStates {
    static_assert(!Store::exact && !Store::identity_is_handle, "else handles are enough");
    static_assert(Store::slack <= ShortPlan::slack, "which is what follows the candidates");

  public:
    static constexpr bool stores_successors = false;

    struct Ref {
        uint64_t identity;
        uint64_t offset; /* of its bytes on the stack */
        uint32_t length;
    };
    struct Marked {
        Ref state;
        bool marked;
    };
    struct Met {
        const Candidate *candidate;
        Colour seen;
        bool known() const { return seen != Colour::fresh; }
    };
    struct Item {
        Ref ref;
        Colour seen;
    };
    using Place = Ref;
    using Way = std::vector<std::string>;

    ViewedStates(Budget &budget, const SharedLimits &limits, uint64_t max_states)
        : gate_(1), store_(budget, limits, gate_), view_(store_), max_states_(max_states), bytes_(budget),
          path_(budget), places_(budget) {
        gate_.come_back();
    }

    // ---- Successors -----------------------------------------------------------

    void hash(Candidate &item) {
        item.hash = view_.identify(item.state, item.length);
        view_.prefetch(item.hash);
    }
    void begin(Candidate *first, Candidate *last) const {
        for (Candidate *item = first; item != last; ++item)
            item->place = static_cast<uint32_t>(item - first);
    }
    static constexpr bool failed() { return false; }

    Met find(const Candidate &item) { return {&item, colour_of(item.hash, item.state, item.length)}; }
    bool meet(const Candidate &item, Met &met) {
        met = find(item);
        return true;
    }

    bool keep(const Met &met, Ref &ref) {
        const Candidate &item = *met.candidate;
        if (!bytes_.make_room(uint64_t{item.length} + 1)) /* at least a byte, so that there is a place */
            return false;
        ref = {item.hash, bytes_.size(), item.length};
        std::memcpy(bytes_.end(), item.state, item.length);
        bytes_.extend(uint64_t{item.length} + 1);
        return true;
    }
    void drop(const Ref &ref) { bytes_.shrink(ref.offset); }

    // ---- States ---------------------------------------------------------------

    Item look(const Ref &ref) { return {ref, colour_of(ref.identity, bytes(ref), ref.length)}; }
    const uint8_t *open(const Item &item) const { return bytes(item.ref); }
    static uint32_t length(const Item &item) { return item.ref.length; }
    static Place place(const Item &item) { return item.ref; }
    static uint64_t record(const Ref &) { return 0; }
    bool same(const Ref &one, const Ref &other) const {
        return one.length == other.length && std::memcmp(bytes(one), bytes(other), one.length) == 0;
    }
    void append(Way &way, const Ref &ref) const {
        way.emplace_back(reinterpret_cast<const char *>(bytes(ref)), ref.length);
    }
    uint64_t bytes_on_way() const { return sizeof(std::string) + longest(); }

    // ---- Colours ----------------------------------------------------------------

    static Colour colour(const Met &met) { return met.seen; }
    static Colour colour(const Item &item) { return item.seen; }

    Reason enter(const Item &item) {
        if (max_states_ != 0 && size_ == max_states_)
            return Reason::states;
        const Ref &ref = item.ref;
        if (!view_.make_room() || view_.insert(ref.identity, bytes(ref), ref.length) != Insertion::inserted ||
            !places_.put(ref.identity, path_.size()) || !path_.push(ref))
            return Reason::memory;
        ++size_;
        return Reason::none;
    }
    void leave(const Place &ref) {
        path_.pop();
        places_.take_out(ref.identity, path_.size());
    }
    bool redden(const Item &item) {
        some_red_ = true;
        return view_.make_room() && is_in(view_.insert(view_.twin(item.ref.identity), nullptr, 0));
    }

    static void set_choice(const Item &, uint32_t) {}
    static uint32_t choice(const Item &) { return UINT32_MAX; }

    // ---- Figures ------------------------------------------------------------------

    uint64_t size() const { return size_; }
    uint64_t store_bytes() const { return store_.bytes(); }
    uint32_t longest() const { return view_.longest(); }
    StoreFigures figures() const { return store_.figures(); }

  private:
    static bool is_in(Insertion outcome) { return outcome == Insertion::known || outcome == Insertion::inserted; }

    const uint8_t *bytes(const Ref &ref) const { return &bytes_[ref.offset]; }

    Colour colour_of(uint64_t identity, const uint8_t *state, uint32_t length) {
        if (!view_.contains(identity, state, length))
            return Colour::fresh;
        const bool on_path = places_.any(identity, [&](uint64_t place) {
            return path_[place].length == length && std::memcmp(bytes(path_[place]), state, length) == 0;
        });
        if (on_path)
            return Colour::cyan;
        return some_red_ && is_red(identity) ? Colour::red : Colour::blue;
    }
    bool is_red(uint64_t identity) { return view_.contains(view_.twin(identity), nullptr, 0); }

    Gate gate_;
    Store store_;
    typename Store::View view_;
    const uint64_t max_states_;
    uint64_t size_ = 0;
    bool some_red_ = false;
    Stack<uint8_t> bytes_; /* of the states that wait, and of those on a path */
    Stack<Ref> path_;      /* of the outer search */
    Places places_;        /* in path_ */
};

} // namespace kripke
#endif
