"""Random machines for three interpreters: as SCXML, as PlantUML, and for sismic (A. Decan, T. Mens, "Sismic: a Python
library for statechart execution and testing", SoftwareX 2020), where all three mean the same.

So no transition leads from one region to another or into one from outside, actions add to a variable (their order does
not matter), and one kind of event is raised.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

EVENTS = ("a", "b", "c")


@dataclass
class Box:
    name: str
    kind: str  # simple, compound or parallel
    parent: Box | None
    children: list[Box] = field(default_factory=list)
    entry: int = 0
    exit: int = 0

    def ancestors(self) -> list[Box]:
        return [] if self.parent is None else [self.parent, *self.parent.ancestors()]


@dataclass
class Arrow:
    source: Box
    event: str
    guard: tuple[str, str, str]  # as SCXML, UML and sismic have it; empty where there is none
    target: Box | None
    add: int
    raises: bool


class Machine:
    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.boxes: list[Box] = []
        self.root = Box("root", "compound", None)
        self.root.children = [self._box(self.root, 1) for _ in range(self.chance.randint(2, 3))]
        self.arrows = [arrow for box in self.boxes for arrow in self._arrows(box)]

    def _box(self, parent: Box, depth: int, kind: str = "") -> Box:
        kind = (
            kind
            or self.chance.choices(
                ["simple", "compound", "parallel"], [5, 3 if depth < 4 else 0, 2 if depth < 3 else 0]
            )[0]
        )
        box = Box(f"s{len(self.boxes)}", kind, parent)
        self.boxes.append(box)
        box.entry, box.exit = (self.chance.choice([0, 0, 1, 2]) for _ in range(2))
        if kind == "compound":
            box.children = [self._box(box, depth + 1) for _ in range(self.chance.randint(1, 3))]
        elif kind == "parallel":
            box.children = [self._box(box, depth + 1, "compound") for _ in range(2)]
        return box

    def _arrows(self, box: Box) -> list[Arrow]:
        found = []
        for event in (*EVENTS, "own"):
            if self.chance.random() < 0.45:
                targets: list[Box | None] = [other for other in self.boxes if self._allowed(box, other)]
                # In SCXML one without a target is in no conflict, in UML only with those that leave its state.
                if box.kind == "simple" and all(one.kind != "parallel" for one in box.ancestors()):
                    targets.append(None)
                if not targets:
                    continue
                target = self.chance.choice(targets)
                raises = event != "own" and self.chance.random() < 0.2
                found.append(Arrow(box, event, self._guard(), target, self.chance.randint(0, 3), raises))
        return found

    @staticmethod
    def _allowed(source: Box, target: Box) -> bool:
        """The innermost box around both is no parallel one; and none is entered but as a whole, for sismic would leave
        its other regions out."""
        common = next(one for one in source.ancestors() if one in target.ancestors())
        entered = target.ancestors()[: target.ancestors().index(common)]
        return common.kind == "compound" and all(one.kind == "compound" for one in entered)

    def _guard(self) -> tuple[str, str, str]:
        some, bound = self.chance.choice(self.boxes).name, self.chance.randint(1, 5)
        return self.chance.choice(
            [
                ("", "", ""),
                (f"x &gt; {bound}", f"x > {bound}", f"x > {bound}"),
                (f"x % 2 == {bound % 2}", f"x % 2 == {bound % 2}", f"x % 2 == {bound % 2}"),
                (f"In('{some}')", f"in({some})", f"active('{some}')"),
            ]
        )

    # --- texts --------------------------------------------------------------------------------------------------------

    def scxml(self) -> str:
        body = "".join(self._scxml(box) for box in self.root.children)
        return (
            '<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0">'
            f'<datamodel><data id="x" expr="0"/></datamodel>{body}</scxml>\n'
        )

    def _scxml(self, box: Box) -> str:
        tag = "parallel" if box.kind == "parallel" else "state"
        text = f'<{tag} id="{box.name}">'
        if box.entry:
            text += f"<onentry>{_assign(box.entry)}</onentry>"
        if box.exit:
            text += f"<onexit>{_assign(box.exit)}</onexit>"
        for arrow in self._from(box):
            condition = f' cond="{arrow.guard[0]}"' if arrow.guard[0] else ""
            target = f' target="{arrow.target.name}"' if arrow.target is not None else ""
            raised = '<raise event="own"/>' if arrow.raises else ""
            text += f'<transition event="{arrow.event}"{condition}{target}>{_assign(arrow.add)}{raised}</transition>'
        return text + "".join(map(self._scxml, box.children)) + f"</{tag}>"

    def _from(self, box: Box) -> list[Arrow]:
        return [arrow for arrow in self.arrows if arrow.source is box]

    def plantuml(self) -> str:
        lines = ["@startuml", "' kripke: var x = 0", f"[*] --> {self.root.children[0].name}"]
        for box in self.root.children:
            lines += self._plantuml(box)
        for arrow in self.arrows:
            guard = f" [{arrow.guard[1]}]" if arrow.guard[1] else ""
            effect = f" / x = (x + {arrow.add}) % 7" + ("; ^own" if arrow.raises else "")
            if arrow.target is None:
                lines.append(f"{arrow.source.name} : {arrow.event}{guard}{effect}")
            else:
                lines.append(f"{arrow.source.name} --> {arrow.target.name} : {arrow.event}{guard}{effect}")
        return "\n".join([*lines, "@enduml"]) + "\n"

    def _plantuml(self, box: Box) -> list[str]:
        lines = [f"state {box.name}" + (" {" if box.children else "")]
        for number, child in enumerate(box.children):
            if box.kind == "parallel" and number:
                lines.append("--")
            if box.kind == "parallel" or not number:
                lines.append(f"[*] --> {child.name}")
            lines += self._plantuml(child)
        if box.children:
            lines.append("}")
        for word, add in (("entry", box.entry), ("exit", box.exit)):
            if add:
                lines.append(f"{box.name} : {word} / x = (x + {add}) % 7")
        return lines

    def sismic(self) -> str:
        lines = ["statechart:", "  name: twin", "  preamble: x = 0", "  root state:", "    name: root"]
        lines.append(f"    initial: {self.root.children[0].name}")
        lines.append("    states:")
        for box in self.root.children:
            lines += self._sismic(box, 6)
        return "\n".join(lines) + "\n"

    def _sismic(self, box: Box, indent: int) -> list[str]:
        pad = " " * (indent + 2)
        lines = [f"{' ' * indent}- name: {box.name}"]
        if box.kind == "compound":
            lines.append(f"{pad}initial: {box.children[0].name}")
        for word, add in (("on entry", box.entry), ("on exit", box.exit)):
            if add:
                lines.append(f"{pad}{word}: x = (x + {add}) % 7")
        if arrows := self._from(box):
            lines.append(f"{pad}transitions:")
            for arrow in arrows:
                lines.append(f"{pad}- event: {arrow.event}")
                if arrow.guard[2]:
                    lines.append(f"{pad}  guard: {arrow.guard[2]}")
                if arrow.target is not None:
                    lines.append(f"{pad}  target: {arrow.target.name}")
                lines += [f"{pad}  action: |", f"{pad}    x = (x + {arrow.add}) % 7"]
                if arrow.raises:
                    lines.append(f"{pad}    send('own')")
        if box.children:
            lines.append(f"{pad}{'parallel states' if box.kind == 'parallel' else 'states'}:")
            for child in box.children:
                lines += self._sismic(child, indent + 2)
        return lines


def _assign(add: int) -> str:
    return f'<assign location="x" expr="(x + {add}) % 7"/>'


def compare_with_sismic(seed: int, folder: str, steps: int = 25) -> int:
    """Some events, one by one, through all three; how many were compared. It ends early where sismic refuses to choose,
    or an event raises others without end."""
    from pathlib import Path

    from sismic.exceptions import ConflictingTransitionsError, NonDeterminismError
    from sismic.interpreter import Interpreter
    from sismic.io import import_from_yaml

    from kripke.hierarchy.chart.interpreter import Endless, Overflow, Run
    from kripke.hierarchy.chart.run_to_completion import outcomes, started
    from kripke.hierarchy.chart.session import Event
    from kripke.languages.scxml import load as load_scxml
    from kripke.languages.uml import load as load_uml

    machine = Machine(seed)
    path = Path(folder) / "m.scxml"
    path.write_text(machine.scxml())
    scxml = Run.started(load_scxml(str(path)).chart)
    path = Path(folder) / "m.puml"
    path.write_text(machine.plantuml())
    uml_chart = load_uml(str(path)).chart
    (first,) = started(uml_chart)
    uml = first.session
    other = Interpreter(import_from_yaml(machine.sismic()))
    other.execute()
    chance = random.Random(seed)
    for number in range(steps):
        configuration = {name for name in other.configuration if name != "root"}
        chart = scxml.chart
        assert {chart.states[n].id for n in scxml.session.configuration} == configuration, (seed, number)
        assert scxml.session.data["x"] == other.context["x"], (seed, number)
        assert uml is not None
        mine = {uml_chart.states[n].id for n in uml.configuration}
        assert {name for name in mine if "." not in name} == configuration, (seed, number)
        assert uml.data["x"] == other.context["x"], (seed, number)
        event = chance.choice(EVENTS)
        try:
            other.queue(event).execute(max_steps=200)
            scxml.process(Event(event))
        except (NonDeterminismError, ConflictingTransitionsError, Endless, Overflow):
            return number
        pending, taken = [event], 0
        while pending:
            ways = outcomes(uml_chart, uml, Event(pending.pop(0)))
            taken += 1
            if len(ways) > 1 or taken > 200:
                return number
            if ways:
                uml = ways[0].session
                assert uml is not None
                pending += [one.name for one in uml.external]
                uml.external = ()
    return steps
