#include "bindings/pairs_binding.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/set.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace kripke {

thread_local const Control *asking_for = nullptr;

namespace {

std::string string_of(nb::handle item) {
    const nb::bytes bytes = nb::cast<nb::bytes>(item);
    return {bytes.c_str(), bytes.size()};
}

/* Nobody waits for the pairs any more? */
void give_way() {
    if (asking_for != nullptr && asking_for->stopped())
        throw TooManyViews();
}

/* What Python says of a view: is it settled, does it offer or accept a meeting, shares, steps (transition, text of the view after it or None, effect,
 * result). */
Views::Told told_by(const nb::object &ask, uint32_t pid, std::string_view text) {
    const auto answer = nb::cast<nb::tuple>(ask(pid, nb::bytes(text.data(), text.size())));
    Views::Told told;
    told.is_settled = nb::cast<bool>(answer[0]);
    std::tie(told.offers, told.accepts) = nb::cast<std::pair<bool, bool>>(answer[1]);
    told.shares = nb::cast<std::vector<int64_t>>(answer[2]);
    for (const nb::handle item : nb::cast<nb::list>(answer[3])) {
        const auto step = nb::cast<nb::tuple>(item);
        const bool fails = step[1].is_none();
        told.steps.push_back({nb::cast<uint32_t>(step[0]), nb::cast<uint32_t>(step[3]), fails,
                              fails ? std::string() : string_of(step[1]), nb::cast<ViewEffect>(step[2])});
    }
    return told;
}

std::vector<Views::Met> told_of_two(const nb::object &ask, uint32_t pid, std::string_view text, uint32_t other,
                                    std::string_view beside) {
    std::vector<Views::Met> found;
    const nb::object answer =
        ask(pid, nb::bytes(text.data(), text.size()), other, nb::bytes(beside.data(), beside.size()));
    for (const nb::handle item : nb::cast<nb::list>(answer)) {
        const auto met = nb::cast<nb::tuple>(item);
        found.push_back({string_of(met[0]), string_of(met[1]), nb::cast<ViewEffect>(met[2])});
    }
    return found;
}

using WrittenActor =
    std::tuple<uint32_t, uint32_t, std::vector<uint32_t>, std::vector<std::pair<uint32_t, uint32_t>>>;
using WrittenCounted =
    std::tuple<uint32_t, bool, int64_t, bool, std::vector<std::optional<uint32_t>>, std::vector<std::set<int64_t>>>;

std::optional<FoundPairs> find_pairs(const std::vector<WrittenActor> &written_actors, const nb::list &roots,
                                     const std::vector<WrittenCounted> &written_counted,
                                     const std::vector<std::vector<uint32_t>> &alone, const nb::object &ask,
                                     const nb::object &ask_of_two, const nb::object &deadline, uint32_t most_views, uint64_t most_pairs, uint64_t most_looks,
                                     uint32_t tally_rounds, uint32_t tally_shares) {
    std::vector<Views::Actor> actors;
    for (const auto &[start, size, seen, places] : written_actors)
        actors.push_back({start, size, seen, places});
    std::vector<Counted> counted;
    for (const auto &[bits, is_signed, start, is_tally, places, possible] : written_counted) {
        counted.push_back({bits, is_signed, start, is_tally, {}, possible});
        for (const auto &place : places)
            counted.back().places.push_back(place.value_or(no_view));
    }
    auto views = std::make_unique<Views>(
        std::move(actors), most_views,
        [ask](uint32_t pid, std::string_view text) {
            give_way();
            return told_by(ask, pid, text);
        },
        [ask_of_two](uint32_t pid, std::string_view text, uint32_t other, std::string_view beside) {
            return told_of_two(ask_of_two, pid, text, other, beside);
        });
    const auto tick = [&deadline] {
        deadline(); /* waits, or raises */
        if (PyErr_CheckSignals() != 0)
            throw nb::python_error();
        give_way();
        const nb::gil_scoped_release others_may_run;
    };
    try {
        std::vector<std::vector<uint32_t>> first;
        for (const nb::handle root : roots) {
            auto &seen = first.emplace_back();
            for (const nb::handle text : nb::cast<nb::list>(root))
                seen.push_back(views->number(static_cast<uint32_t>(seen.size()), string_of(text)));
        }
        auto pairs = std::make_unique<Pairs>(std::move(views), first, std::move(counted), alone,
                                             Pairs::Limits{most_pairs, most_looks, tally_rounds, tally_shares}, tick);
        return FoundPairs{std::make_shared<SharedPairs>(std::move(pairs))};
    } catch (const TooManyViews &) {
        return std::nullopt;
    }
}

std::optional<uint32_t> optional_view(const Pairs &pairs, uint32_t pid, uint32_t view) {
    return pairs.has(pid, view) ? std::optional(view) : std::nullopt;
}

nb::int_ bits_of(const SparseSet &set) {
    nb::object found = nb::int_(0);
    const nb::object one = nb::int_(1);
    set.each([&](uint32_t number) { found = found | (one << nb::int_(number)); });
    return nb::cast<nb::int_>(found);
}

} // namespace

void bind_pairs(nb::module_ &module) {
    nb::class_<FoundPairs>(module, "Pairs")
        .def("count", [](const FoundPairs &self) { return self.shared->pairs->count(); })
        .def("actors", [](const FoundPairs &self) { return self.shared->pairs->views().actors(); })
        .def("start",
             [](const FoundPairs &self, uint32_t pid) { return self.shared->pairs->views().actor(pid).start; })
        .def("views", [](const FoundPairs &self, uint32_t pid) { return self.shared->pairs->met(pid); })
        .def("find",
             [](const FoundPairs &self, uint32_t pid, const nb::bytes &state) {
                 const Pairs &pairs = *self.shared->pairs;
                 return optional_view(pairs, pid,
                                      pairs.views().find(pid, reinterpret_cast<const uint8_t *>(state.c_str())));
             })
        .def("text",
             [](const FoundPairs &self, uint32_t pid, uint32_t view) {
                 const std::string_view text = self.shared->pairs->views().text(pid, view);
                 return nb::bytes(text.data(), text.size());
             })
        .def("is_settled",
             [](const FoundPairs &self, uint32_t pid, uint32_t view) {
                 return self.shared->pairs->views().is_settled(pid, view);
             })
        .def("moves",
             [](const FoundPairs &self, uint32_t pid, uint32_t view) {
                 std::vector<std::tuple<uint32_t, std::optional<uint32_t>, uint32_t, uint32_t>> found;
                 for (const ViewMove &move : self.shared->pairs->views().moves(pid, view))
                     found.emplace_back(move.transition,
                                        move.target == no_view ? std::nullopt : std::optional(move.target),
                                        move.effect, move.result);
                 return found;
             })
        .def("after",
             [](const FoundPairs &self, uint32_t pid, uint32_t view, uint32_t effect) {
                 const Pairs &pairs = *self.shared->pairs;
                 const std::lock_guard lock(self.shared->mutex);
                 return optional_view(pairs, pid, pairs.views().known_after(pid, view, effect));
             })
        .def("touches",
             [](const FoundPairs &self, uint32_t pid, uint32_t view, uint32_t other) {
                 return self.shared->pairs->touches(pid, view, other);
             })
        .def("beside",
             [](const FoundPairs &self, uint32_t pid, uint32_t view, uint32_t other) {
                 return bits_of(self.shared->pairs->beside(pid, view, other));
             })
        .def("meetings",
             [](const FoundPairs &self, uint32_t one, uint32_t view, uint32_t other, uint32_t beside) {
                 const Pairs &pairs = *self.shared->pairs;
                 std::vector<std::tuple<uint32_t, uint32_t, uint32_t>> found;
                 if (pairs.go_together(one, view, other, beside))
                     pairs.each_meeting(one, view, other, beside,
                                        [&](uint32_t mine, uint32_t theirs, uint32_t effect) {
                                            if (pairs.has(one, mine) && pairs.has(other, theirs))
                                                found.emplace_back(mine, theirs, effect);
                                        });
                 return found;
             })
        .def("meeting_acts",
             [](const FoundPairs &self, uint32_t pid, uint32_t view) {
                 return self.shared->pairs->meeting_acts(pid, view);
             })
        .def("accord",
             [](const FoundPairs &self, uint32_t one, uint32_t transition, uint32_t other, uint32_t other_transition) {
                 const std::lock_guard lock(self.shared->mutex);
                 return self.shared->pairs->accord(one, transition, other, other_transition);
             })
        .def("exclude", [](const FoundPairs &self, uint32_t pid, uint32_t transition, uint32_t other) {
            return self.shared->pairs->exclude(pid, transition, other);
        });
    module.def("find_pairs", &find_pairs, nb::arg("actors"), nb::arg("roots"), nb::arg("counted"), nb::arg("alone"),
               nb::arg("ask"), nb::arg("ask_of_two"), nb::arg("deadline"), nb::arg("most_views"), nb::arg("most_pairs"), nb::arg("most_looks"),
               nb::arg("tally_rounds"), nb::arg("tally_shares"));
}

} // namespace kripke
