/* error_paths.h -- the errors of a search: all are counted, the first of each kind
 * is kept.
 */
#ifndef KRIPKE_ERROR_PATHS_H
#define KRIPKE_ERROR_PATHS_H

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace kripke {

enum class Kind : uint32_t { violation, deadlock, invariant, cycle, goal };

inline const char *name_of(Kind kind) {
    constexpr const char *names[] = {"violation", "deadlock", "invariant", "cycle", "goal"};
    return names[static_cast<uint32_t>(kind)];
}

/* What went wrong. Two errors that are equal here are the same error, met again. */
struct Error {
    Kind kind;
    int64_t code;  /* of the violation; the atom of an invariant or goal; else -1 */
    int64_t label; /* of the violating step; of an invariant that cannot be evaluated `unevaluated`; else -1 */

    static constexpr int64_t unevaluated = -2;

    bool operator==(const Error &) const = default;
};

/* Call `each` with an error for every required atom that is not true. `truth` is as a model's `atoms` leaves it: which
 * of them are true, then which cannot be evaluated; the second half is all zero again after this. */
template <class Each>
void each_broken(std::vector<uint64_t> &truth, const std::vector<uint64_t> &required, Each each) {
    const size_t words = required.size();
    for (size_t word = 0; word < words; ++word) {
        for (uint64_t broken = required[word] & ~truth[word]; broken != 0; broken &= broken - 1) {
            const int bit = __builtin_ctzll(broken);
            const bool fails = truth[words + word] >> bit & 1;
            each(Error{Kind::invariant, static_cast<int64_t>(word * 64) + bit, fails ? Error::unevaluated : -1});
        }
        truth[words + word] = 0;
    }
}

/* A path is the offsets of its records in the store, from an initial state on. */
using Path = std::vector<uint64_t>;

struct ErrorPath {
    Error error;
    uint64_t state; /* the record of the bad state, or of the source of the
                       violating step; no_state: found in the initial step */
    Path path;      /* to it; empty while not known */
    int64_t loop = -1; /* of a cycle: the place in the path that its last state returns to */
    /* The states themselves, instead of the path: of a cycle that was shortened, and of a search
     * whose store does not give them back. */
    std::vector<std::string> states = {};

    void set(Path way) { path = std::move(way); }
    void set(std::vector<std::string> way) { states = std::move(way); }
};

class ErrorPaths {
  public:
    /* Count an error met at `state`. The error path, if it is the first of its like
     * and there are not too many; else null. The pointer lasts until the next. */
    ErrorPath *add(const Error &error, uint64_t state) {
        ++count_;
        const auto same = [&](const ErrorPath &other) { return other.error == error; };
        if (kept_.size() == max_kept || std::any_of(kept_.begin(), kept_.end(), same))
            return nullptr;
        kept_.push_back({error, state, {}, -1, {}});
        return &kept_.back();
    }

    /* After errors were added that stand for them: so many were met. */
    void set_count(uint64_t count) { count_ = count; }

    uint64_t count() const { return count_; }
    std::vector<ErrorPath> &kept() { return kept_; }
    const std::vector<ErrorPath> &kept() const { return kept_; }

  private:
    static constexpr size_t max_kept = 100;

    uint64_t count_ = 0;
    std::vector<ErrorPath> kept_;
};

} // namespace kripke
#endif
