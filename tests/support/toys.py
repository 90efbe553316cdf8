"""Small models written in Python, for tests of everything that takes a ``Model``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from kripke.model.model import Model, Part, Statement, Transition, Violation, ViolationKind
from kripke.model.source import Diagnostic, Span

ASSERTION = ViolationKind("assertion", "assertion violated")
DIVISION = ViolationKind("division", "division by zero")


def statement(text: str, line: int, process: str = "P", file: str = "toy.pml") -> Statement:
    return Statement(text, Span(file, line, 5, line, 5 + len(text)), process)


class Toy(Model):
    """What the toys share: a state is one byte per variable."""

    file = "toy.pml"
    language = "toy"
    violation_kinds: Sequence[ViolationKind] = (ASSERTION, DIVISION)
    atoms: Sequence[str] = ()
    warnings: Sequence[Diagnostic] = ()
    names: Sequence[str] = ()

    @property
    def max_state_bytes(self) -> int:
        return max(1, len(self.names))

    def valid_end(self, state: bytes) -> bool:
        return True

    def atom_values(self, state: bytes) -> tuple[bool, ...]:
        return ()

    def describe(self, state: bytes) -> Mapping[str, str]:
        return {name: str(value) for name, value in zip(self.names, state, strict=True)}

    def actor_name(self, actor: int, state: bytes) -> str:
        return f"P:{actor}"

    def source_line(self, span: Span) -> str:
        return ""


class Counters(Toy):
    """Two processes, each counting its own variable up to ``top``: (top + 1)² states, a diamond of a graph.

    ``bad`` is a pair that must not be reached: an assertion fails in the step to it.
    """

    names = ("x", "y")
    statements = (statement("x = x + 1", 3), statement("y = y + 1", 7, "Q"), statement("skip", 9, "Q"))
    atoms = ("x + y < 3", "x <= 100")

    def __init__(self, top: int = 2, *, bad: tuple[int, int] | None = None, valid: bool = True) -> None:
        self.top = top
        self.bad = bad
        self.valid = valid

    def initial(self) -> list[bytes]:
        return [bytes((0, 0))]

    def successors(self, state: bytes) -> list[Transition]:
        x, y = state
        steps = []
        if x < self.top:
            steps.append(self._step(0, (x + 1, y)))
        if y < self.top:
            steps.append(self._step(1, (x, y + 1)))
        return steps

    def _step(self, actor: int, target: tuple[int, int]) -> Transition:
        broken = (Violation(0, actor),) if target == self.bad else ()
        return Transition((Part(actor, actor),), bytes(target), broken)

    def valid_end(self, state: bytes) -> bool:
        return self.valid

    def atom_values(self, state: bytes) -> tuple[bool, ...]:
        return (sum(state) < 3, state[0] <= 100)

    def printed(self, part: Part) -> str | None:
        return "y moves\n" if part.statement == 1 else None


class Chain(Toy):
    """A line of ``length`` steps, two bytes of counter; a deadlock at its end."""

    statements = (statement("next", 2),)

    def __init__(self, length: int) -> None:
        self.length = length

    @property
    def max_state_bytes(self) -> int:
        return 3

    def initial(self) -> list[bytes]:
        return [bytes(3)]

    def successors(self, state: bytes) -> list[Transition]:
        at = int.from_bytes(state, "little")
        return [Transition((Part(0, 0),), (at + 1).to_bytes(3, "little"))] if at < self.length else []

    def valid_end(self, state: bytes) -> bool:
        return False

    def describe(self, state: bytes) -> Mapping[str, str]:
        return {"n": str(int.from_bytes(state, "little"))}


class Graph(Toy):
    """Any graph: ``steps[s]`` lists the targets of state s (None: a violation ends the step); 0 is initial.

    Every step has an assertion of its own that fails where ``broken`` says so.
    """

    names = ("s",)

    def __init__(
        self,
        steps: Sequence[Sequence[int | None]],
        *,
        broken: frozenset[tuple[int, int]] = frozenset(),
        ends: frozenset[int] = frozenset(),
        bad: frozenset[int] = frozenset(),
        initial: Sequence[int] = (0,),
    ) -> None:
        self.steps = steps
        self.broken = broken
        self.ends = ends
        self.bad = bad
        self.starts = initial
        self.statements = tuple(statement(f"go {index}", index + 1) for index in range(max(map(len, steps), default=0)))
        self.atoms = ("good",)

    def initial(self) -> list[bytes]:
        return [bytes((start,)) for start in self.starts]

    def successors(self, state: bytes) -> list[Transition]:
        return [
            Transition(
                (Part(0, index),),
                None if target is None else bytes((target,)),
                (Violation(0, index),) if target is None or (state[0], index) in self.broken else (),
            )
            for index, target in enumerate(self.steps[state[0]])
        ]

    def valid_end(self, state: bytes) -> bool:
        return state[0] in self.ends

    def atom_values(self, state: bytes) -> tuple[bool, ...]:
        return (state[0] not in self.bad,)


class Lying(Counters):
    """Its reference semantics forgets a step that ``found`` pretends to have taken: for tests of failed replays."""

    def __init__(self, successors: Callable[[bytes], list[Transition]]) -> None:
        super().__init__(2)
        self._successors = successors

    def successors(self, state: bytes) -> list[Transition]:
        return self._successors(state)
