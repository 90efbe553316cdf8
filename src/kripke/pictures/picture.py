"""``Picture``: diagrams that a notebook shows and that can be saved."""

from __future__ import annotations

import os
from dataclasses import dataclass

from kripke.model.diagram import Diagram
from kripke.pictures.svg import Layouts, svg


@dataclass(frozen=True, slots=True)
class Picture:
    """``layout``: of nested states, ours or that of Graphviz."""

    diagrams: tuple[Diagram, ...]
    layout: Layouts = "own"

    def _repr_svg_(self) -> str:
        return svg(self.diagrams, layout=self.layout)

    def save(self, path: str | os.PathLike[str]) -> None:
        """As an SVG file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self._repr_svg_())
