"""Complete finite prefixes of the unfolding of a 1-safe net (``native/nets/unfolding.h`` tells how).

A *condition* is a token that some run puts on a place, an *event* a firing of a transition in some run. The prefix
stops behind *cut-offs*, events that lead to a marking another event before them leads to as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from kripke.engines.unsupported import Unsupported
from kripke.model.model import Model
from kripke.nets.export import Exportable
from kripke.nets.place_transition import Place, PlaceTransitionNet, Transition, arcs
from kripke.nets.place_transition_view import NotExpressible

NOBODY = -1


class NotUnfoldable(Exception):
    """The net is not 1-safe, or no limit was kept; the message is for the user."""


class Condition(NamedTuple):
    """``producer`` is an event, or NOBODY for a token of the initial marking."""

    place: int
    producer: int


class Event(NamedTuple):
    """``preset`` and ``postset`` are conditions. ``companion``: of a cut-off, the event with the same marking."""

    transition: int
    preset: tuple[int, ...]
    postset: tuple[int, ...]
    companion: int

    @property
    def is_cut_off(self) -> bool:
        return self.companion != NOBODY


@dataclass(frozen=True, slots=True)
class Prefix:
    """Conditions and events in the order they were added: causes come before effects."""

    net: PlaceTransitionNet
    conditions: tuple[Condition, ...]
    events: tuple[Event, ...]

    @property
    def cut_offs(self) -> int:
        return sum(event.is_cut_off for event in self.events)

    def as_net(self) -> PlaceTransitionNet:
        """The prefix as a net of its own: a place per condition, a transition per event."""
        net = self.net
        places = tuple(
            Place(f"{net.places[place].name}#{number}", int(producer == NOBODY))
            for number, (place, producer) in enumerate(self.conditions)
        )
        transitions = tuple(
            Transition(
                f"{net.transitions[event.transition].name}#{number}",
                arcs(dict.fromkeys(event.preset, 1)),
                arcs(dict.fromkeys(event.postset, 1)),
            )
            for number, event in enumerate(self.events)
        )
        return PlaceTransitionNet(f"prefix of {net.name}", places, transitions)

    def dot_lines(self) -> Iterator[str]:
        """For Graphviz: conditions round, events square, cut-offs dashed."""
        yield "digraph prefix {"
        yield '  node [fontname="monospace", fontsize=10];'
        for number, (place, _) in enumerate(self.conditions):
            yield f'  b{number} [label="{_quoted(self.net.places[place].name)}", shape=ellipse];'
        for number, event in enumerate(self.events):
            style = ", style=dashed" if event.is_cut_off else ""
            name = _quoted(self.net.transitions[event.transition].name)
            yield f'  e{number} [label="{name}", shape=box{style}];'
            for condition in event.preset:
                yield f"  b{condition} -> e{number};"
            for condition in event.postset:
                yield f"  e{number} -> b{condition};"
        yield "}"


def unfold(net: PlaceTransitionNet, *, max_events: int = 0, memory: int = 0, time_limit: float = 0.0) -> Prefix:
    """The complete prefix, by the native engine. A limit of 0 is none; NotUnfoldable where one is reached."""
    from kripke._native import unfold as natively
    from kripke.memory import default_limit

    require_ordinary(net)
    reason, conditions, events, place, count = natively(
        len(net.places),
        [number for number, tokens in enumerate(net.initial) if tokens],
        [[arc.place for arc in transition.preset] for transition in net.transitions],
        [[arc.place for arc in transition.postset] for transition in net.transitions],
        max_events=max_events,
        memory_limit=memory or default_limit(),
        time_limit=time_limit,
    )
    if reason == "unsafe":
        raise NotUnfoldable(f"the net is not 1-safe: {net.places[place].name} can hold two tokens")
    if reason:
        limit = {"events": "limit of events", "memory": "memory limit", "time": "time limit"}[reason]
        raise NotUnfoldable(f"the {limit} was reached after {count:,} events")
    return Prefix(
        net,
        tuple(Condition(place, producer) for place, producer in conditions),
        tuple(Event(t, tuple(preset), tuple(postset), companion) for t, preset, postset, companion in events),
    )


def require_ordinary(net: PlaceTransitionNet) -> None:
    """What can be seen of a net before it is unfolded."""
    for place in net.places:
        if place.initial > 1:
            raise NotUnfoldable(f"the net is not 1-safe: {place.name} holds {place.initial} tokens at the start")
    for transition in net.transitions:
        if any(arc.weight > 1 for arc in (*transition.preset, *transition.postset)):
            raise NotUnfoldable(f"the transition {transition.name} has an arc of weight above 1")
        if not transition.preset:
            raise NotUnfoldable(f"the transition {transition.name} has no preset: it can fire for ever")


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def prefix_of(model: Model) -> tuple[Prefix, tuple[str, ...]]:
    """The prefix of a model that is a net (``emit --prefix``), with warnings about what of it is not in the net."""
    exportable = model.capability(Exportable)
    if exportable is None:
        raise Unsupported(f"--prefix is for Petri nets; {model.file} is a {model.language} model")
    try:
        net, warnings = exportable.exported_net()
        return unfold(net), warnings
    except (NotExpressible, NotUnfoldable) as refusal:
        raise Unsupported(f"--prefix: {refusal}") from refusal
