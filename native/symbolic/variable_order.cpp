#include "symbolic/variable_order.h"

#include <algorithm>
#include <numeric>

namespace kripke {

namespace {

constexpr int most_rounds = 200;
constexpr int patience = 12; /* rounds without an improvement */
constexpr size_t widest = 64; /* groups that have a say in what comes next */
constexpr uint64_t most_work = 60'000'000; /* arcs looked at */

using Groups = std::vector<std::vector<uint32_t>>;

Groups groups_of_places(uint32_t places, const Groups &groups) {
    Groups found(places);
    for (uint32_t group = 0; group < groups.size(); ++group)
        for (const uint32_t place : groups[group])
            found[place].push_back(group);
    return found;
}

/* Places of one component by breadth, beginning at `start`; those that are not `seen`. */
std::vector<uint32_t> by_breadth(uint32_t start, const Groups &groups, const Groups &of_places,
                                 std::vector<uint8_t> &seen) {
    std::vector<uint8_t> used(groups.size(), 0);
    std::vector<uint32_t> order{start}, next;
    seen[start] = 1;
    for (size_t i = 0; i < order.size(); ++i) {
        next.clear();
        for (const uint32_t group : of_places[order[i]]) {
            if (used[group])
                continue;
            used[group] = 1;
            for (const uint32_t place : groups[group])
                if (!seen[place]) {
                    seen[place] = 1;
                    next.push_back(place);
                }
        }
        std::stable_sort(next.begin(), next.end(), [&](uint32_t a, uint32_t b) {
            return of_places[a].size() < of_places[b].size();
        });
        order.insert(order.end(), next.begin(), next.end());
    }
    return order;
}

std::vector<uint32_t> cuthill_mckee(uint32_t places, const Groups &groups, const Groups &of_places) {
    std::vector<uint8_t> seen(places, 0);
    std::vector<uint32_t> levels(places, 0);
    uint32_t level = 0;
    for (uint32_t place = 0; place < places; ++place) {
        if (seen[place])
            continue;
        std::vector<uint8_t> tried = seen;
        uint32_t start = place; /* the last place by breadth is at an end; twice, to be surer */
        for (int round = 0; round < 2; ++round) {
            tried = seen;
            start = by_breadth(start, groups, of_places, tried).back();
        }
        for (const uint32_t next : by_breadth(start, groups, of_places, seen))
            levels[next] = level++;
    }
    return levels;
}

/* Next is always the place whose groups are most nearly complete. */
std::vector<uint32_t> by_completion(uint32_t places, const Groups &groups, const Groups &of_places) {
    std::vector<uint32_t> levels(places, 0), missing(groups.size(), 0);
    for (size_t group = 0; group < groups.size(); ++group)
        missing[group] = static_cast<uint32_t>(groups[group].size());
    std::vector<uint8_t> done(places, 0);
    const auto worth = [&](uint32_t place) {
        double sum = 0;
        for (const uint32_t group : of_places[place])
            if (missing[group] < groups[group].size())
                sum += 1.0 / missing[group];
        return sum;
    };
    using Offer = std::pair<double, uint32_t>; /* worth, and a place, the lowest number first */
    std::vector<Offer> heap;
    uint32_t next = 0, level = 0;
    while (level < places) {
        uint32_t place = places;
        while (!heap.empty() && place == places) {
            std::pop_heap(heap.begin(), heap.end());
            const Offer offer = heap.back();
            heap.pop_back();
            const uint32_t offered = places - 1 - offer.second;
            if (!done[offered] && worth(offered) == offer.first)
                place = offered;
        }
        if (place == places) {
            while (done[next])
                ++next;
            place = next;
        }
        done[place] = 1;
        levels[place] = level++;
        for (const uint32_t group : of_places[place])
            --missing[group];
        for (const uint32_t group : of_places[place])
            if (groups[group].size() <= widest)
                for (const uint32_t other : groups[group])
                    if (!done[other]) {
                        heap.emplace_back(worth(other), places - 1 - other);
                        std::push_heap(heap.begin(), heap.end());
                    }
    }
    return levels;
}

/* Shorter groups, from the given order. */
std::vector<uint32_t> pulled(std::vector<uint32_t> levels, const Groups &groups, const Groups &of_places, uint64_t arcs) {
    const size_t places = levels.size();
    std::vector<uint32_t> best = levels, order(places);
    uint64_t least = length_of_groups(best, groups);
    std::vector<double> middle(groups.size(), 0), wanted(places, 0);
    std::iota(order.begin(), order.end(), 0);
    const auto rounds = static_cast<int>(std::min<uint64_t>(most_rounds, 1 + most_work / (arcs + places + 1)));
    int left = patience;
    for (int round = 0; round < rounds && left > 0; ++round) {
        for (size_t group = 0; group < groups.size(); ++group) {
            double sum = 0;
            for (const uint32_t place : groups[group])
                sum += levels[place];
            middle[group] = groups[group].empty() ? 0 : sum / static_cast<double>(groups[group].size());
        }
        for (size_t place = 0; place < places; ++place) {
            double sum = 0, weights = 0;
            for (const uint32_t group : of_places[place]) {
                const double weight = 1 / static_cast<double>(groups[group].size());
                sum += weight * middle[group];
                weights += weight;
            }
            wanted[place] = weights == 0 ? levels[place] : sum / weights;
        }
        std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
            return wanted[a] != wanted[b] ? wanted[a] < wanted[b] : levels[a] < levels[b];
        });
        for (uint32_t level = 0; level < places; ++level)
            levels[order[level]] = level;
        const uint64_t length = length_of_groups(levels, groups);
        --left;
        if (length < least) {
            if (length < least - least / 500)
                left = patience;
            least = length;
            best = levels;
        }
    }
    return best;
}

} // namespace

uint64_t length_of_groups(const std::vector<uint32_t> &levels, const Groups &groups) {
    uint64_t length = 0;
    for (const std::vector<uint32_t> &group : groups) {
        uint32_t first = UINT32_MAX, last = 0;
        for (const uint32_t place : group) {
            first = std::min(first, levels[place]);
            last = std::max(last, levels[place]);
        }
        length += group.empty() ? 0 : last - first;
    }
    return length;
}

Groups orders_of_places(uint32_t places, const Groups &groups) {
    const Groups of_places = groups_of_places(places, groups);
    uint64_t arcs = 0;
    for (const std::vector<uint32_t> &group : groups)
        arcs += group.size();
    std::vector<uint32_t> given(places);
    std::iota(given.begin(), given.end(), 0);
    std::vector<std::pair<uint64_t, std::vector<uint32_t>>> found;
    const auto add = [&](std::vector<uint32_t> levels) {
        found.emplace_back(length_of_groups(levels, groups), std::move(levels));
    };
    for (const std::vector<uint32_t> &start :
         {given, cuthill_mckee(places, groups, of_places), by_completion(places, groups, of_places)}) {
        add(pulled(start, groups, of_places, arcs));
        add(start);
    }
    std::stable_sort(found.begin(), found.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
    Groups orders;
    for (auto &[length, levels] : found)
        if (std::find(orders.begin(), orders.end(), levels) == orders.end())
            orders.push_back(std::move(levels));
    return orders;
}

} // namespace kripke
