"""The two examples of Peled and Zuck as models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kripke.model.model import Part, Transition
from tests.support.toys import Toy, statement

NT, TR, CR = range(3)
PLACES = ("nt", "tr", "cr")


class Mutex(Toy):
    """Two processes and a turn, free at the start: nt to tr at any time, tr to cr in turn, cr to nt passes the turn."""

    names = ("pc0", "pc1", "turn")
    atoms = ("cr0", "cr1")
    statements = (statement("try", 1), statement("enter", 2), statement("leave", 3))

    def initial(self) -> list[bytes]:
        return [bytes((NT, NT, 0)), bytes((NT, NT, 1))]

    def successors(self, state: bytes) -> list[Transition]:
        steps = []
        for process in (0, 1):
            place, turn = state[process], state[2]
            after = bytearray(state)
            if place == TR and turn != process:
                continue
            after[process] = (place + 1) % 3
            if place == CR:
                after[2] = 1 - turn
            steps.append(Transition((Part(process, place),), bytes(after)))
        return steps

    def atom_values(self, state: bytes) -> tuple[bool, ...]:
        return (state[0] == CR, state[1] == CR)

    def describe(self, state: bytes) -> Mapping[str, str]:
        return {"pc0": PLACES[state[0]] + "0", "pc1": PLACES[state[1]] + "1", "turn": str(state[2])}


class Walks(Toy):
    """Any graph: ``steps[s]`` has (process, target) pairs, ``truth[s]`` the values of p, q, ...; 0 is initial."""

    names = ("s",)
    statements = (statement("go", 1),)

    def __init__(
        self, steps: Sequence[Sequence[tuple[int, int]]], truth: Sequence[Sequence[bool]], atoms: Sequence[str] = "pqr"
    ) -> None:
        self.steps = steps
        self.truth = truth
        self.atoms = tuple(atoms[: len(truth[0])])

    def initial(self) -> list[bytes]:
        return [b"\0"]

    def successors(self, state: bytes) -> list[Transition]:
        return [Transition((Part(process, 0),), bytes([target])) for process, target in self.steps[state[0]]]

    def atom_values(self, state: bytes) -> tuple[bool, ...]:
        return tuple(self.truth[state[0]])
