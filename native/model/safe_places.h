/* safe_places.h -- the safe places of a model (kripke_safe_places in model.h), with the memory they are in. */
#ifndef KRIPKE_SAFE_PLACES_H
#define KRIPKE_SAFE_PLACES_H

#include "model/model.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace kripke {

struct SafePlaces {
    uint32_t actors = 0, places = 0;
    std::vector<uint8_t> kinds;
    std::vector<kripke_length_test> tests;
    std::vector<uint32_t> first;

    /* Can a model read these without leaving them? */
    bool is_whole() const {
        const bool fits = actors <= 64 && kinds.size() == uint64_t{actors} * places && !first.empty() &&
                          first.front() == 0 && first.back() == tests.size() &&
                          std::is_sorted(first.begin(), first.end());
        return fits && std::all_of(kinds.begin(), kinds.end(), [this](uint8_t kind) { return kind < first.size(); });
    }

    /* As a model reads them; good as long as this object is, and stays where it is. */
    kripke_safe_places view() const { return {actors, places, kinds.data(), tests.data(), first.data()}; }
};

} // namespace kripke
#endif
