"""PEP's low-level nets, as unfolders read them."""

from __future__ import annotations

from kripke.nets.place_transition import Arc, PlaceTransitionNet


def written(net: PlaceTransitionNet) -> str:
    """Places and transitions are drawn in rows, since the format asks for coordinates."""
    lines = ["PEP", "PTNet", "FORMAT_N", "PL"]
    for number, place in enumerate(net.places, start=1):
        tokens = f"M{place.initial}m{place.initial}" if place.initial else ""
        lines.append(f'{number}"{_name(place.name)}"{10 * number}@10{tokens}')
    lines.append("TR")
    for number, transition in enumerate(net.transitions, start=1):
        lines.append(f'{number}"{_name(transition.name)}"{10 * number}@30')
    lines.append("TP")
    for number, transition in enumerate(net.transitions, start=1):
        lines += [f"{number}<{arc.place + 1}{_weight(arc)}" for arc in transition.postset]
    lines.append("PT")
    for number, transition in enumerate(net.transitions, start=1):
        lines += [f"{arc.place + 1}>{number}{_weight(arc)}" for arc in transition.preset]
    return "\n".join([*lines, ""])


def _weight(arc: Arc) -> str:
    return f"w{arc.weight}" if arc.weight != 1 else ""


def _name(name: str) -> str:
    return "".join(c if c.isprintable() and c != '"' else "?" for c in name)
