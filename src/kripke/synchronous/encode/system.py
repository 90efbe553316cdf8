"""``encoded``: a synchronous system as a transition system in terms.

A pair of states is a step where all constraints are true of it. Where none is false and some have no value, the step
breaks something; a state from which there is such a pair has a breach.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kripke.model.capabilities.encodable import Encoding
from kripke.synchronous.encode.expressions import Lowering, in_domain
from kripke.synchronous.encode.relation import Commands, Relation, conjuncts, possible
from kripke.synchronous.expressions import Node
from kripke.synchronous.interpreter import RANGE, UNDEFINED, later_form
from kripke.synchronous.layout import Layout
from kripke.synchronous.system import Assignment, SynchronousSystem
from kripke.synchronous.types import Boolean
from kripke.terms.build import FALSE, all_of, any_of, conjoin, disjoin, negate, variable
from kripke.terms.system import Breach, TransitionSystem
from kripke.terms.term import Symbol, Term


class _Part(NamedTuple):
    """Something that must be true of a step: its truth, where it has none, where it is outside of a type."""

    value: Term
    fails: Term
    outside: Term
    statement: int


class _Refused(Exception):
    """Why the system cannot be said in terms."""


def encoded(system: SynchronousSystem, atoms: Sequence[Node], layout: Layout) -> Encoding | str:
    try:
        made = _Encoder(system).system_with(atoms)
    except _Refused as refusal:
        return str(refusal)
    numbers = [number for number, one in enumerate(system.variables) if one.kind != "input"]
    first = [one.type.domain[0] for one in system.variables]

    def values(state: bytes) -> tuple[int, ...]:
        found = layout.decode(state)
        return tuple(found[number] for number in numbers)

    def state(kept: Sequence[int]) -> bytes:
        whole = list(first)
        for number, value in zip(numbers, kept, strict=True):
            whole[number] = value
        return layout.encode(whole)

    return Encoding(made, values, state)


class _Encoder:
    def __init__(self, system: SynchronousSystem) -> None:
        self.system = system
        self.now = [Symbol(one.name, one.type.sort) for one in system.variables]
        self.later = [
            self.now[number] if one.kind == "frozen" else Symbol(f"next({one.name})", one.type.sort)
            for number, one in enumerate(system.variables)
        ]
        self.lowering = Lowering(list(map(variable, self.now)), list(map(variable, self.later)))
        self.states = [number for number, one in enumerate(system.variables) if one.kind != "input"]
        self.inputs = tuple(self.now[number] for number, one in enumerate(system.variables) if one.kind == "input")
        self.moving = {self.later[n]: self.now[n] for n in self.states if system.variables[n].kind == "state"}

    def system_with(self, atoms: Sequence[Node]) -> TransitionSystem:
        truths = [self.lowering.of(node) for node in atoms]
        commands = Commands(self.moving, self.inputs)
        parts = self._parts()
        relation = Relation({}, [])
        relation.parts = [one for part in parts for one in conjuncts(conjoin(part.value, negate(part.outside)))]
        relation.parts += [self._domain(number, self.later) for number in range(len(self.system.variables))]
        commands.add(relation)
        resting: Term = FALSE
        unclear = ""
        moves = [possible(command.guard, command.choices) for command in commands.found]
        if all(move is not None for move in moves):
            resting = negate(any_of(move for move in moves if move is not None))
        else:
            unclear = "whether every state has a successor takes more cases than are written out"
        return TransitionSystem(
            variables=[self.now[number] for number in self.states],
            initial=self._initial(),
            commands=commands.found,
            atoms=[one.value for one in truths],
            failed_atoms=[one.fails for one in truths],
            resting=conjoin(resting, *(negate(one.condition) for one in self._breaches(parts))),
            breaches=self._breaches(parts),
            unclear_ends=unclear,
        )

    def _domain(self, number: int, symbols: Sequence[Symbol]) -> Term:
        """That a variable has one of its values: a range says it by its bounds."""
        variable_, symbol = self.system.variables[number], symbols[number]
        if isinstance(variable_.type, Boolean) or isinstance(variable_.type.domain, range):
            return conjoin()
        return in_domain(variable(symbol), variable_.type.domain)

    # --- steps --------------------------------------------------------------------------------------------------------

    def _parts(self) -> list[_Part]:
        numbers = {id(one): number for number, one in enumerate(self.system.statements(), start=1)}
        found: list[_Part] = []
        for one in self.system.always:
            found.append(self._assigned(one, later_form(one.value), numbers[id(one)]))
        for one in self.system.following:
            found.append(self._assigned(one, one.value, numbers[id(one)]))
        for constraint in self.system.invar:
            found.append(self._constrained(later_form(constraint.condition), numbers[id(constraint)]))
        for constraint in self.system.trans:
            found.append(self._constrained(constraint.condition, numbers[id(constraint)]))
        return found

    def _assigned(self, one: Assignment, value: Node, statement: int) -> _Part:
        target = variable(self.later[one.variable])
        member = self.lowering.member(target, value)
        outside = self.lowering.outside(value, self.system.variables[one.variable].type.domain)
        return _Part(member.value, member.fails, conjoin(outside, negate(member.fails)), statement)

    def _constrained(self, condition: Node, statement: int) -> _Part:
        found = self.lowering.of(condition)
        return _Part(found.value, found.fails, FALSE, statement)

    def _breaches(self, parts: Sequence[_Part]) -> list[Breach]:
        found: list[Breach] = []
        for part in parts:
            for code, broken in ((UNDEFINED, part.fails), (RANGE, part.outside)):
                if broken is not FALSE:
                    condition = self._somewhere(parts, part, broken)
                    if condition is not FALSE:
                        found.append(Breach(condition, code, part.statement))
        return found

    def _somewhere(self, parts: Sequence[_Part], part: _Part, broken: Term) -> Term:
        """Where some pair of states is broken in this way, and nothing is false of it."""
        others = [disjoin(one.value, one.fails, one.outside) for one in parts if one is not part]
        relation = Relation({}, [inner for term in (broken, *others) for inner in conjuncts(term)])
        commands = Commands(self.moving, self.inputs)
        commands.add(relation)
        ways = [possible(command.guard, command.choices) for command in commands.found]
        if any(way is None for way in ways):
            statement = self.system.statements()[part.statement - 1]
            raise _Refused(
                f"{statement.span}: {statement.text} may have no value, or one outside of its type, and where takes "
                "more cases than are written out"
            )
        return any_of(way for way in ways if way is not None)

    # --- the start ----------------------------------------------------------------------------------------------------

    def _initial(self) -> Term:
        terms: list[Term] = []
        for one in (*self.system.always, *self.system.first):
            target = variable(self.now[one.variable])
            terms.append(self.lowering.member(target, one.value).value)
        for constraint in (*self.system.invar, *self.system.init):
            terms.append(self.lowering.of(constraint.condition).value)
        terms += [self._domain(number, self.now) for number in self.states]
        return all_of(terms)
