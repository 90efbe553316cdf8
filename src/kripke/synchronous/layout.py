"""States as bytes: of every variable, one after another, the number of its value, lowest byte first."""

from __future__ import annotations

from collections.abc import Sequence

from kripke.synchronous.system import SynchronousSystem


class Layout:
    """Inputs are no part of a state: their value there is the first one."""

    def __init__(self, system: SynchronousSystem) -> None:
        self.places: list[tuple[int, int, int, int]] = []
        at = 0
        self._first = tuple(variable.type.domain[0] for variable in system.variables)
        for number, variable in enumerate(system.variables):
            if variable.kind != "input":
                sort = variable.type.sort
                assert sort.low is not None and sort.high is not None
                width = max(1, ((sort.high - sort.low).bit_length() + 7) // 8)
                self.places.append((number, at, width, sort.low))
                at += width
        self.size = max(1, at)

    def encode(self, values: Sequence[int]) -> bytes:
        parts = [(values[number] - low).to_bytes(width, "little") for number, _, width, low in self.places]
        return b"".join(parts) or b"\0"

    def decode(self, state: bytes) -> tuple[int, ...]:
        values = list(self._first)
        for number, at, width, low in self.places:
            values[number] = int.from_bytes(state[at : at + width], "little") + low
        return tuple(values)
