"""Automata as SPIN's never claims."""

from __future__ import annotations

from kripke.logic.automaton import ALWAYS, Automaton, Cube


def written(automaton: Automaton) -> str:
    """The never claim that accepts what the automaton accepts. The automaton must have its marks on states."""
    if automaton.sets > 1 or not automaton.state_based or len(automaton.initial) > 1:
        raise ValueError("a never claim has one set of accepting states and one initial state")
    comment = automaton.title.replace("/*", "/ *").replace("*/", "* /").replace("\n", " ")
    lines = [f"never  {{    /* {comment} */" if comment else "never  {"]
    if automaton.initial:
        lines += _Claim(automaton).lines()
    else:
        lines += ["T0_init:", "\tfalse;"]
    return "\n".join([*lines, "}"]) + "\n"


class _Claim:
    """The initial state comes first. A state that accepts whatever follows comes last: there the claim ends."""

    def __init__(self, automaton: Automaton) -> None:
        self.automaton = automaton
        start = automaton.initial[0]
        others = [state for state in range(automaton.states) if state != start]
        self.end = next((state for state in others if self.takes_everything(state)), None)
        if not others and self.takes_everything(start):
            self.end = start
        self.order = [start, *(state for state in others if state != self.end)]
        if self.end is not None and self.end != start:
            self.order.append(self.end)

    def takes_everything(self, state: int) -> bool:
        edges = self.automaton.edges_from(state)
        stays = len(edges) == 1 and edges[0].target == state and edges[0].guard == (ALWAYS,)
        return stays and self.accepting(state)

    def accepting(self, state: int) -> bool:
        return self.automaton.sets == 0 or self.automaton.marks_of_state(state) == 1

    def lines(self) -> list[str]:
        lines = []
        for state in self.order:
            lines.append(self.name(state) + ":")
            edges = self.automaton.edges_from(state)
            if state == self.end:
                lines.append("\tskip")
            elif not edges:
                lines.append("\tfalse;")
            else:
                lines.append("\tdo")
                for edge in edges:
                    guard = " || ".join(self.cube(cube) for cube in edge.guard)
                    lines.append(f"\t:: ({guard}) -> goto {self.name(edge.target)}")
                lines.append("\tod;")
        return lines

    def name(self, state: int) -> str:
        prefix = "accept" if self.accepting(state) else "T0"
        if state == self.order[0]:
            return f"{prefix}_init"
        return "accept_all" if state == self.end else f"{prefix}_S{state}"

    def cube(self, cube: Cube) -> str:
        literals = []
        for index, positive in cube.literals():
            text = str(self.automaton.atoms[index])
            atom = text if text.isidentifier() else f"({text})"
            literals.append(atom if positive else f"!{atom}")
        return "(" + " && ".join(literals) + ")" if literals else "1"
