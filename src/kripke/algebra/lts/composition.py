"""Parallel composition of transition systems: named events together, others alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kripke.algebra.lts.system import Lts, TooManyStates, explored
from kripke.model.source import ModelError


def composed(systems: Sequence[Lts], shared: Sequence[str] | None, most: int = 5_000_000) -> Lts:
    """``shared``: the events all of them do together; None: those that several of them have, by who has them."""
    labels = [systems[0].labels[0]]
    numbers: dict[str, int] = {}
    for system in systems:
        for name in system.labels[1:]:
            if name not in numbers:
                numbers[name] = len(labels)
                labels.append(name)
    if shared is not None:
        for name in shared:
            if name not in numbers:
                raise ModelError(f"no system has the event {name}")
    local: list[list[dict[int, list[int]]]] = []
    for system in systems:
        to_global = [0, *(numbers[name] for name in system.labels[1:])]
        table: list[dict[int, list[int]]] = []
        for own in system.steps:
            by_label: dict[int, list[int]] = {}
            for label, target in own:
                by_label.setdefault(to_global[label], []).append(target)
            table.append(by_label)
        local.append(table)
    everybody = list(range(len(systems)))
    who: dict[int, list[int]] = {}
    for name, number in numbers.items():
        having = [at for at, system in enumerate(systems) if name in system.labels[1:]]
        if shared is None:
            who[number] = having
        elif name in shared:
            who[number] = everybody

    def steps(state: tuple[int, ...]) -> Iterator[tuple[int, tuple[int, ...]]]:
        offered = [local[at][own] for at, own in enumerate(state)]
        done: set[int] = set()
        for at, own_steps in enumerate(offered):
            for label, targets in own_steps.items():
                partners = who.get(label)
                if partners is None:  # alone
                    for target in targets:
                        yield label, (*state[:at], target, *state[at + 1 :])
                elif label not in done:
                    done.add(label)
                    following = [state]
                    for other in partners:
                        following = [
                            (*each[:other], target, *each[other + 1 :])
                            for each in following
                            for target in offered[other].get(label, ())
                        ]
                    for each in following:
                        yield label, each

    try:
        _, table_ = explored(tuple(system.initial for system in systems), steps, most)
    except TooManyStates:
        raise ModelError(f"the composition has more than {most:,} states") from None
    return Lts(0, table_, labels)
