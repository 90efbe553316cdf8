"""From every state that a reduced depth-first search reaches, one whose steps are all taken can be reached."""

from __future__ import annotations

from random import Random

import pytest

from kripke.engines.reduction.terminal_components import TerminalComponents


def searched(chosen: list[list[int]], others: list[list[int]]) -> tuple[dict[int, list[int]], set[int]]:
    """The steps that a search from state 0 takes of every state, and the states of which it takes all."""
    components = TerminalComponents()
    taken: dict[int, list[int]] = {}
    path: list[int] = []
    pending: list[list[int]] = [[0]]
    full: set[int] = set()
    while pending:
        if pending[-1]:
            state = pending[-1].pop()
            if state in taken:
                continue
            path.append(state)
            places = [path.index(target) for target in chosen[state] if target in path]
            trapped = bool(others[state]) and len(places) == len(chosen[state])
            components.enter(min(places, default=None), takes_all=not others[state], trapped=trapped)
            taken[state] = chosen[state]
            full |= set() if others[state] else {state}
            pending.append(chosen[state][::-1])
        elif path and components.must_take_all():
            state = path[-1]
            assert state not in full
            full.add(state)
            taken[state] = chosen[state] + others[state]
            pending[-1] = others[state][::-1]
        else:
            pending.pop()
            if path:
                path.pop()
                components.leave()
    return taken, full


def reachable(taken: dict[int, list[int]], start: int) -> set[int]:
    found = {start}
    waiting = [start]
    while waiting:
        fresh = set(taken[waiting.pop()]) - found
        found |= fresh
        waiting += fresh
    return found


@pytest.mark.parametrize("size", [2, 3, 5, 9, 30])
def test_random_graphs(size: int) -> None:
    choose = Random(size)
    late = 0
    for _ in range(300):
        chosen = [[choose.randrange(size) for _ in range(choose.randint(1, 2))] for _ in range(size)]
        others = [[choose.randrange(size) for _ in range(choose.choice((0, 1, 1, 1, 2)))] for _ in range(size)]
        taken, full = searched(chosen, others)
        assert all(reachable(taken, state) & full for state in taken)
        late += sum(bool(others[state]) for state in full)
    assert late > 50


def test_of_two_components_the_one_that_cannot_be_left_takes_all() -> None:
    taken, full = searched([[1], [0, 2], [2]], [[2], [2], [0]])
    assert (taken[0], taken[1], full) == ([1], [0, 2], {2})
