"""The body of a Promela process as statements of LF."""

from __future__ import annotations

import re
from typing import NamedTuple

from kripke.languages.promela.as_lf.channels import Channels, Group
from kripke.languages.promela.as_lf.expressions import Expressions
from kripke.languages.promela.as_lf.names import Names, Refusals, scalar_type
from kripke.languages.promela.as_lf.steps import Step, Steps, is_shared
from kripke.process.expressions import (
    Bind,
    ChannelElement,
    ChannelIdentity,
    Constant,
    Expression,
    IntType,
    Match,
    Place,
    Read,
)
from kripke.process.nodes import nodes_of
from kripke.process.program import (
    Assert,
    Assign,
    Discard,
    Else,
    Guard,
    Operation,
    Print,
    ProcessType,
    Program,
    Receive,
    Run,
    Scope,
    Send,
    Terminate,
)

#: a control point, and whether the process is inside an atomic sequence there
_Point = tuple[int, bool]
_CONVERSION = re.compile(r"%[-+ #0]*\d*(?:\.\d+)?([cdeoux%])|\\(.)")


class Shared(NamedTuple):
    """What the processes of a program have in common. ``token``: the name of the port on which the token is handed
    out, and ``active`` of the number of processes; ``everywhere``: every step that others see takes it."""

    program: Program
    channels: Channels
    names: Names
    refusals: Refusals
    token: str
    active: str
    everywhere: bool
    processes: dict[int, str]
    #: processes that use their number, which is their last parameter
    numbered: frozenset[int]
    #: of channels, who selects: groups with "send" or "receive"
    selects: dict[tuple[int, str], object]


class Body:
    def __init__(self, shared: Shared, process: ProcessType, names: Names, me: str | None) -> None:
        self._shared = shared
        self._process = process
        self._names = names
        self._refusals = shared.refusals
        self._steps = Steps(shared.program, shared.channels, shared.refusals)
        self._expressions = Expressions(names, shared.refusals, me, self._buffer)
        self._labels: dict[_Point, int] = {}
        self._at = ""
        self.uses_token = False
        #: variables of our own: name and type
        self.variables: dict[str, str] = {}
        self._spare: dict[tuple[str, int], str] = {}
        self._shift = ""

    # --- the whole ----------------------------------------------------------------------------------------------------

    def lines(self) -> list[str]:
        """The statements of the body, without those at the end."""
        entry = (self._process.entry, False)
        counts, ends = self._ways(entry)
        self._labels = {
            point: number for number, point in enumerate(p for p, ways in counts.items() if ways > (p != entry))
        }
        if not self._labels:
            return self._point(entry)
        if list(self._labels) == [entry] and not ends:
            return ["WHILE TRUE DO", *_indented(self._point(entry)), "END;"]
        self._at = self._names.new("at")
        self.variables[self._at] = "INT16"
        start = [f"{self._at} := {self._labels[entry]};"] if entry in self._labels else self._point(entry)
        body: list[str] = []
        for number, point in enumerate(self._labels):
            body.append(f"{'ELSIF' if number else 'IF'} {self._at} = {number} THEN")
            body += _indented(self._point(point))
        return [*start, f"WHILE {self._at} >= 0 DO", *_indented([*body, "END"]), "END;"]

    def _ways(self, entry: _Point) -> tuple[dict[_Point, int], bool]:
        """How many ways lead to every point, and whether there is an end."""
        counts: dict[_Point, int] = {entry: 0}
        todo, ends = [entry], False
        while todo:
            here = todo.pop(0)
            for edge in self._process.locations[here[0]].edges:
                if edge.terminates:
                    ends = True
                    continue
                there = (edge.target, edge.atomic)
                if there not in counts:
                    counts[there] = 0
                    todo.append(there)
                counts[there] += 1
        return counts, ends

    def needs_token(self) -> bool:
        counts, _ = self._ways((self._process.entry, False))
        return any(
            self._steps.needs_token(self._steps.of(self._process.locations[number]), held) for number, held in counts
        )

    def _goto(self, target: int, held: bool, cut: bool) -> list[str]:
        """``cut``: others could move since the last label."""
        point = (target, held)
        if point not in self._labels:
            return self._point(point)
        lines = [] if cut or held else ["RESCHEDULE;"]
        return [*lines, f"{self._at} := {self._labels[point]};"] if self._at else lines

    # --- a control point ----------------------------------------------------------------------------------------------

    def _point(self, point: _Point) -> list[str]:
        number, held = point
        location = self._process.locations[number]
        steps = self._steps.of(location)
        if any(isinstance(step.first, Terminate) for step in steps):
            lines = [f"{self._shared.token}!give;"] if held and self._shared.everywhere else []
            return [*lines, f"{self._at} := -1;"] if self._at else lines
        if location.end:
            raise self._refusals.refuse("LF has no place where a process may wait for ever", location.span)
        if not steps:
            raise self._refusals.refuse("a process that can never go on", location.span)
        if self._steps.is_decision(steps):
            first = steps[0].first
            assert isinstance(first, Guard)
            self._place(steps[0])
            condition = self._expressions.truth(first.condition)
            takes = self._takes(steps, held)
            return [
                *self._take(takes),
                f"IF {condition} THEN",
                *_indented(self._after(steps[0], steps[0].rest, held, takes, is_shared(first))),
                "ELSE",
                *_indented(self._after(steps[1], steps[1].rest, held, takes, is_shared(first))),
                "END;",
            ]
        if all(step.never_waits for step in steps):
            takes = self._takes(steps, held)
            branches = [[*self._take(takes), *self._after(step, step.operations, held, takes, False)] for step in steps]
            if len(branches) == 1:
                return branches[0]
            lines = ["CHOICE"]
            for position, branch in enumerate(branches):
                lines += (["OR"] if position else []) + _indented(branch)
            return [*lines, "END;"]
        if held:
            return self._waits_inside(steps)
        if len(steps) == 1 and self._steps.is_rendezvous(steps[0]):
            text, guard, stores = self._communication(steps[0], False)
            if guard is None:
                return [f"{text};", *stores, *self._met(steps[0])]
        return self._select(steps)

    def _takes(self, steps: list[Step], held: bool) -> bool:
        """Must the token be taken for this?"""
        if held or not self._shared.everywhere:
            return False
        return any(step.edge.atomic or is_shared(step.operations) for step in steps)

    def _take(self, takes: bool) -> list[str]:
        self.uses_token |= takes
        return [f"{self._shared.token}?take;"] if takes else []

    def _after(self, step: Step, operations: tuple[Operation, ...], held: bool, takes: bool, seen: bool) -> list[str]:
        """What a step does, and how it goes on. ``seen``: others can see what was done before."""
        lines = [line for operation in operations for line in self._operation(step, operation)]
        if step.edge.atomic:
            # Nobody else moves: there is no cut, or the token is kept.
            return [*lines, *self._goto(step.edge.target, True, True)]
        cut = True
        if self._shared.everywhere and (held or takes):
            lines.append(f"{self._shared.token}!give;")
        elif held or seen or is_shared(operations):
            lines.append("RESCHEDULE;")
        else:
            cut = False
        return [*lines, *self._goto(step.edge.target, False, cut)]

    def _waits_inside(self, steps: list[Step]) -> list[str]:
        """Inside an atomic sequence: where it cannot go on, the token is given back and taken again."""
        step = steps[0]
        self._place(step)
        if len(steps) > 1:
            raise self._refusals.refuse("several ways that may wait inside an atomic sequence")
        if self._steps.is_rendezvous(step):
            raise self._refusals.refuse("a rendezvous inside an atomic sequence")
        token, condition = self._shared.token, self._condition(step)
        self.uses_token = True
        return [
            f"IF ~{condition} THEN",
            f"  {token}!give;",
            f"  SELECT WHEN {token}?take & {condition} THEN END",
            "END;",
            *self._after(step, self._done(step), True, True, True),
        ]

    def _select(self, steps: list[Step]) -> list[str]:
        token = self._shared.token
        lines = ["SELECT"]
        for number, step in enumerate(steps):
            self._place(step)
            if self._steps.is_rendezvous(step):
                text, guard, stores = self._communication(step, True)
                lines.append(f"  WHEN {text}{'' if guard is None else f' & {guard}'} THEN")
                lines += _indented([*stores, *self._met(step)], 2)
                continue
            self.uses_token = True
            condition = self._otherwise(steps[:number]) if isinstance(step.first, Else) else self._condition(step)
            lines.append(f"  WHEN {token}?take{'' if condition == 'TRUE' else f' & {condition}'} THEN")
            if self._shared.everywhere:
                lines += _indented(self._after(step, self._done(step), False, True, True), 2)
            else:
                given = [f"{token}!give;"]
                lines += _indented([*given, *self._given(step)], 2)
        return [*lines, "END;"]

    def _given(self, step: Step) -> list[str]:
        """Behind a condition that was waited for, without the token."""
        operations = self._done(step)
        lines = [line for operation in operations for line in self._operation(step, operation)]
        if step.edge.atomic:
            return [*lines, *self._goto(step.edge.target, True, True)]
        if is_shared(operations):
            lines.append("RESCHEDULE;")
        return [*lines, *self._goto(step.edge.target, False, True)]

    def _met(self, step: Step) -> list[str]:
        """Behind a rendezvous."""
        self._place(step)
        if step.edge.atomic or is_shared(step.rest):
            raise self._refusals.refuse("a step that goes on behind a rendezvous")
        lines = [line for operation in step.rest for line in self._operation(step, operation)]
        return [*lines, *self._goto(step.edge.target, False, True)]

    def _condition(self, step: Step) -> str:
        """What must be true for a step that may wait; not that of a rendezvous."""
        match step.first:
            case Guard(condition):
                return self._expressions.truth(condition)
            case Send(channel, _, _):
                length, _, capacity = self._buffer(channel)
                return f"({length} # {capacity})"
            case Receive(channel, patterns, anywhere, _):
                if anywhere:
                    raise self._refusals.refuse("?? looks at all messages of a buffer")
                return self._expressions.matches(channel, patterns)
        return "TRUE"

    def _otherwise(self, before: list[Step]) -> str:
        """``else``: none of the ways before it is open."""
        if any(self._steps.is_rendezvous(step) for step in before):
            raise self._refusals.refuse("else beside a rendezvous")
        if any(isinstance(step.first, Else) for step in before):  # one of those is open
            return "FALSE"
        return "(~(" + " OR ".join(self._condition(step) for step in before) + "))" if before else "TRUE"

    def _done(self, step: Step) -> tuple[Operation, ...]:
        """What a step does once it need not wait."""
        return step.rest if isinstance(step.first, (Guard, Else)) else step.operations

    def _place(self, step: Step) -> None:
        self._refusals.span = self._shared.program.statements[step.statements[0]].span

    # --- operations ---------------------------------------------------------------------------------------------------

    def _operation(self, step: Step, operation: Operation) -> list[str]:
        self._refusals.span = self._shared.program.statements[step.statements[step.operations.index(operation)]].span
        write = self._expressions
        match operation:
            case Assign(place, value):
                if place.variable.is_channel:
                    return [f"{write.place(place)} := {self._port(value)};"]
                return [f"{write.place(place)} := {write.fitted(value, place.type)};"]
            case Discard(indices, value):  # what is evaluated can fail
                spare = self._spare_of("INT32", 0)
                lines = [f"{spare} := {write.number(value)}; {spare} := 0;"]
                for index in indices:
                    array = self._spare_of(f"ARRAY {index.count} OF UINT8", 0)
                    lines.insert(0, f"{array}[{write.number(index.value)}] := 0;")
                return lines
            case Assert(condition, _):
                return [f"ASSERT({write.truth(condition)});"]
            case Print(text, arguments, forgotten):
                return self._print(text, arguments, forgotten)
            case Run():
                return self._run(operation)
            case Send(channel, values, ordered):
                if ordered:
                    raise self._refusals.refuse("!! sorts messages")
                length, fields, _ = self._buffer(channel)
                types = self._indexed(channel)[0].first.fields
                lines = [
                    f"{field}[{length}] := {write.fitted(value, type_)};"
                    for field, value, type_ in zip(fields, values, types, strict=True)
                ]
                return [*lines, f"INC({length});"]
            case Receive(channel, patterns, _, keep):
                return self._received(channel, patterns, keep)
        return []  # nothing to do

    def _received(self, channel: Expression, patterns: tuple[object, ...], keep: bool) -> list[str]:
        group, _ = self._indexed(channel)
        length, fields, _ = self._buffer(channel)
        lines = []
        for field, pattern, type_ in zip(fields, patterns, group.first.fields, strict=False):
            if isinstance(pattern, Bind):
                place = pattern.place
                text = self._expressions.place(place)
                lines.append(f"{text} := {self._converted(f'{field}[0]', type_, place.type)};")
        if keep:
            return lines
        if not self._shift:
            self._shift = self._names.new("shift")
            self.variables[self._shift] = "INTEGER"
        shift = self._shift
        if group.capacity > 1:
            moves = "; ".join(f"{field}[{shift} - 1] := {field}[{shift}]" for field in fields)
            lines.append(f"FOR {shift} := 1 TO INTEGER({length}) - 1 DO {moves} END; {shift} := 0;")
        lines.append(f"DEC({length});")
        for field, type_ in zip(fields, group.first.fields, strict=True):
            lines.append(f"{field}[{length}] := {'FALSE' if type_.name == 'bool' else 0};")
        return lines

    @staticmethod
    def _converted(text: str, given: IntType, wanted: IntType) -> str:
        """A value of one type as a variable of another takes it."""
        if scalar_type(given) == scalar_type(wanted) and given.bits <= wanted.bits:
            return text
        if wanted.name == "bool":
            return f"ODD(INTEGER({text}))"
        number = f"ORD({text})" if given.name == "bool" else f"INTEGER({text})"
        if wanted.bits != 8 * wanted.size:
            number = f"{number} MOD {1 << wanted.bits}"
        return f"{scalar_type(wanted)}({number})"

    def _print(self, text: str, arguments: tuple[Expression, ...], forgotten: tuple[int, ...]) -> list[str]:
        lines: list[str] = []
        position, start = 0, 0

        def string(piece: str) -> None:
            kept = "".join(c for c in piece if 32 <= ord(c) < 127 and c not in '"')
            if kept:
                lines.append(f'Out.String("{kept}");')

        for match in _CONVERSION.finditer(text):
            string(text[start : match.start()])
            start = match.end()
            if match[2] is not None:
                lines += ["Out.Ln;"] if match[2] == "n" else []
            elif match[1] == "%":
                string("%")
            elif position < len(arguments):
                value = arguments[position]
                if position not in forgotten:
                    number = self._expressions.number(value)
                    if match[1] == "c":
                        lines.append(f"Out.Char(CHR({number} MOD 256));")
                    else:
                        lines.append(f"Out.{'Hex' if match[1] == 'x' else 'Int'}({number});")
                position += 1
        string(text[start:])
        return lines

    def _run(self, run: Run) -> list[str]:
        if run.result is not None:
            raise self._refusals.refuse("the number of a process that is started")
        arguments = []
        for (variable, component), value in zip(run.process.parameter_scalars(), run.arguments, strict=True):
            if variable.is_channel:
                arguments.append(self._port(value))
            else:
                arguments.append(self._expressions.fitted(value, component.type))
        if id(run.process) in self._shared.numbered:
            raise self._refusals.refuse("_pid of a process that is started by run")
        given = f"({', '.join(arguments)})" if arguments else ""
        lines = [f"INC({self._shared.active});"]
        return [*lines, f"CREATE {self._shared.processes[id(run.process)]}{given};"]

    # --- channels -----------------------------------------------------------------------------------------------------

    def _indexed(self, operand: Expression) -> tuple[Group, str]:
        group = self._shared.channels.meant(operand)[0]
        if not group.is_array:
            return group, ""
        if isinstance(operand, ChannelElement):
            return group, f"[{self._expressions.number(operand.index)}]"
        assert isinstance(operand, ChannelIdentity)
        return group, f"[{group.channels.index(operand.channel)}]"

    def _buffer(self, operand: Expression) -> tuple[str, list[str], int]:
        """The arrays of a buffered channel: length and fields, and the capacity."""
        if isinstance(operand, Read):
            raise self._refusals.refuse("a buffered channel in a variable or parameter")
        group, index = self._indexed(operand)
        if not group.capacity:
            raise self._refusals.refuse("a question about a rendezvous channel")
        return f"{group.length}{index}", [f"{field}{index}" for field in group.fields], group.capacity

    def _port(self, operand: Expression) -> str:
        if isinstance(operand, Read) and operand.place.variable.is_channel:
            return self._expressions.place(operand.place)
        if not isinstance(operand, (ChannelIdentity, ChannelElement)):
            raise self._refusals.refuse("a channel that is computed")
        group, index = self._indexed(operand)
        if group.capacity:
            raise self._refusals.refuse("a buffered channel in a variable or parameter")
        return f"{group.name}{index}"

    def _communication(self, step: Step, selects: bool) -> tuple[str, str | None, list[str]]:
        """A rendezvous: its text, a guard where one is needed, and what to do with what came."""
        self._place(step)
        first = step.first
        assert isinstance(first, (Send, Receive))
        groups = self._shared.channels.meant(first.channel)
        fields = groups[0].first.fields
        if is_shared(first.channel) and not isinstance(first.channel, (ChannelIdentity, ChannelElement)):
            raise self._refusals.refuse("a channel in a global variable may change while LF waits")
        if isinstance(first, Send):
            if any(is_shared(value) for value in first.values):
                raise self._refusals.refuse(
                    "LF computes what it sends before it waits, and others may change the global variables in it",
                    hint="copy them into a local variable first",
                )
            values = [self._expressions.fitted(v, t) for v, t in zip(first.values, fields, strict=True)]
            self._selecting(groups, "send", selects)
            arguments = f"({', '.join(values)})" if values else ""
            return f"{self._port(first.channel)}!m{arguments}", None, []
        arguments_of, guards, stores = [], [], []
        bound = [pattern.place.variable for pattern in first.patterns if isinstance(pattern, Bind)]
        for position, (pattern, type_) in enumerate(zip(first.patterns, fields, strict=True)):
            match pattern:
                case Match(Constant(value)) if value == type_.wrap(value) >= 0:
                    arguments_of.append(self._expressions.fitted(Constant(value), type_))
                case Match(value):
                    if any(isinstance(one, Place) and one.variable in bound for one in nodes_of(value)):
                        raise self._refusals.refuse("what a field must be equal to is received in the same message")
                    spare = self._spare_of(scalar_type(type_), position)
                    arguments_of.append(spare)
                    number = f"ORD({spare})" if type_.name == "bool" else f"INTEGER({spare})"
                    guards.append(f"({number} = {self._expressions.number(value)})")
                case Bind(place):
                    if place.variable.scope is Scope.GLOBAL and self._shared.everywhere:
                        raise self._refusals.refuse("a rendezvous into a global variable beside atomic steps")
                    if scalar_type(place.type) == scalar_type(type_) and type_.bits <= place.type.bits:
                        arguments_of.append(self._expressions.place(place))
                    elif place.variable.scope is Scope.GLOBAL:
                        raise self._refusals.refuse("a rendezvous into a global variable of another type")
                    else:
                        spare = self._spare_of(scalar_type(type_), position)
                        arguments_of.append(spare)
                        stores.append(
                            f"{self._expressions.place(place)} := {self._converted(spare, type_, place.type)};"
                        )
                case _:
                    arguments_of.append(self._spare_of(scalar_type(type_), position))
        self._selecting(groups, "receive", selects or bool(guards))
        arguments = f"({', '.join(arguments_of)})" if arguments_of else ""
        guard = None if not guards else guards[0] if len(guards) == 1 else "(" + " & ".join(guards) + ")"
        return f"{self._port(first.channel)}?m{arguments}", guard, stores

    def _selecting(self, groups: list[Group], role: str, selects: bool) -> None:
        if not selects:
            return
        for group in groups:
            self._shared.selects.setdefault((id(group), role), self._refusals.span)
            other = "receive" if role == "send" else "send"
            if (id(group), other) in self._shared.selects:
                raise self._refusals.refuse(
                    f"both sides of {group.base} wait for several things at once: LF never pairs two SELECTs"
                )

    def _spare_of(self, type_: str, position: int) -> str:
        """A variable for what is not kept."""
        key = (type_, position)
        if key not in self._spare:
            self._spare[key] = self._names.new("spare")
            self.variables[self._spare[key]] = type_
        return self._spare[key]


def _indented(lines: list[str], by: int = 1) -> list[str]:
    return ["  " * by + line for line in lines]
