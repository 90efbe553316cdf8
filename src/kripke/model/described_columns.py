"""States as columns by way of ``Model.describe``: slow, but it serves every model. Every value is text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kripke.model.columns import Column, StateColumns, States, Values

if TYPE_CHECKING:
    from kripke.model.model import Model


class DescribedColumns(StateColumns):
    def __init__(self, model: Model) -> None:
        self._model = model
        self._names: dict[str, None] = {}

    def learn(self, states: States) -> None:
        for state in self._each(states):
            self._names.update(dict.fromkeys(state))

    def columns(self) -> list[Column]:
        return [Column(name, "text") for name in self._names]

    def values(self, states: States) -> list[Values]:
        described = self._each(states)
        found = []
        for name in self._names:
            texts: dict[str, int] = {}
            data = [texts.setdefault(state[name], len(texts)) if name in state else -1 for state in described]
            numbers = np.array(data, np.int32)
            found.append(Values(np.maximum(numbers, 0), numbers < 0, list(texts)))
        return found

    def _each(self, states: States) -> list[dict[str, str]]:
        lengths = states.lengths.tolist()
        return [
            dict(self._model.describe(row[:length].tobytes())) for row, length in zip(states.rows, lengths, strict=True)
        ]
