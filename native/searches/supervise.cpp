#include "searches/supervise.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

namespace kripke {

namespace {

/* A curve of bounded size: when it is full, every second sample goes, and from
 * then on they are taken half as often. */
class Curve {
  public:
    void add(double seconds, uint64_t states) {
        if (seconds < next_)
            return;
        samples_.push_back({seconds, states});
        if (samples_.size() == most) {
            for (size_t i = 0; i < most / 2; ++i)
                samples_[i] = samples_[2 * i + 1];
            samples_.resize(most / 2);
            interval_ *= 2;
        }
        next_ = seconds + interval_;
    }

    std::vector<Sample> end(double seconds, uint64_t states) {
        if (!samples_.empty() && samples_.back().seconds >= seconds)
            samples_.pop_back(); /* taken while the traces were made */
        samples_.push_back({seconds, states});
        return std::move(samples_);
    }

  private:
    static constexpr size_t most = 1024;
    std::vector<Sample> samples_;
    double interval_ = 0.25;
    double next_ = 0.2;
};

} // namespace

std::vector<Sample> supervise(Supervised &search, Control &control, double time_limit, const Tick &tick) {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };

    std::mutex mutex;
    std::condition_variable ended;
    bool running = true;
    std::exception_ptr failure;
    const auto work = [&] {
        try {
            search.run();
        } catch (...) {
            failure = std::current_exception();
        }
        const std::lock_guard lock(mutex);
        running = false;
        ended.notify_one();
    };
    std::thread worker;
    try {
        worker = std::thread(work);
    } catch (const std::system_error &) {
        throw std::bad_alloc(); /* no stack for a thread */
    }

    const auto ended_within = [&](double wait) {
        std::unique_lock lock(mutex);
        return ended.wait_for(lock, std::chrono::duration<double>(wait), [&] { return !running; });
    };
    Curve curve;
    for (;;) {
        double wait = 0.09;
        if (time_limit > 0 && !control.stopped())
            wait = std::clamp(time_limit - elapsed(), 0.0, wait);
        if (ended_within(wait))
            break;
        const double seconds = elapsed();
        if (time_limit > 0 && seconds >= time_limit)
            control.stop(Reason::time);
        control.ask();
        if (ended_within(0.005)) /* for the search to answer */
            break;
        const Progress progress = control.progress();
        curve.add(seconds, progress.states);
        tick(progress, seconds);
    }
    worker.join();
    if (failure)
        std::rethrow_exception(failure);
    return curve.end(search.seconds(), search.totals().states);
}

} // namespace kripke
