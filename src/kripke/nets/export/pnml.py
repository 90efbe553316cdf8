"""PNML (ISO/IEC 15909-2), the type of place/transition nets."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from kripke.nets.place_transition import Arc, PlaceTransitionNet

_GRAMMAR = "http://www.pnml.org/version-2009/grammar"


def written(net: PlaceTransitionNet) -> str:
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<pnml xmlns="{_GRAMMAR}/pnml">',
        f'  <net id="net" type="{_GRAMMAR}/ptnet">',
        f"    <name><text>{_text(net.name)}</text></name>",
        '    <page id="page">',
    ]
    for number, place in enumerate(net.places):
        marking = f"<initialMarking><text>{place.initial}</text></initialMarking>" if place.initial else ""
        lines.append(f'      <place id="p{number}"><name><text>{_text(place.name)}</text></name>{marking}</place>')
    for number, transition in enumerate(net.transitions):
        lines.append(
            f'      <transition id="t{number}"><name><text>{_text(transition.name)}</text></name></transition>'
        )
    for number, transition in enumerate(net.transitions):
        lines += [_arc(f"i{number}.{arc.place}", f"p{arc.place}", f"t{number}", arc) for arc in transition.preset]
        lines += [_arc(f"o{number}.{arc.place}", f"t{number}", f"p{arc.place}", arc) for arc in transition.postset]
    return "\n".join([*lines, "    </page>", "  </net>", "</pnml>", ""])


def _arc(name: str, source: str, target: str, arc: Arc) -> str:
    weight = f"<inscription><text>{arc.weight}</text></inscription>" if arc.weight != 1 else ""
    head = f"      <arc id={quoteattr(name)} source={quoteattr(source)} target={quoteattr(target)}"
    return f"{head}>{weight}</arc>" if weight else f"{head}/>"


def _text(name: str) -> str:
    """Characters XML cannot hold become a question mark."""
    return escape("".join(c if c.isprintable() else "?" for c in name))
