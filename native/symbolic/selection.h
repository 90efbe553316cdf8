/* selection.h -- parts of sets of markings, and numbers about them. */
#ifndef KRIPKE_SELECTION_H
#define KRIPKE_SELECTION_H

#include "symbolic/diagram.h"
#include "symbolic/saturation.h"

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace kripke {

/* A natural number, the lowest digits first. */
using Digits = std::vector<uint64_t>;
void add_to(Digits &sum, const Digits &other);

/* A weighted sum of tokens: (level, weight) by ascending level, weights not 0. */
using Weights = std::vector<std::pair<uint32_t, int64_t>>;

class Selection {
  public:
    /* Transitions as in a Relation of the same diagram; `first` as there. */
    Selection(Diagram &diagram, const std::vector<Effects> &transitions, uint32_t first);

    /* Markings of `set` whose weighted sum is at least `least`. */
    Set at_least(Set set, const Weights &weights, int64_t least);

    /* The least and the greatest weighted sum in a set that is not empty. */
    std::pair<int64_t, int64_t> range(Set set, const Weights &weights);

    /* Markings of `set` that enable a transition, or do not. */
    Set enabled(Set set, uint32_t transition) { return chosen<true>(set, transition, 0); }
    Set disabled(Set set, uint32_t transition) { return chosen<false>(set, transition, 0); }

    /* Markings of `set` that enable no transition. */
    Set dead(Set set);

    /* How many markings a set has; how many pairs of a marking and a transition that it enables. */
    Digits count(Set set);
    Digits count_steps(Set set);

    /* The most tokens on each level in any marking of a set, up to the last level that ever has any. */
    std::vector<uint32_t> most_on_levels(Set set) const;

    /* Some marking of a set that is not empty: (level, tokens) where there are any. */
    std::vector<std::pair<uint32_t, uint32_t>> pick(Set set) const;

    /* The set of one marking, given in the same way. */
    Set single(const std::vector<std::pair<uint32_t, uint32_t>> &marking);

  private:
    struct Need {
        uint32_t level, tokens;
    };
    template <bool wanted> Set bounded(Set set, uint32_t level, uint32_t least);
    template <bool wanted> Set chosen(Set set, uint32_t transition, uint32_t position);
    Set dead_below(Set set);
    /* A number for each of many sets. */
    class Counts {
      public:
        Counts(Diagram &diagram, std::unordered_map<Set, Digits> known) : loan_(diagram), known_(std::move(known)) {}

        const Digits *find(Set set) const {
            const auto found = known_.find(set);
            return found == known_.end() ? nullptr : &found->second;
        }
        const Digits &put(Set set, Digits &&number) {
            loan_.entry(sizeof(std::pair<Set, Digits>) + number.capacity() * sizeof(uint64_t));
            return known_[set] = std::move(number);
        }

      private:
        Diagram::Loan loan_;
        std::unordered_map<Set, Digits> known_;
    };
    const Digits &count_below(Set set, Counts &known);
    const Digits &steps_below(Set set, Counts &steps, Counts &known);

    Diagram &diagram_;
    const uint32_t first_;
    std::vector<std::vector<Need>> needs_;      /* of transitions, by ascending level */
    std::vector<std::vector<uint32_t>> by_top_; /* of levels: transitions whose first need is there */
    uint32_t always_ = 0;                       /* transitions that need nothing */
};

} // namespace kripke
#endif
