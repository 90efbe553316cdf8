"""``Path``: one way through a step, as terms over the state it began in.

``values`` has what was written so far. ``when`` is the condition under which the path has come this far; whatever fails
on the way is noted with its condition, and taken out of ``when``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from kripke.process.program import ViolationKind
from kripke.terms.build import FALSE, TRUE, conjoin, disjoin, ite, negate, variable
from kripke.terms.system import Breach, Limit
from kripke.terms.term import Symbol, Term


@dataclass(slots=True)
class Path:
    """``pid`` is the executing process (-1: none, in an atom), ``frame`` the slot whose local variables are meant.

    ``given``: the condition under which what is evaluated now is evaluated at all. ``moved``: whether an edge of the
    location was enabled before. ``sender``: who offered the message that a rendezvous is about (-1: nobody).
    ``asked``: the processes whose enabledness is being found out.
    """

    pid: int
    frame: int
    timeout: Term = FALSE
    when: Term = TRUE
    statement: int = -1
    sender: int = -1
    moved: Term = FALSE
    asked: tuple[int, ...] = ()
    given: Term = TRUE
    values: dict[Symbol, Term] = field(default_factory=dict)
    breaches: list[Breach] = field(default_factory=list)
    limits: list[Limit] = field(default_factory=list)

    def read(self, symbol: Symbol) -> Term:
        known = self.values.get(symbol)
        return variable(symbol) if known is None else known

    def write(self, symbol: Symbol, value: Term) -> None:
        self.values[symbol] = value

    def fail(self, kind: ViolationKind, condition: Term) -> None:
        """The step ends where the condition holds."""
        here = conjoin(self.given, condition)
        self._note(kind, conjoin(self.when, here))
        self.when = conjoin(self.when, negate(here))

    def report(self, kind: ViolationKind, condition: Term, statement: int) -> None:
        """Something is broken where the condition holds; the step goes on."""
        before, self.statement = self.statement, statement
        self._note(kind, conjoin(self.when, condition))
        self.statement = before

    def _note(self, kind: ViolationKind, condition: Term) -> None:
        if condition is not FALSE:
            self.breaches.append(Breach(condition, int(kind), self.statement))

    def end(self, condition: Term, text: str) -> None:
        """The encoding knows no further where the condition holds."""
        here = conjoin(self.when, self.given, condition)
        if here is not FALSE:
            self.limits.append(Limit(here, text))
            self.when = conjoin(self.when, negate(conjoin(self.given, condition)))

    @contextmanager
    def only_if(self, condition: Term) -> Iterator[None]:
        """What is evaluated inside matters only where the condition holds."""
        before, self.given = self.given, conjoin(self.given, condition)
        yield
        self.given = before

    def fork(self, condition: Term) -> Path:
        """The part of the path on which the condition holds. What was broken so far stays with the other part."""
        return replace(self, when=conjoin(self.when, condition), values=dict(self.values), breaches=[], limits=[])

    @property
    def failed(self) -> Term:
        return disjoin(*(breach.condition for breach in self.breaches))


def joined(paths: Sequence[Path]) -> Path:
    """Paths that exclude each other as one."""
    first = paths[0]
    if len(paths) == 1:
        return first
    symbols = {symbol for path in paths for symbol in path.values}
    values: dict[Symbol, Term] = {}
    for symbol in symbols:
        value = paths[-1].read(symbol)
        for path in reversed(paths[:-1]):
            value = ite(path.when, path.read(symbol), value)
        values[symbol] = value
    return replace(
        first,
        when=disjoin(*(path.when for path in paths)),
        values=values,
        breaches=[breach for path in paths for breach in path.breaches],
        limits=[limit for path in paths for limit in path.limits],
    )
