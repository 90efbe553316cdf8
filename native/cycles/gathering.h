/* gathering.h -- the successors of a state as a model hands them over, each with what
 * the search keeps of the edge that leads to it.
 */
#ifndef KRIPKE_GATHERING_H
#define KRIPKE_GATHERING_H

#include "stores/candidates.h"
#include "model/sink.h"
#include "memory/stack.h"

namespace kripke {

template <class Edge> class Gathering {
  public:
    Gathering(Budget &budget, uint32_t max_state_bytes) : states_(budget, max_state_bytes), edges_(budget) {}

    /* Forget what is there; the next state of the sink goes here. False where there is no
     * memory for it: then `out` stays, and what goes there is not to be taken. */
    [[nodiscard]] bool begin(kripke_sink &sink) {
        states_.clear();
        edges_.shrink(0);
        return make_room(sink);
    }

    /* Take the `length` bytes at the sink's `out`. False where there is no memory for the
     * next state. */
    [[nodiscard]] bool take(kripke_sink &sink, uint32_t length, const Edge &edge) {
        states_.add(sink.out, length);
        return edges_.push(edge) && make_room(sink);
    }

    Candidates &states() { return states_; }
    Stack<Edge> &edges() { return edges_; }

  private:
    bool make_room(kripke_sink &sink) {
        uint8_t *const room = states_.room();
        if (room != nullptr)
            sink.out = room;
        return room != nullptr;
    }

    Candidates states_;
    Stack<Edge> edges_; /* of each of states_ */
};

} // namespace kripke
#endif
