#include "cycles/nested_depth_first.h"

namespace kripke {

std::unique_ptr<Search> make_nested(const kripke_model &model, const Options &options, Control &control) {
    if (options.store != StoreKind::full)
        return make_nested_in_view(model, options, control);
    return std::make_unique<NestedDepthFirst<RecordStates>>(model, options, control);
}

} // namespace kripke
