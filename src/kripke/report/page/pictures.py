"""Pictures of the model in a report, where they are small enough to be looked at."""

from __future__ import annotations

from kripke.model.diagram import Diagram, Drawable, Undrawable
from kripke.model.model import Model
from kripke.pictures.svg import svg

_MOST_NODES = 60  # of a picture
_MOST_PICTURES = 8


def pictures(model: Model) -> list[tuple[str, str]]:
    """Titles and SVG: the processes, or the net."""
    drawable = model.capability(Drawable)
    try:
        diagrams = [] if drawable is None else drawable.marked_diagrams()
    except Undrawable:
        return []
    small = [diagram for diagram in diagrams if diagram.arrows and diagram.size <= _MOST_NODES]
    return [(diagram.title, svg(Diagram("", diagram.nodes, diagram.arrows), styled=False)) for diagram in small][
        :_MOST_PICTURES
    ]
