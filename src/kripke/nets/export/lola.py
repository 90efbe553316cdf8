"""The format of the net analyser LoLA: place and transition names are made of what it allows in names."""

from __future__ import annotations

from collections.abc import Sequence

from kripke.nets.place_transition import Arc, PlaceTransitionNet

_FORBIDDEN = frozenset(",;:(){}\"'")


def written(net: PlaceTransitionNet) -> str:
    places = _names([place.name for place in net.places], "p")
    transitions = _names([transition.name for transition in net.transitions], "t")
    marked = [f"{name}: {place.initial}" for name, place in zip(places, net.places, strict=True) if place.initial]
    lines = ["PLACE", "    " + ",\n    ".join(places) + ";", "", "MARKING", "    " + ",\n    ".join(marked) + ";", ""]
    for name, transition in zip(transitions, net.transitions, strict=True):
        lines += [
            f"TRANSITION {name}",
            f"    CONSUME {_arcs(transition.preset, places)};",
            f"    PRODUCE {_arcs(transition.postset, places)};",
            "",
        ]
    return "\n".join(lines)


def _arcs(arcs: Sequence[Arc], places: Sequence[str]) -> str:
    return ", ".join(f"{places[arc.place]}: {arc.weight}" for arc in arcs)


def _names(wanted: Sequence[str], prefix: str) -> list[str]:
    """Names without the characters that have a meaning; numbered where two would be alike."""
    result: list[str] = []
    used: set[str] = set()
    for number, name in enumerate(wanted):
        text = "".join("." if c in _FORBIDDEN or c.isspace() or not c.isprintable() else c for c in name).strip(".")
        if not text or text in used or not (text[0].isalpha() or text[0] == "_"):
            text = f"{prefix}{number}.{text}" if text else f"{prefix}{number}"
        while text in used:
            text += "_"
        used.add(text)
        result.append(text)
    return result
