"""A picture of a net for Graphviz: places round, with their tokens, transitions square."""

from __future__ import annotations

from kripke.nets.place_transition import Arc, PlaceTransitionNet

_DOTS = 4  # tokens that are drawn as dots


def written(net: PlaceTransitionNet) -> str:
    lines = ["digraph net {", '  node [fontname="monospace", fontsize=10];']
    for number, place in enumerate(net.places):
        tokens = "●" * place.initial if place.initial <= _DOTS else str(place.initial)
        label = _quoted(place.name) + (f"\\n{tokens}" if tokens else "")
        lines.append(f'  p{number} [label="{label}", shape=ellipse];')
    for number, transition in enumerate(net.transitions):
        lines.append(f'  t{number} [label="{_quoted(transition.name)}", shape=box];')
        lines += [f"  p{arc.place} -> t{number}{_weight(arc)};" for arc in transition.preset]
        lines += [f"  t{number} -> p{arc.place}{_weight(arc)};" for arc in transition.postset]
    return "\n".join([*lines, "}", ""])


def _weight(arc: Arc) -> str:
    return f' [label="{arc.weight}"]' if arc.weight != 1 else ""


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
