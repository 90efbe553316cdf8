"""The protocol of the distributed search: its models, its counters, and its simulation."""

from __future__ import annotations

from pathlib import Path

import pytest

import kripke
from kripke.engines.distributed.simulation import Machine, simulate
from kripke.engines.distributed.termination import FourCounters

EXAMPLES = Path(__file__).parents[3] / "examples" / "promela"


@pytest.mark.parametrize(
    ("file", "defines", "broken"),
    [
        ("termination.pml", {"PENDING": 1}, "WORK(level) == 0"),
        ("termination.pml", {"MIXED": 1}, "heard == level"),
        ("level_checkpoint.pml", {"EARLY": 1}, "in_file[0] >= saved"),
    ],
)
def test_mistakes_in_the_protocol_are_found(file: str, defines: dict[str, int], broken: str) -> None:
    result = kripke.load(str(EXAMPLES / file), defines=defines).check(properties="safety", clarify=False)
    assert result.verdict == "violated"
    assert broken in result.reason


def test_the_protocol_holds_with_two_messages_on_their_way() -> None:
    result = kripke.load(str(EXAMPLES / "termination.pml"), defines={"MESSAGES": 2}).check()
    assert (result.verdict, result.states, result.transitions) == ("holds", 60_827, 164_524)


def test_a_level_is_over_when_two_waves_agree() -> None:
    counters = FourCounters()
    counters.begin()
    assert not counters.hear((5, 4))
    assert not counters.hear((5, 5))
    assert counters.hear((5, 5))
    counters.begin()
    assert not counters.hear((5, 5))
    assert not counters.hear((7, 5))  # a message that was received made somebody send
    assert not counters.hear((7, 7))
    assert counters.hear((7, 7))


PROFILE = [(10**level, 3 * 10**level) for level in range(6)] + [
    (10**level, 3 * 10**level) for level in range(6, -1, -1)
]
MACHINE = Machine(step=100e-9)


def test_more_workers_take_less_time_until_levels_are_small() -> None:
    seconds = {workers: simulate(PROFILE, workers, MACHINE).seconds for workers in (1, 2, 4, 16, 4096)}
    assert seconds[1] == pytest.approx(sum(steps for _, steps in PROFILE) * 100e-9)
    assert seconds[1] > seconds[2] > seconds[4] > seconds[16]
    assert seconds[4096] > 0.5 * seconds[16]  # every level has messages from all to all
    assert simulate(PROFILE, 16, MACHINE) == simulate(PROFILE, 16, MACHINE)


def test_traffic_and_messages() -> None:
    two = simulate(PROFILE, 2, MACHINE)
    steps = sum(steps for _, steps in PROFILE)
    assert two.bytes_sent == pytest.approx(steps / 2 * 32, rel=0.05)
    assert simulate(PROFILE, 2, MACHINE, sent_share=0.1).bytes_sent < two.bytes_sent / 4
    assert simulate(PROFILE, 1, MACHINE).messages == 0


def test_a_slow_worker_slows_all() -> None:
    slow = Machine(step=100e-9, speeds=((1, 0.5),))
    assert simulate(PROFILE, 4, slow).seconds > 1.7 * simulate(PROFILE, 4, MACHINE).seconds


def test_a_failure_costs_what_was_done_since_the_checkpoint() -> None:
    whole = simulate(PROFILE, 2, MACHINE)
    failed = simulate(PROFILE, 2, MACHINE, failures=(whole.seconds * 0.9,), checkpoint_every=whole.seconds / 5)
    assert failed.restarts == 1
    assert whole.seconds + MACHINE.restart < failed.seconds < 2 * whole.seconds + MACHINE.restart
    assert failed.seconds == pytest.approx(whole.seconds + failed.lost, rel=0.05)
