"""Who owns which states, and what is sent: the counts stay, the messages become fewer."""

from __future__ import annotations

from pathlib import Path

import pytest

import kripke
from kripke.engines.distributed.engine import places_of
from kripke.engines.distributed.measuring import best_bytes, by_bytes, measured, sample
from kripke.engines.distributed.partition import class_count, class_of, even_owners
from kripke.engines.explicit.prepare import prepare_native
from kripke.engines.unsupported import Unsupported
from kripke.model.model import Model
from tests.support.local_workers import answer_locally, search_locally

EXAMPLES = Path(__file__).parents[3] / "examples"
STATES, STEPS, DEPTH = 60_827, 164_524, 48


@pytest.fixture(scope="module")
def model() -> Model:
    return kripke.load(str(EXAMPLES / "promela/termination.pml"), defines={"MESSAGES": 2}).model


def _share(model: Model, **changes: object) -> float:
    """Of the steps, those that were sent by two workers; the counts are right."""
    answer = answer_locally(model, 2, **changes)
    states, steps, sent = (sum(part[name] for part in answer["parts"]) for name in ("states", "transitions", "sent"))
    assert (states, steps, answer["reason"]) == (STATES, STEPS, "")
    assert max(part["level"] for part in answer["parts"]) == DEPTH
    assert sum(level[1] for level in answer["profile"]) == STEPS - 1  # but the initial one
    return float(sent / steps)


def test_messages_fall_as_in_the_paper(model: Model) -> None:
    """Lerda and Visser, table 3: storing sends least, a small cache is better than none, looking ahead helps both."""
    normal, cache50, cache500, storing = (_share(model, siblings=number) for number in (0, 50, 500, -2))
    ahead, ahead_storing = (_share(model, siblings=number, look_ahead=True) for number in (0, -2))
    assert normal > cache50 > cache500 > storing
    assert ahead < normal and ahead_storing < storing
    assert 0.45 < normal < 0.55


def test_a_measured_partition_sends_less_than_half(model: Model) -> None:
    library = prepare_native(model).library
    found = measured(library, 2)
    assert found.bytes
    share = _share(model, partition=found.name, owners=found.owners, places=found.bytes)
    assert share < 0.25 * _share(model)
    outcome = search_locally(model, 3, owners=by_bytes((0, 1), [], 3).owners, places=(0, 1))
    assert (outcome.states, outcome.transitions) == (STATES, STEPS)


def test_a_small_model_is_not_measured() -> None:
    library = prepare_native(kripke.load(str(EXAMPLES / "promela/peterson.pml")).model).library
    assert measured(library, 4).name == "hash"
    assert sample(library).whole


def test_bytes_that_never_change_decide_nothing(model: Model) -> None:
    seen = sample(prepare_native(model).library, most=300)
    chosen = best_bytes(seen, 2)
    assert chosen is not None
    assert all(len({state[place] for state in seen.states}) > 1 for place in chosen)


def test_classes_are_shared_out_evenly() -> None:
    for workers in (1, 2, 3, 7, 64, 100, 4096):
        owners = even_owners(workers)
        counts = [owners.count(worker) for worker in range(workers)] if workers < 100 else []
        assert len(owners) == class_count(workers) >= 1024
        assert set(owners) == set(range(workers))
        assert not counts or max(counts) - min(counts) <= 1


def test_places_are_read() -> None:
    assert places_of("bytes:7,3,3") == (3, 7)
    for name in ("bytes", "bytes:", "bytes:a", "bytes:1,", "bits:1", "local", "bytes:-1"):
        with pytest.raises(Unsupported, match="there is no partition"):
            places_of(name)


def test_python_and_c_have_the_same_classes(model: Model) -> None:
    """A worker that is sent a state of another class refuses it."""
    from kripke._native import BATCH_SLACK, BadBatch, DistributedSearch
    from kripke.engines.explicit.search import SearchRequest

    library = prepare_native(model).library
    places, classes = (0, 9, 21, 200), 1024
    for state in sample(library, most=60).states[:50]:
        number = class_of(state, places, classes)
        batch = bytearray(bytes([len(state)]) + state + bytes(BATCH_SLACK))
        owners = [1] * classes
        owners[number] = 0
        search = DistributedSearch(library, SearchRequest(), 0, 2, owners, list(places), 4096, 4, -1, False)
        search.receive(batch, 1 + len(state), 1)
        owners = [0] * classes
        owners[number] = 1
        search = DistributedSearch(library, SearchRequest(), 0, 2, owners, list(places), 4096, 4, -1, False)
        with pytest.raises(BadBatch):
            search.receive(batch, 1 + len(state), 1)
