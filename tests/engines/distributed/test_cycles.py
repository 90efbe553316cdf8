"""Accepted cycles by several workers: OWCTY, and the nested search with a dependency structure."""

from __future__ import annotations

import random
from collections import deque

import pytest

from kripke.engines.distributed.dependency import DependencySearch, Key, Wait, ring_of
from kripke.engines.explicit.reference import search as search_by_reference
from kripke.engines.explicit.search import SearchRequest
from kripke.engines.runs.replay import replay_error
from kripke.model.product import Product
from tests.native.graphs import GraphLibrary, compile_library
from tests.support.local_workers import cycle_locally
from tests.support.observed_graphs import random_observed_graph
from tests.support.seeds import sample


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> GraphLibrary:
    path = tmp_path_factory.mktemp("graphs") / "graph.so"
    compile_library("graph", path)
    return GraphLibrary(path)


@pytest.mark.parametrize("seed", sample(range(60)))
def test_cycles_of_random_graphs(seed: int, library: GraphLibrary) -> None:
    model, observer = random_observed_graph(random.Random(seed), sets=None if seed % 2 else 1)
    product, compiled = Product(model, observer), library.open(model.graph)
    wanted = search_by_reference(product, SearchRequest(order="scc", deadlock=False, observer=observer))
    for workers in (1, 2, 3, 8):
        for nested in (False, True)[: 1 if seed % 2 else 2]:
            found = cycle_locally(model, compiled, observer, workers, nested=nested)
            assert bool(found.error_paths) == bool(wanted.error_paths), (workers, nested)
            for error in found.error_paths:
                assert error.kind == "cycle"
                replay_error(product, error, None, None)
            if not wanted.error_paths and not nested:
                assert (found.states, found.transitions) == (wanted.states, wanted.transitions)


# --- the dependency structure -----------------------------------------------------------------------------------------


def _key(name: str, seeds: str) -> Key:
    return name.encode() + (b"\1" if name in seeds else b"\0")


class _Network:
    """Workers without a network: one acts at a time, and messages come when they are let through."""

    def __init__(self, edges: dict[str, str], seeds: str, owners: dict[str, int], workers: int) -> None:
        def steps(key: Key) -> list[Key]:
            return [_key(target, seeds) for target in edges.get(key[:-1].decode(), "")]

        self.searches = [
            DependencySearch(rank, workers, lambda key: owners[key[:-1].decode()], steps, 1000)
            for rank in range(workers)
        ]

    def settle(self, *, nested: bool = False) -> None:
        """Until nobody has anything to do."""
        under_way: deque[tuple[int, int, bytes]] = deque()
        moved = True
        while moved or under_way:
            moved = False
            for rank, search in enumerate(self.searches):
                while (search.work_nested if nested else search.work)(1):
                    moved = True
                search.flush()
                while (parcel := search.take_parcel()) is not None:
                    number, to, message = parcel
                    under_way.append((rank, to, bytes(message)))
                    search.give_back(number)
            if under_way:
                sender, to, message = under_way.popleft()
                self.searches[to].receive(bytearray(message), len(message), sender)
                moved = True

    def waits(self) -> list[Wait]:
        return [wait for search in self.searches for wait in search.waits()]

    def cycle(self, start: Key) -> bool:
        """Is there an accepted one?"""
        for search in self.searches:
            search.begin([start])
        first = self.searches[0]
        while True:
            self.settle()
            while first.seeds:
                if self.nested(first.seeds.popleft()):
                    return True
            waits = self.waits()
            if not waits:
                return False
            ring = ring_of(waits)
            if ring.seed is not None:
                return True
            for search in self.searches:
                if ring.free in search.structure and search._owner(ring.free) == search.rank:
                    search.let_go(ring.free)

    def nested(self, seed: Key) -> bool:
        for search in self.searches:
            search.begin_nested(seed)
        self.settle(nested=True)
        return any(search.closed_by is not None for search in self.searches)


PAPER = {
    "i": ({"A": "C", "B": "C", "C": "D", "D": "B", "S": "AB"}, "AB"),
    "ii": ({"A": "B", "B": "C", "C": "D", "D": "B", "S": "A"}, "AC"),
}


@pytest.mark.parametrize("name", PAPER)
def test_nested_searches_that_would_hide_a_cycle(name: str) -> None:
    """Barnat, Brim, Stribrna: two nested searches at once (i), or that of A before that of C (ii), lose the cycle."""
    edges, seeds = PAPER[name]
    for choice in range(3**5):
        owners = {state: choice // 3**place % 3 for place, state in enumerate("SABCD")}
        assert _Network(edges, seeds, owners, 3).cycle(_key("S", seeds)), owners


def test_a_naive_order_hides_the_cycle() -> None:
    """What the structure is there for: A's nested search first, then C's, in example (ii)."""
    edges, seeds = PAPER["ii"]
    network = _Network(edges, seeds, dict.fromkeys("SABCD", 0), 1)
    assert [network.nested(_key(seed, seeds)) for seed in "AC"] == [False, False]


def test_workers_that_wait_for_each_other() -> None:
    """Figure 3: B waits for C behind a seed, A for B behind one, C for B: the ring of B and C has a seed."""
    waits = [Wait(b"B", b"C", b"s"), Wait(b"A", b"B", b"t"), Wait(b"C", b"B", None)]
    assert ring_of(waits).seed == b"s"
    without = [Wait(b"B", b"C", None), Wait(b"A", b"B", b"t"), Wait(b"C", b"B", None)]
    assert ring_of(without).seed is None and ring_of(without).free in (b"B", b"C")


def test_figure_3_as_a_graph() -> None:
    """Two workers: A, b, s and C of the first, B and t of the second. B leads to C by way of the seed s."""
    edges = {"S": "A", "A": "B", "B": "s", "s": "C", "C": "B"}
    owners = {"S": 1, "A": 0, "B": 1, "s": 1, "C": 0}
    network = _Network(edges, "As", owners, 2)
    for search in network.searches:
        search.begin([_key("S", "As")])
    network.settle()
    told = {(wait.waiting[:1], wait.awaited[:1], wait.seed is not None) for wait in network.waits()}
    assert told == {(b"B", b"C", True), (b"A", b"B", True), (b"C", b"B", False)}
    assert ring_of(network.waits()).seed == _key("s", "As")
    assert all(search.waits(lambda _: True) == [] for search in network.searches)  # no time for it
    assert not _Network({**edges, "s": ""}, "As", owners, 2).cycle(_key("S", "As"))
    assert not _Network({**edges, "B": "C"}, "As", owners, 2).cycle(_key("S", "As"))
