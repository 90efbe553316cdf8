"""Who may move, as C: enabledness of a process without executing anything, ``provided`` conditions, priorities.

None of this is in the file of a program that uses none of it.
"""

from __future__ import annotations

from kripke.process.emit.code import Code, comment
from kripke.process.emit.edges import EdgeExecution, StepName
from kripke.process.emit.expressions import Evaluation
from kripke.process.emit.facts import Facts
from kripke.process.emit.processes import chunks, table
from kripke.process.emit.scalars import View
from kripke.process.program import (
    DeterministicStep,
    Edge,
    Else,
    Guard,
    ProcessType,
    Receive,
    Send,
    Terminate,
    ViolationKind,
)

_PARAMETERS = "const uint8_t *s, uint32_t n, uint32_t f, uint32_t pid, int32_t timeout"

_IS_ENABLED = """\
/* Could process `pid` take a step by itself? `asked` are the processes about which this is being found out. */
MAY_BE_UNUSED static int32_t is_enabled(
    const uint8_t *s, uint32_t n, int32_t pid, int32_t timeout, const uint32_t *asked)
{
    uint32_t at = pid < 0 ? NO_FRAME : frame_at(s, n, (uint32_t)pid), asked_now[8] = {0};
    if (at == NO_FRAME) return 0;
    if (asked) {
        if (asked[pid / 32] >> (pid % 32) & 1u) return 0;
        memcpy(asked_now, asked, sizeof asked_now);
    }
    asked_now[pid / 32] |= 1u << (pid % 32);
    return enabled_at[get_control(s + at)](s, n, at, (uint32_t)pid, timeout, asked_now);
}
"""

_OUTRANKED = """\
/* Is there a process of a higher priority that could move? */
static int outranked(const uint8_t *s, uint32_t n, uint32_t f, int32_t timeout)
{{
    uint32_t pid = 0;
    for (uint32_t at = GLOBAL_BYTES; at < n; at += frame_bytes(s + at), pid++) {{
        if (s[at + {place}] <= s[f + {place}]) continue;
        {provided}if (is_enabled(s, n, (int32_t)pid, timeout, 0)) return 1;
    }}
    return 0;
}}
"""

_PROVIDED = """\
        if (provided_at[get_control(s + at)] && !provided_at[get_control(s + at)](s, n, at, pid, timeout)) continue;
        """


class EnabledTest(EdgeExecution):
    """One edge: returns 1 from the function where it is enabled, or cannot be evaluated."""

    def __init__(self, facts: Facts, code: Code, process: ProcessType, edge: Edge, step_name: StepName) -> None:
        super().__init__(facts, code, process, edge, step_name)
        self.view = View("s", "l", timeout="timeout", asked="asked")

    def _fail(self, kind: ViolationKind) -> str:
        return "return 1;"

    def _first(self) -> bool:
        operation = self.edge.actions[0].operation
        match operation:
            case Guard():
                self.perform(operation)
            case Terminate():
                self.code.line(f"if (f + {self.process.frame_bytes} != n) {self.blocking}")
            case DeterministicStep(code):
                self.test_step(code, 0)
            case Send():
                self.ready_to_send(operation)
            case Receive():
                self.ready_to_receive(operation)
            case Else() | _:
                pass
        self.code.line("return 1;")
        return True


def provided_name(facts: Facts, process: ProcessType) -> str | None:
    """The function that evaluates a process type's ``provided`` condition."""
    if process.provided is None:
        return None
    return f"provided_{facts.program.processes.index(process)}"


def check_provided(facts: Facts, process: ProcessType) -> str:
    """What a function of a process begins with: it returns where the process must not move."""
    name = provided_name(facts, process)
    return "" if name is None else f"if (!{name}(s, n, f, pid, TIMEOUT(sink))) return 0;"


def check_priority(facts: Facts) -> str:
    """The same for the beginning of a step."""
    return "if (outranked(s, n, f, TIMEOUT(sink))) return 0;" if facts.program.priorities else ""


def enabled_declarations(facts: Facts) -> str:
    """What the functions of processes must know beforehand."""
    program = facts.program
    lines = [
        f"static int {provided_name(facts, p)}({_PARAMETERS});" for p in program.processes if p.provided is not None
    ]
    if facts.asks_enabled:
        lines += [
            f"typedef int (*enabled_function)({_PARAMETERS}, const uint32_t *asked);",
            f"static const enabled_function enabled_at[{max(1, facts.control_points)}];",
            _IS_ENABLED,
        ]
    if program.priorities:
        provided = any(process.provided is not None for process in program.processes)
        if provided:
            lines += [
                f"typedef int (*provided_function)({_PARAMETERS});",
                f"static const provided_function provided_at[{max(1, facts.control_points)}];",
            ]
        text = _PROVIDED.lstrip() if provided else ""
        lines.append(_OUTRANKED.format(place=program.control_bytes, provided=text))
    return "\n".join(lines) + "\n" if lines else ""


def enabled_definitions(facts: Facts, step_name: StepName) -> str:
    """The functions and tables."""
    code, program = Code(), facts.program
    for process in program.processes:
        if process.provided is not None:
            _write_provided(facts, code, process)
    if program.priorities and any(process.provided is not None for process in program.processes):
        names = [provided_name(facts, process) or "0" for process in program.processes for _ in process.locations]
        code.line(table("provided_function", "provided_at", names))
    if facts.asks_enabled:
        names = []
        for number, process in enumerate(program.processes):
            if process in facts.created:
                names += _write_process(facts, code, number, process, step_name)
            else:
                names += ["0"] * len(process.locations)
        code.line(table("enabled_function", "enabled_at", names))
    return code.text() if code.lines else ""


def _write_provided(facts: Facts, code: Code, process: ProcessType) -> None:
    assert process.provided is not None
    code.line(comment(f"may a process {process.name} move?"))
    code.line(f"MAY_BE_UNUSED static int {provided_name(facts, process)}({_PARAMETERS})")
    with code.block():
        code.line("const uint8_t *l = s + f;")
        code.line("(void)l, (void)n, (void)pid, (void)timeout;")
        evaluation = Evaluation(facts, code, View("s", "l", timeout="timeout"), lambda _: "return 0;")
        code.line(f"return {evaluation.value(process.provided)} != 0;")
    code.line()


def _write_process(facts: Facts, code: Code, number: int, process: ProcessType, step_name: StepName) -> list[str]:
    names: list[str] = []
    for chunk, locations in enumerate(chunks(process.locations)):
        name = f"enabled_{number}_{chunk}"
        code.line(f"static int {name}({_PARAMETERS}, const uint32_t *asked)")
        with code.block():
            code.line("const uint8_t *l = s + f;")
            code.line("(void)n, (void)pid, (void)timeout, (void)asked;")
            with code.block("switch (get_control(l))"):
                for i, location in locations:
                    if location.edges:
                        with code.block(f"case {process.control(i)}:", " break;"):
                            for edge in location.edges:
                                EnabledTest(facts, code, process, edge, step_name).write()
                code.line("default: break;")
            code.line("return 0;")
        code.line()
        names += [name] * len(locations)
    return names
