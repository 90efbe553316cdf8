"""Pictures of a high-level net: unfolded, and as it is written."""

from __future__ import annotations

from kripke.model.diagram import Arrow, Diagram, Node, Undrawable, shortened, statement_key
from kripke.nets.diagrams import net_diagram, place_key
from kripke.nets.high_level.net import HighLevelNet
from kripke.nets.high_level.unfolding import unfold
from kripke.nets.place_transition_view import NotExpressible

_ROOM = " " * 7  # in a place, for some tokens


def unfolded_diagram(net: HighLevelNet) -> Diagram:
    try:
        unfolded = unfold(net).net
    except NotExpressible as refusal:
        raise Undrawable(f"no picture of this net: {refusal}") from refusal
    return net_diagram(unfolded, unfolded.name)


def coloured_diagram(net: HighLevelNet) -> Diagram:
    """A high-level net as it is written, without the inscriptions; what lies in the places is left to ``marks``."""
    nodes = [
        Node(f"p{i}", (_ROOM,), "circle", beside=shortened(place.name, 24), key=place_key(i))
        for i, place in enumerate(net.places)
        if not place.constant
    ]
    shown = {node.name for node in nodes}
    arrows = []
    for number, transition in enumerate(net.transitions):
        nodes.append(Node(f"t{number}", (shortened(transition.name, 24),), "bar", key=statement_key(number)))
        takes = dict.fromkeys(f"p{arc.place}" for arc in transition.inputs)
        gives = dict.fromkeys(f"p{place}" for place, _ in transition.outputs)
        arrows += [Arrow(place, f"t{number}") for place in takes if place in shown]
        arrows += [Arrow(f"t{number}", place) for place in gives if place in shown]
    return Diagram(net.name, nodes, arrows)
