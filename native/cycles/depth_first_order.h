/* depth_first_order.h -- true depth-first order, with all successors of a state looked up together: states
 * wait on a stack until their turn comes.
 *
 * A frame of the path has the height of that stack when its last successor is done with
 * (`pending`).
 */
#ifndef KRIPKE_DEPTH_FIRST_ORDER_H
#define KRIPKE_DEPTH_FIRST_ORDER_H

#include "memory/stack.h"

namespace kripke {

/* Until nothing is left or `stopped()`: `visit(state)` the last one that waits and is a successor of the last state of
 * the path (or initial); where there is none, `leave()` that state, which takes it off the path. */
template <class Frame, class Pending, class Stopped, class Visit, class Leave>
void take_turns(Stack<Frame> &path, Stack<Pending> &waiting, const Stopped &stopped, const Visit &visit,
                const Leave &leave) {
    while (!stopped()) {
        const uint64_t done = path.empty() ? 0 : path.top().pending;
        if (waiting.size() > done) {
            const Pending next = waiting.top();
            waiting.pop();
            visit(next);
        } else if (!path.empty()) {
            leave();
        } else {
            break;
        }
    }
}

} // namespace kripke
#endif
