/* sorted_run.h -- sorted states in files: each run in lexicographic order, without
 * duplicates, every state written as what it does not share with the one before.
 *
 * Files have no name from the moment they are made, so that whatever ends the process
 * leaves nothing behind. Many runs may lie in one file, one after the other.
 */
#ifndef KRIPKE_SORTED_RUN_H
#define KRIPKE_SORTED_RUN_H

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace kripke {

/* A state, wherever it is. */
struct StateView {
    const uint8_t *bytes;
    uint32_t length;

    /* Below 0, 0 or above: as memcmp, a prefix comes first. */
    int compare(const StateView &other) const {
        const int order = std::memcmp(bytes, other.bytes, length < other.length ? length : other.length);
        return order != 0 ? order : (length > other.length) - (length < other.length);
    }
};

/* A file without a name that is written at its end. */
class ScratchFile {
  public:
    /* In a folder; `good()` says whether that went well. */
    explicit ScratchFile(const std::string &folder);
    ~ScratchFile();
    ScratchFile(const ScratchFile &) = delete;
    ScratchFile &operator=(const ScratchFile &) = delete;

    bool good() const { return file_ >= 0; }
    [[nodiscard]] bool append(const uint8_t *bytes, uint64_t count);
    /* Bytes from a place on, at most `count`; 0 at the end or where reading fails. */
    uint64_t read(uint64_t place, uint8_t *to, uint64_t count) const;
    uint64_t size() const { return size_; }
    void clear();

  private:
    int file_;
    uint64_t size_ = 0;
};

/* A run of states in a file. */
struct SortedRun {
    const ScratchFile *file;
    uint64_t begin, end; /* bytes */
    uint64_t states;
};

/* Writes a run at the end of a file. */
class RunWriter {
  public:
    explicit RunWriter(ScratchFile &file) : file_(file), begin_(file.size()) {}

    /* Greater than the one before. False where the file cannot be written. */
    [[nodiscard]] bool add(const StateView &state);
    /* What was written; `good` is false where the file cannot be written. */
    SortedRun finish(bool &good);

  private:
    static constexpr size_t buffer_bytes = 1 << 18;

    ScratchFile &file_;
    const uint64_t begin_;
    uint64_t states_ = 0;
    std::vector<uint8_t> buffer_;
    std::vector<uint8_t> last_;
};

/* Reads a run from its first state to its last. */
class RunReader {
  public:
    explicit RunReader(const SortedRun &run) : run_(run), place_(run.begin), left_(run.states) {}

    /* Go to the next state, the first at first. False at the end. */
    bool next();
    /* Go on to the first state that is not below this one. False at the end. Is it the
     * same one? */
    bool seek(const StateView &wanted, bool &same);
    StateView state() const { return {state_.data(), length_}; }
    /* Has the file been read to the end of the run? */
    bool failed() const { return failed_; }

  private:
    static constexpr uint64_t buffer_bytes = 1 << 17;

    bool fill(uint64_t needed);
    bool numbers(uint32_t &shared, uint32_t &rest);

    SortedRun run_;
    uint64_t place_; /* of what is to be read next into the buffer */
    std::vector<uint8_t> buffer_;
    uint64_t at_ = 0, filled_ = 0; /* of the buffer */
    std::vector<uint8_t> state_;
    uint32_t length_ = 0;
    uint32_t shared_ = 0; /* bytes that it has in common with the one before */
    uint64_t left_;
    bool failed_ = false;
};

} // namespace kripke
#endif
