"""Classes that change their owners when memory is short."""

from __future__ import annotations

from pathlib import Path

import pytest

import kripke
from kripke.engines.distributed.dynamic import rebalanced
from kripke.engines.explicit.prepare import prepare_native
from kripke.engines.explicit.safety import search_request
from kripke.engines.plan import SearchPlan
from tests.support.local_workers import answer_locally, search_locally

EXAMPLES = Path(__file__).parents[3] / "examples"
LITTLE = 130_000  # bytes
GRID = "byte x, y, z; active proctype p() { do :: x < 9 -> x++ :: y < 9 -> y++ :: z < 40 -> z++ od }"


def test_nothing_is_sent_while_there_is_memory() -> None:
    model = kripke.load(str(EXAMPLES / "promela/leader_election.pml")).model
    plan = SearchPlan(all_errors=True, partition="dynamic", workers=2)
    one = prepare_native(model).search(model, search_request(model, SearchPlan(all_errors=True), "bfs"), None)
    for workers in (1, 3):
        answer = answer_locally(model, workers, plan)
        assert sum(part["sent"] for part in answer["parts"]) == 0
        several = search_locally(model, workers, plan)
        assert (several.states, several.transitions, several.depth) == (one.states, one.transitions, one.depth)
        assert several.complete and several.covered == one.covered


def test_classes_get_owners_when_memory_is_short(tmp_path: Path) -> None:
    file = tmp_path / "grid.pml"
    file.write_text(GRID)
    model = kripke.load(str(file)).model
    one = prepare_native(model).search(model, search_request(model, SearchPlan(all_errors=True), "bfs"), None)
    for partition in ("dynamic", "dynamic:bytes:0"):
        answer = answer_locally(model, 3, SearchPlan(all_errors=True, partition=partition, workers=3), memory=LITTLE)
        assert answer["moves"] >= 1 and sum(part["sent"] for part in answer["parts"]) > 0
        assert answer["reason"] == ""
        assert sum(part["states"] for part in answer["parts"]) == one.states
        assert sum(part["transitions"] for part in answer["parts"]) == one.transitions


@pytest.mark.parametrize("memory", [256 << 20, LITTLE])
def test_the_run_to_an_error_is_a_shortest_one(memory: int, tmp_path: Path) -> None:
    file = tmp_path / "grid.pml"
    file.write_text(GRID.replace(":: x < 9", ":: x == 8 && y == 7 && z == 11 -> assert(false) :: x < 9"))
    model = kripke.load(str(file)).model
    plan = SearchPlan(deadlock=False)
    one = prepare_native(model).search(model, search_request(model, plan, "bfs"), None)
    several = search_locally(model, 3, SearchPlan(deadlock=False, partition="dynamic", workers=2), memory=memory)
    (error,), (wanted,) = several.error_paths, one.error_paths
    assert several.reason == "error" and (error.kind, error.code) == (wanted.kind, wanted.code)
    assert len(error.path) == len(wanted.path)


def test_classes_move_from_the_largest_part_to_the_smallest() -> None:
    assert rebalanced((0, 0, 0, 1), (5, 5, 5, 5), 2) == (1, 0, 0, 1)
    assert rebalanced((0, 1), (100, 95), 2) == (0, 1)


def test_classes_move_where_a_sample_was_uneven(tmp_path: Path) -> None:
    """All to one worker at first; the counts, the error and its run stay the same."""
    file = tmp_path / "grid.pml"
    file.write_text(
        GRID.replace("x < 9", "x < 60")
        .replace("y < 9", "y < 60")
        .replace("do ::", "do :: x + y + z == 109 -> assert(false) ::")
    )
    model = kripke.load(str(file)).model
    plan = SearchPlan(all_errors=True, deadlock=False)
    one = prepare_native(model).search(model, search_request(model, plan, "bfs"), None)
    outcomes = []
    for levelling in (False, True):
        owners = (0,) * 1023 + (1,)
        answer = answer_locally(model, 3, plan, owners=owners, places=(0, 1, 2), levelling=levelling, deadlock=False)
        states = [part["states"] for part in answer["parts"]]
        outcomes.append(max(states) * 3 / sum(states))
        assert (sum(states), sum(part["transitions"] for part in answer["parts"])) == (one.states, one.transitions)
        assert sum(part["errors"] for part in answer["parts"]) == one.errors
        assert [len(path[3]) for path in answer["error_paths"]] == [len(error.path) for error in one.error_paths]
    assert outcomes[0] > 2.5 and outcomes[1] < 1.5
