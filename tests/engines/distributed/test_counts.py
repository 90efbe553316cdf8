"""Several workers count, find and trace as one search does."""

from __future__ import annotations

import random
from base64 import b64encode
from dataclasses import replace
from pathlib import Path

import pytest

import kripke
from kripke.engines.distributed.worker import Refused
from kripke.engines.explicit.prepare import prepare_native
from kripke.engines.explicit.safety import search_request
from kripke.engines.plan import SearchPlan
from kripke.engines.unsupported import Unsupported
from tests.support.local_workers import search_locally

EXAMPLES = Path(__file__).parents[3] / "examples"
MODELS = (
    "promela/peterson.pml",
    "promela/leader_election.pml",
    "promela/alternating_bit.pml",
    "promela/turns.pml",
    "promela/semaphore_pool.pml",
    "promela/peterson_levels.pml",
)


@pytest.mark.parametrize("file", MODELS)
def test_counts_are_those_of_one_search(file: str) -> None:
    model = kripke.load(str(EXAMPLES / file)).model
    plan = SearchPlan(all_errors=True)
    one = prepare_native(model).search(model, search_request(model, plan, "bfs"), None)
    for workers in (1, 2, 3, 8):
        for store in ("full", "tree"):
            several = search_locally(model, workers, SearchPlan(all_errors=True, store=store))
            assert (several.states, several.transitions, several.depth, several.errors) == (
                one.states,
                one.transitions,
                one.depth,
                one.errors,
            ), (workers, store)
            assert several.complete and several.covered == one.covered
            assert [len(error.path) for error in several.error_paths] == [len(error.path) for error in one.error_paths]


ERRORS = """
byte x, y;
active proctype left() { do :: x < 20 -> x++ :: x == 7 && y == 5 -> assert(false) od }
active proctype right() { do :: y < 9 -> y++ od }
"""


@pytest.mark.parametrize("store", ["full", "tree", "hashcompact", "bitstate"])
def test_the_run_to_an_error_is_a_shortest_one(store: str, tmp_path: Path) -> None:
    file = tmp_path / "errors.pml"
    file.write_text(ERRORS)
    model = kripke.load(str(file)).model
    plan = SearchPlan(deadlock=False, store=store, store_size=1 << 20 if store == "bitstate" else None)
    one = prepare_native(model).search(model, search_request(model, SearchPlan(deadlock=False), "bfs"), None)
    for workers in (2, 3):
        several = search_locally(model, workers, plan)
        assert several.reason == "error"
        (error,) = several.error_paths
        assert error.kind == "violation"
        assert len(error.path) == len(one.error_paths[0].path)
        assert error.path[0] == one.error_paths[0].path[0]


def test_a_depth_limit_cuts_at_the_same_place(tmp_path: Path) -> None:
    file = tmp_path / "errors.pml"
    file.write_text(ERRORS)
    model = kripke.load(str(file)).model
    for depth in (1, 5, 12, 60):
        plan = SearchPlan(deadlock=False, max_depth=depth, all_errors=True)
        one = prepare_native(model).search(model, search_request(model, plan, "bfs"), None)
        for workers in (1, 3):
            several = search_locally(model, workers, plan)
            assert (several.states, several.transitions, several.reason, several.errors) == (
                one.states,
                one.transitions,
                one.reason,
                one.errors,
            ), depth


def test_memory_that_is_not_enough_ends_all_workers(tmp_path: Path) -> None:
    file = tmp_path / "large.pml"
    file.write_text("int x, y; active proctype p() { do :: x < 50000 -> x++ :: y < 50000 -> y++ od }")
    outcome = search_locally(kripke.load(str(file)).model, 3, memory=3 << 20)
    assert outcome.reason == "memory"
    assert outcome.states > 1_000


def test_a_batch_that_is_none_is_refused() -> None:
    from kripke._native import BATCH_SLACK, BadBatch, DistributedSearch
    from kripke.engines.explicit.search import SearchRequest

    model = kripke.load(str(EXAMPLES / "promela/peterson.pml")).model
    library = prepare_native(model).library
    for text in (b"\xff\xff\xff\xff\xff\xff", b"\x7f", b"\x80", b"\x08\x00", b"\xff\x01" + bytes(300)):
        search = DistributedSearch(library, SearchRequest(), 0, 2, [0, 1], [], 4096, 4, -1, False)
        with pytest.raises(BadBatch, match="batch of states is damaged"):
            search.receive(bytearray(text + bytes(BATCH_SLACK)), len(text), 1)
    (state,) = library.initial()
    for owner, sender in ((0, 1), (1, 1), (0, 0), (0, 2)):
        search = DistributedSearch(library, SearchRequest(), 0, 2, [owner, owner], [], 4096, 4, -1, False)
        batch = bytearray(bytes([len(state)]) + state + bytes(BATCH_SLACK))
        if (owner, sender) == (0, 1):
            search.receive(batch, 1 + len(state), sender)
            assert search.figures()[0] == 1
        else:
            with pytest.raises(BadBatch, match="worker"):
                search.receive(batch, 1 + len(state), sender)


def test_batches_with_any_bytes_are_taken_or_refused() -> None:
    """Of states, of states with numbers, of numbers; and the messages of the nested search."""
    from kripke._native import BATCH_SLACK, BadBatch, DistributedSearch
    from kripke.engines.distributed.dependency import BadMessage, DependencySearch
    from kripke.engines.explicit.search import SearchRequest

    library = prepare_native(kripke.load(str(EXAMPLES / "promela/leader_election.pml")).model).library
    chance, refused = random.Random(1), 0

    def new_search(steps: str) -> DistributedSearch:
        return DistributedSearch(
            library, SearchRequest(deadlock=False), 0, 2, [0, 1] * 8, [0], 4096, 4, -1, False, steps
        )

    whole: dict[str, list[bytes]] = {}
    for steps in ("", "log", "graph"):
        search = new_search(steps)
        search.begin()
        search.end_level()
        for _ in range(30):
            while search.expand(1000):
                pass
            search.end_level()
        search.flush()
        parcels = []
        while (parcel := search.take_parcel()) is not None:
            parcels.append(bytes(parcel[2]))
        whole[steps] = parcels or [bytes(40)]
    for turn in range(1_500):
        steps = ("", "log", "graph")[turn % 3]
        text = bytearray(chance.choice(whole[steps]))
        for _ in range(chance.randrange(4)):
            text[chance.randrange(len(text))] = chance.randrange(256)
        text = text[: chance.randrange(len(text) + 1)]
        search = new_search(steps)
        buffer = text + bytes(BATCH_SLACK)
        receivers = [search.receive, search.graph_receive] if steps == "graph" else [search.receive]
        nested = DependencySearch(0, 2, lambda key: key[0] % 2, lambda _: [], 4096)
        for receive in (*receivers, nested.receive):
            try:
                receive(bytearray(buffer), len(text), 1)
            except (BadBatch, BadMessage):
                refused += 1
    assert refused > 1_000


def test_a_search_goes_on_from_a_checkpoint_with_other_workers(tmp_path: Path) -> None:
    file = tmp_path / "errors.pml"
    file.write_text(ERRORS)
    model = kripke.load(str(file)).model
    plan = SearchPlan(deadlock=False, all_errors=True)
    one = prepare_native(model).search(model, search_request(model, plan, "bfs"), None)
    folder, key = tmp_path / "saved", b64encode(bytes(16)).decode()
    folder.mkdir()
    saved = {"checkpoint": str(folder), "checkpoint_seconds": 1e-9, "key": key}
    first = search_locally(model, 3, plan, **saved, max_depth=15)
    assert first.reason == "depth" and first.checkpoints > 10
    for workers, store in ((2, "full"), (1, "tree"), (4, "full")):
        several = search_locally(model, workers, replace(plan, store=store), **saved, resume=True)
        assert (several.states, several.transitions, several.depth, several.errors, several.complete) == (
            one.states,
            one.transitions,
            one.depth,
            one.errors,
            True,
        )
        assert several.covered == one.covered
        assert [len(error.path) for error in several.error_paths] == [len(error.path) for error in one.error_paths]


def test_a_damaged_checkpoint_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "errors.pml"
    file.write_text(ERRORS)
    model = kripke.load(str(file)).model
    saved = {"checkpoint": str(tmp_path), "checkpoint_seconds": 1e-9, "key": b64encode(bytes(16)).decode()}
    search_locally(model, 2, **saved, max_depth=5)
    content = (tmp_path / "checkpoint.json").read_bytes()
    for other, words in (
        (content.replace(b'"level": ', b'"level": 1'), "is damaged, or was not written by this user"),
        (b"no checkpoint", "is no checkpoint"),
    ):
        (tmp_path / "checkpoint.json").write_bytes(other)
        with pytest.raises(Unsupported, match=words):
            search_locally(model, 1, **saved, resume=True)
    (tmp_path / "checkpoint.json").write_bytes(content)
    for states in tmp_path.glob("states-*"):
        states.write_bytes(states.read_bytes()[:-1] + b"\0")
    with pytest.raises(Refused, match="is damaged, or was not written by this user"):
        search_locally(model, 1, **saved, resume=True)
