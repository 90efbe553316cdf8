"""Place/transition nets as texts of other tools, PNML, PEP, LoLA, Maria, and for Graphviz."""

from __future__ import annotations

from collections.abc import Callable

from kripke.nets.place_transition import PlaceTransitionNet


def written(net: PlaceTransitionNet, form: str) -> str:
    """The net in a form: "pnml", "ll_net", "lola", "pn" or "dot"."""
    from kripke.nets.export import dot, lola, maria, pep, pnml

    writers: dict[str, Callable[[PlaceTransitionNet], str]] = {
        "pnml": pnml.written,
        "ll_net": pep.written,
        "lola": lola.written,
        "pn": maria.written,
        "dot": dot.written,
    }
    return writers[form](net)
