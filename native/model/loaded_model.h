/* loaded_model.h -- a compiled model, opened from a shared library or found at
 * an address of this process.
 */
#ifndef KRIPKE_LOADED_MODEL_H
#define KRIPKE_LOADED_MODEL_H

#include "model/model.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace kripke {

class LoadedModel {
  public:
    /* Open a shared library. Throws std::runtime_error, with a text that says
     * what is wrong, if there is no model of our ABI in it. */
    explicit LoadedModel(const std::string &path);

    /* Use the kripke_model at an address; it must outlive this object. */
    explicit LoadedModel(uintptr_t address);

    ~LoadedModel();
    LoadedModel(const LoadedModel &) = delete;
    LoadedModel &operator=(const LoadedModel &) = delete;

    const kripke_model &operator*() const { return *model_; }
    const kripke_model *operator->() const { return model_; }

    // ---- One state at a time, for tests and comparisons ---------------------
    // Throw std::invalid_argument for a state that is too long.

    struct Steps {
        std::vector<std::pair<std::string, uint32_t>> states;   /* state, label */
        std::vector<std::pair<uint32_t, uint32_t>> violations; /* code, label */
    };

    Steps initial() const;
    Steps successors(const std::string &state) const;
    bool valid_end(const std::string &state) const;
    std::vector<bool> atoms(const std::string &state) const;

  private:
    void check(const std::string &where) const;
    void check_state(const std::string &state) const;

    void *library_ = nullptr;
    const kripke_model *model_ = nullptr;
};

} // namespace kripke
#endif
