"""Search with symmetry: the choice that users have, and traces of the model itself from what such a search finds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    from collections.abc import Callable

    from kripke.model.model import Model
    from kripke.model.permutation_symmetry import PermutationSymmetry
    from kripke.model.symmetry import Symmetry
    from kripke.model.value_symmetry import ValueSymmetry

Method = Literal["references", "sort", "canonical"]
METHODS: tuple[Method, ...] = get_args(Method)
SymmetryChoice = Literal["off", "auto", "references", "sort", "canonical"]
CHOICES: tuple[SymmetryChoice, ...] = get_args(SymmetryChoice)


def concrete(
    model: Model,
    symmetry: Symmetry | ValueSymmetry | PermutationSymmetry,
    path: tuple[bytes, ...],
    pause: Callable[[], None],
) -> tuple[bytes, ...]:
    """A run of the model whose states differ by a symmetry only from those of a path of representatives."""
    from kripke.engines.runs.replay import ReplayFailure
    from kripke.engines.symmetry.representative import representative

    same = representative(symmetry, symmetry.usual, pause)  # type: ignore[arg-type]
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
    return _ending_in(symmetry, found, path[-1])


def _ending_in(
    symmetry: Symmetry | ValueSymmetry | PermutationSymmetry, run: list[bytes], last: bytes
) -> tuple[bytes, ...]:
    """Steps of permuted parts have other names: the run is permuted, so that what is wrong after it is what was found.

    In the words of the paper, event i is printed as e_i s_i s_(i+1) ... s_n.
    """
    from kripke.model.permutation_symmetry import PermutationSymmetry

    if run[-1] == last or not isinstance(symmetry, PermutationSymmetry):
        return tuple(run)
    from kripke.engines.symmetry.permutation_representative import to_representative

    move = to_representative(symmetry, symmetry.usual, symmetry.row(run[-1]))
    return tuple(symmetry.written(move(symmetry.row(state)), state) for state in run)
