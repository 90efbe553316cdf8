/* terminal_components.h -- which states of a reduced graph must be expanded in full, so that no
 * step is put off for ever.
 *
 * With partial-order reduction a step that is left out of the chosen set (reduced.h) may be left
 * out all around a cycle. What can be reached from a state by steps that were left out is not
 * further away after a step that was chosen; so it is found as long as, wherever the search goes,
 * a state can be reached whose steps are all taken: every terminal component of the reduced
 * graph needs one (after A. Valmari, "Stop it, and be stubborn!", ACM TECS 2017).
 *
 * Without an index beside every state, components are seen from the path of a depth-first search.
 * A state is *trapped* if all its chosen steps lead to the path: of a set of states that cannot
 * be left, the one that is done first is trapped. It leaves a debt to the states above it, as
 * far as the path is reached from below. Where nothing below leads higher, the state that owes
 * must be expanded in full, unless one below it was.
 */
#ifndef KRIPKE_TERMINAL_COMPONENTS_H
#define KRIPKE_TERMINAL_COMPONENTS_H

#include "memory/stack.h"

#include <algorithm>
#include <cstdint>

namespace kripke {

class TerminalComponents {
  public:
    explicit TerminalComponents(Budget &budget) : path_(budget) {}

    /* Places on the path: numbers that grow along it. Call in this order for a state: `enter`, when its
     * steps are known; `must_take_all`, when all below is done; if so, when that is done, again; `leave`. */

    /* `highest`: the least place of the path that a chosen step leads to, or its own; `trapped`: they all lead to
     * the path. False where there is no memory. */
    [[nodiscard]] bool enter(bool takes_all, bool trapped, uint64_t highest) {
        return path_.push({highest, takes_all, trapped});
    }

    /* Must the last state of the path, at this place, be expanded in full? It counts as such from now on. */
    bool must_take_all(uint64_t place) {
        Part &last = path_.top();
        if (!last.owes || last.has_all || last.highest < place)
            return false;
        last.has_all = true;
        return true;
    }

    void leave() {
        const Part below = path_.top();
        path_.pop();
        if (path_.empty())
            return;
        Part &last = path_.top();
        last.highest = std::min(last.highest, below.highest);
        last.has_all |= below.has_all;
        last.owes |= below.owes;
    }

  private:
    /* A state of the path with all below it that is done. */
    struct Part {
        uint64_t highest; /* place that is reached */
        bool has_all;     /* is there a state that was expanded in full? */
        bool owes;        /* is there a trapped one? */
    };

    Stack<Part> path_;
};

} // namespace kripke
#endif
