/* gate.h -- a moment without company for one of several workers.
 *
 * Workers share a store without locks. What cannot be done beside others (a table
 * grows) is done by one of them while all the others rest at a safe point: between
 * two batches, where they hold nothing of the store.
 */
#ifndef KRIPKE_GATE_H
#define KRIPKE_GATE_H

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace kripke {

class Gate {
  public:
    /* All workers are away at first: each begins with come_back(), and ends with leave(). */
    explicit Gate(uint32_t workers) : workers_(workers), resting_(workers) {}
    Gate(const Gate &) = delete;
    Gate &operator=(const Gate &) = delete;

    /* A safe point: rest while somebody wants to be alone. */
    void pass() {
        if (wanted_.load(std::memory_order_relaxed)) [[unlikely]] {
            std::unique_lock lock(mutex_);
            rest(lock);
        }
    }

    /* Do it while all others rest. False, and nothing done, where another worker was
     * first: its action may have been the same, so look again. Must not throw. */
    template <class Action> bool alone(Action action) {
        std::unique_lock lock(mutex_);
        if (wanted_.load(std::memory_order_relaxed)) {
            rest(lock);
            return false;
        }
        wanted_.store(true, std::memory_order_relaxed);
        changed_.wait(lock, [this] { return resting_ == workers_ - 1; });
        action();
        wanted_.store(false, std::memory_order_relaxed);
        changed_.notify_all();
        return true;
    }

    /* Between these two a worker does not touch the store. */
    void leave() {
        const std::lock_guard lock(mutex_);
        ++resting_;
        changed_.notify_all();
    }
    void come_back() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return !wanted_.load(std::memory_order_relaxed); });
        --resting_;
    }

  private:
    void rest(std::unique_lock<std::mutex> &lock) {
        ++resting_;
        changed_.notify_all();
        changed_.wait(lock, [this] { return !wanted_.load(std::memory_order_relaxed); });
        --resting_;
    }

    const uint32_t workers_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::atomic<bool> wanted_{false};
    uint32_t resting_; /* workers that do not touch the store */
};

} // namespace kripke
#endif
