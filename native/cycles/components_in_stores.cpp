#include "stores/collapse_store.h"
#include "cycles/component_search.h"
#include "stores/number_store.h"
#include "stores/tree_store.h"

#include <stdexcept>

namespace kripke {

std::unique_ptr<Search> make_components_in_view(const kripke_model &model, const Options &options, Control &control) {
    switch (options.store) {
    case StoreKind::tree:
        return make_component_search<PlacedHandles<TreeStore>>(model, options, control);
    case StoreKind::collapse:
        return make_component_search<PlacedHandles<CollapseStore>>(model, options, control);
    case StoreKind::numbers:
        return make_component_search<PlacedHandles<NumberStore>>(model, options, control);
    default:
        throw std::invalid_argument("components go with the stores \"full\", \"tree\", \"collapse\" and \"numbers\"");
    }
}

} // namespace kripke
