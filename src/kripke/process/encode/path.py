"""``Path``: one way through a step of a process program (``terms/path.py``), and who goes it."""

from __future__ import annotations

from dataclasses import dataclass

from kripke.terms import path
from kripke.terms.build import FALSE
from kripke.terms.term import Term


@dataclass(slots=True)
class Path(path.Path):
    """``pid`` is the executing process (-1: none, in an atom), ``frame`` the slot whose local variables are meant.

    ``moved``: whether an edge of the location was enabled before. ``sender``: who offered the message that a rendezvous
    is about (-1: nobody). ``asked``: the processes whose enabledness is being found out.
    """

    pid: int
    frame: int
    timeout: Term = FALSE
    sender: int = -1
    moved: Term = FALSE
    asked: tuple[int, ...] = ()
