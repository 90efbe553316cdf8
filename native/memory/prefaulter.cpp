#include "memory/prefaulter.h"

#include <algorithm>
#include <sys/mman.h>
#include <system_error>

#if defined(__linux__) && !defined(MADV_POPULATE_WRITE)
#define MADV_POPULATE_WRITE 23 /* since Linux 5.14; an older one refuses it, and nothing happens */
#endif

namespace kripke {

void Prefaulter::touch([[maybe_unused]] uint8_t *start, [[maybe_unused]] uint64_t bytes) {
#ifdef MADV_POPULATE_WRITE
    if (std::thread::hardware_concurrency() < 2)
        return;
    const std::lock_guard lock(mutex_);
    next_ = start;
    end_ = start + bytes;
    if (!thread_.joinable()) {
        try {
            thread_ = std::thread(&Prefaulter::run, this);
        } catch (const std::system_error &) {
            return; /* no thread to be had: then without */
        }
    }
    wake_.notify_one();
#endif
}

void Prefaulter::stop() {
    if (!thread_.joinable())
        return;
    {
        const std::lock_guard lock(mutex_);
        quit_ = true;
    }
    wake_.notify_one();
    thread_.join();
    next_ = end_ = nullptr;
    quit_ = false;
}

void Prefaulter::run() {
#ifdef MADV_POPULATE_WRITE
    constexpr uint64_t step = uint64_t{2} << 20;
    std::unique_lock lock(mutex_);
    for (;;) {
        wake_.wait(lock, [this] { return quit_ || next_ != end_; });
        if (quit_)
            return;
        uint8_t *const at = next_;
        const uint64_t bytes = std::min<uint64_t>(step, static_cast<uint64_t>(end_ - next_));
        next_ += bytes;
        lock.unlock();
        const bool done = madvise(at, bytes, MADV_POPULATE_WRITE) == 0;
        lock.lock();
        if (!done)
            next_ = end_; /* not to be had here: leave it to who needs it */
    }
#endif
}

} // namespace kripke
