/* budget.h -- how much memory a search may use, and does.
 *
 * Everything that can grow with the model takes its bytes here before it
 * touches them, so that a search ends in a partial result where the limit is
 * reached and is never killed by the system. Any number of threads may take and give.
 */
#ifndef KRIPKE_BUDGET_H
#define KRIPKE_BUDGET_H

#include <atomic>
#include <cassert>
#include <cstdint>

namespace kripke {

class Budget {
  public:
    /* A limit of 0 is none. */
    explicit Budget(uint64_t limit) : limit_(limit == 0 ? UINT64_MAX : limit) {}

    /* May `bytes` more be used? Takes nothing. */
    bool allows(uint64_t bytes) const { return fits(used(), bytes); }

    /* Take `bytes`, or take nothing and say false. */
    [[nodiscard]] bool take(uint64_t bytes) {
        uint64_t before = used();
        do {
            if (!fits(before, bytes))
                return false;
        } while (!used_.compare_exchange_weak(before, before + bytes, std::memory_order_relaxed));
        uint64_t most = peak();
        while (most < before + bytes && !peak_.compare_exchange_weak(most, before + bytes, std::memory_order_relaxed)) {
        }
        return true;
    }

    /* Give back `bytes` taken before. */
    void give(uint64_t bytes) {
        [[maybe_unused]] const uint64_t before = used_.fetch_sub(bytes, std::memory_order_relaxed);
        assert(bytes <= before);
    }

    uint64_t limit() const { return limit_; }
    uint64_t used() const { return used_.load(std::memory_order_relaxed); }
    uint64_t peak() const { return peak_.load(std::memory_order_relaxed); }

  private:
    bool fits(uint64_t used, uint64_t bytes) const { return bytes <= limit_ && used <= limit_ - bytes; }

    const uint64_t limit_;
    std::atomic<uint64_t> used_{0};
    std::atomic<uint64_t> peak_{0}; /* invariant, when nobody is inside: used_ <= peak_ <= limit_ */
};

} // namespace kripke
#endif
