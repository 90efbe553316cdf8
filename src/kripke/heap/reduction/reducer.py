"""Which threads' steps are enough of a state.

A set of threads is enough if no other thread can ever touch, before these move, what their next steps touch, so that
one of both writes (a persistent set: P. Godefroid, *Partial-order methods for the verification of concurrent systems*,
LNCS 1032, 1996). What others can touch is read off the state: what their code may still do, and which objects they
can reach. A thread that waits may be in the set, too; it has no step.

No step is put off for ever: a set is used only if none of its steps goes back in a loop that may be endless. Every
cycle of states has such a step, so one of its states has all steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kripke.heap.memory import Frame, Memory, Obj, closure
from kripke.heap.program import Intrinsic, Op, Program
from kripke.heap.reduction.accesses import CONTENTS, Access
from kripke.heap.reduction.footprint import NO_OBJECT, Footprint
from kripke.heap.reduction.futures import Futures


class Tried(NamedTuple):
    """What came of trying the steps of a thread."""

    thread: int
    enabled: bool
    footprint: Footprint


class Reducer:
    def __init__(self, futures: Futures, atoms: Sequence[int]) -> None:
        self.program = futures.program
        self.futures = futures
        self.watched = self._watched(atoms)

    @staticmethod
    def obstacle(program: Program) -> str:
        """Why there is no reduction for a program; empty: nothing speaks against it."""
        names = program.names
        for code in program.codes:
            if any(handler.target < handler.end for handler in code.handlers):
                return "exceptions are handled before the place where they are raised"
            if code.library:
                continue
            for op, argument, _ in code.instructions:
                if op == Op.CALL_SPREAD or (op == Op.STORE_ATTRIBUTE and names[argument] == "daemon"):
                    return _DAEMONS
                called = program.calls[argument].keywords if op in (Op.CALL, Op.CALL_METHOD) else ()
                if any(names[each] == "daemon" for each in called):
                    return _DAEMONS
        return ""

    def _watched(self, atoms: Sequence[int]) -> int:
        """What conditions look at."""
        places = self.futures.places
        found = 0
        for number in atoms:
            for instruction in self.program.codes[self.program.atoms[number][1]].instructions:
                found |= places.of_instruction(instruction).reads
                if instruction.op in (Op.TRUTH, Op.SUBSCRIPT) or instruction[:2] == (Op.INTRINSIC, Intrinsic.LEN):
                    found |= places.of_kinds(CONTENTS)
        return found

    # --- choosing -----------------------------------------------------------------------------------------------------

    def choose(self, memory: Memory, tried: Sequence[Tried]) -> set[int] | None:
        """The threads whose steps are enough, if there are such; ``memory`` is that of the state."""
        enabled = [each.thread for each in tried if each.enabled]
        if len(enabled) < 2:
            return None
        state = _State(self, memory, tried)
        best: set[int] | None = None
        fewest = len(enabled)
        for seed in enabled:
            found = state.around(seed)
            moving = [thread for thread in enabled if thread in found]
            if len(moving) < fewest and all(self._may_go_alone(state.by_thread[thread]) for thread in moving):
                best, fewest = found, len(moving)
        return best

    def _may_go_alone(self, footprint: Footprint) -> bool:
        if footprint.goes_back or footprint.ends:
            return False
        return not any(access.writes & self.watched for access in footprint.touched.values())

    def future(self, memory: Memory, thread: int, lock: int | None) -> Access:
        """What a thread may still touch, with the lock held by another."""
        table = self.futures.plain if lock is None else self.futures.without[lock]
        found = self.futures.places.end
        at, running = memory.frames[thread], True
        while at is not None:
            found |= self._from_frame(table[at.code], at, running)
            at, running = at.back, False
        return found

    def _from_frame(self, table: list[Access], frame: Frame, running: bool) -> Access:
        found = table[frame.pc]
        if not running:
            for handler in self.program.codes[frame.code].handlers:
                if handler.start <= frame.pc - 1 < handler.end:
                    found |= table[handler.target]
        return found

    def holder(self, memory: Memory, lock: int) -> int | None:
        """The thread that has a lock."""
        value = memory.globals[lock]
        if not isinstance(value, Obj):
            return None
        owner = value.fields[1 + value.fields[0].layout.index(self.program.names.index("_owner"))]
        if owner is True:
            return next((n for n, each in enumerate(memory.threads) if each is None and memory.frames[n]), None)
        return next((n for n, each in enumerate(memory.threads) if isinstance(each, Obj) and each is owner), None)


_DAEMONS = "threads that end with the program (daemon=True) are disturbed by the end of any other"


class _State:
    """What is asked about one state, each at most once."""

    def __init__(self, reducer: Reducer, memory: Memory, tried: Sequence[Tried]) -> None:
        self.reducer, self.memory = reducer, memory
        self.threads = [each.thread for each in tried]
        self.by_thread = {each.thread: each.footprint for each in tried}
        self._futures: dict[tuple[int, int | None], Access] = {}
        self._reach: dict[int, int] | None = None
        self._holders = [(lock, reducer.holder(memory, lock)) for lock in reducer.futures.locks]

    def around(self, seed: int) -> set[int]:
        """The least set with this thread that is enough."""
        found = {seed}
        todo = True
        while todo:
            todo = False
            outside = [thread for thread in self.threads if thread not in found]
            held = [lock for lock, holder in self._holders if holder in found]
            for thread in outside:
                if self._disturbs(thread, self.future(thread, held), outside, found):
                    found.add(thread)
                    todo = True
                    break
        return found

    def _disturbs(self, thread: int, future: Access, outside: list[int], found: set[int]) -> bool:
        for member in self.threads:
            if member not in found:
                continue
            for number, access in self.by_thread[member].touched.items():
                if access.conflicts(future) and (number == NO_OBJECT or self.reached(number, outside)):
                    return True
        return False

    def future(self, thread: int, held: list[int]) -> Access:
        found = self._future(thread, None)
        for lock in held:
            other = self._future(thread, lock)
            found = Access(found.reads & other.reads, found.writes & other.writes)
        return found

    def _future(self, thread: int, lock: int | None) -> Access:
        key = thread, lock
        if key not in self._futures:
            self._futures[key] = self.reducer.future(self.memory, thread, lock)
        return self._futures[key]

    def reached(self, number: int, by: list[int]) -> bool:
        """Can one of the threads come to an object?"""
        if self._reach is None:
            self._reach = self._reachable()
        mask = self._reach.get(number, 0)
        return any(mask >> thread & 1 for thread in by)

    def _reachable(self) -> dict[int, int]:
        """By object: the threads that reach it, by their frames and by globals that they may still read."""
        memory = self.memory
        found: dict[int, int] = {}
        for thread in self.threads:
            reads = self._future(thread, None).reads
            roots = [memory.threads[thread], memory.frames[thread]]
            roots += [value for number, value in enumerate(memory.globals) if reads >> number & 1]
            for item in closure(roots, {}):
                if isinstance(item, Obj):
                    found[item.number] = found.get(item.number, 0) | 1 << thread
        return found
