"""An operation: what a task of a program is about to do, as far as other tasks can see it.

Two operations depend on each other when they touch the same place and one of them writes there. Everything that the
search leaves out rests on this relation alone (P. Godefroid, *Partial-Order Methods for the Verification of Concurrent
Systems*, LNCS 1032, section 3.4).
"""

from __future__ import annotations

from types import CodeType
from typing import Any

from kripke._native import OperationState

#: A place: the number that the run has given to an object, and what of it is touched (an attribute, a key, its shape).
Place = tuple[int, Any]

#: Kinds of operations. Those that wait are enabled only now and then; those that let others go on cannot be exchanged
#: with what they let go on.
ACCESS = "access"
ACQUIRE = "acquire"
RELEASE = "release"
BEGIN = "begin"
END = "end"
START = "start"
JOIN = "join"
WAKE = "wake"
CHOOSE = "choose"
AWAIT = "await"
BLOCK = "block"
SEND = "send"
RECEIVE = "receive"

SYNCHRONISATION = frozenset({ACQUIRE, RELEASE, BEGIN, END, START, JOIN, WAKE, SEND, RECEIVE})


class Operation(OperationState):
    """``reads`` and ``writes`` are places. Where they depend on the present state (is the key in the dictionary?),
    ``places`` says what they are now. ``waits_for`` says what must hold (None: always enabled); with a ``deadline`` the
    task goes on without it when that time has come. ``since``: of a wake-up, the number of steps before time went by.
    ``takes``: a lock is held from here on. ``unknown``: what it touches is known only once it was done. ``code`` and
    ``instruction`` are where the program does it. ``after``: numbers of the steps that let it go on. ``known``: how
    many objects the run had touched before it. ``parts``: of a block, what it does, where the run is watched;
    ``value``: what a part wrote, as text."""

    deadline: float | None = None
    since = 0
    takes = False
    options = 1
    unknown = False
    after: tuple[int, ...] = ()
    known = 0
    parts: list[Operation] | None = None
    value = ""

    def __init__(
        self,
        kind: str,
        reads: tuple[Place, ...] = (),
        writes: tuple[Place, ...] = (),
        text: Any = "",
        code: CodeType | None = None,
        instruction: int = 0,
    ) -> None:
        self.kind = kind
        self.reads = reads
        self.writes = writes
        self.text = text
        self.code = code
        self.instruction = instruction
        if kind == ACQUIRE:
            self.takes = True

    @property
    def file(self) -> str:
        return self.code.co_filename if self.code is not None else ""

    @property
    def line(self) -> int:
        if self.code is None:
            return 0
        line = 0
        for start, end, number in self.code.co_lines():
            if start <= self.instruction < end and number is not None:
                line = number
        return line or self.code.co_firstlineno

    def words(self) -> str:
        """What it does, for people: made only when somebody asks."""
        text = self.text
        if type(text) is tuple:
            return " ".join((*text[:-2], f"{text[-2].__name__}.{text[-1]}") if len(text) > 2 else text)
        return str(text() if callable(text) else text)

    def __repr__(self) -> str:
        return f"{self.kind} {self.words()} ({self.file}:{self.line})"

    def look_again(self) -> None:
        """What it touches, in the present state."""
        if self.places is not None:
            self.reads, self.writes = self.places()


def dependent(one: Operation, other: Operation) -> bool:
    """Do they touch the same place, one of them writing? Unknown ones depend on everything."""
    if one.unknown or other.unknown:
        return True
    for place in one.writes:
        if place in other.writes or place in other.reads:
            return True
    return any(place in other.writes for place in one.reads)
