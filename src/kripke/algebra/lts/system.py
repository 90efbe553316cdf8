"""``Lts``: states are numbers, every state has a list of steps. Label 0 is the invisible one."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any

from kripke.model.source import ModelError, Span

TAU_NAME = "i"
_INVISIBLE = {"i", "tau", "τ", "I"}
_HEADER = re.compile(r"\s*des\s*\(\s*(\d+)\s*,\s*(\d+)\s*,\s*(\d+)\s*\)\s*$")
_EDGE = re.compile(r"\s*\(\s*(\d+)\s*,\s*(\"(?:[^\"\\]|\\.)*\"|[^\",]+)\s*,\s*(\d+)\s*\)\s*$")


@dataclass
class Lts:
    """``steps[s]`` are pairs (label, target); ``labels[0]`` is the invisible event."""

    initial: int
    steps: list[list[tuple[int, int]]]
    labels: list[str]

    @property
    def transitions(self) -> int:
        return sum(len(own) for own in self.steps)

    def reachable(self) -> Lts:
        """Without states that cannot be reached; states in breadth-first order."""
        number = {self.initial: 0}
        order = [self.initial]
        for state in order:
            for _, target in self.steps[state]:
                if target not in number:
                    number[target] = len(order)
                    order.append(target)
        steps = [sorted({(label, number[target]) for label, target in self.steps[state]}) for state in order]
        return Lts(0, steps, self.labels)

    # ---- files ----

    @classmethod
    def read(cls, path: str) -> Lts:
        """An ``.aut`` file (Aldebaran)."""
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                lines = file.read().splitlines()
        except OSError as error:
            raise ModelError(f"cannot read {path}: {error.strerror or error}") from error

        def wrong(number: int, message: str) -> ModelError:
            line = lines[number] if number < len(lines) else ""
            return ModelError(message, Span(path, number + 1, 1, number + 1, len(line) + 1), source_line=line)

        header = _HEADER.match(lines[0]) if lines else None
        if header is None:
            raise wrong(0, "an .aut file begins with: des (initial, transitions, states)")
        initial, transitions, states = (int(part) for part in header.groups())
        if states > 50_000_000 or initial >= states:
            raise wrong(0, f"there is no initial state {initial} among {states}")
        labels, numbers = [TAU_NAME], dict.fromkeys(_INVISIBLE, 0)
        steps: list[list[tuple[int, int]]] = [[] for _ in range(states)]
        count = 0
        for at, line in enumerate(lines[1:], start=1):
            if not line.strip():
                continue
            edge = _EDGE.match(line)
            if edge is None:
                raise wrong(at, "a transition is written: (from, label, to)")
            source, target = int(edge.group(1)), int(edge.group(3))
            if source >= states or target >= states:
                raise wrong(at, f"there are {states} states, counted from 0")
            text = edge.group(2).strip()
            if text.startswith('"'):
                text = text[1:-1].replace('\\"', '"')
            label = numbers.get(text)
            if label is None:
                label = numbers[text] = len(labels)
                labels.append(text)
            steps[source].append((label, target))
            count += 1
        if count != transitions:
            raise wrong(0, f"the header announces {transitions} transitions, and there are {count}")
        return cls(initial, steps, labels)

    def write(self, path: str) -> None:
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"des ({self.initial}, {self.transitions}, {len(self.steps)})\n")
            for state, own in enumerate(self.steps):
                for label, target in own:
                    name = self.labels[label].replace('"', '\\"')
                    file.write(f'({state}, "{name}", {target})\n')


class TooManyStates(Exception):
    pass


def explored(
    initial: Hashable, steps: Callable[[Any], Iterable[tuple[int, Any]]], most: int
) -> tuple[list[Any], list[list[tuple[int, int]]]]:
    """All states from one, breadth-first, and the steps between their numbers; TooManyStates beyond ``most``."""
    numbers: dict[Any, int] = {initial: 0}
    states: list[Any] = [initial]
    table: list[list[tuple[int, int]]] = []
    for state in states:
        own: list[tuple[int, int]] = []
        for label, target in steps(state):
            number = numbers.get(target)
            if number is None:
                if len(states) >= most:
                    raise TooManyStates
                number = numbers[target] = len(states)
                states.append(target)
            own.append((label, number))
        table.append(own)
    return states, table
