"""What compiled code reads of a chart for an estimate: the variables of its encoding, as C expressions of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kripke.hierarchy.chart.encode.places import Places
from kripke.hierarchy.chart.finite import Finite

if TYPE_CHECKING:
    from kripke.hierarchy.chart.model import ChartModel


def readers(model: ChartModel, finite: Finite) -> dict[int, str]:
    """By the number of a variable (``Places.variables``). Histories and waiting events are left out."""
    places = Places(model, finite, 1)
    found = {0: "r.running"}
    number = 1
    for inner in places.inner.values():
        text = "0"
        for index, child in reversed(list(enumerate(inner, start=1))):
            text = f"in_state(&r, {child}u) ? {index} : {text}"
        found[number] = f"({text})"
        number += 1
    for place in range(len(places.data)):
        found[number] = f"r.v[{place}]"
        number += 1
    return found
