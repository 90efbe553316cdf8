/* interleaving_binding.cpp -- The races of interleaving/races.h in the Python module kripke._native. Their twins in
 * Python are the classes of the same use in src/kripke/testing/race_analysis.py. */
#include "interleaving/races.h"

#include <nanobind/nanobind.h>

#include <array>

namespace nb = nanobind;
using namespace kripke;

namespace {

struct Named {
    const char *name;
    StepKind kind;
};

/* As src/kripke/testing/operation.py calls them. */
constexpr std::array<Named, 12> kinds = {{{"access", StepKind::access},
                                          {"acquire", StepKind::acquire},
                                          {"await", StepKind::await},
                                          {"begin", StepKind::begin},
                                          {"block", StepKind::block},
                                          {"end", StepKind::end},
                                          {"join", StepKind::join},
                                          {"release", StepKind::release},
                                          {"start", StepKind::start},
                                          {"wake", StepKind::wake},
                                          {"send", StepKind::message},
                                          {"receive", StepKind::message}}};

nb::object attribute(PyObject *target, PyObject *name) {
    PyObject *found = PyObject_GetAttr(target, name);
    if (found == nullptr)
        throw nb::python_error();
    return nb::steal(found);
}

/* Reads operations of a run. Places get numbers in the order in which they are met. */
class Reader {
  public:
    Reader() {
        for (const Named &each : kinds)
            kinds_[nb::str(each.name)] = static_cast<int>(each.kind);
    }

    ThreadStep step(nb::handle written) {
        if (!PyTuple_Check(written.ptr()) || PyTuple_GET_SIZE(written.ptr()) != 2)
            throw nb::type_error("a step is a task and an operation");
        PyObject *operation = PyTuple_GET_ITEM(written.ptr(), 1);
        ThreadStep read;
        read.task = nb::cast<uint32_t>(nb::handle(PyTuple_GET_ITEM(written.ptr(), 0)));
        PyObject *kind = PyDict_GetItemWithError(kinds_.ptr(), attribute(operation, kind_.ptr()).ptr());
        if (kind == nullptr && PyErr_Occurred() != nullptr)
            throw nb::python_error();
        if (kind != nullptr)
            read.kind = static_cast<StepKind>(PyLong_AsLong(kind));
        read.takes = PyObject_IsTrue(attribute(operation, takes_.ptr()).ptr()) == 1;
        if (read.kind == StepKind::wake)
            read.since = nb::cast<uint32_t>(attribute(operation, since_.ptr()));
        places(attribute(operation, reads_.ptr()), read.reads);
        places(attribute(operation, writes_.ptr()), read.writes);
        const nb::object after = attribute(operation, after_.ptr());
        for (const nb::handle each : nb::borrow<nb::tuple>(after))
            read.after.push_back(nb::cast<uint32_t>(each));
        return read;
    }

    nb::handle place(uint32_t number) const { return nb::handle(PyList_GET_ITEM(known_.ptr(), number)); }

  private:
    void places(const nb::object &written, std::vector<uint32_t> &numbers) {
        if (!PyTuple_Check(written.ptr()))
            throw nb::type_error("places are a tuple");
        const Py_ssize_t length = PyTuple_GET_SIZE(written.ptr());
        numbers.reserve(static_cast<size_t>(length));
        for (Py_ssize_t at = 0; at < length; ++at) {
            PyObject *place = PyTuple_GET_ITEM(written.ptr(), at);
            PyObject *found = PyDict_GetItemWithError(numbers_.ptr(), place);
            if (found == nullptr) {
                if (PyErr_Occurred() != nullptr)
                    throw nb::python_error();
                numbers.push_back(static_cast<uint32_t>(nb::len(known_)));
                numbers_[nb::handle(place)] = numbers.back();
                known_.append(nb::handle(place));
            } else {
                numbers.push_back(static_cast<uint32_t>(PyLong_AsUnsignedLong(found)));
            }
        }
    }

    nb::dict kinds_, numbers_;
    nb::list known_;
    nb::str kind_ = nb::steal<nb::str>(PyUnicode_InternFromString("kind")),
            reads_ = nb::steal<nb::str>(PyUnicode_InternFromString("reads")),
            writes_ = nb::steal<nb::str>(PyUnicode_InternFromString("writes")),
            takes_ = nb::steal<nb::str>(PyUnicode_InternFromString("takes")),
            since_ = nb::steal<nb::str>(PyUnicode_InternFromString("since")),
            after_ = nb::steal<nb::str>(PyUnicode_InternFromString("after"));
};

class RacesOfRuns {
  public:
    nb::list races_of(const nb::list &steps, size_t known, size_t tasks, const nb::list &blocked) {
        races_.go_back(known, tasks);
        std::vector<Reversible> found;
        for (size_t number = races_.size(); number < nb::len(steps); ++number)
            races_.extend(reader_.step(steps[number]), number >= known, found);
        last_ = nb::borrow<nb::list>(steps);
        for (const nb::handle step : blocked)
            races_.look_at(reader_.step(step), found);
        nb::list told;
        for (const Reversible &race : found) {
            nb::set initials;
            for (const uint32_t task : race.initials)
                initials.add(task);
            told.append(nb::make_tuple(race.first, race.second, nb::steal(PyFrozenSet_New(initials.ptr()))));
        }
        return told;
    }

    /* Were these the last steps that it was given? */
    bool has_read(const nb::list &steps) const { return last_.is_valid() && last_.ptr() == steps.ptr(); }
    const ThreadStep &step(size_t number) const { return races_.step(number); }
    const Reader &reader() const { return reader_; }

  private:
    Reader reader_;
    ReversibleRaces races_;
    nb::list last_;
};

class DataRacesOfRuns {
  public:
    /* Either it looks at steps that `known` has read, or it reads all of them itself. */
    explicit DataRacesOfRuns(const RacesOfRuns *known) : known_(known) {}

    nb::list of(const nb::list &steps, size_t known, size_t tasks) {
        races_.go_back(known, tasks);
        std::vector<DataRacePair> found;
        if (known_ != nullptr && !known_->has_read(steps))
            throw nb::value_error("these are not the steps that were read last");
        for (size_t number = races_.size(); number < nb::len(steps); ++number) {
            if (known_ != nullptr)
                races_.extend(known_->step(number), found);
            else
                races_.extend(reader_.step(steps[number]), found);
        }
        nb::list told;
        const Reader &reader = known_ != nullptr ? known_->reader() : reader_;
        for (const DataRacePair &race : found)
            told.append(nb::make_tuple(nb::borrow(reader.place(race.place)), race.first, race.second));
        return told;
    }

  private:
    const RacesOfRuns *known_;
    Reader reader_;
    DataRaceSearch races_;
};

} // namespace

void bind_interleaving(nb::module_ &module) {
    nb::class_<RacesOfRuns>(module, "RacesOfRuns")
        .def(nb::init<>())
        .def("races_of", &RacesOfRuns::races_of);
    nb::class_<DataRacesOfRuns>(module, "DataRacesOfRuns")
        .def(nb::init<const RacesOfRuns *>(), nb::arg("known").none() = nb::none(), nb::keep_alive<1, 2>())
        .def("of", &DataRacesOfRuns::of);
}
