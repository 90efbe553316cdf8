"""Checkpoints: files from which a long search goes on after whatever ended it.

The native engine writes and reads them between two layers of a breadth-first search; here is what they belong to, the
key with which they are marked, and the signal on which one is written. States from a file go to the compiled model as
they are, which trusts them: hence the key, which lies beside the compiled models, where nobody else can write.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from kripke.engines.compilation.cache import Unusable, content_hash, open_user_cache
from kripke.engines.explicit.search import Checkpoints, SearchOptions
from kripke.engines.plan import SearchPlan, Unsupported

if TYPE_CHECKING:
    from kripke.model.model import Model

DEFAULT_SECONDS = 600.0
_KEY_BYTES = 16


def checkpoints_of(model: Model, options: SearchPlan, asked: SearchOptions) -> Checkpoints:
    """What the options ask for. `Unsupported` where there is no place for the key."""
    try:
        key = open_user_cache().secret("checkpoints", _KEY_BYTES)
    except Unusable as error:
        raise Unsupported(f"a checkpoint is marked with a key that is kept with compiled models: {error}") from error
    seconds = options.checkpoint_every or DEFAULT_SECONDS
    file = "" if options.checkpoint is None else _place(options.checkpoint)
    return Checkpoints(file, seconds, options.resume or "", fingerprint(model, asked), key)


def _place(name: str) -> str:
    """Where the file is to be: a link stays one, and what is no file is not replaced by one."""
    place = os.path.realpath(name)
    if os.path.exists(place) and not os.path.isfile(place):
        raise Unsupported(f"--checkpoint {name}: there is something that is no file; choose another name")
    return place


def fingerprint(model: Model, options: SearchOptions) -> str:
    """Of all that must be the same where a search goes on; store, threads and limits of memory and time need not."""
    # From wherever the model is read: its path is in the text, its name may be.
    source = (model.emit_c() or "").replace(model.file, os.path.basename(model.file))
    symmetry = options.method if options.symmetry is not None else None
    asked = (options.deadlock, options.invariants, options.stop_at_first, options.max_depth, symmetry)
    return content_hash(repr(asked).encode(), source.encode())


class Requests:
    """Has somebody asked for a checkpoint?"""

    def __init__(self) -> None:
        self._asked = False

    def ask(self, *_: Any) -> None:
        self._asked = True

    def take(self) -> bool:
        asked, self._asked = self._asked, False
        return asked


@contextmanager
def requests(checkpoints: Checkpoints | None) -> Iterator[Requests]:
    """The signal USR1 asks for one, where it can be heard: in the main thread, on systems that have it."""
    asked = Requests()
    if checkpoints is None or not checkpoints.file or not hasattr(signal, "SIGUSR1"):
        yield asked
        return
    try:
        before = signal.signal(signal.SIGUSR1, asked.ask)
    except ValueError:
        yield asked
        return
    try:
        yield asked
    finally:
        signal.signal(signal.SIGUSR1, before)
