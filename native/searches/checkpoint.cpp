#include "searches/checkpoint.h"

#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace kripke {

namespace {

constexpr char first_line[] = "Kripke checkpoint\n";
constexpr uint64_t version = 2;

SipHash marked_with(const std::string &key) {
    if (key.size() != SipHash::key_bytes)
        throw std::invalid_argument("the key of checkpoints has a wrong size");
    return SipHash(reinterpret_cast<const uint8_t *>(key.data()));
}

/* A new file: what lies there from an earlier time, or leads elsewhere, is not written to. */
std::FILE *opened_anew(const std::string &path) {
    std::remove(path.c_str());
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    return file < 0 ? nullptr : fdopen(file, "wb");
}

/* A plain file; others, such as pipes, may make one wait for ever. */
std::FILE *opened_for_reading(const std::string &path, uint64_t &size) {
    const int file = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    struct stat status {};
    if (file < 0 || fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
        if (file >= 0)
            close(file);
        throw BadCheckpoint("it cannot be read");
    }
    size = static_cast<uint64_t>(status.st_size);
    return fdopen(file, "rb");
}

} // namespace

CheckpointWriter::CheckpointWriter(const std::string &path, const std::string &fingerprint, const std::string &key)
    : path_(path), beside_(path + ".new"), file_(opened_anew(beside_)), mark_(marked_with(key)),
      good_(file_ != nullptr) {
    bytes(reinterpret_cast<const uint8_t *>(first_line), sizeof first_line - 1);
    number(version);
    text(reinterpret_cast<const uint8_t *>(fingerprint.data()), static_cast<uint32_t>(fingerprint.size()));
}

CheckpointWriter::~CheckpointWriter() {
    if (file_ != nullptr) {
        if (is_ours())
            std::remove(beside_.c_str());
        std::fclose(file_);
    }
}

/* Is the file beside the place still the one that is being written? Another search may have begun its own there. */
bool CheckpointWriter::is_ours() const {
    struct stat written {}, there {};
    return fstat(fileno(file_), &written) == 0 && lstat(beside_.c_str(), &there) == 0 &&
           written.st_dev == there.st_dev && written.st_ino == there.st_ino;
}

/* A device or a pipe, say, must not be replaced by a file. */
bool CheckpointWriter::may_be_replaced() const {
    struct stat there {};
    return lstat(path_.c_str(), &there) != 0 || S_ISREG(there.st_mode);
}

void CheckpointWriter::bytes(const uint8_t *from, uint64_t count) {
    mark_.add(from, count);
    good_ = good_ && std::fwrite(from, 1, count, file_) == count;
}

bool CheckpointWriter::finish() {
    number(mark_.mark());
    if (file_ == nullptr)
        return false;
    good_ = std::fflush(file_) == 0 && good_;
    good_ = fsync(fileno(file_)) == 0 && good_;
    const bool ours = is_ours();
    good_ = std::fclose(file_) == 0 && good_;
    file_ = nullptr;
    good_ = good_ && ours && may_be_replaced() && std::rename(beside_.c_str(), path_.c_str()) == 0;
    if (!good_ && ours)
        std::remove(beside_.c_str());
    return good_;
}

CheckpointReader::CheckpointReader(const std::string &path, const std::string &fingerprint, const std::string &key)
    : file_(opened_for_reading(path, left_)), mark_(marked_with(key)) {
    try {
        uint8_t line[sizeof first_line - 1];
        if (left_ < sizeof line)
            throw BadCheckpoint("it is no checkpoint");
        bytes(line, sizeof line);
        if (std::memcmp(line, first_line, sizeof line) != 0)
            throw BadCheckpoint("it is no checkpoint");
        if (number() != version)
            throw BadCheckpoint("it is of another version of Kripke");
        uint8_t own[256];
        const uint32_t length = text(own, sizeof own);
        if (fingerprint != std::string(reinterpret_cast<const char *>(own), length))
            throw BadCheckpoint("it is of another model, or of a check with other options");
    } catch (...) {
        std::fclose(file_);
        throw;
    }
}

CheckpointReader::~CheckpointReader() { std::fclose(file_); }

void CheckpointReader::bytes(uint8_t *to, uint64_t count) {
    if (count > left_ || std::fread(to, 1, count, file_) != count)
        throw BadCheckpoint("it is damaged: it ends too soon");
    left_ -= count;
    mark_.add(to, count);
}

uint64_t CheckpointReader::number() {
    uint64_t value = 0;
    bytes(reinterpret_cast<uint8_t *>(&value), sizeof value);
    return value;
}

uint64_t CheckpointReader::count(uint64_t bytes_each) {
    const uint64_t value = number();
    if (value > left_ / bytes_each)
        throw BadCheckpoint("it is damaged: it ends too soon");
    return value;
}

uint32_t CheckpointReader::text(uint8_t *to, uint32_t most) {
    const uint64_t length = number();
    if (length > most)
        throw BadCheckpoint("it is damaged: a string is too long");
    bytes(to, length);
    return static_cast<uint32_t>(length);
}

void CheckpointReader::finish() {
    const uint64_t mark = mark_.mark();
    if (number() != mark || left_ != 0)
        throw BadCheckpoint("it is damaged, or was not written by this user on this machine");
}

} // namespace kripke
