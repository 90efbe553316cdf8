"""Pictures of charts: states as nested boxes, regions side by side.

A transition is drawn where its two ends have a common box; what it leaves or enters inside of another box is named in
its label, and by its keys for a layout that draws across borders.
"""

from __future__ import annotations

from kripke.hierarchy.chart.structure import Chart, State, Transition
from kripke.model.diagram import Arrow, Diagram, Node, Shape, shortened


def state_key(number: int) -> str:
    """What a picture calls a state."""
    return f"state {number}"


def chart_diagram(chart: Chart) -> Diagram:
    return _Drawing(chart).inside(chart.states[0], chart.name)


class _Drawing:
    def __init__(self, chart: Chart) -> None:
        self.chart = chart
        self.arrows: dict[int, list[Arrow]] = {}
        for state in chart.states:
            if chart.compound(state.number) and state.initial is not None:
                for target in state.initial.targets:
                    self.arrow(state.number, None, target, "", "")
            for transition in state.transitions:
                self.transition(state, transition)

    # --- arrows -------------------------------------------------------------------------------------------------------

    def transition(self, state: State, transition: Transition) -> None:
        label = ", ".join(transition.events)
        if transition.condition is not None:
            label += f" [{' '.join(transition.condition.text.split())}]"
        label = shortened(label.strip(), 40)
        for target in transition.targets or (state.number,):
            self.joined(state.number, target, label)

    def joined(self, source: int, target: int, label: str) -> None:
        chart = self.chart
        if target == source:
            self.arrow(chart.states[source].parent, source, source, "", label)
        elif chart.descendant(target, source):
            self.arrow(source, None, target, "", label)
        elif chart.descendant(source, target):
            self.arrow(chart.states[target].parent, target, target, chart.states[source].id, label)
        else:
            common = next(a for a in chart.ancestors(source) if chart.descendant(target, a))
            self.arrow(common, source, target, "", label)

    def arrow(self, box: int, source: int | None, target: int, inner: str, label: str) -> None:
        """In a box: between the states directly inside of it, with the names of the real ends where they are deeper."""
        chart = self.chart
        end = self.child(box, target)
        start = None if source is None else self.child(box, source)
        if source is not None and start != source:
            inner = chart.states[source].id
        text = f"{inner}: {label}" if inner else label
        if end != target:
            text = f"{text} → {chart.states[target].id}".strip()
        found = Arrow(
            None if start is None else str(start),
            str(end),
            text,
            source_key=state_key(source) if source is not None and start != source else "",
            target_key=state_key(target) if end != target else "",
            plain=label,
        )
        known = self.arrows.setdefault(box, [])
        if found not in known:
            known.append(found)

    def child(self, box: int, number: int) -> int:
        """The state directly inside the box that contains this one, or is it."""
        while self.chart.states[number].parent != box:
            number = self.chart.states[number].parent
        return number

    # --- boxes --------------------------------------------------------------------------------------------------------

    def inside(self, state: State, title: str = "") -> Diagram:
        nodes = [self.node(self.chart.states[child]) for child in state.children]
        return Diagram(title, nodes, self.arrows.get(state.number, []), "down")

    def node(self, state: State) -> Node:
        shapes: dict[str, Shape] = {"final": "double", "shallow": "circle", "deep": "circle", "choice": "circle"}
        lines = {"shallow": ("H",), "deep": ("H*",), "choice": ("?",)}.get(state.kind, (shortened(state.id, 32),))
        nested = self.inside(state) if state.children else None
        return Node(
            str(state.number), lines, shapes.get(state.kind, "box"), key=state_key(state.number), inside=nested
        )  # fmt: skip
