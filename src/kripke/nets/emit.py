"""A place/transition net as a C file against ``native/model/model.h``.

The net is tables, the token game a loop over them: thousands of transitions compile as fast as ten, and the loop passes
over eight unmarked places at a time, and with each over the transitions it triggers. Markings with more than 254 tokens
on a place take a slower way (``marking.py`` has the form of states).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from kripke.model.capabilities.estimate import UNREACHABLE
from kripke.nets.dependence import MOST_CONDITIONS, conditions
from kripke.nets.estimates import Combined, Distance, Fixed, Missing
from kripke.nets.interpreter import Interpreter
from kripke.nets.marking import ESCAPE, WIDE_BYTES, longest
from kripke.nets.place_transition import MOST_TOKENS, Arc, PlaceTransitionNet
from kripke.nets.predicates import And, AtLeastZero, Constant, Fireable, Not, Or, Predicate

_FEW = 8  # terms of a sum that are written out
_NUMBERS_PER_LINE = 24
_SHORT = 2**31 - 1

#: Place, factor, constant of ``factor * tokens + constant >= 0``.
Literal = tuple[int, int, int]
Clause = tuple[Literal, ...]


def emit_c(
    net: PlaceTransitionNet,
    atoms: Sequence[tuple[str, Predicate]],
    *,
    dependencies: bool = False,
    measure: tuple[tuple[tuple[int, int], ...], int] | None = None,
    estimates: Sequence[Distance] = (),
) -> str:
    """The whole C file; ``atoms`` are named predicates. ``dependencies``: with what transitions lack to be enabled.
    ``measure``: a sum of tokens (places with factors, and a constant). ``estimates``: of the way to goals."""
    tables = _Tables(net)
    functions = [_atom(tables, number, name, predicate) for number, (name, predicate) in enumerate(atoms)]
    if measure is not None:
        functions.append(_measure(tables, *measure))
    if estimates:
        functions.append(estimate_functions(tables, estimates))
    places, count = len(net.places), len(net.transitions)
    head = [
        f"/* {_comment(net.name)}: {places} places, {count} transitions */",
        "/* Tables make the text long, not hard: it is worth optimising at any length. */",
        "#if defined(__GNUC__) && !defined(__clang__)",
        '#pragma GCC optimize ("O1")',
        "#endif",
        '#include "model.h"',
        "#include <stdlib.h>",
        "#include <string.h>",
        "",
        f"#define PLACES {places}u",
        f"#define TRANSITIONS {count}u",
        f"#define STATE_BYTES {max(1, places)}u",
        f"#define LONGEST {longest(places)}u",
        f"#define ESCAPE {ESCAPE}",
        f"#define WIDE_BYTES {WIDE_BYTES}u",
        f"#define MOST_TOKENS INT64_C({MOST_TOKENS})",
        f"#define ATOMS {len(atoms)}u",
        "",
    ]
    body = tables.lines()
    name = f"static const char model_name[] = {_string(net.name)};"
    start = _array("uint8_t", "initial_state", Interpreter(net).initial())
    known = "1, TRANSITIONS, configuration, lacking, 0," if dependencies else "0, 0, 0, 0, 0,"
    flags = "KRIPKE_LABELS_ARE_TRANSITIONS" if dependencies else "0"
    entry = (_LACKING if dependencies else "") + _ENTRY.replace("FLAGS", flags).replace("DEPENDENCIES", known)
    entry = entry.replace("MEASURE", "0" if measure is None else "measure")
    entry = entry.replace("ESTIMATE", "estimate" if estimates else "0")
    return "\n".join([*head, *body, start, name, _GAME, *tables.sums, *functions, _atoms(len(atoms)), entry])


class _Tables:
    """The net in the order in which transitions are tried; and the long sums and lists predicates need."""

    def __init__(self, net: PlaceTransitionNet) -> None:
        self.net = net
        self.sums: list[str] = []
        self._known: dict[tuple[str, object], str] = {}
        self.position = {transition: index for index, transition in enumerate(net.order)}

    def lines(self) -> list[str]:
        net = self.net
        triggered = [0] * (len(net.places) + 2)
        for trigger in net.triggers:
            triggered[trigger + 2] += 1
        for index in range(1, len(triggered)):
            triggered[index] += triggered[index - 1]
        presets = [conditions(net, t) for t in net.order]
        # A trigger that needs one token has it when its transitions are tried.
        skipped = [int(bool(preset) and preset[0].weight == 1) for preset in presets]
        changes = [net.transitions[t].changes for t in net.order]
        return [
            "typedef struct { uint32_t place; int32_t number; } arc;",
            "/* Transitions are numbered in the order they are tried; labels are the net's own numbers. */",
            _array("uint32_t", "labels", net.order),
            "/* Those without a preset come first; then, from triggered[p] on, those that place p triggers. */",
            _array("uint32_t", "triggered", triggered[1:]),
            _array("uint32_t", "preset_start", _starts(presets)),
            _array("uint8_t", "preset_skip", skipped),
            _arcs("preset", presets),
            _array("uint32_t", "change_start", _starts(changes)),
            _arcs("change", changes),
        ]

    def sum(self, terms: tuple[tuple[int, int], ...]) -> str:
        """A C expression for a sum of tokens."""
        if len(terms) <= _FEW:
            return " + ".join(
                f"tokens(state, length, {place}u)" + ("" if factor == 1 else f" * INT64_C({factor})")
                for place, factor in terms
            )
        name = self._table("sum", terms)
        return f"weighted({name}_places, {name}_factors, {len(terms)}u, state, length)"

    def fireable(self, transitions: tuple[int, ...]) -> str:
        if not transitions:
            return "0"
        if len(transitions) <= _FEW:
            return "(" + " || ".join(f"enabled(state, length, {self.position[t]}u)" for t in transitions) + ")"
        if len(transitions) == len(self.net.transitions):
            return "any_enabled(0, TRANSITIONS, state, length)"
        return f"any_enabled({self._table('list', transitions)}, {len(transitions)}u, state, length)"

    def clauses(self, clauses: tuple[Clause, ...]) -> str:
        """One of these conjunctions is true: a table, since the enabledness of a coloured transition has thousands."""
        name = self._known.get(("clauses", clauses))
        if name is None:
            name = f"clauses{len(self._known)}"
            self._known[("clauses", clauses)] = name
            literals = " ".join(
                f"{{{p}, {factor}, {constant}}}," for clause in clauses for p, factor, constant in clause
            )
            self.sums.append(_array("uint32_t", f"{name}_start", _starts(clauses)))
            self.sums.append(f"static const literal {name}[] = {{ {literals or '{0, 0, 0}'} }};")
        return f"any_clause({name}, {name}_start, {len(clauses)}u, state, length)"

    def _table(self, kind: str, key: tuple[tuple[int, int], ...] | tuple[int, ...]) -> str:
        name = self._known.get((kind, key))
        if name is None:
            name = f"{kind}{len(self._known)}"
            self._known[(kind, key)] = name
            if kind == "sum":
                self.sums.append(_array("uint32_t", f"{name}_places", [place for place, _ in key]))  # type: ignore[misc]
                self.sums.append(_array("int64_t", f"{name}_factors", [factor for _, factor in key]))  # type: ignore[misc]
            else:
                self.sums.append(_array("uint32_t", name, [self.position[t] for t in key]))  # type: ignore[index]
        return name


def _starts(lists: Sequence[Sequence[object]]) -> list[int]:
    starts = [0]
    for items in lists:
        starts.append(starts[-1] + len(items))
    return starts


def _array(type_: str, name: str, numbers: Iterable[int]) -> str:
    texts = [str(number) for number in numbers] or ["0"]
    lines = [", ".join(texts[at : at + _NUMBERS_PER_LINE]) for at in range(0, len(texts), _NUMBERS_PER_LINE)]
    return f"static const {type_} {name}[] = {{\n    " + ",\n    ".join(lines) + "\n};"


def _arcs(name: str, lists: Sequence[Sequence[Arc]]) -> str:
    lines = [" ".join(f"{{{place}, {number}}}," for place, number in items) for items in lists if items]
    return f"static const arc {name}[] = {{\n    " + "\n    ".join(lines or ["{0, 0}"]) + "\n};"


def _atom(tables: _Tables, number: int, name: str, predicate: Predicate) -> str:
    text = _expression(tables, predicate)
    return (
        f"/* {_comment(name)} */\n"
        f"static int atom{number}(const uint8_t *state, uint32_t length) {{\n"
        f"    (void)state, (void)length;\n    return {text};\n}}"
    )


def _measure(tables: _Tables, terms: tuple[tuple[int, int], ...], constant: int) -> str:
    return (
        "static int64_t measure(const uint8_t *state, uint32_t length) {\n"
        "    (void)state, (void)length;\n"
        f"    return INT64_C({constant}) + {tables.sum(terms) if terms else '0'};\n}}"
    )


class Sums(Protocol):
    def sum(self, terms: tuple[tuple[int, int], ...]) -> str:
        """A C expression for a sum of tokens."""


def estimate_functions(tables: Sums, estimates: Sequence[Distance], prologue: Sequence[str] = ()) -> str:
    """As ``model.h`` asks for; the numbers of goals are the places in the list. ``prologue`` makes ready what the sums
    read."""
    lines: list[str] = [
        "static uint32_t firings(int64_t missing, int64_t gain) {",
        "    if (missing <= 0) return 0;",
        "    if (gain == 0 || (missing + gain - 1) / gain > FAR) return FAR;",
        "    return (uint32_t)((missing + gain - 1) / gain);",
        "}",
    ]
    for number, distance in enumerate(estimates):
        body: list[str] = []
        result = _firings(tables, distance, body)
        lines.append(f"static uint32_t estimate_{number}(const uint8_t *state, uint32_t length) {{")
        lines += ["    (void)state, (void)length;", *prologue, *body, f"    return {result};", "}"]
    lines.append("static uint32_t estimate(const uint8_t *state, uint32_t length, uint32_t goal) {")
    lines.append("    uint32_t steps = 0;")
    lines += [
        f"    if (goal == {number}) steps = estimate_{number}(state, length);" for number in range(len(estimates))
    ]
    lines += ["    return steps < FAR ? steps : KRIPKE_UNREACHABLE;", "}"]
    return "\n".join([f"#define FAR {UNREACHABLE}u", *lines])


def _firings(tables: Sums, distance: Distance, body: list[str]) -> str:
    """A C operand; what is computed before goes to the body."""
    match distance:
        case Fixed(steps):
            return f"{min(steps, UNREACHABLE)}u"
        case Missing(terms, constant, gain):
            total = f"INT64_C({constant})" + (f" + {tables.sum(terms)}" if terms else "")
            return f"firings({total}, {gain})"
        case Combined(how, parts):
            name = f"h{len(body)}"
            body.append(f"    uint32_t {name} = {'FAR' if how == 'min' else '0'};")
            for part in parts:
                one = _firings(tables, part, body)
                if how == "sum":
                    body.append(f"    {name} += {one}; if ({name} > FAR) {name} = FAR;")
                else:
                    sign = "<" if how == "min" else ">"
                    body.append(f"    {{ uint32_t one = {one}; if (one {sign} {name}) {name} = one; }}")
            return name


def _expression(tables: _Tables, predicate: Predicate) -> str:
    match predicate:
        case Constant(value):
            return "1" if value else "0"
        case AtLeastZero(terms, constant):
            return f"({tables.sum(terms)} >= INT64_C({-constant}))"
        case Fireable(transitions):
            return tables.fireable(transitions)
        case Not(operand):
            return f"!({_expression(tables, operand)})"
        case And(operands):
            literals = tuple(literal for operand in operands if (literal := _literal(operand)) is not None)
            if len(literals) <= _FEW:
                return _joined(tables, " && ", operands)
            others = [operand for operand in operands if _literal(operand) is None]
            return _joined(tables, " && ", others, tables.clauses((literals,)))
        case Or(operands):
            clauses = tuple(clause for operand in operands if (clause := _clause(operand)) is not None)
            if len(clauses) <= _FEW:
                return _joined(tables, " || ", operands)
            others = [operand for operand in operands if _clause(operand) is None]
            return _joined(tables, " || ", others, tables.clauses(clauses))
        case _:
            raise TypeError(predicate)


def _joined(tables: _Tables, operator: str, operands: Sequence[Predicate], *first: str) -> str:
    return "(" + operator.join([*first, *(_expression(tables, operand) for operand in operands)]) + ")"


def _literal(predicate: Predicate) -> Literal | None:
    """A comparison about one place."""
    match predicate:
        case AtLeastZero(((place, factor),), constant) if max(abs(factor), abs(constant)) <= _SHORT:
            return place, factor, constant
        case _:
            return None


def _clause(predicate: Predicate) -> Clause | None:
    """A conjunction of such."""
    literals = [_literal(part) for part in (predicate.operands if isinstance(predicate, And) else (predicate,))]
    known = tuple(literal for literal in literals if literal is not None)
    return known if len(known) == len(literals) else None


def _atoms(count: int) -> str:
    if not count:
        return "#define atoms 0"
    names = [f"atom{number}" for number in range(count)]
    lines = [", ".join(names[at : at + 8]) for at in range(0, count, 8)]
    return (
        "static int (*const atom_functions[])(const uint8_t *, uint32_t) = {\n    " + ",\n    ".join(lines) + "\n};\n"
        "static void atoms(const uint8_t *state, uint32_t length, uint64_t *truth) {\n"
        "    for (uint32_t i = 0; i < ATOMS; i++) {\n"
        "        const uint64_t bit = UINT64_C(1) << (i % 64);\n"
        "        if (atom_functions[i](state, length)) truth[i / 64] |= bit;\n"
        "        else truth[i / 64] &= ~bit;\n"
        "    }\n}"
    )


def _comment(text: str) -> str:
    return text.replace("*/", "* /").replace("\n", " ").replace("\\", "/")[:500]


def _string(text: str) -> str:
    kept = "".join(c if c.isascii() and c.isprintable() and c not in '"\\?' else "_" for c in text)
    return f'"{kept[:200]}"'


_GAME = """
/* The tokens of a place in any state. */
static int64_t tokens(const uint8_t *state, uint32_t length, uint32_t place) {
    (void)length;
    if (state[place] != ESCAPE)
        return state[place];
    uint32_t at = STATE_BYTES;
    for (uint32_t p = 0; p < place; p++)
        if (state[p] == ESCAPE)
            at += WIDE_BYTES;
    int64_t number;
    memcpy(&number, state + at, WIDE_BYTES);
    return number;
}

static inline int64_t weighted(const uint32_t *places, const int64_t *factors, uint32_t count, const uint8_t *state,
                        uint32_t length) {
    int64_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += factors[i] * tokens(state, length, places[i]);
    return sum;
}

typedef struct { uint32_t place; int32_t factor; int32_t constant; } literal;

static int any_clause(const literal *literals, const uint32_t *starts, uint32_t count, const uint8_t *state,
                      uint32_t length) {
    for (uint32_t c = 0; c < count; c++) {
        uint32_t i = starts[c];
        while (i < starts[c + 1] &&
               literals[i].factor * tokens(state, length, literals[i].place) + literals[i].constant >= 0)
            i++;
        if (i == starts[c + 1])
            return 1;
    }
    return 0;
}

static inline int enabled(const uint8_t *state, uint32_t length, uint32_t t) {
    for (uint32_t a = preset_start[t]; a < preset_start[t + 1]; a++)
        if (tokens(state, length, preset[a].place) < preset[a].number)
            return 0;
    return 1;
}

static inline int any_enabled(const uint32_t *list, uint32_t count, const uint8_t *state, uint32_t length) {
    for (uint32_t i = 0; i < count; i++)
        if (enabled(state, length, list ? list[i] : i))
            return 1;
    return 0;
}

/* Fire an enabled transition where some place has or gets many tokens. */
static void fire_wide(const uint8_t *state, uint32_t length, uint32_t t, kripke_sink *sink) {
    int64_t *const after = sink->context;
    const uint32_t label = labels[t];
    for (uint32_t p = 0; p < PLACES; p++)
        after[p] = tokens(state, length, p);
    sink->covered[label] = 1;
    for (uint32_t a = change_start[t]; a < change_start[t + 1]; a++) {
        after[change[a].place] += change[a].number;
        if (after[change[a].place] > MOST_TOKENS) {
            sink->report(sink, 0, label);
            return;
        }
    }
    uint8_t *const out = sink->out;
    uint32_t end = STATE_BYTES;
    for (uint32_t p = 0; p < PLACES; p++) {
        if (after[p] < ESCAPE) {
            out[p] = (uint8_t)after[p];
            continue;
        }
        out[p] = ESCAPE;
        memcpy(out + end, &after[p], WIDE_BYTES);
        end += WIDE_BYTES;
    }
    sink->emit(sink, end, label);
}

/* Fire t if it is enabled in a state without wide places; the first `skip` arcs are known to be. */
static inline void try_transition(const uint8_t *state, uint32_t t, uint32_t skip, kripke_sink *sink) {
    const uint32_t end = preset_start[t + 1];
    for (uint32_t a = preset_start[t] + skip; a < end; a++)
        if (state[preset[a].place] < preset[a].number)
            return;
    uint8_t *const out = sink->out;
    memcpy(out, state, STATE_BYTES);
    const uint32_t last = change_start[t + 1];
    for (uint32_t a = change_start[t]; a < last; a++) {
        const int64_t number = (int64_t)out[change[a].place] + change[a].number;
        if (number >= ESCAPE) {
            fire_wide(state, STATE_BYTES, t, sink);
            return;
        }
        out[change[a].place] = (uint8_t)number;
    }
    sink->covered[labels[t]] = 1;
    sink->emit(sink, STATE_BYTES, labels[t]);
}

static inline void try_triggered(const uint8_t *state, uint32_t place, kripke_sink *sink) {
    if (state[place])
        for (uint32_t t = triggered[place]; t < triggered[place + 1]; t++)
            try_transition(state, t, preset_skip[t], sink);
}

static void successors(const uint8_t *state, uint32_t length, kripke_sink *sink) {
    if (length > STATE_BYTES) {
        for (uint32_t t = 0; t < TRANSITIONS; t++)
            if (enabled(state, length, t))
                fire_wide(state, length, t, sink);
        return;
    }
    for (uint32_t t = 0; t < triggered[0]; t++)
        try_transition(state, t, 0, sink);
    uint32_t place = 0;
    for (; place + 8 <= PLACES; place += 8) {
        uint64_t word;
        memcpy(&word, state + place, 8);
        if (word)
            for (uint32_t p = place; p < place + 8; p++)
                try_triggered(state, p, sink);
    }
    for (; place < PLACES; place++)
        try_triggered(state, place, sink);
}

static int valid_end(const uint8_t *state, uint32_t length) {
    (void)state, (void)length;
    return 0;
}

static void *context_new(const kripke_model *self) {
    (void)self;
    return malloc(sizeof(int64_t) * STATE_BYTES + 128); /* no line of the cache for two threads */
}
static void context_free(void *context) { free(context); }
"""

# The numbers of transitions, configurations (there is one) and conditions are those of nets/dependence.py.
_LACKING = f"""
static uint32_t configuration(const uint8_t *state, uint32_t length, uint8_t *key) {{
    (void)state, (void)length, (void)key;
    return 0;
}}

/* The last first: transitions are tried from the end. */
static uint32_t lacking(const uint8_t *state, uint32_t length, kripke_lack *here) {{
    uint32_t count = 0;
    for (uint32_t t = TRANSITIONS; t-- > 0; count++) {{
        uint32_t lack = 0;
        for (uint32_t i = preset_start[t], c = 1; i < preset_start[t + 1]; i++, c += c < {MOST_CONDITIONS}u)
            if (tokens(state, length, preset[i].place) < preset[i].number) lack |= UINT32_C(1) << c;
        here[count].transition = here[count].actor = labels[t];
        here[count].lacking = lack;
        here[count].selector = 0;
    }}
    return count;
}}
"""

_ENTRY = """
static void initial(kripke_sink *sink) {
    memcpy(sink->out, initial_state, sizeof initial_state);
    sink->emit(sink, sizeof initial_state, 0);
}

static const kripke_model model = {
    KRIPKE_ABI, LONGEST, TRANSITIONS, 1, ATOMS, FLAGS, model_name,
    context_new, context_free, initial, successors, valid_end, atoms,
    DEPENDENCIES 0, 0, 0, 0, MEASURE, .estimate = ESTIMATE
};

const kripke_model *kripke_model_entry(void) { return &model; }
"""
