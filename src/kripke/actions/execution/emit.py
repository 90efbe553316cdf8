"""An action program as a C file that runs by itself."""

from __future__ import annotations

from kripke.actions.emit import c_string, entry_tables, run_function, sizes, tables, waiting_places
from kripke.actions.emit.expressions import address, can_fail, value
from kripke.actions.emit.processes import ProcessEmitter, communication_functions
from kripke.actions.emit.runtime import ACCESS
from kripke.actions.execution.kernel import KERNEL, MAIN, STRUCT
from kripke.actions.program import (
    MOST_CHANNELS,
    VIOLATION_TEXT,
    Communicate,
    Deadline,
    Device,
    Instruction,
    Print,
    Program,
    ViolationKind,
)


def emit_program(program: Program) -> str:
    """The whole file: the program, and the kernel that runs it."""
    messages = [
        alternative.message
        for process in program.processes
        for instruction in process.code
        if isinstance(instruction, Communicate)
        for alternative in instruction.alternatives
    ]
    records = max(process.record_bytes for process in program.processes)
    places = [f"{one.span.file}:{one.span.line}:{one.span.column}" for one in program.statements]
    return "\n".join(
        [
            f"/* {program.name.replace('*/', '* /')}, to be compiled by any C compiler: cc -O2 this.c */",
            "#define _DEFAULT_SOURCE",
            "#include <signal.h>",
            "#include <stdint.h>",
            "#include <stdio.h>",
            "#include <stdlib.h>",
            "#include <string.h>",
            "#include <sys/time.h>",
            "#include <time.h>",
            "#include <unistd.h>",
            "",
            *sizes(program),
            f"#define RECORD_BYTES {records}u",
            f"#define DEADLINES {int(_has_deadlines(program))}",
            f"#define MOST_CHANNELS {MOST_CHANNELS}u",
            f"#define MOST_MESSAGES {max(messages, default=0) + 1}u",
            *tables(program),
            *entry_tables(program),
            _texts("label_place", places),
            _texts("label_text", [one.text for one in program.statements]),
            _texts("process_name", [process.name for process in program.processes]),
            _texts("violation_text", [VIOLATION_TEXT[kind] for kind in ViolationKind]),
            _interrupts(program),
            STRUCT,
            ACCESS,
            *waiting_places(program),
            KERNEL,
            "#define emit(w, label) ((void)0)",
            "static int64_t device_in(int64_t address);",
            "static void device_out(int64_t address, int64_t value);",
            "",
            communication_functions(program, undoes=True),
            *(_RunningEmitter(program, process).function() for process in program.processes),
            run_function(program),
            MAIN,
        ]
    )


def _has_deadlines(program: Program) -> bool:
    return any(isinstance(one, Deadline) for process in program.processes for one in process.code)


def _texts(name: str, texts: list[str]) -> str:
    lines = ",\n    ".join(map(c_string, texts)) or '""'
    return f"static const char *const {name}[] = {{\n    {lines}\n}};"


def _interrupts(program: Program) -> str:
    """Where the ports of the interrupts lie; -1: the program does not use it."""
    offsets = {one.name: one.offset for one in program.shown}
    numbers = [offsets.get(f"SYSTEM.Interrupt{number}", -1) for number in range(16)]
    return "static const int32_t interrupt_port[16] = {" + ", ".join(map(str, numbers)) + "};"


class _RunningEmitter(ProcessEmitter):
    stop = "stopped"

    def _begin(self) -> list[str]:
        return []

    def _mark(self, at: int, instruction: Instruction, label: int) -> list[str]:
        """The statement, for who reads the C."""
        if label < 0:
            return []
        statement = self.program.statements[label]
        text = statement.text.replace("/*", "/ *").replace("*/", "* /")
        return [f"    ; /* {statement.span.line}: {text} */"]

    def _communicates(self, communicate: Communicate, control: int, label: int) -> list[str]:
        return self._asks(control, label)  # the kernel has its queues

    def _instruction(self, at: int, instruction: Instruction, label: int) -> list[str]:
        match instruction:
            case Print(kind, text, shown):
                return self._print(kind, text, "0" if shown is None else value(shown), label)
            case Device(where, place, type_, sent):
                if place is None:
                    assert sent is not None
                    both = f"int64_t a = {value(where)}, v = {value(sent)};"
                    return [f"    {{ {both} {self._fails(label)} device_out(a, v); }}"]
                return [
                    f"    {{ int64_t a = {value(where)}; uint8_t *p = {address(place)}; {self._fails(label)} "
                    f"set_{8 * type_.size}(p, device_in(a)); }}"
                ]
            case Deadline(due):
                fails = self._fails(label) if can_fail(due) else ""
                return [f"    {{ int64_t v = {value(due)}; {fails} deadline[self] = v; }}"]
        return super()._instruction(at, instruction, label)

    def _print(self, kind: str, text: str, shown: str, label: int) -> list[str]:
        if kind == "String":
            return [f"    fputs({c_string(text)}, stdout);"]
        if kind == "Ln":
            return ["    putchar('\\n');"]
        how = {
            "Int": 'printf("%lld", (long long)v)',
            "Hex": 'printf("%llX", (unsigned long long)(uint32_t)v)',
            "Char": "putchar((int)v)",
            "Bool": 'fputs(v ? "TRUE" : "FALSE", stdout)',
        }[kind]
        return [f"    {{ int64_t v = {shown}; {self._fails(label)} {how}; }}"]
