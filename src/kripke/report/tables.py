"""State spaces as tables: which way they are made, and a clear word where what they need is not installed."""

from __future__ import annotations

from typing import NamedTuple

from kripke.engines.plan import Unsupported
from kripke.model.model import Model


class Tables(NamedTuple):
    """What was written: how much, where the transitions are, why it is not everything (empty: it is)."""

    states: int
    transitions: int
    transitions_file: str
    reason: str


def write_tables(model: Model, path: str, max_states: int = 0) -> Tables:
    """A model's states and transitions as Parquet files; made by the interpreter where there is no compiler."""
    try:
        from kripke.report.parquet import transitions_file, write_parquet
    except ImportError as error:
        raise Unsupported(
            f"tables need numpy and pyarrow ({error}); install them with: pip install 'kripke[data]'"
        ) from error
    from kripke.engines.explicit.prepare import native_library
    from kripke.engines.explicit.traversal import ReferenceWalk, StateWalk

    walk: StateWalk | ReferenceWalk
    try:
        walk = StateWalk(native_library(model), max_states=max_states)
    except Unsupported:
        walk = ReferenceWalk(model, max_states=max_states)
    written = write_parquet(model, walk, path)
    return Tables(written.states, written.transitions, transitions_file(path), written.reason)
