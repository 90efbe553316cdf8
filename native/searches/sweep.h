/* sweep.h -- the sweep-line method: states in the order of a measure of progress, and those
 * that were left behind are thrown away.
 *
 * SWEEPS (S. Christensen, L. M. Kristensen, T. Mailund, A sweep-line method for state space
 * exploration, TACAS 2001; L. M. Kristensen, T. Mailund, A generalised sweep-line method for
 * safety properties, FME 2002)
 *   The model has a measure of progress, which steps mostly keep or raise. Of the states that
 *   wait, those with the least measure are expanded next, until none is left: then no step but
 *   one that goes back can lead there, and all states with this measure are dropped. A state that
 *   a step back leads to is kept for good, is persistent, and the next sweep begins with those
 *   that were found in this one. A sweep that finds none is the last.
 *   There are no more persistent states than states, so it comes to an end, and has seen every
 *   state, whatever the measure is: a bad one costs memory and time, never an error.
 *
 * COUNTS
 *   `states` are visits: a state that was dropped and is met again is searched, and counted,
 *   again. Without a step back every state is met once.
 *
 * BAGS
 *   The states of one measure are a bag (state_bag.h), and dropped with it. The persistent ones
 *   are another.
 *
 * PATHS (L. M. Kristensen, T. Mailund, Efficient path finding with the sweep-line method using
 * external storage, ICFEM 2003)
 *   For every visit a file is told from which one it was made, and by which of its steps: twelve
 *   bytes. A path is followed back in the file, and the steps are taken again from the start.
 */
#ifndef KRIPKE_SWEEP_H
#define KRIPKE_SWEEP_H

#include "searches/search.h"
#include "stores/sorted_run.h"
#include "memory/stack.h"
#include "stores/state_bag.h"

#include <map>
#include <string>
#include <vector>

namespace kripke {

class Sweep final : public Search {
  public:
    Sweep(const kripke_model &model, const Options &options, Control &control);

    void take(uint32_t length, uint32_t label) noexcept;
    void complain(uint32_t code, uint32_t label) noexcept { found_violation(code, label); }

    uint32_t longest() const override { return longest_; }
    SweepFigures sweep_figures() const override { return {sweeps_, most_kept_, persistent_.size()}; }

  private:
    /* From where a visit was made. */
    struct Crumb {
        uint64_t from; /* the number of a visit; no_state: it is an initial state */
        uint32_t step; /* which of those that the model hands over */
    };
    static constexpr uint64_t crumb_bytes = 12, crumbs_at_once = 4096;
    static constexpr uint64_t bytes_of_bag = 160; /* besides what is in it */

    /* A persistent state with which a sweep begins. */
    struct Root {
        int64_t measure;
        uint64_t reference;
    };

    void explore() override;
    void make_paths() override;
    uint64_t depth() const override { return deepest_; }
    uint64_t queue() const override { return waiting_; }
    uint64_t stored() const override { return visits_; }
    uint64_t stored_bytes() const override { return budget_.peak(); }

    Stack<Root> &roots() { return roots_[sweeps_ % 2]; }
    Stack<Root> &next_roots() { return roots_[(sweeps_ + 1) % 2]; }

    void sweep();
    void expand_entry(const StateBag &bag, uint64_t reference);
    StateBag *bag_of(int64_t measure);
    void drop_first_bag();
    bool keep(uint64_t hash, uint32_t length, int64_t measure);

    bool write_crumb(const Crumb &crumb);
    bool read_crumb(uint64_t number, Crumb &crumb) const;
    std::vector<std::string> path_to(uint64_t number);

    std::map<int64_t, StateBag> bags_; /* those not yet dropped, by their measure */
    StateBag persistent_;
    Stack<Root> roots_[2];
    ScratchFile file_;
    std::vector<uint8_t> crumbs_; /* that wait to be written */

    std::vector<uint8_t> here_, expanded_;   /* where the model writes; the state being expanded */
    StateBag::Entry from_{no_state, 0, 0};   /* of the state being expanded */
    uint32_t step_ = 0;                      /* so many were handed over from it */
    int64_t line_ = INT64_MIN;               /* its measure */

    uint64_t visits_ = 0, waiting_ = 0, deepest_ = 0;
    uint64_t sweeps_ = 0, kept_ = 0, most_kept_ = 0;
    uint32_t longest_ = 0;
};

} // namespace kripke
#endif
