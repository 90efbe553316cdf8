/* outbox.h -- states on their way to other workers, in buffers of one size.
 *
 * ENTRIES
 *   A buffer is a row of entries: the length of a state as a varint, the state, and where the
 *   search asks for it a tag of fixed size. An entry never crosses the end of a buffer.
 *
 * BACKPRESSURE
 *   A buffer that is full is ready; the transport takes it, and gives it back when it was sent. While as many as
 *   `spare` are under way, the outbox is crowded, and no further state is to be expanded. What the successors
 *   of one state need is always there: so a search never stops in the middle of a state, and the memory is bounded by
 *   (workers + spare) buffers and what one state leads to.
 *
 * Small buffers make many messages, large ones make workers wait (H. Garavel, R. Mateescu, I. Smarandache,
 * Parallel state space construction for model-checking, SPIN 2001, section 4: their number times their size is given).
 */
#ifndef KRIPKE_OUTBOX_H
#define KRIPKE_OUTBOX_H

#include "memory/budget.h"
#include "memory/varint.h"

#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <new>
#include <vector>

namespace kripke {

class Outbox {
  public:
    /* Behind what a receiver was given this many bytes must be readable. */
    static constexpr uint64_t slack = 64;

    Outbox(Budget &budget, uint32_t workers, uint64_t buffer_bytes, uint32_t spare)
        : budget_(budget), bytes_(buffer_bytes), spare_(spare), filling_(workers, none) {}
    ~Outbox() { budget_.give(buffers_.size() * bytes_); }
    Outbox(const Outbox &) = delete;
    Outbox &operator=(const Outbox &) = delete;

    // ---- The search -------------------------------------------------------------

    /* False where there is no memory for one more buffer. */
    [[nodiscard]] bool put(uint32_t to, const uint8_t *state, uint32_t length, const uint8_t *tag = nullptr, uint32_t tag_bytes = 0) {
        uint8_t *at = begin(to, uint64_t{length} + tag_bytes, length);
        if (at == nullptr)
            return false;
        std::memcpy(at, state, length);
        if (tag_bytes != 0)
            std::memcpy(at + length, tag, tag_bytes);
        return true;
    }

    /* The same for a state behind which a block is readable. A block at a time, since most states have a few bytes, and
     * a call for these takes longer than to copy them. */
    [[nodiscard]] bool put_readable(uint32_t to, const uint8_t *state, uint32_t length) {
        uint8_t *const at = begin(to, length, length);
        if (at == nullptr)
            return false;
        for (uint32_t i = 0; i < length; i += block)
            std::memcpy(at + i, state + i, block); /* behind a buffer there is slack for that */
        return true;
    }
    static constexpr uint32_t block = 16;

    bool crowded() const { return under_way_ >= spare_; }

    /* What lies in buffers that are not full is ready, too. */
    void flush() {
        for (uint32_t to = 0; to < filling_.size(); ++to)
            hand_over(to);
    }

    /* Entries put in, since the beginning. */
    uint64_t entries() const { return entries_; }

    // ---- The transport ------------------------------------------------------------

    struct Parcel {
        uint32_t number, to;
        uint8_t *bytes;
        uint64_t used;
    };

    bool has_ready() const { return !ready_.empty(); }
    Parcel take() {
        const auto [number, to] = ready_.front();
        ready_.pop_front();
        return {number, to, buffers_[number].bytes.get(), buffers_[number].used};
    }
    /* It was sent. */
    void give_back(uint32_t number) {
        buffers_.at(number).used = 0;
        free_.push_back(number);
        --under_way_;
    }

  private:
    static constexpr uint32_t none = UINT32_MAX;

    struct Buffer {
        std::unique_ptr<uint8_t[]> bytes;
        uint64_t used = 0;
    };
    struct Ready {
        uint32_t number, to;
    };

    /* Where the next entry's `bytes` go, its length written; null where there is no memory. */
    uint8_t *begin(uint32_t to, uint64_t bytes, uint32_t length) {
        const uint64_t most = bytes + max_varint_bytes;
        if (filling_[to] == none || buffers_[filling_[to]].used + most > bytes_) [[unlikely]]
            if (!turn_over(to, most))
                return nullptr;
        Buffer &buffer = buffers_[filling_[to]];
        uint8_t *const start = buffer.bytes.get() + buffer.used;
        uint8_t *const at = put_varint(start, length);
        buffer.used += static_cast<uint64_t>(at - start) + bytes;
        ++entries_;
        return at;
    }

    bool turn_over(uint32_t to, uint64_t most) {
        hand_over(to);
        if (most > bytes_)
            return false;
        if (free_.empty() && !make())
            return false;
        filling_[to] = free_.back();
        free_.pop_back();
        return true;
    }

    void hand_over(uint32_t to) {
        if (filling_[to] == none)
            return;
        if (buffers_[filling_[to]].used == 0)
            return; /* stays where it is */
        ready_.push_back({filling_[to], to});
        filling_[to] = none;
        ++under_way_;
    }

    bool make() {
        if (!budget_.take(bytes_))
            return false;
        auto *const bytes = new (std::nothrow) uint8_t[bytes_ + slack];
        if (bytes == nullptr) {
            budget_.give(bytes_);
            return false;
        }
        std::memset(bytes + bytes_, 0, slack);
        free_.push_back(static_cast<uint32_t>(buffers_.size()));
        buffers_.push_back({std::unique_ptr<uint8_t[]>(bytes), 0});
        return true;
    }

    Budget &budget_;
    const uint64_t bytes_;
    const uint32_t spare_;
    std::vector<Buffer> buffers_;
    std::vector<uint32_t> filling_; /* by receiver: the buffer being filled */
    std::vector<uint32_t> free_;
    std::deque<Ready> ready_;
    uint64_t under_way_ = 0; /* ready, or taken and not given back */
    uint64_t entries_ = 0;
};

} // namespace kripke
#endif
