"""Place/transition nets as texts of other tools, PNML, PEP, LoLA, Maria, and for Graphviz."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol, runtime_checkable

from kripke.model.capabilities.families import of_family
from kripke.nets.place_transition import PlaceTransitionNet


class ExportedNet(NamedTuple):
    """``warnings`` say what of the model is not in the net."""

    net: PlaceTransitionNet
    warnings: tuple[str, ...] = ()


@of_family
@runtime_checkable
class Exportable(Protocol):
    """The capability: a place/transition net can be written for other tools."""

    def exported_net(self) -> ExportedNet:
        """NotExpressible where such a net cannot say it."""


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
