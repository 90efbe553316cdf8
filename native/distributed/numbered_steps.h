/* numbered_steps.h -- who takes the steps of a distributed search whose states have numbers (distributed_search.h): a file
 * (step_log.h), or a graph in which cycles are looked for (cycle_graph.h).
 *
 * A step is taken by the owner of its target. What else is to be known of it is one word, which travels with the number
 * of its source: a statement, or the marks of an observer.
 */
#ifndef KRIPKE_NUMBERED_STEPS_H
#define KRIPKE_NUMBERED_STEPS_H

#include <cstdint>
#include <cstring>

namespace kripke {

class NumberedSteps {
  public:
    struct Origin {
        uint64_t source;
        uint32_t word;
    };

    // ---- On its way ---------------------------------------------------------------

    static constexpr uint32_t tag_bytes = sizeof(uint64_t) + sizeof(uint32_t);
    static void write(const Origin &origin, uint8_t *tag) {
        std::memcpy(tag, &origin.source, sizeof origin.source);
        std::memcpy(tag + sizeof origin.source, &origin.word, sizeof origin.word);
    }
    static Origin read(const uint8_t *tag) {
        Origin origin;
        std::memcpy(&origin.source, tag, sizeof origin.source);
        std::memcpy(&origin.word, tag + sizeof origin.source, sizeof origin.word);
        return origin;
    }

    // ---- What is told; false where there is no memory --------------------------------

    virtual uint32_t word_of(uint32_t label, uint64_t marks) const = 0;
    /* A step leaves the state of ours with this place among them. */
    virtual bool leave(uint64_t place) = 0;
    /* It has no step, and is no valid end. */
    virtual bool stick(uint64_t place) = 0;
    /* A violation in a step of ours, beside the state that it may lead to. */
    virtual bool end(uint64_t source, uint32_t label, uint32_t code) = 0;
    /* A step to a state of ours; or, from nowhere, the start in an initial one. */
    virtual bool take(const Origin &origin, uint64_t target, bool initial) = 0;

  protected:
    ~NumberedSteps() = default;
};

} // namespace kripke
#endif
