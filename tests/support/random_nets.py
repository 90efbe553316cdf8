"""Small random nets, the same for the same seed."""

from __future__ import annotations

import random

from kripke.model.source import Sources
from kripke.nets.model import NetModel
from kripke.nets.place_transition import Place, PlaceTransitionNet, Transition, arcs
from kripke.nets.predicates import AtLeastZero, Fireable, Predicate, conjunction, disjunction, negation


def random_net(seed: int, *, tokens: tuple[int, ...] = (0, 0, 1, 1, 2), weights: tuple[int, ...] = (1, 1, 1, 2)):
    """Up to seven places and eight transitions; often bounded, not always."""
    source = random.Random(seed)
    places = source.randint(1, 7)
    transitions = []
    for number in range(source.randint(1, 8)):
        taken = source.sample(range(places), source.randint(0 if source.random() < 0.05 else 1, min(3, places)))
        brought = source.sample(range(places), source.randint(0, min(3, places)))
        if source.random() < 0.5:  # as many out as in keeps many nets bounded
            brought = source.sample(range(places), len(taken))
        transitions.append(
            Transition(
                f"t{number}",
                arcs({place: source.choice(weights) for place in taken}),
                arcs({place: source.choice(weights) for place in brought}),
            )
        )
    marked = tuple(Place(f"p{number}", source.choice(tokens)) for number in range(places))
    return PlaceTransitionNet(f"random {seed}", marked, tuple(transitions))


def random_predicate(net: PlaceTransitionNet, seed: int, depth: int = 2) -> Predicate:
    source = random.Random(seed)
    if depth and source.random() < 0.6:
        parts = [random_predicate(net, source.randrange(1 << 30), depth - 1) for _ in range(2)]
        return negation(parts[0]) if source.random() < 0.3 else source.choice((conjunction, disjunction))(parts)
    if source.random() < 0.4:
        count = source.randint(1, len(net.transitions))
        return Fireable(tuple(sorted(source.sample(range(len(net.transitions)), count))))
    chosen = sorted(source.sample(range(len(net.places)), source.randint(1, len(net.places))))
    terms = tuple((place, source.choice((-2, -1, 1, 1, 1))) for place in chosen)
    return AtLeastZero(terms, source.randint(-3, 3))


def model_of(net: PlaceTransitionNet, predicates: dict[str, Predicate] | None = None) -> NetModel:
    return NetModel(net, "random.pnml", "pnml", Sources(), predicates)
