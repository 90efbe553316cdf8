/* budget.h -- how much memory a search may use, and does.
 *
 * Everything that can grow with the model takes its bytes here before it
 * touches them, so that a search ends in a partial result where the limit is
 * reached and is never killed by the system. One thread only.
 */
#ifndef KRIPKE_BUDGET_H
#define KRIPKE_BUDGET_H

#include <algorithm>
#include <cassert>
#include <cstdint>

namespace kripke {

class Budget {
  public:
    /* A limit of 0 is none. */
    explicit Budget(uint64_t limit) : limit_(limit == 0 ? UINT64_MAX : limit) {}

    /* May `bytes` more be used? Takes nothing. */
    bool allows(uint64_t bytes) const { return bytes <= limit_ && used_ <= limit_ - bytes; }

    /* Take `bytes`, or take nothing and say false. */
    [[nodiscard]] bool take(uint64_t bytes) {
        if (!allows(bytes))
            return false;
        used_ += bytes;
        peak_ = std::max(peak_, used_);
        return true;
    }

    /* Give back `bytes` taken before. */
    void give(uint64_t bytes) {
        assert(bytes <= used_);
        used_ -= bytes;
    }

    uint64_t limit() const { return limit_; }
    uint64_t used() const { return used_; }
    uint64_t peak() const { return peak_; }

  private:
    uint64_t limit_;
    uint64_t used_ = 0;
    uint64_t peak_ = 0; /* invariant: used_ <= peak_ <= limit_ */
};

} // namespace kripke
#endif
