/* --- frames and calls: kripke/heap/calls.py --- */

static INLINE frame *now(machine *vm) { return &vm->frames[vm->count - 1]; }
static INLINE void push(machine *vm, W w) { vm->fs[now(vm)->sp++] = w; }
static INLINE W pop(machine *vm) { return vm->fs[--now(vm)->sp]; }
static INLINE W *top(machine *vm, uint32_t back) { return &vm->fs[now(vm)->sp - back]; }

static INLINE frame *open_frame(machine *vm, uint32_t code) {
    uint32_t base = 0, wanted;
    frame *f;
    if (vm->count) { frame *below = now(vm); base = below->base + codes[below->code].locals + codes[below->code].stack; }
    wanted = base + codes[code].locals + codes[code].stack;
    if (wanted > vm->fs_room) vm->fs = larger(vm, vm->fs, &vm->fs_room, wanted, sizeof(W));
    f = &vm->frames[vm->count++];
    f->code = code; f->pc = 0; f->mode = 0; f->gen = 0; f->back = 0;
    f->base = base;
    f->sp = base + codes[code].locals;
    return f;
}
/* In the image: code, place and mode, the frame below, the generator of a generator's, locals, stack. */
#define FRAME_FIXED(code) (3u + codes[code].generator)
#define FRAME_PC(w) ((uint32_t)SMALL_VALUE(FIELD(w, 1)) >> 3)
#define FRAME_BACK(w) FIELD(w, 2)

/* A frame of the image becomes one that runs. */
static frame *unpack(machine *vm, W w) {
    uint32_t size = FIELDS(w), code = (uint32_t)SMALL_VALUE(FIELD(w, 0));
    frame *f = open_frame(vm, code);
    f->pc = FRAME_PC(w);
    f->mode = (uint32_t)SMALL_VALUE(FIELD(w, 1)) & 7;
    f->back = FIELD(w, 2);
    if (codes[code].generator) f->gen = FIELD(w, 3);
    size -= FRAME_FIXED(code);
    memcpy(vm->fs + f->base, &FIELD(w, FRAME_FIXED(code)), (size_t)size * sizeof(W));
    f->sp = f->base + size;
    return f;
}
static W pack(machine *vm, frame *f, W back) {
    uint32_t fixed = FRAME_FIXED(f->code);
    W w = new_object(vm, K_FRAME, fixed + f->sp - f->base);
    FIELD(w, 0) = SMALL(f->code);
    FIELD(w, 1) = SMALL(f->pc << 3 | f->mode);
    FIELD(w, 2) = back;
    if (fixed == 4) FIELD(w, 3) = f->gen;
    memcpy(&FIELD(w, fixed), vm->fs + f->base, (size_t)(f->sp - f->base) * sizeof(W));
    return w;
}
/* The frame is done: the one that called it is next, if there is one. */
static int leave(machine *vm) {
    frame *f = now(vm);
    W back = f->back;
    vm->count--;
    vm->depth--;
    if (!vm->count && back) unpack(vm, back);
    return vm->count > 0;
}
static void entered(machine *vm, uint32_t mode) {
    if (vm->depth >= DEEPEST_CALLS) { vm->count--; raise_(vm, KNOWN_RecursionError, "maximum recursion depth exceeded"); }
    now(vm)->mode = mode;
    vm->depth++;
}

static W constant(machine *vm, uint32_t number) {
    if (const_kind[number] == C_INT) return make_int(vm, const_value[number]);
    if (const_kind[number] == C_EMPTY) return new_object(vm, K_TUPLE, 0);
    return number << 2 | 2u;
}
static W fresh(machine *vm, W w) { return const_kind_of(w) == C_EMPTY ? new_object(vm, K_TUPLE, 0) : w; }

static void bad_call(machine *vm, uint32_t code, const char *what) {
    text_start(vm);
    text_of(vm, codes[code].name);
    text_ascii(vm, what);
    raise_text(vm, KNOWN_TypeError);
}

typedef struct function_parts { uint32_t code; W defaults, behind, closure; uint32_t constant; } function_parts;

/* The default of a parameter, as the word of a constant or a value; 0: none. */
static W default_of(machine *vm, const function_parts *f, uint32_t at) {
    const code *c = &codes[f->code];
    uint32_t count;
    if (f->closure) {
        if (at >= c->positional) {
            W value = FIELDS(f->behind) ? FIELD(f->behind, at - c->positional) : 0;
            return const_kind_of(value) == C_NO_DEFAULT ? 0 : value;
        }
        count = FIELDS(f->defaults);
        return at + count >= c->positional ? FIELD(f->defaults, at + count - c->positional) : 0;
    } else {
        const function_constant *k = &functions[f->constant];
        int32_t which = -1;
        if (at >= c->positional) { if (k->behind_count) which = default_constants[k->first + k->count + at - c->positional]; }
        else if (at + k->count >= c->positional) which = default_constants[k->first + at + k->count - c->positional];
        if (which < 0 || const_kind[which] == C_NO_DEFAULT) return 0;
        return constant(vm, (uint32_t)which);
    }
}

/* Arguments are in vm->args, named ones in vm->named_...: a new frame with them. Values are put together in front of the
 * stack of the caller, which may not see them before all is well. */
static void enter(machine *vm, const function_parts *f, uint32_t count, uint32_t named, uint32_t mode) {
    const code *c = &codes[f->code];
    uint32_t parameters = c->parameters, given = count < c->positional ? count : c->positional, at, i, others = 0;
    static const W unbound = 0;
    W *values;
    frame *made;
    (void)unbound;
    if (count > given && !c->spread) {
        text_start(vm);
        text_of(vm, c->name);
        text_ascii(vm, "() takes ");
        text_number(vm, c->positional);
        text_ascii(vm, " positional arguments");
        raise_text(vm, KNOWN_TypeError);
    }
    made = open_frame(vm, f->code);
    values = vm->fs + made->base;
    memset(values, 0, (size_t)c->locals * sizeof(W));
    memcpy(values, vm->args, (size_t)given * sizeof(W));
    for (i = 0; i < named; i++) {
        for (at = 0; at < parameters && parameter_names[c->first_parameter + at] != vm->named_name[i]; at++) {}
        if (at < parameters) {
            if (values[at]) { vm->count--; bad_call(vm, f->code, "() got multiple values for an argument"); }
            values[at] = vm->named_value[i];
        } else if (c->keywords) {
            vm->named_name[others] = vm->named_name[i];
            vm->named_value[others++] = vm->named_value[i];
        } else { vm->count--; bad_call(vm, f->code, "() got an unexpected keyword argument"); }
    }
    for (at = 0; at < parameters; at++)
        if (!values[at]) {
            W value;
            vm->count--; /* what is made belongs to the caller's place */
            value = default_of(vm, f, at);
            if (!value) bad_call(vm, f->code, "() missing a required argument");
            vm->count++;
            values[at] = fresh(vm, value);
        }
    if (c->spread) {
        W rest = new_object(vm, K_TUPLE, count - given);
        for (i = given; i < count; i++) FIELD(rest, i - given) = vm->args[i];
        values[parameters] = rest;
    }
    if (c->keywords) {
        W rest = new_container(vm, K_DICT);
        for (i = 0; i < others; i++) {
            append(vm, rest, name_strings[vm->named_name[i]]);
            append(vm, rest, vm->named_value[i]);
        }
        values[parameters + c->spread] = rest;
    }
    if (f->closure)
        for (i = 0; i < c->free; i++) values[c->locals - c->free + i] = FIELD(f->closure, 3 + i);
    made->back = 0;
    if (c->generator) {
        W generator = new_object(vm, K_GENERATOR, 3), packed;
        made->gen = generator;
        packed = pack(vm, made, 0);
        FIELD(generator, 0) = SMALL(0);
        FIELD(generator, 1) = packed;
        FIELD(generator, 2) = SMALL(f->code);
        vm->count--;
        if (mode == MODE_TRUTH) raise_(vm, KNOWN_TypeError, "__bool__ should return bool");
        if (mode != MODE_DROP) push(vm, generator);
        return;
    }
    entered(vm, mode);
}

static void call(machine *vm, W function, uint32_t count, uint32_t named, uint32_t mode);

static void shift_arguments(machine *vm, uint32_t *count, W first) {
    if (*count + 1 > MOST_ARGUMENTS) find_(vm, V_UNSUPPORTED);
    memmove(vm->args + 1, vm->args, (size_t)*count * sizeof(W));
    vm->args[0] = first;
    (*count)++;
}
static void construct(machine *vm, uint32_t number, uint32_t count, uint32_t named) {
    int32_t found = member_of[number * NAMES + N___make__];
    W made;
    if (found >= 0) { call(vm, members[found].value, count, named, MODE_PUSH); return; }
    made = new_instance(vm, number);
    push(vm, made);
    found = member_of[number * NAMES + N___init__];
    if (found >= 0) {
        shift_arguments(vm, &count, made);
        call(vm, members[found].value, count, named, MODE_DROP);
    } else if (count || named) {
        text_start(vm);
        text_of(vm, class_name[number]);
        text_ascii(vm, "() takes no arguments");
        raise_text(vm, KNOWN_TypeError);
    }
}
static void call(machine *vm, W function, uint32_t count, uint32_t named, uint32_t mode) {
    function_parts parts;
    W own;
    if (kind_of(vm, function) == K_BOUND) {
        shift_arguments(vm, &count, FIELD(function, 1));
        function = FIELD(function, 0);
    }
    memset(&parts, 0, sizeof parts);
    if (const_kind_of(function) == C_FUNCTION) {
        parts.constant = (uint32_t)const_value[function >> 2];
        parts.code = functions[parts.constant].code;
        enter(vm, &parts, count, named, mode);
    } else if (kind_of(vm, function) == K_FUNCTION) {
        parts.code = (uint32_t)SMALL_VALUE(FIELD(function, 0));
        parts.defaults = FIELD(function, 1);
        parts.behind = FIELD(function, 2);
        parts.closure = function;
        enter(vm, &parts, count, named, mode);
    } else if (is_class(function)) {
        construct(vm, CLASS_NUMBER(function), count, named);
    } else {
        own = member_function(vm, function, N___call__);
        if (!own) {
            text_start(vm);
            text_ascii(vm, "'");
            text_of(vm, class_name[class_of(vm, function)]);
            text_ascii(vm, "' object is not callable");
            raise_text(vm, KNOWN_TypeError);
        }
        shift_arguments(vm, &count, function);
        call(vm, own, count, named, mode);
    }
}
static void call1(machine *vm, W function, W a, uint32_t mode) { vm->args[0] = a; call(vm, function, 1, 0, mode); }
static void call2(machine *vm, W function, W a, W b, uint32_t mode) { vm->args[0] = a; vm->args[1] = b; call(vm, function, 2, 0, mode); }

/* --- exceptions --- */

/* Unwind to the handler; 0: the thread is over. */
static int throw_(machine *vm, W error) {
    while (vm->count) {
        frame *f = now(vm);
        const code *c = &codes[f->code];
        uint32_t h;
        for (h = c->first_handler; h < c->first_handler + c->handlers; h++)
            if (handlers[h].start <= f->pc - 1 && f->pc - 1 < handlers[h].end) {
                f->sp = f->base + c->locals + handlers[h].depth;
                vm->fs[f->sp++] = error;
                f->pc = handlers[h].target;
                return 1;
            }
        if (f->gen) {
            FIELD(f->gen, 0) = SMALL(3);
            FIELD(f->gen, 1) = 0;
            if (derives(class_of(vm, error), KNOWN_StopIteration)) {
                text_start(vm);
                text_ascii(vm, c->coroutine ? "coroutine raised StopIteration" : "generator raised StopIteration");
                error = make_error(vm, KNOWN_RuntimeError, text_made(vm), 1);
            }
        }
        leave(vm);
    }
    if (!derives(class_of(vm, error), KNOWN_SystemExit) && vm->violations < 4) {
        uint32_t number = class_of(vm, error);
        vm->violation_code[vm->violations] = derives(number, KNOWN_AssertionError) ? (uint32_t)V_ASSERTION : V_FIRST_CLASS + number;
        vm->violation_label[vm->violations++] = vm->label;
    }
    return 0;
}

/* --- generators --- */

static void finish_generator(machine *vm, uint32_t mode, W value) {
    frame *f = now(vm);
    if (mode == MODE_PUSH) {
        vm->error = make_error(vm, KNOWN_StopIteration, value, value != NONE);
        longjmp(vm->jump, RAISED);
    }
    f->sp--;
    if (mode == MODE_SEND) vm->fs[f->sp++] = value;
    f->pc = (uint32_t)arg_of[codes[f->code].first + f->pc - 1];
}
static void resume(machine *vm, W generator, W value, uint32_t mode) {
    int32_t state = SMALL_VALUE(FIELD(generator, 0));
    W packed;
    if (state == 2) raise_(vm, KNOWN_ValueError, "generator already executing");
    if (state == 3) {
        if (class_of(vm, generator) == KNOWN_coroutine) raise_(vm, KNOWN_RuntimeError, "cannot reuse already awaited coroutine");
        finish_generator(vm, mode, NONE);
        return;
    }
    if (state == 0 && value != NONE) raise_(vm, KNOWN_TypeError, "can't send non-None value to a just-started generator");
    packed = FIELD(generator, 1);
    FIELD(generator, 0) = SMALL(2);
    FIELD(generator, 1) = 0;
    unpack(vm, packed);
    now(vm)->back = 0;
    if (state == 1) push(vm, value);
    entered(vm, mode);
}
static void throw_into(machine *vm, W generator, W error, uint32_t mode) {
    int32_t state = SMALL_VALUE(FIELD(generator, 0));
    W packed;
    frame *f;
    if (state == 2) raise_(vm, KNOWN_ValueError, "generator already executing");
    if (state == 0 || state == 3) {
        FIELD(generator, 0) = SMALL(3);
        FIELD(generator, 1) = 0;
        throw_(vm, error);
        return;
    }
    packed = FIELD(generator, 1);
    FIELD(generator, 0) = SMALL(2);
    FIELD(generator, 1) = 0;
    f = unpack(vm, packed);
    f->back = 0;
    entered(vm, mode);
    if (f->pc >= 2 && op_of[codes[f->code].first + f->pc - 2] == OP_SEND) {
        W inner = vm->fs[f->sp - 1];
        if (kind_of(vm, inner) == K_GENERATOR && FIELD(inner, 0) == SMALL(1)) {
            f->pc--;
            throw_into(vm, inner, error, MODE_SEND);
            return;
        }
    }
    throw_(vm, error);
}

/* --- iteration --- */

static void iterate(machine *vm, W value) {
    int kind = kind_of(vm, value);
    W made;
    if (kind == K_GENERATOR || kind == K_ITERATOR) {
        if (kind == K_GENERATOR && class_of(vm, value) == KNOWN_coroutine) raise_(vm, KNOWN_TypeError, "'coroutine' object is not iterable");
        push(vm, value);
    } else if (kind == K_INSTANCE && member_function(vm, value, N___iter__)) {
        call1(vm, member_function(vm, value, N___iter__), value, MODE_PUSH);
    } else if (is_string(vm, value) || kind == K_TUPLE || kind == K_LIST || kind == K_RANGE || kind == K_DICT || kind == K_SET) {
        made = new_object(vm, K_ITERATOR, 3);
        FIELD(made, 0) = value;
        FIELD(made, 1) = SMALL(0);
        FIELD(made, 2) = SMALL(kind == K_DICT || kind == K_SET ? LENGTH(value) : 0);
        push(vm, made);
    } else {
        text_start(vm);
        text_ascii(vm, "'");
        text_of(vm, class_name[class_of(vm, value)]);
        text_ascii(vm, "' object is not iterable");
        raise_text(vm, KNOWN_TypeError);
    }
}
static int next_item(machine *vm, W iterator) {
    W container = FIELD(iterator, 0), value = 0;
    uint32_t at = (uint32_t)SMALL_VALUE(FIELD(iterator, 1)), n;
    int kind = kind_of(vm, container);
    if (container == NONE) return 0;
    if ((kind == K_DICT || kind == K_SET) && LENGTH(container) != (uint32_t)SMALL_VALUE(FIELD(iterator, 2)))
        raise_(vm, KNOWN_RuntimeError, kind == K_DICT ? "dictionary changed size during iteration" : "Set changed size during iteration");
    if (kind == K_RANGE) { if (at < range_length(vm, container)) value = range_item(vm, container, at); }
    else if (kind == K_DICT) { if (2 * at < LENGTH(container)) value = ITEM(container, 2 * at); }
    else if (is_string(vm, container)) { letters(vm, container, &n); if (at < n) value = string_item(vm, container, at); }
    else if (kind == K_TUPLE) { if (at < FIELDS(container)) value = FIELD(container, at); }
    else if (at < LENGTH(container)) value = ITEM(container, at);
    if (!value) { FIELD(iterator, 0) = NONE; FIELD(iterator, 1) = SMALL(0); FIELD(iterator, 2) = SMALL(0); return 0; }
    FIELD(iterator, 1) = SMALL(at + 1);
    push(vm, value);
    return 1;
}
