/* --- the machine's own operations: kripke/heap/intrinsics.py --- */

static void must_be(machine *vm, W w, int kind) { if (kind_of(vm, w) != kind) find_(vm, V_UNSUPPORTED); }
static uint32_t index_below(machine *vm, W w, int64_t count) {
    int64_t at;
    if (!as_int(vm, w, &at) || at < 0 || at >= count) raise_(vm, KNOWN_IndexError, "index out of range");
    return (uint32_t)at;
}
static int is_subclass(machine *vm, W found, W kinds) {
    uint32_t i;
    if (!is_class(found)) raise_(vm, KNOWN_TypeError, "issubclass() arg 1 must be a class");
    if (is_class(kinds)) return derives(CLASS_NUMBER(found), CLASS_NUMBER(kinds));
    if (kind_of(vm, kinds) == K_TUPLE) {
        for (i = 0; i < FIELDS(kinds); i++) if (is_subclass(vm, found, FIELD(kinds, i))) return 1;
        return 0;
    }
    raise_(vm, KNOWN_TypeError, "isinstance() arg 2 must be a type, a tuple of types, or a union");
    return 0;
}
static W class_word(uint32_t number) { return class_constant[number] << 2 | 2u; }
/* The number of an attribute's name; -1: nothing has it. */
static int32_t find_name(machine *vm, W text) {
    uint32_t n, k, i;
    const uint32_t *wanted;
    if (!is_string(vm, text)) return -1;
    if (IS_CONST(text)) { for (i = 0; i < NAMES; i++) if (name_strings[i] == text) return (int32_t)i; return -1; }
    wanted = letters(vm, text, &n);
    for (i = 0; i < NAMES; i++) { const uint32_t *other = letters(vm, name_strings[i], &k); if (compare_letters(wanted, n, other, k) == 0) return (int32_t)i; }
    return -1;
}
static void count_others(machine *vm) {
    uint32_t i;
    vm->others = 0;
    for (i = 0; i < vm->threads; i++) if (i != vm->thread && vm->thread_frame[i]) vm->others++;
}
static W *thread_slot(machine *vm, W thread, uint32_t name) {
    int32_t slot = slot_of[class_of(vm, thread) * NAMES + name];
    if (slot < 0) find_(vm, V_UNSUPPORTED);
    return &FIELD(thread, 1 + slot);
}
/* The first frame of a thread: that of the function itself where it takes these very arguments. */
static W first_frame(machine *vm, W thread) {
    W function = member_function(vm, thread, N_run), closure = 0, packed, target;
    uint32_t count = 1, i, number;
    const code *c;
    vm->args[0] = thread;
    if (codes[functions[const_value[function >> 2]].code].library) {
        W given = *thread_slot(vm, thread, N__args);
        target = *thread_slot(vm, thread, N__target);
        if (*thread_slot(vm, thread, N__kwargs) != NONE || (given != FALSE_ && (kind_of(vm, given) != K_TUPLE || FIELDS(given) + 1 > MOST_ARGUMENTS))) target = NONE;
        count = 0;
        function = target;
        if (kind_of(vm, function) == K_BOUND) { vm->args[count++] = FIELD(function, 1); function = FIELD(function, 0); }
        if (target != NONE && given != FALSE_) for (i = 0; i < FIELDS(given); i++) vm->args[count++] = FIELD(given, i);
    }
    if (const_kind_of(function) == C_FUNCTION) number = functions[const_value[function >> 2]].code;
    else if (kind_of(vm, function) == K_FUNCTION) { number = (uint32_t)SMALL_VALUE(FIELD(function, 0)); closure = function; }
    else number = BOOTSTRAP;
    c = &codes[number];
    if (c->library || c->generator || c->spread || c->keywords || c->parameters != c->positional || c->positional != count) {
        number = BOOTSTRAP;
        c = &codes[number];
        closure = 0;
        count = 1;
        vm->args[0] = thread;
    } else *thread_slot(vm, thread, N__args) = NONE;
    packed = new_object(vm, K_FRAME, 3 + c->locals);
    FIELD(packed, 0) = SMALL(number);
    FIELD(packed, 1) = SMALL(0);
    for (i = 0; i < count; i++) FIELD(packed, 3 + i) = vm->args[i];
    if (closure) for (i = 0; i < c->free; i++) FIELD(packed, 3 + c->locals - c->free + i) = FIELD(closure, 3 + i);
    return packed;
}
static void spawn(machine *vm, W thread) {
    uint32_t at, i;
    W packed = first_frame(vm, thread);
    vm->thread_frame[vm->thread] = 4; /* it runs */
    for (at = NUMBERING ? vm->threads : 0; at < vm->threads && vm->thread_frame[at]; at++) {} /* JPF's numberings give new ones */
    if (at == MOST_THREADS) find_(vm, V_MEMORY);
    if (at == vm->threads) vm->threads++;
    vm->thread_frame[at] = packed;
    vm->thread_object[at] = thread;
    for (i = 0; i < GLOBALS; i++) share(vm, vm->m[1 + i]);
    share(vm, thread);
    count_others(vm);
}
static W slice(machine *vm, W value, W from, W to) {
    int kind = kind_of(vm, value), text = is_string(vm, value);
    int64_t start, stop, count, i;
    uint32_t n;
    if (!text && kind != K_LIST && kind != K_TUPLE) raise_(vm, KNOWN_TypeError, "object is not subscriptable");
    if (!as_int(vm, from, &start) || !as_int(vm, to, &stop)) raise_(vm, KNOWN_TypeError, "slice indices must be integers");
    count = length_of(vm, value);
    start = start < 0 ? 0 : start > count ? count : start;
    stop = stop < 0 ? 0 : stop > count ? count : stop;
    if (stop < start) stop = start;
    if (text) {
        const uint32_t *all = letters(vm, value, &n);
        text_start(vm);
        text_add(vm, all + start, (uint32_t)(stop - start));
        return text_made(vm);
    }
    if (kind == K_TUPLE) {
        W made = new_object(vm, K_TUPLE, (uint32_t)(stop - start));
        for (i = start; i < stop; i++) FIELD(made, i - start) = FIELD(value, i);
        return made;
    } else {
        W made = new_container(vm, K_LIST);
        reserve(vm, made, (uint32_t)(stop - start));
        for (i = start; i < stop; i++) ITEM(made, i - start) = ITEM(value, i);
        FIELD(made, 0) = SMALL((int32_t)(stop - start));
        return made;
    }
}
static W has(machine *vm, W value, W name) {
    int32_t number = find_name(vm, name);
    uint32_t found;
    if (number < 0) return FALSE_;
    found = is_class(value) ? CLASS_NUMBER(value) : class_of(vm, value);
    if (kind_of(vm, value) == K_INSTANCE) {
        int32_t slot = slot_of[found * NAMES + (uint32_t)number];
        if (slot >= 0 && FIELD(value, 1 + slot)) return TRUE_;
    }
    return BOOL(member_of[found * NAMES + (uint32_t)number] >= 0);
}
static W find_text(machine *vm, W text, W part, W from) {
    uint32_t n, k;
    int64_t i, start = 0;
    const uint32_t *all, *wanted;
    if (!is_string(vm, text) || !is_string(vm, part)) raise_(vm, KNOWN_TypeError, "must be str");
    as_int(vm, from, &start);
    all = letters(vm, text, &n);
    wanted = letters(vm, part, &k);
    for (i = start; i + k <= n; i++) if (memcmp(all + i, wanted, (size_t)k * 4) == 0) return make_int(vm, i);
    return SMALL(-1);
}

/* 1: pushes the value of `result`; 0: has done all itself. */
static int intrinsic(machine *vm, int32_t which, W *a, W *result) {
    int64_t n, at;
    uint32_t k;
    *result = NONE;
    switch (which) {
    case I_LEN: *result = make_int(vm, length_of(vm, a[0])); return 1;
    case I_CLASS_OF: *result = class_word(class_of(vm, a[0])); return 1;
    case I_IS_INSTANCE: *result = BOOL(is_subclass(vm, class_word(class_of(vm, a[0])), a[1])); return 1;
    case I_IS_SUBCLASS: *result = BOOL(is_subclass(vm, a[0], a[1])); return 1;
    case I_SAME: *result = BOOL(same(vm, a[0], a[1])); return 1;
    case I_LIST_APPEND:
        must_be(vm, a[0], K_LIST);
        append(vm, a[0], a[1]);
        if (is_shared(vm, a[0])) share(vm, a[1]);
        return 1;
    case I_LIST_INSERT:
        must_be(vm, a[0], K_LIST);
        insert(vm, a[0], index_below(vm, a[1], (int64_t)LENGTH(a[0]) + 1), a[2]);
        if (is_shared(vm, a[0])) share(vm, a[2]);
        return 1;
    case I_LIST_REMOVE:
        must_be(vm, a[0], K_LIST);
        k = index_below(vm, a[1], LENGTH(a[0]));
        *result = ITEM(a[0], k);
        remove_items(vm, a[0], k, 1);
        return 1;
    case I_LIST_CLEAR: must_be(vm, a[0], K_LIST); clear(vm, a[0]); return 1;
    case I_DICT_GET:
        must_be(vm, a[0], K_DICT);
        hashable(vm, a[1]);
        at = find_item(vm, a[0], a[1], 2);
        *result = at < 0 ? a[2] : ITEM(a[0], at + 1);
        return 1;
    case I_DICT_SET:
        must_be(vm, a[0], K_DICT);
        put(vm, a[0], a[1], a[2]);
        if (is_shared(vm, a[0])) { share(vm, a[1]); share(vm, a[2]); }
        return 1;
    case I_DICT_REMOVE:
        must_be(vm, a[0], K_DICT);
        at = find_item(vm, a[0], a[1], 2);
        if (at < 0) raise_value(vm, KNOWN_KeyError, a[1]);
        *result = ITEM(a[0], at + 1);
        remove_items(vm, a[0], (uint32_t)at, 2);
        return 1;
    case I_DICT_KEY: must_be(vm, a[0], K_DICT); *result = ITEM(a[0], 2 * index_below(vm, a[1], LENGTH(a[0]) / 2)); return 1;
    case I_DICT_VALUE: must_be(vm, a[0], K_DICT); *result = ITEM(a[0], 2 * index_below(vm, a[1], LENGTH(a[0]) / 2) + 1); return 1;
    case I_DICT_CLEAR: must_be(vm, a[0], K_DICT); clear(vm, a[0]); return 1;
    case I_SET_ADD:
        must_be(vm, a[0], K_SET);
        add(vm, a[0], a[1]);
        if (is_shared(vm, a[0])) share(vm, a[1]);
        return 1;
    case I_SET_REMOVE:
        must_be(vm, a[0], K_SET);
        hashable(vm, a[1]);
        at = find_item(vm, a[0], a[1], 1);
        if (at >= 0) remove_items(vm, a[0], (uint32_t)at, 1);
        *result = BOOL(at >= 0);
        return 1;
    case I_SET_ITEM: must_be(vm, a[0], K_SET); *result = ITEM(a[0], index_below(vm, a[1], LENGTH(a[0]))); return 1;
    case I_SET_CLEAR: must_be(vm, a[0], K_SET); clear(vm, a[0]); return 1;
    case I_SLICE: *result = slice(vm, a[0], a[1], a[2]); return 1;
    case I_CHR:
        if (!as_int(vm, a[0], &n)) raise_(vm, KNOWN_TypeError, "an integer is required");
        if (n < 0 || n >= 0x110000 || (n >= 0xD800 && n < 0xE000)) raise_(vm, KNOWN_ValueError, "chr() arg not in range(0x110000)");
        k = (uint32_t)n;
        *result = make_string(vm, &k, 1);
        return 1;
    case I_ORD: {
        const uint32_t *text = 0;
        if (is_string(vm, a[0])) { text = letters(vm, a[0], &k); if (k != 1) text = 0; }
        if (!text) raise_(vm, KNOWN_TypeError, "ord() expected a character");
        *result = SMALL(text[0]);
        return 1;
    }
    case I_STR_OF_INT:
        if (!as_int(vm, a[0], &n)) find_(vm, V_UNSUPPORTED);
        text_start(vm);
        text_number(vm, n);
        *result = text_made(vm);
        return 1;
    case I_FIND: *result = find_text(vm, a[0], a[1], a[2]); return 1;
    case I_TUPLE_OF:
        must_be(vm, a[0], K_LIST);
        k = LENGTH(a[0]);
        *result = new_object(vm, K_TUPLE, k);
        for (at = 0; at < k; at++) FIELD(*result, at) = ITEM(a[0], at);
        return 1;
    case I_NAME_OF:
        if (is_class(a[0])) k = class_name[CLASS_NUMBER(a[0])];
        else if (const_kind_of(a[0]) == C_FUNCTION) k = codes[functions[const_value[a[0] >> 2]].code].name;
        else { must_be(vm, a[0], K_FUNCTION); k = codes[SMALL_VALUE(FIELD(a[0], 0))].name; }
        text_start(vm);
        text_of(vm, k);
        *result = text_made(vm);
        return 1;
    case I_PRINT: return 1;
    case I_SPAWN: spawn(vm, a[0]); return 1;
    case I_ME: *result = vm->thread_object[vm->thread] ? vm->thread_object[vm->thread] : NONE; return 1;
    case I_OTHERS: *result = SMALL(vm->others + 1); return 1;
    case I_FIELD:
        as_int(vm, a[1], &at);
        *result = FIELD(a[0], 1 + at);
        if (!*result) raise_(vm, KNOWN_AttributeError, "a field without a value");
        return 1;
    case I_FIELD_NAME:
        as_int(vm, a[1], &at);
        *result = name_strings[layouts[class_layout[class_of(vm, a[0])] + at]];
        return 1;
    case I_FIELD_COUNT: *result = kind_of(vm, a[0]) == K_INSTANCE ? SMALL(class_fields[class_of(vm, a[0])]) : SMALL(-1); return 1;
    case I_GENERATOR_STATE: must_be(vm, a[0], K_GENERATOR); *result = FIELD(a[0], 0); return 1;
    case I_RANGE:
        for (k = 0; k < 3; k++) {
            if (!as_int(vm, a[k], &n)) raise_(vm, KNOWN_TypeError, "object cannot be interpreted as an integer");
            if (is_bool(a[k])) a[k] = SMALL((int32_t)n);
        }
        *result = new_object(vm, K_RANGE, 3);
        for (k = 0; k < 3; k++) FIELD(*result, k) = a[k];
        return 1;
    case I_HAS: *result = has(vm, a[0], a[1]); return 1;
    case I_BOUND:
        *result = new_object(vm, K_BOUND, 2);
        FIELD(*result, 0) = a[0];
        FIELD(*result, 1) = a[1];
        return 1;
    case I_RESUME: must_be(vm, a[0], K_GENERATOR); resume(vm, a[0], a[1], MODE_PUSH); return 0;
    case I_THROW:
        must_be(vm, a[0], K_GENERATOR);
        if (kind_of(vm, a[1]) != K_INSTANCE || !derives(class_of(vm, a[1]), KNOWN_BaseException)) find_(vm, V_UNSUPPORTED);
        throw_into(vm, a[0], a[1], MODE_PUSH);
        return 0;
    case I_ITERATOR: iterate(vm, a[0]); return 0;
    }
    find_(vm, V_UNSUPPORTED);
    return 0;
}
