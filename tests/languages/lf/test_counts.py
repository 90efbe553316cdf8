"""State spaces whose sizes are known: waiting in queues, and shared variables with RESCHEDULE.

The engine counts the way into the initial state as a transition, as SPIN does; the figures here do not.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from kripke.engines.explicit.safety import check
from kripke.engines.plan import SearchPlan
from kripke.languages.lf import load
from tests.support.lf_texts import peterson, queues


def sizes(folder: Path, text: str, **options: object) -> tuple[int, int]:
    file = folder / "program.lf"
    file.write_text(text)
    result = check(load(str(file), **options), SearchPlan())  # type: ignore[arg-type]
    assert result.verdict == "holds", result
    return result.states, result.transitions - 1


@pytest.mark.parametrize(
    ("kind", "senders", "states", "transitions"),
    [
        ("sorted", 4, 113, 465),
        ("sorted", 5, 307, 1_563),
        ("sorted", 6, 857, 5_201),
        ("arrival", 4, 249, 1_009),
        ("arrival", 5, 1_230, 6_178),
        ("arrival", 6, 7_317, 43_961),
        ("kernel", 4, 1_221, 4_385),
        ("kernel", 5, 14_085, 61_698),
        ("kernel", 6, 203_895, 1_054_565),
    ],
)
def test_senders_wait_for_one_receiver(tmp_path: Path, kind: str, senders: int, states: int, transitions: int) -> None:
    assert sizes(tmp_path, queues(senders), queues=kind) == (states, transitions)


@pytest.mark.parametrize("n", [7, 8])
def test_sorted_queues_by_the_closed_form(tmp_path: Path, n: int) -> None:
    states = 3**n + 2 * 2**n
    assert sizes(tmp_path, queues(n)) == (states, n * 3**n + 2**n + 2 * n * 2**n - n + 1)


@pytest.mark.parametrize(
    ("wait", "n", "states"),
    [("while", 2, 83), ("while", 3, 4_461), ("while", 4, 410_823), ("repeat", 3, 5_558), ("repeat", 4, 707_653)],
)
def test_in_peterson_everybody_always_has_one_action(tmp_path: Path, wait: str, n: int, states: int) -> None:
    assert sizes(tmp_path, peterson(n, wait)) == (states, n * (states - 1) + 1)


def test_fine_actions_have_more_states_and_the_same_verdict(tmp_path: Path) -> None:
    assert sizes(tmp_path, peterson(2, "while"), fine=True) == (723, 1_801)
