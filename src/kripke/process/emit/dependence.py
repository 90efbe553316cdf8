"""What partial-order reduction asks of a compiled program, as C: the configuration of a state, and what every edge at
the present location of a process lacks to be enabled. The numbers are those of ``process/dependence``.
"""

from __future__ import annotations

from kripke.process.dependence.conditions import MOST_DISTANT, conditions_of, distant_conditions, leading
from kripke.process.dependence.selectors import selectors_of
from kripke.process.dependence.stability import Stability
from kripke.process.dependence.values import PossibleValues
from kripke.process.emit.code import Code, comment
from kripke.process.emit.enabled import provided_name
from kripke.process.emit.expressions import Evaluation
from kripke.process.emit.facts import Facts
from kripke.process.emit.processes import chunks, table
from kripke.process.emit.scalars import View
from kripke.process.expressions import Expression
from kripke.process.program import MAX_PROCESSES, Edge, Else, Location, ProcessType, Send, Terminate, Variable

_PARAMETERS = "const uint8_t *s, uint32_t n, uint32_t f, uint32_t pid, uint32_t base, kripke_lack *here"

_LACKING = """\
static uint32_t ask_all(const lack_function *functions, const uint8_t *s, uint32_t n, kripke_lack *here)
{
    uint32_t pid = 0, base = 0, count = 0;
    for (uint32_t at = GLOBAL_BYTES; at < n; at += frame_bytes(s + at), pid++) {
        uint32_t control = get_control(s + at);
        if (functions[control]) count += functions[control](s, n, at, pid, base, here + count);
        base += edges_of[control];
    }
    return count;
}

static uint32_t lacking(const uint8_t *s, uint32_t n, kripke_lack *here) { return ask_all(lack_at, s, n, here); }
static uint32_t distant(const uint8_t *s, uint32_t n, kripke_lack *there) { return ask_all(distant_at, s, n, there); }
"""

_CONFIGURATION = """\
/* For every process its class and the local variables that nobody will assign any more, then such global ones. */
static uint32_t configuration(const uint8_t *s, uint32_t n, uint8_t *key)
{{
    uint32_t size = 0;
    uint32_t assigned[{words}] = {{0}};
    for (uint32_t at = GLOBAL_BYTES; at < n; at += frame_bytes(s + at)) {{
        uint32_t class = class_of[get_control(s + at)];
        key[size++] = (uint8_t)class;
        key[size++] = (uint8_t)(class >> 8);
        for (uint32_t i = settled_from[class]; i < settled_from[class + 1]; i++) {{
            memcpy(key + size, s + at + settled[i][0], settled[i][1]);
            size += settled[i][1];
        }}
        for (uint32_t i = 0; i < {words}; i++) assigned[i] |= assigned_by[class][i];
    }}
    for (uint32_t i = 0; i < {count}; i++)
        if (!(assigned[i / 32] >> (i % 32) & 1u)) {{
            memcpy(key + size, s + deciding[i][0], deciding[i][1]);
            size += deciding[i][1];
        }}
    return size;
}}
"""


def dependence_functions(facts: Facts) -> str:
    """The functions ``configuration``, ``lacking`` and ``distant``."""
    return "\n".join([*_lacking(facts), *_configuration(facts)])


def dependence_entries(facts: Facts) -> str:
    """The last entries of the model's table."""
    most = max((len(location.edges) for process in facts.created for location in process.locations), default=0)
    bounds = f"MAX_STATE_BYTES + {2 * MAX_PROCESSES}u, {max(most, MOST_DISTANT) * MAX_PROCESSES}u"
    return f"{bounds}, configuration, lacking, distant"


# --- what edges lack --------------------------------------------------------------------------------------------------


def _lacking(facts: Facts) -> list[str]:
    code = Code()
    names: list[str] = []
    distant: list[str] = []
    counts: list[str] = []
    values = PossibleValues(facts.program)
    for number, process in enumerate(facts.program.processes):
        edges = sum(len(location.edges) for location in process.locations)
        counts += [str(edges)] * len(process.locations)
        if process not in facts.created:
            names += ["0"] * len(process.locations)
            distant += ["0"] * len(process.locations)
            continue
        distant += [_distant(facts, code, process, values, f"distant_{number}")] * len(process.locations)
        first = 0
        for chunk, locations in enumerate(chunks(process.locations)):
            name = f"lack_{number}_{chunk}"
            first = _chunk(facts, code, name, process, locations, first)
            names += [name] * len(locations)
    return [
        code.text(),
        f"typedef uint32_t (*lack_function)({_PARAMETERS});",
        table("lack_function", "lack_at", names),
        table("lack_function", "distant_at", distant),
        table("uint32_t", "edges_of", counts),
        _LACKING,
    ]


def _chunk(
    facts: Facts, code: Code, name: str, process: ProcessType, locations: list[tuple[int, Location]], first: int
) -> int:
    """The function of some locations, whose edges count from ``first``; where the next ones count from."""
    code.line(comment(f"process {process.name}"))
    code.line(f"static uint32_t {name}({_PARAMETERS})")
    with code.block():
        code.line("const uint8_t *l = s + f;")
        code.line("uint32_t k = 0;")
        code.line("(void)l, (void)n, (void)pid, (void)base, (void)here;")
        with code.block("switch (get_control(l))"):
            for i, location in locations:
                if location.edges:
                    with code.block(f"case {process.control(i)}:", " break;"):
                        _location(facts, code, process, location, first)
                first += len(location.edges)
            code.line("default: break;")
        code.line("return k;")
    code.line()
    return first


def _distant(facts: Facts, code: Code, process: ProcessType, values: PossibleValues, name: str) -> str:
    """The function that looks at conditions of edges elsewhere; its name, or 0 where there are none."""
    edges = distant_conditions(process, facts.program, values)
    if not edges:
        return "0"
    conditions = {part: "" for edge in edges for _, part in edge.conditions}
    code.line(f"static uint32_t {name}({_PARAMETERS})")
    with code.block():
        code.line("const uint8_t *l = s + f;")
        code.line("uint32_t k = 0, control = get_control(l);")
        code.line("(void)n, (void)pid;")
        for part in conditions:
            variable = conditions[part] = code.fresh("holds_")
            code.line(f"uint32_t {variable} = 1; /* also where it cannot be evaluated */")
            _evaluated(facts, code, part, variable + " = ({value}) != 0;")
        for edge in edges:
            lacks = " | ".join(f"({conditions[part]} ? 0 : {1 << bit}u)" for bit, part in edge.conditions)
            with code.block():
                code.line(f"uint32_t lack = {lacks};")
                code.line(f"here[k].transition = base + {edge.number}; here[k].actor = pid;")
                code.line("here[k].lacking = lack | 1; here[k].selector = 0;")
                code.line(f"k += lack != 0 && control != {process.control(edge.location)};")
        code.line("return k;")
    code.line()
    return name


def _evaluated(facts: Facts, code: Code, expression: Expression, use: str) -> None:
    """Use the ``{value}`` of an expression; nothing where it has none."""
    after = code.fresh("after_")
    with code.captured() as lines:
        evaluation = Evaluation(facts, code, View("s", "l"), lambda _: f"goto {after};")
        code.line(use.replace("{value}", evaluation.value(expression)))
    with code.block():
        code.lines += lines
    if any(f"goto {after};" in line for line in lines):
        code.label(after)


def _selector(facts: Facts, code: Code, location: Location) -> None:
    """What the state tells about the edges of the location: the numbers of ``ProcessDependencies.selector``."""
    selectors = selectors_of(location)
    code.line(f"uint32_t selector = 0, known = {1 if selectors else 0};")
    for selector in selectors:
        code.line("if (known) known = 2;")
        add = (
            f"if (known && value < {selector.count}u) {{ selector = selector * {selector.count}u + value; known = 1; }}"
        )
        _evaluated(facts, code, selector.expression, "uint32_t value = (uint32_t)({value}); " + add)
        code.line("if (known == 2) known = 0;")
    code.line("selector = known ? selector + 1 : 0;")


def _location(facts: Facts, code: Code, process: ProcessType, location: Location, first: int) -> None:
    _selector(facts, code, location)
    for number, edge in enumerate(location.edges):
        with code.block():
            code.line("uint32_t lack = 0;")
            _edge(facts, code, process, location, edge, number)
            _held_back(facts, code, process, location, number)
            code.line(f"here[k].transition = base + {first + number}; here[k].actor = pid;")
            code.line("here[k].lacking = lack; here[k++].selector = selector;")


def _edge(facts: Facts, code: Code, process: ProcessType, location: Location, edge: Edge, number: int) -> None:
    operation = leading(edge.actions[0].operation)
    match operation:
        case Else():
            for other in range(number):  # which are there already
                code.line(f"if (here[k - {number - other}].lacking == 0) lack |= {2 << other}u;")
            for other in range(number):
                code.line(f"if (here[k - {number - other}].lacking == KRIPKE_UNCLEAR) lack = KRIPKE_UNCLEAR;")
        case Terminate():
            code.line(f"if (f + {process.frame_bytes} != n) lack = 2;")
        case _:
            conditions = conditions_of(operation)
            if conditions is None or (isinstance(operation, Send) and facts.may_meet(operation.channel)):
                code.line("lack = KRIPKE_UNCLEAR;")
                return
            _conditions(facts, code, conditions.parts, stop_at_first=conditions.in_turn)


def _held_back(facts: Facts, code: Code, process: ProcessType, location: Location, number: int) -> None:
    """What is not tried though its own conditions are true, lacks its condition 1 (``Tables._held_back``)."""
    if facts.program.priorities:
        code.line("if (lack == 0) lack = KRIPKE_UNCLEAR;")
    escapes = [
        other
        for other in range(number)
        if location.edges[other].escape and location.edges[other].escape != location.edges[number].escape
    ]
    for other in escapes:
        before = f"here[k - {number - other}].lacking"
        code.line(f"if (lack == 0 && {before} == KRIPKE_UNCLEAR) lack = KRIPKE_UNCLEAR;")
        code.line(f"else if ((lack == 0 || lack == KRIPKE_UNCLEAR) && {before} == 0) lack = 2;")
    name = provided_name(facts, process)
    if name is not None:
        code.line(f"if ((lack == 0 || lack == KRIPKE_UNCLEAR) && !{name}(s, n, f, pid, 0)) lack = 2;")


def _conditions(facts: Facts, code: Code, parts: tuple[Expression, ...], *, stop_at_first: bool) -> None:
    """A bit for every part that is false. A part that cannot be evaluated: enabled, if those before it are true."""
    if len(parts) > 30:
        code.line("lack = KRIPKE_UNCLEAR;")
        return
    done = code.fresh("done_")
    used = False
    for bit, part in enumerate(parts):
        after = code.fresh("after_")
        failure = f"{{ if (lack == 0) goto {done}; goto {after}; }}"

        def fail(_: object, text: str = failure) -> str:
            return text

        with code.captured() as lines:
            evaluation = Evaluation(facts, code, View("s", "l"), fail)
            value = evaluation.value(part)
            code.line(f"if (!({value})) lack |= {2 << bit}u;")
        with code.block():
            code.lines += lines
        if any(failure in line for line in lines):
            used = True
            code.label(after)
        if stop_at_first and bit + 1 < len(parts):
            used = True
            code.line(f"if (lack) goto {done};")
    if used:
        code.label(done)


# --- configurations ---------------------------------------------------------------------------------------------------


def _configuration(facts: Facts) -> list[str]:
    program = facts.program
    stability = Stability(program)
    deciding = [variable for variable in program.variables if variable in stability.deciding]
    words = max(1, (len(deciding) + 31) // 32)
    classes: dict[tuple[int, frozenset[Variable]], int] = {}
    class_of: list[str] = []
    starts, settled, masks = [0], list[str](), list[str]()
    for number, process in enumerate(program.processes):
        for location in range(len(process.locations)):
            ahead = stability.assigned_ahead(process, location)
            key = (number, ahead)
            if key not in classes:
                classes[key] = len(classes)
                settled += [
                    f"{{{variable.offset}, {variable.size}}}"
                    for variable in process.variables
                    if variable in stability.deciding and variable not in ahead
                ]
                starts.append(len(settled))
                masks.append(_mask(deciding, ahead, words))
            class_of.append(str(classes[key]))
    return [
        table("uint16_t", "class_of", class_of),
        table("uint32_t", "settled_from", map(str, [*starts, starts[-1]])),
        table("uint32_t", "settled", settled, columns=1).replace("] =", "][2] =", 1),
        table("uint32_t", "assigned_by", masks, columns=1).replace("] =", f"][{words}] =", 1),
        table("uint32_t", "deciding", [f"{{{v.offset}, {v.size}}}" for v in deciding], columns=1).replace(
            "] =", "][2] =", 1
        ),
        _CONFIGURATION.format(words=words, count=len(deciding)),
    ]


def _mask(deciding: list[Variable], ahead: frozenset[Variable], words: int) -> str:
    mask = sum(1 << i for i, variable in enumerate(deciding) if variable in ahead)
    return "{" + ", ".join(f"{mask >> (32 * word) & 0xFFFFFFFF}u" for word in range(words)) + "}"
