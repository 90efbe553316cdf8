"""The instructions of process types as C: one function per type, with a label for every instruction."""

from __future__ import annotations

from collections.abc import Sequence

from kripke.actions.emit.expressions import address, can_fail, number, place_can_fail, record, value
from kripke.actions.emit.meetings import is_plain
from kripke.actions.program import (
    CALLED,
    MOST_JUMPS,
    Alternative,
    Assert,
    Assign,
    Branch,
    Choose,
    Communicate,
    Control,
    ControlKind,
    Copy,
    Deadline,
    End,
    Instruction,
    Jump,
    Load,
    New,
    Place,
    Print,
    ProcessType,
    Program,
    Reschedule,
    Start,
)


def entry_points(process: ProcessType) -> list[int]:
    """The instructions at which an action may begin."""
    found = {0}
    for at, instruction in enumerate(process.code):
        match instruction:
            case Communicate(alternatives):
                found.update(alternative.next for alternative in alternatives)
            case Choose(targets):
                found.update(targets)
            case Reschedule():
                found.add(at + 1)
            case Start(waits=True):
                found.add(at + 1)
            case _:
                pass
    # At a choice the driver begins with its branches.
    return sorted(
        at for at in found if not isinstance(process.code[at], Choose) or at == 0 or _is_jumped_to(process, at)
    )


def _is_jumped_to(process: ProcessType, at: int) -> bool:
    return any(isinstance(instruction, Choose) and at in instruction.targets for instruction in process.code)


class ProcessEmitter:
    #: is somebody asking for the end?
    stop = "*w->sink->stop"

    def __init__(self, program: Program, process: ProcessType) -> None:
        self.program = program
        self.process = process

    def control(self, kind_: ControlKind, at: int) -> int:
        return self.program.numbers[Control(self.process.number, kind_, at)]

    def function(self) -> str:
        process = self.process
        lines = [
            f"/* process {process.name} */",
            f"static void run_{process.number}(memory *w, uint32_t self, uint32_t entry) {{",
            # Bytes of the state may alias everything; what is local is not read again after each of them is written.
            "    uint8_t *const s = w->s, *f = s + w->at[self];",
            "    uint32_t jumps = 0;",
            "    (void)f, (void)jumps;",
            *self._begin(),
            "    switch (entry) {",
            *(f"    case {at}: goto i{at};" for at in entry_points(process)),
            "    default: return;",
            "    }",
        ]
        targets = self._targets()
        for at, instruction in enumerate(process.code):
            if at in targets:
                lines.append(f"i{at}:")
            label = process.statements[at]
            lines += self._mark(at, instruction, label)
            lines += self._instruction(at, instruction, process.statement_of(at))
        lines.append("}")
        return "\n".join(lines)

    def _begin(self) -> list[str]:
        return ["    uint8_t *covered = w->sink->covered;", "    (void)covered;"]

    def _mark(self, at: int, instruction: Instruction, label: int) -> list[str]:
        """What tells that a statement is executed; something that can stand behind a label."""
        if label < 0:
            return []
        return [f"    covered[{label}] = 1;" if not isinstance(instruction, Communicate) else "    ;"]

    def _targets(self) -> set[int]:
        found = set(entry_points(self.process))
        for instruction in self.process.code:
            match instruction:
                case Jump(target):
                    found.add(target)
                case Branch(_, otherwise):
                    found.add(otherwise)
                case _:
                    pass
        return found

    def _fails(self, label: int) -> str:
        return f"if (w->failed) {{ report(w, {label}); return; }}"

    def _back(self, at: int, target: int, label: int) -> str:
        """Jumps back are counted: an action that does not end is an error."""
        if target > at:
            return f"goto i{target};"
        return (
            f"{{ if (++jumps > {MOST_JUMPS}u) {{ fail(w, ENDLESS); report(w, {label}); return; }} "
            f"if (!(jumps & 0xFFF) && {self.stop}) return; goto i{target}; }}"
        )

    def _instruction(self, at: int, instruction: Instruction, label: int) -> list[str]:
        match instruction:
            case Assign(place, type_, expression):
                check = can_fail(expression) or place_can_fail(place)
                store = f"set_{8 * type_.size}(p, v);"
                fails = f" {self._fails(label)}" if check else ""
                return [f"    {{ int64_t v = {value(expression)}; uint8_t *p = {address(place)};{fails} {store} }}"]
            case Copy(target, source, size):
                fails = self._fails(label) if place_can_fail(target) or place_can_fail(source) else ""
                return [
                    f"    {{ const uint8_t *q = {address(source)}; uint8_t *p = {address(target)}; {fails} "
                    f"memmove(p, q, {size}); }}"
                ]
            case Jump(target):
                return [f"    {self._back(at, target, label)}"]
            case Branch(condition, otherwise):
                fails = f" {self._fails(label)}" if can_fail(condition) else ""
                return [f"    {{ int64_t c = {value(condition)};{fails} if (!c) {self._back(at, otherwise, label)} }}"]
            case Assert(condition):
                fails = f" {self._fails(label)}" if can_fail(condition) else ""
                return [
                    f"    {{ int64_t c = {value(condition)};{fails} "
                    f"if (!c) {{ fail(w, ASSERTION); report(w, {label}); return; }} }}"
                ]
            case New(place):
                fails = f" {self._fails(label)}" if place_can_fail(place) else ""
                return [
                    f"    {{ uint8_t *p = {address(place)};{fails} *p = 0; uint8_t c = free_channel(w); "
                    f"{self._fails(label)} *p = c; }}"
                ]
            case Print(_, _, shown):
                if shown is None or not can_fail(shown):
                    return ["    ;"]
                return [f"    {{ int64_t v = {value(shown)}; (void)v; {self._fails(label)} }}"]
            case Deadline(due):
                return (
                    [f"    {{ int64_t v = {value(due)}; (void)v; {self._fails(label)} }}"]
                    if can_fail(due)
                    else ["    ;"]
                )
            case Start():
                return self._start(at, instruction, label)
            case Reschedule():
                return [f"    set_control(f, {self.control(ControlKind.READY, at + 1)}); emit(w, {label}); return;"]
            case Choose():
                return [f"    set_control(f, {self.control(ControlKind.READY, at)}); emit(w, {label}); return;"]
            case Communicate():
                lines = [
                    f"    {{ int64_t v = {value(save.value)};"
                    f"{' ' + self._fails(label) if can_fail(save.value) else ''} "
                    f"set_{8 * save.type.size}(f + {save.offset}, v); }}"
                    for save in instruction.saves
                ]
                control = self.control(ControlKind.WAITING, at)
                return [*lines, *self._communicates(instruction, control, label)]
            case End():
                ended = self.control(ControlKind.ENDED, len(self.process.code)) if self.process.starts_others else 0
                return [f"    end_process(w, self, {ended}); emit(w, {label}); return;"]
            case _:
                raise AssertionError(instruction)

    def _asks(self, control: int, label: int) -> list[str]:
        """The general way: everything is looked up."""
        return [f"    communicate(w, self, {control}, {label}); return;"]

    def _communicates(self, communicate: Communicate, control: int, label: int) -> list[str]:
        """Where all partners are plain, what happens is known here."""
        if not is_plain(self.program, communicate):
            return self._asks(control, label)
        ports = " && ".join(dict.fromkeys(f"f[{one.port_offset}]" for one in communicate.alternatives))
        lines = [
            "    {",
            "        const offer *met[MOST_MEETINGS];",
            "        uint32_t count = 0;",
            f"        if (!({ports})) {{ fail(w, CHANNEL); report(w, {label}); return; }}",
        ]
        meetings = []
        for index, one in enumerate(communicate.alternatives):
            key = f"OFFER(f[{one.port_offset}], {one.message}, {int(not one.sends)})"
            lines.append(f"        count = find_offers(w, {key}, {int(communicate.selects)}, met, count);")
            lines.append(f"        const uint32_t end_{index} = count;")
            meetings.append(f"            if (i < end_{index}) meet_{control}_{index}(w, self, met[i]);")
        return [
            *lines,
            f"        if (!count) {{ covered[{label}] = 1; set_control(f, {control}); emit(w, {label}); return; }}",
            "        if (count > 1) copy_state(w->kept, s, w->n);",
            "        for (uint32_t i = 0;;) {",
            "\n            else\n".join(meetings),
            "            if (++i == count) return;",
            "            w->s = w->sink->out;",
            "            copy_state(w->s, w->kept, w->n);",
            "        }",
            "    }",
        ]

    def _start(self, at: int, start: Start, label: int) -> list[str]:
        started = self.program.processes[start.process]
        ready = self.program.numbers[Control(started.number, ControlKind.READY, 0)]
        parent = f"self | {CALLED}" if start.waits else "self"
        lines = [
            "    {",
            f"        uint8_t r[{started.record_bytes}] = {{{ready & 255}, {ready >> 8}, (uint8_t)({parent})}};",
        ]
        for offset, type_, expression in start.values:
            lines.append(f"        set_{8 * type_.size}(r + {offset}, {value(expression)});")
        for offset, size, place in start.copies:
            lines.append(f"        memcpy(r + {offset}, {address(place)}, {size});")
        for offset, place in start.references:
            lines.append(f"        make_reference(w, r + {offset}, {address(place)}, {self._owner(place)});")
        if start.link is not None:
            lines.append(f"        r[{started.link}] = (uint8_t){self._hop(start.link)};")
        lines += [
            f"        {self._fails(label)}",
            f"        start(w, r, {started.record_bytes});",
            f"        {self._fails(label)}",
            "        f = s + w->at[self];",
            "    }",
        ]
        if start.waits:
            lines.append(f"    set_control(f, {self.control(ControlKind.CALLING, at + 1)}); emit(w, {label}); return;")
        return lines

    @staticmethod
    def _hop(hops: int) -> str:
        """The process at the end of some static links."""
        return "self" if hops == 0 else f"outer(w, f, {hops - 1})[3]"

    def _owner(self, place: Place) -> str:
        """The process in whose record a place lies, -1 for the global block."""
        base = place.base
        if base.hops is None:
            return "-1"
        if base.reference:
            return f"(int)({record(base)})[{base.offset}] - 1"
        return f"(int){self._hop(base.hops)}"


def communication_functions(program: Program, *, undoes: bool = False) -> str:
    """Values, targets and guards of all communications, chosen by control value and number. ``undoes``: also
    what targets hold, to be put back where a guard is false."""
    values, stores, guards, loads = [], [], [], []
    first = 0
    for control in program.numbers:
        if control.kind is not ControlKind.WAITING:
            continue
        process = program.processes[control.process]
        instruction = process.code[control.at]
        assert isinstance(instruction, Communicate)
        for index, one in enumerate(instruction.alternatives):
            case = f"    case {first + index}:"
            if one.values:
                sent = " ".join(f"values[{i}] = {value(part)};" for i, (part, _) in enumerate(one.values))
                values.append(f"{case} {sent} return {len(one.values)};")
            if one.targets:
                stores.append(f"{case} {_stores(one)} return 1;")
                loads.append(f"{case} {_loads(one)} return 1;")  # a guard of the sender may be false, too
            if one.guard is not None:
                guards.append(f"{case} return {value(one.guard)} != 0;")
        first += len(instruction.alternatives)

    def function(head: str, cases: Sequence[str]) -> str:
        return "\n".join(
            [
                f"static {head} {{",
                "    uint8_t *const s = w->s, *const f = s + w->at[self];",
                "    (void)f;",
                "    switch (waiting[control].first + number) {",
                *cases,
                "    default: return 0;",
                "    }",
                "}",
            ]
        )

    arguments = "memory *w, uint32_t self, uint32_t control, uint32_t number"
    store = function(f"int store_at({arguments}, const int64_t *values)", stores)
    value_ = function(f"uint32_t values_of({arguments}, int64_t *values)", values)
    load = function(f"int targets_of({arguments}, int64_t *values)", loads)
    return "\n\n".join(
        (
            *([load if loads else load.replace("(void)f;", "(void)f, (void)values;")] if undoes else []),
            value_ if values else value_.replace("(void)f;", "(void)f, (void)values;"),
            store if stores else store.replace("(void)f;", "(void)f, (void)values;"),
            function(f"int guard_of({arguments})", guards),
        )
    )


def _loads(alternative: Alternative) -> str:
    return " ".join(
        f"values[{i}] = {number(target.constant)};"
        if target.place is None
        else f"values[{i}] = {value(Load(target.place, target.type))};"
        for i, target in enumerate(alternative.targets)
    )


def _stores(alternative: Alternative) -> str:
    # Where constants differ nothing is to be written; so they come first.
    checks = [
        f"if (values[{i}] != {number(target.constant)}) return 0;"
        for i, target in enumerate(alternative.targets)
        if target.place is None
    ]
    writes = [
        f"set_{8 * target.type.size}({address(target.place)}, values[{i}]);"
        for i, target in enumerate(alternative.targets)
        if target.place is not None
    ]
    return " ".join((*checks, *writes))
