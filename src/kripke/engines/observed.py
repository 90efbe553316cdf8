"""A run of a model beside an observer, as the engines on terms find it: pairs of states, and the error that it is."""

from __future__ import annotations

from dataclasses import dataclass

from kripke.engines.explicit.search import ErrorPath
from kripke.model.capabilities.encodable import Encoding
from kripke.model.model import Model
from kripke.model.observer import Observer
from kripke.model.product import Product
from kripke.terms.evaluation import Evaluation
from kripke.terms.system import Breach

#: a state of the observer, and the values of the variables
Pair = tuple[int, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class WrongRun:
    """``alarm``: its number; ``breach``: what the step after the last pair breaks; neither: a loop, which begins at
    ``loop``. States inside of steps are among the pairs."""

    pairs: list[Pair]
    alarm: int = -1
    breach: Breach | None = None
    loop: int | None = None


def atoms_used(model: Model, observer: Observer) -> list[int]:
    """The atoms that decide about the observer's moves, and those of its fairness."""
    used = 0
    for edge in (edge for edges in observer.edges for edge in edges):
        for cube in edge.guard:
            used |= cube.positive | cube.negative
    for atom in (*observer.waiting, *(atom for pair in observer.strong for atom in pair)):
        used |= 1 << atom
    return [number for number in range(len(model.atoms)) if used >> number & 1]


def error_of(model: Model, observer: Observer, encoding: Encoding, run: WrongRun) -> ErrorPath:
    """The run as states of the product of model and observer."""
    product = Product(model, observer)
    system = encoding.system
    stable = Evaluation([system.stable])
    states: list[bytes] = []
    loop = None
    for number, (watching, values) in enumerate(run.pairs):
        if run.loop == number:
            loop = len(states)
        if stable(dict(zip(system.variables, values, strict=True)))[0]:
            states.append(product.join(encoding.state(values), watching))
    if run.breach is not None:
        return ErrorPath("violation", run.breach.code, run.breach.statement, tuple(states))
    if run.alarm >= 0:
        return ErrorPath("violation", len(model.violation_kinds) + run.alarm, 0, tuple(states))
    return ErrorPath("cycle", -1, -1, tuple(states), loop)
