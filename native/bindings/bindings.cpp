/* bindings.cpp -- the engine as the Python module kripke._native. The typed face
 * of it is src/kripke/engines/explicit/native.py; the stub is src/kripke/_native.pyi.
 */
#include "searches/parallel_search.h"
#include "searches/graph.h"
#include "model/loaded_model.h"
#include "bindings/observer_binding.h"
#include "bindings/pairs_binding.h"
#include "cycles/parallel_nested.h"
#include "wrappers/preemptions.h"
#include "wrappers/product.h"
#include "wrappers/reduced.h"
#include "searches/search.h"
#include "wrappers/shuffled.h"
#include "searches/supervise.h"
#include "bindings/symmetry_binding.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <optional>
#include <stdexcept>
#include <tuple>

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using namespace kripke;

// ---- Models ---------------------------------------------------------------

std::string string_of(const nb::bytes &bytes) { return {bytes.c_str(), bytes.size()}; }

nb::bytes bytes_of(const std::string &text) { return nb::bytes(text.data(), text.size()); }

nb::list initial(const LoadedModel &model) {
    nb::list states;
    for (const auto &[state, label] : model.initial().states)
        states.append(bytes_of(state));
    return states;
}

nb::tuple successors(const LoadedModel &model, const nb::bytes &source) {
    const LoadedModel::Steps steps = model.successors(string_of(source));
    nb::list states, violations;
    for (const auto &[state, label] : steps.states)
        states.append(nb::make_tuple(bytes_of(state), label));
    for (const auto &[code, label] : steps.violations)
        violations.append(nb::make_tuple(code, label));
    return nb::make_tuple(states, violations);
}

bool valid_end(const LoadedModel &model, const nb::bytes &state) { return model.valid_end(string_of(state)); }

std::vector<bool> atoms(const LoadedModel &model, const nb::bytes &state) { return model.atoms(string_of(state)); }

// ---- Searches -------------------------------------------------------------

/* What a search answers, in Python's terms. */
struct Answer {
    bool complete;
    const char *reason;
    Progress totals;
    uint64_t errors;
    nb::list findings;
    double seconds;
    uint64_t state_bytes, store_bytes, peak_bytes;
    nb::bytes covered;
    nb::list samples;
    StoreFigures figures;
    nb::bytes sketch = nb::bytes("", 0); /* of the states met, where steps were shuffled */
    uint64_t checkpoints = 0, failed_checkpoints = 0;
    SweepFigures sweep = {};
};

/* The watching thread's dealings with Python: progress calls and signals. */
class Watcher {
  public:
    Watcher(Control &control, nb::object progress) : control_(control), progress_(std::move(progress)) {}

    /* Without the GIL. */
    void tick(const Progress &now, double seconds) {
        nb::gil_scoped_acquire gil;
        if (failure_)
            return; /* the search is being stopped */
        try {
            if (PyErr_CheckSignals() != 0)
                throw nb::python_error();
            if (progress_.is_none())
                return;
            const nb::object answer = progress_(now.states, now.transitions, now.depth, now.queue, now.bytes, seconds);
            if (nb::cast<bool>(nb::bool_(answer)))
                control_.ask_for_checkpoint();
        } catch (nb::python_error &error) {
            control_.interrupt();
            if (!error.matches(PyExc_KeyboardInterrupt))
                failure_.emplace(std::move(error));
        }
    }

    /* With the GIL, after the search: throw what a callback threw. */
    void rethrow() {
        if (failure_)
            throw std::move(*failure_);
    }

  private:
    Control &control_;
    nb::object progress_;
    std::optional<nb::python_error> failure_;
};

Order order_of(const std::string &name) {
    if (name == "bfs")
        return Order::breadth_first;
    if (name == "dfs")
        return Order::depth_first;
    if (name == "ndfs")
        return Order::nested;
    if (name == "scc")
        return Order::components;
    if (name == "walk")
        return Order::random_walk;
    if (name == "sweep")
        return Order::sweep;
    throw std::invalid_argument("unknown search order '" + name +
                                "': choose \"bfs\", \"dfs\", \"ndfs\", \"scc\", \"walk\" or \"sweep\"");
}

void set_fairness(Options &options, const std::string &name) {
    if (name.empty())
        return;
    options.fair_to = name.ends_with("-edges") ? Fair::edges : Fair::processes;
    const std::string kind = name.substr(0, name.find('-'));
    if ((kind != "weak" && kind != "strong") || (name != kind && name != kind + "-edges"))
        throw std::invalid_argument("unknown fairness '" + name +
                                    "': choose \"weak\", \"strong\", \"weak-edges\" or \"strong-edges\"");
    options.fairness = kind == "weak" ? Fairness::weak : Fairness::strong;
}

void check_atoms(const LoadedModel &model, const std::vector<uint32_t> &atoms) {
    for (const uint32_t atom : atoms)
        if (atom >= model->atom_count)
            throw std::invalid_argument("there is no atom " + std::to_string(atom) + ": the model has " +
                                        std::to_string(model->atom_count));
}

Options make_options(const LoadedModel &model, const std::string &order, bool deadlock,
                     const std::vector<uint32_t> &invariants, bool stop_at_first, uint64_t max_depth,
                     uint64_t max_states, uint64_t memory_limit) {
    Options options;
    options.order = order_of(order);
    check_atoms(model, invariants);
    options.deadlock = deadlock;
    options.invariants = invariants;
    options.stop_at_first = stop_at_first;
    options.max_depth = std::min<uint64_t>(max_depth, UINT32_MAX - 1);
    options.max_states = max_states;
    options.memory_limit = memory_limit;
    return options;
}

/* Tables as Python writes them: the sets of conflicts, for each transition its enabling
 * sets, the visible ones; a set is a string of little-endian words. */
void append_set(const DependencyTables &tables, std::vector<uint64_t> &sets, nb::handle item) {
    const nb::bytes bytes = nb::cast<nb::bytes>(item);
    if (bytes.size() != tables.words * sizeof(uint64_t))
        throw std::invalid_argument("a set of transitions has a wrong size");
    sets.resize(sets.size() + tables.words);
    std::memcpy(sets.data() + sets.size() - tables.words, bytes.c_str(), bytes.size());
}

/* For each transition of a list what conflicts with it, and its enabling sets. */
void append_rows(DependencyTables &tables, const nb::list &conflicts, const nb::list &enabling) {
    if (enabling.size() != conflicts.size())
        throw std::invalid_argument("enabling sets do not fit the transitions");
    for (const nb::handle set : conflicts)
        append_set(tables, tables.conflicts, set);
    for (const nb::handle sets : enabling) {
        uint32_t count = tables.first.back();
        for (const nb::handle set : nb::cast<nb::list>(sets)) {
            append_set(tables, tables.enabling, set);
            ++count;
        }
        tables.first.push_back(count);
    }
}

std::unique_ptr<DependencyTables> tables_of(const nb::tuple &written) {
    auto tables = std::make_unique<DependencyTables>();
    const nb::list conflicts(written[0]), enabling(written[1]);
    tables->transitions = static_cast<uint32_t>(conflicts.size());
    tables->words = (tables->transitions + 63) / 64;
    append_rows(*tables, conflicts, enabling);
    append_set(*tables, tables->visible, written[2]);
    tables->first_of = nb::cast<std::vector<uint32_t>>(written[3]);
    append_set(*tables, tables->unseen, written[4]);
    return tables;
}

/* Python's side of a reduction: three functions, asked for tables, for rows of transitions
 * that are at hand, and for pairs of views, by the searching thread. */
class Advisor final : public Advice {
  public:
    Advisor(Control &control, nb::object ask) : control_(control), ask_(std::move(ask)) {}

    /* All without the GIL. */
    std::unique_ptr<DependencyTables> tables(const uint8_t *state, uint32_t length) override {
        std::unique_ptr<DependencyTables> tables;
        asking([&] { tables = tables_of(nb::cast<nb::tuple>(ask_[0](nb::bytes(state, length)))); });
        return tables;
    }

    bool add_rows(DependencyTables &tables, const uint8_t *state, uint32_t length, uint32_t transition) override {
        return asking([&] {
            const auto rows = nb::cast<nb::tuple>(ask_[1](nb::bytes(state, length), transition));
            append_rows(tables, nb::list(rows[0]), nb::list(rows[1]));
        });
    }

    std::shared_ptr<SharedPairs> pairs() override {
        std::shared_ptr<SharedPairs> found;
        asking([&] {
            const nb::object answer = ask_[2]();
            if (!answer.is_none())
                found = nb::cast<const FoundPairs &>(answer).shared;
        });
        return found;
    }

    void rethrow() {
        if (failure_)
            throw std::move(*failure_);
    }

  private:
    template <typename Ask> bool asking(Ask ask) {
        nb::gil_scoped_acquire gil;
        if (failure_)
            return false;
        struct Asking {
            explicit Asking(const Control &control) { asking_for = &control; }
            ~Asking() { asking_for = nullptr; }
        } const asking(control_);
        try {
            ask();
            return true;
        } catch (nb::python_error &error) {
            control_.interrupt();
            failure_.emplace(std::move(error));
        }
        return false;
    }

    Control &control_;
    nb::object ask_;
    std::optional<nb::python_error> failure_;
};

nb::list path_states(const Store &store, const Path &path) {
    nb::list states;
    StateBuffer buffer(store.longest());
    for (const uint64_t offset : path) {
        const Record record = store.record(offset);
        states.append(nb::bytes(store.state(record, buffer), record.length));
    }
    return states;
}

nb::list states_of(const Search &search, const Finding &finding) {
    if (finding.states.empty())
        return path_states(search.store(), finding.path);
    nb::list states;
    for (const std::string &state : finding.states)
        states.append(bytes_of(state));
    return states;
}

Answer make_answer(const Search &search, const std::vector<Sample> &samples) {
    nb::list findings, curve;
    for (const Finding &finding : search.findings().kept())
        findings.append(nb::make_tuple(name_of(finding.error.kind), finding.error.code, finding.error.label,
                                       states_of(search, finding), finding.loop));
    for (const Sample &sample : samples)
        curve.append(nb::make_tuple(sample.seconds, sample.states));
    return {search.complete(),
            name_of(search.reason()),
            search.totals(),
            search.findings().count(),
            findings,
            search.seconds(),
            search.longest(),
            search.store_bytes(),
            search.peak_bytes(),
            nb::bytes(search.coverage().data(), search.model().label_count),
            curve,
            search.figures()};
}

Answer make_answer(const ParallelSearch &parallel, const std::vector<Sample> &samples) {
    nb::list findings, curve;
    for (const Finding &finding : parallel.findings().kept()) {
        nb::list states;
        for (const std::string &state : finding.states)
            states.append(bytes_of(state));
        findings.append(nb::make_tuple(name_of(finding.error.kind), finding.error.code, finding.error.label, states,
                                       finding.loop));
    }
    for (const Sample &sample : samples)
        curve.append(nb::make_tuple(sample.seconds, sample.states));
    return {parallel.complete(),
            name_of(parallel.reason()),
            parallel.totals(),
            parallel.findings().count(),
            findings,
            parallel.seconds(),
            parallel.longest(),
            parallel.store_bytes(),
            parallel.peak_bytes(),
            nb::bytes(parallel.coverage().data(), parallel.coverage().size()),
            curve,
            parallel.figures(),
            nb::bytes("", 0),
            parallel.checkpoints(),
            parallel.failed_checkpoints()};
}

StoreKind store_of(const std::string &name) {
    constexpr const char *names[] = {"full", "tree", "hashcompact", "bitstate", "cache", "disk", "collapse"}; /* as in StoreKind */
    for (size_t i = 0; i < std::size(names); ++i)
        if (name == names[i])
            return static_cast<StoreKind>(i);
    throw std::invalid_argument("unknown store '" + name + "'");
}

void set_store(Options &options, const std::string &store, uint32_t threads, uint32_t hash_bits, uint32_t hashes,
               uint64_t table_bytes, uint64_t seed, const std::string &folder) {
    if ((hash_bits != 32 && hash_bits != 40 && hash_bits != 64) || hashes < 1 || hashes > 32)
        throw std::invalid_argument("hashes of 32, 40 or 64 bits, and 1 to 32 of them");
    options.store = store_of(store);
    options.shared.workers = threads;
    options.shared.hash_bits = hash_bits;
    options.shared.hashes = hashes;
    options.shared.table_bytes = table_bytes;
    options.shared.seed = seed;
    options.shared.folder = folder;
}

ParallelOptions parallel_options(const Options &options, const nb::object &checkpoint) {
    ParallelOptions asked;
    static_cast<Options &>(asked) = options;
    if (!options.goals.empty())
        throw std::invalid_argument("threads and stores other than \"full\" go without goals");
    const bool exact = asked.store == StoreKind::full || asked.store == StoreKind::tree || asked.store == StoreKind::collapse;
    if (exact && options.order == Order::depth_first && options.max_depth != 0)
        throw std::invalid_argument("a depth limit goes with \"bfs\" here");
    if (checkpoint.is_none())
        return asked;
    if (options.order != Order::breadth_first || !exact)
        throw std::invalid_argument("checkpoints go with \"bfs\" and the stores \"full\", \"tree\" and \"collapse\"");
    const nb::tuple fields = nb::cast<nb::tuple>(checkpoint);
    asked.checkpoint = nb::cast<std::string>(fields[0]);
    asked.checkpoint_seconds = nb::cast<double>(fields[1]);
    asked.resume = nb::cast<std::string>(fields[2]);
    asked.fingerprint = nb::cast<std::string>(fields[3]);
    asked.checkpoint_key = string_of(nb::cast<nb::bytes>(fields[4]));
    return asked;
}

Answer run_search(const LoadedModel &model, const std::string &order, bool deadlock,
                  const std::vector<uint32_t> &invariants, bool stop_at_first, uint64_t max_depth,
                  uint64_t max_states, uint64_t memory_limit, double time_limit, nb::object progress,
                  nb::object observer, uint32_t sets, bool weak, const std::string &fairness, bool shortest,
                  const std::vector<uint32_t> &goals, nb::object dependencies, const std::string &store,
                  uint32_t threads, uint32_t processes, uint32_t hash_bits, uint32_t hashes, uint64_t table_bytes,
                  uint64_t seed, bool deadlocks_only, const std::string &folder, nb::object symmetry,
                  const std::string &method, uint64_t walks, std::optional<uint32_t> max_switches, bool every_switch,
                  bool shuffle, const nb::object &checkpoint) {
    check_atoms(model, goals);
    Options options =
        make_options(model, order, deadlock, invariants, stop_at_first, max_depth, max_states, memory_limit);
    options.goals = goals;
    options.sets = sets;
    options.walks = walks;
    options.seed = seed;
    options.folder = folder;
    options.weak = weak;
    set_fairness(options, fairness);
    options.processes = std::min(processes, options.processes);
    options.shortest = shortest;
    options.threads = threads;
    if (sets > 64 || (options.order == Order::nested && sets != 1))
        throw std::invalid_argument("too many acceptance sets for this search");
    if (options.order == Order::nested && options.fairness != Fairness::none)
        throw std::invalid_argument("fairness needs the search \"scc\"");
    if (threads == 0 || threads > most_workers)
        throw std::invalid_argument("from 1 to " + std::to_string(most_workers) + " threads");
    const bool cycles = options.order == Order::nested || options.order == Order::components;
    if (threads > 1 && cycles && (options.order != Order::nested || options.max_depth != 0))
        throw std::invalid_argument("threads look for cycles by the search \"ndfs\" only, without a depth limit");
    set_store(options, store, threads, hash_bits, hashes, table_bytes, seed, folder);
    if (options.order == Order::sweep &&
        (store != "full" || threads != 1 || max_depth != 0 || max_switches || !goals.empty() || !observer.is_none() ||
         !dependencies.is_none() || !checkpoint.is_none()))
        throw std::invalid_argument("a sweep is of one thread that looks for errors in states and steps, without limits of depth");
    if (options.order == Order::sweep && model->measure == nullptr)
        throw std::invalid_argument("the model has no measure of progress");
    Control control;
    Watcher watcher(control, std::move(progress));
    Advisor advisor(control, dependencies);
    std::unique_ptr<Reduced> reduced;
    if (!dependencies.is_none()) {
        const bool several = options.store == StoreKind::tree || options.store == StoreKind::collapse;
        const bool one_thread = options.order != Order::breadth_first || !several;
        if (options.max_depth != 0 || (threads > 1 && one_thread) || options.fairness != Fairness::none)
            throw std::invalid_argument("reduction goes without a depth limit and fairness, and with threads only "
                                        "breadth-first in a tree, or collapsed");
        if (!Reduced::can_reduce(*model))
            throw std::invalid_argument("the model does not know its dependencies");
        options.reduction = true;
        options.every_cycle = !observer.is_none();
        options.deadlocks_only = deadlocks_only && observer.is_none();
        reduced = std::make_unique<Reduced>(*model, advisor);
    }
    std::unique_ptr<Symmetric> symmetric;
    if (!symmetry.is_none()) {
        if (reduced || !observer.is_none())
            throw std::invalid_argument("symmetry goes without reduction and observer");
        symmetric = symmetric_of(*model, nb::cast<nb::tuple>(symmetry), method);
    }
    std::unique_ptr<Preemptions> bounded;
    if (max_switches) {
        if (*max_switches > Preemptions::most_allowed || reduced || symmetric || !observer.is_none() || store != "full" || threads != 1)
            throw std::invalid_argument("at most 255 switches, without reduction, observer, threads and other stores");
        options.suffix = Preemptions::suffix;
        bounded = std::make_unique<Preemptions>(*model, *max_switches, every_switch);
    }
    std::unique_ptr<Shuffled> shuffled;
    if (shuffle) {
        if (reduced || symmetric || bounded || cycles || threads != 1)
            throw std::invalid_argument("steps are shuffled for one thread that looks for no cycles, without reduction");
        shuffled = std::make_unique<Shuffled>(*model, seed);
    }
    const kripke_model &stepped = reduced     ? static_cast<const kripke_model &>(*reduced)
                                  : symmetric ? static_cast<const kripke_model &>(*symmetric)
                                  : bounded   ? static_cast<const kripke_model &>(*bounded)
                                  : shuffled  ? static_cast<const kripke_model &>(*shuffled)
                                              : *model;
    std::unique_ptr<Product> product;
    if (!observer.is_none()) {
        Observer watching = observer_of(nb::cast<nb::tuple>(observer), *model);
        watching.first_strong = sets;
        options.strong_marks = static_cast<uint32_t>(watching.strong.size());
        if (options.strong_marks != 0 && (options.order != Order::components || sets + options.strong_marks > 64))
            throw std::invalid_argument("too many events, or not the search \"scc\"");
        product = std::make_unique<Product>(stepped, std::move(watching));
    }
    const kripke_model &searched = product ? static_cast<const kripke_model &>(*product) : stepped;
    const auto supervised = [&](Supervised &search) {
        std::vector<Sample> samples;
        {
            nb::gil_scoped_release no_gil;
            samples = supervise(search, control, time_limit,
                                [&](const Progress &now, double seconds) { watcher.tick(now, seconds); });
        }
        watcher.rethrow();
        advisor.rethrow();
        return samples;
    };
    if (!cycles && (store != "full" || threads != 1 || !checkpoint.is_none())) {
        const ParallelOptions asked = parallel_options(options, checkpoint);
        const std::unique_ptr<ParallelSearch> parallel = ParallelSearch::make(searched, asked, control);
        const std::vector<Sample> samples = supervised(*parallel);
        Answer answer = make_answer(*parallel, samples);
        if (shuffled)
            answer.sketch = nb::bytes(shuffled->sketch().data(), Sketch::registers);
        return answer;
    }
    const std::unique_ptr<Search> search = Search::make(searched, options, control);
    const std::vector<Sample> samples = supervised(*search);
    Answer answer = make_answer(*search, samples);
    answer.sweep = search->sweep_figures();
    if (bounded && bounded->cut() && answer.complete) {
        answer.complete = false;
        answer.reason = name_of(Reason::switches);
    }
    return answer;
}

// ---- Graphs ---------------------------------------------------------------

/* A state space with what it was made of. */
struct BuiltGraph {
    std::unique_ptr<Control> control;
    std::unique_ptr<Graph> graph;
};

nb::bytes bits_of(const StateSet &set) {
    return nb::bytes(reinterpret_cast<const char *>(set.data()), set.size() * sizeof(uint64_t));
}

StateSet set_of(const BuiltGraph &built, const nb::bytes &bits) {
    StateSet set(built.graph->words());
    if (bits.size() != set.size() * sizeof(uint64_t))
        throw std::invalid_argument("this is no set of states of this graph");
    std::copy_n(static_cast<const char *>(bits.data()), bits.size(), reinterpret_cast<char *>(set.data()));
    return set;
}

BuiltGraph build_graph(const LoadedModel &model, const std::vector<uint32_t> &atoms, uint64_t max_states,
                       uint64_t memory_limit, double time_limit, nb::object progress, bool labelled) {
    Options options = make_options(model, "bfs", false, atoms, true, 0, max_states, memory_limit);
    BuiltGraph built;
    built.control = std::make_unique<Control>();
    built.graph = std::make_unique<Graph>(*model, options, *built.control, labelled);
    Watcher watcher(*built.control, std::move(progress));
    {
        nb::gil_scoped_release no_gil;
        supervise(*built.graph, *built.control, time_limit,
                  [&](const Progress &now, double seconds) { watcher.tick(now, seconds); });
    }
    watcher.rethrow();
    return built;
}

template <class Operator> nb::bytes without_gil(const BuiltGraph &built, Operator compute) {
    StateSet result;
    {
        nb::gil_scoped_release no_gil;
        result = compute(*built.graph);
    }
    return bits_of(result);
}

nb::bytes graph_state(const BuiltGraph &built, uint32_t number) {
    if (number >= built.graph->states())
        throw std::invalid_argument("there is no such state");
    const Store &store = built.graph->store();
    StateBuffer buffer(store.longest());
    const Record record = store.record(built.graph->offset(number));
    return nb::bytes(store.state(record, buffer), record.length);
}

std::vector<uint32_t> graph_successors(const BuiltGraph &built, uint32_t number) {
    if (number >= built.graph->states() || !built.graph->complete())
        throw std::invalid_argument("there is no such state, or the graph is not complete");
    return {built.graph->successors_begin(number), built.graph->successors_end(number)};
}

/* The labels of a state's edges, in the order of its successors; none of a graph without. */
std::vector<uint32_t> graph_labels(const BuiltGraph &built, uint32_t number) {
    if (number >= built.graph->states() || !built.graph->complete())
        throw std::invalid_argument("there is no such state, or the graph is not complete");
    if (!built.graph->labelled())
        return {};
    return {built.graph->labels_begin(number), built.graph->labels_end(number)};
}

} // namespace

void bind_symbolic(nb::module_ &module);  /* symbolic_bindings.cpp */
void bind_unfolding(nb::module_ &module); /* unfolding_bindings.cpp */
void bind_walk(nb::module_ &module);      /* walk_bindings.cpp */

NB_MODULE(_native, module) {
    module.attr("ABI") = KRIPKE_ABI;

    nb::class_<LoadedModel>(module, "Model")
        .def(nb::init<const std::string &>(), "path"_a)
        .def(nb::init<uintptr_t>(), "address"_a)
        .def_prop_ro("name", [](const LoadedModel &model) { return std::string(model->name); })
        .def_prop_ro("max_state_bytes", [](const LoadedModel &model) { return model->max_state_bytes; })
        .def_prop_ro("label_count", [](const LoadedModel &model) { return model->label_count; })
        .def_prop_ro("violation_count", [](const LoadedModel &model) { return model->violation_count; })
        .def_prop_ro("atom_count", [](const LoadedModel &model) { return model->atom_count; })
        .def("initial", &initial)
        .def("successors", &successors, "state"_a)
        .def("valid_end", &valid_end, "state"_a)
        .def("atoms", &atoms, "state"_a);

    nb::class_<Answer>(module, "Answer")
        .def_ro("complete", &Answer::complete)
        .def_prop_ro("reason", [](const Answer &answer) { return answer.reason; })
        .def_prop_ro("states", [](const Answer &answer) { return answer.totals.states; })
        .def_prop_ro("transitions", [](const Answer &answer) { return answer.totals.transitions; })
        .def_prop_ro("depth", [](const Answer &answer) { return answer.totals.depth; })
        .def_prop_ro("queue", [](const Answer &answer) { return answer.totals.queue; })
        .def_ro("errors", &Answer::errors)
        .def_ro("findings", &Answer::findings)
        .def_ro("seconds", &Answer::seconds)
        .def_ro("state_bytes", &Answer::state_bytes)
        .def_ro("store_bytes", &Answer::store_bytes)
        .def_ro("peak_bytes", &Answer::peak_bytes)
        .def_ro("covered", &Answer::covered)
        .def_ro("samples", &Answer::samples)
        .def_prop_ro("fill", [](const Answer &answer) { return answer.figures.fill; })
        .def_prop_ro("omitted", [](const Answer &answer) { return answer.figures.omitted; })
        .def_prop_ro("dropped", [](const Answer &answer) { return answer.figures.dropped; })
        .def_prop_ro("components", [](const Answer &answer) { return answer.figures.components; })
        .def_prop_ro("sweeps", [](const Answer &answer) { return answer.sweep.sweeps; })
        .def_prop_ro("most_kept", [](const Answer &answer) { return answer.sweep.most_kept; })
        .def_prop_ro("persistent", [](const Answer &answer) { return answer.sweep.persistent; })
        .def_ro("sketch", &Answer::sketch)
        .def_ro("checkpoints", &Answer::checkpoints)
        .def_ro("failed_checkpoints", &Answer::failed_checkpoints);

    module.def("search", &run_search, "model"_a, nb::kw_only(), "order"_a = "bfs", "deadlock"_a = true,
               "invariants"_a = std::vector<uint32_t>(), "stop_at_first"_a = true, "max_depth"_a = 0,
               "max_states"_a = 0, "memory_limit"_a = 0, "time_limit"_a = 0.0, "progress"_a = nb::none(),
               "observer"_a = nb::none(), "sets"_a = 1, "weak"_a = false, "fairness"_a = "", "shortest"_a = false,
               "goals"_a = std::vector<uint32_t>(), "dependencies"_a = nb::none(), "store"_a = "full",
               "threads"_a = 1, "processes"_a = 255, "hash_bits"_a = 64, "hashes"_a = 4, "table_bytes"_a = 0,
               "seed"_a = 0, "deadlocks_only"_a = false, "folder"_a = "", "symmetry"_a = nb::none(),
               "method"_a = "canonical", "walks"_a = 0, "max_switches"_a = nb::none(), "every_switch"_a = false,
               "shuffle"_a = false, "checkpoint"_a = nb::none());

    nb::class_<BuiltGraph>(module, "Graph")
        .def_prop_ro("complete", [](const BuiltGraph &built) { return built.graph->complete(); })
        .def_prop_ro("reason", [](const BuiltGraph &built) { return name_of(built.graph->reason()); })
        .def_prop_ro("states", [](const BuiltGraph &built) { return built.graph->states(); })
        .def_prop_ro("edges", [](const BuiltGraph &built) { return built.graph->edges(); })
        .def_prop_ro("initial_states", [](const BuiltGraph &built) { return built.graph->initial_states(); })
        .def_prop_ro("undecided", [](const BuiltGraph &built) { return built.graph->undecided(); })
        .def_prop_ro("seconds", [](const BuiltGraph &built) { return built.graph->seconds(); })
        .def_prop_ro("bytes", [](const BuiltGraph &built) { return built.graph->peak_bytes(); })
        .def("state", &graph_state, "number"_a)
        .def("successors", &graph_successors, "number"_a)
        .def("labels", &graph_labels, "number"_a)
        .def_prop_ro("longest", [](const BuiltGraph &built) { return built.graph->longest(); })
        .def("atom", [](const BuiltGraph &built, size_t place) { return bits_of(built.graph->atom(place)); })
        .def("ex",
             [](const BuiltGraph &built, const nb::bytes &inside) {
                 const StateSet set = set_of(built, inside);
                 return without_gil(built, [&](Graph &graph) { return graph.ex(set); });
             })
        .def("ex_by",
             [](const BuiltGraph &built, const nb::bytes &inside, const nb::bytes &labels) {
                 if (!built.graph->labelled())
                     throw std::invalid_argument("this graph has no labels");
                 const StateSet set = set_of(built, inside);
                 const auto *first = static_cast<const uint8_t *>(labels.data());
                 const std::vector<uint8_t> wanted(first, first + labels.size());
                 return without_gil(built, [&](Graph &graph) { return graph.ex(set, wanted); });
             })
        .def("eu",
             [](const BuiltGraph &built, const nb::bytes &through, const nb::bytes &reached) {
                 const StateSet path = set_of(built, through), goal = set_of(built, reached);
                 return without_gil(built, [&](Graph &graph) { return graph.eu(path, goal); });
             })
        .def("eg", [](const BuiltGraph &built, const nb::bytes &inside) {
            const StateSet set = set_of(built, inside);
            return without_gil(built, [&](Graph &graph) { return graph.eg(set); });
        });

    module.def("graph", &build_graph, "model"_a, nb::kw_only(), "atoms"_a = std::vector<uint32_t>(),
               "max_states"_a = 0, "memory_limit"_a = 0, "time_limit"_a = 0.0, "progress"_a = nb::none(),
               "labelled"_a = false, nb::keep_alive<0, 1>());

    bind_pairs(module);
    bind_symbolic(module);
    bind_unfolding(module);
    bind_walk(module);
}
