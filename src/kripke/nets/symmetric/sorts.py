"""Sorts of colours: finite classes and their products.

A colour of a class is its position in the class, from 0; a colour of a product is the tuple of its components.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Union

Colour = Union[int, "tuple[Colour, ...]"]


@dataclass(frozen=True, slots=True)
class ColourClass:
    """Finitely many colours in an order. ``cyclic``: the last one has a successor. ``first``: of a range of integers,
    the integer the class begins with."""

    name: str
    elements: tuple[str, ...]
    cyclic: bool = False
    first: int | None = None

    def __len__(self) -> int:
        return len(self.elements)

    def colours(self) -> Iterator[Colour]:
        return iter(range(len(self.elements)))

    def text(self, colour: Colour) -> str:
        assert isinstance(colour, int)
        return self.elements[colour]


@dataclass(frozen=True, slots=True)
class Product:
    name: str
    components: tuple[Sort, ...]

    def __len__(self) -> int:
        size = 1
        for component in self.components:
            size *= len(component)
        return size

    def colours(self) -> Iterator[Colour]:
        return product(*(component.colours() for component in self.components))

    def text(self, colour: Colour) -> str:
        assert isinstance(colour, tuple)
        return ",".join(sort.text(part) for sort, part in zip(self.components, colour, strict=True))


Sort = ColourClass | Product

DOT = ColourClass("dot", ("dot",))
BOOLEAN = ColourClass("bool", ("false", "true"))


def same_sort(left: Sort, right: Sort) -> bool:
    """Sorts are the same where they have the same colours in the same order, whatever they are called."""
    match left, right:
        case ColourClass(), ColourClass():
            return left.elements == right.elements
        case Product(), Product():
            return len(left.components) == len(right.components) and all(
                same_sort(a, b) for a, b in zip(left.components, right.components, strict=True)
            )
        case _:
            return False
