"""Pictures of a network: who communicates with whom by which channels, and every process as a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kripke.algebra.events import TAU, TICK
from kripke.algebra.network import Leaf
from kripke.algebra.participants import leaves
from kripke.model.diagram import Arrow, Diagram, Node, Undrawable, shortened

if TYPE_CHECKING:
    from kripke.algebra.model import AlgebraModel
    from kripke.algebra.network import Network

MOST_STATES = 40  # of a process that is drawn
_SHOWN = 4


def process_diagrams(model: AlgebraModel, network: Network | str) -> list[Diagram]:
    if isinstance(network, str):
        raise Undrawable(network)
    # Leaves of the network are those of the term, in the same order; flags of termination are not drawn.
    drawn = [(number, leaf) for number, leaf in enumerate(network.leaves) if isinstance(leaf, Leaf)]
    places = [place for place, _ in leaves(network.term(network.initial()))]
    names = {
        number: "P" + "".join(f".{part + 1}" for part in places[at])
        if at < len(places) and places[at]
        else f"P{at + 1}"
        for at, (number, _) in enumerate(drawn)
    }
    return [
        *([_communication(model, network, names)] if len(drawn) > 1 else []),
        *(_process(model, leaf, names[number]) for number, leaf in drawn if len(leaf.states) <= MOST_STATES),
    ]


def _communication(model: AlgebraModel, network: Network, names: dict[int, str]) -> Diagram:
    """An arrow for every two processes that do events together, with the channels of these."""
    together: dict[tuple[int, int], dict[str, None]] = {}
    for rule in network.rules:
        moving = [leaf for leaf, event in rule.moves if leaf in names and event > TICK]
        for at, one in enumerate(moving):
            for other in moving[at + 1 :]:
                own = next(event for leaf, event in rule.moves if leaf == one)
                channel = model.event_name(own).partition(".")[0]
                together.setdefault((one, other), {})[channel] = None
    nodes = []
    for number, name in names.items():
        leaf = network.leaves[number]
        assert isinstance(leaf, Leaf)
        words = shortened(model.words(leaf.states[0])[0], 36)
        nodes.append(Node(name, (name, words, f"{len(leaf.states):,} states")))
    arrows = [Arrow(names[a], names[b], _listed(list(channels))) for (a, b), channels in sorted(together.items())]
    return Diagram("communication", nodes, arrows, "right")


def _process(model: AlgebraModel, leaf: Leaf, name: str) -> Diagram:
    nodes = [
        Node(
            f"{name} {state}",
            (str(state),),
            "double" if state == leaf.ended else "circle",
            "end" if state == leaf.ended else "bad" if not leaf.steps[state] else "",
        )
        for state in range(len(leaf.states))
    ]
    events: dict[tuple[int, int], list[str]] = {}
    for state, own in enumerate(leaf.steps):
        for event, target in own:
            if event >= TAU:
                events.setdefault((state, target), []).append(model.event_name(event))
    arrows = [Arrow(None, f"{name} 0")]
    arrows += [Arrow(f"{name} {a}", f"{name} {b}", _listed(those)) for (a, b), those in sorted(events.items())]
    return Diagram(name, nodes, arrows)


def _listed(names: list[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (f", ... ({len(names)})" if len(names) > _SHOWN else "")
