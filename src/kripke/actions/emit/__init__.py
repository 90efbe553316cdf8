"""An action program as a C file against ``native/model.h``."""

from __future__ import annotations

from collections.abc import Iterable

from kripke.actions.emit.expressions import can_fail, value
from kripke.actions.emit.meetings import meeting_functions
from kripke.actions.emit.processes import ProcessEmitter, communication_functions
from kripke.actions.emit.runtime import ACCESS, ENTRY, GAME, LACKING, POINTS, SLOTS, STRUCT
from kripke.actions.interpreter import Interpreter
from kripke.actions.program import (
    CONTROL_BYTES,
    Choose,
    Communicate,
    Control,
    ControlKind,
    Program,
    Queues,
    ViolationKind,
)

_NUMBERS_PER_LINE = 24


def emit_c(program: Program, *, dependencies: bool = False) -> str:
    """The whole file. ``dependencies``: with what partial-order reduction asks for."""
    known = (
        ".max_key_bytes = MOST_KEY, .max_lacking = MOST_PROCESSES, .configuration = configuration, .lacking = lacking,"
    )
    return "\n".join(
        [
            f"/* {program.name.replace('*/', '* /')}: {len(program.processes)} process types */",
            '#include "model.h"',
            "#include <stdlib.h>",
            "#include <string.h>",
            "",
            *sizes(program),
            *tables(program),
            *_for_checks(program),
            STRUCT,
            POINTS,
            ACCESS,
            SLOTS,
            *waiting_places(program),
            GAME,
            communication_functions(program),
            meeting_functions(program),
            *(ProcessEmitter(program, process).function() for process in program.processes),
            *points(program),
            _atoms(program),
            *([*_ready(program), LACKING] if dependencies else []),
            ENTRY.replace("DEPENDENCIES", known if dependencies else ""),
        ]
    )


def sizes(program: Program) -> list[str]:
    communications = [
        instruction
        for process in program.processes
        for instruction in process.code
        if isinstance(instruction, Communicate)
    ]
    most_alternatives = max((len(one.alternatives) for one in communications), default=1)
    fields = [len(a.values) + len(a.targets) for one in communications for a in one.alternatives]
    return [
        "enum { " + ", ".join(f"{kind.name} = {kind.value}" for kind in ViolationKind) + " };",
        f"#define VIOLATIONS {len(ViolationKind)}u",
        f"#define LABELS {max(1, len(program.statements))}u",
        f"#define ATOMS {len(program.atoms)}u",
        f"#define GLOBAL_BYTES {program.global_bytes}u",
        f"#define GLOBAL_PORTS {len(program.global_ports)}u",
        f"#define MOST_PROCESSES {program.max_processes}u",
        f"#define MOST_WAITERS {program.max_processes * most_alternatives + 1}u",
        f"#define MOST_FIELDS {max((1, *fields))}u",
        f"#define LONGEST {max(1, program.max_state_bytes)}u",
        f"#define QUEUES {list(Queues).index(program.queues)}",
        f"#define MOST_ALTERNATIVES {most_alternatives}u",
        "#define MOST_MEETINGS (MOST_WAITERS * MOST_ALTERNATIVES + 1u)",
        "",
    ]


def _array(type_: str, name: str, numbers: Iterable[int]) -> str:
    texts = [str(number) for number in numbers] or ["0"]
    lines = [", ".join(texts[at : at + _NUMBERS_PER_LINE]) for at in range(0, len(texts), _NUMBERS_PER_LINE)]
    return f"static const {type_} {name}[] = {{\n    " + ",\n    ".join(lines) + "\n};"


def tables(program: Program) -> list[str]:
    """What control values tell: the process type, its size, its ports."""
    controls = program.controls
    sizes = [CONTROL_BYTES if c is None else program.processes[c.process].record_bytes for c in controls]
    ports: list[int] = []
    spans: list[tuple[int, int]] = []
    for process in program.processes:
        spans.append((len(ports), len(ports) + len(process.ports)))
        ports += process.ports
    continues = [
        program.numbers[Control(c.process, ControlKind.READY, c.at)]
        if c is not None and c.kind is ControlKind.CALLING
        else 0
        for c in controls
    ]
    return [
        "/* by control value; 0 is a free slot */",
        _array("uint32_t", "record_bytes", sizes),
        _array("uint32_t", "process_of", [0 if c is None else c.process for c in controls]),
        _array("uint16_t", "continues", continues),
        _array("uint8_t", "is_ended", [int(c is not None and c.kind is ControlKind.ENDED) for c in controls]),
        _array("uint32_t", "first_port", [0 if c is None else spans[c.process][0] for c in controls]),
        _array("uint32_t", "last_port", [0 if c is None else spans[c.process][1] for c in controls]),
        _array("uint16_t", "ports", ports),
        _array("uint16_t", "global_ports", program.global_ports),
        *(
            [
                _array(
                    "uint16_t", "next_offset", [0 if c is None else program.processes[c.process].next for c in controls]
                )
            ]
            if program.queues is Queues.KERNEL
            else []
        ),
        _array("uint8_t", "initial_state", Interpreter(program).initial()),
    ]


def entry_tables(program: Program) -> list[str]:
    """Where an action begins, by control value."""
    entries: list[int] = []
    first, last = [], []
    for control in program.controls:
        first.append(len(entries))
        entries += _entries(program, control)
        last.append(len(entries))
    return [
        _array("uint32_t", "first_entry", first),
        _array("uint32_t", "last_entry", last),
        _array("uint32_t", "entries", entries),
    ]


def points(program: Program) -> list[str]:
    """What a look at a state asks, one line for each control value."""
    of_type: dict[int | None, list[int]] = {}
    for number, control in enumerate(program.controls):
        of_type.setdefault(None if control is None else control.process, []).append(number)
    branches: list[int] = []
    offerings: list[str] = []
    lines = []
    for control in program.controls:
        if control is None:
            lines.append(f"    {{0, 0, 1, {CONTROL_BYTES}, 0, 0, 0, 0, 0, 0, 0}},")
            continue
        process = program.processes[control.process]
        own = of_type[control.process]
        instruction = process.code[control.at] if control.kind is ControlKind.WAITING else None
        offered = instruction.alternatives if isinstance(instruction, Communicate) else ()
        selects = isinstance(instruction, Communicate) and instruction.selects
        is_ready = control.kind is ControlKind.READY
        chooses = is_ready and isinstance(process.code[control.at], Choose)
        entries = _entries(program, control)
        lines.append(
            f"    {{{f'run_{process.number}' if is_ready else '0'}, {own[0]}, {len(own)}, {process.record_bytes}, "
            f"{int(_moves(program, control))}, {int(is_ready and not chooses)}, {len(offered)}, {len(offerings)}, "
            f"{len(branches) if chooses else control.at}, {len(entries) if chooses else 0}, "
            f"{process.statements[control.at] if chooses else 0}}},"
        )
        branches += entries if chooses else []
        offerings += [
            f"    {{OFFER(0, {one.message}, {int(one.sends)}){' | SELECTING' if selects else ''}, {one.port_offset}}},"
            for one in offered
        ]
    return [
        _array("uint32_t", "branches", branches),
        "static const offering offerings[] = {",
        *(offerings or ["    {0, 0},"]),
        "};",
        "static const point points[] = {",
        *lines,
        "};",
    ]


def _for_checks(program: Program) -> list[str]:
    """What only a check asks: where processes may rest for ever, names."""
    names = ["globals", "free slots", *(f"process {process.name}" for process in program.processes)]
    controls = program.controls
    return [
        _array("uint8_t", "may_rest", [int(_may_rest(program, control)) for control in controls]),
        f"static const char model_name[] = {c_string(program.name)};",
        "static const char *const component_names[] = {" + ", ".join(map(c_string, names)) + "};",
        f"#define COMPONENT_TABLES {len(names)}u",
    ]


def c_string(text: str) -> str:
    return '"' + "".join(c if 32 <= ord(c) < 127 and c not in '"\\' else "?" for c in text) + '"'


def _entries(program: Program, control: Control | None) -> list[int]:
    """Where an action of a process with this control value begins; at a choice there are several."""
    if control is None or control.kind is not ControlKind.READY:
        return []
    instruction = program.processes[control.process].code[control.at]
    return list(instruction.targets) if isinstance(instruction, Choose) else [control.at]


def _moves(program: Program, control: Control | None) -> bool:
    """May a process at such a point have a step of its own?"""
    if control is None or control.kind not in (ControlKind.READY, ControlKind.WAITING):
        return False
    instruction = program.processes[control.process].code[control.at]
    return control.kind is ControlKind.READY or (isinstance(instruction, Communicate) and instruction.rechecks)


def _ready(program: Program) -> list[str]:
    """The numbers of the control points at which processes are ready, among those of their types."""
    counts = [0] * len(program.processes)
    indices = []
    for control in program.controls:
        is_ready = control is not None and control.kind is ControlKind.READY
        indices.append(counts[control.process] if control is not None and is_ready else -1)
        if control is not None and is_ready:
            counts[control.process] += 1
    return [
        _array("int32_t", "ready_index", indices),
        _array("uint32_t", "ready_count", counts),
        f"#define MOST_KEY {len(program.global_ports) + 2 * program.max_processes + program.max_state_bytes}u",
    ]


def _may_rest(program: Program, control: Control | None) -> bool:
    """Is it no deadlock if everybody is in such a place?"""
    return control is None or control.kind is ControlKind.ENDED or program.processes[control.process].environment


def waiting_places(program: Program) -> list[str]:
    lines, rows, first = [], [], 0
    for number, control in enumerate(program.controls):
        if control is None or control.kind is not ControlKind.WAITING:
            rows.append("    {0, 0, 0, 0, 0, 0, {0}},")
            continue
        instruction = program.processes[control.process].code[control.at]
        assert isinstance(instruction, Communicate)
        ones = ", ".join(
            f"{{{int(a.sends)}, {a.message}, {int(a.guard is not None)}, {int(bool(a.values or a.targets))}, "
            f"{int(a.guard is not None or any(t.place is None for t in a.targets))}, "
            f"{program.numbers[Control(control.process, ControlKind.READY, a.next)]}, {a.port_offset}, {a.statement}}}"
            for a in instruction.alternatives
        )
        lines.append(f"static const alternative alternatives_{number}[] = {{{ones}}};")
        pending = [*instruction.pending, (0, 0), (0, 0), (0, 0)][:3]
        flat = ", ".join(f"{start}, {size}" for start, size in pending)
        rows.append(
            f"    {{alternatives_{number}, {len(instruction.alternatives)}, {int(instruction.selects)}, "
            f"{int(instruction.rechecks)}, {first}, {instruction.rank}, {{{flat}}}}},"
        )
        first += len(instruction.alternatives)
    return [*lines, "static const waiting_place waiting[] = {", *rows, "};"]


def run_function(program: Program) -> str:
    cases = [
        f"    case {process.number}: run_{process.number}(w, self, entry); return;" for process in program.processes
    ]
    return "\n".join(
        [
            "static void run(memory *w, uint32_t self, uint32_t process, uint32_t entry) {",
            "    (void)communicate, (void)free_channel, (void)start, (void)end_process;",
            "    switch (process) {",
            *cases,
            "    }",
            "}",
        ]
    )


def _atoms(program: Program) -> str:
    if not program.atoms:
        return "#define ATOM_FUNCTION 0"
    lines = [
        "static void atoms(const uint8_t *state, uint32_t length, uint64_t *truth) {",
        "    memory one, *w = &one;",
        "    int64_t v;",
        "    (void)length;",
        "    uint8_t *const s = w->s = (uint8_t *)state;",
        "    (void)s;",
        "    w->failed = 0;",
    ]
    half = (len(program.atoms) + 63) // 64
    for number, expression in enumerate(program.atoms.values()):
        word, bit = divmod(number, 64)
        mask = f"UINT64_C({1 << bit})"
        lines.append(f"    v = {value(expression)};")
        if can_fail(expression):
            lines.append(f"    if (w->failed) {{ truth[{half + word}] |= {mask}; v = 0; w->failed = 0; }}")
        lines.append(f"    if (v) truth[{word}] |= {mask}; else truth[{word}] &= ~{mask};")
    return "\n".join([*lines, "}", "#define ATOM_FUNCTION atoms"])
