/* shortening.h -- a shorter counterexample from one that a search for cycles found.
 *
 * The way to the loop becomes a shortest way from an initial state to any state of the
 * loop, and the loop a shortest one through that state with all marks, both found
 * breadth-first. That is not the shortest lasso of all, but costs little: at most
 * `limit` states are looked at for each; beyond, the counterexample stays as it is.
 *
 * `shortest` finds a lasso of the fewest steps in all: every state, in the order of its
 * distance, is tried as the start of a loop that would make it shorter.
 */
#ifndef KRIPKE_SHORTENING_H
#define KRIPKE_SHORTENING_H

#include "searches/control.h"
#include "model/sink.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace kripke {

/* A run and a loop: the last state is that at `loop` again. */
struct Lasso {
    std::vector<std::string> states;
    uint64_t loop;
};

class Shortening final : public Sink {
  public:
    /* `required` are the marks a loop must have. */
    Shortening(const kripke_model &model, const Control &control, uint64_t required);

    void shorten(Lasso &lasso, uint64_t limit);
    void shortest(Lasso &lasso);

    void take(uint32_t length, uint32_t label) noexcept;
    void complain(uint32_t, uint32_t) noexcept {}

  private:
    struct Successor {
        std::string state;
        uint64_t marks;
    };

    /* A state of a breadth-first search, and where it came from. */
    struct Node {
        std::string state;
        uint64_t marks; /* on the way to it */
        uint64_t parent, distance;
    };

    const std::vector<Successor> &successors(const std::string &state);
    std::vector<std::string> way(const std::vector<Node> &nodes, uint64_t last) const;
    std::vector<Node> reach(uint64_t limit, const std::unordered_map<std::string, uint64_t> *goals, uint64_t &found);
    std::vector<std::string> loop_through(const std::string &start, uint64_t limit, uint64_t longest);

    const Control &control_;
    const uint64_t required_;
    std::vector<uint8_t> buffer_;
    std::vector<Successor> successors_;
};

} // namespace kripke
#endif
