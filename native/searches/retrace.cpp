#include "searches/retrace.h"

#include <algorithm>
#include <cstring>

namespace kripke {

Retrace::Retrace(const kripke_model &model, const Store &store, const Stack<uint64_t> &layers, const Control &control)
    : Sink(model, control.stop_tracing_word()), store_(store), layers_(layers), control_(control),
      buffer_(model.max_state_bytes), unpacked_(model.max_state_bytes), target_state_(model.max_state_bytes) {
    connect(this);
    out = buffer_.data();
    choice = every_step;
}

void Retrace::find_paths(const std::vector<ErrorPath *> &error_paths) {
    uint64_t deepest = 0;
    for (ErrorPath *error_path : error_paths) {
        error_path->path = {error_path->state};
        deepest = std::max(deepest, layer_of(error_path->state));
    }
    for (uint64_t layer = deepest; layer > 0 && !control_.tracing_stopped(); --layer) {
        /* Paths are built backwards: the last entry is the first state so far. */
        std::vector<ErrorPath *> followed;
        targets_.clear();
        missing_ = 0;
        std::unordered_map<uint64_t, const Target *> target_of;
        for (ErrorPath *error_path : error_paths) {
            const uint64_t state = error_path->path.back();
            if (state < layers_[layer])
                continue; /* its path begins in an earlier layer */
            followed.push_back(error_path);
            if (target_of.count(state) != 0)
                continue;
            const Record record = store_.record(state);
            const auto entry = targets_.insert({hash_bytes(store_.state(record, unpacked_), record.length), {state, no_state}});
            target_of[state] = &entry->second;
            ++missing_;
        }
        find_parents(layer - 1);
        if (missing_ > 0)
            break;
        for (ErrorPath *error_path : followed)
            error_path->path.push_back(target_of[error_path->path.back()]->parent);
    }
    for (ErrorPath *error_path : error_paths) {
        if (layer_of(error_path->path.back()) > 0)
            error_path->path.clear();
        std::reverse(error_path->path.begin(), error_path->path.end());
    }
}

uint64_t Retrace::layer_of(uint64_t offset) const {
    uint64_t low = 0, high = layers_.size(); /* layers_[low] <= offset < layers_[high] */
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        (layers_[middle] <= offset ? low : high) = middle;
    }
    return low;
}

void Retrace::find_parents(uint64_t layer) {
    for (uint64_t offset = layers_[layer]; offset < layers_[layer + 1] && missing_ > 0;) {
        if (control_.tracing_stopped())
            return;
        const Record record = store_.record(offset);
        source_ = offset;
        model().successors(store_.state(record, unpacked_), record.length, this);
        offset = record.next;
    }
}

void Retrace::take(uint32_t length, uint32_t) noexcept {
    const auto [first, last] = targets_.equal_range(hash_bytes(out, length));
    for (auto entry = first; entry != last; ++entry) {
        Target &target = entry->second;
        const Record record = store_.record(target.state);
        if (target.parent == no_state && record.length == length &&
            std::memcmp(store_.state(record, target_state_), out, length) == 0) {
            target.parent = source_;
            --missing_;
        }
    }
}

} // namespace kripke
