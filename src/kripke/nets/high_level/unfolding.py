"""High-level nets as place/transition nets: a place per token that can be there, a transition per instance.

The unifier runs over tokens that are *coverable*: those of the initial marking and those that instances on
coverable tokens make, as if there were any number of each (M. Mäkelä 2003). So the net is far smaller than the product
of all types, and finite wherever these sets are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kripke.nets.high_level.evaluation import Marking, Tokens
from kripke.nets.high_level.interpreter import Instance, Interpreter
from kripke.nets.high_level.net import HighLevelNet, Variable
from kripke.nets.high_level.types import Value
from kripke.nets.place_transition import Place, PlaceTransitionNet, Transition, arcs

_PLENTY = 1 << 40
_MOST_INSTANCES = 500_000


class NotExpressible(Exception):
    """What a place/transition net cannot say."""


class _Recorder(Interpreter):
    """Instead of a successor, remembers what an instance takes and makes."""

    taken: Marking
    made: dict[int, Tokens]

    def successor(self, marking: Marking, taken: Marking, made: dict[int, Tokens]) -> bytes:
        self.taken = [dict(tokens) for tokens in taken]
        self.made = made
        return b""


def unfold(net: HighLevelNet) -> PlaceTransitionNet:
    """The net behaves alike as long as no step breaks a capacity; NotExpressible where there are priorities."""
    if any(transition.priority for transition in net.transitions):
        raise NotExpressible("priorities cannot be expressed in a place/transition net")
    recorder = _Recorder(net)
    start = recorder.marking(recorder.initial())
    numbers: list[dict[Value, int]] = [{} for _ in net.places]
    places: list[Place] = []
    groups: dict[str, list[int]] = {place.name: [] for place in net.places}

    def place_number(place: int, value: Value) -> int:
        known = numbers[place].get(value)
        if known is None:
            known = numbers[place][value] = len(places)
            declared = net.places[place]
            count = start[place].get(value, 0)
            places.append(Place(f"{declared.name}({declared.type.show(value)})", count, declared.span))
            groups[declared.name].append(known)
        return known

    for place, tokens in enumerate(start):
        for value in tokens:
            place_number(place, value)
    transitions: dict[tuple[int, tuple[Value, ...]], Transition] = {}
    done = [0] * len(net.places)  # tokens of each place with which everything was tried
    first = True
    while first or any(len(known) > count for known, count in zip(numbers, done, strict=True)):
        tokens_of = [list(known) for known in numbers]
        for number, transition in enumerate(net.transitions):
            for instance in _new_instances(recorder, number, tokens_of, done, first):
                key = (number, instance.values)
                if instance.target is None or key in transitions:
                    continue
                preset = {place_number(p, v): n for p, taken in enumerate(recorder.taken) for v, n in taken.items()}
                postset = {place_number(p, v): n for p, made in recorder.made.items() for v, n in made.items()}
                name = transition.name + _binding(transition.variables, instance.values)
                transitions[key] = Transition(name, arcs(preset), arcs(postset), transition.span)
                if len(transitions) > _MOST_INSTANCES:
                    raise NotExpressible(f"the net has more than {_MOST_INSTANCES:,} instances of transitions")
        done = list(map(len, tokens_of))
        first = False
    order = sorted(transitions, key=lambda key: key[0])
    transition_groups: dict[str, list[int]] = {transition.name: [] for transition in net.transitions}
    for at, key in enumerate(order):
        transition_groups[net.transitions[key[0]].name].append(at)
    return PlaceTransitionNet(
        net.name,
        tuple(places),
        tuple(transitions[key] for key in order),
        {name: tuple(members) for name, members in groups.items()},
        {name: tuple(members) for name, members in transition_groups.items()},
    )


def _new_instances(
    recorder: _Recorder, number: int, tokens: Sequence[Sequence[Value]], done: Sequence[int], first: bool
) -> Iterator[Instance]:
    """The instances that take a token beyond the first ``done`` ones of a place; some others may come, too."""
    arcs_in = recorder.net.transitions[number].inputs
    places = [arc.place for arc in arcs_in]
    firing = recorder.firing(number)
    every: Marking = [dict.fromkeys(known, _PLENTY) for known in tokens]
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


def _binding(variables: tuple[Variable, ...], values: tuple[Value, ...]) -> str:
    bound = [
        f"{variable.name}={variable.type.show(value)}"
        for variable, value in zip(variables, values, strict=True)
        if value is not None
    ]
    return f"({','.join(bound)})" if bound else ""
