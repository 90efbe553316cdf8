/* prefaulter.h -- a thread that has pages ready before they are needed.
 *
 * The first touch of a page costs the time to find and clear it; on a virtual
 * machine, where the host may have to find it first, that is a fifth of a large
 * search. Here it is done beside the search. It changes nothing but time: a page
 * that is not ready when it is needed is touched by who needs it.
 */
#ifndef KRIPKE_PREFAULTER_H
#define KRIPKE_PREFAULTER_H

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace kripke {

class Prefaulter {
  public:
    Prefaulter() = default;
    ~Prefaulter() { stop(); }
    Prefaulter(const Prefaulter &) = delete;
    Prefaulter &operator=(const Prefaulter &) = delete;

    /* Have the pages of this memory ready soon, from its start on. What was asked
     * for before and is not done yet is forgotten. The memory must stay mapped and
     * writable until stop(). */
    void touch(uint8_t *start, uint64_t bytes);

    /* Touch nothing any more. */
    void stop();

  private:
    void run();

    std::mutex mutex_;
    std::condition_variable wake_;
    std::thread thread_; /* started at the first request */
    uint8_t *next_ = nullptr, *end_ = nullptr;
    bool quit_ = false;
};

} // namespace kripke
#endif
