"""A system of modes as a C file against ``native/model.h``.

The tree of instances is tables; a definition's guards and actions are functions that stand once, whatever the number of
its instances, and find their variables through the instance's table of places. The rest is the algorithm of
``macro_steps.py``, with an explicit stack of micro states in the worker's context.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate

from kripke.hierarchy.macro_steps import CODES, INVARIANT, LENGTH, MOST_MICRO_STATES, RANGE, MacroSteps
from kripke.hierarchy.modes import Condition, ModeSystem, ModeTransition
from kripke.hierarchy.terms import DIVISION, INDEX, TRUE, c_text
from kripke.hierarchy.tree import Tree
from kripke.model.capabilities.estimate import Estimator
from kripke.model.patterns.emit import emit_patterns

_TARGETS = {"position": 0, "entry": 1, "default entry": 2, "exit": 3, "default exit": 4}
_NUMBERS_PER_LINE = 24


def emit_c(
    system: ModeSystem,
    tree: Tree,
    atoms: Sequence[Condition],
    *,
    dependencies: bool = False,
    estimators: Sequence[Estimator] = (),
) -> str:
    """The whole C file. ``dependencies``: with where every mode is, which partial-order reduction asks for.
    ``estimators``: with these, for directed search."""
    transitions = [t for d in system.definitions for t in d.transitions]
    states, broken = MacroSteps(system, tree).initial()
    tops = len(system.tops)
    broken_codes = [(outcome.violation, tops + outcome.micros[-1].transition) for outcome in broken]
    labels = tops + len(transitions) + len(system.invariants)
    head = [
        f"/* {_comment(system.name)}: {len(tree.nodes)} instances of {len(system.definitions)} modes */",
        "/* Tables make the text long, not hard: it is worth optimising at any length. */",
        "#if defined(__GNUC__) && !defined(__clang__)",
        '#pragma GCC optimize ("O2")',
        "#endif",
        '#include "model.h"',
        "#include <stdlib.h>",
        "#include <string.h>",
        "",
        f"#define GLOBALS {len(system.globals)}u",
        f"#define SIZE {tree.size + len(tree.constants)}u",
        f"#define VALUES {tree.size}u",
        f"#define NODES {len(tree.nodes)}u",
        f"#define TOPS {tops}u",
        f"#define LABELS {labels}u",
        f"#define FIRST_INVARIANT {tops + len(transitions)}u",
        f"#define INVARIANTS {len(system.invariants)}u",
        f"#define ATOMS {len(atoms)}u",
        f"#define LONGEST {max(1, tree.longest)}u",
        f"#define MOST_MICRO_STATES {MOST_MICRO_STATES}u",
        f"enum {{ RANGE = {RANGE}, DIVISION = {DIVISION}, INVARIANT = {INVARIANT}, LENGTH = {LENGTH}, INDEX = {INDEX},",
        f"       CODES = {len(CODES)} }};",
        f"#define TABLES {1 + len(system.definitions)}u",
        "",
    ]
    return "\n".join(
        [
            *head,
            *_tables(system, tree),
            _EXPRESSIONS,
            *_functions(transitions),
            *_conditions("invariant", system.invariants),
            *_conditions("atom", atoms),
            _initial(tree, states, broken_codes),
            _MACRO_STEPS,
            *(_places(tree) if dependencies else ()),
            *([_estimates(estimators)] if estimators else ()),
            _ENTRY.replace(
                "DEPENDENCIES", "0, TOPS, configuration, lacking, 0" if dependencies else "0, 0, 0, 0, 0"
            ).replace("ESTIMATE", "estimate" if estimators else "0"),
        ]
    )


def _estimates(estimators: Sequence[Estimator]) -> str:
    prologue = "    int32_t v[SIZE];\n    decode(state, v, 0);"
    return emit_patterns(estimators, prologue, "v[{}]".format)


def _tables(system: ModeSystem, tree: Tree) -> Iterable[str]:
    nodes, definitions = tree.nodes, system.definitions
    yield _array("int32_t", "constants", tree.constants)
    yield _array("uint8_t", "global_width", [v.type.width for v in system.globals])
    yield _array("int32_t", "global_low", [v.type.low for v in system.globals])
    yield _array("uint32_t", "global_places", range(len(system.globals)))
    yield "/* Instances: definition, owner, number there, place of the position, first local, kept where it is left */"
    yield _array("uint32_t", "roots", tree.roots)
    yield _array("uint32_t", "definition_of", [n.definition_number for n in nodes])
    yield _array("int32_t", "owner", [n.parent for n in nodes])
    yield _array("uint32_t", "instance_of", [n.instance for n in nodes])
    yield _array("uint32_t", "position_of", [n.position for n in nodes])
    yield _array("uint8_t", "keeps", [int(n.keeps) for n in nodes])
    yield _array("uint32_t", "children_start", _starts([n.children for n in nodes]))
    yield _array("uint32_t", "children", [c for n in nodes for c in n.children])
    yield _array("uint32_t", "places_start", _starts([n.places for n in nodes]))
    yield _array("uint32_t", "places", [p for n in nodes for p in n.places])
    yield "/* Definitions: locals, positions, instances inside */"
    yield _array("uint8_t", "wide", [int(d.wide) for d in definitions])
    yield _array("uint32_t", "locals_start", _starts([d.locals for d in definitions]))
    yield _array("uint8_t", "local_width", [v.type.width for d in definitions for v in d.locals])
    yield _array("int32_t", "local_low", [v.type.low for d in definitions for v in d.locals])
    yield _array("int32_t", "local_first", [v.start for d in definitions for v in d.locals])
    yield _array("int32_t", "first_inside", [len(d.positions) - len(d.instances) for d in definitions])
    yield _array("uint32_t", "exits_start", _starts([d.exits_of for d in definitions]))
    yield _array("int32_t", "exits", [x for d in definitions for x in d.exits_of])
    yield "/* Transitions, by definition and position */"
    yield _array("uint32_t", "outgoing_start", _starts([d.positions for d in definitions]))
    by_position, first = [], 0
    for d in definitions:
        by_position += [[first + t for t in numbers] for numbers in d.outgoing]
        first += len(d.transitions)
    yield _array("uint32_t", "outgoing_first", _starts(by_position))
    yield _array("uint32_t", "outgoing", [t for numbers in by_position for t in numbers])
    yield "/* By definition: those that override the way back */"
    firsts = [0, *accumulate(len(d.transitions) for d in definitions)]
    overriding = [[first + t for t in d.overriding] for first, d in zip(firsts, definitions, strict=False)]
    yield _array("uint32_t", "overriding_first", _starts(overriding))
    yield _array("uint32_t", "overriding", [t for numbers in overriding for t in numbers])
    transitions = [t for d in definitions for t in d.transitions]
    yield "enum { TO_POSITION, TO_ENTRY, TO_DEFAULT_ENTRY, TO_EXIT, TO_DEFAULT_EXIT };"
    yield _array("uint8_t", "target_kind", [_TARGETS[t.target.kind] for t in transitions])
    yield _array("int32_t", "target_position", [t.target.position for t in transitions])
    yield _array("uint32_t", "target_instance", [t.target.instance for t in transitions])
    yield _array("uint8_t", "pauses", [int(t.pause) for t in transitions])
    names = ", ".join(f'"{_plain(name)}"' for name in ("globals", *(d.name for d in definitions)))
    yield f"static const char *const table_names[] = {{ {names} }};"
    yield f'static const char model_name[] = "{_plain(system.name)}";'


def _functions(transitions: Sequence[ModeTransition]) -> Iterable[str]:
    guards, actions = [], []
    for number, transition in enumerate(transitions):
        yield f"/* {_comment(transition.text)} */"
        if transition.guard is TRUE:
            guards.append("0")
        else:
            guards.append(f"guard{number}")
            yield (
                f"static int64_t guard{number}(const int32_t *v, const uint32_t *p, int *failed) {{\n"
                f"    (void)v, (void)p, (void)failed;\n    return {c_text(transition.guard)};\n}}"
            )
        if not transition.actions:
            actions.append("0")
            continue
        actions.append(f"act{number}")
        lines = [
            f"static int act{number}(int32_t *v, const uint32_t *p) {{",
            "    int fail = 0, *const failed = &fail;",
            "    int64_t value, at = 0;",
        ]
        for action in transition.actions:
            low, high = action.type.low, action.type.high
            at = str(action.variable)
            if action.index is not None:
                lines.append(f"    at = {c_text(action.index)};")
                lines.append(f"    if (!fail && (at < 0 || at >= {action.length})) fail = 1 + INDEX;")
                lines.append("    if (fail) return fail;")
                at = f"{action.variable} + at"
            lines.append(f"    value = {c_text(action.value)};")
            lines.append("    if (fail) return fail;")
            if action.value.type.low < low or action.value.type.high > high:
                lines.append(f"    if (value < INT64_C({low}) || value > INT64_C({high})) return 1 + RANGE;")
            lines.append(f"    v[p[{at}]] = (int32_t)value;")
        yield "\n".join([*lines, "    (void)failed, (void)at;", "    return 0;", "}"])
    yield "typedef int64_t (*guard_function)(const int32_t *, const uint32_t *, int *);"
    yield f"static const guard_function guards[] = {{ {', '.join(guards) or '0'} }};"
    yield "typedef int (*action_function)(int32_t *, const uint32_t *);"
    yield f"static const action_function actions[] = {{ {', '.join(actions) or '0'} }};"


def _conditions(kind: str, conditions: Sequence[Condition]) -> Iterable[str]:
    for number, condition in enumerate(conditions):
        yield (
            f"/* {_comment(condition.name)} */\n"
            f"static int64_t {kind}{number}(const int32_t *v, const uint32_t *p, int *failed) {{\n"
            f"    (void)v, (void)p, (void)failed;\n    return {c_text(condition.term)};\n}}"
        )
    names = ", ".join(f"{kind}{number}" for number in range(len(conditions)))
    functions = f"(*const {kind}s_of_states[])(const int32_t *, const uint32_t *, int *)"
    yield f"static int64_t {functions} = {{ {names or '0'} }};"


def _initial(tree: Tree, states: Sequence[Sequence[int]], broken: Sequence[tuple[int, int]]) -> str:
    encoded = [tree.encode(values) for values in states]
    return "\n".join(
        [
            _array("uint32_t", "initial_start", _starts(encoded)),
            _array("uint8_t", "initial_states", [byte for state in encoded for byte in state]),
            f"#define INITIAL_STATES {len(encoded)}u",
            _array("uint32_t", "broken_codes", [code for code, _ in broken]),
            _array("uint32_t", "broken_labels", [label for _, label in broken]),
            f"#define BROKEN {len(broken)}u",
        ]
    )


def _places(tree: Tree) -> Iterable[str]:
    from kripke.hierarchy.mode_dependence import Numbers

    numbers = Numbers(tree)
    yield _array("uint32_t", "start_number", numbers.start)
    yield "/* Of every instance: the number of its position 0, which is none. */"
    yield _array("int32_t", "first_number", numbers.first)
    yield _LACKING


def _starts(lists: Sequence[Sequence[object]]) -> list[int]:
    starts = [0]
    for items in lists:
        starts.append(starts[-1] + len(items))
    return starts


def _array(type_: str, name: str, numbers: Iterable[int]) -> str:
    texts = [str(number) if number > -(2**31) else "INT32_MIN" for number in numbers] or ["0"]
    lines = [", ".join(texts[at : at + _NUMBERS_PER_LINE]) for at in range(0, len(texts), _NUMBERS_PER_LINE)]
    return f"static const {type_} {name}[] = {{\n    " + ",\n    ".join(lines) + "\n};"


def _comment(text: str) -> str:
    return text.replace("*/", "* /").replace("\n", " ").replace("\\", "/")[:500]


def _plain(text: str) -> str:
    return "".join(c if c.isascii() and c.isprintable() and c not in '"\\?' else "_" for c in text)[:200]


_LACKING = """
static uint32_t configuration(const uint8_t *state, uint32_t length, uint8_t *key) {
    (void)state, (void)length, (void)key;
    return 0;
}

static int32_t innermost(uint32_t node, const int32_t *v) {
    for (;;) {
        const int32_t inside = v[position_of[node]] - first_inside[definition_of[node]];
        if (inside < 0) return (int32_t)node;
        node = children[children_start[node] + (uint32_t)inside];
    }
}

/* Every mode is at one place; whether its macro step changes anything is to be seen by trying. */
static uint32_t lacking(const uint8_t *state, uint32_t length, kripke_lack *here) {
    int32_t v[SIZE];
    (void)length;
    decode(state, v, 0);
    for (uint32_t t = 0; t < TOPS; t++) {
        uint32_t number = start_number[t];
        if (v[position_of[roots[t]]]) {
            const int32_t node = innermost(roots[t], v);
            number = (uint32_t)(first_number[node] + v[position_of[node]]);
        }
        here[t] = (kripke_lack){number, t, KRIPKE_UNCLEAR, 0};
    }
    return TOPS;
}
"""

_EXPRESSIONS = """
static inline int64_t quotient(int64_t left, int64_t right, int *failed) {
    if (right) return left / right;
    if (!*failed) *failed = 1 + DIVISION;
    return 0;
}
static inline int64_t remainder_of(int64_t left, int64_t right, int *failed) {
    if (right) return left % right;
    if (!*failed) *failed = 1 + DIVISION;
    return 0;
}
static inline int64_t element(const int32_t *v, const uint32_t *p, int64_t at, int64_t length, int *failed) {
    if (at >= 0 && at < length) return v[p[at]];
    if (!*failed) *failed = 1 + INDEX;
    return 0;
}
"""

_MACRO_STEPS = """
/* ---- States ---- */

static inline uint32_t put(uint8_t *out, int32_t value, int32_t low, uint32_t width) {
    const uint32_t distance = (uint32_t)((int64_t)value - low);
    for (uint32_t i = 0; i < width; i++) out[i] = (uint8_t)(distance >> (8 * i));
    return width;
}
static inline int32_t get(const uint8_t *in, int32_t low, uint32_t width) {
    uint32_t distance = 0;
    for (uint32_t i = 0; i < width; i++) distance |= (uint32_t)in[i] << (8 * i);
    return (int32_t)((int64_t)low + distance);
}

/* The frame of an instance, then those inside of it. */
static uint8_t *encode_node(uint32_t node, const int32_t *v, uint8_t *out) {
    const uint32_t d = definition_of[node];
    const int32_t position = v[position_of[node]];
    out += put(out, position, 0, 1u + wide[d]);
    if (!position) return out;
    const uint32_t first = position_of[node] + 1;
    for (uint32_t i = locals_start[d]; i < locals_start[d + 1]; i++)
        out += put(out, v[first + i - locals_start[d]], local_low[i], local_width[i]);
    for (uint32_t c = children_start[node]; c < children_start[node + 1]; c++)
        if (keeps[children[c]]) *out++ = v[position_of[children[c]]] != 0;
    for (uint32_t c = children_start[node]; c < children_start[node + 1]; c++)
        if (v[position_of[children[c]]]) out = encode_node(children[c], v, out);
    return out;
}

static uint32_t encode(const int32_t *v, uint8_t *const out) {
    uint8_t *at = out;
    for (uint32_t i = 0; i < GLOBALS; i++) at += put(at, v[i], global_low[i], global_width[i]);
    for (uint32_t t = 0; t < TOPS; t++) at = encode_node(roots[t], v, at);
    return (uint32_t)(at - out);
}

/* Where the frames of an instance end; `parts`, where not null, takes a component for each. */
static const uint8_t *decode_node(uint32_t node, const uint8_t *in, int32_t *v, kripke_component **parts) {
    const uint8_t *const start = in;
    const uint32_t d = definition_of[node];
    const int32_t position = get(in, 0, 1u + wide[d]);
    in += 1u + wide[d];
    v[position_of[node]] = position;
    if (position) {
        const uint32_t first = position_of[node] + 1;
        for (uint32_t i = locals_start[d]; i < locals_start[d + 1]; i++) {
            v[first + i - locals_start[d]] = get(in, local_low[i], local_width[i]);
            in += local_width[i];
        }
    }
    const uint8_t *flags = in;
    if (position)
        for (uint32_t c = children_start[node]; c < children_start[node + 1]; c++) in += keeps[children[c]];
    if (parts) {
        (*parts)->table = 1 + d;
        (*parts)->length = (uint32_t)(in - start);
        ++*parts;
    }
    if (position)
        for (uint32_t c = children_start[node]; c < children_start[node + 1]; c++) {
            const int there = keeps[children[c]] ? *flags++
                                                 : position == first_inside[d] + (int32_t)(c - children_start[node]);
            if (there) in = decode_node(children[c], in, v, parts);
        }
    return in;
}

static void decode(const uint8_t *state, int32_t *v, kripke_component **parts) {
    const uint8_t *in = state;
    memset(v, 0, VALUES * sizeof *v);
    memcpy(v + VALUES, constants, (SIZE - VALUES) * sizeof *v);
    for (uint32_t i = 0; i < GLOBALS; in += global_width[i++]) v[i] = get(in, global_low[i], global_width[i]);
    if (parts) {
        (*parts)->table = 0;
        (*parts)->length = (uint32_t)(in - state);
        ++*parts;
    }
    for (uint32_t t = 0; t < TOPS; t++) in = decode_node(roots[t], in, v, parts);
}

/* ---- Micro steps ---- */

/* Instead of an instance that control is in: the macro step is over; control is on its way back into an instance. */
#define RESTING (-1)
#define WAY_BACK(node) (-2 - (int32_t)(node))

/* A micro state: where control is, how it was reached, and all values. */
typedef struct { int32_t node; uint32_t label; int32_t v[SIZE]; } micro;

typedef struct {
    int32_t before[SIZE];
    micro *pending;
    uint32_t pending_count, pending_room;
    micro *visited;
    uint32_t visited_count, visited_room;
    uint32_t *slots; /* of the hash table: 1 + a number in visited */
    uint32_t slot_mask;
    char own_line[64];
} worker;

static int grown(micro **list, uint32_t count, uint32_t *room) {
    if (count < *room) return 1;
    micro *const more = realloc(*list, sizeof **list * (*room ? *room * 2 : 16));
    if (!more) return 0;
    *list = more;
    *room = *room ? *room * 2 : 16;
    return 1;
}

static inline uint64_t hash_of(int32_t node, const int32_t *v) {
    uint64_t h = (uint64_t)(uint32_t)node * UINT64_C(0x9E3779B97F4A7C15);
    for (uint32_t i = 0; i < VALUES; i++) h = (h ^ (uint32_t)v[i]) * UINT64_C(0x9E3779B97F4A7C15), h ^= h >> 29;
    return h;
}

static void insert(worker *w, uint32_t number) {
    uint32_t slot = (uint32_t)hash_of(w->visited[number].node, w->visited[number].v) & w->slot_mask;
    while (w->slots[slot]) slot = (slot + 1) & w->slot_mask;
    w->slots[slot] = number + 1;
}

/* 1: it is new and now visited; 0: it was met before; -1: there are too many, or no memory. */
static int visit(worker *w, int32_t node, const int32_t *v) {
    uint32_t slot = (uint32_t)hash_of(node, v) & w->slot_mask;
    for (; w->slots[slot]; slot = (slot + 1) & w->slot_mask) {
        const micro *const met = &w->visited[w->slots[slot] - 1];
        if (met->node == node && !memcmp(met->v, v, VALUES * sizeof *v)) return 0;
    }
    if (w->visited_count >= MOST_MICRO_STATES || !grown(&w->visited, w->visited_count, &w->visited_room)) return -1;
    micro *const entry = &w->visited[w->visited_count];
    entry->node = node;
    memcpy(entry->v, v, SIZE * sizeof *v);
    w->slots[slot] = ++w->visited_count;
    if (w->visited_count * 2 > w->slot_mask) {
        uint32_t *const more = calloc((size_t)w->slot_mask * 2 + 2, sizeof *more);
        if (!more) return -1;
        free(w->slots);
        w->slots = more;
        w->slot_mask = w->slot_mask * 2 + 1;
        for (uint32_t i = 0; i < w->visited_count; i++) insert(w, i);
    }
    return 1;
}

static void forget_visited(worker *w) {
    memset(w->slots, 0, ((size_t)w->slot_mask + 1) * sizeof *w->slots);
    w->visited_count = 0;
}

static void enter(uint32_t node, int32_t *v, int32_t position) {
    const uint32_t d = definition_of[node], first = position_of[node] + 1;
    v[position_of[node]] = position;
    for (uint32_t i = locals_start[d]; i < locals_start[d + 1]; i++) v[first + i - locals_start[d]] = local_first[i];
}

static void clear(uint32_t node, int32_t *v) {
    if (!v[position_of[node]]) return;
    const uint32_t d = definition_of[node];
    memset(v + position_of[node], 0, (1 + locals_start[d + 1] - locals_start[d]) * sizeof *v);
    for (uint32_t c = children_start[node]; c < children_start[node + 1]; c++) clear(children[c], v);
}

/* Where control is when an instance that is there is entered at its border. */
static int32_t restored(uint32_t node, const int32_t *v) {
    for (;;) {
        const uint32_t d = definition_of[node];
        const int32_t position = v[position_of[node]], inside = position - first_inside[d];
        if (overriding_first[d] < overriding_first[d + 1] && position != 1) return WAY_BACK(node);
        if (inside < 0) return (int32_t)node;
        node = children[children_start[node] + (uint32_t)inside];
    }
}

/* The values after the transition are in v; the instance control is in then. */
static int32_t moved(uint32_t t, uint32_t node, int32_t *v) {
    const uint32_t d = definition_of[node];
    if (target_kind[t] == TO_DEFAULT_EXIT) return owner[node];
    const int32_t inside = v[position_of[node]] - first_inside[d];
    if (inside >= 0) {
        const uint32_t left = children[children_start[node] + (uint32_t)inside];
        if (!keeps[left]) clear(left, v);
    }
    if (target_kind[t] == TO_POSITION) {
        v[position_of[node]] = target_position[t];
        return pauses[t] ? RESTING : (int32_t)node;
    }
    if (target_kind[t] == TO_EXIT) {
        const uint32_t out = (uint32_t)owner[node];
        clear(node, v);
        v[position_of[out]] = exits[exits_start[definition_of[out]] + instance_of[node]] + target_position[t];
        return (int32_t)out;
    }
    const uint32_t child = children[children_start[node] + target_instance[t]];
    v[position_of[node]] = first_inside[d] + (int32_t)target_instance[t];
    if (target_kind[t] == TO_ENTRY) {
        clear(child, v);
        enter(child, v, target_position[t]);
    } else if (!v[position_of[child]])
        enter(child, v, 1);
    else
        return restored(child, v);
    return (int32_t)child;
}

static int push(worker *w, int32_t node, uint32_t label, const int32_t *v) {
    if (!grown(&w->pending, w->pending_count, &w->pending_room)) return 0;
    micro *const top = &w->pending[w->pending_count++];
    top->node = node;
    top->label = label;
    memcpy(top->v, v, SIZE * sizeof *v);
    return 1;
}

static void rest(worker *w, const int32_t *v, uint32_t label, kripke_sink *sink) {
    if (memcmp(v, w->before, VALUES * sizeof *v)) sink->emit(sink, encode(v, sink->out), label);
}

/* All macro steps of one top-level mode. */
static void macro_steps(worker *w, uint32_t top, kripke_sink *sink) {
    int32_t v[SIZE];
    memcpy(v, w->before, sizeof v);
    int32_t at;
    if (!v[position_of[roots[top]]]) {
        enter(roots[top], v, 1);
        at = (int32_t)roots[top];
        sink->covered[top] = 1;
    } else
        at = restored(roots[top], v);
    w->pending_count = 0;
    if (!push(w, at, top, v)) { sink->report(sink, LENGTH, top); return; }
    while (w->pending_count) {
        const micro *const next = &w->pending[--w->pending_count];
        const uint32_t label = next->label;
        memcpy(v, next->v, sizeof v);
        at = next->node;
        const int is_new = visit(w, at, v);
        if (is_new < 0) { sink->report(sink, LENGTH, label); break; }
        if (!is_new) continue;
        if (at == RESTING) { rest(w, v, label, sink); continue; }
        int back = at < RESTING; /* what overrides the way back, from the outside in; then from the inside out */
        uint32_t node = (uint32_t)(back ? WAY_BACK(at) : at), enabled = 0, failures = 0, first = 0, last = 0;
        const uint32_t *group = outgoing;
        for (;;) {
            const uint32_t *const p = places + places_start[node];
            const uint32_t d = definition_of[node];
            const int32_t position = v[position_of[node]];
            if (back) {
                group = overriding;
                last = overriding_first[d + 1], first = position == 1 ? last : overriding_first[d];
            } else {
                group = outgoing;
                first = outgoing_first[outgoing_start[d] + (uint32_t)position];
                last = outgoing_first[outgoing_start[d] + (uint32_t)position + 1];
            }
            for (uint32_t i = first; i < last; i++) {
                int failed = 0;
                const uint32_t t = group[i];
                if (!guards[t] || (guards[t](v, p, &failed) && !failed)) enabled++;
                if (failed) { failures++; sink->report(sink, (uint32_t)failed - 1, TOPS + t); }
            }
            if (enabled || failures) break;
            if (back) {
                const int32_t inside = position - first_inside[d];
                if (inside >= 0) node = children[children_start[node] + (uint32_t)inside];
                else back = 0;
                continue;
            }
            if (owner[node] < 0) break;
            node = (uint32_t)owner[node];
        }
        if (failures && !enabled) continue;
        if (!enabled) {
            const int first_time = visit(w, RESTING, v);
            if (first_time < 0) { sink->report(sink, LENGTH, label); break; }
            if (first_time) rest(w, v, label, sink);
            continue;
        }
        const uint32_t *const p = places + places_start[node];
        const uint32_t base = w->pending_count;
        int32_t after[SIZE];
        for (uint32_t i = first; i < last; i++) {
            int failed = 0;
            const uint32_t t = group[i];
            if (guards[t] && (!guards[t](v, p, &failed) || failed)) continue;
            memcpy(after, v, sizeof v);
            sink->covered[TOPS + t] = 1;
            const int code = actions[t] ? actions[t](after, p) : 0;
            if (code) { sink->report(sink, (uint32_t)code - 1, TOPS + t); continue; }
            const int32_t to = moved(t, node, after);
            if (!push(w, to, TOPS + t, after)) { sink->report(sink, LENGTH, TOPS + t); break; }
        }
        for (uint32_t i = base, j = w->pending_count; i + 1 < j; i++) { /* the first is tried first */
            j--;
            micro swapped = w->pending[i];
            w->pending[i] = w->pending[j];
            w->pending[j] = swapped;
        }
    }
    forget_visited(w);
}

static void successors(const uint8_t *state, uint32_t length, kripke_sink *sink) {
    worker *const w = sink->context;
    (void)length;
    decode(state, w->before, 0);
    sink->actor = KRIPKE_NOBODY;
    for (uint32_t i = 0; i < INVARIANTS; i++) {
        int failed = 0;
        const int64_t holds = invariants_of_states[i](w->before, global_places, &failed);
        if (failed || !holds) sink->report(sink, failed ? (uint32_t)failed - 1 : INVARIANT, FIRST_INVARIANT + i);
    }
    for (uint32_t t = 0; t < TOPS; t++) {
        sink->actor = t;
        macro_steps(w, t, sink);
    }
}

static int valid_end(const uint8_t *state, uint32_t length) {
    (void)state, (void)length;
    return 0;
}

static void atoms(const uint8_t *state, uint32_t length, uint64_t *truth) {
    int32_t v[SIZE];
    (void)length;
    decode(state, v, 0);
    for (uint32_t i = 0; i < ATOMS; i++) {
        const uint64_t bit = UINT64_C(1) << (i % 64);
        int failed = 0;
        if (atoms_of_states[i](v, global_places, &failed) && !failed) truth[i / 64] |= bit;
        else truth[i / 64] &= ~bit;
        if (failed) truth[(ATOMS + 63) / 64 + i / 64] |= bit;
    }
}

static void *context_new(const kripke_model *self) {
    (void)self;
    worker *const w = calloc(1, sizeof *w);
    if (!w) return 0;
    w->slot_mask = 63;
    w->slots = calloc(64, sizeof *w->slots);
    if (w->slots) return w;
    free(w);
    return 0;
}

static void context_free(void *context) {
    worker *const w = context;
    if (!w) return;
    free(w->pending);
    free(w->visited);
    free(w->slots);
    free(w);
}

static void initial(kripke_sink *sink) {
    for (uint32_t i = 0; i < BROKEN; i++) sink->report(sink, broken_codes[i], broken_labels[i]);
    for (uint32_t i = 0; i < INITIAL_STATES; i++) {
        const uint32_t length = initial_start[i + 1] - initial_start[i];
        memcpy(sink->out, initial_states + initial_start[i], length);
        sink->emit(sink, length, 0);
    }
}

static uint32_t components(const kripke_model *self, const uint8_t *state, uint32_t length, kripke_component *parts) {
    int32_t v[SIZE];
    kripke_component *end = parts;
    (void)self, (void)length;
    decode(state, v, &end);
    return (uint32_t)(end - parts);
}

"""

_ENTRY = """
static const kripke_model model = {
    KRIPKE_ABI, LONGEST, LABELS, CODES, ATOMS, 0, model_name,
    context_new, context_free, initial, successors, valid_end, atoms,
    DEPENDENCIES,
    TABLES, 1 + NODES, table_names, components, 0,
    .estimate = ESTIMATE
};

const kripke_model *kripke_model_entry(void) { return &model; }
"""
