"""Python (``.py``): a subset with threads, asyncio and a heap, checked state by state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kripke.languages.language import Language, Option

if TYPE_CHECKING:
    from kripke.heap.model import HeapModel
    from kripke.languages.request import LoadRequest
    from kripke.model.highlighting import Highlighting

GRANULARITY = Option(
    "granularity",
    "--granularity",
    "what a step of a thread is: to its next access to something shared, a line, an instruction (Python)",
    default="access",
    choices=("access", "line", "instruction"),
)
NUMBERING = Option(
    "numbering",
    "--numbering",
    "how objects are told apart: by how they are reached, by free place, by site or by site and thread (Python)",
    default="heap",
    choices=("heap", "order", "site", "thread"),
)
COLLECTION = Option(
    "collection",
    "--collection",
    "garbage: mark and sweep, reference counting, or none (Python)",
    default="sweep",
    choices=("sweep", "count", "none"),
)
BACKTRACKING = Option(
    "backtracking",
    "--backtracking",
    "how a step is undone and its state written: by what it changed, or by copying all, to compare (Python)",
    default="difference",
    choices=("difference", "copy"),
)
STATE_LIMIT = Option(
    "state_limit",
    "--state-limit",
    "the most bytes that a state may have; default 32768 (Python)",
    default=None,
    metavar="BYTES",
)


def _load(request: LoadRequest) -> HeapModel:
    from kripke.heap.program import Options
    from kripke.languages.python.loading import load
    from kripke.model.source import ModelError

    given = request.options
    numbering, collection = str(given["numbering"]), str(given["collection"])
    if numbering == "heap" and collection != "sweep":
        raise ModelError(
            f"--collection {collection} and --numbering heap exclude each other: that numbering is the collector",
            hint="add --numbering order, site or thread",
        )
    limit = given.get("state_limit")
    if limit is not None and not (str(limit).isdigit() and 256 <= int(str(limit)) <= 1 << 24):
        raise ModelError(f"--state-limit {limit}: a number of bytes from 256 to {1 << 24} is needed")
    most = int(str(limit)) if limit else 1 << 15
    options = Options(str(given["granularity"]), numbering, collection, most, str(given["backtracking"]))
    return load(
        request.path,
        options=options,
        invariants=request.invariants,
        formulas=request.formulas,
        conditions=request.conditions,
    )


def _highlighting() -> Highlighting:
    import keyword

    from kripke.model.highlighting import Highlighting

    return Highlighting(frozenset(keyword.kwlist), line_comments=("#",))


LANGUAGE = Language(
    name="python",
    endings=(".py",),
    load=_load,
    models="Python programs",
    options=(GRANULARITY, NUMBERING, COLLECTION, BACKTRACKING, STATE_LIMIT),
    highlighting=_highlighting,
    manual="docs/languages/python.md",
    examples="examples/python",
)
