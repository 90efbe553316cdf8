/* side_by_side.h -- a piece of work in parts, each in a thread of its own, while nobody else does anything. */
#ifndef KRIPKE_SIDE_BY_SIDE_H
#define KRIPKE_SIDE_BY_SIDE_H

#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

namespace kripke {

/* Call `work(i)` for every i below `threads`, each in a thread of its own if there are so many. */
template <class Work> void side_by_side(uint32_t threads, const Work &work) {
    std::vector<std::thread> others;
    uint32_t begun = 1;
    try {
        for (; begun < threads; ++begun)
            others.emplace_back(work, begun);
    } catch (const std::exception &) {
        /* then fewer do it */
    }
    work(0);
    for (uint32_t i = begun; i < threads; ++i)
        work(i);
    for (std::thread &other : others)
        other.join();
}

} // namespace kripke
#endif
