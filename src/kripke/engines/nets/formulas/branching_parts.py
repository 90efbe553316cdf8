"""Branching time without the graph of all states: a formula in parts, each a question of reachability or linear time.

A formula on all paths is bounded by formulas of linear time, from below and above; where a bound decides, it decides
the formula. For a run and a marking on it,

- that all runs from there satisfy F implies that this one does: from above, an inner "on all paths" may be left out,
- that this one satisfies F implies that some run from there does: from below, an inner "on some path" may be left out,
- and from below an inner "on all paths" may be left out too where what is asked outside is asked of every run that
  comes there: inside G, conjunctions, and disjunctions with predicates: M. Maidl, The common fragment of CTL and LTL,
  FOCS 2000.

What is left is replaced by a predicate that implies it, or that it implies; X by what must hold before a transition
fires. It is not among the formulas of linear time: the path of branching time that ends in a deadlock has no next
marking, the run of linear time has. Before all this, predicates that never hold, or always, are looked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from kripke.logic.ctl import And, Not, Or
from kripke.nets import formulas, predicates
from kripke.nets.formulas import AllPaths, Finally, Formula, Globally, Next, Now, Query, SomePath, Until
from kripke.nets.model import NetModel
from kripke.nets.place_transition import PlaceTransitionNet
from kripke.nets.predicates import Constant, Fireable, Predicate, holds

if TYPE_CHECKING:
    from kripke.engines.nets.formulas.answers import QueryAnswerer

_MOST_SUCCESSORS = 100  # of the initial marking, to ask each of them
_MOST_TRANSITIONS = 300  # in a predicate that says what can be enabled, and what then holds
_SHARE_FOR_PREDICATES = 0.25  # of the time, to find out which of them never hold, or always


class Parts:
    """The value of a formula in the initial marking, in three-valued logic: None is not known. All parts together have
    this share of the time that the answerer has left."""

    def __init__(self, answerer: QueryAnswerer, share: float) -> None:
        self.answerer = answerer.part(share)
        self.whole = answerer
        self.values: dict[Formula, bool | None] = {}
        self.tiers = [Bounds(None)]
        if len(answerer.model.net.transitions) <= _MOST_TRANSITIONS:
            # Predicates about enabledness are about many places, and little is left to reduce then.
            self.tiers.append(Bounds(answerer.model.net))

    def value(self, formula: Formula) -> bool | None:
        value = self._value(self._without_constants(formula) if _nesting(formula) > 1 else formula)
        self.whole.count(self.answerer.states, self.answerer.transitions)
        return value

    def _without_constants(self, formula: Formula) -> Formula:
        """Predicates that never hold in a reachable marking, or always, are constants."""
        asked = [predicate for predicate in formulas.predicates_of(formula) if not isinstance(predicate, Constant)]
        goals: dict[str, Predicate] = {}
        for number, predicate in enumerate(asked):
            goals |= {f"{number}": predicate, f"not {number}": predicates.negation(predicate)}
        found = self.answerer.part(_SHARE_FOR_PREDICATES).search(goals)
        never = {goals[name] for name in goals if name not in found and not found.reason(name)}
        values = {
            predicate: Constant(predicate not in never)
            for predicate in asked
            if predicate in never or predicates.negation(predicate) in never
        }
        return _replaced(formula, values) if values else formula

    def _value(self, formula: Formula) -> bool | None:
        if formula not in self.values:
            self.values[formula] = self._find_value(formula)
        return self.values[formula]

    def _find_value(self, formula: Formula) -> bool | None:
        match formula:
            case Now(predicate):
                net = self.answerer.model.net
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
        now = self._now(path)
        if now is not None:
            return now
        tried: set[Formula] = set()
        for bounds in self.tiers:
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

    def _now(self, path: Formula) -> bool | None:
        """What the values of operands in the initial marking tell."""
        match path:
            case Finally(Now()) | Globally(Now()):
                return None
            case Finally(operand):
                return True if self._value(operand) else None
            case Globally(operand):
                return False if self._value(operand) is False else None
            case Until(before, reached):
                value = self._value(reached)
                return True if value else False if value is False and self._value(before) is False else None
            case Not(Until() as until):
                return _opposite(self._now(until))
            case _:
                return None

    def _on_all_runs(self, path: Formula) -> bool | None:
        from kripke.engines.nets.formulas.temporal import on_reduced_net

        if self.answerer.is_over():
            return None
        match path:
            case Now():
                return self._value(path)
            case Globally(Now(Constant(value))) | Finally(Now(Constant(value))):
                return value
            case Globally(Now(predicate)):
                found = self.answerer.part(0.5).search({"part": predicates.negation(predicate)})
                return False if "part" in found else None if found.reason("part") else True
        answer = on_reduced_net(self.answerer, Query("part", AllPaths(path)), self.answerer.limits_left(share=0.5))
        return answer.value if isinstance(answer.value, bool) else None

    def _next(self, operand: Formula) -> bool | None:
        """In every successor of the initial marking."""
        model = self.answerer.model
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

    def _moved(self, marking: tuple[int, ...]) -> QueryAnswerer:
        """The same net with another initial marking."""
        model = self.answerer.model
        places = tuple(replace(place, initial=tokens) for place, tokens in zip(model.net.places, marking, strict=True))
        moved = NetModel(replace(model.net, places=places), model.file, model.language, model.sources)
        return replace(self.answerer.part(1.0), model=moved, _invariants=None, _saturations=[])


class Bounds:
    """Formulas of linear time that imply a formula of branching time (below), or that it implies. With a net they may
    be about what is enabled: where nothing is, what will be is what is."""

    def __init__(self, net: PlaceTransitionNet | None) -> None:
        self.net = net
        self.alive: Predicate = Fireable(tuple(range(len(net.transitions)))) if net is not None else Constant(True)
        self.dead = predicates.negation(self.alive) if net is not None else Constant(False)

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
            case AllPaths(Next(operand)):
                return predicates.negation(self._in_some_successor(Not(operand), not below))
            case AllPaths(Not(Next(operand))):
                return predicates.negation(self._in_some_successor(operand, not below))
            case SomePath(Next(operand)):
                return self._in_some_successor(operand, below)
            case SomePath(Not(Next(operand))):
                return self._in_some_successor(Not(operand), below)
            case AllPaths(path) | SomePath(path):
                return self._on_path(_pushed(path), below)
            case other:
                raise TypeError(other)

    def _in_some_successor(self, operand: Formula, below: bool) -> Predicate:
        """A transition is enabled, and what is asked holds after it."""
        if self.net is None:
            return Constant(not below)
        inner = self.predicate(operand, below)
        return predicates.disjunction(
            [
                predicates.conjunction([Fireable((number,)), predicates.before(inner, self.net, number)])
                for number in range(len(self.net.transitions))
            ]
        )

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


def _replaced(formula: Formula, values: Mapping[Predicate, Constant]) -> Formula:
    """The formula with some predicates replaced, and without operators whose value that decides."""
    match formula:
        case Now(predicate):
            return Now(values.get(predicate, predicate))
        case Not(operand):
            return formulas.negation(_replaced(operand, values))
        case And(operands):
            return formulas.conjunction(tuple(_replaced(operand, values) for operand in operands))
        case Or(operands):
            return formulas.disjunction(tuple(_replaced(operand, values) for operand in operands))
        case AllPaths(path) | SomePath(path):
            inner = _replaced(path, values)
            return inner if isinstance(inner, Now) else type(formula)(inner)
        case Next(operand):
            return Next(_replaced(operand, values))  # its value depends on whether there is a next marking
        case Finally(operand) | Globally(operand):
            inner = _replaced(operand, values)
            return inner if isinstance(inner, Now) and isinstance(inner.predicate, Constant) else type(formula)(inner)
        case Until(before, reached):
            end = _replaced(reached, values)
            return (
                end
                if isinstance(end, Now) and isinstance(end.predicate, Constant)
                else Until(_replaced(before, values), end)
            )
        case _:
            raise TypeError(formula)


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
