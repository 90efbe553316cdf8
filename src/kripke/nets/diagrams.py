"""A picture of a place/transition net."""

from __future__ import annotations

from kripke.model.diagram import Arrow, Diagram, Node, shortened, statement_key
from kripke.nets.place_transition import PlaceTransitionNet


def place_key(number: int) -> str:
    """What a picture calls a place."""
    return f"place {number}"


def net_diagram(net: PlaceTransitionNet, title: str) -> Diagram:
    """Places are circles with their tokens, transitions boxes; a number at an arc is its weight."""
    nodes = [
        Node(
            f"p{i}",
            (str(place.initial) if place.initial else " ",),
            "circle",
            beside=shortened(place.name, 24),
            key=place_key(i),
        )
        for i, place in enumerate(net.places)
    ]
    arrows = []
    for number, transition in enumerate(net.transitions):
        nodes.append(Node(f"t{number}", (shortened(transition.name, 24),), "bar", key=statement_key(number)))
        for place, weight in transition.preset:
            arrows.append(Arrow(f"p{place}", f"t{number}", str(weight) if weight > 1 else ""))
        for place, weight in transition.postset:
            arrows.append(Arrow(f"t{number}", f"p{place}", str(weight) if weight > 1 else ""))
    return Diagram(title, nodes, arrows)
