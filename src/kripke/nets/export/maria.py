"""Maria's language: places of black tokens, names as they are."""

from __future__ import annotations

from collections.abc import Sequence

from kripke.nets.place_transition import Arc, PlaceTransitionNet


def written(net: PlaceTransitionNet) -> str:
    lines = []
    for place in net.places:
        tokens = f": {_tokens(place.initial)}" if place.initial else ""
        lines.append(f"place {_quoted(place.name)} struct {{}}{tokens};")
    for transition in net.transitions:
        lines.append(f"trans {_quoted(transition.name)}")
        for word, arcs in (("in", transition.preset), ("out", transition.postset)):
            if arcs:
                lines.append(f"  {word} {{ {_arcs(net, arcs)} }}")
        lines[-1] += ";"
    return "\n".join([*lines, "deadlock true;", ""])


def _arcs(net: PlaceTransitionNet, arcs: Sequence[Arc]) -> str:
    return " ".join(f"place {_quoted(net.places[arc.place].name)}: {_tokens(arc.weight)};" for arc in arcs)


def _tokens(number: int) -> str:
    return "{}" if number == 1 else f"{number}#{{}}"


def _quoted(name: str) -> str:
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
