/* parallel_search.h -- a search for errors in states and steps by one or several workers, each a
 * thread, on one store that they share (store_interface.h).
 *
 * What is checked and counted is as in search.h. States and transitions are the same
 * numbers whoever finds a state first, in either order; which of several errors is the
 * first one kept may differ from run to run.
 *
 * The orders are ParallelBreadthFirst, layer by layer, and ParallelDepthFirst; DiskBreadthFirst is
 * a search by one worker with a store of its own. ParallelBreadthFirst keeps
 * no way back to the initial states: where it finds errors, a search by one worker
 * with the full store, no deeper than they are, finds the shortest paths.
 */
#ifndef KRIPKE_PARALLEL_SEARCH_H
#define KRIPKE_PARALLEL_SEARCH_H

#include "memory/budget.h"
#include "searches/checkpoint.h"
#include "searches/control.h"
#include "searches/error_paths.h"
#include "searches/gate.h"
#include "memory/own_lines.h"
#include "searches/search.h"
#include "model/sink.h"
#include "stores/store_interface.h"
#include "searches/supervised.h"

#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace kripke {

class ParallelWorker;

class ParallelSearch : public Supervised {
  public:
    static std::unique_ptr<ParallelSearch> make(const kripke_model &model, const Options &options, Control &control);

    void run() override;

    // ---- The answer, after run --------------------------------------------

    bool complete() const { return reason_ == Reason::none; }
    Reason reason() const { return reason_; }
    /* The states of a path are in its `states`; none where it is not known. */
    const ErrorPaths &error_paths() const { return error_paths_; }
    const Progress &totals() const override { return totals_; }
    double seconds() const override { return seconds_; }
    uint64_t store_bytes() const { return store_bytes_; }
    uint64_t peak_bytes() const { return budget_.peak(); }
    uint32_t longest() const { return longest_; }
    const std::vector<uint8_t> &coverage() const { return covered_; }
    const StoreFigures &figures() const { return figures_; }
    /* Checkpoints written, and those that could not be. */
    uint64_t checkpoints() const { return checkpoints_; }
    uint64_t failed_checkpoints() const { return failed_checkpoints_; }

    // ---- For workers --------------------------------------------------------

    /* Count an error. Its path, if the worker knows it, is kept with the first of its
     * kind. */
    void found(const Error &error, const ParallelWorker &worker) noexcept;
    void add_worker(const ParallelWorker &worker) { workers_.push_back(&worker); }

    const kripke_model &model() const { return model_; }
    const Options &options() const { return options_; }
    Control &control() { return control_; }
    Budget &budget() { return budget_; }
    Gate &gate() { return gate_; }

  protected:
    ParallelSearch(const kripke_model &model, const Options &options, Control &control);

    /* Let all workers work until nothing is left or the control says stop. */
    virtual void explore() = 0;
    virtual Progress now() const = 0;
    virtual uint64_t bytes() const = 0;
    virtual StoreFigures measure() const = 0;
    virtual bool keeps_paths() const = 0;
    /* Give the errors their paths, where that is done at the end. */
    virtual void find_paths();

    std::vector<ErrorPath> &found_so_far() { return error_paths_.kept(); }

    uint64_t transitions() const;

    // ---- Checkpoints --------------------------------------------------------

    bool saves() const { return !options_.checkpoint.empty(); }
    /* Is it time for one? */
    bool checkpoint_due();
    /* One more, when the search was stopped, so that it goes on from there. */
    virtual void save_last() {}
    /* What a parallel search knows but for its store: coverage and errors. */
    void write_errors(CheckpointWriter &writer) const;
    void read_errors(CheckpointReader &reader, ParallelWorker &worker);
    void count_checkpoint(bool good) { ++(good ? checkpoints_ : failed_checkpoints_); }

    /* Let each worker work, in a thread of its own but for the first, until all have ended. */
    template <class Worker> void let_work(std::deque<Worker> &workers) {
        std::vector<std::thread> threads;
        const auto work = [this](Worker &worker) {
            gate_.come_back();
            worker.work();
            gate_.leave();
        };
        try {
            for (size_t i = 1; i < workers.size(); ++i)
                threads.emplace_back(work, std::ref(workers[i]));
        } catch (const std::exception &) {
            control_.stop(Reason::memory); /* no more threads to be had, and the others would wait for them */
        }
        work(workers.front());
        for (std::thread &thread : threads)
            thread.join();
    }

    const kripke_model &model_;
    const Options options_;
    Control &control_;
    Budget budget_;
    Gate gate_;

  private:
    void adopt(const Search &search);

    std::vector<const ParallelWorker *> workers_;
    std::mutex errors_mutex_;
    ErrorPaths error_paths_;
    Reason reason_ = Reason::none;
    Progress totals_;
    double seconds_ = 0;
    uint64_t store_bytes_ = 0;
    uint32_t longest_ = 0;
    std::vector<uint8_t> covered_;
    StoreFigures figures_;
    std::chrono::steady_clock::time_point last_checkpoint_ = std::chrono::steady_clock::now();
    uint64_t checkpoints_ = 0, failed_checkpoints_ = 0;
};

/* What every worker does: expand states and check them. Two of them share no line of the processor's cache. */
class alignas(own_lines) ParallelWorker : public Sink {
  public:
    explicit ParallelWorker(ParallelSearch &parallel);
    virtual ~ParallelWorker() = default;

    /* States on the way to the one at hand; none where that is not known. */
    virtual std::vector<std::string> path() const { return {}; }
    virtual uint32_t longest() const = 0;

    uint64_t transitions() const { return transitions_.load(std::memory_order_relaxed); }
    bool cut() const { return cut_; }

    /* Errors in steps of states whose successors are not all stored. */
    uint64_t unsettled_errors() const { return unsettled_errors_; }

    void complain(uint32_t code, uint32_t label) noexcept {
        ++handed_over_;
        found({Kind::violation, code, label});
    }

  protected:
    /* An error in a step of the state that is being expanded. */
    void found(const Error &error) noexcept {
        ++unsettled_errors_;
        parallel_.found(error, *this);
    }
    bool stopped() const { return parallel_.control().stopped(); }
    void halt(Reason reason) { parallel_.control().stop(reason); }
    bool checks_states() const { return !required_.empty(); }
    void check_state(const uint8_t *state, uint32_t length);
    void expand(const uint8_t *state, uint32_t length);
    void count_transitions(uint64_t more) {
        transitions_.store(transitions() + more, std::memory_order_relaxed);
    }

    ParallelSearch &parallel_;
    uint64_t handed_over_ = 0;
    uint64_t unsettled_errors_ = 0;
    bool cut_ = false; /* has the depth limit kept a state out? */

  private:
    std::vector<uint64_t> truth_, required_;
    std::atomic<uint64_t> transitions_{0};
};

} // namespace kripke
#endif
