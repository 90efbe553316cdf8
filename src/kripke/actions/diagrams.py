"""Pictures of an action program: every process type as a graph of the points where its processes rest.

A process rests where it is ready, where it waits to communicate, and while it waits for the end of what it called. An
arrow from a ready point is an action, up to the cut that ends it; one from a waiting point is a communication.
"""

from __future__ import annotations

from kripke.actions.program import (
    Branch,
    Choose,
    Communicate,
    Control,
    ControlKind,
    End,
    Jump,
    ProcessType,
    Program,
    Reschedule,
    Start,
)
from kripke.model.diagram import Arrow, Diagram, Node, shortened


def point_key(program: Program, control: Control) -> str:
    """What a picture calls a point where processes rest."""
    return f"point {program.numbers[control]}"


def program_diagrams(program: Program) -> list[Diagram]:
    return [_ProcessPicture(program, process).diagram() for process in program.processes]


class _ProcessPicture:
    def __init__(self, program: Program, process: ProcessType) -> None:
        self._program = program
        self._process = process
        self._nodes: dict[Control, Node] = {}
        self._arrows: list[Arrow] = []
        self._to_draw: list[Control] = []

    def diagram(self) -> Diagram:
        start = self._point(ControlKind.READY, 0)
        self._arrows.append(Arrow(None, start))
        while self._to_draw:
            control = self._to_draw.pop(0)
            match control.kind:
                case ControlKind.READY:
                    self._actions(control)
                case ControlKind.WAITING:
                    self._communications(control)
                case ControlKind.CALLING:
                    self._arrow(control, self._point(ControlKind.READY, control.at), "it has ended")
                case ControlKind.ENDED:
                    pass
        return Diagram(self._process.name, list(self._nodes.values()), list(dict.fromkeys(self._arrows)))

    def _point(self, kind: ControlKind, at: int) -> str:
        control = Control(self._process.number, kind, at)
        if control not in self._nodes:
            waiting = kind is ControlKind.WAITING
            self._nodes[control] = Node(
                f"{kind.value} {at}",
                self._lines(control),
                "box" if waiting else "circle",
                "end" if kind is ControlKind.ENDED else "",
                key=point_key(self._program, control),
            )
            self._to_draw.append(control)
        return self._nodes[control].name

    def _lines(self, control: Control) -> tuple[str, ...]:
        code, at = self._process.code, control.at
        if control.kind is ControlKind.WAITING:
            instruction = code[at]
            assert isinstance(instruction, Communicate)
            return ("waits", *(shortened(self._text(one.statement), 32) for one in instruction.alternatives))
        if control.kind is ControlKind.ENDED:
            return ("at its end",)
        if control.kind is ControlKind.CALLING:
            called = code[at - 1]
            assert isinstance(called, Start)
            return ("until", self._program.processes[called.process].name)
        labels = [label for label in self._process.statements[at:] if label >= 0]
        line = self._program.statements[labels[0]].span.line if labels else self._process.span.line
        return (str(line),)

    def _text(self, statement: int) -> str:
        return self._program.statements[statement].text

    def _arrow(self, source: Control, target: str, label: str) -> None:
        self._arrows.append(Arrow(self._nodes[source].name, target, shortened(label)))

    def _communications(self, control: Control) -> None:
        instruction = self._process.code[control.at]
        assert isinstance(instruction, Communicate)
        for alternative in instruction.alternatives:
            self._arrow(control, self._point(ControlKind.READY, alternative.next), self._text(alternative.statement))

    def _actions(self, control: Control) -> None:
        """The cuts that an action may end with. Of the ways there, the conditions that are common are not told."""
        code = self._process.code
        first = code[control.at]
        todo = list(first.targets) if isinstance(first, Choose) else [control.at]
        seen: set[int] = set()
        while todo:
            at = todo.pop(0)
            if at in seen:
                continue
            seen.add(at)
            instruction, label = code[at], self._process.statements[at]
            match instruction:
                case Jump(target):
                    todo.append(target)
                case Branch(_, otherwise):
                    todo += [at + 1, otherwise]
                case Communicate():
                    self._arrow(control, self._point(ControlKind.WAITING, at), "")
                    for one in instruction.alternatives:  # where somebody waits already
                        self._arrow(control, self._point(ControlKind.READY, one.next), self._text(one.statement))
                case Choose():
                    self._arrow(control, self._point(ControlKind.READY, at), self._text(label))
                case Reschedule():
                    self._arrow(control, self._point(ControlKind.READY, at + 1), self._before(at))
                case Start(waits=True):
                    self._arrow(control, self._point(ControlKind.CALLING, at + 1), self._text(label))
                case End():
                    if self._process.starts_others:
                        self._arrow(control, self._point(ControlKind.ENDED, len(code)), "")
                    else:
                        self._ends(control)
                case _:
                    todo.append(at + 1)

    def _before(self, at: int) -> str:
        """What a process does before it reschedules: the statement in front of it, where there is one."""
        label = self._process.statements[at - 1] if at else -1
        return self._text(label if label >= 0 else self._process.statements[at])

    def _ends(self, control: Control) -> None:
        end = Control(self._process.number, ControlKind.ENDED, len(self._process.code))
        self._nodes.setdefault(end, Node("ended", ("end",), "double", "end"))
        self._arrow(control, "ended", "")
