#include "cycles/component_search.h"

namespace kripke {

std::unique_ptr<Search> make_components(const kripke_model &model, const Options &options, Control &control) {
    if (options.store != StoreKind::full)
        return make_components_in_view(model, options, control);
    return make_component_search<PlacedRecords>(model, options, control);
}

} // namespace kripke
