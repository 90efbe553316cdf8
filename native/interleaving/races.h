/* races.h -- Which steps of a run of threads could have been taken the other way round. The fast twin of
 * src/kripke/testing/race_analysis.py, which explains the rules: source-DPOR with locks (P. Abdulla, S. Aronsson,
 * B. Jonsson, K. Sagonas, POPL 2014, sections 4 and 8), and data races by vector clocks.
 *
 * Runs that begin alike share what is known of their beginning: steps are taken back to where the next run differs. */
#ifndef KRIPKE_RACES_H
#define KRIPKE_RACES_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kripke {

/* The kinds of operations that the rules tell apart; every other one is `other`. */
enum class StepKind : uint8_t { access, acquire, await, begin, block, end, join, release, start, wake, message, other };

/* One step. Places are numbers from zero on; `after` are numbers of the steps that let it go on; `since`, of a wake-up,
 * is the number of steps before time went by; `takes`: a lock is held from here on. */
struct ThreadStep {
    uint32_t task = 0;
    StepKind kind = StepKind::other;
    bool takes = false;
    uint32_t since = 0;
    std::vector<uint32_t> reads, writes, after;
};

/* Two dependent steps that are next to each other up to reordering, and the tasks that may go first in a run in which
 * they come the other way round. */
struct Reversible {
    uint32_t first = 0, second = 0;
    std::vector<uint32_t> initials;
};

/* Two accesses to a place that no lock, start or join orders; one of them writes. */
struct DataRacePair {
    uint32_t place = 0, first = 0, second = 0;
};

/* Vector clocks of the steps of a run, one row for each. */
class Clocks {
  public:
    void clear(size_t width) {
        width_ = width;
        counts_.clear();
    }
    size_t width() const { return width_; }
    size_t size() const { return width_ == 0 ? 0 : counts_.size() / width_; }
    const uint32_t *row(size_t number) const { return counts_.data() + number * width_; }
    void push(const std::vector<uint32_t> &clock) { counts_.insert(counts_.end(), clock.begin(), clock.end()); }
    void truncate(size_t length) { counts_.resize(length * width_); }
    void join(std::vector<uint32_t> &clock, size_t number) const;

  private:
    size_t width_ = 0;
    std::vector<uint32_t> counts_;
};

class ReversibleRaces {
  public:
    size_t size() const { return steps_.size(); }
    const ThreadStep &step(size_t number) const { return steps_[number]; }

    /* Only the first steps were taken, by so many tasks: everything is forgotten where there were fewer before. */
    void go_back(size_t length, size_t tasks);

    /* One more step; its races are added to `races` if these are wanted. */
    void extend(ThreadStep step, bool wanted, std::vector<Reversible> &races);

    /* The races of a step that was never taken, because it still waited at the end. */
    void look_at(const ThreadStep &step, std::vector<Reversible> &races);

  private:
    static constexpr uint32_t nobody = UINT32_MAX;
    struct OfPlace {
        uint32_t last_write = nobody, last_acquire = nobody;
        std::vector<std::pair<uint32_t, uint32_t>> readers; /* task, its last reading step since the last write */
    };
    struct Change { /* of a place, to be taken back */
        uint32_t place;
        OfPlace before;
    };

    OfPlace &place(uint32_t number);
    std::vector<uint32_t> clock_before(const ThreadStep &step, bool wanted, std::vector<Reversible> &races);
    bool is_before(size_t number, const uint32_t *clock) const { return clock[steps_[number].task] >= counts_[number]; }
    Reversible race(uint32_t first, const ThreadStep &second, const std::vector<uint32_t> &own) const;

    std::vector<ThreadStep> steps_;
    Clocks clocks_, everybody_;
    std::vector<uint32_t> counts_;
    std::vector<uint32_t> last_of_task_;     /* its last step, or nobody */
    std::vector<uint32_t> before_of_task_;   /* for every step, the one before it of the same task */
    std::vector<OfPlace> places_;
    std::vector<std::vector<Change>> changes_;
};

class DataRaceSearch {
  public:
    size_t size() const { return clocks_.size(); }
    void go_back(size_t length, size_t tasks);
    /* One more step; places that it races for are added to `found`, once. */
    void extend(const ThreadStep &step, std::vector<DataRacePair> &found);

  private:
    static constexpr uint32_t nobody = UINT32_MAX;
    struct Access {
        uint32_t task = nobody, count = 0, step = 0;
    };
    struct OfPlace {
        std::vector<uint32_t> synchronised; /* the clock of whoever synchronised here last; empty: nobody did */
        Access last_write;
        std::vector<Access> readers;
    };
    struct Change {
        uint32_t place;
        OfPlace before;
    };

    OfPlace &place(uint32_t number);
    void access(const ThreadStep &step, const std::vector<uint32_t> &clock, uint32_t number, std::vector<Change> &changes,
                std::vector<DataRacePair> &found);

    Clocks clocks_, everybody_;
    std::vector<uint32_t> last_of_task_, before_of_task_, tasks_;
    std::vector<OfPlace> places_;
    std::vector<std::vector<Change>> changes_;
};

} // namespace kripke

#endif
