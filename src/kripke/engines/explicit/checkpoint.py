"""Checkpoints: files from which a long search goes on after whatever ended it.

The native engine writes them between two layers of a breadth-first search, and a last one where something stops it
within a layer; here is what they belong to, the key with which they are marked, and the signal on which one is written.
States from a file go to the compiled model as they are, which trusts them: hence the key, which lies beside the
compiled models, where nobody else can write.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from kripke.compilation.cache import Unusable, content_hash, open_user_cache
from kripke.engines.explicit.search import Checkpoints, SearchRequest
from kripke.engines.plan import SearchPlan, Unsupported
from kripke.model.capabilities.compilable import c_source

if TYPE_CHECKING:
    from kripke.model.model import Model

DEFAULT_SECONDS = 600.0
KEY_BYTES = 16


def checkpoints_of(model: Model, plan: SearchPlan, request: SearchRequest) -> Checkpoints:
    """What the plan asks for. `Unsupported` where there is no place for the key."""
    try:
        key = open_user_cache().secret("checkpoints", KEY_BYTES)
    except Unusable as error:
        raise Unsupported(f"a checkpoint is marked with a key that is kept with compiled models: {error}") from error
    seconds = plan.checkpoint_every or DEFAULT_SECONDS
    file = "" if plan.checkpoint is None else _place(plan.checkpoint)
    return Checkpoints(file, seconds, plan.resume or "", fingerprint(model, request), key)


def _place(name: str) -> str:
    """Where the file is to be: a link stays one, and what is no file is not replaced by one."""
    place = os.path.realpath(name)
    if os.path.exists(place) and not os.path.isfile(place):
        raise Unsupported(f"--checkpoint {name}: this exists and is not a regular file; choose another name")
    return place


def fingerprint(model: Model, request: SearchRequest) -> str:
    """Of all that must be the same where a search goes on; store, threads and limits of memory and time need not."""
    # From wherever the model is read: its path is in the text, its name may be.
    source = (c_source(model) or "").replace(model.file, os.path.basename(model.file))
    symmetry = request.method if request.symmetry is not None else None
    matters = (request.deadlock, request.invariants, request.stop_at_first, request.max_depth, symmetry)
    return content_hash(repr(matters).encode(), source.encode())


class Requests:
    """Has somebody asked for a checkpoint?"""

    def __init__(self) -> None:
        self._pending = False

    def ask(self, *_: Any) -> None:
        self._pending = True

    def take(self) -> bool:
        pending, self._pending = self._pending, False
        return pending


@contextmanager
def requests(checkpoints: Checkpoints | None) -> Iterator[Requests]:
    """The signal USR1 asks for one, where it can be heard: in the main thread, on systems that have it."""
    pending = Requests()
    if checkpoints is None or not checkpoints.file or not hasattr(signal, "SIGUSR1"):
        yield pending
        return
    try:
        before = signal.signal(signal.SIGUSR1, pending.ask)
    except ValueError:
        yield pending
        return
    try:
        yield pending
    finally:
        signal.signal(signal.SIGUSR1, before)
