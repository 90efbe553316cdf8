/* siblings.h -- which states were sent before: a state that two states lead to need not be sent twice.
 *
 * F. Lerda, W. Visser, Addressing dynamic issues of program model checking, SPIN 2001, section 4: "sibling storing"
 * remembers all of them, "sibling caching" the last so many (least recently used goes). A worker forgets
 * states at will: what is sent again is known to its owner.
 */
#ifndef KRIPKE_SIBLINGS_H
#define KRIPKE_SIBLINGS_H

#include "memory/budget.h"

#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>

namespace kripke {

class Siblings {
  public:
    /* A negative number: all of them, as far as the budget allows. */
    Siblings(Budget &budget, int64_t most) : budget_(budget), most_(most) {}
    ~Siblings() { budget_.give(taken_); }
    Siblings(const Siblings &) = delete;
    Siblings &operator=(const Siblings &) = delete;

    /* Was it sent before, as far as is remembered? It is now. */
    bool meet(const uint8_t *state, uint32_t length) {
        if (most_ == 0)
            return false;
        const std::string_view text(reinterpret_cast<const char *>(state), length);
        const auto known = places_.find(text);
        if (known != places_.end()) {
            order_.splice(order_.begin(), order_, known->second);
            return true;
        }
        const uint64_t cost = length + per_state;
        if (most_ > 0 && order_.size() == static_cast<uint64_t>(most_))
            forget_last();
        while (!budget_.take(cost)) {
            if (order_.empty())
                return false;
            forget_last();
        }
        taken_ += cost;
        order_.emplace_front(text);
        places_.emplace(order_.front(), order_.begin());
        return false;
    }

    void forget() {
        while (!order_.empty())
            forget_last();
    }

  private:
    static constexpr uint64_t per_state = 120; /* of list and table */

    void forget_last() {
        const uint64_t cost = order_.back().size() + per_state;
        places_.erase(order_.back());
        order_.pop_back();
        budget_.give(cost);
        taken_ -= cost;
    }

    Budget &budget_;
    const int64_t most_;
    uint64_t taken_ = 0;
    std::list<std::string> order_; /* the last met first */
    std::unordered_map<std::string_view, std::list<std::string>::iterator> places_;
};

} // namespace kripke
#endif
