/* unfolding_bindings.cpp -- complete prefixes in the Python module kripke._native. The typed
 * face of it is src/kripke/engines/nets/unfolding.
 */
#include "nets/unfolding.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using namespace kripke;

nb::tuple unfold(uint32_t places, const std::vector<uint32_t> &initial,
                 const std::vector<std::vector<uint32_t>> &presets, const std::vector<std::vector<uint32_t>> &postsets,
                 uint64_t max_events, uint64_t memory_limit, double time_limit,
                 const std::vector<uint32_t> &accepting, const std::vector<uint32_t> &livelock,
                 const std::vector<uint32_t> &kept, nb::object checkpoint) {
    using Clock = std::chrono::steady_clock;
    const auto checked = [&](const std::vector<uint32_t> &list) {
        if (std::any_of(list.begin(), list.end(), [&](uint32_t place) { return place >= places; }))
            throw std::invalid_argument("there is no such place");
    };
    checked(initial);
    if (presets.size() != postsets.size())
        throw std::invalid_argument("every transition has a preset and a postset");
    for (size_t i = 0; i < presets.size(); ++i) {
        checked(presets[i]);
        checked(postsets[i]);
        if (presets[i].empty())
            throw std::invalid_argument("a transition without a preset can fire for ever");
    }
    const SafeNet net{presets, postsets, initial, places};
    checked(kept);
    Tableau tableau;
    const auto marked = [](const std::vector<uint32_t> &list, size_t size) {
        std::vector<uint8_t> marks(size, 0);
        for (const uint32_t number : list)
            marks.at(number) = 1;
        return marks;
    };
    tableau.accepting = marked(accepting, presets.size());
    tableau.livelock = marked(livelock, presets.size());
    tableau.kept = marked(kept, places);
    bool interrupted = false;
    tableau.checkpoint = [&](const std::vector<uint32_t> &marking) {
        nb::gil_scoped_acquire gil;
        try {
            return nb::cast<bool>(checkpoint(marking));
        } catch (nb::python_error &error) {
            error.restore();
            interrupted = true;
            return false;
        }
    };
    Unfolding unfolding(net, checkpoint.is_none() ? nullptr : &tableau);
    const auto start = Clock::now();
    const auto go_on = [&] {
        if (time_limit > 0 && std::chrono::duration<double>(Clock::now() - start).count() > time_limit)
            return false;
        nb::gil_scoped_acquire gil;
        interrupted = interrupted || PyErr_CheckSignals() != 0;
        return !interrupted;
    };
    Unfolding::End end;
    {
        nb::gil_scoped_release no_gil;
        end = unfolding.run(max_events, memory_limit, go_on);
    }
    if (interrupted)
        throw nb::python_error();
    constexpr const char *names[] = {"", "events", "memory", "time", "unsafe", "found"};
    nb::list conditions, events;
    const auto place = static_cast<int64_t>(static_cast<int32_t>(unfolding.unsafe_place()));
    const size_t count = unfolding.events().size();
    const bool limited = end == Unfolding::End::events || end == Unfolding::End::memory || end == Unfolding::End::stopped;
    if (limited) /* nobody looks at a prefix that is not complete, and it may be large */
        return nb::make_tuple(names[static_cast<int>(end)], conditions, events, place, count);
    for (const Unfolding::Condition &condition : unfolding.conditions())
        conditions.append(nb::make_tuple(condition.place, static_cast<int64_t>(static_cast<int32_t>(condition.producer))));
    for (const Unfolding::Event &event : unfolding.events())
        events.append(nb::make_tuple(event.transition, event.preset, event.postset,
                                     static_cast<int64_t>(static_cast<int32_t>(event.companion))));
    return nb::make_tuple(names[static_cast<int>(end)], conditions, events, place, count);
}

} // namespace

void bind_unfolding(nb::module_ &module) {
    module.def("unfold", &unfold, "places"_a, "initial"_a, "presets"_a, "postsets"_a, nb::kw_only(),
               "max_events"_a = 0, "memory_limit"_a = 0, "time_limit"_a = 0.0,
               "accepting"_a = std::vector<uint32_t>(), "livelock"_a = std::vector<uint32_t>(),
               "kept"_a = std::vector<uint32_t>(), "checkpoint"_a = nb::none());
}
