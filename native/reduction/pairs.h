/* pairs.h -- which views of two actors go together.
 *
 * For every two actors the pairs of views are found that they may have at the same time: a
 * fix point from the pairs of the first states, under the steps of the one, of the other,
 * and of every third whose view goes together with both of theirs (J. Hoenicke, R. Majumdar,
 * A. Podelski, "Thread modularity at many levels", POPL 2017). It has the pairs of all states
 * that can be reached, and some more. The reference is process/dependence/pairs.py: both find
 * the same.
 */
#ifndef KRIPKE_PAIRS_H
#define KRIPKE_PAIRS_H

#include "reduction/counting_constraints.h"
#include "reduction/views.h"

#include <memory>

namespace kripke {

/* A set of numbers: words of 64, those that are not empty, in order. */
class SparseSet {
  public:
    bool has(uint32_t number) const;
    /* False if it was there. */
    bool add(uint32_t number);

    template <typename Visit> void each(Visit visit) const {
        for (size_t i = 0; i < blocks_.size(); ++i)
            for (uint64_t rest = words_[i]; rest != 0; rest &= rest - 1)
                visit(blocks_[i] * 64 + static_cast<uint32_t>(__builtin_ctzll(rest)));
    }
    /* Of what two sets share. */
    template <typename Visit> static void each_common(const SparseSet &one, const SparseSet &other, Visit visit) {
        for (size_t i = 0, j = 0; i < one.blocks_.size() && j < other.blocks_.size();) {
            if (one.blocks_[i] == other.blocks_[j]) {
                for (uint64_t rest = one.words_[i] & other.words_[j]; rest != 0; rest &= rest - 1)
                    visit(one.blocks_[i] * 64 + static_cast<uint32_t>(__builtin_ctzll(rest)));
                ++i, ++j;
            } else if (one.blocks_[i] < other.blocks_[j]) {
                ++i;
            } else {
                ++j;
            }
        }
    }
    static bool share(const SparseSet &one, const SparseSet &other);

  private:
    std::vector<uint32_t> blocks_;
    std::vector<uint64_t> words_;
};

class Pairs {
  public:
    struct Limits {
        uint64_t pairs, looks;
        uint32_t tally_rounds, tally_shares;
    };

    /* `roots`: the views of those who are there in each of the first states. `tick` is called now and then. Throws
     * TooManyViews where a limit is passed. */
    Pairs(std::unique_ptr<Views> views, const std::vector<std::vector<uint32_t>> &roots, std::vector<Counted> counted,
          const std::vector<std::vector<uint32_t>> &alone, Limits limits, std::function<void()> tick);

    Views &views() const { return *views_; }
    uint64_t count() const { return count_; }

    /* The views that an actor may have, in order. Is it one of them? */
    const std::vector<uint32_t> &met(uint32_t pid) const { return views_met_[pid]; }
    bool has(uint32_t pid, uint32_t view) const { return view < rows_[pid].size() && !rows_[pid][view].empty(); }
    /* The views that another may have at the same time. */
    const SparseSet &beside(uint32_t pid, uint32_t view, uint32_t other) const { return rows_[pid][view][other]; }
    bool go_together(uint32_t one, uint32_t view, uint32_t other, uint32_t beside) const {
        return has(one, view) && rows_[one][view][other].has(beside);
    }

    /* Does a step that an actor has in a view change what the other sees? */
    bool touches(uint32_t pid, uint32_t view, uint32_t other) const { return touches_[pid][view * actors() + other] != 0; }

    /* Are there steps of two together? */
    bool can_meet() const { return can_meet_; }
    /* What two make together, whoever begins. */
    template <typename Visit>
    void each_meeting(uint32_t one, uint32_t view, uint32_t other, uint32_t beside, Visit visit) const {
        for (const ViewMeeting &met : views_->meetings(one, view, other, beside))
            visit(met.target, met.partner, met.effect);
        for (const ViewMeeting &met : views_->meetings(other, beside, one, view))
            visit(met.partner, met.target, met.effect);
    }
    /* Effects of what an actor begins with others, each with that other. */
    using MeetingActs = std::vector<std::pair<uint32_t, uint32_t>>;
    const MeetingActs &meeting_acts(uint32_t pid, uint32_t view) const { return meeting_acts_[pid][view]; }

    /* Wherever both transitions are enabled: does each leave the other enabled, with the same errors, and is the end
     * the same? */
    bool accord(uint32_t one, uint32_t transition, uint32_t other, uint32_t other_transition) const;
    /* The same in one pair. */
    bool accord(uint32_t one, uint32_t view, const ViewMove &mine, uint32_t other, uint32_t beside,
                const ViewMove &theirs) const;
    /* Of one actor: are the two never enabled together? */
    bool exclude(uint32_t pid, uint32_t transition, uint32_t other) const;

  private:
    struct Waiting {
        uint32_t one, view, other, beside;
    };

    void find(const std::vector<std::vector<uint32_t>> &roots, std::vector<Counted> counted,
              const std::vector<std::vector<uint32_t>> &alone);
    void go_alone(uint32_t view);
    void follow(uint32_t pid, uint32_t view, uint32_t target);
    void add(uint32_t one, uint32_t view, uint32_t other, uint32_t beside);
    std::vector<SparseSet> &row(uint32_t pid, uint32_t view);
    void go_on(const Waiting &pair);
    void change_many(uint32_t effect, uint32_t one, uint32_t view, uint32_t other);
    void meet(uint32_t one, uint32_t view, uint32_t other, uint32_t beside);
    void meet_beside(uint32_t one, uint32_t view, uint32_t other, uint32_t beside, uint32_t third);
    void change_by_meetings(uint32_t pid, uint32_t actor, uint32_t one, uint32_t view, uint32_t other, uint32_t beside);
    void change_all(uint32_t effect, uint32_t pid, uint32_t view, uint32_t partner);
    void look(uint64_t count);
    void index_moves();
    size_t actors() const { return rows_.size(); }
    bool follows(uint32_t actor, const ViewMove &first, uint32_t other, uint32_t view, const ViewMove &second,
                 std::pair<uint32_t, uint32_t> &end) const;

    const std::unique_ptr<Views> views_;
    const Limits limits_;
    const std::function<void()> tick_;
    std::unique_ptr<CountingConstraints> constraints_;
    std::vector<std::vector<std::vector<SparseSet>>> rows_; /* by actor, view and other actor; none: not met */
    std::vector<std::vector<std::vector<uint32_t>>> acts_;  /* by actor and view: the effects of its steps */
    std::vector<std::vector<MeetingActs>> meeting_acts_;
    std::vector<std::vector<uint32_t>> views_met_;          /* by actor */
    std::vector<Waiting> waiting_;
    std::vector<uint32_t> common_;
    std::vector<uint64_t> marks_; /* by effect: when it was last met */
    uint64_t mark_ = 0;
    uint64_t count_ = 0, looks_ = 0;
    bool can_meet_ = false;
    std::vector<std::unordered_map<uint32_t, SparseSet>> enabled_; /* by actor and transition: views */
    std::vector<std::vector<uint8_t>> touches_;                    /* by actor, view and other */
};

} // namespace kripke
#endif
