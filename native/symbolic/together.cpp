#include "symbolic/together.h"

#include <algorithm>

namespace kripke {

Together::Together() : nodes_{{UINT32_MAX, {}, none, false}, {UINT32_MAX, {}, none, false}} {}

/* The prefixes of the last transition are open; a prefix that the next one does not share is complete and becomes a
 * node. No recursion: transitions may be long. */
uint32_t Together::node_of(const std::vector<Effects> &transitions) {
    std::vector<Prefix> open(1);
    const Effects *last = nullptr;
    const auto shorten = [&](size_t length) {
        while (open.size() > length + 1) {
            const uint32_t closed = close(open.back());
            open.pop_back();
            open.back().next.emplace_back((*last)[open.size() - 1], closed);
        }
    };
    for (const Effects &transition : transitions) {
        if (last != nullptr) {
            const auto apart = std::mismatch(last->begin(), last->end(), transition.begin(), transition.end());
            shorten(static_cast<size_t>(apart.first - last->begin()));
        }
        open.resize(transition.size() + 1);
        open.back().complete = true;
        last = &transition;
    }
    shorten(0);
    return close(open.front());
}

uint32_t Together::close(const Prefix &prefix) {
    uint32_t made = prefix.complete ? done : none;
    for (size_t end = prefix.next.size(); end > 0;) {
        const uint32_t level = prefix.next[end - 1].first.level;
        size_t begin = end;
        while (begin > 0 && prefix.next[begin - 1].first.level == level)
            --begin;
        Branches branches;
        for (size_t i = begin; i < end; ++i)
            branches.push_back({prefix.next[i].first.need, prefix.next[i].first.change, prefix.next[i].second});
        made = make(level, std::move(branches), made);
        end = begin;
    }
    return made;
}

uint32_t Together::make(uint32_t level, Branches branches, uint32_t past) {
    const auto [place, fresh] = numbers_.try_emplace(Key{level, std::move(branches), past}, size());
    if (fresh) {
        const Branches &kept = std::get<1>(place->first);
        const bool for_empty = std::any_of(kept.begin(), kept.end(), [](const Branch &b) { return b.need == 0; });
        nodes_.push_back({level, kept, past, for_empty});
    }
    return place->second;
}

} // namespace kripke
