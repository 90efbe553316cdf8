/* --- the instructions: kripke/heap/machine.py --- */

static void no_attribute(machine *vm, W value, uint32_t name) {
    text_start(vm);
    text_ascii(vm, is_class(value) ? "type object '" : "'");
    text_of(vm, class_name[is_class(value) ? CLASS_NUMBER(value) : class_of(vm, value)]);
    text_ascii(vm, is_class(value) ? "' has no attribute '" : "' object has no attribute '");
    text_of(vm, name_texts[name]);
    text_ascii(vm, "'");
    raise_text(vm, KNOWN_AttributeError);
}
static void unassigned(machine *vm, uint32_t code, int32_t local, uint32_t kind) {
    text_start(vm);
    text_ascii(vm, "cannot access local variable '");
    text_of(vm, local_names[codes[code].first_local_name + (uint32_t)local]);
    text_ascii(vm, "' where it is not associated with a value");
    raise_text(vm, kind);
}
static void undefined(machine *vm, int32_t global) {
    text_start(vm);
    text_ascii(vm, "name '");
    text_of(vm, global_texts[global]);
    text_ascii(vm, "' is not defined");
    raise_text(vm, KNOWN_NameError);
}
/* The value; or a method that wants a receiver, and its kind; 0: there is none. */
static W attribute(machine *vm, W value, uint32_t name, int *kind) {
    int32_t found;
    uint32_t number;
    *kind = 0;
    if (is_class(value)) {
        found = member_of[CLASS_NUMBER(value) * NAMES + name];
        if (found < 0) return 0;
        if (members[found].kind == M_CLASS) *kind = M_CLASS;
        return members[found].kind == M_SLOT ? vm->m[1 + members[found].value] : members[found].value;
    }
    number = class_of(vm, value);
    if (kind_of(vm, value) == K_INSTANCE) {
        int32_t slot = slot_of[number * NAMES + name];
        if (slot >= 0 && FIELD(value, 1 + slot)) return FIELD(value, 1 + slot);
    }
    found = member_of[number * NAMES + name];
    if (found < 0) return 0;
    if (members[found].kind == M_METHOD || members[found].kind == M_CLASS || members[found].kind == M_PROPERTY) *kind = members[found].kind;
    if (members[found].kind == M_SLOT) return vm->m[1 + members[found].value];
    if (members[found].kind == M_CONSTANT) return fresh(vm, members[found].value);
    return members[found].value;
}
static void load_attribute(machine *vm, uint32_t name) {
    W value = pop(vm), found, made;
    int kind;
    found = attribute(vm, value, name, &kind);
    if (!found) {
        if (name == N___name__ && is_class(value)) { text_start(vm); text_of(vm, class_name[CLASS_NUMBER(value)]); push(vm, text_made(vm)); return; }
        no_attribute(vm, value, name);
    }
    if (kind == M_PROPERTY) { call1(vm, found, value, MODE_PUSH); return; }
    if (kind) {
        if (kind == M_CLASS && !is_class(value)) value = class_word(class_of(vm, value));
        made = new_object(vm, K_BOUND, 2);
        FIELD(made, 0) = found;
        FIELD(made, 1) = value;
        found = made;
    }
    push(vm, found);
}
static void store_attribute(machine *vm, uint32_t name) {
    W target = pop(vm), value = pop(vm);
    uint32_t number;
    int32_t slot;
    if (is_class(target)) {
        slot = own_slot_of[CLASS_NUMBER(target) * NAMES + name];
        if (slot < 0) find_(vm, V_UNSUPPORTED);
        vm->m[1 + slot] = value;
        share(vm, value);
        return;
    }
    if (kind_of(vm, target) != K_INSTANCE) no_attribute(vm, target, name);
    number = class_of(vm, target);
    slot = slot_of[number * NAMES + name];
    if (slot < 0) find_(vm, V_UNSUPPORTED);
    if (class_frozen[number] && now(vm)->code != class_frozen_init[number]) {
        text_start(vm);
        text_ascii(vm, "cannot assign to field '");
        text_of(vm, name_texts[name]);
        text_ascii(vm, "'");
        raise_text(vm, KNOWN_AttributeError);
    }
    if (member_of[number * NAMES + name] >= 0 && members[member_of[number * NAMES + name]].kind == M_PROPERTY)
        raise_(vm, KNOWN_AttributeError, "property has no setter");
    FIELD(target, 1 + slot) = value;
    if (is_shared(vm, target)) share(vm, value);
}
static uint32_t take_arguments(machine *vm, const call_shape *c) {
    frame *f = now(vm);
    uint32_t i;
    f->sp -= c->named;
    for (i = 0; i < c->named; i++) { vm->named_name[i] = call_names[c->first + i]; vm->named_value[i] = vm->fs[f->sp + i]; }
    f->sp -= c->positional;
    memcpy(vm->args, vm->fs + f->sp, (size_t)c->positional * sizeof(W));
    return c->positional;
}
static void call_method(machine *vm, const call_shape *c) {
    uint32_t count = take_arguments(vm, c);
    W receiver = pop(vm), found;
    int kind;
    found = attribute(vm, receiver, (uint32_t)c->name, &kind);
    if (!found) no_attribute(vm, receiver, (uint32_t)c->name);
    if (kind == M_PROPERTY) find_(vm, V_UNSUPPORTED);
    if (kind) {
        if (kind == M_CLASS && !is_class(receiver)) receiver = class_word(class_of(vm, receiver));
        shift_arguments(vm, &count, receiver);
    }
    call(vm, found, count, c->named, MODE_PUSH);
}
static void call_spread(machine *vm) {
    W named = pop(vm), list = pop(vm), function = pop(vm);
    uint32_t i, n = LENGTH(named), count = LENGTH(list);
    if (n / 2 > MOST_ARGUMENTS || count + 2 > MOST_ARGUMENTS) find_(vm, V_UNSUPPORTED);
    for (i = 0; i < n; i += 2) {
        int32_t name = find_name(vm, ITEM(named, i));
        if (name < 0) find_(vm, V_UNSUPPORTED);
        vm->named_name[i / 2] = (uint32_t)name;
        vm->named_value[i / 2] = ITEM(named, i + 1);
    }
    for (i = 0; i < count; i++) vm->args[i] = ITEM(list, i);
    call(vm, function, count, n / 2, MODE_PUSH);
}
static void binary_instruction(machine *vm, int32_t argument) {
    W right = pop(vm), left = pop(vm), own = own_operator(vm, left, N_BINARY + (uint32_t)argument);
    if (own) { call2(vm, own, left, right, MODE_PUSH); return; }
    own = own_operator(vm, right, N_REFLECTED + (uint32_t)argument);
    if (own) { call2(vm, own, right, left, MODE_PUSH); return; }
    push(vm, binary(vm, argument, left, right));
}
static void inplace_instruction(machine *vm, int32_t argument) {
    W right = *top(vm, 1), left = *top(vm, 2), own = own_operator(vm, left, N_INPLACE + (uint32_t)argument);
    int kind = kind_of(vm, left), other = kind_of(vm, right);
    uint32_t i, n;
    if (own) { now(vm)->sp -= 2; call2(vm, own, left, right, MODE_PUSH); return; }
    if (kind == K_LIST && argument == 0 && (other == K_LIST || other == K_TUPLE)) {
        now(vm)->sp--;
        n = other == K_LIST ? LENGTH(right) : FIELDS(right);
        for (i = 0; i < n; i++) {
            W w = other == K_LIST ? ITEM(right, i) : FIELD(right, i);
            append(vm, left, w);
            if (is_shared(vm, left)) share(vm, w);
        }
        return;
    }
    if (kind == K_LIST || kind == K_SET || kind == K_DICT) find_(vm, V_UNSUPPORTED);
    binary_instruction(vm, argument);
}
/* Does Python run code to compare it? */
static int in_steps(uint32_t number) { return class_compared[number] > 0 && !class_frozen[number]; }
static int runs_code(machine *vm, W w) {
    return kind_of(vm, w) == K_INSTANCE && (in_steps(class_of(vm, w)) || member_function(vm, w, N___eq__));
}
static int any_runs_code(machine *vm, W container, W item) {
    uint32_t i, n = kind_of(vm, container) == K_TUPLE ? FIELDS(container) : LENGTH(container);
    if (runs_code(vm, item)) return 1;
    for (i = 0; i < n; i++) if (runs_code(vm, kind_of(vm, container) == K_TUPLE ? FIELD(container, i) : ITEM(container, i))) return 1;
    return 0;
}
static void compare_instruction(machine *vm, int32_t argument) {
    static const uint8_t own_names[] = {N___lt__, N___le__, N___gt__, N___ge__, N___eq__};
    static const uint8_t turned[] = {N___gt__, N___ge__, N___lt__, N___le__, N___eq__};
    W right = pop(vm), left = pop(vm), own;
    if (argument < 5) {
        own = own_operator(vm, left, own_names[argument]);
        if (own) { call2(vm, own, left, right, MODE_PUSH); return; }
        own = own_operator(vm, right, turned[argument]);
        if (own) { call2(vm, own, right, left, MODE_PUSH); return; }
    } else if (argument == 6) {
        own = own_operator(vm, right, N___contains__);
        if (own) { call2(vm, own, right, left, MODE_TRUTH); return; }
        if ((kind_of(vm, right) == K_TUPLE || kind_of(vm, right) == K_LIST) && any_runs_code(vm, right, left)) {
            call2(vm, COMPARING_ITEMS, right, left, MODE_PUSH);
            return;
        }
    }
    if (argument == 4 && kind_of(vm, left) == K_INSTANCE && kind_of(vm, right) == K_INSTANCE && (is_shared(vm, left) || is_shared(vm, right)) &&
        class_of(vm, left) == class_of(vm, right) && in_steps(class_of(vm, left))) {
        vm->args[0] = left; vm->args[1] = right; vm->args[2] = SMALL(class_compared[class_of(vm, left)]);
        call(vm, COMPARING_FIELDS, 3, 0, MODE_PUSH);
        return;
    }
    push(vm, BOOL(compare(vm, argument, left, right)));
}
static void unpack_values(machine *vm, int32_t argument) {
    W value = pop(vm);
    int kind = kind_of(vm, value), text = is_string(vm, value);
    int64_t n, i;
    if (!text && kind != K_TUPLE && kind != K_LIST) {
        if (kind >= 0 && kind != K_INTEGER) find_(vm, V_UNSUPPORTED);
        text_start(vm);
        text_ascii(vm, "cannot unpack non-iterable ");
        text_of(vm, class_name[class_of(vm, value)]);
        text_ascii(vm, " object");
        raise_text(vm, KNOWN_TypeError);
    }
    n = length_of(vm, value);
    if (n != argument) {
        text_start(vm);
        text_ascii(vm, n < argument ? "not enough values to unpack (expected " : "too many values to unpack (expected ");
        text_number(vm, argument);
        if (n < argument) { text_ascii(vm, ", got "); text_number(vm, n); }
        text_ascii(vm, ")");
        raise_text(vm, KNOWN_ValueError);
    }
    for (i = n - 1; i >= 0; i--) push(vm, text ? string_item(vm, value, (uint32_t)i) : kind == K_TUPLE ? FIELD(value, i) : ITEM(value, i));
}
static void yield_(machine *vm) {
    W value = pop(vm), generator = now(vm)->gen, packed;
    frame *f = now(vm);
    f->mode = 0;
    packed = pack(vm, f, 0);
    FIELD(generator, 0) = SMALL(1);
    FIELD(generator, 1) = packed;
    if (is_shared(vm, generator)) share(vm, packed);
    leave(vm);
    push(vm, value);
}
static void return_(machine *vm) {
    W value = pop(vm), generator = now(vm)->gen;
    uint32_t mode = now(vm)->mode;
    int64_t n;
    int more = leave(vm);
    if (generator) {
        FIELD(generator, 0) = SMALL(3);
        FIELD(generator, 1) = 0;
        if (more) finish_generator(vm, mode, value);
    } else if (more) {
        if (mode == MODE_TRUTH) {
            if (!as_int(vm, value, &n)) raise_(vm, KNOWN_TypeError, "__bool__ should return bool");
            push(vm, BOOL(n != 0));
        } else if (mode != MODE_DROP) push(vm, value);
    }
}
static void truth(machine *vm) {
    W value = *top(vm, 1), own;
    if (is_bool(value)) return;
    now(vm)->sp--;
    if (kind_of(vm, value) == K_INSTANCE) {
        own = member_function(vm, value, N___bool__);
        if (!own) own = member_function(vm, value, N___len__);
        if (own) { call1(vm, own, value, MODE_TRUTH); return; }
    }
    push(vm, BOOL(is_true(vm, value)));
}
static W build(machine *vm, int kind, uint32_t count) {
    W made;
    uint32_t i, first;
    now(vm)->sp -= count;
    first = now(vm)->sp;
    if (kind == K_TUPLE) {
        made = new_object(vm, K_TUPLE, count);
        memcpy(&FIELD(made, 0), vm->fs + first, (size_t)count * sizeof(W));
        return made;
    }
    made = new_container(vm, kind);
    if (kind == K_LIST) for (i = 0; i < count; i++) append(vm, made, vm->fs[first + i]);
    else if (kind == K_SET) for (i = 0; i < count; i++) add(vm, made, vm->fs[first + i]);
    else for (i = 0; i < count; i += 2) put(vm, made, vm->fs[first + i], vm->fs[first + i + 1]);
    return made;
}

/* 1: the step ends here. */
static int execute(machine *vm, int op, int32_t argument) {
    frame *f = now(vm);
    W a, b, c, made;
    uint32_t i;
    int64_t n;
    switch (op) {
    case OP_CONST: a = const_word[argument]; push(vm, a ? a : constant(vm, (uint32_t)argument)); return 0;
    case OP_LOAD_LOCAL:
        a = vm->fs[f->base + (uint32_t)argument];
        if (!a) unassigned(vm, f->code, argument, KNOWN_UnboundLocalError);
        push(vm, a);
        return 0;
    case OP_STORE_LOCAL: vm->fs[f->base + (uint32_t)argument] = pop(vm); return 0;
    case OP_CLEAR_LOCAL: vm->fs[f->base + (uint32_t)argument] = 0; return 0;
    case OP_DELETE_LOCAL:
        if (!vm->fs[f->base + (uint32_t)argument]) unassigned(vm, f->code, argument, KNOWN_UnboundLocalError);
        vm->fs[f->base + (uint32_t)argument] = 0;
        return 0;
    case OP_LOAD_CELL:
        a = FIELD(vm->fs[f->base + (uint32_t)argument], 0);
        if (!a) unassigned(vm, f->code, argument, KNOWN_NameError);
        push(vm, a);
        return 0;
    case OP_STORE_CELL:
        b = vm->fs[f->base + (uint32_t)argument];
        a = FIELD(b, 0) = pop(vm);
        if (is_shared(vm, b)) share(vm, a);
        return 0;
    case OP_MAKE_CELL:
        made = new_object(vm, K_CELL, 1);
        FIELD(made, 0) = vm->fs[f->base + (uint32_t)argument];
        vm->fs[f->base + (uint32_t)argument] = made;
        return 0;
    case OP_LOAD_GLOBAL:
        a = vm->m[1 + argument];
        if (!a) undefined(vm, argument);
        push(vm, a);
        return 0;
    case OP_STORE_GLOBAL: a = vm->m[1 + argument] = pop(vm); share(vm, a); return 0;
    case OP_DELETE_GLOBAL:
        if (!vm->m[1 + argument]) undefined(vm, argument);
        vm->m[1 + argument] = 0;
        return 0;
    case OP_MAKE_FUNCTION: {
        uint32_t free_ = codes[argument].free;
        made = new_object(vm, K_FUNCTION, 3 + free_);
        f->sp -= free_;
        for (i = 0; i < free_; i++) FIELD(made, 3 + i) = vm->fs[f->sp + i];
        FIELD(made, 2) = pop(vm);
        FIELD(made, 1) = pop(vm);
        FIELD(made, 0) = SMALL(argument);
        push(vm, made);
        return 0;
    }
    case OP_POP: f->sp--; return 0;
    case OP_DUP: a = *top(vm, 1); push(vm, a); return 0;
    case OP_DUP2: a = *top(vm, 2); b = *top(vm, 1); push(vm, a); push(vm, b); return 0;
    case OP_SWAP: a = *top(vm, 1); *top(vm, 1) = *top(vm, 2); *top(vm, 2) = a; return 0;
    case OP_ROTATE:
        a = *top(vm, 1);
        for (i = 1; i < (uint32_t)argument; i++) *top(vm, i) = *top(vm, i + 1);
        *top(vm, (uint32_t)argument) = a;
        return 0;
    case OP_BINARY: binary_instruction(vm, argument); return 0;
    case OP_INPLACE: inplace_instruction(vm, argument); return 0;
    case OP_UNARY:
        a = pop(vm);
        b = argument == 0 ? own_operator(vm, a, N___neg__) : 0;
        if (b) call1(vm, b, a, MODE_PUSH); else push(vm, unary(vm, argument, a));
        return 0;
    case OP_COMPARE: compare_instruction(vm, argument); return 0;
    case OP_NOT: a = pop(vm); push(vm, BOOL(a == FALSE_)); return 0;
    case OP_TRUTH: truth(vm); return 0;
    case OP_JUMP: f->pc = (uint32_t)argument; return 0;
    case OP_JUMP_IF_FALSE: if (pop(vm) == FALSE_) f->pc = (uint32_t)argument; return 0;
    case OP_JUMP_IF_TRUE: if (pop(vm) == TRUE_) f->pc = (uint32_t)argument; return 0;
    case OP_BUILD_TUPLE: push(vm, build(vm, K_TUPLE, (uint32_t)argument)); return 0;
    case OP_BUILD_LIST: push(vm, build(vm, K_LIST, (uint32_t)argument)); return 0;
    case OP_BUILD_DICT: push(vm, build(vm, K_DICT, 2 * (uint32_t)argument)); return 0;
    case OP_BUILD_SET: push(vm, build(vm, K_SET, (uint32_t)argument)); return 0;
    case OP_LIST_APPEND: a = pop(vm); append(vm, *top(vm, (uint32_t)argument), a); return 0;
    case OP_SET_ADD: a = pop(vm); add(vm, *top(vm, (uint32_t)argument), a); return 0;
    case OP_DICT_PUT: b = pop(vm); a = pop(vm); put(vm, *top(vm, (uint32_t)argument), a, b); return 0;
    case OP_UNPACK: unpack_values(vm, argument); return 0;
    case OP_LOAD_ATTRIBUTE: load_attribute(vm, (uint32_t)argument); return 0;
    case OP_STORE_ATTRIBUTE: store_attribute(vm, (uint32_t)argument); return 0;
    case OP_CALL: i = take_arguments(vm, &calls[argument]); call(vm, pop(vm), i, calls[argument].named, MODE_PUSH); return 0;
    case OP_CALL_METHOD: call_method(vm, &calls[argument]); return 0;
    case OP_CALL_SPREAD: call_spread(vm); return 0;
    case OP_RETURN: return_(vm); return 0;
    case OP_SUBSCRIPT:
        b = pop(vm); a = pop(vm);
        c = own_operator(vm, a, N___getitem__);
        if (c) call2(vm, c, a, b, MODE_PUSH); else push(vm, item(vm, a, b));
        return 0;
    case OP_STORE_SUBSCRIPT:
        b = pop(vm); a = pop(vm); c = pop(vm);
        made = own_operator(vm, a, N___setitem__);
        if (made) { vm->args[0] = a; vm->args[1] = b; vm->args[2] = c; call(vm, made, 3, 0, MODE_DROP); return 0; }
        set_item(vm, a, b, c);
        if (is_shared(vm, a)) { share(vm, b); share(vm, c); }
        return 0;
    case OP_DELETE_SUBSCRIPT:
        b = pop(vm); a = pop(vm);
        c = own_operator(vm, a, N___delitem__);
        if (c) call2(vm, c, a, b, MODE_DROP); else delete_item(vm, a, b);
        return 0;
    case OP_GET_ITERATOR: a = pop(vm); iterate(vm, a); return 0;
    case OP_FOR_ITERATOR:
        a = *top(vm, 1);
        if (kind_of(vm, a) == K_GENERATOR) resume(vm, a, NONE, MODE_FOR);
        else if (kind_of(vm, a) != K_ITERATOR) raise_(vm, KNOWN_TypeError, "iter() returned non-iterator");
        else if (!next_item(vm, a)) { f->sp--; f->pc = (uint32_t)argument; }
        return 0;
    case OP_RAISE:
        a = pop(vm);
        if (is_class(a)) find_(vm, V_UNSUPPORTED);
        if (kind_of(vm, a) != K_INSTANCE || !derives(class_of(vm, a), KNOWN_BaseException))
            raise_(vm, KNOWN_TypeError, "exceptions must derive from BaseException");
        throw_(vm, a);
        return 0;
    case OP_MATCHES: b = pop(vm); a = pop(vm); push(vm, BOOL(is_subclass(vm, class_word(class_of(vm, a)), b))); return 0;
    case OP_YIELD: yield_(vm); return 0;
    case OP_SEND:
        b = pop(vm);
        a = *top(vm, 1);
        if (kind_of(vm, a) == K_GENERATOR) resume(vm, a, b, MODE_SEND);
        else if (kind_of(vm, a) == K_ITERATOR) { if (!next_item(vm, a)) { *top(vm, 1) = NONE; f->pc = (uint32_t)argument; } }
        else raise_(vm, KNOWN_TypeError, "object is not an iterator");
        return 0;
    case OP_INTRINSIC: {
        W given[3];
        uint32_t count = intrinsic_arguments[argument];
        f->sp -= count;
        memcpy(given, vm->fs + f->sp, (size_t)count * sizeof(W));
        if (intrinsic(vm, argument, given, &a)) push(vm, a);
        return 0;
    }
    case OP_WAIT: vm->fresh_wait = vm->steps == 1; return 0;
    case OP_BLOCK:
        if (vm->fresh_wait) longjmp(vm->jump, BLOCKED);
        f->pc = (uint32_t)argument;
        return 1;
    case OP_CHOOSE:
        a = pop(vm);
        if (!as_int(vm, a, &n) || n < 1 || n > (1 << 24)) find_(vm, V_UNSUPPORTED);
        vm->choices = (uint32_t)n;
        push(vm, SMALL(vm->choice));
        return 0;
    case OP_POINT: *top(vm, 1) = NONE; return 0;
    }
    find_(vm, V_UNSUPPORTED);
    return 0;
}

static int32_t statement_of(machine *vm) {
    frame *f = now(vm);
    W back = f->back;
    int32_t statement = stmt_of[codes[f->code].first + f->pc];
    while (statement < 0 && back) {
        uint32_t code = (uint32_t)SMALL_VALUE(FIELD(back, 0));
        statement = stmt_of[codes[code].first + FRAME_PC(back) - 1];
        back = FRAME_BACK(back);
    }
    return statement < 0 ? 0 : statement;
}

/* One step of a thread; 0: it cannot be made. *ended: there is no state after it. */
static int step(machine *vm, uint32_t thread, uint32_t choice, int *ended) {
    W back;
    int came;
    vm->thread = thread;
    vm->choice = choice;
    vm->choices = 1;
    vm->count = 0;
    vm->steps = 0;
    vm->fresh_wait = 0;
    vm->violations = 0;
    vm->level = 0;
    vm->depth = 0;
    *ended = 0;
    came = setjmp(vm->jump);
    if (came == BLOCKED) return 0;
    if (came == FOUND) {
        vm->violation_code[vm->violations] = vm->finding;
        vm->violation_label[vm->violations++] = vm->label;
        *ended = 1;
        return 1;
    }
    if (came == RAISED) { vm->level = 0; throw_(vm, vm->error); }
    else {
        for (back = vm->thread_frame[thread]; back; back = FRAME_BACK(back)) vm->depth++;
        unpack(vm, vm->thread_frame[thread]);
        vm->label = statement_of(vm);
        vm->covered[vm->label] = 1;
        count_others(vm);
#if REDUCE
        if (vm->recording) touch_begin(vm, vm->thread_frame[thread]);
#endif
    }
    while (vm->count) {
        frame *f = now(vm);
        const code *c = &codes[f->code];
        uint32_t at = c->first + f->pc;
        int op = op_of[at];
        int32_t argument = arg_of[at], statement = stmt_of[at];
        if (vm->steps && (ends_step(vm, c, op, argument, statement) || (vm->steps > STEP_LENGTH && !c->library))) break;
        if (statement >= 0 && statement != vm->label) { vm->label = statement; vm->covered[statement] = 1; }
        if (vm->steps > LIBRARY_LENGTH) find_(vm, V_UNSUPPORTED);
#if REDUCE
        if (vm->recording) touch_instruction(vm, f, at, op, argument);
#endif
        vm->site = at;
        f->pc++;
        vm->steps++;
        if (execute(vm, op, argument)) break;
    }
    back = 0;
    if (vm->count) {
        uint32_t i;
        back = vm->frames[0].back;
        for (i = 0; i < vm->count; i++) back = pack(vm, &vm->frames[i], back);
    }
    vm->thread_frame[thread] = back;
    if (!back) {
        W object = vm->thread_object[thread];
#if REDUCE
        if (vm->recording) touch_end(vm, object);
#endif
        if (object && slot_of[class_of(vm, object) * NAMES + N__alive] >= 0)
            FIELD(object, 1 + slot_of[class_of(vm, object) * NAMES + N__alive]) = FALSE_;
        vm->thread_object[thread] = 0;
        while (!NUMBERING && vm->threads > 1 && !vm->thread_frame[vm->threads - 1]) vm->threads--;
    }
    return 1;
}
