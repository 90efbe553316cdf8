"""What a thread may still touch: for every place in the code, the accesses from there on, calls included.

A thread that is kept out of a lock does not come to what is behind ``with lock:``. So there is a second set of
futures for each lock in a global variable that is assigned once: as long as another thread holds it.
"""

from __future__ import annotations

from kripke.heap.program import Class, Code, Intrinsic, Op, Program
from kripke.heap.reduction.accesses import NOTHING, Access, Places
from kripke.heap.reduction.calls import Calls, next_places

MOST_LOCKS = 16
_LOCKS = ("Lock", "RLock")


class Futures:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.places = Places(program)
        self.calls = Calls(program)
        self._own = {number: self._effects(program.codes[number]) for number in sorted(self.calls.live)}
        self._next = {
            number: [list(next_places(program.codes[number], at)) for at in range(len(effects))]
            for number, effects in self._own.items()
        }
        #: globals that hold locks
        self.locks = self._find_locks()[:MOST_LOCKS]
        self.any = self._everything()
        self.plain = self._from_everywhere(None)
        self.without = {lock: self._from_everywhere(lock) for lock in self.locks}

    def _effects(self, code: Code) -> list[tuple[Access, tuple[int, ...] | None]]:
        """Of every instruction: what it touches itself, and what it may call; None: anything."""
        found = []
        for at, instruction in enumerate(code.instructions):
            access = self.places.of_instruction(instruction)
            if instruction[:2] == (Op.INTRINSIC, Intrinsic.HAS):
                access = self._of_has(code, at, access)
            if code.generator:
                access |= Access(0, 1 << self.places.generators)
            called = self.calls.of_instruction(code, at)
            found.append((access, None if called is None else tuple(sorted(called))))
        return found

    def _of_has(self, code: Code, at: int, otherwise: Access) -> Access:
        name = self.calls.origins.get((code.number, at))
        if not isinstance(name, str):
            return otherwise
        return Access(self.places.attribute(self.program.names.index(name))) if name in self.program.names else NOTHING

    def _everything(self) -> Access:
        found = NOTHING
        for number, effects in self._own.items():
            if number != self.program.entry:
                for access, _ in effects:
                    found |= access
        return found | self.places.end

    # --- locks --------------------------------------------------------------------------------------------------------

    def _find_locks(self) -> list[int]:
        """Globals assigned once, a lock, which nobody gives back but at the end of a ``with`` or by name."""
        names = self.program.names
        released: set[int] = set()
        given_back = {names.index(name) for name in ("release", "__exit__") if name in names}
        for number in self.calls.live:
            code = self.program.codes[number]
            if code.library:
                continue
            for at, (op, argument, _) in enumerate(code.instructions):
                if op == Op.LOAD_ATTRIBUTE and argument in given_back:
                    return []
                if op == Op.CALL_METHOD and names[self.program.calls[argument].name] == "release":
                    match self.calls.origins.get((number, at)):
                        case ("global", int() as lock) if lock in self.program.stable:
                            released.add(lock)
                        case _:
                            return []
        if not all(map(self._is_lock, released)):
            return []
        found = {lock for number in self.calls.live for lock in self._taken(self.program.codes[number]) if lock >= 0}
        return sorted(lock for lock in found - released if self._is_lock(lock))

    def _is_lock(self, number: int) -> bool:
        if number not in self.program.stable:
            return False
        made = self.calls.made.get(number, [])
        return len(made) == 1 and isinstance(made[0], Class) and made[0].library and made[0].name in _LOCKS

    def _taken(self, code: Code) -> list[int]:
        """By instruction: the lock that it waits for; -1: none, or which is not known."""
        found = [-1] * len(code.instructions)
        if code.library:
            return found
        for at, (op, argument, _) in enumerate(code.instructions):
            if op != Op.CALL_METHOD:
                continue
            call = self.program.calls[argument]
            if self.program.names[call.name] not in ("__enter__", "acquire") or call.positional or call.keywords:
                continue
            match self.calls.origins.get((code.number, at)):
                case ("global", int() as number):
                    found[at] = number
        return found

    # --- fixpoints ----------------------------------------------------------------------------------------------------

    def _from_everywhere(self, lock: int | None) -> dict[int, list[Access]]:
        """By code and place, with ``lock`` held by somebody else."""
        futures = {number: [NOTHING] * len(effects) for number, effects in self._own.items()}
        stops = {
            number: [lock is not None and taken == lock for taken in self._taken(self.program.codes[number])]
            for number in futures
        }
        changed = True
        while changed:
            changed = False
            for number, effects in self._own.items():
                if self._from_code(number, effects, stops[number], futures):
                    changed = True
        return futures

    def _from_code(
        self,
        number: int,
        effects: list[tuple[Access, tuple[int, ...] | None]],
        stops: list[bool],
        futures: dict[int, list[Access]],
    ) -> bool:
        own, following = futures[number], self._next[number]
        changed_ever, changed = False, True
        while changed:
            changed = False
            for at in range(len(own) - 1, -1, -1):
                reads, writes = effects[at][0]
                called = effects[at][1]
                if stops[at]:
                    called = ()
                if called is None:
                    reads, writes = reads | self.any.reads, writes | self.any.writes
                else:
                    for each in called:
                        more = futures[each][0]
                        reads, writes = reads | more.reads, writes | more.writes
                if not stops[at]:  # a thread that waits touches nothing
                    for place in following[at]:
                        more = own[place]
                        reads, writes = reads | more.reads, writes | more.writes
                if (reads, writes) != own[at]:
                    own[at] = Access(reads, writes)
                    changed = changed_ever = True
        return changed_ever
