/* step_log.h -- the steps of a numbered search, on their way to a file: whoever writes it empties the log now and then. */
#ifndef KRIPKE_STEP_LOG_H
#define KRIPKE_STEP_LOG_H

#include "distributed/numbered_steps.h"

#include <cstdint>
#include <new>
#include <vector>

namespace kripke {

class StepLog final : public NumberedSteps {
  public:
    static constexpr uint64_t nowhere = UINT64_MAX; /* the target of a step that a violation ended */

    uint32_t word_of(uint32_t label, uint64_t) const override { return label; }
    bool leave(uint64_t) override { return true; }
    bool stick(uint64_t place) override { return put(deadlocks, place); }
    bool end(uint64_t source, uint32_t label, uint32_t code) override {
        return put(sources, source) && put(targets, nowhere) && put(words, label) &&
               put(codes, static_cast<int32_t>(code));
    }
    bool take(const Origin &origin, uint64_t target, bool initial) override {
        if (initial)
            return put(initials, target);
        return put(sources, origin.source) && put(targets, target) && put(words, origin.word) && put(codes, int32_t{-1});
    }

    uint64_t size() const { return sources.size(); }

    std::vector<uint64_t> sources, targets;
    std::vector<uint32_t> words;
    std::vector<int32_t> codes;       /* of violations, or -1 */
    std::vector<uint64_t> deadlocks;  /* places of states */
    std::vector<uint64_t> initials;   /* numbers of initial states, as often as the model comes with them */

  private:
    template <class Item> static bool put(std::vector<Item> &items, Item item) {
        try {
            items.push_back(item);
        } catch (const std::bad_alloc &) {
            return false;
        }
        return true;
    }
};

} // namespace kripke
#endif
