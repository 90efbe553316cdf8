/* open_list.h -- the states that wait to be expanded, in buckets of equal value. */
#ifndef KRIPKE_OPEN_LIST_H
#define KRIPKE_OPEN_LIST_H

#include "memory/stack.h"

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace kripke {

/* A record, and the steps to it when it was put here. A state that was put elsewhere since,
 * since a shorter way to it was found, stays: whoever takes it sees that the steps differ. */
struct Waiting {
    uint64_t state;
    uint32_t steps;
};

class OpenList {
  public:
    OpenList(Budget &budget, bool newest) : budget_(budget), newest_(newest) {}

    /* False where there is no memory. */
    [[nodiscard]] bool put(uint64_t value, const Waiting &item) {
        if (last_ == nullptr || value != last_value_) {
            std::unique_ptr<Bucket> &found = buckets_[value];
            if (found == nullptr)
                found = fresh();
            last_ = found.get();
            last_value_ = value;
        }
        return last_->items.push(item);
    }

    /* Of the least value; false where there is none. */
    bool take(Waiting &item) {
        while (!buckets_.empty()) {
            const auto first = buckets_.begin();
            Bucket &bucket = *first->second;
            if (bucket.next < bucket.items.size()) {
                item = newest_ ? bucket.items.top() : bucket.items[bucket.next];
                if (newest_)
                    bucket.items.pop();
                else
                    ++bucket.next;
                return true;
            }
            if (last_ == &bucket)
                last_ = nullptr;
            bucket.items.shrink(0);
            bucket.next = 0;
            spare_.push_back(std::move(first->second)); /* its memory is for the next */
            buckets_.erase(first);
        }
        return false;
    }

  private:
    struct Bucket {
        explicit Bucket(Budget &budget) : items(budget) {}
        Stack<Waiting> items;
        uint64_t next = 0; /* the oldest */
    };

    std::unique_ptr<Bucket> fresh() {
        if (spare_.empty())
            return std::make_unique<Bucket>(budget_);
        std::unique_ptr<Bucket> bucket = std::move(spare_.back());
        spare_.pop_back();
        return bucket;
    }

    Budget &budget_;
    const bool newest_;
    std::map<uint64_t, std::unique_ptr<Bucket>> buckets_;
    std::vector<std::unique_ptr<Bucket>> spare_;
    Bucket *last_ = nullptr; /* where the last one was put */
    uint64_t last_value_ = 0;
};

} // namespace kripke
#endif
