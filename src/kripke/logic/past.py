"""Formulas about the past: an automaton that remembers.

What was is known from one bit for each operator of the past, kept from position to position: of ``f S g`` its own
truth at the position before, of ``Y f`` that of f. So the formula is translated with its parts about the past as atoms,
and the automaton gets a memory of these bits (O. Lichtenstein, A. Pnueli, L. Zuck: The glory of the past, 1985).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from kripke.logic.automaton import Automaton, Cube, Edge
from kripke.logic.formula import FALSE, PAST, TRUE, Formula, atom, made
from kripke.logic.guards import FALSE as NEVER
from kripke.logic.guards import TRUE as ALWAYS
from kripke.logic.guards import Guards

_TRUE_AT_FIRST = "ZHT"  # what these remember before the first position


class FutureInPast(Exception):
    """A formula about the past has a part about the future."""


def without_past(formula: Formula) -> tuple[Formula, list[Formula]]:
    """The formula with atoms in the place of its parts about the past; all these parts, inner ones first. The atom of a
    part is the part itself."""
    found: dict[Formula, None] = {}

    def inside(part: Formula) -> None:
        for operand in part.operands:
            inside(operand)
        if part.operator in PAST:
            found[part] = None
        elif part.operator not in ("true", "false", "atom", "not", "and", "or", "->", "<->"):
            raise FutureInPast(part.operator)

    def replaced(part: Formula) -> Formula:
        if part.operator in PAST:
            inside(part)
            return atom(part)
        if not part.operands:
            return part
        return made(part.operator, [replaced(operand) for operand in part.operands])

    return replaced(formula), list(found)


def with_memory(
    translated: Callable[[Formula, Sequence[Hashable]], Automaton], formula: Formula, atoms: Sequence[Hashable]
) -> Automaton:
    """The automaton of a formula that speaks of the past. ``translated`` makes one of a formula that does not."""
    present, parts = without_past(formula)
    tops = [part for part in parts if atom(part) in set(present.walk())]
    automaton = translated(present, (*atoms, *tops))
    return _Memory(automaton, parts, tops, list(atoms)).automaton()


class _Memory:
    """The product of an automaton and what it is to remember: a state and a bit for each part about the past."""

    def __init__(self, automaton: Automaton, parts: list[Formula], tops: list[Formula], atoms: list[Hashable]) -> None:
        self.base, self.parts, self.tops, self.atoms = automaton, parts, tops, atoms
        self.guards = Guards()
        self.place = {part: number for number, part in enumerate(parts)}
        self._cells: dict[int, list[tuple[int, int, int]]] = {}

    def automaton(self) -> Automaton:
        first = sum(1 << number for number, part in enumerate(self.parts) if part.operator in _TRUE_AT_FIRST)
        numbers: dict[tuple[int, int], int] = {}
        order: list[tuple[int, int]] = []

        def number(state: int, memory: int) -> int:
            key = (state, memory)
            if key not in numbers:
                numbers[key] = len(order)
                order.append(key)
            return numbers[key]

        initial = [number(state, first) for state in self.base.initial]
        edges: list[Edge] = []
        for source, (state, memory) in enumerate(order):  # grows while it is walked
            for edge in self.base.edges_from(state):
                for letters, truths, later in self._cells_of(memory):
                    guard = self.guards.both(self._guard(edge.guard, truths), letters)
                    if guard != NEVER:
                        target = number(edge.target, later)
                        edges.append(Edge(source, self.guards.cubes(guard), target, edge.marks))
        return Automaton(
            self.atoms,
            len(order),
            initial,
            edges,
            self.base.sets,
            state_based=self.base.state_based,
            title=self.base.title,
        )

    def _guard(self, cubes: Sequence[Cube], truths: int) -> int:
        """What is left of a guard where the parts about the past have these truths."""
        width = len(self.atoms)
        own = (1 << width) - 1
        found = NEVER
        for cube in cubes:
            if cube.positive >> width & ~truths or cube.negative >> width & truths:
                continue
            found = self.guards.either(found, self.guards.from_cubes((Cube(cube.positive & own, cube.negative & own),)))
        return found

    def _cells_of(self, memory: int) -> list[tuple[int, int, int]]:
        """The letters, sorted by what they make of a memory: (letters, truths of the parts in formulas, memory)."""
        if memory not in self._cells:
            known: dict[Formula, int] = {TRUE: ALWAYS, FALSE: NEVER}
            values = [self._value(part, memory, known) for part in self.parts]
            kept = [
                self._value(part.operands[0], memory, known) if part.operator in "YZ" else value
                for part, value in zip(self.parts, values, strict=True)
            ]
            wanted = [values[self.place[top]] for top in self.tops]
            cells = [(ALWAYS, 0, 0)]
            for function, truth, bit in [
                *((function, 1 << i, 0) for i, function in enumerate(wanted)),
                *((function, 0, 1 << i) for i, function in enumerate(kept)),
            ]:
                cells = [
                    (both, truths | truth * yes, later | bit * yes)
                    for letters, truths, later in cells
                    for yes in (1, 0)
                    if (both := self.guards.both(letters, function if yes else function ^ 1)) != NEVER
                ]
            self._cells[memory] = cells
        return self._cells[memory]

    def _value(self, part: Formula, memory: int, known: dict[Formula, int]) -> int:
        """The letters under which a formula about present and past is true."""
        if part not in known:
            inner = [self._value(operand, memory, known) for operand in part.operands]
            known[part] = self._made(part, inner, memory)
        return known[part]

    def _made(self, part: Formula, inner: list[int], memory: int) -> int:
        guards = self.guards
        before = ALWAYS if part in self.place and memory >> self.place[part] & 1 else NEVER
        match part.operator:
            case "atom":
                return guards.variable(self.atoms.index(part.atom))
            case "not":
                return inner[0] ^ 1
            case "and" | "or" as operator:
                join = guards.both if operator == "and" else guards.either
                found = inner[0]
                for one in inner[1:]:
                    found = join(found, one)
                return found
            case "->":
                return guards.either(inner[0] ^ 1, inner[1])
            case "<->":
                left, right = inner
                return guards.either(guards.both(left, right), guards.both(left ^ 1, right ^ 1))
            case "O":
                return guards.either(inner[0], before)
            case "H":
                return guards.both(inner[0], before)
            case "S":
                return guards.either(inner[1], guards.both(inner[0], before))
            case "T":
                return guards.both(inner[1], guards.either(inner[0], before))
            case _:  # Y, Z
                return before
