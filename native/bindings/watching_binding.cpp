/* watching_binding.cpp -- What instrumented code of a Python program calls before it touches something, as far as it
 * has to be fast. Every function here has a twin in Python (src/kripke/testing/hooks.py, foreign.py and run.py), which
 * says what it means. Most calls find that nothing is shared or that the step is the one that the schedule expects:
 * these end here. All others, and all if `use_fast_ways(False)` was called, go to the twin.
 *
 * These are plain functions of Python's C interface, because they are called for every instruction. None of them holds
 * anything while it calls a twin: the twin may switch to another strand of the program (greenlet), which copies the
 * stack. */
#include "bindings/run_state.h"

#include <nanobind/nanobind.h>

namespace nb = nanobind;
using namespace kripke::watching;

namespace {

PyObject *keep(PyObject *self, PyObject *target) { return number_of(reinterpret_cast<RunState *>(self), target); }

PyObject *take(PyObject *self, PyObject *operation); /* below */

PyMethodDef run_methods[] = {
    {"keep", keep, METH_O, "The number of an object, which is kept."},
    {"take", take, METH_O, "Take this step of the present task, if it is clear that it is its turn."},
    {nullptr, nullptr, 0, nullptr},
};

// -- what is known for good, and the run that is going on

Known known;
RunState *present_run = nullptr;

enum Twin { read_attribute_, write_attribute_, loaded_, callee_, operate_, look_whether_, calls_, entered_, left_, count_, turn_,
            method_, read_global_, write_global_, read_cell_, write_cell_, twins_ };
constexpr const char *twin_names[twins_] = {"read_attribute", "write_attribute", "loaded", "callee", "operate", "look_whether",
                                            "calls", "entered", "left", "count", "turn", "method", "read_global", "write_global",
                                            "read_cell", "write_cell"};
PyObject *twin[twins_];

bool elsewhere() { return PyThread_get_thread_ident() != known.home; }

bool is_type_in(const std::unordered_set<PyObject *> &types, PyObject *value) {
    return types.count(reinterpret_cast<PyObject *>(Py_TYPE(value))) != 0;
}

PyObject *nothing() { return Py_NewRef(Py_None); }

// -- steps

/* Are these the places of an operation: none, or exactly this one? */
bool is_place(PyObject *places, PyObject *number, PyObject *key, bool wanted) {
    if (!PyTuple_CheckExact(places) || PyTuple_GET_SIZE(places) != (wanted ? 1 : 0))
        return false;
    if (!wanted)
        return true;
    PyObject *place = PyTuple_GET_ITEM(places, 0);
    return PyTuple_CheckExact(place) && PyTuple_GET_SIZE(place) == 2 &&
           PyLong_AsLong(PyTuple_GET_ITEM(place, 0)) == PyLong_AsLong(number) &&
           (PyTuple_GET_ITEM(place, 1) == key ||
            (PyUnicode_CheckExact(key) && PyUnicode_CheckExact(PyTuple_GET_ITEM(place, 1)) &&
             PyUnicode_Compare(PyTuple_GET_ITEM(place, 1), key) == 0));
}

enum class Taken { yes, no, error };

/* The step is done: it joins the others. */
bool record(RunState *run, TaskState *task, PyObject *step, PyObject *operation, PyObject *writes) {
    PyObject *at = PyLong_FromSsize_t(PyList_GET_SIZE(run->steps));
    bool good = at != nullptr;
    for (Py_ssize_t each = 0; good && each < PyTuple_GET_SIZE(writes); ++each)
        good = PyDict_SetItem(run->written, PyTuple_GET_ITEM(writes, each), at) == 0;
    Py_XDECREF(at);
    good = good && PyList_Append(run->slept, run->asleep) == 0 && PyList_Append(run->options, known.zero) == 0 &&
           PyList_Append(run->steps, step) == 0;
    if (good) {
        Py_SETREF(task->pending, Py_NewRef(operation));
        run->turns = 0;
    }
    return good;
}

PyObject *new_step(long task, PyObject *operation) {
    PyObject *step = known.step->tp_alloc(known.step, 2);
    if (step == nullptr)
        return nullptr;
    PyObject *number = PyLong_FromLong(task);
    if (number == nullptr) {
        Py_DECREF(step);
        return nullptr;
    }
    PyTuple_SET_ITEM(step, 0, number);
    PyTuple_SET_ITEM(step, 1, Py_NewRef(operation));
    return step;
}

/* What the step says of itself: a text, or what it is made of (Operation.words). */
struct Words {
    PyObject *verb, *owner, *name;

    PyObject *written() const {
        if (verb == nullptr)
            return Py_NewRef(name);
        return owner != nullptr ? PyTuple_Pack(3, verb, owner, name) : PyTuple_Pack(2, verb, name);
    }
};

/* Whose turn it is, where nobody has to be asked. `expected`: the schedule says so, and others cannot sleep yet; `free`:
 * the schedule is at its end, and the present task just goes on. Hooks leave tasks of distributed programs to their twins
 * (`of_process`): these know what happens before each step. */
enum class Turn { expected, free, unclear };

Turn turn_of(RunState *run, bool of_process) {
    if (run->over || run->busy || run->watching || run->ending || run->loops != 0 || run->block != Py_None)
        return Turn::unclear;
    const auto *task = reinterpret_cast<TaskState *>(run->present);
    if (run->present == Py_None || (task->process != Py_None && !of_process) || task->loop != Py_None)
        return Turn::unclear;
    const Py_ssize_t at = PyList_GET_SIZE(run->steps), planned = PyTuple_GET_SIZE(run->prefix);
    if (at + 1 < planned) { /* from the last one on, others may sleep */
        PyObject *choice = PyTuple_GET_ITEM(run->prefix, at);
        return at < PyList_GET_SIZE(run->expected) && PyLong_AsLong(PyTuple_GET_ITEM(choice, 0)) == task->index
                   ? Turn::expected
                   : Turn::unclear;
    }
    return at >= planned && run->keeps_going && run->network == Py_None && at < run->most_steps &&
                   PyDict_CheckExact(run->asleep) && PyDict_GET_SIZE(run->asleep) == 0
               ? Turn::free
               : Turn::unclear;
}

/* The present task touches one place, at the instruction where this frame is. Where it is its turn, the step is taken
 * here; else the twin does it. */
Taken touch(RunState *run, PyFrameObject *frame, PyObject *number, PyObject *key, bool writes, const Words &words) {
    const Turn turn = turn_of(run, false);
    if (turn == Turn::unclear)
        return Taken::no;
    auto *task = reinterpret_cast<TaskState *>(run->present);
    if (frame == nullptr)
        return Taken::no;
    PyObject *code = reinterpret_cast<PyObject *>(PyFrame_GetCode(frame));
    const int instruction = PyFrame_GetLasti(frame);
    Taken taken = Taken::no;
    if (turn == Turn::expected) {
        PyObject *step = PyList_GET_ITEM(run->expected, PyList_GET_SIZE(run->steps));
        PyObject *before = PyTuple_GET_ITEM(step, 1);
        const auto *operation = reinterpret_cast<OperationState *>(before);
        if (Py_TYPE(before) == known.operation && operation->kind == known.access && operation->places == Py_None &&
            operation->code == code && operation->instruction == instruction &&
            is_place(operation->reads, number, key, !writes) && is_place(operation->writes, number, key, writes))
            taken = record(run, task, step, before, operation->writes) ? Taken::yes : Taken::error;
    } else {
        PyObject *file = reinterpret_cast<PyCodeObject *>(code)->co_filename;
        const int is_library = PySet_Contains(known.libraries, file);
        if (is_library < 0) {
            taken = Taken::error;
        } else if (is_library == 0) {
            PyObject *made = known.operation->tp_new(known.operation, known.nothing, nullptr);
            PyObject *place = PyTuple_Pack(2, number, key);
            PyObject *places = place != nullptr ? PyTuple_Pack(1, place) : nullptr;
            PyObject *text = words.written();
            PyObject *step = made != nullptr ? new_step(task->index, made) : nullptr;
            taken = Taken::error;
            if (places != nullptr && text != nullptr && step != nullptr) {
                auto *operation = reinterpret_cast<OperationState *>(made);
                Py_SETREF(operation->kind, Py_NewRef(known.access));
                Py_SETREF(operation->reads, Py_NewRef(writes ? known.nothing : places));
                Py_SETREF(operation->writes, Py_NewRef(writes ? places : known.nothing));
                Py_SETREF(operation->text, Py_NewRef(text));
                Py_SETREF(operation->code, Py_NewRef(code));
                operation->instruction = instruction;
                if (record(run, task, step, made, operation->writes))
                    taken = Taken::yes;
            }
            Py_XDECREF(made);
            Py_XDECREF(place);
            Py_XDECREF(places);
            Py_XDECREF(text);
            Py_XDECREF(step);
        }
    }
    Py_DECREF(code);
    return taken;
}

/* Any other operation, as Run._go_on and Run._record would do it. What it waits for and what it touches is code of
 * ours; `busy` keeps the hooks away from it. */
PyObject *take(PyObject *self, PyObject *given) {
    auto *run = reinterpret_cast<RunState *>(self);
    auto *operation = reinterpret_cast<OperationState *>(given);
    if (!known.fast || Py_TYPE(given) != known.operation || operation->kind == known.choose || turn_of(run, true) == Turn::unclear)
        Py_RETURN_FALSE;
    bool is_enabled = true, good = true;
    run->busy = 1;
    if (operation->waits_for != Py_None) {
        PyObject *answer = PyObject_CallNoArgs(operation->waits_for);
        const int truth = answer != nullptr ? PyObject_IsTrue(answer) : -1;
        Py_XDECREF(answer);
        good = truth >= 0;
        is_enabled = truth == 1;
    }
    if (good && is_enabled && operation->places != Py_None) {
        PyObject *places = PyObject_CallNoArgs(operation->places);
        good = places != nullptr && PyTuple_CheckExact(places) && PyTuple_GET_SIZE(places) == 2;
        if (good) {
            Py_SETREF(operation->reads, Py_NewRef(PyTuple_GET_ITEM(places, 0)));
            Py_SETREF(operation->writes, Py_NewRef(PyTuple_GET_ITEM(places, 1)));
        } else if (places != nullptr) {
            PyErr_SetString(PyExc_TypeError, "places are two tuples");
        }
        Py_XDECREF(places);
    }
    if (good && is_enabled) {
        auto *task = reinterpret_cast<TaskState *>(run->present);
        PyObject *step = new_step(task->index, given);
        good = step != nullptr && record(run, task, step, given, operation->writes);
        Py_XDECREF(step);
    }
    run->busy = 0;
    if (!good)
        return nullptr;
    return PyBool_FromLong(is_enabled);
}

PyObject *ask(Twin which, PyObject *const *args, Py_ssize_t count) {
    return PyObject_Vectorcall(twin[which], args, static_cast<size_t>(count), nullptr);
}

// -- hooks. Each gives back what the code goes on with

PyObject *attribute(Twin which, PyObject *const *args, bool writes) {
    PyObject *target = args[0], *name = args[1];
    RunState *run = present_run;
    if (is_type_in(known.locks, target) || Py_TYPE(target) == known.module || PyType_Check(target) ||
        name == known.locked || name == known.dict_name || elsewhere())
        return ask(which, args, 2);
    if (writes) {
        if (run->alone)
            return Py_NewRef(target);
    } else {
        const int is_written = PySet_Contains(known.written_names, name);
        if (is_written < 0)
            return nullptr;
        if (is_written == 0)
            return PySet_Add(known.skipped_names, name) == 0 ? Py_NewRef(target) : nullptr;
        const int is_of_class = PySet_Contains(known.names_of_classes, name);
        if (is_of_class != 0)
            return is_of_class < 0 ? nullptr : ask(which, args, 2);
        if (PySet_Add(known.looked_for_in_objects, name) != 0)
            return nullptr;
    }
    PyObject *number = number_of(run, target);
    if (number == nullptr)
        return nullptr;
    if (run->alone) {
        Py_DECREF(number);
        return Py_NewRef(target);
    }
    const Taken taken = touch(run, PyEval_GetFrame(), number, name, writes,
                              {writes ? known.writes : known.reads, reinterpret_cast<PyObject *>(Py_TYPE(target)), name});
    Py_DECREF(number);
    if (taken == Taken::no)
        return ask(which, args, 2);
    return taken == Taken::yes ? Py_NewRef(target) : nullptr;
}

PyObject *read_attribute(PyObject *const *args) {
    if (known.fast) {
        if (present_run == nullptr || is_type_in(known.quiet, args[0]))
            return Py_NewRef(args[0]);
        return attribute(read_attribute_, args, false);
    }
    return ask(read_attribute_, args, 2);
}

PyObject *write_attribute(PyObject *const *args) {
    if (known.fast) {
        if (present_run == nullptr)
            return Py_NewRef(args[0]);
        return attribute(write_attribute_, args, true);
    }
    return ask(write_attribute_, args, 2);
}

PyObject *loaded(PyObject *const *args) {
    if (known.fast && (present_run == nullptr || known.instead.count(args[0]) == 0))
        return Py_NewRef(args[0]);
    return ask(loaded_, args, 1);
}

PyObject *callee(PyObject *const *args) {
    if (known.fast && (present_run == nullptr || known.instead.count(args[0]) == 0))
        return Py_NewRef(args[0]);
    return ask(callee_, args, 1);
}

PyObject *operate(PyObject *const *args) {
    if (known.fast && (present_run == nullptr || present_run->alone ||
                       (is_type_in(known.atoms, args[0]) && is_type_in(known.atoms, args[1]))))
        return nothing();
    return ask(operate_, args, 3);
}

PyObject *look_whether(PyObject *const *args) {
    if (known.fast && (present_run == nullptr || is_type_in(known.atoms, args[0])))
        return nothing();
    return ask(look_whether_, args, 1);
}

/* Is it a function of the program whose code is watched? */
int is_watched(PyObject *function) {
    if (Py_TYPE(function) == known.method)
        function = PyMethod_GET_FUNCTION(function);
    if (Py_TYPE(function) != known.function)
        return 0;
    PyObject *code = PyFunction_GET_CODE(function);
    if (known.watched_codes.count(code) != 0)
        return 1;
    PyObject *identity = PyLong_FromVoidPtr(code);
    const int found = identity != nullptr ? PySet_Contains(known.instrumented, identity) : -1;
    Py_XDECREF(identity);
    if (found == 1)
        known.watched_codes.insert(code); /* instrumented code is kept for good */
    return found;
}

PyObject *calls(PyObject *const *args) {
    if (known.fast) {
        if (present_run == nullptr || present_run->alone) {
            if (args[0] != known.globals_function)
                return Py_NewRef(args[0]);
        } else {
            const int found = is_watched(args[0]);
            if (found != 0)
                return found < 0 ? nullptr : Py_NewRef(args[0]);
        }
    }
    return ask(calls_, args, 1);
}

/* Code in C that called the program is not there: nothing has happened in between. */
bool is_called_by_program() {
    if (present_run == nullptr || present_run->present == Py_None)
        return true;
    PyObject *foreign = reinterpret_cast<TaskState *>(present_run->present)->foreign;
    return PyList_CheckExact(foreign) && PyList_GET_SIZE(foreign) == 0;
}

PyObject *entered(PyObject *const *args) {
    return known.fast && is_called_by_program() ? nothing() : ask(entered_, args, 0);
}

PyObject *left(PyObject *const *args) {
    return known.fast && is_called_by_program() ? nothing() : ask(left_, args, 0);
}

PyObject *count(PyObject *const *args) {
    if (known.fast) {
        if (present_run == nullptr)
            return nothing();
        if (!present_run->over && present_run->turns < known.most_turns && !elsewhere()) {
            present_run->turns += 1;
            return nothing();
        }
    }
    return ask(count_, args, 0);
}

PyObject *turn(PyObject *const *args) {
    if (known.fast && present_run == nullptr)
        return nothing();
    return ask(turn_, args, 0);
}

PyObject *method(PyObject *const *args) {
    PyObject *target = args[0], *name = args[1];
    if (known.fast) {
        if (present_run == nullptr)
            return PyObject_GetAttr(target, name);
        /* Built-in values, whose methods are no locks; and objects of classes written in Python. */
        if (!elsewhere()) {
            if (is_type_in(known.quiet, target) && Py_TYPE(target) != known.module) {
                if (is_type_in(known.atoms, target)) {
                    const int is_written = PySet_Contains(known.written_names, name);
                    if (is_written < 0 || (is_written == 0 && PySet_Add(known.skipped_names, name) != 0))
                        return nullptr;
                    if (is_written == 0)
                        return PyObject_GetAttr(target, name);
                }
            }
        }
    }
    return ask(method_, args, 2);
}

PyObject *global(Twin which, PyObject *const *args, bool writes) {
    RunState *run = present_run;
    if (!known.fast)
        return ask(which, args, 1);
    if (run == nullptr || run->alone)
        return nothing();
    PyObject *globals = PyEval_GetGlobals();
    if (elsewhere() || globals == nullptr)
        return ask(which, args, 1);
    PyObject *number = number_of(run, globals);
    if (number == nullptr)
        return nullptr;
    const Taken taken = touch(run, PyEval_GetFrame(), number, args[0], writes,
                              {writes ? known.writes : known.reads, nullptr, args[0]});
    Py_DECREF(number);
    if (taken == Taken::no)
        return ask(which, args, 1);
    return taken == Taken::yes ? nothing() : nullptr;
}

PyObject *read_global(PyObject *const *args) { return global(read_global_, args, false); }
PyObject *write_global(PyObject *const *args) { return global(write_global_, args, true); }

PyObject *cell(Twin which, PyObject *const *args, bool writes) {
    RunState *run = present_run;
    if (!known.fast)
        return ask(which, args, 2);
    if (run == nullptr)
        return nothing();
    if (elsewhere())
        return ask(which, args, 2);
    PyObject *number = number_of(run, args[0]);
    if (number == nullptr)
        return nullptr;
    const Taken taken = run->alone ? Taken::yes
                                   : touch(run, PyEval_GetFrame(), number, known.cell_key, writes,
                                           {writes ? known.writes : known.reads, nullptr, args[1]});
    Py_DECREF(number);
    if (taken == Taken::no)
        return ask(which, args, 2);
    return taken == Taken::yes ? nothing() : nullptr;
}

PyObject *read_cell(PyObject *const *args) { return cell(read_cell_, args, false); }
PyObject *write_cell(PyObject *const *args) { return cell(write_cell_, args, true); }

// -- iteration over a container without keys: one place, whatever is in it (src/kripke/testing/iteration.py)

struct Iteration {
    PyObject_HEAD
    PyObject *inside, *places, *frame, *number, *announce;
};

constexpr int objects_of_iteration = 5;

PyMemberDef iteration_members[] = {
    KRIPKE_OBJECT(Iteration, inside, "_inside"), KRIPKE_OBJECT(Iteration, places, "_places"),     KRIPKE_OBJECT(Iteration, frame, "_frame"),
    KRIPKE_OBJECT(Iteration, number, "_number"), KRIPKE_OBJECT(Iteration, announce, "_announce"), {nullptr, 0, 0, 0, nullptr},
};

PyObject *next_of(PyObject *self) {
    auto *iteration = reinterpret_cast<Iteration *>(self);
    RunState *run = present_run;
    if (run != nullptr && !(known.fast && run->alone)) {
        Taken taken = Taken::no;
        if (known.fast && !elsewhere() && PyFrame_Check(iteration->frame))
            taken = touch(run, reinterpret_cast<PyFrameObject *>(iteration->frame), iteration->number, known.shape, false,
                          {nullptr, nullptr, known.takes_next});
        if (taken == Taken::no) {
            PyObject *answer = PyObject_CallFunctionObjArgs(iteration->announce, iteration->places, known.takes_next,
                                                            iteration->frame, nullptr);
            if (answer == nullptr)
                return nullptr;
            Py_DECREF(answer);
        } else if (taken == Taken::error) {
            return nullptr;
        }
    }
    return PyIter_Next(iteration->inside);
}

PyObject *length_hint(PyObject *self, PyObject *) {
    const Py_ssize_t hint = PyObject_LengthHint(reinterpret_cast<Iteration *>(self)->inside, 0);
    return hint < 0 ? nullptr : PyLong_FromSsize_t(hint);
}

PyMethodDef iteration_methods[] = {
    {"__length_hint__", length_hint, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyObject *make_iteration(PyTypeObject *type, PyObject *arguments, PyObject *) {
    if (PyTuple_GET_SIZE(arguments) != objects_of_iteration) {
        PyErr_SetString(PyExc_TypeError, "an iterator, its places, a frame, a number and who announces it");
        return nullptr;
    }
    PyObject *self = type->tp_alloc(type, 0);
    if (self != nullptr)
        for (int at = 0; at < objects_of_iteration; ++at)
            objects_of(self)[at] = Py_NewRef(PyTuple_GET_ITEM(arguments, at));
    return self;
}

PyType_Slot iteration_slots[] = {
    {Py_tp_new, reinterpret_cast<void *>(&make_iteration)},
    {Py_tp_traverse, reinterpret_cast<void *>(&visit_state<objects_of_iteration>)},
    {Py_tp_clear, reinterpret_cast<void *>(&clear_state<objects_of_iteration>)},
    {Py_tp_dealloc, reinterpret_cast<void *>(&free_state<objects_of_iteration>)},
    {Py_tp_iter, reinterpret_cast<void *>(&PyObject_SelfIter)},
    {Py_tp_iternext, reinterpret_cast<void *>(&next_of)},
    {Py_tp_members, iteration_members},
    {Py_tp_methods, iteration_methods},
    {0, nullptr},
};

PyType_Spec iteration_type = {"kripke._native.Iteration", sizeof(Iteration), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                              iteration_slots};

// -- where the program is

/* Code of ours, and of libraries on top of what is controlled, is passed over: the program called it. */
bool is_of_program(PyObject *code) {
    const auto found = known.of_program.find(code);
    if (found != known.of_program.end())
        return found->second;
    PyObject *file = reinterpret_cast<PyCodeObject *>(code)->co_filename;
    const bool is_library = PySet_Contains(known.libraries, file) == 1 ||
                            PyUnicode_Tailmatch(file, known.own_folder, 0, PyUnicode_GET_LENGTH(file), -1) == 1;
    known.of_program.emplace(Py_NewRef(code), !is_library); /* kept, so that no other code gets its address */
    return !is_library;
}

/* The frame of the program that led to this one; the frame itself where no program did. A new reference. */
PyFrameObject *caller_of(PyFrameObject *frame) {
    auto *found = reinterpret_cast<PyFrameObject *>(Py_NewRef(reinterpret_cast<PyObject *>(frame)));
    while (found != nullptr) {
        PyObject *code = reinterpret_cast<PyObject *>(PyFrame_GetCode(found));
        const bool is_there = is_of_program(code);
        Py_DECREF(code);
        if (is_there)
            return found;
        PyFrameObject *above = PyFrame_GetBack(found);
        Py_DECREF(found);
        found = above;
    }
    return reinterpret_cast<PyFrameObject *>(Py_NewRef(reinterpret_cast<PyObject *>(frame)));
}

PyObject *caller(PyObject *const *args) {
    if (!PyFrame_Check(args[0])) {
        PyErr_SetString(PyExc_TypeError, "a frame is expected");
        return nullptr;
    }
    return reinterpret_cast<PyObject *>(caller_of(reinterpret_cast<PyFrameObject *>(args[0])));
}

/* An operation of this kind and with these words, at the place of the program that led here. */
PyObject *here(PyObject *const *args) {
    PyObject *made = known.operation->tp_new(known.operation, known.nothing, nullptr);
    PyFrameObject *frame = PyEval_GetFrame();
    if (made == nullptr || frame == nullptr)
        return made;
    PyFrameObject *found = caller_of(frame);
    auto *operation = reinterpret_cast<OperationState *>(made);
    Py_SETREF(operation->kind, Py_NewRef(args[0]));
    Py_SETREF(operation->reads, Py_NewRef(known.nothing));
    Py_SETREF(operation->writes, Py_NewRef(known.nothing));
    Py_SETREF(operation->text, Py_NewRef(args[1]));
    Py_SETREF(operation->code, reinterpret_cast<PyObject *>(PyFrame_GetCode(found)));
    operation->instruction = PyFrame_GetLasti(found);
    Py_DECREF(found);
    return made;
}

/* Hooks are objects of a type of their own: were they built-in functions, Python 3.11 would, once it has specialised the
 * call, say of it that it is at another instruction than before. */
struct Hook {
    PyObject_HEAD
    vectorcallfunc call;
};

/* A hook that is given so many arguments. */
template <PyObject *(*function)(PyObject *const *), Py_ssize_t arguments>
PyObject *checked(PyObject *, PyObject *const *args, size_t given, PyObject *) {
    if (PyVectorcall_NARGS(given) != arguments) {
        PyErr_Format(PyExc_TypeError, "%zd arguments instead of %zd", PyVectorcall_NARGS(given), arguments);
        return nullptr;
    }
    return function(args);
}

PyMemberDef hook_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Hook, call), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

PyType_Slot hook_slots[] = {
    {Py_tp_call, reinterpret_cast<void *>(&PyVectorcall_Call)},
    {Py_tp_members, hook_members},
    {0, nullptr},
};

PyType_Spec hook_type = {"kripke._native.Hook", sizeof(Hook), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL, hook_slots};

struct NamedHook {
    const char *name;
    vectorcallfunc call;
};

#define HOOK(name, arguments)                                                                                          \
    { #name, &checked<name, arguments> }

constexpr NamedHook hooks[] = {
    HOOK(read_attribute, 2),
    HOOK(write_attribute, 2),
    HOOK(loaded, 1),
    HOOK(callee, 1),
    HOOK(operate, 3),
    HOOK(look_whether, 1),
    HOOK(calls, 1),
    HOOK(entered, 0),
    HOOK(left, 0),
    HOOK(count, 0),
    HOOK(turn, 0),
    HOOK(method, 2),
    HOOK(read_global, 1),
    HOOK(write_global, 1),
    HOOK(read_cell, 2),
    HOOK(write_cell, 2),
    HOOK(caller, 1),
    HOOK(here, 2),
};

// -- set up

std::unordered_set<PyObject *> members_of(nb::handle values) {
    std::unordered_set<PyObject *> found;
    for (const nb::handle value : values)
        found.insert(value.inc_ref().ptr()); /* kept for good */
    return found;
}

PyObject *kept_for_good(const nb::dict &given, const char *name) { return nb::object(given[name]).release().ptr(); }

void prepare(const nb::dict &given, const nb::dict &twins) {
    known.quiet = members_of(given["quiet"]);
    known.atoms = members_of(given["atoms"]);
    known.locks = members_of(given["locks"]);
    for (const nb::handle identity : given["instead"])
        known.instead.insert(static_cast<PyObject *>(PyLong_AsVoidPtr(identity.ptr())));
    known.most_turns = nb::cast<long>(given["most_turns"]);
    known.written_names = kept_for_good(given, "written_names");
    known.skipped_names = kept_for_good(given, "skipped_names");
    known.names_of_classes = kept_for_good(given, "names_of_classes");
    known.looked_for_in_objects = kept_for_good(given, "looked_for_in_objects");
    known.instrumented = kept_for_good(given, "instrumented");
    known.shape = kept_for_good(given, "shape");
    known.step = reinterpret_cast<PyTypeObject *>(kept_for_good(given, "step"));
    known.module = &PyModule_Type;
    known.function = &PyFunction_Type;
    known.method = &PyMethod_Type;
    known.access = kept_for_good(given, "access");
    known.choose = kept_for_good(given, "choose");
    known.globals_function = kept_for_good(given, "globals");
    known.cell_key = PyUnicode_InternFromString("");
    known.reads = PyUnicode_InternFromString("reads");
    known.writes = PyUnicode_InternFromString("writes");
    known.locked = PyUnicode_InternFromString("_locked");
    known.dict_name = PyUnicode_InternFromString("__dict__");
    known.zero = PyLong_FromLong(0);
    known.home = nb::cast<unsigned long>(given["home"]);
    for (int which = 0; which < twins_; ++which)
        twin[which] = kept_for_good(twins, twin_names[which]);
}

} // namespace

void bind_watching(nb::module_ &module) {
    module.attr("RunState") = nb::steal(
        reinterpret_cast<PyObject *>(new_type<RunState, objects_of_run>("kripke._native.RunState", run_members, run_methods)));
    module.attr("OperationState") = nb::steal(reinterpret_cast<PyObject *>(
        new_type<OperationState, objects_of_operation>("kripke._native.OperationState", operation_members, nullptr)));
    module.attr("TaskState") = nb::steal(
        reinterpret_cast<PyObject *>(new_type<TaskState, objects_of_task>("kripke._native.TaskState", task_members, nullptr)));
    nb::module_ fast = module.def_submodule("hooks");
    const nb::object type = nb::steal(PyType_FromSpec(&hook_type));
    for (const NamedHook &each : hooks) {
        const nb::object made = nb::steal(PyType_GenericAlloc(reinterpret_cast<PyTypeObject *>(type.ptr()), 0));
        reinterpret_cast<Hook *>(made.ptr())->call = each.call;
        fast.attr(each.name) = made;
    }
    nb::object iteration = nb::steal(PyType_FromSpec(&iteration_type));
    module.attr("Iteration") = iteration;
    known.nothing = PyTuple_New(0);
    known.takes_next = PyUnicode_InternFromString("takes the next of it");
    fast.def("prepare", &prepare);
    fast.def("prepare_places", [](nb::handle operation, nb::handle libraries, nb::handle own_folder) {
        known.operation = reinterpret_cast<PyTypeObject *>(operation.inc_ref().ptr());
        known.libraries = libraries.inc_ref().ptr();
        known.own_folder = own_folder.inc_ref().ptr();
    });
    fast.def("use_fast_ways", [](bool wanted) { known.fast = wanted; });
    fast.def("watch_run", [](nb::handle run) {
        present_run = run.is_none() ? nullptr : reinterpret_cast<RunState *>(run.ptr());
    }, nb::arg("run").none());
}
