/* checkpoint.h -- a file from which a search goes on: written whole or not at all, and
 * read with doubt.
 *
 * A file begins with a line that says what it is, the version of its form and a
 * fingerprint of model and options, which the caller makes; the rest are numbers and
 * strings of bytes as the search writes them, and at the end a mark under everything that
 * takes a key to make: states go to the model's code as they are, so nobody else may choose
 * them. It is written beside its place and takes it when it is complete, so that one that is
 * there is good, whatever ends the process. What is read is data only: no length is believed
 * that the file is too short for, and nothing is used before the mark was looked at.
 */
#ifndef KRIPKE_CHECKPOINT_H
#define KRIPKE_CHECKPOINT_H

#include "memory/siphash.h"

#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>

namespace kripke {

struct BadCheckpoint : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class CheckpointWriter {
  public:
    CheckpointWriter(const std::string &path, const std::string &fingerprint, const std::string &key);
    ~CheckpointWriter();
    CheckpointWriter(const CheckpointWriter &) = delete;
    CheckpointWriter &operator=(const CheckpointWriter &) = delete;

    void number(uint64_t value) { bytes(reinterpret_cast<const uint8_t *>(&value), sizeof value); }
    void text(const uint8_t *from, uint32_t length) {
        number(length);
        bytes(from, length);
    }
    /* Put the file in its place. False where something could not be written: then the one
     * before is still there. */
    [[nodiscard]] bool finish();

  private:
    void bytes(const uint8_t *from, uint64_t count);
    bool is_ours() const;
    bool may_be_replaced() const;

    std::string path_, beside_;
    std::FILE *file_;
    SipHash mark_;
    bool good_;
};

/* All of it throws BadCheckpoint where the file is not as it should be. */
class CheckpointReader {
  public:
    CheckpointReader(const std::string &path, const std::string &fingerprint, const std::string &key);
    ~CheckpointReader();
    CheckpointReader(const CheckpointReader &) = delete;
    CheckpointReader &operator=(const CheckpointReader &) = delete;

    uint64_t number();
    /* A number of things of which each takes at least so many bytes. */
    uint64_t count(uint64_t bytes_each);
    /* At most `most` bytes, to where there is room for them; how many. */
    uint32_t text(uint8_t *to, uint32_t most);
    /* Was that all, and is the mark the right one? */
    void finish();

  private:
    void bytes(uint8_t *to, uint64_t count);

    uint64_t left_ = 0; /* bytes not yet read */
    std::FILE *file_;
    SipHash mark_;
};

} // namespace kripke
#endif
