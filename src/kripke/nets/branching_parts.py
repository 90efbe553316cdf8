"""Branching time without the graph of all states: a formula in parts, each a question of reachability or linear time.

A formula on all paths is bounded by formulas of linear time, from below and above; where a bound decides, it decides
the formula. For a run and a marking on it,

- that all runs from there satisfy F implies that this one does: from above, an inner "on all paths" may be left out,
- that this one satisfies F implies that some run from there does: from below, an inner "on some path" may be left out,
- and from below an inner "on all paths" may be left out too where what is asked outside is asked of every run that
  comes there: inside G, conjunctions, and disjunctions with predicates: M. Maidl, The common fragment of CTL and LTL,
  FOCS 2000.

What is left is replaced by a predicate that implies it, or that it implies. X is not among these formulas: the path of
branching time that ends in a deadlock has no next marking, the run of linear time has.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from kripke.logic.ctl import And, Not, Or
from kripke.nets import formulas, predicates
from kripke.nets.formulas import AllPaths, Finally, Formula, Globally, Next, Now, Query, SomePath, Until
from kripke.nets.model import NetModel
from kripke.nets.predicates import Constant, Fireable, Predicate, holds

if TYPE_CHECKING:
    from kripke.nets.answers import Session

_MOST_SUCCESSORS = 12  # of the initial marking, to ask each of them
_MOST_TRANSITIONS = 2000  # in a predicate that says that nothing is enabled


class Parts:
    """The value of a formula in the initial marking, in three-valued logic: None is not known. All parts together have
    this share of the time that the session has left."""

    def __init__(self, session: Session, share: float) -> None:
        self.session = session.part(share)
        self.whole = session
        count = len(session.model.net.transitions)
        self.dead = predicates.negation(Fireable(tuple(range(count)))) if count <= _MOST_TRANSITIONS else None

    def value(self, formula: Formula) -> bool | None:
        value = self._value(formula)
        self.whole.count(self.session.states, self.session.transitions)
        return value

    def _value(self, formula: Formula) -> bool | None:
        match formula:
            case Now(predicate):
                net = self.session.model.net
                return holds(predicate, net, net.initial)
            case Not(operand):
                return _opposite(self._value(operand))
            case And(operands):
                return _joined((self._value(operand) for operand in sorted(operands, key=_nesting)), False)
            case Or(operands):
                return _joined((self._value(operand) for operand in sorted(operands, key=_nesting)), True)
            case SomePath(path):
                return _opposite(self._on_all_paths(_pushed(Not(path))))
            case AllPaths(path):
                return self._on_all_paths(_pushed(path))
            case _:
                raise TypeError(formula)

    def _on_all_paths(self, path: Formula) -> bool | None:
        match path:
            case Next(operand):
                return self._next(operand)
            case Not(Next(operand)):
                return self._next(formulas.negation(operand))
        tried: set[Formula] = set()
        # A predicate that says that nothing is enabled is about many places, and little is left to reduce then.
        for bounds in (Bounds(None), Bounds(self.dead)) if self.dead is not None else (Bounds(None),):
            below, above = bounds.along(path, True, fixed=True), bounds.along(path, False)
            exact = below == above
            for bound, decisive in ((below, True), (above, False)):
                if bound in tried:
                    continue
                tried.add(bound)
                value = self._on_all_runs(bound)
                if value is decisive or (exact and value is not None):
                    return value
        return None

    def _on_all_runs(self, path: Formula) -> bool | None:
        from kripke.nets.temporal_answers import on_reduced_net

        match path:
            case Now():
                return self._value(path)
            case Globally(Now(Constant(value))) | Finally(Now(Constant(value))):
                return value
            case Globally(Now(predicate)):
                found = self.session.part(0.5).search({"part": predicates.negation(predicate)})
                return False if "part" in found else None if found.reason("part") else True
        answer = on_reduced_net(self.session, Query("part", AllPaths(path)), self.session.limits_left(share=0.5))
        return answer.value if isinstance(answer.value, bool) else None

    def _next(self, operand: Formula) -> bool | None:
        """In every successor of the initial marking."""
        model = self.session.model
        interpreter = model.interpreter
        targets = {step.target for step in interpreter.successors(interpreter.initial()) if step.target is not None}
        markings = [tuple(interpreter.tokens(target)) for target in sorted(targets)]
        if isinstance(operand, Now):
            return all(holds(operand.predicate, model.net, marking) for marking in markings)
        if len(markings) > _MOST_SUCCESSORS:
            return None
        return _joined(
            (
                Parts(self._moved(marking), 1 / (len(markings) - number)).value(operand)
                for number, marking in enumerate(markings)
            ),
            False,
        )

    def _moved(self, marking: tuple[int, ...]) -> Session:
        """The same net with another initial marking."""
        model = self.session.model
        places = tuple(replace(place, initial=tokens) for place, tokens in zip(model.net.places, marking, strict=True))
        moved = NetModel(replace(model.net, places=places), model.file, model.language, model.sources)
        return replace(self.session.part(1.0), model=moved, _invariants=None)


class Bounds:
    """Formulas of linear time that imply a formula of branching time (below), or that it implies. ``dead`` says that
    nothing is enabled: there, what will be is what is."""

    def __init__(self, dead: Predicate | None) -> None:
        self.dead = dead or Constant(False)
        self.alive = predicates.negation(dead) if dead is not None else Constant(True)

    def along(self, formula: Formula, below: bool, *, fixed: bool = False) -> Formula:
        """A bound on every run. ``fixed``: every run that comes to a marking asks the same of it."""
        match _pushed(formula):
            case Now() as now:
                return now
            case And(operands):
                return formulas.conjunction(tuple(self.along(operand, below, fixed=fixed) for operand in operands))
            case Or(operands):
                fixed = fixed and sum(not isinstance(operand, Now) for operand in operands) <= 1
                return formulas.disjunction(tuple(self.along(operand, below, fixed=fixed) for operand in operands))
            case Globally(operand):
                return Globally(self.along(operand, below, fixed=fixed))
            case Finally(operand):
                return Finally(self.along(operand, below))
            case Until(before, reached):
                fixed = fixed and isinstance(reached, Now)
                return Until(self.along(before, below, fixed=fixed), self.along(reached, below))
            case Not(Until(before, reached)):
                return Not(Until(self.along(before, not below), self.along(reached, not below)))
            case AllPaths(path) as state:
                if _is_next(path) or (below and not fixed):
                    return Now(self.predicate(state, below))
                return self.along(path, below, fixed=fixed)
            case SomePath(path) as state:
                if _is_next(path) or not below:
                    return Now(self.predicate(state, below))
                return self.along(path, below)
            case other:
                raise TypeError(other)

    def predicate(self, formula: Formula, below: bool) -> Predicate:
        """A predicate that implies a state formula (below), or that it implies."""
        match _pushed(formula):
            case Now(predicate):
                return predicate
            case And(operands):
                return predicates.conjunction([self.predicate(operand, below) for operand in operands])
            case Or(operands):
                return predicates.disjunction([self.predicate(operand, below) for operand in operands])
            case AllPaths(path) if _is_next(path):
                return self.dead if below else Constant(True)
            case SomePath(path) if _is_next(path):
                return Constant(False) if below else self.alive
            case AllPaths(path) | SomePath(path):
                return self._on_path(_pushed(path), below)
            case other:
                raise TypeError(other)

    def _on_path(self, path: Formula, below: bool) -> Predicate:
        """What is true now where it is true on a path (from above), and what makes it true at once (below)."""
        match path:
            case Finally(operand):
                now = self.predicate(operand, below)
                return now if below else predicates.disjunction([now, self.alive])
            case Globally(operand):
                now = self.predicate(operand, below)
                return predicates.conjunction([now, self.dead]) if below else now
            case Until(before, reached):
                now = self.predicate(reached, below)
                if below:
                    return now
                going_on = predicates.conjunction([self.predicate(before, below), self.alive])
                return predicates.disjunction([now, going_on])
            case Not(Until() as until):
                return predicates.negation(self._on_path(until, not below))
            case _:
                return self.predicate(path, below)


def _pushed(formula: Formula) -> Formula:
    """Without a negation at the top, where there is another way to say it."""
    while isinstance(formula, Not):
        match formula.operand:
            case Not(inner):
                formula = inner
            case Now(predicate):
                return Now(predicates.negation(predicate))
            case And(operands):
                return Or(tuple(map(Not, operands)))
            case Or(operands):
                return And(tuple(map(Not, operands)))
            case Globally(operand):
                return Finally(_pushed(Not(operand)))
            case Finally(operand):
                return Globally(_pushed(Not(operand)))
            case AllPaths(path):
                return SomePath(_pushed(Not(path)))
            case SomePath(path):
                return AllPaths(_pushed(Not(path)))
            case _:
                return formula
    return formula


def _is_next(path: Formula) -> bool:
    return isinstance(path, Next) or (isinstance(path, Not) and _is_next(path.operand))


def _opposite(value: bool | None) -> bool | None:
    return None if value is None else not value


def _joined(values: Iterable[bool | None], decisive: bool) -> bool | None:
    """The first decisive value decides all."""
    unknown = False
    for value in values:
        if value is decisive:
            return decisive
        unknown |= value is None
    return None if unknown else not decisive


def _nesting(formula: Formula) -> int:
    match formula:
        case Not(operand) | Next(operand) | Finally(operand) | Globally(operand):
            return _nesting(operand)
        case AllPaths(operand) | SomePath(operand):
            return 1 + _nesting(operand)
        case And(operands) | Or(operands):
            return max(map(_nesting, operands), default=0)
        case Until(before, reached):
            return max(_nesting(before), _nesting(reached))
        case _:
            return 0
