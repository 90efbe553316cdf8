/* retrace.h -- shortest paths from the layers of a breadth-first search.
 *
 * The store keeps no parents. To find how a state of layer d was reached, the
 * states of layer d - 1 are expanded again, in their old order, until one leads
 * to it: that one discovered it. Several paths are followed back together, so
 * that the whole costs less than the search did, however many there are.
 */
#ifndef KRIPKE_RETRACE_H
#define KRIPKE_RETRACE_H

#include "searches/control.h"
#include "searches/error_paths.h"
#include "model/sink.h"
#include "memory/stack.h"
#include "stores/store.h"

#include <unordered_map>
#include <vector>

namespace kripke {

class Retrace final : public Sink {
  public:
    /* `layers` as in BreadthFirst. */
    Retrace(const kripke_model &model, const Store &store, const Stack<uint64_t> &layers, const Control &control);

    /* Give every error its path. Those whose path could not be finished,
     * because it was asked to stop, are left without one. */
    void find_paths(const std::vector<ErrorPath *> &error_paths);

    void take(uint32_t length, uint32_t label) noexcept;
    void complain(uint32_t, uint32_t) noexcept {}

  private:
    /* A state whose parent is looked for. */
    struct Target {
        uint64_t state;
        uint64_t parent;
    };

    uint64_t layer_of(uint64_t offset) const;
    void find_parents(uint64_t layer);

    const Store &store_;
    const Stack<uint64_t> &layers_;
    const Control &control_;
    std::vector<uint8_t> buffer_;                      /* the state handed over */
    StateBuffer unpacked_, target_state_;
    std::unordered_multimap<uint64_t, Target> targets_; /* by hash */
    uint64_t missing_ = 0;                             /* targets without a parent */
    uint64_t source_ = no_state;
};

} // namespace kripke
#endif
