#include "stores/bitstate_store.h"
#include "stores/collapse_store.h"
#include "cycles/coloured_handles.h"
#include "stores/hash_compact_store.h"
#include "cycles/nested_depth_first.h"
#include "stores/number_store.h"
#include "stores/tree_store.h"
#include "cycles/viewed_states.h"

#include <stdexcept>

namespace kripke {

namespace {

template <class States>
std::unique_ptr<Search> make(const kripke_model &model, const Options &options, Control &control) {
    return std::make_unique<NestedDepthFirst<States>>(model, options, control);
}

} // namespace

std::unique_ptr<Search> make_nested_in_view(const kripke_model &model, const Options &options, Control &control) {
    switch (options.store) {
    case StoreKind::tree:
        return make<ColouredHandles<TreeStore>>(model, options, control);
    case StoreKind::collapse:
        return make<ColouredHandles<CollapseStore>>(model, options, control);
    case StoreKind::numbers:
        return make<ColouredHandles<NumberStore>>(model, options, control);
    case StoreKind::hash_compact:
        if (options.shared.hash_bits == 64)
            return make<ViewedStates<HashCompactStore<uint64_t>>>(model, options, control);
        return make<ViewedStates<HashCompactStore<uint32_t>>>(model, options, control);
    case StoreKind::bitstate:
        return make<ViewedStates<BitstateStore>>(model, options, control);
    default:
        throw std::invalid_argument("this store does not go with nested depth-first search");
    }
}

} // namespace kripke
