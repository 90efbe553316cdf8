/* run_state.h -- What the hooks of watching_binding.cpp know: the state of a run, its tasks and operations, as C++ and
 * Python both see them, and what does not change while programs are watched. */
#ifndef KRIPKE_RUN_STATE_H
#define KRIPKE_RUN_STATE_H

#include <Python.h>
#include <structmember.h>

#include <cstddef>
#include <unordered_map>
#include <unordered_set>

namespace kripke::watching {

// -- the state of a run, and operations, as both sides see them

struct RunState {
    PyObject_HEAD
    PyObject *steps, *options, *slept, *asleep, *present, *numbers, *kept, *written, *prefix, *expected, *network, *block;
    long turns, loops, most_steps;
    char alone, over, busy, watching, keeps_going, ending, fine;
};

struct OperationState {
    PyObject_HEAD
    PyObject *kind, *reads, *writes, *text, *code, *places, *waits_for;
    int instruction;
};

struct TaskState {
    PyObject_HEAD
    PyObject *pending, *process, *loop, *foreign;
    long index;
};

#define KRIPKE_OBJECT(type, member, name)                                                                                     \
    { name, object_member, offsetof(type, member), 0, nullptr }

constexpr int object_member = T_OBJECT_EX;

inline PyMemberDef run_members[] = {
    KRIPKE_OBJECT(RunState, steps, "steps"),
    KRIPKE_OBJECT(RunState, options, "options"),
    KRIPKE_OBJECT(RunState, slept, "slept"),
    KRIPKE_OBJECT(RunState, asleep, "asleep"),
    KRIPKE_OBJECT(RunState, present, "present"),
    KRIPKE_OBJECT(RunState, numbers, "numbers"),
    KRIPKE_OBJECT(RunState, kept, "_kept"),
    KRIPKE_OBJECT(RunState, written, "_written"),
    KRIPKE_OBJECT(RunState, prefix, "_prefix"),
    KRIPKE_OBJECT(RunState, expected, "_expected_steps"),
    KRIPKE_OBJECT(RunState, network, "network"),
    KRIPKE_OBJECT(RunState, block, "_block"),
    {"turns", T_LONG, offsetof(RunState, turns), 0, nullptr},
    {"loops", T_LONG, offsetof(RunState, loops), 0, nullptr},
    {"most_steps", T_LONG, offsetof(RunState, most_steps), 0, nullptr},
    {"alone", T_BOOL, offsetof(RunState, alone), 0, nullptr},
    {"_over", T_BOOL, offsetof(RunState, over), 0, nullptr},
    {"_busy", T_BOOL, offsetof(RunState, busy), 0, nullptr},
    {"watching", T_BOOL, offsetof(RunState, watching), 0, nullptr},
    {"_keeps_going", T_BOOL, offsetof(RunState, keeps_going), 0, nullptr},
    {"ending", T_BOOL, offsetof(RunState, ending), 0, nullptr},
    {"fine", T_BOOL, offsetof(RunState, fine), 0, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

inline PyMemberDef operation_members[] = {
    KRIPKE_OBJECT(OperationState, kind, "kind"),
    KRIPKE_OBJECT(OperationState, reads, "reads"),
    KRIPKE_OBJECT(OperationState, writes, "writes"),
    KRIPKE_OBJECT(OperationState, text, "text"),
    KRIPKE_OBJECT(OperationState, code, "code"),
    KRIPKE_OBJECT(OperationState, places, "places"),
    KRIPKE_OBJECT(OperationState, waits_for, "waits_for"),
    {"instruction", T_INT, offsetof(OperationState, instruction), 0, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

inline PyMemberDef task_members[] = {
    KRIPKE_OBJECT(TaskState, pending, "pending"),
    KRIPKE_OBJECT(TaskState, process, "process"),
    KRIPKE_OBJECT(TaskState, loop, "loop"),
    KRIPKE_OBJECT(TaskState, foreign, "foreign"),
    {"index", T_LONG, offsetof(TaskState, index), 0, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

/* The objects of a state lie one after the other, right behind its head. */
inline PyObject **objects_of(PyObject *self) { return reinterpret_cast<PyObject **>(reinterpret_cast<char *>(self) + sizeof(PyObject)); }

template <int Count> PyObject *make_state(PyTypeObject *type, PyObject *, PyObject *) {
    PyObject *self = type->tp_alloc(type, 0);
    if (self != nullptr)
        for (int at = 0; at < Count; ++at)
            objects_of(self)[at] = Py_NewRef(Py_None);
    return self;
}

template <int Count> int visit_state(PyObject *self, visitproc visit, void *arg) {
    for (int at = 0; at < Count; ++at)
        Py_VISIT(objects_of(self)[at]);
    Py_VISIT(Py_TYPE(self));
    return 0;
}

template <int Count> int clear_state(PyObject *self) {
    for (int at = 0; at < Count; ++at)
        Py_CLEAR(objects_of(self)[at]);
    return 0;
}

template <int Count> void free_state(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    clear_state<Count>(self);
    type->tp_free(self);
    Py_DECREF(type);
}

/* The number of an object: objects are numbered in the order in which a run touches them. It is kept, so that nothing
 * else gets its address. */
inline PyObject *number_of(RunState *run, PyObject *target) {
    PyObject *key = PyLong_FromVoidPtr(target);
    if (key == nullptr)
        return nullptr;
    PyObject *found = PyDict_GetItemWithError(run->numbers, key);
    if (found != nullptr) {
        Py_DECREF(key);
        return Py_NewRef(found);
    }
    PyObject *number = PyErr_Occurred() != nullptr ? nullptr : PyLong_FromSsize_t(PyList_GET_SIZE(run->kept));
    if (number != nullptr &&
        (PyDict_SetItem(run->numbers, key, number) != 0 || PyList_Append(run->kept, target) != 0))
        Py_CLEAR(number);
    Py_DECREF(key);
    return number;
}

constexpr int objects_of_run = 12, objects_of_operation = 7, objects_of_task = 4;

template <class State, int Count>
PyTypeObject *new_type(const char *name, PyMemberDef *members, PyMethodDef *methods) {
    PyType_Slot slots[] = {
        {Py_tp_new, reinterpret_cast<void *>(&make_state<Count>)},
        {Py_tp_traverse, reinterpret_cast<void *>(&visit_state<Count>)},
        {Py_tp_clear, reinterpret_cast<void *>(&clear_state<Count>)},
        {Py_tp_dealloc, reinterpret_cast<void *>(&free_state<Count>)},
        {Py_tp_members, members},
        {methods != nullptr ? Py_tp_methods : 0, methods},
        {0, nullptr},
    };
    PyType_Spec spec = {name, sizeof(State), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};
    return reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
}

// -- what is known for good

struct Known {
    std::unordered_set<PyObject *> quiet, atoms, locks, instead, watched_codes;
    std::unordered_map<PyObject *, bool> of_program;
    PyObject *written_names = nullptr, *skipped_names = nullptr, *names_of_classes = nullptr,
             *looked_for_in_objects = nullptr, *instrumented = nullptr, *libraries = nullptr;
    PyTypeObject *operation = nullptr, *step = nullptr, *module = nullptr, *function = nullptr, *method = nullptr;
    PyObject *access = nullptr, *choose = nullptr, *globals_function = nullptr, *cell_key = nullptr, *nothing = nullptr, *zero = nullptr,
             *reads = nullptr, *writes = nullptr, *shape = nullptr, *takes_next = nullptr, *own_folder = nullptr, *locked = nullptr, *dict_name = nullptr, *code_name = nullptr;
    unsigned long home = 0;
    long most_turns = 0;
    bool fast = true;
};

} // namespace kripke::watching

#endif
