#include "bindings/plan_binding.h"

#include "bindings/advice_binding.h"
#include "bindings/numbering_binding.h"
#include "bindings/observer_binding.h"
#include "bindings/symmetry_binding.h"
#include "bindings/watcher.h"
#include "model/loaded_model.h"
#include "plan/composition.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace nb = nanobind;
using namespace nb::literals;

namespace kripke {

namespace {

// ---- From a SearchRequest to a plan -----------------------------------------------------------

/* Numbers are those of the enumerations. */
constexpr std::array orders = {"bfs",   "dfs",        "ndfs", "scc",          "walk",        "sweep",
                               "astar", "best-first", "ida",  "directed-bfs", "directed-dfs"};
constexpr std::array stores = {"full", "tree", "hashcompact", "bitstate", "cache", "disk", "collapse", "numbers"};

template <class Enumeration, class Names>
Enumeration named(const Names &names, const std::string &name, const std::string &what) {
    std::string known;
    for (size_t i = 0; i < names.size(); ++i) {
        if (name == names[i])
            return static_cast<Enumeration>(i);
        known += (i == 0 ? "\"" : i + 1 == names.size() ? " or \"" : ", \"") + std::string(names[i]) + "\"";
    }
    throw std::invalid_argument("unknown " + what + " '" + name + "': choose " + known);
}

template <class Value> void read(nb::handle object, const char *name, Value &value) {
    value = nb::cast<Value>(object.attr(name));
}

std::string text_of(nb::handle object, const char *name) { return nb::cast<std::string>(object.attr(name)); }

void read_fairness(Options &search, const nb::object &fairness) {
    if (fairness.is_none())
        return;
    const auto name = nb::cast<std::string>(fairness);
    const std::string kind = name.substr(0, name.find('-'));
    if ((kind != "weak" && kind != "strong") || (name != kind && name != kind + "-edges"))
        throw std::invalid_argument("unknown fairness '" + name +
                                    "': choose \"weak\", \"strong\", \"weak-edges\" or \"strong-edges\"");
    search.fairness = kind == "weak" ? Fairness::weak : Fairness::strong;
    search.fair_to = name == kind ? Fair::actors : Fair::edges;
}

/* A StoreOptions. Its seed goes before the one of walks. */
void read_store(Options &search, nb::handle store, uint64_t seed) {
    search.store = named<StoreKind>(stores, text_of(store, "name"), "store");
    read(store, "hash_bits", search.shared.hash_bits);
    read(store, "hashes", search.shared.hashes);
    read(store, "table_bytes", search.shared.table_bytes);
    read(store, "first_goes", search.shared.first_goes);
    read(store, "folder", search.shared.folder);
    read(store, "seed", search.shared.seed);
    if (const nb::object values = store.attr("values"); !values.is_none())
        search.shared.values = std::make_shared<const ValueRanges>(ranges_of(nb::cast<nb::tuple>(values.attr("to_native")())));
    if (search.shared.seed == 0)
        search.shared.seed = seed;
    search.seed = search.shared.seed;
    search.folder = search.shared.folder;
}

void read_checkpoints(Options &search, nb::handle checkpoints) {
    if (checkpoints.is_none())
        return;
    read(checkpoints, "file", search.checkpoint);
    read(checkpoints, "seconds", search.checkpoint_seconds);
    read(checkpoints, "resume", search.resume);
    read(checkpoints, "fingerprint", search.fingerprint);
    const nb::bytes key(checkpoints.attr("key"));
    search.checkpoint_key.assign(key.c_str(), key.size());
}

/* A SafePlaces, by its to_native(). */
void read_safe(Plan &plan, nb::handle safe) {
    if (safe.is_none())
        return;
    const auto written = nb::cast<nb::tuple>(safe.attr("to_native")());
    SafePlaces &found = plan.safe.emplace();
    found.actors = nb::cast<uint32_t>(written[0]);
    found.places = nb::cast<uint32_t>(written[1]);
    const nb::bytes kinds(written[2]);
    found.kinds.assign(kinds.c_str(), kinds.c_str() + kinds.size());
    for (const nb::handle test : nb::cast<nb::list>(written[3])) {
        const auto numbers = nb::cast<std::vector<uint32_t>>(test);
        if (numbers.size() != 4)
            throw std::invalid_argument("a test of a length has four numbers");
        found.tests.push_back({numbers[0], numbers[1], numbers[2], numbers[3]});
    }
    found.first = nb::cast<std::vector<uint32_t>>(written[4]);
}

void read_guidance(Options &search, nb::handle guidance) {
    if (guidance.is_none())
        return;
    read(guidance, "behind", search.guidance.behind);
    read(guidance, "ahead", search.guidance.ahead);
    read(guidance, "newest", search.guidance.newest);
    read(guidance, "active", search.guidance.active);
    read(guidance, "of_observer", search.guidance.of_observer);
    read(guidance, "components", search.guidance.components);
    read(guidance, "kinds", search.guidance.kinds);
    search.guidance.estimates = nb::len(nb::object(guidance.attr("estimators"))) != 0;
}

} // namespace

Plan plan_of(nb::handle request, const kripke_model &model) {
    Plan plan;
    Options &search = plan.search;
    search.order = named<Order>(orders, text_of(request, "order"), "search order");
    read(request, "deadlock", search.deadlock);
    read(request, "invariants", search.invariants);
    read(request, "goals", search.goals);
    read(request, "stop_at_first", search.stop_at_first);
    read(request, "max_depth", search.max_depth);
    read(request, "max_states", search.max_states);
    read(request, "memory", search.memory_limit);
    read(request, "time_limit", plan.time_limit);
    read(request, "sets", search.sets);
    read(request, "weak", search.weak);
    read_fairness(search, request.attr("fairness"));
    read(request, "actors", search.actors);
    read(request, "shortest", search.shortest);
    read(request, "threads", search.threads);
    search.shared.workers = search.threads;
    read_store(search, request.attr("store"), nb::cast<uint64_t>(request.attr("seed")));
    read(request, "walks", search.walks);
    read(request, "shuffled", plan.shuffled);
    read(request, "max_switches", plan.max_switches);
    read(request, "every_switch", plan.every_switch);
    read_checkpoints(search, request.attr("checkpoints"));
    read_safe(plan, request.attr("safe"));
    read_guidance(search, request.attr("guidance"));
    const nb::object observer = request.attr("observer");
    if (!observer.is_none())
        plan.observer = observer_of(nb::cast<nb::tuple>(observer.attr("to_native")()), model);
    return plan;
}

namespace {

// ---- From what was found to what Python makes an Outcome of ---------------------------------------

nb::tuple path_of(const Composition &composition, const ErrorPath &error) {
    nb::list states;
    composition.for_each_state(error, [&](const uint8_t *state, uint32_t length) {
        states.append(nb::bytes(state, length));
    });
    return nb::tuple(states);
}

nb::bytes bytes_of(const std::vector<uint8_t> &bytes) { return nb::bytes(bytes.data(), bytes.size()); }

/* The fields of an Outcome that are plain, then its error paths, then what Loss, Sweep and Expansions are made of. */
nb::tuple answer_of(const Composition &composition, const Outcome &outcome) {
    nb::list errors, samples, components;
    nb::dict reached, fields;
    for (const ErrorPath &error : composition.error_paths()) {
        const nb::tuple path = path_of(composition, error);
        if (error.error.kind == Kind::goal) {
            reached[nb::int_(error.error.code)] = path;
            continue;
        }
        const nb::object loop = error.loop < 0 ? nb::none() : nb::object(nb::int_(error.loop));
        errors.append(nb::make_tuple(name_of(error.error.kind), error.error.code, error.error.label, path, loop));
    }
    for (const Sample &sample : outcome.samples)
        samples.append(nb::make_tuple(sample.seconds, sample.states));
    for (const auto &[name, count] : outcome.store.components)
        components.append(nb::make_tuple(name, count));
    fields["reason"] = name_of(outcome.reason);
    fields["states"] = outcome.totals.states;
    fields["transitions"] = outcome.totals.transitions;
    fields["depth"] = outcome.totals.depth;
    fields["queue"] = outcome.totals.queue;
    fields["errors"] = outcome.errors;
    fields["reached"] = reached;
    fields["covered"] = bytes_of(outcome.covered);
    fields["state_bytes"] = outcome.state_bytes;
    fields["store_bytes"] = outcome.store_bytes;
    fields["peak_bytes"] = outcome.peak_bytes;
    fields["seconds"] = outcome.seconds;
    fields["samples"] = nb::tuple(samples);
    fields["dropped"] = outcome.store.dropped;
    fields["components"] = nb::tuple(components);
    fields["number_bits"] = outcome.store.number_bits;
    fields["sketch"] = bytes_of(outcome.sketch);
    fields["checkpoints"] = outcome.checkpoints;
    fields["failed_checkpoints"] = outcome.failed_checkpoints;
    return nb::make_tuple(fields, errors, nb::make_tuple(outcome.store.fill, outcome.store.omitted),
                          nb::make_tuple(outcome.sweep.sweeps, outcome.sweep.most_kept, outcome.sweep.persistent),
                          nb::make_tuple(outcome.expansions.expanded, outcome.expansions.reopened,
                                         outcome.expansions.rounds));
}

nb::tuple search(const LoadedModel &model, const nb::object &request, const nb::object &advice,
                 const nb::object &symmetry, nb::object progress) {
    Plan plan = plan_of(request, *model);
    Control control;
    Watcher watcher(control, std::move(progress));
    Advisor advisor(control, advice);
    if (!advice.is_none()) {
        plan.advice = &advisor;
        read(request.attr("dependencies"), "deadlocks_only", plan.deadlocks_only);
    }
    if (!symmetry.is_none())
        plan.symmetry = symmetry_of(nb::cast<nb::tuple>(symmetry), text_of(request, "method"));
    Composition composition(*model, std::move(plan), control);
    Outcome outcome;
    {
        nb::gil_scoped_release no_gil;
        outcome = composition.run([&](const Progress &now, double seconds) { watcher.tick(now, seconds); });
    }
    watcher.rethrow();
    advisor.rethrow();
    return answer_of(composition, outcome);
}

} // namespace

void bind_search(nb::module_ &module) {
    module.def("search", &search, "model"_a, "request"_a, nb::kw_only(), "advice"_a = nb::none(),
               "symmetry"_a = nb::none(), "progress"_a = nb::none());
}

} // namespace kripke
