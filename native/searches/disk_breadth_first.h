/* disk_breadth_first.h -- breadth-first search whose states lie in sorted files, for
 * more of them than memory holds (delayed duplicate detection: U. Stern, D. L. Dill,
 * Using magnetic disk instead of main memory in the Murphi verifier, CAV 1998; R. E.
 * Korf, Best-first frontier search with delayed duplicate detection, AAAI 2004).
 *
 * CANDIDATES
 *   The successors of a layer are gathered in memory, sorted when there is no more room,
 *   and put into a file. At the end of the layer all of them are merged, and at the same
 *   time compared with the states known so far, which are sorted, too: what is left is
 *   the next layer. Files are read and written from front to end only.
 *
 * RUNS
 *   The states known are several runs, each less than half of the one before: two that
 *   are not are merged. So a state is written a few times, not in every layer.
 *
 * LAYERS
 *   They are kept one after the other in one file. To find the way to an error, layers
 *   are expanded again backwards from it, each until a step leads to the state looked for.
 */
#ifndef KRIPKE_DISK_BREADTH_FIRST_H
#define KRIPKE_DISK_BREADTH_FIRST_H

#include "searches/parallel_search.h"
#include "stores/sorted_run.h"
#include "memory/stack.h"

#include <memory>

namespace kripke {

class DiskBreadthFirst final : public ParallelSearch {
  public:
    DiskBreadthFirst(const kripke_model &model, const Options &options, Control &control);
    ~DiskBreadthFirst() override;

  private:
    class Worker;

    /* A run of known states, and the file it is in unless that is the file of the layers. */
    struct Known {
        SortedRun run;
        std::shared_ptr<ScratchFile> file;
    };

    void explore() override;
    Progress now() const override;
    uint64_t bytes() const override;
    StoreFigures measure() const override { return {}; }
    bool keeps_paths() const override { return false; }
    void find_paths() override;

    void search();
    bool remember(const SortedRun &layer);
    bool join_last_two();
    std::vector<std::string> path_to(const std::string &state);

    ScratchFile layer_file_;
    std::vector<SortedRun> layers_;
    std::vector<Known> known_;
    std::unique_ptr<Worker> worker_;
    uint64_t states_ = 0, expanded_ = 0;
};

} // namespace kripke
#endif
