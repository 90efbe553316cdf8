"""Search with symmetry: the choice that users have, and traces of the model itself from what such a search finds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    from collections.abc import Callable

    from kripke.model.model import Model
    from kripke.model.symmetry import Symmetry
    from kripke.model.value_symmetry import ValueSymmetry

Method = Literal["references", "sort", "canonical"]
METHODS: tuple[Method, ...] = get_args(Method)
SymmetryChoice = Literal["off", "auto", "references", "sort", "canonical"]
CHOICES: tuple[SymmetryChoice, ...] = get_args(SymmetryChoice)


def concrete(
    model: Model, symmetry: Symmetry | ValueSymmetry, path: tuple[bytes, ...], pause: Callable[[], None]
) -> tuple[bytes, ...]:
    """A run of the model whose states differ by a symmetry only from those of a path of representatives."""
    from kripke.engines.runs.replay import ReplayFailure
    from kripke.engines.symmetry.representative import representative

    same = representative(symmetry, "canonical", pause)
    found: list[bytes] = []
    for state in path:
        wanted = same(state)
        if not found:
            following = iter(model.initial())
        else:
            steps = model.distinct_successors(found[-1], pause)
            following = (step.target for step in steps if step.target is not None)
        chosen = next((one for one in following if same(one) == wanted), None)
        if chosen is None:
            raise ReplayFailure("no run of the model goes along the states that stand for others")
        found.append(chosen)
    return tuple(found)
