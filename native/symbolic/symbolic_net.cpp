#include "symbolic/symbolic_net.h"

#include "symbolic/ways.h"

#include <algorithm>
#include <map>

namespace kripke {

namespace {

/* Each once: what two transitions do alike need not be done twice. */
std::vector<Effects> distinct(std::vector<Effects> all) {
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

} // namespace

SymbolicNet::SymbolicNet(const TokenNet &net, std::vector<uint32_t> levels, uint64_t memory)
    : diagram(memory), transitions_(static_cast<uint32_t>(net.presets.size())), initial_(net.initial),
      levels_(std::move(levels)), places_(net.initial.size()),
      forward_(diagram, places(), distinct(effects(net, false)), 0, 0),
      backward_(diagram, places(), distinct(effects(net, true)), 1, forward_.size()),
      selection_(diagram, effects(net, false), 0) {
    for (uint32_t place = 0; place < places(); ++place)
        places_[levels_[place]] = place;
    const std::vector<Effects> all = effects(net, false);
    const auto place_of = [&](const Effects &wanted) { /* in the order of `distinct` */
        return std::lower_bound(forward_.steps().begin(), forward_.steps().end(), wanted) - forward_.steps().begin();
    };
    transition_of_.assign(forward_.size(), 0);
    for (uint32_t transition = transitions_; transition-- > 0;)
        transition_of_[static_cast<size_t>(place_of(all[transition]))] = transition;
}

std::vector<Effects> SymbolicNet::effects(const TokenNet &net, bool back) const {
    std::vector<Effects> all;
    for (size_t i = 0; i < net.presets.size(); ++i) {
        std::map<uint32_t, Effect> by_level;
        for (const auto &[place, weight] : back ? net.postsets[i] : net.presets[i])
            by_level[levels_[place]] = {levels_[place], weight, -static_cast<int64_t>(weight)};
        for (const auto &[place, weight] : back ? net.presets[i] : net.postsets[i]) {
            Effect &effect = by_level.try_emplace(levels_[place], Effect{levels_[place], 0, 0}).first->second;
            effect.change += weight;
        }
        Effects effects;
        for (const auto &[level, effect] : by_level)
            effects.push_back(effect);
        all.push_back(std::move(effects));
    }
    return all;
}

Weights SymbolicNet::weights(const Terms &terms) const {
    Weights sorted;
    for (const auto &[place, factor] : terms)
        if (factor != 0)
            sorted.emplace_back(levels_[place], factor);
    std::sort(sorted.begin(), sorted.end());
    return sorted;
}

std::vector<uint32_t> SymbolicNet::by_level(const std::vector<uint32_t> &tokens) const {
    std::vector<uint32_t> levels(tokens.size());
    for (uint32_t level = 0; level < places(); ++level)
        levels[level] = tokens[places_[level]];
    return levels;
}

std::vector<uint32_t> SymbolicNet::transitions_of(std::vector<uint32_t> steps) const {
    for (uint32_t &step : steps)
        step = transition_of_[step];
    return steps;
}

std::optional<std::vector<uint32_t>> SymbolicNet::walk(const std::vector<uint32_t> &start, Set goal, Set within) {
    std::optional<Way> way = walk_to(diagram, forward_.steps(), by_level(start), goal, within);
    if (way)
        *way = transitions_of(std::move(*way));
    return way;
}

std::vector<uint32_t> SymbolicNet::chain(const std::vector<uint32_t> &start, Set goal, Set within) {
    return transitions_of(chain_to(diagram, forward_, by_level(start), goal, within));
}

Set SymbolicNet::marking(const std::vector<uint32_t> &tokens) {
    std::vector<std::pair<uint32_t, uint32_t>> by_level;
    for (uint32_t level = 0; level < places(); ++level)
        by_level.emplace_back(level, tokens[places_[level]]);
    return selection_.single(by_level);
}

std::vector<uint32_t> SymbolicNet::pick(Set set) const {
    std::vector<uint32_t> tokens(places(), 0);
    for (const auto &[level, number] : selection_.pick(set))
        tokens[places_[level]] = number;
    return tokens;
}

bool SymbolicNet::contains(Set set, const std::vector<uint32_t> &tokens) const {
    for (uint32_t level = 0; level < places() && set != Diagram::nothing; ++level)
        set = diagram.rest(set, level, tokens[places_[level]]);
    return set == Diagram::unit;
}

std::vector<uint32_t> SymbolicNet::most_on_places(Set set) const {
    const std::vector<uint32_t> by_level = selection_.most_on_levels(set);
    std::vector<uint32_t> most(places(), 0);
    for (size_t level = 0; level < by_level.size(); ++level)
        most[places_[level]] = by_level[level];
    return most;
}

} // namespace kripke
