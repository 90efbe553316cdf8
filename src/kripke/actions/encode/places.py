"""Where the scalars of records lie, and what references can refer to: known before any state is."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

from kripke.actions.program import Assign, Communicate, Place, ProcessType, Program, Scalar, Shown, Start
from kripke.terms.refusal import Unencodable

#: the global block, in place of the number of a process type
GLOBAL = -1
_MOST_ELEMENTS = 4096  # that one reference may refer to


class Cell(NamedTuple):
    """A scalar at an offset of a record, or of the global block."""

    offset: int
    type: Scalar
    name: str


def cells_of(shown: list[Shown], process: ProcessType | None = None) -> list[Cell]:
    """The scalars of variables. What a slice has left out has none: it is always 0."""
    found = {one.offset: Cell(one.offset, one.type, one.name) for one in shown if not one.reference}
    taken = {at for cell in found.values() for at in range(cell.offset, cell.offset + cell.type.size)}
    for instruction in process.code if process is not None else ():
        # The last value of a FOR is computed once, and kept in a variable without a name.
        match instruction:
            case Assign(Place(base, offset, ()), type_, _) if base.hops == 0 and not base.reference:
                if base.offset + offset not in taken:
                    found[base.offset + offset] = Cell(base.offset + offset, type_, f"(to {base.offset + offset})")
            case _:
                pass
    return list(found.values())


def pending_cells(communicate: Communicate) -> list[Cell]:
    """What a communication keeps while its process waits."""
    return [Cell(save.offset, save.type, f"(kept {save.offset})") for save in communicate.saves]


class References:
    """What every parameter by reference may refer to: process types and offsets in their records."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.targets: dict[tuple[int, int], set[tuple[int, int]]] = {}
        for process in program.processes:
            for one in process.shown:
                if one.reference:
                    self.targets[process.number, one.offset] = set()
        changed = True
        while changed:
            before = sum(map(len, self.targets.values()))
            for process in program.processes:
                for instruction, statement in zip(process.code, process.statements, strict=True):
                    if isinstance(instruction, Start):
                        self._add(process, instruction, statement)
            changed = sum(map(len, self.targets.values())) != before

    def _add(self, process: ProcessType, start: Start, statement: int) -> None:
        for offset, place in start.references:
            found = self.targets.setdefault((start.process, offset), set())
            ranges = [range(0, step.length * step.stride, step.stride) for step in place.indexing]
            shifts = [place.offset + sum(parts) for parts in product(*ranges)]
            bases = self._bases(process, place)
            found |= {(region, at + shift) for region, at in bases for shift in shifts}
            if len(found) > _MOST_ELEMENTS:
                raise Unencodable(f"a reference to one of more than {_MOST_ELEMENTS:,} elements", statement)

    def _bases(self, process: ProcessType, place: Place) -> set[tuple[int, int]]:
        base = place.base
        if base.hops is None:
            return {(GLOBAL, base.offset)}
        owner = process.number
        for _ in range(base.hops):
            owner = self.program.processes[owner].outer
        return set(self.targets.get((owner, base.offset), ())) if base.reference else {(owner, base.offset)}
