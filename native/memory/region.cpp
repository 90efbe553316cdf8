#include "memory/region.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace kripke {

namespace {

constexpr uint64_t page = 4096;
constexpr uint64_t huge_page = uint64_t{2} << 20;
/* Up to here small pages: a small model must not pay for huge ones. */
constexpr uint64_t huge_from = uint64_t{4} << 20;
constexpr uint64_t largest_step = uint64_t{64} << 20;
/* Smaller extensions are not worth a thread. */
constexpr uint64_t touched_ahead = uint64_t{2} << 20;

#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif

uint64_t round_up(uint64_t bytes, uint64_t unit) { return (bytes + unit - 1) / unit * unit; }

/* Bytes of addresses that the process has mapped; 0 where the system does not tell. */
uint64_t mapped() {
    std::FILE *file = std::fopen("/proc/self/statm", "re");
    if (file == nullptr)
        return 0;
    unsigned long long pages = 0;
    const bool told = std::fscanf(file, "%llu", &pages) == 1;
    std::fclose(file);
    return told ? pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) : 0;
}

/* Of what is left: threads and the heap need some, too. */
uint64_t address_space_share(uint64_t part) {
    rlimit limit{};
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return UINT64_MAX;
    const auto all = static_cast<uint64_t>(limit.rlim_cur);
    return (all - std::min(all, mapped())) / part;
}

} // namespace

bool Region::reserve(uint64_t bytes, uint64_t at_least, uint64_t part) {
    assert(mapping_ == nullptr);
    at_least = round_up(std::max<uint64_t>(at_least, 1), page);
    /* A range larger than the budget would never be used. */
    bytes = std::min(bytes, std::min(budget_.limit(), uint64_t{1} << 46));
    bytes = round_up(std::max(std::min(bytes, address_space_share(part)), at_least), page);
    for (;; bytes = std::max(round_up(bytes / 2, page), at_least)) {
        const bool huge = bytes > huge_from;
        const uint64_t extra = huge ? huge_page : 0;
        void *mapping = mmap(nullptr, bytes + extra, PROT_NONE, MAP_PRIVATE | MAP_ANON | MAP_NORESERVE, -1, 0);
        if (mapping == MAP_FAILED) {
            if (bytes == at_least)
                return false;
            continue;
        }
        mapping_ = mapping;
        mapping_bytes_ = bytes + extra;
        const auto start = reinterpret_cast<uintptr_t>(mapping);
        data_ = static_cast<uint8_t *>(mapping) + (huge ? round_up(start, huge_page) - start : 0);
        reserved_ = bytes;
#ifdef MADV_HUGEPAGE
        if (huge) /* a wish: it does not matter if it is refused */
            (void)madvise(data_ + huge_from, bytes - huge_from, MADV_HUGEPAGE);
#endif
        return true;
    }
}

bool Region::extend(uint64_t bytes) {
    if (bytes > reserved_)
        return false;
    /* An eighth more than before, if that is allowed; else what is needed. */
    const uint64_t step = std::min(usable_ / 8, largest_step);
    const uint64_t wish = std::max(bytes, usable_ + step);
    const uint64_t unit = wish > huge_from ? huge_page : 2 * page;
    for (const uint64_t target : {std::min(round_up(wish, unit), reserved_), round_up(bytes, page)}) {
        if (!budget_.take(target - usable_))
            continue;
        if (mprotect(data_, target, PROT_READ | PROT_WRITE) == 0) {
            if (target - usable_ >= touched_ahead)
                prefaulter_.touch(data_ + usable_, target - usable_);
            usable_ = target;
            return true;
        }
        budget_.give(target - usable_);
    }
    return false;
}

void Region::release() {
    prefaulter_.stop();
    if (mapping_ != nullptr)
        munmap(mapping_, mapping_bytes_);
    budget_.give(usable_);
    mapping_ = nullptr;
    data_ = nullptr;
    mapping_bytes_ = reserved_ = usable_ = 0;
}

} // namespace kripke
