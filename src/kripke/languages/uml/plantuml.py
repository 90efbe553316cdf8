"""PlantUML's state diagrams (``.puml``): what they say about behaviour; how they look is passed over.

Comments that start with ``' kripke:`` say what PlantUML has no words for: variables, outputs, properties.
"""

from __future__ import annotations

import re
from typing import Final

from kripke.languages.uml.machine import Arrow, Kind, Machine, Region, Vertex
from kripke.model.source import ModelError, Sources, Span

_NAME: Final = r"[\w.]+"
_END: Final = rf"(?:\[\*\]|\[H\*?\]|{_NAME}\[H\*?\]|{_NAME})"
_ARROW: Final = re.compile(
    rf"({_END})\s*(<?-(?:\[[^\]]*\])?(?:left|right|up|down|le|ri|do|[lrud])?(?:\[[^\]]*\])?-*>?)\s*({_END})"
    r"(?:\s*:\s*(.*))?"
)
_STATE: Final = re.compile(
    rf'state\s+(?:"(?P<label>[^"]*)"(?:\s+as\s+(?P<alias>{_NAME}))?|(?P<name>{_NAME})(?:\s+as\s+"[^"]*")?)'
    r"\s*(?P<stereotype><<\s*\w+\s*>>)?\s*(?:#\S+)?\s*(?P<open>\{)?(?:\s*:\s*(?P<text>.*))?"
)
_TEXT: Final = re.compile(rf"({_NAME})\s*:\s*(.*)")
_LABEL: Final = re.compile(r"\s*(?P<events>[^\[/]*?)\s*(?:\[(?P<guard>[^\]]*)\])?\s*(?:/\s*(?P<effect>.*))?\s*")
_PASSED: Final = re.compile(
    r"(?:title|skinparam|hide|show|scale|header|footer|caption|legend|left to right|top to bottom|!theme|!pragma|"
    r"mainframe|allow_?mixing|autonumber)\b.*",
    re.IGNORECASE,
)
_KINDS: Final[dict[str, Kind]] = {
    "choice": "choice", "junction": "choice", "fork": "fork", "start": "initial", "end": "final", "history": "shallow",
    "history*": "deep",
}  # fmt: skip
_OWN: Final = re.compile(r"'\s*kripke\s*:\s*(.*)")
_MOST_LINES: Final = 100_000


class Reader:
    def __init__(self, text: str, path: str, sources: Sources) -> None:
        self.lines = text.split("\n")
        self.path = path
        self.sources = sources
        self.machine = Machine("", path, sources)
        self.open: list[Vertex] = [self.machine.root]
        self.vertices: dict[str, Vertex] = {}
        self.pseudo: dict[tuple[int, str], Vertex] = {}
        self.number = 0

    def error(self, message: str, hint: str | None = None) -> ModelError:
        return self.sources.error(message, self.span(), hint)

    def span(self) -> Span:
        line = self.lines[self.number - 1]
        start = len(line) - len(line.lstrip())
        return Span(self.path, self.number, start + 1, self.number, max(len(line.rstrip()), start) + 1)

    @property
    def region(self) -> Region:
        return self.open[-1].regions[-1]

    def read(self) -> Machine:
        if len(self.lines) > _MOST_LINES:
            raise ModelError(f"{self.path} has more than {_MOST_LINES:,} lines, which is too long for a diagram")
        inside = not any(line.strip().startswith("@startuml") for line in self.lines)
        skipping = ""
        for number, whole in enumerate(self.lines, start=1):
            self.number = number
            line = whole.strip()
            if line.startswith("@startuml"):
                inside = True
                self.machine.name = line.removeprefix("@startuml").strip()
            elif line.startswith("@enduml"):
                break
            elif skipping:
                if re.fullmatch(skipping, line, re.IGNORECASE) or line.endswith("'/"):
                    skipping = ""
            elif inside and line:
                skipping = self.line(line)
        if len(self.open) > 1:
            self.number = self.open[-1].span.line
            raise self.error(f"the state {self.open[-1].name} has no end", "close it with }")
        if not self.region.vertices:
            raise ModelError(
                f"{self.path} contains no states", hint="a diagram has [*] --> STATE between @startuml and @enduml"
            )
        return self.machine

    def line(self, line: str) -> str:
        """What one line says; where it starts something to pass over, the line that ends that."""
        if own := _OWN.fullmatch(line):
            self.own(own[1])
        elif line.startswith("/'"):
            return "" if line.endswith("'/") else ".*'/"
        elif re.fullmatch(r"skinparam\s.*\{", line, re.IGNORECASE):
            return r"\}"
        elif line.startswith("'") or _PASSED.fullmatch(line):
            return "end ?legend" if line.lower().startswith("legend") else ""
        elif re.match(r"note\b", line, re.IGNORECASE):
            return "" if ":" in line else "end ?note"
        elif line == "}":
            if len(self.open) == 1:
                raise self.error("there is nothing to close here")
            self.open.pop()
        elif re.fullmatch(r"--+|\|\|+", line):
            self.open[-1].regions.append(Region())
        elif arrow := _ARROW.fullmatch(line):
            self.arrow(arrow)
        elif state := _STATE.fullmatch(line):
            self.state(state)
        elif text := _TEXT.fullmatch(line):
            self.text(self.vertex(text[1]), text[2])
        else:
            raise self.error(
                "this is not understood", "states, transitions A --> B : event [guard] / effect, and regions are"
            )
        return ""

    # --- states -------------------------------------------------------------------------------------------------------

    def vertex(self, name: str, kind: Kind = "state") -> Vertex:
        """The state of a name, made where it is met first."""
        if name not in self.vertices:
            vertex = Vertex(name, kind, self.span(), self.open[-1], [Region()])
            self.vertices[name] = vertex
            self.region.vertices.append(vertex)
        return self.vertices[name]

    def state(self, match: re.Match[str]) -> None:
        name = match["name"] or match["alias"] or re.sub(r"\W+", "_", match["label"])
        stereotype = (match["stereotype"] or "").strip("<> ").lower()
        if stereotype and stereotype not in _KINDS:
            raise self.error(f"<<{stereotype}>> is not supported", "choice, fork, start, end and history are")
        vertex = self.vertex(name, _KINDS.get(stereotype, "state"))
        if stereotype:
            vertex.kind = _KINDS[stereotype]
        if match["text"]:
            self.text(vertex, match["text"])
        if match["open"]:
            if vertex.owner is not self.open[-1]:
                raise self.error(f"{name} was met before in another state", "describe a state before transitions to it")
            vertex.span = self.span()
            self.open.append(vertex)

    def end(self, text: str, *, source: bool) -> Vertex:
        """One end of an arrow."""
        if text == "[*]":
            return self.marker("initial" if source else "final", self.open[-1], "start" if source else "end")
        if match := re.fullmatch(rf"({_NAME})?\[H(\*?)\]", text):
            owner = self.vertex(match[1]) if match[1] else self.open[-1]
            return self.marker("deep" if match[2] else "shallow", owner, "H*" if match[2] else "H")
        return self.vertex(text)

    def marker(self, kind: Kind, owner: Vertex, suffix: str) -> Vertex:
        """The one of a region: its start, its end, its history."""
        region = owner.regions[-1]
        key = (id(region), kind)
        if key not in self.pseudo:
            number = f".{len(owner.regions)}" if len(owner.regions) > 1 else ""
            name = f"{owner.name or 'machine'}{number}.{suffix}"
            vertex = Vertex(name, kind, self.span(), owner)
            self.pseudo[key] = vertex
            region.vertices.append(vertex)
        return self.pseudo[key]

    def text(self, vertex: Vertex, text: str) -> None:
        """Below the name of a state: entry, exit, internal transitions; other text is for people."""
        match = re.fullmatch(r"\s*(entry|exit|do|[\w., ]+?)\s*(\[[^\]]*\])?\s*/\s*(.*)", text)
        if match is None:
            return
        name, guard, effect = match[1], (match[2] or "").strip("[]"), match[3].strip()
        if name in ("entry", "exit") and not guard:
            (vertex.entry if name == "entry" else vertex.exit).append((effect, self.span()))
        elif name == "do":
            raise self.error("do activities are not supported", "a state machine is checked at the events it takes")
        elif effect == "defer":
            vertex.deferred += _events(name)
        else:
            label = f"{vertex.name}: {name}" + (f" [{guard}]" if guard else "")
            self.machine.arrows.append(Arrow(vertex, None, _events(name), guard, effect, self.span(), label))

    def arrow(self, match: re.Match[str]) -> None:
        left, arrow, right, label = match[1], match[2], match[3], match[4] or ""
        if arrow.startswith("<"):
            left, right = right, left
        elif not arrow.endswith(">"):
            raise self.error("a transition has a direction", "write A --> B")
        source, target = self.end(left, source=True), self.end(right, source=False)
        parts = _LABEL.fullmatch(label.replace("\\n", " "))
        if parts is None:
            raise self.error("this label is not understood", "write event [guard] / effect")
        events = _events(parts["events"] or "")
        guard, effect = (parts["guard"] or "").strip(), (parts["effect"] or "").strip()
        shown = f"{source.name} -> {target.name}" + (f" on {', '.join(events)}" if events else "")
        shown += f" [{guard}]" if guard else ""
        self.machine.arrows.append(Arrow(source, target, events, guard, effect, self.span(), shown))

    # --- what PlantUML has no words for -------------------------------------------------------------------------------

    def own(self, text: str) -> None:
        word, _, rest = text.strip().partition(" ")
        rest = rest.strip()
        if word == "var" and (match := re.fullmatch(r"([A-Za-z_]\w*)(?:\s*=\s*(.*))?", rest)):
            if any(name == match[1] for name, _, _ in self.machine.variables):
                raise self.error(f"there are two variables {match[1]}")
            self.machine.variables.append((match[1], match[2] or "", self.span()))
        elif word == "output" and rest:
            self.machine.outputs |= set(rest.replace(",", " ").split())
        elif word in ("invariant", "ltl") and (match := re.fullmatch(r"(\w+)\s*:\s*(.*)", rest)):
            found = self.machine.invariants if word == "invariant" else self.machine.formulas
            found.append((match[1], match[2], self.span()))
        else:
            hint = "there are: var NAME = VALUE, output NAMES, invariant NAME: CONDITION, ltl NAME: FORMULA"
            raise self.error("this is not understood", hint)


def _events(text: str) -> tuple[str, ...]:
    """Names of triggers: ``a, b`` or ``a()``."""
    names = [re.sub(r"\(\s*\)$", "", name.strip()) for name in text.split(",")]
    return tuple(re.sub(r"\s+", "_", name) for name in names if name)
