"""Successors of markings of high-level nets in Python: the reference semantics.

Instances of transitions are found along the plan of ``unification.py``. An instance is a valuation of the variables
for which the input tokens are there and no gate is false. Where a gate or an output cannot be evaluated, the instance
does not fire and is a violation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from kripke.nets.high_level.evaluation import (
    ERRORS,
    EvaluationError,
    Evaluator,
    Marking,
    Tokens,
    added,
    convert,
    evaluator,
)
from kripke.nets.high_level.marking import LONGEST, decode, encode
from kripke.nets.high_level.net import HighLevelNet, Place, Transition, Variable
from kripke.nets.high_level.types import Value
from kripke.nets.high_level.unification import Check, Choose, Define, Match, Plan, Step, Take, plan

#: further violations of steps, after those of ``evaluation.ERRORS``
FURTHER = {
    "capacity": "a place gets a number of tokens that it may not hold",
    "implicit": "an implicit place does not hold what its definition says",
    "constant": "a constant place changes",
    "size": f"a marking takes more than {LONGEST:,} bytes",
    "reject": "a rejected marking",
}
VIOLATIONS = {**ERRORS, **FURTHER}
CODES = {name: code for code, name in enumerate(VIOLATIONS)}

Environment = list[Any]


class Instance(NamedTuple):
    """A transition with values for its variables, in the order of ``Transition.variables`` (None: without value);
    where it leads, or what it breaks instead."""

    transition: int
    values: tuple[Value, ...]
    target: bytes | None
    error: str | None = None


class Interpreter:
    def __init__(self, net: HighLevelNet) -> None:
        self.net = net
        self.plans = [plan(net, transition) for transition in net.transitions]
        self._firing = [self.made_firing(number) for number in range(len(net.transitions))]
        self._implicit = [(n, evaluator(net.places[n].contents)) for n in net.implicit_order]
        self._rejects = [evaluator(condition.term) for condition in net.rejects]
        self._deadlocks = [evaluator(condition.term) for condition in net.deadlocks]
        self._environment: Environment = [None] * net.slots
        self._constant: dict[int, Tokens] = {
            n: self.evaluate(evaluator(place.contents), []) for n, place in enumerate(net.places) if place.constant
        }

    def made_firing(self, transition: int) -> Firing:
        return Firing(self, transition, self.net.transitions[transition], self.plans[transition])

    def firing(self, transition: int) -> Firing:
        return self._firing[transition]

    def evaluate(self, term: Evaluator, marking: Marking) -> Any:
        return term(self._environment.copy(), marking)

    def initial(self) -> bytes:
        """EvaluationError where an initial marking cannot be evaluated; ValueError with the place where it breaks a
        capacity."""
        net = self.net
        marking: Marking = [{} for _ in net.places]
        for number, place in enumerate(net.places):
            if place.stored or place.constant:
                marking[number] = self.evaluate(evaluator(place.contents), marking)
        self.complete(marking)
        for place, tokens in zip(net.places, marking, strict=True):
            if not fits(place, tokens):
                raise ValueError(place)
        return encode(net, marking)

    def complete(self, marking: Marking) -> None:
        """Fill in the places that are not stored."""
        for number, tokens in self._constant.items():
            marking[number] = tokens
        for number, contents in self._implicit:
            marking[number] = self.evaluate(contents, marking)
        for number, place in enumerate(self.net.places):
            tokens = marking[number]
            if len(tokens) > 1:  # they are tried in their order
                marking[number] = {value: tokens[value] for value in sorted(tokens, key=place.type.key)}

    def marking(self, state: bytes) -> Marking:
        marking = decode(self.net, state)
        self.complete(marking)
        return marking

    def rejected(self, marking: Marking) -> int | None:
        """The number of the ``reject`` condition that is true in a marking; one that cannot be evaluated is not."""
        for number, condition in enumerate(self._rejects):
            if self.truth(condition, marking):
                return number
        return None

    def bad_deadlock(self, marking: Marking) -> bool:
        return any(self.truth(condition, marking) for condition in self._deadlocks)

    def truth(self, condition: Evaluator, marking: Marking) -> bool:
        """``fatal`` counts as true: ``f && fatal`` is how a model says that f is the end of it all."""
        try:
            return bool(self.evaluate(condition, marking))
        except EvaluationError as error:
            return error.name == "fatal"

    def instances(self, state: bytes) -> Iterator[Instance]:
        """Every instance, in the order of the transitions. Once one with a priority is enabled, only transitions of the
        same priority follow."""
        marking = self.marking(state)
        priority = 0
        for number, transition in enumerate(self.net.transitions):
            if priority and transition.priority != priority:
                continue
            for instance in self._firing[number].instances(marking):
                priority = priority or transition.priority  # even where the instance cannot fire
                yield instance

    def successor(self, marking: Marking, taken: Marking, made: dict[int, Tokens]) -> bytes:
        """EvaluationError where one cannot be computed; Refused where it breaks a rule."""
        net = self.net
        after: Marking = list(marking)
        for number, tokens in enumerate(taken):
            more = made.get(number)
            if tokens or more:
                place = after[number] = dict(marking[number])
                for value, count in tokens.items():
                    left = place[value] - count
                    if left:
                        place[value] = left
                    else:
                        del place[value]
                if more:
                    added(place, more)
        for number, place_ in enumerate(net.places):
            if place_.constant and after[number] != marking[number]:
                raise Refused("constant")
            if not fits(place_, after[number]):
                raise Refused("capacity")
        if self._implicit:
            computed = list(after)
            for number, contents in self._implicit:
                computed[number] = self.evaluate(contents, computed)
                if computed[number] != after[number]:
                    raise Refused("implicit")
        state = encode(net, after)
        if len(state) > LONGEST:
            raise Refused("size")
        return state


class Refused(Exception):
    """``name`` is a key of ``FURTHER``."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


def fits(place: Place, tokens: Tokens) -> bool:
    if place.capacity is None:
        return True
    total = sum(tokens.values())
    return any(low <= total <= high for low, high in place.capacity)


class Search:
    """What changes while the instances of one transition are looked for in one marking."""

    def __init__(self, marking: Marking, slots: int) -> None:
        self.marking = marking
        self.left: Marking = [dict(tokens) for tokens in marking]
        self.taken: Marking = [{} for _ in marking]
        self.env: Environment = [None] * slots
        self.env[0] = self.taken
        self.error: str | None = None

    def take(self, place: int, value: Value, count: int) -> None:
        self.left[place][value] -= count
        self.taken[place][value] = self.taken[place].get(value, 0) + count

    def give_back(self, place: int, value: Value, count: int) -> None:
        self.left[place][value] += count
        self.taken[place][value] -= count
        if not self.taken[place][value]:
            del self.taken[place][value]


Continue = Callable[[Search], Iterator[Instance]]


class Firing:
    """A transition: its plan as a chain of generators."""

    def __init__(self, interpreter: Interpreter, number: int, transition: Transition, plan_: Plan) -> None:
        self.interpreter = interpreter
        self.number = number
        self.slots = [variable.slot for variable in transition.variables]
        self.outputs = [(place, evaluator(term)) for place, term in transition.outputs]
        self.plan = plan_
        run: Continue = self._fire
        for step in reversed(plan_.steps):
            run = self._step(step, run)
        self.run = run

    def instances(self, marking: Marking) -> Iterator[Instance]:
        return self.run(Search(marking, self.plan.slots))

    def _instance(self, search: Search, target: bytes | None, error: str | None = None) -> Instance:
        """What was found. The tokens it depends on are those that ``search`` has taken."""
        values = tuple(search.env[slot] for slot in self.slots)
        return Instance(self.number, values, target, error)

    def _fire(self, search: Search) -> Iterator[Instance]:
        if search.error is not None:
            yield self._instance(search, None, search.error)
            return
        made: dict[int, Tokens] = {}
        try:
            for place, term in self.outputs:
                added(made.setdefault(place, {}), term(search.env, search.marking))
            target = self.interpreter.successor(search.marking, search.taken, made)
        except (EvaluationError, Refused) as problem:
            yield self._instance(search, None, problem.name)
            return
        yield self._instance(search, target)

    def _step(self, step: Step, then: Continue) -> Continue:
        match step:
            case Check(term):
                return self._check(evaluator(term), then)
            case Define(slot, term):
                return self._define(slot, evaluator(term), then)
            case Choose(variable):
                return self._choose(variable, then)
            case Take():
                return self._take(step, then)

    def _check(self, gate: Evaluator, then: Continue) -> Continue:
        def run(search: Search) -> Iterator[Instance]:
            before = search.error
            try:
                if not gate(search.env, search.marking):
                    return
            except EvaluationError as error:
                search.error = before or error.name
            yield from then(search)
            search.error = before

        return run

    def _define(self, slot: int, term: Evaluator, then: Continue) -> Continue:
        def run(search: Search) -> Iterator[Instance]:
            try:
                search.env[slot] = term(search.env, search.marking)
            except EvaluationError as error:
                yield self._instance(search, None, search.error or error.name)
                return
            yield from then(search)
            search.env[slot] = None

        return run

    def _choose(self, variable: Variable, then: Continue) -> Continue:
        condition = None if variable.condition is None else evaluator(variable.condition)
        slot, type_ = variable.slot, variable.type

        def run(search: Search) -> Iterator[Instance]:
            if search.error is not None:  # once is enough
                yield from then(search)
                return
            for value in type_.values():
                search.env[slot] = value
                try:
                    if condition is not None and not condition(search.env, search.marking):
                        continue
                except EvaluationError as error:
                    yield self._instance(search, None, error.name)
                    continue
                yield from then(search)
            search.env[slot] = None

        return run

    def _take(self, step: Take, then: Continue) -> Continue:
        arc = step.arc
        multiplicity = None if arc.multiplicity is None else evaluator(arc.multiplicity)
        if arc.whole:
            return self._take_all(arc.place, evaluator(arc.token), then)
        token = evaluator(arc.token)
        matches = [_matcher(match) for match in step.matches]
        bound = [match.slot for match in step.matches if match.kind in ("bind", "perhaps", "convert")]
        place = arc.place

        def run(search: Search) -> Iterator[Instance]:
            env, left = search.env, search.left[place]
            try:
                copies = 1 if multiplicity is None else multiplicity(env, search.marking)
                if copies <= 0:
                    if copies < 0:
                        raise EvaluationError("constraint")
                    yield from then(search)
                    return
                known = None if matches else token(env, search.marking)
            except EvaluationError as error:
                yield self._instance(search, None, search.error or error.name)
                return
            if known is not None:
                if left.get(known, 0) >= copies:
                    search.take(place, known, copies)
                    yield from then(search)
                    search.give_back(place, known, copies)
                return
            before = [env[slot] for slot in bound]
            for value in list(left):
                if left[value] < copies:
                    continue
                try:
                    matched = all(match(value, env, search.marking) for match in matches)
                except EvaluationError as error:
                    search.take(place, value, copies)
                    yield self._instance(search, None, search.error or error.name)
                    search.give_back(place, value, copies)
                    matched = False
                if matched:
                    search.take(place, value, copies)
                    yield from then(search)
                    search.give_back(place, value, copies)
                for slot, old in zip(bound, before, strict=True):
                    env[slot] = old

        return run

    def _take_all(self, place: int, tokens: Evaluator, then: Continue) -> Continue:
        def run(search: Search) -> Iterator[Instance]:
            try:
                wanted: Tokens = tokens(search.env, search.marking)
            except EvaluationError as error:
                yield self._instance(search, None, search.error or error.name)
                return
            if all(search.left[place].get(value, 0) >= count for value, count in wanted.items()):
                for value, count in wanted.items():
                    search.take(place, value, count)
                yield from then(search)
                for value, count in wanted.items():
                    search.give_back(place, value, count)

        return run


def _matcher(match: Match) -> Callable[[Value, Environment, Marking], bool]:
    path, slot, number = match.path, match.slot, match.number

    def part(value: Value) -> Value:
        for at in path:
            value = value[at] if isinstance(at, int) else value[1]
        return value

    def bind(value: Value, env: Environment, marking: Marking) -> bool:
        env[slot] = part(value)
        return True

    def perhaps(value: Value, env: Environment, marking: Marking) -> bool:
        if env[slot] is None:
            env[slot] = part(value)
        return bool(env[slot] == part(value))

    def tag(value: Value, env: Environment, marking: Marking) -> bool:
        return bool(part(value)[0] == number)

    def length(value: Value, env: Environment, marking: Marking) -> bool:
        return len(part(value)) == number

    def cast(value: Value, env: Environment, marking: Marking) -> bool:
        assert match.target is not None
        try:
            env[slot] = convert(match.type, match.target, part(value))
        except EvaluationError:
            return False
        return True

    match match.kind:
        case "bind":
            return bind
        case "perhaps":
            return perhaps
        case "tag":
            return tag
        case "length":
            return length
        case "convert":
            return cast
        case _:
            assert match.term is not None
            wanted = evaluator(match.term)
            return lambda value, env, marking: bool(part(value) == wanted(env, marking))
