"""A high-level net as a C file against ``native/model/model.h``.

Instances are found by nested loops along the same plan as in the interpreter, values are machine words, states bits.
"""

from __future__ import annotations

from collections.abc import Sequence

from kripke.nets.high_level.classes import Units
from kripke.nets.high_level.emit.code import Code, Names, constant_token
from kripke.nets.high_level.emit.runtime import COLLECTING, RUNTIME
from kripke.nets.high_level.emit.transitions import TransitionCode
from kripke.nets.high_level.emit.units import UnitCode
from kripke.nets.high_level.emit.values import NotCompilable, Types
from kripke.nets.high_level.interpreter import CODES, Interpreter
from kripke.nets.high_level.marking import bit_length, empty_bit, longest, set_size
from kripke.nets.high_level.net import Condition, FairnessSet, HighLevelNet
from kripke.nets.high_level.terms import Term

_MOST_NODES = 100_000  # larger nets are left to the interpreter
_NESTED = 100  # loops in each other
_MOST_SETS = 64  # of fairness: the bits of a word


def emit_c(
    net: HighLevelNet,
    interpreter: Interpreter,
    atoms: Sequence[Condition],
    fair: Sequence[FairnessSet] = (),
    units: Units | None = None,
    estimates: Sequence[str] = (),
) -> str | None:
    """The whole file; None where values do not fit machine words, or the text would be too long to compile.

    With fairness sets, states and atoms are those of ``fair.FairModel``. With units, for partial-order reduction, with
    estimates (``estimates.py``) for directed search."""
    try:
        return _File(net, interpreter, atoms, fair, units, estimates).text()
    except NotCompilable:
        return None


class _File:
    def __init__(
        self,
        net: HighLevelNet,
        interpreter: Interpreter,
        atoms: Sequence[Condition],
        fair: Sequence[FairnessSet],
        units: Units | None,
        estimates: Sequence[str] = (),
    ) -> None:
        self.estimates = estimates
        self.net = net
        self.fair = fair
        self.interpreter = interpreter
        self.conditions = atoms
        self.types = Types()
        self.names = Names()
        self.units = None if units is None else UnitCode(units, self.types)
        self._limit()

    def _limit(self) -> None:
        net = self.net
        nodes = sum(_nodes(term) for t in net.transitions for term in (*t.gates, *(term for _, term in t.outputs)))
        nodes += sum(arc.token.size for t in net.transitions for arc in t.inputs)
        nodes += sum(_nodes(place.contents) for place in net.places if place.implicit)
        nodes += sum(term.size for one in (*self.fair, *net.enabled_sets) for _, term in one.instances)
        nodes += sum(condition.term.size for condition in (*net.rejects, *net.deadlocks, *self.conditions))
        deepest = max((len(t.inputs) + len(t.variables) for t in net.transitions), default=0)
        if nodes > _MOST_NODES or deepest > _NESTED or len(self.fair) > _MOST_SETS:
            raise NotCompilable(net.name)

    def text(self) -> str:
        net = self.net
        places = [self.types.name(place.type) for place in net.places]
        functions: list[str] = []
        for number in net.implicit_order:
            functions += self._contents(number)
        functions += self._implicit()
        for name, conditions in (
            ("reject", net.rejects),
            ("deadlock", net.deadlocks),
            ("atom", self.conditions),
        ):
            for number, condition in enumerate(conditions):
                functions += self._condition(f"{name}{number}", condition)
        for number, plan in enumerate(self.interpreter.plans):
            functions += TransitionCode(net, number, plan, self.types, self.names, self.fair, self.units).emit()
        return "\n".join(
            [
                *self._head(),
                *self.types.lines,
                *self._shapes(places),
                *self.names.tables,
                *_shared(net, self.interpreter),
                *([] if self.units is None else self.units.lines),
                *functions,
                *([] if self.units is None else self.units.lacking()),
                *self.estimates,
                *self._entry(),
            ]
        )

    def _head(self) -> list[str]:
        net = self.net
        name = "".join(c if c.isalnum() or c in " _.-" else "_" for c in net.name)
        return [
            f"/* {name}: {len(net.places)} places, {len(net.transitions)} transitions */",
            '#include "model.h"',
            "#include <stdlib.h>",
            "#include <string.h>",
            "",
            f"#define PLACES {len(net.places)}u",
            f"#define BAGS {self.names.bags}u",
            f"#define LONGEST {longest(net)}u",
            f"#define WIDTH {(len(self.fair) + 7) // 8}u /* of what comes before the marking: fairness sets */",
            f'static const char model_name[] = "{name}";',
            *(f"#define E_{error} {code + 1}" for error, code in CODES.items()),
            RUNTIME,
        ]

    def _shapes(self, places: list[str]) -> list[str]:
        lines = []
        shapes = []
        for number, place in enumerate(self.net.places):
            name = places[number]
            capacity = "0, 0, 0"
            marked = 0
            if place.capacity is not None:
                ranges = ", ".join(f"{{UINT64_C({low}), UINT64_C({high})}}" for low, high in place.capacity)
                lines.append(f"static const range capacity{number}[] = {{{ranges}}};")
                capacity = f"capacity{number}, {len(place.capacity)}, {bit_length(set_size(place.capacity))}"
                marked = int(empty_bit(place.capacity))
            shapes.append(f"    {{{capacity}, {place.type.bits}, {marked}, {name}_index, {name}_key}},")
        return [*lines, "static const shape shapes[] = {", *(shapes or ["    {0, 0, 0, 0, 0, 0, 0},"]), "};"]

    def _contents(self, number: int) -> list[str]:
        """What an implicit place holds in the marking that is viewed: into a bag; the code of an error."""
        code = Code(self.types, self.names)
        code.add(self.net.places[number].contents, "to", "UINT64_C(1)")
        return [
            f"static int contents{number}(context *c, bag *to) {{",
            "    int error = 0;",
            "    (void)error, (void)c;",
            "    to->n = 0;",
            *code.lines,
            "    return 0;",
            *(["failed:;", "    return error;"] if _jumps(code) else []),
            "}",
        ]

    def _implicit(self) -> list[str]:
        """After a step: recompute the implicit places and compare; their new contents are viewed meanwhile."""
        order = self.net.implicit_order
        if not order:
            return []
        lines = ["static int check_implicit(context *c) {", "    int error = 0;"]
        for number in order:
            bag = f"c->extra[{self.names.bags}]"
            self.names.bags += 1
            lines += [
                f"    if ((error = contents{number}(c, &{bag}))) return error;",
                f"    if (!bag_equal(&{bag}, c->view[{number}])) return E_implicit;",
            ]
        return [*lines, "    return 0;", "}"]

    def _condition(self, name: str, condition: Condition) -> list[str]:
        """1, 0, or less than 0 where it cannot be evaluated: the code of the error."""
        code = Code(self.types, self.names)
        value = code.value(condition.term)
        return [
            f"static int {name}(context *c) {{",
            "    int error = 0;",
            "    (void)error, (void)c;",
            *code.lines,
            f"    return {value} != 0;",
            *(["failed:;", "    return -error;"] if _jumps(code) else []),
            "}",
        ]

    def _entry(self) -> list[str]:
        net = self.net
        first = len(net.transitions)
        lines = [
            "static void steps(context *c, kripke_sink *sink) {",
            "    uint32_t priority = 0;",
            "    (void)priority, (void)c, (void)sink;",
            *self._priorities(),
            "}",
            "",
            "static void successors(const uint8_t *state, uint32_t length, kripke_sink *sink) {",
            "    context *const c = sink->context;",
            "    read_state(c, state, length);",
        ]
        for number in range(len(net.rejects)):
            lines += [
                f"    if (is_true(reject{number}(c))) {{",
                f"        sink->covered[{first + number}] = 1;",
                f"        sink->report(sink, E_reject - 1, {first + number});",
                "        return;",
                "    }",
            ]
        lines += [
            "    steps(c, sink);",
            "}",
            "",
            "static int valid_end(const uint8_t *state, uint32_t length) {",
            "    int valid = 1;",
            "    context *const c = calloc(1, sizeof(context));",
            "    if (!c) return 0;",
            "    read_state(c, state, length);",
            *(f"    if (is_true(deadlock{number}(c))) valid = 0;" for number in range(len(net.deadlocks))),
            "    context_free(c);",
            "    return valid;",
            "}",
            "",
            *(COLLECTING.splitlines() if self.fair else ()),
            "static void atoms(const uint8_t *state, uint32_t length, uint64_t *truth) {",
            f"    const uint32_t words = ({self.atoms}u + 63) / 64;",
            "    context *const c = calloc(1, sizeof(context));",
            "    (void)words;",
            "    if (!c) return;",
            "    read_state(c, state, length);",
        ]
        for number in range(len(self.conditions)):
            word, bit = number // 64, f"(UINT64_C(1) << {number % 64})"
            lines += [
                "    {",
                f"        const int value = atom{number}(c);",
                f"        if (is_true(value)) truth[{word}] |= {bit}; else truth[{word}] &= ~{bit};",
                f"        if (value < 0) truth[words + {word}] |= {bit};",
                "    }",
            ]
        lines += self._fair_atoms()
        width = (len(self.fair) + 7) // 8
        initial = ", ".join(str(byte) for byte in bytes(width) + self.interpreter.initial())
        flags = "0" if self.units is None else "KRIPKE_STEPS_HAVE_TRANSITIONS"
        return [
            *lines,
            "    context_free(c);",
            "}",
            "",
            f"static const uint8_t initial_state[] = {{{initial}}};",
            "static void initial(kripke_sink *sink) {",
            "    memcpy(sink->out, initial_state, sizeof initial_state);",
            "    sink->emit(sink, sizeof initial_state, 0);",
            "}",
            "",
            "static const kripke_model model = {",
            f"    KRIPKE_ABI, LONGEST + WIDTH, {self.labels}u, {len(CODES)}u, {self.atoms}u, {flags}, model_name,",
            "    context_new, context_free, initial, successors, valid_end, atoms,",
            *([] if self.units is None else [self.units.entry]),
            *(["    .estimate = estimate,"] if self.estimates else []),
            "};",
            "",
            "const kripke_model *kripke_model_entry(void) { return &model; }",
            "",
        ]

    @property
    def labels(self) -> int:
        return max(1, len(self.net.transitions) + len(self.net.rejects) + len(self.net.enabled_sets))

    @property
    def atoms(self) -> int:
        return len(self.conditions) + 2 * len(self.fair)

    def _priorities(self) -> list[str]:
        lines = []
        for number, transition in enumerate(self.net.transitions):
            if any(t.priority for t in self.net.transitions):
                own = transition.priority
                head = f"    if (!priority || priority == {own}u)"
                tail = f" && {own}u) priority = {own}u;" if own else ");"
                lines.append(f"{head} if (t{number}(c, sink){tail}")
            else:
                lines.append(f"    t{number}(c, sink);")
        return lines

    def _fair_atoms(self) -> list[str]:
        """Two of each fairness set: none of it has just fired where it should have, and one is enabled."""
        if not self.fair:
            return []
        lines = [
            "    uint64_t fired = 0;",
            "    for (uint32_t i = 0; i < WIDTH; i++)",
            "        fired |= (uint64_t)state[i] << 8 * i;",
            f"    const uint64_t enabled = enabled_sets(c, {self.labels}u);",
        ]
        for number, fair in enumerate(self.fair):
            is_enabled = f"(enabled >> {number} & 1)"
            due = f"!(fired >> {number} & 1)" + ("" if fair.strength == "strong" else f" && {is_enabled}")
            for atom, value in enumerate((due, is_enabled), len(self.conditions) + 2 * number):
                word, bit = atom // 64, f"(UINT64_C(1) << {atom % 64})"
                lines.append(f"    if ({value}) truth[{word}] |= {bit}; else truth[{word}] &= ~{bit};")
        return lines


def _nodes(term: Term) -> int:
    """How much text a term makes: constant tokens are tables."""
    if term.operator == "sum":
        return sum(_nodes(operand) for operand in term.operands if constant_token(operand) is None)
    return term.size


def _jumps(code: Code) -> bool:
    return any("goto failed;" in line for line in code.lines)


def _shared(net: HighLevelNet, interpreter: Interpreter) -> list[str]:
    """Reading and writing whole states."""
    forward = [f"static int contents{number}(context *c, bag *to);" for number in net.implicit_order]
    constant = [number for number, place in enumerate(net.places) if place.constant]
    constants = []
    for number in constant:
        tokens = interpreter.marking(interpreter.initial())[number]
        type_ = net.places[number].type
        for key, count in sorted((type_.key(value), count) for value, count in tokens.items()):
            constants.append(f"    bag_add(c, &c->here[{number}], INT64_C({key}), UINT64_C({count}));")
    return [
        *forward,
        "static inline int is_true(int value) { return value > 0 || value == -E_fatal; }",
        "",
        "static void whole(bag *b) {",
        "    for (uint32_t i = 0; i < b->n; i++)",
        "        b->left[i] = b->count[i];",
        "}",
        "",
        "static void read_state(context *c, const uint8_t *state, uint32_t length) {",
        "    reader r = {state + WIDTH, length - WIDTH, 0};",
        "    (void)r;",
        "    for (uint32_t p = 0; p < PLACES; p++)",
        "        c->view[p] = &c->here[p];",
        *(f"    read_bag(c, &r, &shapes[{number}], &c->here[{number}]);" for number in net.stored),
        *(f"    c->here[{number}].n = 0;" for number in constant),
        *constants,
        *(f"    contents{number}(c, &c->here[{number}]);" for number in net.implicit_order),
        "    for (uint32_t p = 0; p < PLACES; p++)",
        "        whole(&c->here[p]);",
        "}",
        "",
        "static int write_view(context *c, kripke_sink *sink, uint32_t label) {",
        "    writer w = {sink->out + WIDTH, 0, 0, 0};",
        "    for (uint32_t i = 0; i < WIDTH; i++)",
        "        sink->out[i] = (uint8_t)(c->sets >> 8 * i);",
        *(f"    if (!write_bag(c, &w, &shapes[{number}], c->view[{number}])) return 0;" for number in net.stored),
        "    if (w.holds && !put(&w, 0, 8 - w.holds)) return 0;",
        "    if (!w.length && !put(&w, 0, 8)) return 0;",
        "    if (c->failed) return 0;",
        "    sink->covered[label] = 1;",
        "    sink->emit(sink, w.length + WIDTH, label);",
        "    return 1;",
        "}",
        "",
    ]
