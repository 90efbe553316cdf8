"""Pictures of the model in a report, where they are small enough to be looked at."""

from __future__ import annotations

from kripke.model.diagram import Diagram, Drawable, Undrawable
from kripke.model.model import Model
from kripke.pictures.svg import svg

_MOST_NODES = 60  # of a picture
_MOST_PICTURES = 8


def pictures(model: Model) -> list[tuple[str, list[str]]]:
    """Titles and SVG: the processes, or the net. Of nested states one picture for each number of levels, the deepest
    last."""
    drawable = model.capability(Drawable)
    try:
        diagrams = [] if drawable is None else drawable.marked_diagrams()
    except Undrawable:
        return []
    shown = []
    for diagram in diagrams:
        levels = [diagram.folded(number) for number in range(1, diagram.depth)] + [diagram]
        small = [one for one in levels if one.size <= _MOST_NODES]
        if small and (diagram.arrows or diagram.depth > 1):
            shown.append((diagram.title, [svg(Diagram("", one.nodes, one.arrows), styled=False) for one in small]))
    return shown[:_MOST_PICTURES]
