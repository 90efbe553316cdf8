#include "bindings/observer_binding.h"

#include <nanobind/stl/vector.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace nb = nanobind;

namespace kripke {

Observer observer_of(const nb::tuple &written, const kripke_model &model) {
    const size_t words = (model.atom_count + 63) / 64;
    Observer observer;
    observer.initial = nb::cast<std::vector<uint32_t>>(written[0]);
    observer.errors = nb::cast<uint32_t>(written[1]);
    const nb::list states(written[2]);
    observer.stutters = nb::cast<bool>(written[3]);
    observer.waiting = nb::cast<std::vector<uint32_t>>(written[4]);
    observer.first_waiting = nb::cast<uint32_t>(written[5]);
    const auto is_atom = [&](uint32_t atom) { return atom < model.atom_count; };
    if (!std::all_of(observer.waiting.begin(), observer.waiting.end(), is_atom) ||
        observer.first_waiting > 64 || observer.waiting.size() > 64 - observer.first_waiting)
        throw std::invalid_argument("the observer has too many events, or asks for an atom that the model does not have");
    for (const nb::handle item : nb::cast<nb::list>(written[6])) {
        const nb::tuple both = nb::cast<nb::tuple>(item);
        observer.strong.push_back({nb::cast<uint32_t>(both[0]), nb::cast<uint32_t>(both[1])});
        if (!is_atom(observer.strong.back().at) || !is_atom(observer.strong.back().able))
            throw std::invalid_argument("the observer asks for an atom that the model does not have");
    }
    const auto step_atoms = nb::cast<std::vector<std::vector<uint32_t>>>(written[7]);
    if (step_atoms.size() > 64)
        throw std::invalid_argument("the observer has more than 64 atoms of steps");
    if (!step_atoms.empty())
        observer.steps.resize(model.label_count + size_t{1});
    for (size_t i = 0; i < step_atoms.size(); ++i)
        for (const uint32_t label : step_atoms[i]) {
            if (label >= model.label_count)
                throw std::invalid_argument("the observer asks for a step that the model does not have");
            observer.steps[label] |= uint64_t{1} << i;
        }
    for (const nb::handle state : states) {
        std::vector<ObserverEdge> edges;
        for (const nb::handle item : nb::cast<nb::list>(state)) {
            const nb::tuple fields = nb::cast<nb::tuple>(item);
            ObserverEdge edge;
            for (const nb::handle part : nb::cast<nb::list>(fields[0])) {
                Cube cube{std::vector<uint64_t>(words), std::vector<uint64_t>(words), 0, 0};
                const nb::tuple both = nb::cast<nb::tuple>(part);
                for (const int side : {0, 1})
                    for (const uint32_t atom : nb::cast<std::vector<uint32_t>>(both[side])) {
                        if (atom >= model.atom_count + step_atoms.size())
                            throw std::invalid_argument("the observer asks for an atom that the model does not have");
                        if (atom >= model.atom_count) {
                            const uint64_t bit = uint64_t{1} << (atom - model.atom_count);
                            cube.steps_asked |= bit;
                            cube.steps_wanted |= side == 0 ? bit : 0;
                            continue;
                        }
                        cube.asked[atom / 64] |= uint64_t{1} << (atom % 64);
                        if (side == 0)
                            cube.wanted[atom / 64] |= uint64_t{1} << (atom % 64);
                    }
                edge.guard.push_back(std::move(cube));
            }
            edge.target = nb::cast<uint32_t>(fields[1]);
            edge.marks = nb::cast<uint64_t>(fields[2]);
            edge.error = nb::cast<int64_t>(fields[3]);
            edges.push_back(std::move(edge));
        }
        observer.edges.push_back(std::move(edges));
    }
    const auto is_state = [&](uint32_t state) { return state < observer.edges.size(); };
    bool proper = observer.edges.size() <= 65536 && std::all_of(observer.initial.begin(), observer.initial.end(), is_state);
    for (const auto &edges : observer.edges)
        for (const ObserverEdge &edge : edges)
            proper = proper && (is_state(edge.target) || edge.error >= 0) && edge.error < int64_t{observer.errors};
    if (!proper)
        throw std::invalid_argument("the observer is damaged, or has more than 65,536 states");
    return observer;
}

} // namespace kripke
