"""The models of the paper and its numbers: states, deadlocks, frames."""

from __future__ import annotations

from pathlib import Path

import pytest

import kripke
from kripke.hierarchy.frames import FrameCounts, count_frames
from kripke.hierarchy.mode_model import ModeModel
from kripke.languages.modes import load

EXAMPLES = Path(__file__).parents[3] / "examples" / "modes"


def deadlocks(model: ModeModel) -> tuple[int, list[tuple[str, ...]]]:
    """The number of states, and where control is in those without a step."""
    states = model.initial()
    seen, stuck = set(states), []
    for state in states:
        steps = model.successors(state)
        if not steps:
            stuck.append(tuple(value for name, value in model.describe(state).items() if name.endswith("@")))
        for step in steps:
            if step.target is not None and step.target not in seen:
                seen.add(step.target)
                states.append(step.target)
    return len(states), sorted(stuck)


def test_tcp_with_one_cell() -> None:
    stuck = [("CLOSING", "FIN_WAIT_2"), ("FIN_WAIT_2", "CLOSING")]
    assert deadlocks(load(str(EXAMPLES / "tcp.modes"))) == (78, stuck)


def test_tcp_with_two_cells() -> None:
    model = load(str(EXAMPLES / "tcp.modes"), defines={"cells": "2"})
    assert deadlocks(model) == (130, [("CLOSING", "FIN_WAIT_2")])


def test_the_story_of_the_lost_fin() -> None:
    result = kripke.load(str(EXAMPLES / "tcp.modes"), defines={"cells": "2"}).check()
    assert (result.verdict, result.kind) == ("violated", "deadlock")
    assert result.trace is not None
    assert [(step.actor, step.statements[0]) for step in result.trace.steps] == [
        ("client", "active_open: CLOSED -> SYN_SENT"),
        ("server", "passive_open: CLOSED -> LISTEN"),
        ("server", "LISTEN -> SYN_RCVD when head = SYN"),
        ("server", "close: SYN_RCVD -> FIN_WAIT_1"),
        ("client", "SYN_SENT -> ESTABLISHED when head = SYNACK"),
        ("client", "close: ESTABLISHED -> FIN_WAIT_1"),
        ("client", "FIN_WAIT_1 -> CLOSING when head = FIN"),
        ("server", "FIN_WAIT_1 -> FIN_WAIT_2 when head = ACK"),
        ("server", "discard: FIN_WAIT_2 -> FIN_WAIT_2"),
    ]
    assert result.trace.steps[6].differences[1] == ("to_server_second", "FIN", "ACK")  # here it is lost


def test_peterson() -> None:
    path = EXAMPLES / "peterson.modes"
    assert deadlocks(load(str(path))) == (40, [])
    assert kripke.load(str(path)).check().verdict == "holds"


def test_peterson_from_the_bottom(tmp_path: Path) -> None:
    path = tmp_path / "peterson.modes"
    path.write_text((EXAMPLES / "peterson.modes").read_text().replace("initialised p", "p"))
    assert deadlocks(load(str(path))) == (62, [])


def test_peterson_fitted() -> None:
    path = EXAMPLES / "peterson_fitted.modes"
    assert deadlocks(load(str(path))) == (276, [])
    assert kripke.load(str(path)).check().verdict == "holds"


@pytest.mark.parametrize("n", range(1, 10))
@pytest.mark.parametrize(("outer", "inner", "factor"), [(0, 0, 12), (0, 1, 6), (1, 0, 6), (1, 1, 3)])
def test_generic_example(n: int, outer: int, inner: int, factor: int) -> None:
    defines = {"n": str(n), "outer_alternates": str(outer), "inner_alternates": str(inner)}
    result = kripke.load(str(EXAMPLES / "generic.modes"), defines=defines).check()
    assert (result.verdict, result.states) == ("holds", factor * (n + 1) ** 3 + 4)


@pytest.mark.parametrize(
    ("n", "outer", "inner", "counts"),
    [
        (7, 0, 1, FrameCounts(3_076, 15_369, 8_201, 36)),
        (5, 0, 0, FrameCounts(2_596, 12_969, 6_921, 34)),
        (9, 1, 1, FrameCounts(3_004, 15_009, 8_009, 34)),
    ],
)
def test_frames_of_the_generic_example(n: int, outer: int, inner: int, counts: FrameCounts) -> None:
    defines = {"n": str(n), "outer_alternates": str(outer), "inner_alternates": str(inner)}
    assert count_frames(load(str(EXAMPLES / "generic.modes"), defines=defines)) == counts
