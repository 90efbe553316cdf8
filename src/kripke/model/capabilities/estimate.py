"""``Estimate``: how far a state is from a goal. Directed searches take the most promising state first."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

#: No step leads to the goal any more, whatever is done. Sums stop here.
UNREACHABLE = 0x3FFFFFFF

#: ``bound``: never more steps than are needed. ``formula``: sums over the parts of the goal, which tell more and may be
#: too much. Else the text of an expression that the model was loaded with.
Way = str

#: Atoms that must be true, and those that must be false: a bit for each.
Cube = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Goal:
    """What is looked for, any of it: a state without steps that is no valid end; a failed assertion, or what takes the
    place of assertions in a language without them; an atom of
    ``broken`` that is false; a state in which one of ``cubes`` is true. ``steps``: of every cube which atoms of steps
    must be true, and which false, of a step from there (by their number, the first is 0); empty: of any."""

    deadlock: bool = False
    assertion: bool = False
    broken: tuple[int, ...] = ()
    cubes: tuple[Cube, ...] = ()
    steps: tuple[Cube, ...] = ()


@dataclass(frozen=True, slots=True)
class Known:
    """What is known about an estimate. ``admissible``: it is never more than the steps that are needed, so that what
    A* finds first is shortest. ``words`` say what it is, for reports. ``violations``: the names of those kinds of
    violations that are part of the goal; of others nothing is known."""

    admissible: bool
    words: str
    violations: frozenset[str] = frozenset()


class Estimator(ABC):
    """Numbers of steps to one goal."""

    known: Known

    @abstractmethod
    def steps(self, state: bytes) -> int:
        """From this state; ``UNREACHABLE`` and more: the goal cannot be reached."""


@runtime_checkable
class Estimate(Protocol):
    def estimator(self, goal: Goal, way: Way) -> Estimator | str:
        """An estimate of the way to a goal; a sentence where there is none."""

    def emit_estimates(self, estimators: Sequence[Estimator], *, dependencies: bool = False) -> str | None:
        """The model as C (``Compilable``), with these estimates, by their place in the list."""

    def distance_to_state(self, state: bytes) -> Callable[[bytes], int] | None:
        """An estimate of the steps to a state, for the way back in a cycle; None where the model has none."""


#: How numbers of steps go together.
Combine = Literal["sum", "max", "min"]
