"""``Picture``: diagrams that a notebook shows and that can be saved."""

from __future__ import annotations

import os
from dataclasses import dataclass

from kripke.model.diagram import Diagram
from kripke.pictures.svg import svg


@dataclass(frozen=True, slots=True)
class Picture:
    diagrams: tuple[Diagram, ...]

    def _repr_svg_(self) -> str:
        return svg(self.diagrams)

    def save(self, path: str | os.PathLike[str]) -> None:
        """As an SVG file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(svg(self.diagrams))
