#include "stores/sorted_run.h"

#include "memory/varint.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

namespace kripke {

ScratchFile::ScratchFile(const std::string &folder) {
    std::string name = folder + "/kripke-XXXXXX";
    file_ = mkstemp(name.data());
    if (file_ >= 0) {
        (void)fcntl(file_, F_SETFD, FD_CLOEXEC);
        unlink(name.c_str());
    }
}

ScratchFile::~ScratchFile() {
    if (file_ >= 0)
        close(file_);
}

bool ScratchFile::append(const uint8_t *bytes, uint64_t count) {
    while (count > 0) {
        const ssize_t written = pwrite(file_, bytes, count, static_cast<off_t>(size_));
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        bytes += written;
        count -= static_cast<uint64_t>(written);
        size_ += static_cast<uint64_t>(written);
    }
    return true;
}

uint64_t ScratchFile::read(uint64_t place, uint8_t *to, uint64_t count) const {
    for (;;) {
        const ssize_t got = pread(file_, to, count, static_cast<off_t>(place));
        if (got < 0 && errno == EINTR)
            continue;
        return got < 0 ? 0 : static_cast<uint64_t>(got);
    }
}

void ScratchFile::clear() {
    size_ = 0;
    (void)!ftruncate(file_, 0);
}

// ---- Writing ----------------------------------------------------------------

bool RunWriter::add(const StateView &state) {
    const auto most = std::min<size_t>(last_.size(), state.length);
    size_t shared = 0;
    while (shared < most && last_[shared] == state.bytes[shared])
        ++shared;
    uint8_t numbers[2 * max_varint_bytes];
    uint8_t *const end = put_varint(put_varint(numbers, static_cast<uint32_t>(shared)), state.length - static_cast<uint32_t>(shared));
    buffer_.insert(buffer_.end(), numbers, end);
    buffer_.insert(buffer_.end(), state.bytes + shared, state.bytes + state.length);
    last_.assign(state.bytes, state.bytes + state.length);
    ++states_;
    if (buffer_.size() < buffer_bytes)
        return true;
    const bool good = file_.append(buffer_.data(), buffer_.size());
    buffer_.clear();
    return good;
}

SortedRun RunWriter::finish(bool &good) {
    good = file_.append(buffer_.data(), buffer_.size());
    buffer_.clear();
    return {&file_, begin_, file_.size(), states_};
}

// ---- Reading ----------------------------------------------------------------

bool RunReader::next() {
    if (left_ == 0)
        return false;
    --left_;
    uint32_t rest;
    if (!numbers(shared_, rest) || shared_ > length_ || !fill(rest)) {
        failed_ = true;
        left_ = 0;
        return false;
    }
    length_ = shared_ + rest;
    if (state_.size() < length_)
        state_.resize(length_ + length_ / 2);
    std::memcpy(state_.data() + shared_, buffer_.data() + at_, rest);
    at_ += rest;
    return true;
}

/* A state that has more in common with the one before than that one with the wanted
 * lies on the same side of it; one that has less lies beyond. */
bool RunReader::seek(const StateView &wanted, bool &same) {
    uint32_t common = 0;
    const auto compare = [&] {
        const uint32_t most = std::min(length_, wanted.length);
        while (common < most && state_[common] == wanted.bytes[common])
            ++common;
        if (common < most)
            return state_[common] < wanted.bytes[common] ? -1 : 1;
        return (length_ > wanted.length) - (length_ < wanted.length);
    };
    int order = compare();
    while (order < 0) {
        if (!next())
            return false;
        if (shared_ < common)
            order = 1;
        else if (shared_ == common)
            order = compare();
    }
    same = order == 0;
    return true;
}

bool RunReader::numbers(uint32_t &shared, uint32_t &rest) {
    if (filled_ - at_ >= 2 * max_varint_bytes || fill(2 * max_varint_bytes)) [[likely]] {
        at_ = static_cast<uint64_t>(get_varint(get_varint(buffer_.data() + at_, shared), rest) - buffer_.data());
        return true;
    }
    /* Near the end of the run: so many bytes are not left, and none behind them is read. */
    if (filled_ == at_)
        return false;
    uint8_t last[2 * max_varint_bytes] = {};
    std::memcpy(last, buffer_.data() + at_, filled_ - at_);
    at_ += static_cast<uint64_t>(get_varint(get_varint(last, shared), rest) - last);
    return at_ <= filled_;
}

/* Have so many bytes in the buffer. */
bool RunReader::fill(uint64_t needed) {
    while (filled_ - at_ < needed) {
        if (at_ > 0) {
            std::memmove(buffer_.data(), buffer_.data() + at_, filled_ - at_);
            filled_ -= at_;
            at_ = 0;
        }
        const uint64_t wanted = std::min(run_.end - place_, std::max(needed, buffer_bytes) - filled_);
        if (buffer_.size() < filled_ + wanted)
            buffer_.resize(filled_ + wanted);
        const uint64_t got = wanted == 0 ? 0 : run_.file->read(place_, buffer_.data() + filled_, wanted);
        if (got == 0)
            return false;
        place_ += got;
        filled_ += got;
    }
    return true;
}

} // namespace kripke
