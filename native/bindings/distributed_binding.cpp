/* distributed_binding.cpp -- one worker of a distributed search, for the loop in kripke/engines/distributed/worker.py. */
#include "bindings/plan_binding.h"
#include "distributed/cycle_graph.h"
#include "distributed/distributed_search.h"
#include "distributed/step_log.h"
#include "model/loaded_model.h"
#include "wrappers/product.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using namespace kripke;

/* A contiguous buffer of Python, while it is looked at. */
class View {
  public:
    explicit View(nb::handle object) {
        if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_SIMPLE) != 0)
            throw nb::python_error();
    }
    ~View() { PyBuffer_Release(&view_); }
    View(const View &) = delete;
    View &operator=(const View &) = delete;
    const uint8_t *data() const { return static_cast<const uint8_t *>(view_.buf); }
    uint64_t size() const { return static_cast<uint64_t>(view_.len); }

  private:
    Py_buffer view_;
};

/* What a model comes with at a state: states with the observer's marks of the steps to them, and violations. */
class Steps final : public Sink {
  public:
    explicit Steps(const kripke_model &model) : Sink(model, &never_), room_(uint64_t{model.max_state_bytes} + ShortPlan::slack) {
        connect(this);
        out = room_.data();
    }
    nb::tuple initial() {
        model().initial(this);
        return taken();
    }
    nb::tuple successors(const nb::bytes &state) {
        if (state.size() > model().max_state_bytes)
            throw std::invalid_argument("a state is too long");
        std::vector<uint8_t> source(state.size() + ShortPlan::slack);
        std::memcpy(source.data(), state.c_str(), state.size());
        model().successors(source.data(), static_cast<uint32_t>(state.size()), this);
        return taken();
    }

    void take(uint32_t length, uint32_t) noexcept {
        try {
            states_.emplace_back(std::string(reinterpret_cast<const char *>(out), length), marks);
        } catch (const std::bad_alloc &) {
            lost = true;
        }
    }
    void complain(uint32_t code, uint32_t label) noexcept {
        try {
            broken_.emplace_back(code, label);
        } catch (const std::bad_alloc &) {
            lost = true;
        }
    }

  private:
    nb::tuple taken() {
        if (lost)
            throw std::bad_alloc();
        nb::list states, broken;
        for (const auto &[state, marks] : states_)
            states.append(nb::make_tuple(nb::bytes(state.data(), state.size()), marks));
        for (const auto &[code, label] : broken_)
            broken.append(nb::make_tuple(code, label));
        states_.clear();
        broken_.clear();
        return nb::make_tuple(states, broken);
    }

    const volatile uint32_t never_ = 0;
    std::vector<uint8_t> room_;
    std::vector<std::pair<std::string, uint64_t>> states_;
    std::vector<std::pair<uint32_t, uint32_t>> broken_;
};

/* A search with what it was made of. */
class Worker {
  public:
    Worker(const LoadedModel &model, const nb::object &request, uint32_t rank, uint32_t workers,
           std::vector<uint32_t> owners, std::vector<uint32_t> bytes, uint64_t buffer_bytes, uint32_t spare,
           int64_t siblings, bool look_ahead, const std::string &steps)
        : model_(*model), plan_(plan_of(request, *model)), product_(product_of(*model, plan_)),
          search_(product_ ? *product_ : *model, plan_.search, control_, {rank, workers, buffer_bytes, spare, siblings, look_ahead, !steps.empty()},
                  Partition(std::move(owners), std::move(bytes))) {
        if (steps == "graph") {
            graph_ = std::make_unique<CycleGraph>(search_.budget(), rank, workers, buffer_bytes, spare, plan_.search.sets);
            search_.set_steps(graph_.get());
        } else if (steps == "log") {
            log_ = std::make_unique<StepLog>();
            search_.set_steps(log_.get());
        } else if (!steps.empty()) {
            throw std::invalid_argument("steps go to \"graph\" or \"log\"");
        }
    }

    DistributedSearch &search() { return search_; }
    Control &control() { return control_; }
    /* Steps of the model, or of its product with the observer, one state at a time. */
    Steps &steps() {
        if (!steps_)
            steps_ = std::make_unique<Steps>(product_ ? *product_ : model_);
        return *steps_;
    }
    CycleGraph &graph() {
        if (!graph_)
            throw std::invalid_argument("this search keeps no graph");
        return *graph_;
    }
    StepLog &log() {
        if (!log_)
            throw std::invalid_argument("this search keeps no steps");
        return *log_;
    }

    /* Room for a batch, and what is read behind it. */
    void receive(nb::handle buffer, uint64_t count, uint32_t from) {
        const View view(buffer);
        if (count > view.size() || view.size() - count < Outbox::slack)
            throw std::invalid_argument("the buffer of a batch is too small");
        nb::gil_scoped_release no_gil;
        search_.receive(view.data(), count, from);
    }

  private:
    static std::unique_ptr<Product> product_of(const kripke_model &model, Plan &plan) {
        if (!plan.observer)
            return nullptr;
        plan.observer->first_strong = plan.search.sets;
        return std::make_unique<Product>(model, *plan.observer);
    }

    const kripke_model &model_;
    Control control_;
    Plan plan_;
    std::unique_ptr<Product> product_;
    DistributedSearch search_;
    std::unique_ptr<CycleGraph> graph_;
    std::unique_ptr<StepLog> log_;
    std::unique_ptr<Steps> steps_;
};

/* A phase of the graph could not go on. */
void check_graph(Worker &worker, bool ready) {
    if (!ready || worker.graph().failed())
        worker.control().stop(Reason::memory);
}

bool step_graph(Worker &worker, uint64_t most) {
    nb::gil_scoped_release no_gil;
    const bool more = worker.graph().step(most);
    check_graph(worker, true);
    return more;
}

void receive_numbers(Worker &worker, nb::handle buffer, uint64_t count, uint32_t from) {
    const View view(buffer);
    if (count > view.size())
        throw std::invalid_argument("the buffer of a batch is too small");
    if (!worker.graph().receive(view.data(), count, from))
        throw BadBatch("a batch of numbers is damaged");
    check_graph(worker, true);
}

nb::object parcel_of(Outbox &outbox) {
    if (!outbox.has_ready())
        return nb::none();
    const Outbox::Parcel parcel = outbox.take();
    nb::object bytes = nb::steal(PyMemoryView_FromMemory(reinterpret_cast<char *>(parcel.bytes),
                                                         static_cast<Py_ssize_t>(parcel.used), PyBUF_READ));
    return nb::make_tuple(parcel.number, parcel.to, bytes);
}

template <class Item> nb::bytes drained(std::vector<Item> &items) {
    const nb::bytes bytes(reinterpret_cast<const char *>(items.data()), items.size() * sizeof(Item));
    items.clear();
    return bytes;
}

/* Sources, targets, words and codes of the steps since the last call. */
nb::tuple take_steps(Worker &worker) {
    StepLog &log = worker.log();
    return nb::make_tuple(drained(log.sources), drained(log.targets), drained(log.words), drained(log.codes));
}

/* States of ours, in the order of their numbers: each with its level. */
nb::list read_states(Worker &worker, const std::vector<uint64_t> &places) {
    std::vector<std::string> states;
    std::vector<uint64_t> levels;
    for (size_t i = 0; i < places.size(); ++i)
        if (places[i] >= worker.search().part().size() || (i > 0 && places[i] < places[i - 1]))
            throw std::invalid_argument("there is no state with this number");
    worker.search().read(places, states, levels);
    nb::list answer;
    for (size_t i = 0; i < states.size(); ++i)
        answer.append(nb::make_tuple(nb::bytes(states[i].data(), states[i].size()), levels[i]));
    return answer;
}

bool expand(Worker &worker, uint64_t most) {
    nb::gil_scoped_release no_gil;
    return worker.search().expand(most);
}

void begin(Worker &worker) {
    nb::gil_scoped_release no_gil;
    worker.search().begin();
}

/* Its number, who is to get it, and its bytes, where they lie; None where none is ready. */
nb::object take_parcel(Worker &worker) {
    return parcel_of(worker.search().outbox());
}

nb::list found(Worker &worker) {
    nb::list errors;
    for (const DistributedSearch::Found &one : worker.search().found())
        errors.append(nb::make_tuple(name_of(one.error.kind), one.error.code, one.error.label,
                                     nb::bytes(one.state.data(), one.state.size()), one.level));
    return errors;
}

nb::list find_parents(Worker &worker, uint64_t level, const std::vector<nb::bytes> &states) {
    std::vector<std::string> wanted, parents;
    for (const nb::bytes &state : states)
        wanted.emplace_back(state.c_str(), state.size());
    {
        nb::gil_scoped_release no_gil;
        parents = worker.search().find_parents(level, wanted);
    }
    nb::list answer;
    for (const std::string &state : parents)
        answer.append(nb::bytes(state.data(), state.size()));
    return answer;
}

/* The states of the present level, so many bytes at a time, as in a batch; empty at the end, and then it is begun again. */
nb::bytes next_states(Worker &worker, uint64_t most) {
    std::string batch;
    StatePart &part = worker.search().part();
    while (batch.size() < most) {
        const StatePart::State state = part.next();
        if (state.bytes == nullptr)
            break;
        uint8_t length[max_varint_bytes];
        const uint8_t *const end = put_varint(length, state.length);
        batch.append(reinterpret_cast<const char *>(length), static_cast<size_t>(end - length));
        batch.append(reinterpret_cast<const char *>(state.bytes), state.length);
    }
    if (batch.empty())
        part.rewind();
    return nb::bytes(batch.data(), batch.size());
}

/* The next states that are gone through, as rows of one matrix: the bytes of a row, the rows, their lengths; None at the
 * end. */
nb::object next_rows(Worker &worker, uint64_t most) {
    StatePart &part = worker.search().part();
    std::vector<std::string> states;
    size_t stride = 1;
    while (states.size() < most) {
        const StatePart::State state = part.next();
        if (state.bytes == nullptr)
            break;
        states.emplace_back(reinterpret_cast<const char *>(state.bytes), state.length);
        stride = std::max(stride, states.back().size());
    }
    if (states.empty())
        return nb::none();
    std::string rows(stride * states.size(), '\0');
    std::vector<uint32_t> lengths;
    for (size_t i = 0; i < states.size(); ++i) {
        std::memcpy(rows.data() + i * stride, states[i].data(), states[i].size());
        lengths.push_back(static_cast<uint32_t>(states[i].size()));
    }
    return nb::make_tuple(stride, nb::bytes(rows.data(), rows.size()),
                          nb::bytes(reinterpret_cast<const char *>(lengths.data()), lengths.size() * sizeof(uint32_t)));
}

/* States as next_states gives them; how many bytes are left over: a state that is not whole. */
uint64_t restore(Worker &worker, nb::handle batch) {
    const View view(batch);
    const uint8_t *at = view.data(), *const end = at + view.size();
    while (at != end) {
        uint32_t width = 0;
        while (at + width != end && (at[width] & 0x80) != 0 && width < max_varint_bytes)
            ++width;
        if (width == max_varint_bytes)
            throw BadBatch("a checkpoint is damaged");
        if (at + width == end)
            break;
        uint32_t length = 0;
        const uint8_t *const state = get_varint(at, length);
        if (length > static_cast<uint64_t>(end - state))
            break;
        worker.search().restore(state, length);
        at = state + length;
    }
    return static_cast<uint64_t>(end - at);
}

/* How many states of ours each class has; of a part that keeps levels. */
std::vector<uint64_t> class_weights(Worker &worker) {
    const Partition &partition = worker.search().partition();
    StatePart &part = worker.search().part();
    std::vector<uint64_t> weights(partition.classes());
    for (uint64_t level = 0; part.open_level(level); ++level)
        for (StatePart::State state = part.next(); state.bytes != nullptr; state = part.next())
            ++weights[partition.class_of(state.bytes, state.length)];
    part.rewind(); /* the level that was opened last is the present one */
    return weights;
}

Reason reason_of(const std::string &name) {
    for (uint32_t i = 1; i <= static_cast<uint32_t>(Reason::disk); ++i)
        if (name == name_of(static_cast<Reason>(i)))
            return static_cast<Reason>(i);
    throw std::invalid_argument("there is no reason '" + name + "' to stop");
}

/* States, transitions, level, queue, memory in use, successors of others, states sent, errors. */
nb::tuple figures(Worker &worker) {
    DistributedSearch &search = worker.search();
    return nb::make_tuple(search.part().size(), search.transitions(), search.level(), search.part().queue(),
                          search.budget().used(), search.foreign(), search.outbox().entries(), search.errors());
}

} // namespace

void bind_distributed(nb::module_ &module) {
    module.attr("BATCH_SLACK") = Outbox::slack;

    nb::exception<BadBatch>(module, "BadBatch", PyExc_ValueError);

    nb::class_<Worker>(module, "DistributedSearch")
        .def(nb::init<const LoadedModel &, const nb::object &, uint32_t, uint32_t, std::vector<uint32_t>,
                      std::vector<uint32_t>, uint64_t, uint32_t, int64_t, bool, const std::string &>(),
             "model"_a, "request"_a, "rank"_a, "workers"_a, "owners"_a, "bytes"_a, "buffer_bytes"_a, "spare"_a,
             "siblings"_a, "look_ahead"_a, "steps"_a = "", nb::keep_alive<1, 2>())
        .def("begin", &begin)
        .def("expand", &expand, "most"_a)
        .def("receive", &Worker::receive, "buffer"_a, "count"_a, "sender"_a)
        .def("flush", [](Worker &worker) { worker.search().outbox().flush(); })
        .def("crowded", [](Worker &worker) { return worker.search().outbox().crowded(); })
        .def("take_parcel", &take_parcel)
        .def("give_back", [](Worker &worker, uint32_t number) { worker.search().outbox().give_back(number); }, "number"_a)
        .def("end_level", [](Worker &worker) { worker.search().end_level(); })
        .def_prop_ro("level_size", [](Worker &worker) { return worker.search().part().level_size(); })
        .def_prop_ro("level", [](Worker &worker) { return worker.search().level(); })
        .def("stop", [](Worker &worker, const std::string &reason) { worker.control().stop(reason_of(reason)); }, "reason"_a)
        .def("stop_tracing", [](Worker &worker) { worker.control().begin_tracing(); worker.control().interrupt(); })
        .def_prop_ro("reason", [](Worker &worker) { return name_of(worker.control().reason()); })
        .def_prop_ro("cut", [](Worker &worker) { return worker.search().cut(); })
        .def("found", &found)
        .def("find_parents", &find_parents, "level"_a, "states"_a)
        .def("next_states", &next_states, "most"_a)
        .def("next_rows", &next_rows, "most"_a)
        .def("begin_restoring", [](Worker &worker, bool dropping) { worker.search().begin_restoring(dropping); },
             "dropping"_a = false)
        .def("class_weights", &class_weights)
        .def("restore", &restore, "batch"_a)
        .def("end_restored_level", [](Worker &worker) { worker.search().end_restored_level(); })
        .def("end_restoring", [](Worker &worker) { worker.search().end_restoring(); })
        .def("add_transitions", [](Worker &worker, uint64_t more) { worker.search().add_transitions(more); }, "more"_a)
        .def("add_errors", [](Worker &worker, uint64_t more) { worker.search().add_errors(more); }, "more"_a)
        .def("open_level", [](Worker &worker, uint64_t level) { return worker.search().part().open_level(level); }, "level"_a)
        .def("read_states", &read_states, "places"_a)
        .def("initial_steps", [](Worker &worker) { return worker.steps().initial(); })
        .def("steps_from", [](Worker &worker, const nb::bytes &state) { return worker.steps().successors(state); }, "state"_a)
        .def("owner", [](Worker &worker, const nb::bytes &state) {
            return worker.search().partition().owner(reinterpret_cast<const uint8_t *>(state.c_str()),
                                                     static_cast<uint32_t>(state.size()));
        }, "state"_a)
        // ---- Steps that go to a file ----
        .def("take_steps", &take_steps)
        .def_prop_ro("logged", [](Worker &worker) { return worker.log().size(); })
        .def("take_deadlocks", [](Worker &worker) { return drained(worker.log().deadlocks); })
        .def("take_initials", [](Worker &worker) { return drained(worker.log().initials); })
        // ---- The graph ----
        .def("graph_begin_level", [](Worker &worker, uint64_t known) { worker.graph().begin_level(known); }, "known"_a)
        .def_prop_ro("graph_back_steps", [](Worker &worker) { return worker.graph().back_steps(); })
        .def_prop_ro("graph_marked_steps", [](Worker &worker) { return worker.graph().marked_steps(); })
        .def("graph_begin", [](Worker &worker) { check_graph(worker, worker.graph().begin()); })
        .def("graph_begin_reach", [](Worker &worker, uint32_t mark, bool ways) {
                 check_graph(worker, worker.graph().begin_reach(mark, ways));
             }, "mark"_a, "ways"_a)
        .def("graph_begin_drop", [](Worker &worker) { check_graph(worker, worker.graph().begin_drop()); })
        .def("graph_step", &step_graph, "most"_a)
        .def("graph_receive", &receive_numbers, "buffer"_a, "count"_a, "sender"_a)
        .def("graph_flush", [](Worker &worker) { worker.graph().outbox().flush(); })
        .def("graph_crowded", [](Worker &worker) { return worker.graph().outbox().crowded(); })
        .def("graph_take_parcel", [](Worker &worker) { return parcel_of(worker.graph().outbox()); })
        .def("graph_give_back", [](Worker &worker, uint32_t number) { worker.graph().outbox().give_back(number); },
             "number"_a)
        .def_prop_ro("graph_live", [](Worker &worker) { return worker.graph().live(); })
        .def_prop_ro("graph_queue", [](Worker &worker) { return worker.graph().queued(); })
        .def_prop_ro("graph_sent", [](Worker &worker) { return worker.graph().outbox().entries(); })
        .def("graph_any", [](Worker &worker) -> nb::object {
            const uint64_t number = worker.graph().any();
            return number == CycleGraph::nowhere ? nb::none() : nb::object(nb::int_(number));
        })
        .def("graph_follow", [](Worker &worker, uint32_t mark, uint64_t number) {
            bool through = false;
            std::vector<uint64_t> numbers = worker.graph().follow(mark, number, through);
            return std::make_tuple(numbers, through);
        }, "mark"_a, "number"_a)
        .def("figures", &figures)
        .def_prop_ro("store_bytes", [](Worker &worker) { return worker.search().part().bytes(); })
        .def_prop_ro("peak_bytes", [](Worker &worker) { return worker.search().budget().peak(); })
        .def_prop_ro("longest", [](Worker &worker) { return worker.search().part().longest(); })
        .def("loss", [](Worker &worker) {
            const StoreFigures figures = worker.search().part().figures();
            return std::make_tuple(figures.fill, figures.omitted);
        })
        .def_prop_ro("covered", [](Worker &worker) {
            const auto covered = worker.search().coverage();
            return nb::bytes(covered.data(), covered.size());
        });
}
