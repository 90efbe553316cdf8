/* handle_states.h -- the states of a search for cycles in a store that loses nothing and has no
 * room for marks (store_interface.h); in the place of RecordStates (record_states.h).
 *
 * A state is known by its handle before it is stored, and its bytes can be got back at any
 * time: so the handle is all that is kept of a state that waits, or is on a path. It is stored
 * when its turn comes.
 */
#ifndef KRIPKE_HANDLE_STATES_H
#define KRIPKE_HANDLE_STATES_H

#include "stores/candidates.h"
#include "searches/control.h"
#include "searches/gate.h"
#include "cycles/record_states.h"

#include <string>
#include <vector>

namespace kripke {

template <class Store> class HandleStates {
    static_assert(Store::exact && Store::unfolds && Store::identity_is_handle, "handles stand for states");
    static_assert(Store::slack <= ShortPlan::slack, "which is what follows the candidates");

  public:
    static constexpr bool stores_successors = false;

    using Ref = uint64_t; /* its handle */
    using Way = std::vector<std::string>;

    HandleStates(Budget &budget, const SharedLimits &limits, uint64_t max_states)
        : gate_(1), store_(budget, limits, gate_), view_(store_), max_states_(max_states) {
        gate_.come_back();
    }

    // ---- Successors -----------------------------------------------------------

    void begin(Candidate *first, Candidate *last) const {
        for (Candidate *item = first; item != last; ++item)
            item->place = static_cast<uint32_t>(item - first);
    }
    bool failed() const { return failed_; }
    void drop(Ref) const {}

    // ---- States ---------------------------------------------------------------

    static uint64_t record(Ref) { return 0; }
    static bool same(Ref one, Ref other) { return one == other; }
    void append(Way &way, Ref ref) {
        const auto [state, length] = view_.look(ref);
        way.emplace_back(reinterpret_cast<const char *>(state), length);
    }
    uint64_t bytes_on_way() const { return sizeof(std::string) + longest(); }

    // ---- Figures ----------------------------------------------------------------

    uint64_t size() const { return store_.size(); }
    uint64_t store_bytes() const { return store_.bytes(); }
    uint32_t longest() const { return view_.longest(); }
    StoreFigures figures() const { return store_.figures(); }

  protected:
    /* Its handle, which is where its hash would be. */
    void identify(Candidate &item) {
        item.hash = view_.identify(item.state, item.length);
        failed_ |= item.hash == 0;
        view_.prefetch(item.hash);
    }
    bool is_stored(uint64_t handle) const { return view_.contains(handle, nullptr, 0); }
    Reason store(uint64_t handle) {
        if (max_states_ != 0 && store_.size() == max_states_)
            return Reason::states;
        const bool stored = view_.make_room() && view_.insert(handle, nullptr, 0) == Insertion::inserted;
        return stored ? Reason::none : Reason::memory;
    }
    /* Its bytes; what is identified next are its successors. */
    const uint8_t *open_handle(uint64_t handle) {
        view_.open(handle);
        return view_.state();
    }
    uint32_t opened_length() const { return view_.length(); }

    Gate gate_;

  private:
    Store store_;
    typename Store::View view_;
    const uint64_t max_states_;
    bool failed_ = false;
};

} // namespace kripke
#endif
