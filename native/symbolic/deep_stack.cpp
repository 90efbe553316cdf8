#include "symbolic/deep_stack.h"

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <pthread.h>
#include <system_error>

namespace kripke {

namespace {

constexpr size_t largest = size_t{1} << 30, smallest = size_t{1} << 22;
constexpr size_t spare = size_t{1} << 18; /* for what does not recur */

struct Job {
    explicit Job(const std::function<void(const void *)> &work) : work(work) {}

    const std::function<void(const void *)> &work;
    size_t bytes = 0;
    std::mutex lock;
    std::condition_variable changed;
    bool ended = false;
    std::exception_ptr error;
};

void *run(void *argument) {
    Job &job = *static_cast<Job *>(argument);
    try {
        const char *here = static_cast<const char *>(__builtin_frame_address(0));
        job.work(here - (job.bytes - spare));
    } catch (...) {
        job.error = std::current_exception();
    }
    const std::lock_guard<std::mutex> guard(job.lock);
    job.ended = true;
    job.changed.notify_all();
    return nullptr;
}

} // namespace

void run_on_deep_stack(const std::function<void(const void *)> &work, const std::function<void()> &tick) {
    Job job(work);
    pthread_t thread;
    int failed = EAGAIN;
    for (job.bytes = largest; failed != 0 && job.bytes >= smallest; job.bytes /= 2) {
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        pthread_attr_setstacksize(&attributes, job.bytes);
        failed = pthread_create(&thread, &attributes, run, &job);
        pthread_attr_destroy(&attributes);
        if (failed == 0)
            break;
    }
    if (failed != 0)
        throw std::system_error(failed, std::generic_category(), "no thread could be started");
    {
        std::unique_lock<std::mutex> guard(job.lock);
        while (!job.changed.wait_for(guard, std::chrono::milliseconds(50), [&] { return job.ended; })) {
            guard.unlock();
            tick();
            guard.lock();
        }
    }
    pthread_join(thread, nullptr);
    if (job.error)
        std::rethrow_exception(job.error);
}

} // namespace kripke
