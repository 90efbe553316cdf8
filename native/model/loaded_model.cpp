#include "model/loaded_model.h"

#include "model/sink.h"

#include <dlfcn.h>

#include <stdexcept>

namespace kripke {

namespace {

/* Keeps all it is handed. */
class Collector final : public Sink {
  public:
    explicit Collector(const kripke_model &model) : Sink(model, &never_), buffer_(model.max_state_bytes) {
        connect(this);
        out = buffer_.data();
    }

    void take(uint32_t length, uint32_t label) noexcept {
        steps.states.emplace_back(std::string(reinterpret_cast<const char *>(out), length), label);
    }
    void complain(uint32_t code, uint32_t label) noexcept { steps.violations.emplace_back(code, label); }

    LoadedModel::Steps steps;

  private:
    const volatile uint32_t never_ = 0;
    std::vector<uint8_t> buffer_;
};

const uint8_t *bytes_of(const std::string &state) { return reinterpret_cast<const uint8_t *>(state.data()); }

uint32_t length_of(const std::string &state) { return static_cast<uint32_t>(state.size()); }

} // namespace

LoadedModel::LoadedModel(const std::string &path) {
    library_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr)
        throw std::runtime_error(std::string("cannot load the compiled model: ") + dlerror());
    try {
        const auto entry = reinterpret_cast<kripke_model_entry_fn>(dlsym(library_, "kripke_model_entry"));
        if (entry == nullptr)
            throw std::runtime_error(path + " is not a compiled model: it has no function kripke_model_entry");
        model_ = entry();
        check(path);
    } catch (...) {
        dlclose(library_);
        throw;
    }
}

LoadedModel::LoadedModel(uintptr_t address) : model_(reinterpret_cast<const kripke_model *>(address)) {
    check("the model at the given address");
}

LoadedModel::~LoadedModel() {
    if (library_ != nullptr)
        dlclose(library_);
}

void LoadedModel::check(const std::string &where) const {
    if (model_ == nullptr)
        throw std::runtime_error(where + ": no model there");
    if (model_->abi != KRIPKE_ABI)
        throw std::runtime_error(where + " was compiled for version " + std::to_string(model_->abi) +
                                 " of the model interface, this engine has version " + std::to_string(KRIPKE_ABI) +
                                 ": compile it again");
    if (model_->max_state_bytes == 0 || model_->name == nullptr || model_->initial == nullptr ||
        model_->successors == nullptr || model_->valid_end == nullptr ||
        (model_->atoms == nullptr && model_->atom_count > 0))
        throw std::runtime_error(where + " is no proper model: a part that model.h asks for is missing");
}

void LoadedModel::check_state(const std::string &state) const {
    if (state.size() > model_->max_state_bytes)
        throw std::invalid_argument("a state of " + std::to_string(state.size()) +
                                    " bytes, but no state of this model has more than " +
                                    std::to_string(model_->max_state_bytes));
}

LoadedModel::Steps LoadedModel::initial() const {
    Collector collector(*model_);
    model_->initial(&collector);
    return std::move(collector.steps);
}

LoadedModel::Steps LoadedModel::successors(const std::string &state) const {
    check_state(state);
    Collector collector(*model_);
    model_->successors(bytes_of(state), length_of(state), &collector);
    return std::move(collector.steps);
}

bool LoadedModel::valid_end(const std::string &state) const {
    check_state(state);
    return model_->valid_end(bytes_of(state), length_of(state)) != 0;
}

std::vector<bool> LoadedModel::atoms(const std::string &state) const {
    check_state(state);
    std::vector<uint64_t> truth((model_->atom_count + 63) / 64 * 2);
    if (!truth.empty())
        model_->atoms(bytes_of(state), length_of(state), truth.data());
    std::vector<bool> values(model_->atom_count);
    for (size_t i = 0; i < values.size(); ++i)
        values[i] = (truth[i / 64] >> (i % 64) & 1) != 0;
    return values;
}

} // namespace kripke
