"""A nested depth-first search by several workers, with a dependency structure: for comparison with ``cycles.py``.

J. Barnat, L. Brim, J. Stříbrná, Distributed LTL model-checking in SPIN, SPIN 2001. A nested search from a *seed* (an
accepting state) may begin only when every seed below it was tested, and there is one nested search at a time. When are
they tested, where what lies below belongs to another worker? So each worker has a graph, the dependency
structure: its vertices are seeds, *transfer states* (states of others that its own lead to; states of its own that
others asked for) and where the search began. An edge says that one waits for another.

- A depth-first search from a vertex goes through plain states; where it comes to a seed or transfer state, the vertex
  waits for it. Plain states are not remembered: each vertex goes through those below itself once more (the paper keeps
  them for one request only).
- A transfer state of somebody else is asked for once. Who owns it searches from it, and acknowledges when nothing below
  it is waited for any more. Then, or at once where that is so already, it is removed.
- A vertex that waits for nothing, and whose search is over, is removed: a seed goes to the queue of the first worker,
  a state that was asked for is acknowledged, and who waited for it goes on.
- Where nobody has anything to do, and structures are left, workers wait for each other in a ring: the first collects
  who waits for whom, and whether a seed lies between. In a component that waits for nothing else, a seed means an
  accepted cycle; without one, one of the states is acknowledged, and the search goes on.

Corrections of the printed code: what follows the loop over successors stands behind it, and counts for transfer states
without a parent, too; the acknowledgement of a state that is known, and not in the structure, goes to the one who
asked. And one more: a seed must be in the queue before an acknowledgement that depends on it arrives anywhere. Messages
of different senders may overtake each other, so acknowledgements travel by way of the first worker.

The paper lets nested searches overlap with the first one. Here they take turns, so that one count of messages tells
when each is over. Acceptance is a matter of steps in this workbench: a state is accepting if the step to it is.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from struct import Struct
from typing import NamedTuple

from kripke.engines.linear.reference_cycles import components

Key = bytes
"""A state, and behind it a byte: is it a seed?"""
Steps = Callable[[Key], list[Key]]

_HEAD = Struct("<BIII")  # kind, bytes of a state, bytes of the state before it, a worker
_REQUEST, _ACKNOWLEDGE, _PASS_ON, _SEED, _NESTED = range(1, 6)
_NAMES = {_REQUEST, _ACKNOWLEDGE, _PASS_ON, _SEED, _NESTED}


class BadMessage(ValueError):
    """What came is no message of this search."""


class Wait(NamedTuple):
    """A state that others asked for waits for one of somebody else; ``seed`` lies between, if any does."""

    waiting: Key
    awaited: Key
    seed: Key | None


@dataclass(eq=False, slots=True)
class Vertex:
    key: Key
    waits_for: set[Vertex] = field(default_factory=set)
    awaited_by: set[Vertex] = field(default_factory=set)
    asked_by: set[int] = field(default_factory=set)
    over: bool = False  # is the search from it over? of another worker's state: never, it is acknowledged


@dataclass(slots=True)
class _Frame:
    """A vertex whose search goes on: the plain states met, and those to look at."""

    vertex: Vertex
    met: set[Key]
    left: list[Iterator[tuple[Key, Key]]]


class DependencySearch:
    """One worker's part: a part of a level for ``Rounds``, once for the first search, once for each nested one."""

    def __init__(
        self, rank: int, size: int, owner: Callable[[Key], int], steps: Steps, buffer_bytes: int, spare: int = 4
    ) -> None:
        self.rank, self.size = rank, size
        self._owner, self._steps = owner, steps
        self._buffer_bytes, self._spare = buffer_bytes, spare
        self.structure: dict[Key, Vertex] = {}
        self._removed: set[Key] = set()  # seeds and transfer states that are tested, or acknowledged
        self._stack: list[_Frame] = []
        self._requests: deque[tuple[Key, Key | None, int | None]] = deque()
        self.before: dict[Key, Key | None] = {}  # the state from which each was first met
        self.seeds: deque[Key] = deque()  # of the first worker: those to be tested, in order
        # --- the nested search ---
        self.seed: Key = b""
        self._nested_met: set[Key] = set()
        self._nested_left: list[Key] = []
        self.nested_before: dict[Key, Key] = {}
        self.closed_by: Key | None = None  # the state whose step leads to the seed
        # --- messages ---
        self._filling: dict[int, bytearray] = {}
        self._ready: deque[tuple[int, bytes]] = deque()
        self._under_way: dict[int, bytes] = {}
        self._numbers = 0
        self.sent = 0
        self.expanded = 0

    # --- the first search ---------------------------------------------------------------------------------------------

    def begin(self, initial: Iterable[Key]) -> None:
        for key in initial:
            if self._owner(key) == self.rank:
                self._requests.append((key, None, None))

    def work(self, most: int) -> bool:
        """Go on with the first search; False where there is nothing to do."""
        for _ in range(most):
            if self.crowded():
                return True
            if self._stack:
                self._go_on()
            elif self._requests:
                self._visit(*self._requests.popleft())
            else:
                return False
        return True

    def _visit(self, key: Key, before: Key | None, asker: int | None) -> None:
        """Somebody asks for a state of ours, or the search begins there."""
        known = self.structure.get(key)
        if known is None and key in self._removed:
            if asker is not None:
                self._acknowledge(key, asker)
            return
        if known is None:
            known = self._new(key, before, None)
            self._search_from(known)
        if asker is not None:
            known.asked_by.add(asker)

    def _new(self, key: Key, before: Key | None, above: Vertex | None) -> Vertex:
        vertex = self.structure[key] = Vertex(key)
        if self._owner(key) == self.rank:
            self.before.setdefault(key, before)
        if above is not None:
            _wait(above, vertex)
        return vertex

    def _search_from(self, vertex: Vertex) -> None:
        self._stack.append(_Frame(vertex, {vertex.key}, [self._each_step(vertex.key)]))

    def _each_step(self, key: Key) -> Iterator[tuple[Key, Key]]:
        self.expanded += 1
        return iter([(key, target) for target in self._steps(key)])

    def _go_on(self) -> None:
        """One step of the search from the vertex on top."""
        frame = self._stack[-1]
        vertex = frame.vertex
        if not frame.left:
            self._stack.pop()
            vertex.over = True
            if not vertex.waits_for:
                self._remove(vertex)
            return
        source, target = next(frame.left[-1], (b"", b""))
        if not source:
            frame.left.pop()
            return
        known = self.structure.get(target)
        if known is not None:
            # Who is on the stack waits for this vertex, or is it.
            if all(one.vertex is not known for one in self._stack):
                _wait(vertex, known)
        elif target in self._removed:
            return
        elif self._owner(target) != self.rank:
            self._new(target, None, vertex)
            self._send(self._owner(target), _REQUEST, target, source)
        elif is_seed(target):
            self._search_from(self._new(target, source, vertex))
        elif target not in frame.met:
            frame.met.add(target)
            self.before.setdefault(target, source)
            frame.left.append(self._each_step(target))

    def _remove(self, vertex: Vertex) -> None:
        waiting = [vertex]
        while waiting:
            gone = waiting.pop()
            if self.structure.pop(gone.key, None) is None:
                continue
            self._removed.add(gone.key)
            if is_seed(gone.key) and self._owner(gone.key) == self.rank:
                self._tell_seed(gone.key)
            for asker in sorted(gone.asked_by):
                self._acknowledge(gone.key, asker)
            for above in gone.awaited_by:
                above.waits_for.discard(gone)
                if above.over and not above.waits_for:
                    waiting.append(above)

    def _tell_seed(self, key: Key) -> None:
        if self.rank == 0:
            self.seeds.append(key)
        else:
            self._send(0, _SEED, key)

    def _acknowledge(self, key: Key, asker: int) -> None:
        """By way of the first worker, behind the seeds that were told it."""
        if self.rank == 0:
            self._send(asker, _ACKNOWLEDGE, key)
        elif asker == self.rank:
            raise AssertionError("a worker asks itself for nothing")
        else:
            self._send(0, _PASS_ON, key, worker=asker)

    # --- waiting in a ring --------------------------------------------------------------------------------------------

    def waits(self, gives_up: Callable[[int], bool] = lambda _: False) -> list[Wait]:
        """Of every state of ours that others asked for: the states of others that it waits for. There may be as many
        pairs as the square of these states, so it is asked on the way, with their number so far, whether to give up."""
        found: list[Wait] = []
        for vertex in self.structure.values():
            if not vertex.asked_by:
                continue
            if gives_up(len(found)):
                break
            first: Key | None = vertex.key if is_seed(vertex.key) else None
            left = [(vertex, first)]
            met: set[tuple[Vertex, bool]] = set()
            while left:
                here, seed = left.pop()
                for below in here.waits_for:
                    if (below, seed is not None) in met:
                        continue
                    met.add((below, seed is not None))
                    if self._owner(below.key) != self.rank:
                        found.append(Wait(vertex.key, below.key, seed))
                        continue
                    left.append((below, seed or (below.key if is_seed(below.key) else None)))
        return found

    def let_go(self, key: Key) -> None:
        """Acknowledge a state of ours, although it waits itself."""
        vertex = self.structure[key]
        for asker in sorted(vertex.asked_by):
            self._acknowledge(key, asker)
        vertex.asked_by.clear()

    # --- nested searches ----------------------------------------------------------------------------------------------

    def begin_nested(self, seed: Key, *, afresh: bool = False) -> None:
        """``afresh``: forget what other nested searches met."""
        self.seed, self.closed_by = seed, None
        self.nested_before.clear()
        if afresh:
            self._nested_met.clear()
        if self._owner(seed) == self.rank:
            self._nested_left = [seed]

    def work_nested(self, most: int) -> bool:
        for _ in range(most):
            if self.crowded():
                return True
            if not self._nested_left or self.closed_by is not None:
                return False
            key = self._nested_left.pop()
            self.expanded += 1
            for target in self._steps(key):
                if target == self.seed:  # whoever owns it
                    self.closed_by = key
                    return False
                if self._owner(target) != self.rank:
                    self._send(self._owner(target), _NESTED, target, key)
                else:
                    self._meet_nested(target, key)
        return True

    def _meet_nested(self, key: Key, before: Key) -> None:
        if key not in self._nested_met:
            self._nested_met.add(key)
            self.nested_before[key] = before
            self._nested_left.append(key)

    # --- messages -----------------------------------------------------------------------------------------------------

    def _send(self, to: int, kind: int, key: Key, before: Key = b"", worker: int = 0) -> None:
        if to == self.rank:
            self._handle(kind, key, before, worker, to)
            return
        entry = _HEAD.pack(kind, len(key), len(before), worker) + key + before
        filling = self._filling.setdefault(to, bytearray())
        if len(filling) + len(entry) > self._buffer_bytes:
            self._hand_over(to)
            filling = self._filling.setdefault(to, bytearray())
        filling += entry
        self.sent += kind in (_REQUEST, _NESTED)

    def _hand_over(self, to: int) -> None:
        filled = self._filling.pop(to, None)
        if filled:
            self._ready.append((to, bytes(filled)))

    def flush(self) -> None:
        for to in list(self._filling):
            self._hand_over(to)

    def crowded(self) -> bool:
        return len(self._under_way) + len(self._ready) >= self._spare

    def take_parcel(self) -> tuple[int, int, memoryview] | None:
        if not self._ready:
            return None
        to, filled = self._ready.popleft()
        self._numbers += 1
        self._under_way[self._numbers] = filled
        return self._numbers, to, memoryview(filled)

    def give_back(self, number: int) -> None:
        del self._under_way[number]

    def receive(self, buffer: bytearray, count: int, sender: int) -> None:
        at = 0
        while at < count:
            if count - at < _HEAD.size:
                raise BadMessage("a message is damaged")
            kind, length, before, worker = _HEAD.unpack_from(buffer, at)
            at += _HEAD.size
            if kind not in _NAMES or length + before > count - at or worker >= self.size:
                raise BadMessage("a message is damaged")
            key = bytes(buffer[at : at + length])
            self._handle(kind, key, bytes(buffer[at + length : at + length + before]), worker, sender)
            at += length + before

    def _handle(self, kind: int, key: Key, before: Key, worker: int, sender: int) -> None:
        ours = self._owner(key) == self.rank
        if kind == _REQUEST and ours:
            self._requests.append((key, before, sender))
        elif kind == _ACKNOWLEDGE and not ours:
            vertex = self.structure.get(key)
            if vertex is not None:
                self._remove(vertex)
        elif kind == _PASS_ON and self.rank == 0:
            self._send(worker, _ACKNOWLEDGE, key)
        elif kind == _SEED and self.rank == 0:
            self.seeds.append(key)
        elif kind == _NESTED and ours:
            self._meet_nested(key, before)
        else:
            raise BadMessage("a message came to a worker that it is not for")


def is_seed(key: Key) -> bool:
    return key[-1] != 0


def _wait(above: Vertex, below: Vertex) -> None:
    above.waits_for.add(below)
    below.awaited_by.add(above)


class Ring(NamedTuple):
    """States that wait for each other alone. ``seed``: one that lies between them, on an accepted cycle; else ``free``
    is to be acknowledged."""

    seed: Key | None
    free: Key


def ring_of(waits: list[Wait]) -> Ring:
    """A component of who waits for whom that waits for nobody else."""
    below: dict[Key, dict[Key, Key | None]] = {}
    for waiting, awaited, seed in waits:
        own = below.setdefault(waiting, {})
        own[awaited] = own.get(awaited) or seed
    bottoms = []
    for members in components(frozenset(below), lambda key: below.get(key, ())):
        inner = [key for key in members if members & below[key].keys()]
        if inner and all(below[key].keys() <= members for key in members):
            bottoms.append(members)
    for members in sorted(bottoms, key=min):  # the same one for every worker
        seeds = [seed for one in sorted(members) for _, seed in sorted(below[one].items(), key=lambda item: item[0])]
        return Ring(next((seed for seed in seeds if seed is not None), None), min(members))
    raise AssertionError("workers wait, but not for each other")
