"""Our own examples at other sizes than they are written for."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("kripke._native")
import kripke

EXAMPLES = Path(__file__).parents[3] / "examples" / "maria"


def checked(folder: Path, name: str, old: str, new: str) -> tuple[int, int]:
    text = (EXAMPLES / name).read_text()
    assert old in text
    file = folder / name
    file.write_text(text.replace(old, new))
    result = kripke.load(file).check(all_errors=True)
    assert result.verdict == "holds"
    return result.states, result.transitions - 1


@pytest.mark.parametrize(
    ("nodes", "states", "events"),
    [(3, 69, 126), (4, 240, 588), (5, 870, 2693), (6, 3213, 12013), (7, 11949, 52310)],
)
def test_leader_election(tmp_path: Path, nodes: int, states: int, events: int) -> None:
    assert checked(tmp_path, "leader_election.pn", "nodes = 3", f"nodes = {nodes}") == (states, events)


@pytest.mark.parametrize(
    ("size", "solutions"), [(4, 2), (5, 10), (6, 4), (7, 40), (8, 92), (9, 352), (10, 724), (11, 2680)]
)
def test_queens(tmp_path: Path, size: int, solutions: int) -> None:
    assert checked(tmp_path, "queens.pn", "1..6", f"1..{size}") == (2, solutions)


def test_a_net_without_a_deadlock_statement_is_not_said_to_have_none(tmp_path: Path) -> None:
    file = tmp_path / "net.pn"
    file.write_text("place p bool: true; trans t in { p: x; };")
    assert (kripke.load(file).check().property, kripke.load(file).check().states) == ("no run-time error", 2)
    file.write_text("place p bool: true; trans t in { p: x; }; deadlock place p equals true;")
    assert kripke.load(file).check().property == "no deadlock"
