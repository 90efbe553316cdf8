/* --- which operations others can notice: kripke/heap/visibility.py --- */

static INLINE int is_container(machine *vm, W w) { int kind = kind_of(vm, w); return kind == K_LIST || kind == K_DICT || kind == K_SET; }
static INLINE int shared_container(machine *vm, W w) { return is_container(vm, w) && is_shared(vm, w); }
static INLINE int shared_stateful(machine *vm, W w) {
    int kind = kind_of(vm, w);
    return (kind == K_LIST || kind == K_DICT || kind == K_SET || kind == K_GENERATOR || kind == K_ITERATOR) && is_shared(vm, w);
}
static int slot_member(uint32_t number, uint32_t name) { int32_t found = member_of[number * NAMES + name]; return found >= 0 && members[found].kind == M_SLOT; }
static int visible_attribute(machine *vm, W w, uint32_t name) {
    uint32_t number;
    if (is_class(w)) return slot_member(CLASS_NUMBER(w), name);
    if (kind_of(vm, w) != K_INSTANCE) return 0;
    number = class_of(vm, w);
    if (slot_of[number * NAMES + name] >= 0) return is_shared(vm, w);
    return slot_member(number, name);
}
static int visible_iteration(machine *vm, W w) {
    int kind = kind_of(vm, w);
    if (kind == K_ITERATOR) return is_shared(vm, w) || shared_container(vm, FIELD(w, 0));
    if (kind == K_GENERATOR) return is_shared(vm, w) || codes[SMALL_VALUE(FIELD(w, 2))].library;
    return 0;
}
static int visible_comparison(machine *vm, W w) {
    int kind = kind_of(vm, w);
    return kind == K_TUPLE || is_container(vm, w) || (kind == K_INSTANCE && class_compared[class_of(vm, w)] > 0);
}
static int is_library(machine *vm, W function) {
    if (kind_of(vm, function) == K_BOUND) function = FIELD(function, 0);
    if (const_kind_of(function) == C_FUNCTION) return codes[functions[const_value[function >> 2]].code].library;
    return is_class(function) && class_library[CLASS_NUMBER(function)];
}
static int any_stateful(machine *vm, uint32_t count) {
    uint32_t i;
    for (i = 1; i <= count; i++) if (shared_stateful(vm, *top(vm, i))) return 1;
    return 0;
}
static int library_call(machine *vm, int32_t argument) {
    uint32_t count = calls[argument].positional + calls[argument].named;
    W function = *top(vm, 1 + count);
    if (!is_library(vm, function)) return 0;
    if (kind_of(vm, function) == K_BOUND && shared_stateful(vm, FIELD(function, 1))) return 1;
    return any_stateful(vm, count);
}
static int method_call(machine *vm, int32_t argument) {
    uint32_t count = calls[argument].positional + calls[argument].named;
    W receiver = *top(vm, 1 + count);
    if (is_class(receiver) || kind_of(vm, receiver) == K_INSTANCE) return visible_attribute(vm, receiver, (uint32_t)calls[argument].name);
    return shared_stateful(vm, receiver) || any_stateful(vm, count);
}
static int noticed(machine *vm, int op, int32_t argument) {
    switch (op) {
    case OP_LOAD_GLOBAL: return !(global_stable[argument] && vm->m[1 + argument]);
    case OP_STORE_GLOBAL: case OP_DELETE_GLOBAL: return 1;
    case OP_LOAD_CELL: case OP_STORE_CELL: return is_shared(vm, vm->fs[now(vm)->base + (uint32_t)argument]);
    case OP_LOAD_ATTRIBUTE: return visible_attribute(vm, *top(vm, 1), (uint32_t)argument);
    case OP_STORE_ATTRIBUTE: return is_class(*top(vm, 1)) || is_shared(vm, *top(vm, 1));
    case OP_SUBSCRIPT: case OP_STORE_SUBSCRIPT: case OP_DELETE_SUBSCRIPT: return shared_container(vm, *top(vm, 2));
    case OP_COMPARE:
        if (argument == 5) return 0;
        if (argument == 6) return shared_container(vm, *top(vm, 1)) || kind_of(vm, *top(vm, 1)) == K_TUPLE;
        return visible_comparison(vm, *top(vm, 1)) || visible_comparison(vm, *top(vm, 2));
    case OP_BINARY: case OP_INPLACE: return shared_container(vm, *top(vm, 1)) || shared_container(vm, *top(vm, 2));
    case OP_TRUTH: case OP_UNPACK: return shared_container(vm, *top(vm, 1));
    case OP_FOR_ITERATOR: return visible_iteration(vm, *top(vm, 1));
    case OP_SEND: return visible_iteration(vm, *top(vm, 2));
    case OP_CALL: return library_call(vm, argument);
    case OP_CALL_METHOD: return method_call(vm, argument);
    case OP_CALL_SPREAD: return is_library(vm, *top(vm, 3));
    }
    return 0;
}
/* With one thread alone: does it change what properties look at? */
static int watched(machine *vm, int op, int32_t argument) {
    if (op == OP_STORE_GLOBAL || op == OP_DELETE_GLOBAL) return global_watched[argument];
    if (!DEEP) return 0;
    switch (op) {
    case OP_STORE_ATTRIBUTE: return is_class(*top(vm, 1)) || is_shared(vm, *top(vm, 1));
    case OP_STORE_SUBSCRIPT: case OP_DELETE_SUBSCRIPT: case OP_INPLACE: return shared_container(vm, *top(vm, 2));
    case OP_CALL_METHOD: return shared_container(vm, *top(vm, 1 + calls[argument].positional + calls[argument].named));
    case OP_CALL: return library_call(vm, argument);
    }
    return 0;
}
static int ends_step(machine *vm, const code *c, int op, int32_t argument, int32_t statement) {
    if (op == OP_CHOOSE) return 1;
    if (GRANULARITY == 1) {
        if (op == OP_WAIT || op == OP_POINT) return op == OP_WAIT && vm->others > 0;
        return !c->library && statement != vm->label;
    }
    if (GRANULARITY == 2 && !c->library) return 1;
    if (op == OP_WAIT) return vm->others > 0;
    if (op == OP_POINT) return vm->others > 0 && (*top(vm, 1) == NONE || is_shared(vm, *top(vm, 1)));
    if (c->library) return 0;
    return vm->others ? noticed(vm, op, argument) : watched(vm, op, argument);
}
