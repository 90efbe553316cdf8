"""``Scripted``: a model whose state space can be written in its own language."""

from __future__ import annotations

from typing import Protocol, runtime_checkable


@runtime_checkable
class Scripted(Protocol):
    def state_space_script(self, most: int) -> tuple[str, int]:
        """The text, with assertions that compare it with the model, and the number of states; at most so many."""
        ...
