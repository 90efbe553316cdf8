"""Which bytes of a state are to say who owns it? Found out by trying, on a sample of the state space.

A partition is good if few steps lead to another worker, and all workers get about as many states. A hash of the whole
state is best for the second and worst for the first. A few bytes that change rarely, such as the control of one process
(F. Lerda, R. Sisto, SPIN 1999), keep most steps where they are, but have few values. So sets of bytes are tried, the
best are made larger by one byte at a time, and the best of all is taken if it saves enough.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter

from kripke._native import Model
from kripke.engines.distributed.partition import Partition, by_hash, class_count, class_of

_STATES = 3_000  # of the sample
_SECONDS = 1.0
_SMALL = 500  # where there are no more states, it does not matter
_MOST_PLACES = 256  # bytes of a state that are looked at
_MOST_BYTES = 6  # that decide
_KEPT = 4  # sets that are made larger
_UNEVEN = 1.1  # the largest part by the mean one that costs nothing
_WORTH = 0.6  # of the hash's share of sent steps


@dataclass(frozen=True, slots=True)
class Sample:
    """``sources`` are states, ``steps`` pairs of numbers into ``states``."""

    states: list[bytes]
    steps: list[tuple[int, int]]
    whole: bool


def sample(model: Model, most: int = _STATES) -> Sample:
    """The first states of a breadth-first search, and those on long random runs, each with its successors."""
    numbers: dict[bytes, int] = {}
    steps: list[tuple[int, int]] = []
    expanded: set[int] = set()
    until = perf_counter() + _SECONDS
    states: list[bytes] = []

    def number(state: bytes) -> int:
        known = numbers.setdefault(state, len(states))
        if known == len(states):
            states.append(state)
        return known

    def expand(source: int) -> list[int]:
        targets = [number(state) for state, _ in model.successors(states[source])[0]]
        if source not in expanded:
            expanded.add(source)
            steps.extend((source, target) for target in targets)
        return targets

    first = [number(state) for state in model.initial()]
    place = 0
    while place < len(states) and place < most // 3 and perf_counter() < until:
        expand(place)
        place += 1
    whole = place == len(states)
    choose = random.Random(1)
    while first and not whole and len(expanded) < most and perf_counter() < until:
        here = choose.choice(first)
        for _ in range(most):
            targets = expand(here)
            if not targets or len(expanded) >= most:
                break
            here = choose.choice(targets)
    return Sample(states, steps, whole)


def measured(model: Model, workers: int) -> Partition:
    """The partition for a model: by some bytes, or by all of them where no others are better."""
    seen = sample(model)
    if workers == 1 or (seen.whole and len(seen.states) <= _SMALL) or not seen.steps:
        return by_hash(workers)
    found = best_bytes(seen, workers)
    return by_hash(workers) if found is None else by_bytes(found, seen.states, workers)


def by_bytes(places: Sequence[int], states: Sequence[bytes], workers: int) -> Partition:
    """By the content of these places. Classes that the sample knows are shared out evenly, the largest first."""
    classes = class_count(workers)
    weights = Counter(class_of(state, places, classes) for state in states)
    owners = [number * workers // classes for number in range(classes)]
    load = [0] * workers
    for number, weight in sorted(weights.items(), key=lambda item: (-item[1], item[0])):
        owner = load.index(min(load))
        owners[number] = owner
        load[owner] += weight
    return Partition("bytes " + ",".join(map(str, places)), tuple(owners), tuple(places))


def best_bytes(seen: Sample, workers: int) -> tuple[int, ...] | None:
    """The places to decide by; None where the whole state is better."""
    length = min(max(map(len, seen.states)), _MOST_PLACES)
    columns = [[state[place] if place < len(state) else 0 for state in seen.states] for place in range(length)]
    places = [place for place in range(length) if len(set(columns[place])) > 1]
    costs: dict[tuple[int, ...], float] = {}

    def cost(chosen: tuple[int, ...]) -> float:
        if chosen not in costs:
            costs[chosen] = _cost(list(zip(*(columns[place] for place in chosen), strict=True)), seen, workers)
        return costs[chosen]

    until = perf_counter() + _SECONDS
    single: list[tuple[int, ...]] = [(place,) for place in places]
    best = sorted(single, key=cost)[:_KEPT]
    for _ in range(_MOST_BYTES - 1):
        larger: set[tuple[int, ...]] = {
            tuple(sorted((*chosen, place))) for chosen in best for place in places if place not in chosen
        }
        if perf_counter() > until:
            break
        best = sorted({*best, *larger}, key=cost)[:_KEPT]
    usual = (workers - 1) / workers
    return best[0] if best and cost(best[0]) <= _WORTH * usual else None


def _cost(values: Sequence[tuple[int, ...]], seen: Sample, workers: int) -> float:
    """The part of the steps that are sent, and more where parts are uneven."""
    weights = Counter(values)
    load = [0] * workers
    owner = {}
    for value, weight in sorted(weights.items(), key=lambda item: (-item[1], item[0])):
        owner[value] = load.index(min(load))
        load[owner[value]] += weight
    sent = sum(owner[values[source]] != owner[values[target]] for source, target in seen.steps) / len(seen.steps)
    return sent + max(0.0, max(load) * workers / len(values) - _UNEVEN)
