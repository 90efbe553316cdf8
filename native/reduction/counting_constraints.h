/* counting_constraints.h -- variables that tell how many have done something: which views can be
 * together, given that the sums must come out.
 *
 * What such a variable holds is its start value and what all actors have added, their
 * shares. The share of an actor is told by where it is (a counter), or by all that it has
 * for itself (a tally; found out while pairs are found). The reference is
 * process/dependence/pairs.py with counters.py and tallies.py.
 */
#ifndef KRIPKE_COUNTING_CONSTRAINTS_H
#define KRIPKE_COUNTING_CONSTRAINTS_H

#include "reduction/views.h"

#include <map>
#include <set>

namespace kripke {

struct Counted {
    uint32_t bits;   /* of its type */
    bool is_signed;
    int64_t start;
    bool is_tally;
    std::vector<uint32_t> places;            /* by actor: where it is in its views, or `no_view` */
    std::vector<std::set<int64_t>> possible; /* by actor: the shares it may have; of a tally, assumed */
};

class CountingConstraints {
  public:
    /* A tally that is none: not all ways to what an actor has for itself add the same. */
    struct NoTally {
        size_t number;
    };

    /* `alone`: by actor the places in its views that no other sees. */
    CountingConstraints(Views &views, std::vector<Counted> counted, std::vector<std::vector<uint32_t>> alone);

    bool is_empty() const { return counted_.empty(); }
    const std::vector<Counted> &counted() const { return counted_; }
    /* Of a tally: the shares that came up, by actor. */
    std::vector<std::set<int64_t>> come_up(size_t number) const;

    /* A view that an actor has at the start, a step from one view to another, a view that is new. */
    void begin(uint32_t pid, uint32_t view);
    void follow(uint32_t pid, uint32_t view, uint32_t target);
    void note(uint32_t pid, uint32_t view);

    /* Is what the variables hold beyond the shares of these two what others may have? */
    bool may_be(uint32_t one, uint32_t view, uint32_t other, uint32_t beside);

    /* Two views, with which a third one may be or not. */
    class Couple;
    Couple couple(uint32_t one, uint32_t view, uint32_t other, uint32_t beside);

  private:
    /* Of one variable, by a view: the value, if it is seen, and the share. */
    struct Sign {
        bool is_seen;
        int64_t value, share;
        auto operator<=>(const Sign &) const = default;
    };
    using Signs = std::vector<Sign>;

    std::string own(uint32_t pid, uint32_t view) const;
    int64_t value(const Counted &counted, uint32_t place, std::string_view text) const;
    int64_t wrapped(const Counted &counted, int64_t value) const;
    const std::set<int64_t> &sum_of(size_t number, std::set<uint32_t> missing);
    uint32_t sign(uint32_t pid, uint32_t view) const { return signs_[pid][view]; }

    enum Answer : uint8_t { not_asked, no, yes };
    /* What was found of two signs: whether they go together, and, by a third actor and its sign, whether that does. */
    struct Known {
        uint32_t one, sign, other, other_sign;
        Answer may_be = not_asked;
        std::vector<std::vector<Answer>> thirds;
    };
    Known &known(uint32_t one, uint32_t view, uint32_t other, uint32_t beside);
    bool finds(const Known &known);
    bool finds_with(const Known &known, uint32_t third, uint32_t its_sign);

    Views &views_;
    const std::vector<Counted> counted_;
    const std::vector<std::vector<uint32_t>> alone_;
    std::vector<std::vector<std::unordered_map<std::string, int64_t>>> shares_; /* by variable, actor and own part */
    std::vector<std::vector<uint32_t>> signs_;                                  /* by actor and view */
    std::vector<Signs> all_signs_;
    std::map<Signs, uint32_t> sign_numbers_;
    std::map<std::pair<size_t, std::set<uint32_t>>, std::set<int64_t>> sums_;
    std::unordered_map<uint64_t, Known> known_;
};

class CountingConstraints::Couple {
  public:
    bool may_be_with(uint32_t third, uint32_t its);

  private:
    friend CountingConstraints;
    Couple(CountingConstraints &counting_constraints, Known *known) : constraints_(counting_constraints), known_(known) {}
    CountingConstraints &constraints_;
    Known *known_; /* null: there is nothing to be counted */
};

} // namespace kripke
#endif
