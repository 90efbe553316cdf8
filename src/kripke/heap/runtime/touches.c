/* --- what a step touches of what threads share: kripke/heap/reduction/footprint.py --- */

#if REDUCE
static void touch_place(machine *vm, W object, int32_t place, int written) {
    uint32_t i;
    if (place < 0 || (object && !is_shared(vm, object))) return;
    for (i = vm->first_touch; i < vm->touch_count; i++)
        if (vm->touches[i].object == object && vm->touches[i].place == (uint32_t)place && vm->touches[i].written == (uint32_t)written) return;
    if (vm->touch_count == vm->touch_room) vm->touches = larger(vm, vm->touches, &vm->touch_room, vm->touch_count + 1, sizeof *vm->touches);
    vm->touches[vm->touch_count].object = object;
    vm->touches[vm->touch_count].place = (uint32_t)place;
    vm->touches[vm->touch_count++].written = (uint32_t)written;
}
static void touch_contents(machine *vm, W w, int written) {
    int kind = kind_of(vm, w);
    if (kind == K_LIST) touch_place(vm, w, P_LISTS, written);
    else if (kind == K_DICT) touch_place(vm, w, P_DICTS, written);
    else if (kind == K_SET) touch_place(vm, w, P_SETS, written);
}
static void touch_compared(machine *vm, W w) {
    int kind = kind_of(vm, w);
    uint32_t i;
    if (kind == K_TUPLE || kind == K_LIST || kind == K_DICT || kind == K_SET || kind == K_INSTANCE)
        for (i = 0; i < COMPARED_PLACES; i++) touch_place(vm, 0, compared_places[i], 0);
}
static void touch_items(machine *vm, W w) {
    uint32_t i, n = kind_of(vm, w) == K_TUPLE ? FIELDS(w) : LENGTH(w);
    for (i = 0; i < n; i++) touch_compared(vm, kind_of(vm, w) == K_TUPLE ? FIELD(w, i) : ITEM(w, i));
}
static void touch_search(machine *vm, W container, W item) {
    int kind = kind_of(vm, container);
    if (kind != K_DICT && kind != K_SET) return;
    touch_compared(vm, item);
    touch_items(vm, container);
}
static void touch_attribute(machine *vm, W w, uint32_t name) {
    uint32_t number;
    int32_t found;
    if (is_class(w)) number = CLASS_NUMBER(w);
    else if (kind_of(vm, w) == K_INSTANCE) {
        number = class_of(vm, w);
        if (slot_of[number * NAMES + name] >= 0) touch_place(vm, w, place_of_name[name], 0);
    } else return;
    found = member_of[number * NAMES + name];
    if (found >= 0 && members[found].kind == M_SLOT) touch_place(vm, 0, place_of_global[members[found].value], 0);
}
static void touch_iteration(machine *vm, W w) {
    int kind = kind_of(vm, w);
    if (kind != K_ITERATOR && kind != K_GENERATOR) return;
    touch_place(vm, w, P_GENERATORS, 1);
    if (kind == K_ITERATOR) touch_contents(vm, FIELD(w, 0), 0);
}
static void touch_intrinsic(machine *vm, int32_t which, const W *given) {
    int64_t at = 0;
    int32_t name;
    switch (which) {
    case I_LIST_APPEND: case I_LIST_INSERT: case I_LIST_REMOVE: case I_LIST_CLEAR: case I_DICT_CLEAR: case I_SET_CLEAR:
        touch_contents(vm, given[0], 1);
        break;
    case I_DICT_SET: case I_DICT_REMOVE: case I_SET_ADD: case I_SET_REMOVE:
        touch_contents(vm, given[0], 1);
        touch_search(vm, given[0], given[1]);
        break;
    case I_DICT_GET:
        touch_contents(vm, given[0], 0);
        touch_search(vm, given[0], given[1]);
        break;
    case I_LEN: case I_SLICE: case I_TUPLE_OF: case I_SET_ITEM: case I_DICT_KEY: case I_DICT_VALUE: case I_ITERATOR:
        touch_contents(vm, given[0], 0);
        break;
    case I_FIELD:
        as_int(vm, given[1], &at);
        touch_place(vm, given[0], place_of_name[layouts[class_layout[class_of(vm, given[0])] + at]], 0);
        break;
    case I_HAS:
        name = find_name(vm, given[1]);
        if (name >= 0) touch_attribute(vm, given[0], (uint32_t)name);
        break;
    case I_GENERATOR_STATE:
        if (IS_REF(given[0])) touch_place(vm, given[0], P_GENERATORS, 0);
        break;
    case I_RESUME: case I_THROW: touch_place(vm, 0, P_GENERATORS, 1); break;
    case I_OTHERS: touch_place(vm, 0, P_THREADS, 1); break;
    case I_SPAWN:
        touch_place(vm, 0, P_THREADS, 0);
        touch_place(vm, given[0], place_of_name[N__target], 0);
        touch_place(vm, given[0], place_of_name[N__kwargs], 0);
        touch_place(vm, given[0], place_of_name[N__args], 0);
        touch_place(vm, given[0], place_of_name[N__args], 1);
        if (vm->thread_object[vm->thread]) vm->goes_back = 1;
        break;
    }
}
/* Before an instruction is executed; `at` is its place. */
static void touch_instruction(machine *vm, const frame *f, uint32_t at, int op, int32_t argument) {
    uint32_t i, count;
    W w;
    switch (op) {
    case OP_LOAD_GLOBAL: touch_place(vm, 0, place_of_global[argument], 0); break;
    case OP_STORE_GLOBAL: case OP_DELETE_GLOBAL: touch_place(vm, 0, place_of_global[argument], 1); break;
    case OP_LOAD_CELL: case OP_STORE_CELL: touch_place(vm, vm->fs[f->base + (uint32_t)argument], P_CELLS, op == OP_STORE_CELL); break;
    case OP_LOAD_ATTRIBUTE: touch_attribute(vm, *top(vm, 1), (uint32_t)argument); break;
    case OP_CALL_METHOD:
        touch_attribute(vm, *top(vm, 1 + calls[argument].positional + calls[argument].named), (uint32_t)calls[argument].name);
        break;
    case OP_STORE_ATTRIBUTE:
        w = *top(vm, 1);
        if (is_class(w)) {
            int32_t slot = own_slot_of[CLASS_NUMBER(w) * NAMES + (uint32_t)argument];
            if (slot >= 0) touch_place(vm, 0, place_of_global[slot], 1);
        } else if (kind_of(vm, w) == K_INSTANCE) touch_place(vm, w, place_of_name[argument], 1);
        break;
    case OP_SUBSCRIPT: case OP_STORE_SUBSCRIPT: case OP_DELETE_SUBSCRIPT:
        touch_contents(vm, *top(vm, 2), op != OP_SUBSCRIPT);
        touch_search(vm, *top(vm, 2), *top(vm, 1));
        break;
    case OP_COMPARE:
        if (argument == 5) break;
        touch_compared(vm, *top(vm, 2));
        w = *top(vm, 1);
        if (argument != 6) { touch_compared(vm, w); break; }
        touch_contents(vm, w, 0);
        if (is_container(vm, w) || kind_of(vm, w) == K_TUPLE) touch_items(vm, w);
        break;
    case OP_BINARY: case OP_INPLACE:
        touch_contents(vm, *top(vm, 1), 0);
        touch_contents(vm, *top(vm, 2), op == OP_INPLACE);
        break;
    case OP_TRUTH: case OP_UNPACK: case OP_GET_ITERATOR: touch_contents(vm, *top(vm, 1), 0); break;
    case OP_CALL_SPREAD: touch_contents(vm, *top(vm, 1), 0); touch_contents(vm, *top(vm, 2), 0); break;
    case OP_BUILD_SET: case OP_BUILD_DICT:
        count = op == OP_BUILD_SET ? (uint32_t)argument : 2 * (uint32_t)argument;
        for (i = 1; i <= count; i++) touch_compared(vm, *top(vm, i));
        break;
    case OP_SET_ADD: case OP_DICT_PUT: touch_compared(vm, *top(vm, 1)); touch_compared(vm, *top(vm, 2)); break;
    case OP_FOR_ITERATOR: touch_iteration(vm, *top(vm, 1)); break;
    case OP_SEND: touch_iteration(vm, *top(vm, 2)); break;
    case OP_INTRINSIC: touch_intrinsic(vm, argument, vm->fs + f->sp - intrinsic_arguments[argument]); break;
    case OP_JUMP: case OP_JUMP_IF_FALSE: case OP_JUMP_IF_TRUE: {
        int target = op_of[codes[f->code].first + (uint32_t)argument];
        if (codes[f->code].first + (uint32_t)argument <= at && target != OP_FOR_ITERATOR && target != OP_SEND) vm->goes_back = 1;
        break;
    }
    }
}
static void touch_begin(machine *vm, W back) {
    for (; back; back = FRAME_BACK(back)) if (codes[SMALL_VALUE(FIELD(back, 0))].generator) touch_place(vm, FIELD(back, 3), P_GENERATORS, 1);
}
static void touch_end(machine *vm, W thread) {
    touch_place(vm, 0, P_THREADS, 0);
    if (thread) touch_place(vm, thread, place_of_name[N__alive], 1);
}
#endif
