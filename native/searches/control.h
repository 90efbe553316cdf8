/* control.h -- what a running search and the thread that watches it share.
 *
 * The watcher asks the search to stop, or how far it is; the search looks at
 * these questions all the time and answers when asked. No locks.
 */
#ifndef KRIPKE_CONTROL_H
#define KRIPKE_CONTROL_H

#include <atomic>
#include <cstdint>

namespace kripke {

/* Why a search ended before it had seen everything. */
enum class Reason : uint32_t { none, error, memory, states, depth, interrupted, time, edges, disk, walks, switches };

inline const char *name_of(Reason reason) {
    constexpr const char *names[] = {"",     "error", "memory", "states", "depth",   "interrupted",
                                     "time", "edges", "disk",   "walks",  "switches"};
    return names[static_cast<uint32_t>(reason)];
}

/* How far a search is. */
struct Progress {
    uint64_t states = 0;
    uint64_t transitions = 0;
    uint64_t depth = 0;
    uint64_t queue = 0; /* states stored but not yet expanded; depth-first: on the stack */
    uint64_t bytes = 0; /* memory used */
};

class Control {
  public:
    // ---- Stopping ---------------------------------------------------------

    /* Ask for an end of the search. The first reason counts. */
    void stop(Reason reason) {
        uint32_t none = 0;
        __atomic_compare_exchange_n(&stop_, &none, static_cast<uint32_t>(reason), false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED);
    }

    /* Ask for an end of whatever goes on: of the search, or of the construction
     * of traces once the search has ended. */
    void interrupt() {
        if (tracing_.load(std::memory_order_acquire))
            __atomic_store_n(&stop_tracing_, static_cast<uint32_t>(Reason::interrupted), __ATOMIC_RELAXED);
        else
            stop(Reason::interrupted);
    }

    bool stopped() const { return __atomic_load_n(&stop_, __ATOMIC_RELAXED) != 0; }
    Reason reason() const { return static_cast<Reason>(__atomic_load_n(&stop_, __ATOMIC_RELAXED)); }
    bool tracing_stopped() const { return __atomic_load_n(&stop_tracing_, __ATOMIC_RELAXED) != 0; }

    /* The search has ended; traces are made now. */
    void begin_tracing() { tracing_.store(true, std::memory_order_release); }

    /* The words themselves, for models to look at. */
    const volatile uint32_t *stop_word() const { return &stop_; }
    const volatile uint32_t *stop_tracing_word() const { return &stop_tracing_; }

    // ---- Progress ---------------------------------------------------------

    /* The watcher: ask for news. */
    void ask() { asked_.store(true, std::memory_order_relaxed); }

    /* The watcher: what was published last. */
    Progress progress() const {
        return {states_.load(std::memory_order_relaxed), transitions_.load(std::memory_order_relaxed),
                depth_.load(std::memory_order_relaxed), queue_.load(std::memory_order_relaxed),
                bytes_.load(std::memory_order_relaxed)};
    }

    /* The search: does the watcher want news? */
    bool asked() const { return asked_.load(std::memory_order_relaxed); }

    /* The search: here they are. */
    void publish(const Progress &now) {
        asked_.store(false, std::memory_order_relaxed);
        states_.store(now.states, std::memory_order_relaxed);
        transitions_.store(now.transitions, std::memory_order_relaxed);
        depth_.store(now.depth, std::memory_order_relaxed);
        queue_.store(now.queue, std::memory_order_relaxed);
        bytes_.store(now.bytes, std::memory_order_relaxed);
    }

    // ---- Checkpoints --------------------------------------------------------

    /* The watcher: write one as soon as there can be one. */
    void ask_for_checkpoint() { checkpoint_.store(true, std::memory_order_relaxed); }
    /* The search: is one wanted? It is not any more. */
    bool take_checkpoint() { return checkpoint_.exchange(false, std::memory_order_relaxed); }

  private:
    std::atomic<bool> checkpoint_{false};
    volatile uint32_t stop_ = 0; /* a Reason; once set, it stays */
    volatile uint32_t stop_tracing_ = 0;
    std::atomic<bool> tracing_{false};
    std::atomic<bool> asked_{true};
    std::atomic<uint64_t> states_{0}, transitions_{0}, depth_{0}, queue_{0}, bytes_{0};
};

} // namespace kripke
#endif
