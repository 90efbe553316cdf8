"""Kripke in a notebook: ``%load_ext kripke``, then cells that begin with ``%%kripke`` are models.

    %%kripke
    byte x;
    active proctype P() { x = 1; assert(x == 2) }

The line takes the options of ``kripke check`` (``--lang`` for another language than Promela), and before them, if you
like, a name: the result is then a variable of the notebook.
"""

from __future__ import annotations

import shlex
from time import monotonic
from typing import Any

from kripke.engines.explicit.search import Progress
from kripke.loaded import loads
from kripke.model.result import Result

_SECONDS = 0.25  # between two pictures of the progress


def load_ipython_extension(shell: Any) -> None:
    """Called by ``%load_ext kripke``."""

    def magic(line: str, cell: str) -> Result | None:
        try:
            name, result = check_cell(line, cell)
        except SystemExit:  # wrong options: said already
            return None
        except Exception as error:
            if not _is_ours(error):
                raise
            print(error)  # a person made a mistake in a model: no traceback of ours explains it
            return None
        if name is not None:
            shell.user_ns[name] = result
        return result

    shell.register_magic_function(magic, "cell", "kripke")


def check_cell(line: str, text: str, watch: Any = None) -> tuple[str | None, Result]:
    """The name that was given and the result of a cell."""
    from kripke.checker.check import check_properties
    from kripke.cli.arguments import parse
    from kripke.cli.check import plan_of, refuse_unknown
    from kripke.cli.request import request_of
    from kripke.engines.registry import refuse_beside
    from kripke.languages.registry import load_model

    words = shlex.split(line)
    name = words.pop(0) if words and words[0].isidentifier() else None
    options = parse("check", ["cell", *words])
    refuse_unknown(options)
    refuse_beside(vars(options))
    loaded = loads(text, language=options.lang or "promela", name="cell")
    options.file, options.lang = loaded.request.path, loaded.request.language
    request = request_of(options)
    model = load_model(request)
    shown = watch or _LiveProgress()
    try:
        return name, check_properties(model, plan_of(options, model), watch=shown, origin=request.to_json())
    finally:
        if isinstance(shown, _LiveProgress):
            shown.clear()


def _is_ours(error: Exception) -> bool:
    from kripke.cli.main import UsageError
    from kripke.engines.plan import Unsupported
    from kripke.model.source import ModelError

    return isinstance(error, ModelError | Unsupported | UsageError)


class _LiveProgress:
    """A line below the cell that says how far the search is, while it goes on."""

    def __init__(self) -> None:
        self._handle: Any = None
        self._next = monotonic() + _SECONDS

    def __call__(self, progress: Progress) -> None:
        if monotonic() < self._next:
            return
        self._next = monotonic() + _SECONDS
        self._show(
            f"{progress.states:,} states, {progress.transitions:,} transitions, depth {progress.depth:,}, "
            f"{progress.seconds:.1f} s"
        )

    def clear(self) -> None:
        if self._handle is not None:
            self._show("")

    def _show(self, text: str) -> None:
        from importlib import import_module

        show: Any = import_module("IPython.display")
        line = show.HTML(f'<div style="color:gray">{text}</div>')
        if self._handle is None:
            self._handle = show.display(line, display_id=True)
        else:
            self._handle.update(line)
