/* --- operators and containers: kripke/heap/operations.py --- */

static int add_overflows(int64_t a, int64_t b, int64_t *r) {
    *r = (int64_t)((uint64_t)a + (uint64_t)b);
    return ((a ^ *r) & (b ^ *r)) < 0;
}
static int sub_overflows(int64_t a, int64_t b, int64_t *r) {
    *r = (int64_t)((uint64_t)a - (uint64_t)b);
    return ((a ^ b) & (a ^ *r)) < 0;
}
static int mul_overflows(int64_t a, int64_t b, int64_t *r) {
    *r = (int64_t)((uint64_t)a * (uint64_t)b);
    if (a == 0 || b == 0) return 0;
    if ((a == -1 && b == INT64_MIN) || (b == -1 && a == INT64_MIN)) return 1;
    return *r / b != a;
}

#define LENGTH(w) ((uint32_t)SMALL_VALUE(FIELD(w, 0))) /* of a list, dict (twice its keys) or set */
#define ITEM(w, i) (vm->m[AT(FIELD(w, 1)) + HEAD_WORDS + (i)])

static INLINE uint32_t class_of(machine *vm, W w) {
    switch (kind_of(vm, w)) {
    case K_INTEGER: return KNOWN_int;
    case K_STRING: return KNOWN_str;
    case K_TUPLE: return KNOWN_tuple;
    case K_LIST: return KNOWN_list;
    case K_DICT: return KNOWN_dict;
    case K_SET: return KNOWN_set;
    case K_INSTANCE: return (uint32_t)SMALL_VALUE(FIELD(w, 0));
    case K_FUNCTION: return KNOWN_function;
    case K_BOUND: return KNOWN_method;
    case K_ITERATOR: return KNOWN_iterator;
    case K_RANGE: return KNOWN_range;
    case K_GENERATOR: return codes[SMALL_VALUE(FIELD(w, 2))].coroutine ? KNOWN_coroutine : KNOWN_generator;
    case -1: break;
    default: return KNOWN_object;
    }
    if (IS_SMALL(w)) return KNOWN_int;
    switch (const_kind_of(w)) {
    case C_NONE: return KNOWN_NoneType;
    case C_FALSE: case C_TRUE: return KNOWN_bool;
    case C_STR: return KNOWN_str;
    case C_FLOAT: return KNOWN_float;
    case C_FUNCTION: return KNOWN_function;
    case C_CLASS: return KNOWN_type;
    }
    return KNOWN_object;
}
static int derives(uint32_t number, uint32_t from) {
    for (;;) {
        if (number == from) return 1;
        if (class_parent[number] < 0) return 0;
        number = (uint32_t)class_parent[number];
    }
}
/* The function a class has under a name; 0: none. */
static INLINE W member_function(machine *vm, W w, uint32_t name) {
    int32_t found = member_of[class_of(vm, w) * NAMES + name];
    return found < 0 ? 0 : members[found].value;
}
static INLINE W own_operator(machine *vm, W w, uint32_t name) {
    int kind = kind_of(vm, w);
    return kind == K_INSTANCE || kind == K_SET ? member_function(vm, w, name) : 0;
}
static int64_t range_length(machine *vm, W w) {
    int64_t start = 0, stop = 0, step = 1;
    as_int(vm, FIELD(w, 0), &start); as_int(vm, FIELD(w, 1), &stop); as_int(vm, FIELD(w, 2), &step);
    if (step > 0) return start < stop ? (int64_t)(((uint64_t)stop - (uint64_t)start - 1) / (uint64_t)step) + 1 : 0;
    return start > stop ? (int64_t)(((uint64_t)start - (uint64_t)stop - 1) / (0 - (uint64_t)step)) + 1 : 0;
}
static W range_item(machine *vm, W w, int64_t at) {
    int64_t start = 0, step = 0, value;
    as_int(vm, FIELD(w, 0), &start); as_int(vm, FIELD(w, 2), &step);
    if (mul_overflows(at, step, &value) || add_overflows(value, start, &value)) find_(vm, V_OVERFLOW);
    return make_int(vm, value);
}
static int64_t length_of(machine *vm, W w) {
    uint32_t n;
    if (is_string(vm, w)) { letters(vm, w, &n); return n; }
    switch (kind_of(vm, w)) {
    case K_TUPLE: return FIELDS(w);
    case K_LIST: case K_SET: return LENGTH(w);
    case K_DICT: return LENGTH(w) / 2;
    case K_RANGE: return range_length(vm, w);
    }
    raise_(vm, KNOWN_TypeError, "object has no len()");
    return 0;
}
static int is_true(machine *vm, W w) {
    int64_t n;
    uint32_t k;
    if (as_int(vm, w, &n)) return n != 0;
    if (is_string(vm, w)) { letters(vm, w, &k); return k > 0; }
    switch (kind_of(vm, w)) {
    case K_TUPLE: return FIELDS(w) > 0;
    case K_LIST: case K_DICT: case K_SET: return LENGTH(w) > 0;
    case K_RANGE: return range_length(vm, w) > 0;
    }
    if (is_float(w)) find_(vm, V_UNSUPPORTED);
    return w != NONE;
}
static int same(machine *vm, W a, W b) {
    int64_t i, j;
    uint32_t n, k;
    if (a == b) return 1;
    if (is_bool(a) || is_bool(b)) return 0;
    if (as_int(vm, a, &i)) return as_int(vm, b, &j) && i == j;
    if (is_string(vm, a) && is_string(vm, b)) {
        const uint32_t *one = letters(vm, a, &n), *other = letters(vm, b, &k);
        return compare_letters(one, n, other, k) == 0;
    }
    return 0;
}
static int equal(machine *vm, W a, W b);
static int64_t find_item(machine *vm, W container, W item, uint32_t stride) {
    uint32_t at, n = LENGTH(container);
    for (at = 0; at < n; at += stride) if (equal(vm, ITEM(container, at), item)) return at;
    return -1;
}
static void own_comparison(machine *vm, W a, W b) {
    if ((kind_of(vm, a) == K_INSTANCE && member_function(vm, a, N___eq__)) ||
        (kind_of(vm, b) == K_INSTANCE && member_function(vm, b, N___eq__))) find_(vm, V_UNSUPPORTED);
}
static int equal_objects(machine *vm, W a, W b) {
    uint32_t i, n;
    int kind = kind_of(vm, a);
    if (kind != kind_of(vm, b)) { own_comparison(vm, a, b); return 0; }
    switch (kind) {
    case K_TUPLE:
        n = FIELDS(a);
        if (n != FIELDS(b)) return 0;
        for (i = 0; i < n; i++) if (!equal(vm, FIELD(a, i), FIELD(b, i))) return 0;
        return 1;
    case K_LIST:
        n = LENGTH(a);
        if (n != LENGTH(b)) return 0;
        for (i = 0; i < n; i++) if (!equal(vm, ITEM(a, i), ITEM(b, i))) return 0;
        return 1;
    case K_SET:
        n = LENGTH(a);
        if (n != LENGTH(b)) return 0;
        for (i = 0; i < n; i++) if (find_item(vm, b, ITEM(a, i), 1) < 0) return 0;
        return 1;
    case K_DICT:
        n = LENGTH(a);
        if (n != LENGTH(b)) return 0;
        for (i = 0; i < n; i += 2) {
            int64_t at = find_item(vm, b, ITEM(a, i), 2);
            if (at < 0 || !equal(vm, ITEM(a, i + 1), ITEM(b, at + 1))) return 0;
        }
        return 1;
    case K_RANGE: {
        int64_t one = range_length(vm, a), other = range_length(vm, b), x = 0, y = 0;
        if (one != other) return 0;
        if (one == 0) return 1;
        as_int(vm, FIELD(a, 0), &x); as_int(vm, FIELD(b, 0), &y);
        if (x != y) return 0;
        as_int(vm, FIELD(a, 2), &x); as_int(vm, FIELD(b, 2), &y);
        return one == 1 || x == y;
    }
    case K_INSTANCE: {
        uint32_t number = class_of(vm, a);
        own_comparison(vm, a, b);
        if (number != class_of(vm, b) || class_compared[number] < 0) return 0;
        for (i = 0; i < (uint32_t)class_compared[number]; i++) if (!equal(vm, FIELD(a, 1 + i), FIELD(b, 1 + i))) return 0;
        return 1;
    }
    case K_BOUND: return same(vm, FIELD(a, 0), FIELD(b, 0)) && FIELD(a, 1) == FIELD(b, 1);
    }
    return 0;
}
static int is_plain(machine *vm, W w) { int kind = kind_of(vm, w); return kind == -1 || kind == K_INTEGER || kind == K_STRING; }
static int equal(machine *vm, W a, W b) {
    int64_t i, j;
    int result;
    if (a == b) return 1;
    if (is_plain(vm, a) && is_plain(vm, b)) {
        if (as_int(vm, a, &i) && as_int(vm, b, &j)) return i == j;
        if (is_float(a) || is_float(b)) {
            if ((is_float(a) || as_int(vm, a, &i)) && (is_float(b) || as_int(vm, b, &j))) find_(vm, V_UNSUPPORTED);
            return 0;
        }
        return is_string(vm, a) && is_string(vm, b) && same(vm, a, b);
    }
    if (is_plain(vm, a) || is_plain(vm, b)) { own_comparison(vm, a, b); return 0; }
    if (++vm->level > DEEPEST_VALUE) find_(vm, V_UNSUPPORTED);
    result = equal_objects(vm, a, b);
    vm->level--;
    return result;
}
static int less(machine *vm, W a, W b) {
    int64_t i, j;
    uint32_t n, k, at;
    int kind = kind_of(vm, a);
    if (as_int(vm, a, &i) && as_int(vm, b, &j)) return i < j;
    if (is_string(vm, a) && is_string(vm, b)) {
        const uint32_t *one = letters(vm, a, &n), *other = letters(vm, b, &k);
        return compare_letters(one, n, other, k) < 0;
    }
    if ((kind == K_TUPLE || kind == K_LIST) && kind == kind_of(vm, b)) {
        int result = -1;
        if (++vm->level > DEEPEST_VALUE) find_(vm, V_UNSUPPORTED);
        n = kind == K_TUPLE ? FIELDS(a) : LENGTH(a);
        k = kind == K_TUPLE ? FIELDS(b) : LENGTH(b);
        for (at = 0; at < n && at < k && result < 0; at++) {
            W one = kind == K_TUPLE ? FIELD(a, at) : ITEM(a, at), other = kind == K_TUPLE ? FIELD(b, at) : ITEM(b, at);
            if (!equal(vm, one, other)) result = less(vm, one, other);
        }
        vm->level--;
        return result < 0 ? n < k : result;
    }
    if (is_float(a) || is_float(b)) find_(vm, V_UNSUPPORTED);
    if (kind == K_INSTANCE || kind_of(vm, b) == K_INSTANCE) find_(vm, V_UNSUPPORTED);
    raise_(vm, KNOWN_TypeError, "these values have no order");
    return 0;
}
static void hashable(machine *vm, W w) {
    int kind = kind_of(vm, w);
    uint32_t i;
    if (kind == K_LIST || kind == K_DICT || kind == K_SET) raise_(vm, KNOWN_TypeError, "unhashable type");
    if (kind == K_TUPLE) {
        if (++vm->level > DEEPEST_VALUE) find_(vm, V_UNSUPPORTED);
        for (i = 0; i < FIELDS(w); i++) hashable(vm, FIELD(w, i));
        vm->level--;
    }
    if (kind == K_INSTANCE) {
        uint32_t number = class_of(vm, w);
        if (class_compared[number] >= 0 && !class_frozen[number]) raise_(vm, KNOWN_TypeError, "unhashable type");
    }
}
static int contains(machine *vm, W container, W item) {
    uint32_t n, k, i;
    int64_t value;
    if (is_string(vm, container)) {
        const uint32_t *text, *part;
        if (!is_string(vm, item)) raise_(vm, KNOWN_TypeError, "'in <string>' requires string as left operand");
        text = letters(vm, container, &n); part = letters(vm, item, &k);
        for (i = 0; i + k <= n; i++) if (memcmp(text + i, part, (size_t)k * 4) == 0) return 1;
        return 0;
    }
    switch (kind_of(vm, container)) {
    case K_TUPLE:
        for (i = 0; i < FIELDS(container); i++) if (equal(vm, FIELD(container, i), item)) return 1;
        return 0;
    case K_LIST: return find_item(vm, container, item, 1) >= 0;
    case K_SET: hashable(vm, item); return find_item(vm, container, item, 1) >= 0;
    case K_DICT: hashable(vm, item); return find_item(vm, container, item, 2) >= 0;
    case K_RANGE: {
        int64_t start = 0, step = 1, count = range_length(vm, container), gap;
        if (!as_int(vm, item, &value)) return 0;
        as_int(vm, FIELD(container, 0), &start); as_int(vm, FIELD(container, 2), &step);
        if (count == 0 || sub_overflows(value, start, &gap) || gap % step) return 0;
        return gap / step >= 0 && gap / step < count;
    }
    case K_GENERATOR: case K_ITERATOR: find_(vm, V_UNSUPPORTED);
    }
    raise_(vm, KNOWN_TypeError, "argument is not iterable");
    return 0;
}
static int compare(machine *vm, int32_t operator_, W a, W b) {
    switch (operator_) {
    case 0: return less(vm, a, b);
    case 1: return less(vm, a, b) || equal(vm, a, b);
    case 2: return less(vm, b, a);
    case 3: return less(vm, b, a) || equal(vm, a, b);
    case 4: return equal(vm, a, b);
    case 5: return same(vm, a, b);
    }
    return contains(vm, b, a);
}

/* --- containers change --- */

static W new_container(machine *vm, int kind) { W made = new_object(vm, kind, 2); FIELD(made, 0) = SMALL(0); return made; }
static void set_length(machine *vm, W container, uint32_t length) {
    FIELD(container, 0) = SMALL(length);
    if (AT(container) < vm->kept) vm->reshaped = 1;
}
static void reserve(machine *vm, W container, uint32_t wanted) {
    W old = FIELD(container, 1), made;
    uint32_t n = LENGTH(container), room = old ? FIELDS(old) : 0;
    if (wanted <= room) return;
    if (wanted > (1u << 20)) find_(vm, V_MEMORY);
    made = new_object(vm, K_ARRAY, wanted < 4 ? 4 : wanted + wanted / 2);
    if (n) memcpy(&FIELD(made, 0), &FIELD(old, 0), (size_t)n * sizeof(W));
    if (is_shared(vm, container)) HEAD(made) |= SHARED;
    FIELD(container, 1) = made;
}
static void insert(machine *vm, W container, uint32_t at, W value) {
    uint32_t n = LENGTH(container);
    reserve(vm, container, n + 1);
    memmove(&ITEM(container, at + 1), &ITEM(container, at), (size_t)(n - at) * sizeof(W));
    ITEM(container, at) = value;
    set_length(vm, container, n + 1);
}
static void append(machine *vm, W container, W value) { insert(vm, container, LENGTH(container), value); }
static void remove_items(machine *vm, W container, uint32_t at, uint32_t count) {
    uint32_t n = LENGTH(container), i;
    memmove(&ITEM(container, at), &ITEM(container, at + count), (size_t)(n - at - count) * sizeof(W));
    for (i = n - count; i < n; i++) ITEM(container, i) = 0;
    set_length(vm, container, n - count);
}
static void clear(machine *vm, W container) { set_length(vm, container, 0); FIELD(container, 1) = 0; }
static void put(machine *vm, W container, W key, W value) {
    int64_t at;
    hashable(vm, key);
    at = find_item(vm, container, key, 2);
    if (at >= 0) { ITEM(container, at + 1) = value; return; }
    append(vm, container, key);
    append(vm, container, value);
}
static void add(machine *vm, W container, W item) {
    uint32_t at = LENGTH(container);
    hashable(vm, item);
    if (find_item(vm, container, item, 1) >= 0) return;
    if (IS_SMALL(item)) {
        at = 0;
        while (at < LENGTH(container) && IS_SMALL(ITEM(container, at)) && SMALL_VALUE(ITEM(container, at)) < SMALL_VALUE(item)) at++;
    }
    insert(vm, container, at, item);
}

/* --- arithmetic --- */

static int64_t floor_div(int64_t a, int64_t b) { int64_t q = a / b; return (a % b != 0 && (a < 0) != (b < 0)) ? q - 1 : q; }
static W numbers(machine *vm, int32_t operator_, W left, W right, int64_t a, int64_t b) {
    int64_t r = 0;
    if (is_bool(left) && is_bool(right) && operator_ >= 8) return BOOL(operator_ == 8 ? a & b : operator_ == 9 ? a | b : a ^ b);
    switch (operator_) {
    case 0: if (add_overflows(a, b, &r)) find_(vm, V_OVERFLOW); break;
    case 1: if (sub_overflows(a, b, &r)) find_(vm, V_OVERFLOW); break;
    case 2: if (mul_overflows(a, b, &r)) find_(vm, V_OVERFLOW); break;
    case 3:
        if (b == 0) raise_(vm, KNOWN_ZeroDivisionError, "integer division or modulo by zero");
        if (b == -1) { if (sub_overflows((int64_t)0, a, &r)) find_(vm, V_OVERFLOW); } else r = floor_div(a, b);
        break;
    case 4:
        if (b == 0) raise_(vm, KNOWN_ZeroDivisionError, "integer modulo by zero");
        r = b == -1 ? 0 : a % b;
        if (r != 0 && (r < 0) != (b < 0)) r += b;
        break;
    case 5:
        if (b < 0) find_(vm, V_UNSUPPORTED);
        if ((a > 1 || a < -1) && b > 64) find_(vm, V_OVERFLOW);
        if (a <= 1 && a >= -1) { r = b == 0 ? 1 : a == -1 && b % 2 == 0 ? 1 : a; break; }
        r = 1;
        while (b-- > 0) if (mul_overflows(r, a, &r)) find_(vm, V_OVERFLOW);
        break;
    case 6: case 7:
        if (b < 0) raise_(vm, KNOWN_ValueError, "negative shift count");
        if (operator_ == 7) { r = a >> (b > 63 ? 63 : b); break; }
        if (a == 0) break;
        if (b > 63) find_(vm, V_OVERFLOW);
        r = a;
        while (b-- > 0) if (add_overflows(r, r, &r)) find_(vm, V_OVERFLOW);
        break;
    case 8: r = a & b; break;
    case 9: r = a | b; break;
    default: r = a ^ b;
    }
    return make_int(vm, r);
}
static W binary(machine *vm, int32_t operator_, W a, W b) {
    int64_t i, j;
    uint32_t n, k, at;
    int kind = kind_of(vm, a);
    if (as_int(vm, a, &i) && as_int(vm, b, &j)) return numbers(vm, operator_, a, b, i, j);
    if (operator_ == 0) {
        if (is_string(vm, a) && is_string(vm, b)) {
            const uint32_t *text;
            text_start(vm);
            text = letters(vm, a, &n); text_add(vm, text, n);
            text = letters(vm, b, &n); text_add(vm, text, n);
            return text_made(vm);
        }
        if (kind == K_TUPLE && kind_of(vm, b) == K_TUPLE) {
            W made = new_object(vm, K_TUPLE, FIELDS(a) + FIELDS(b));
            n = FIELDS(a);
            for (at = 0; at < n; at++) FIELD(made, at) = FIELD(a, at);
            for (at = 0; at < FIELDS(b); at++) FIELD(made, n + at) = FIELD(b, at);
            return made;
        }
        if (kind == K_LIST && kind_of(vm, b) == K_LIST) {
            W made = new_container(vm, K_LIST);
            n = LENGTH(a); k = LENGTH(b);
            reserve(vm, made, n + k);
            for (at = 0; at < n; at++) ITEM(made, at) = ITEM(a, at);
            for (at = 0; at < k; at++) ITEM(made, n + at) = ITEM(b, at);
            FIELD(made, 0) = SMALL(n + k);
            return made;
        }
    }
    if (operator_ == 2) {
        int64_t count, size;
        if (as_int(vm, a, &i) && !as_int(vm, b, &j)) { W w = a; a = b; b = w; }
        kind = kind_of(vm, a);
        if (as_int(vm, b, &count)) {
            size = is_string(vm, a) ? (letters(vm, a, &n), (int64_t)n) : kind == K_TUPLE ? FIELDS(a) : kind == K_LIST || kind == K_SET || kind == K_DICT ? LENGTH(a) : kind >= 0 ? 1 : 0;
            if (count > 0 && size > 0 && count > (1 << 20) / size) find_(vm, V_MEMORY);
            if (count < 0) count = 0;
            if (is_string(vm, a)) {
                text_start(vm);
                while (count-- > 0) { const uint32_t *text = letters(vm, a, &n); text_add(vm, text, n); }
                return text_made(vm);
            }
            if (kind == K_TUPLE) {
                W made = new_object(vm, K_TUPLE, (uint32_t)(size * count));
                for (at = 0; at < size * count; at++) FIELD(made, at) = FIELD(a, at % size);
                return made;
            }
            if (kind == K_LIST) {
                W made = new_container(vm, K_LIST);
                reserve(vm, made, (uint32_t)(size * count));
                for (at = 0; at < size * count; at++) ITEM(made, at) = ITEM(a, at % size);
                FIELD(made, 0) = SMALL((int32_t)(size * count));
                return made;
            }
        }
    }
    if (is_float(a) || is_float(b) || (operator_ == 4 && is_string(vm, a))) find_(vm, V_UNSUPPORTED);
    raise_(vm, KNOWN_TypeError, "unsupported operand type(s)");
    return 0;
}
static W unary(machine *vm, int32_t operator_, W a) {
    int64_t n;
    if (as_int(vm, a, &n)) {
        if (operator_ == 1) return make_int(vm, ~n);
        if (sub_overflows((int64_t)0, n, &n)) find_(vm, V_OVERFLOW);
        return make_int(vm, n);
    }
    if (is_float(a)) find_(vm, V_UNSUPPORTED);
    raise_(vm, KNOWN_TypeError, "bad operand type for unary operator");
    return 0;
}

/* --- subscripts --- */

static W string_item(machine *vm, W w, uint32_t at) {
    uint32_t n, letter = letters(vm, w, &n)[at];
    return make_string(vm, &letter, 1);
}
static W item(machine *vm, W container, W index) {
    int kind = kind_of(vm, container), text = is_string(vm, container);
    int64_t at, n;
    if (kind == K_DICT) {
        hashable(vm, index);
        at = find_item(vm, container, index, 2);
        if (at < 0) raise_value(vm, KNOWN_KeyError, index);
        return ITEM(container, at + 1);
    }
    if (!text && kind != K_TUPLE && kind != K_LIST && kind != K_RANGE) raise_(vm, KNOWN_TypeError, "object is not subscriptable");
    if (!as_int(vm, index, &at)) raise_(vm, KNOWN_TypeError, "indices must be integers or slices");
    n = length_of(vm, container);
    if (at < 0) at += n;
    if (at < 0 || at >= n)
        raise_(vm, KNOWN_IndexError, kind == K_TUPLE ? "tuple index out of range" : kind == K_LIST ? "list index out of range"
               : kind == K_RANGE ? "range object index out of range" : "string index out of range");
    if (text) return string_item(vm, container, (uint32_t)at);
    if (kind == K_RANGE) return range_item(vm, container, at);
    return kind == K_TUPLE ? FIELD(container, at) : ITEM(container, at);
}
static uint32_t list_place(machine *vm, W container, W index) {
    int64_t at, n = LENGTH(container);
    if (!as_int(vm, index, &at)) raise_(vm, KNOWN_TypeError, "indices must be integers or slices");
    if (at < 0) at += n;
    if (at < 0 || at >= n) raise_(vm, KNOWN_IndexError, "list assignment index out of range");
    return (uint32_t)at;
}
static void set_item(machine *vm, W container, W index, W value) {
    int kind = kind_of(vm, container);
    if (kind == K_DICT) { put(vm, container, index, value); return; }
    if (kind != K_LIST) raise_(vm, KNOWN_TypeError, "object does not support item assignment");
    ITEM(container, list_place(vm, container, index)) = value;
}
static void delete_item(machine *vm, W container, W index) {
    int kind = kind_of(vm, container);
    if (kind == K_DICT) {
        int64_t at;
        hashable(vm, index);
        at = find_item(vm, container, index, 2);
        if (at < 0) raise_value(vm, KNOWN_KeyError, index);
        remove_items(vm, container, (uint32_t)at, 2);
        return;
    }
    if (kind != K_LIST) raise_(vm, KNOWN_TypeError, "object does not support item deletion");
    remove_items(vm, container, list_place(vm, container, index), 1);
}
