"""High-level nets as place/transition nets: a place per token that can be there, a transition per instance.

The unifier runs over tokens that are *coverable*: those of the initial marking and those that instances on
coverable tokens make, as if there were any number of each (M. Mäkelä 2003). So the net is far smaller than the product
of all types, and finite wherever these sets are. An instance that cannot be evaluated is no transition but a
``Failure``: it depends on the tokens that were matched up to there, and on nothing else, since a transition that asks
for the contents of places is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from kripke.nets.high_level.evaluation import Marking, Tokens
from kripke.nets.high_level.interpreter import Firing, Instance, Interpreter, Refused, Search
from kripke.nets.high_level.net import HighLevelNet, Transition, Variable
from kripke.nets.high_level.terms import Term, mentions_places
from kripke.nets.high_level.types import Value
from kripke.nets.place_transition import Arc, Place, PlaceTransitionNet, arcs
from kripke.nets.place_transition import Transition as PlainTransition
from kripke.nets.place_transition_view import NotExpressible

_PLENTY = 1 << 40
_MOST_INSTANCES = 500_000


@dataclass(frozen=True, slots=True)
class Failure:
    """An instance that breaks a rule wherever its tokens are: ``error`` is a key of ``interpreter.VIOLATIONS``."""

    transition: int
    values: tuple[Value, ...]
    error: str
    preset: tuple[Arc, ...]


@dataclass(frozen=True)
class Unfolding:
    """``tokens``: what each place of the net stands for, a place of the high-level net and a value.
    ``instances``: what each transition stands for, by number and the values of its variables."""

    net: PlaceTransitionNet
    tokens: tuple[tuple[int, Value], ...]
    instances: tuple[tuple[int, tuple[Value, ...]], ...]
    failures: tuple[Failure, ...]


class _RecordedFiring(Firing):
    """Remembers what an instance takes, also where it fails."""

    def _instance(self, search: Search, target: bytes | None, error: str | None = None) -> Instance:
        assert isinstance(self.interpreter, _Recorder)
        self.interpreter.taken = [dict(tokens) for tokens in search.taken]
        return super()._instance(search, target, error)


class _Recorder(Interpreter):
    """Instead of a successor, remembers what an instance makes."""

    taken: Marking
    made: dict[int, Tokens]

    def made_firing(self, transition: int) -> Firing:
        return _RecordedFiring(self, transition, self.net.transitions[transition], self.plans[transition])

    def successor(self, marking: Marking, taken: Marking, made: dict[int, Tokens]) -> bytes:
        for number, place in enumerate(self.net.places):
            if place.constant and taken[number] != made.get(number, {}):
                raise Refused("constant")
        self.made = made
        return b""


def unfold(net: HighLevelNet, pause: Callable[[], None] = lambda: None) -> Unfolding:
    """The net behaves alike as long as no step breaks a capacity or the definition of an implicit place.

    NotExpressible where there are priorities, or transitions that ask for the contents of places. ``pause`` is called
    with every instance and may raise."""
    _refuse(net)
    return _Unfolder(net, pause).unfolding()


def _refuse(net: HighLevelNet) -> None:
    for transition in net.transitions:
        if transition.priority:
            raise NotExpressible("priorities cannot be expressed in a place/transition net")
        for term in _terms(transition):
            asked = [n for n in mentions_places(term) if not net.places[n].constant]
            if asked:
                raise NotExpressible(
                    f"the transition {transition.name} asks for all that is in {net.places[min(asked)].name}, which "
                    "a place/transition net cannot"
                )


def _terms(transition: Transition) -> Iterator[Term]:
    for arc in transition.inputs:
        yield arc.token
        if arc.multiplicity is not None:
            yield arc.multiplicity
    yield from transition.gates
    yield from (term for _, term in (*transition.outputs, *transition.definitions))
    yield from (variable.condition for variable in transition.variables if variable.condition is not None)


class _Unfolder:
    def __init__(self, net: HighLevelNet, pause: Callable[[], None]) -> None:
        self.net = net
        self.pause = pause
        self.recorder = _Recorder(net)
        self.start = self.recorder.marking(self.recorder.initial())
        self.numbers: list[dict[Value, int]] = [{} for _ in net.places]
        self.tokens: list[tuple[int, Value]] = []
        self.transitions: dict[tuple[int, tuple[Value, ...]], PlainTransition] = {}
        self.failures: dict[Failure, None] = {}

    def unfolding(self) -> Unfolding:
        for place, tokens in enumerate(self.start):
            for value in tokens:
                self._place(place, value)
        done = [0] * len(self.net.places)  # tokens of each place with which everything was tried
        first = True
        while first or any(len(known) > count for known, count in zip(self.numbers, done, strict=True)):
            tokens_of = [list(known) for known in self.numbers]
            for number in range(len(self.net.transitions)):
                for instance in self._new_instances(number, tokens_of, done, first):
                    self._add(number, instance)
            done = list(map(len, tokens_of))
            first = False
        return self._finished()

    def _place(self, place: int, value: Value) -> int:
        known = self.numbers[place].get(value)
        if known is None:
            known = self.numbers[place][value] = len(self.tokens)
            self.tokens.append((place, value))
        return known

    def _arcs(self, tokens: Iterator[tuple[int, Tokens]]) -> tuple[Arc, ...]:
        return arcs({self._place(place, value): n for place, some in tokens for value, n in some.items()})

    def _add(self, number: int, instance: Instance) -> None:
        self.pause()
        recorder, key = self.recorder, (number, instance.values)
        preset = self._arcs(enumerate(recorder.taken))
        if instance.target is None:
            assert instance.error is not None
            self.failures[Failure(number, instance.values, instance.error, preset)] = None
        elif key not in self.transitions:
            transition = self.net.transitions[number]
            name = transition.name + _binding(transition.variables, instance.values)
            postset = self._arcs(iter(recorder.made.items()))
            self.transitions[key] = PlainTransition(name, preset, postset, transition.span)
        if len(self.transitions) + len(self.failures) > _MOST_INSTANCES:
            raise NotExpressible(f"the net has more than {_MOST_INSTANCES:,} instances of transitions")

    def _new_instances(
        self, number: int, tokens: Sequence[Sequence[Value]], done: Sequence[int], first: bool
    ) -> Iterator[Instance]:
        """The instances that take a token beyond the first ``done`` ones of a place; some others may come, too."""
        arcs_in = self.net.transitions[number].inputs
        places = [arc.place for arc in arcs_in]
        firing = self.recorder.firing(number)
        every: Marking = [
            self.start[at] if self.net.places[at].constant else dict.fromkeys(known, _PLENTY)
            for at, known in enumerate(tokens)
        ]
        single = all(arc.multiplicity is None and not arc.whole for arc in arcs_in) and len(set(places)) == len(places)
        if first or not single:
            if first or any(len(tokens[place]) > done[place] for place in places):
                yield from firing.instances(every)
            return
        # One token of each of these places is taken: the first new one is of each of them in turn.
        for place in places:
            if len(tokens[place]) > done[place]:
                marking = list(every)
                marking[place] = dict.fromkeys(tokens[place][done[place] :], _PLENTY)
                yield from firing.instances(marking)
                every[place] = dict.fromkeys(tokens[place][: done[place]], _PLENTY)

    def _finished(self) -> Unfolding:
        net = self.net
        places = []
        groups: dict[str, list[int]] = {place.name: [] for place in net.places}
        for at, (number, value) in enumerate(self.tokens):
            place = net.places[number]
            count = self.start[number].get(value, 0)
            places.append(Place(f"{place.name}({place.type.show(value)})", count, place.span))
            groups[place.name].append(at)
        order = sorted(self.transitions, key=lambda key: key[0])
        transition_groups: dict[str, list[int]] = {transition.name: [] for transition in net.transitions}
        for at, key in enumerate(order):
            transition_groups[net.transitions[key[0]].name].append(at)
        plain = PlaceTransitionNet(
            net.name,
            tuple(places),
            tuple(self.transitions[key] for key in order),
            {name: tuple(members) for name, members in groups.items()},
            {name: tuple(members) for name, members in transition_groups.items()},
        )
        return Unfolding(plain, tuple(self.tokens), tuple(order), tuple(self.failures))


def _binding(variables: tuple[Variable, ...], values: tuple[Value, ...]) -> str:
    bound = [
        f"{variable.name}={variable.type.show(value)}"
        for variable, value in zip(variables, values, strict=True)
        if value is not None
    ]
    return f"({','.join(bound)})" if bound else ""
