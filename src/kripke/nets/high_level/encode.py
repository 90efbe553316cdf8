"""A high-level net in terms: the unfolded net (``unfolded_view.py``), and what its steps may break.

A place that has a capacity holds no more: a step that would bring more is an error, not a step.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kripke.model.capabilities.encodable import Encoding
from kripke.model.model import no_pause
from kripke.nets.encode import MOST_BITS, MOST_INVARIANTS, at_least, lowered, too_many
from kripke.nets.high_level.interpreter import VIOLATIONS
from kripke.nets.high_level.marking import encode
from kripke.nets.high_level.model import HighLevelModel
from kripke.nets.high_level.unfolded_view import UnfoldedView
from kripke.nets.place_transition_view import ErrorPredicate
from kripke.nets.structure.invariants import bounds, place_invariants
from kripke.terms.build import FALSE, add, any_of, conjoin, constant, disjoin, less, negate, variable
from kripke.terms.sort import integers
from kripke.terms.substitution import Substitution
from kripke.terms.system import Breach, Command, Limit, TransitionSystem, valued
from kripke.terms.term import Symbol, Term

_CODES = {name: code for code, name in enumerate(VIOLATIONS)}


def encoded(model: HighLevelModel, room: int) -> Encoding:
    """NotExpressible where the net cannot be unfolded, or a condition cannot be asked of the unfolded net."""
    return _Encoding(model, UnfoldedView(model, no_pause, "as predicates"), room).encoding()


class _Encoding:
    def __init__(self, model: HighLevelModel, view: UnfoldedView, room: int) -> None:
        self.model, self.view, self.net = model, view, view.net
        self.largest = self._largest(room)
        pairs = zip(self.net.places, self.largest, strict=True)
        self.symbols = [Symbol(place.name, integers(0, bound)) for place, bound in pairs]
        self.enabled = [at_least(self.symbols, dict(one.preset)) for one in self.net.transitions]
        self.breaches: list[Breach] = []
        self.limits: list[Limit] = []

    def _largest(self, room: int) -> list[int]:
        known = bounds(self.net, place_invariants(self.net, most=MOST_INVARIANTS) or [])
        for number, (place, _) in enumerate(self.view.unfolding.tokens):
            capacity = self.model.net.places[place].capacity
            if capacity is not None:
                known[number] = min(known.get(number, capacity[-1][1]), capacity[-1][1])
        self.known = known
        most = (1 << min(room, MOST_BITS)) - 1
        return [max(known.get(place, most), tokens) for place, tokens in enumerate(self.net.initial)]

    def _of(self, error: ErrorPredicate) -> Term:
        return lowered(error.where, self.symbols, self.enabled)

    def encoding(self) -> Encoding:
        errors = self.view.errors
        ended = any_of(self._of(error) for error in errors.ends)
        before = FALSE
        for error in errors.ends:  # a marking has one of them: the first
            self._break(conjoin(self._of(error), negate(before)), error, error.statement)
            before = disjoin(before, self._of(error))
        failing = [(self._of(error), error) for error in errors.failing]
        for where, error in failing:
            self._break(conjoin(where, negate(ended)), error, error.statement)
        commands = [self._command(number, ended) for number in range(len(self.net.transitions))]
        moving = any_of([*self.enabled, ended, *(where for where, _ in failing)])
        atoms = [self.view.predicate(name) for name in self.model.atoms]
        fails = [self.view.fails(name) for name in self.model.atoms]
        system = TransitionSystem(
            variables=self.symbols,
            initial=valued(self.symbols, [self.net.initial]),
            commands=[command for command in commands if command.guard is not FALSE],
            atoms=[lowered(one, self.symbols, self.enabled) for one in atoms],
            failed_atoms=[lowered(one, self.symbols, self.enabled) for one in fails],
            resting=negate(moving),
            valid_end=negate(lowered(self.view.stuck, self.symbols, self.enabled)),
            breaches=self.breaches,
            limits=self.limits,
        )
        return Encoding(system, self._values, self._state)

    def _break(self, where: Term, error: ErrorPredicate, statement: int) -> None:
        if where is not FALSE:
            self.breaches.append(Breach(where, _CODES[error.kind], statement))

    def _command(self, number: int, ended: Term) -> Command:
        """A transition, where it breaks nothing and there is room for what it makes."""
        transition, statement = self.net.transitions[number], self.view.unfolding.instances[number][0]
        guard = conjoin(self.enabled[number], negate(ended))
        updates = {
            self.symbols[place]: add(variable(self.symbols[place]), constant(change))
            for place, change in transition.changes
        }
        later, over = Substitution(updates), FALSE
        for error in self.view.errors.forbidden:
            broken = conjoin(guard, negate(over), later(self._of(error)))
            self._break(broken, error, statement)
            over = disjoin(over, later(self._of(error)))
        guard = conjoin(guard, negate(over))
        for place, change in transition.changes:
            above = less(constant(self.largest[place]), updates[self.symbols[place]])
            if change > 0 and place not in self.known and conjoin(guard, above) is not FALSE:
                self.limits.append(Limit(conjoin(guard, above), too_many(self.net, place, self.largest[place])))
            if change > 0:
                guard = conjoin(guard, negate(above))
        return Command(guard, updates, 0, statement)

    # --- states -------------------------------------------------------------------------------------------------------

    def _values(self, state: bytes) -> tuple[int, ...]:
        marking = self.model.interpreter.marking(state)
        tokens = tuple(marking[place].get(value, 0) for place, value in self.view.unfolding.tokens)
        if any(count not in symbol.sort for count, symbol in zip(tokens, self.symbols, strict=True)):
            raise ValueError("more tokens than the encoding has room for")
        return tokens

    def _state(self, tokens: Sequence[int]) -> bytes:
        marking: list[dict[Any, int]] = [{} for _ in self.model.net.places]
        for count, (place, value) in zip(tokens, self.view.unfolding.tokens, strict=True):
            if count:
                marking[place][value] = count
        for number, one in enumerate(self.model.net.places):
            tokens_here = marking[number]
            marking[number] = {value: tokens_here[value] for value in sorted(tokens_here, key=one.type.key)}
        return encode(self.model.net, marking)
