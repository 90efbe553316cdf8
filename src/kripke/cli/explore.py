"""``kripke explore``: the whole state space, as a file: a graph of a small model, or tables of a large one."""

from __future__ import annotations

import argparse
import os
import sys

from kripke.cli.main import UNKNOWN, UsageError
from kripke.cli.output import write_text
from kripke.cli.request import load_with_warnings
from kripke.engines.explicit.exploration import explore
from kripke.model.capabilities.scripted import Scripted
from kripke.model.model import Model
from kripke.numbers import counted
from kripke.report.progress import progress_line
from kripke.report.statespace import WRITERS

TABLES = ".parquet"
PICTURE = ".svg"
SCRIPT = ".csp"
GRAPH_STATES = 1_000_000  # by default; a graph is made by the interpreter, in memory


def run(options: argparse.Namespace) -> int:
    known = [TABLES, *WRITERS, PICTURE, SCRIPT]
    if options.workers is not None:
        return _write_fragments(options)
    for option in ("hosts", "memory"):
        if getattr(options, option) is not None:
            raise UsageError(f"--{option} is about workers: give --workers, too")
    if options.output is None:
        raise UsageError(f"where to? name a file with --output; its ending chooses the format: {', '.join(known)}")
    ending = os.path.splitext(options.output)[1].lower()
    if ending not in known:
        raise UsageError(f"cannot write {options.output}: the formats are {', '.join(known)}")
    model = load_with_warnings(options)
    if ending == TABLES:
        return _write_tables(model, options.output, options.max_states or 0)
    if ending == PICTURE:
        return _draw(model, options.output)
    most = options.max_states or GRAPH_STATES
    if ending == SCRIPT:
        return _write_script(model, options.output, most)
    space = explore(model, most)
    write_text(options.output, "".join(line + "\n" for line in WRITERS[ending](space)))
    print(f"{counted(len(space.states), 'state')}, {counted(len(space.edges), 'step')} written to {options.output}")
    return (
        0 if space.complete else _incomplete(f"the limit of {most:,} states was reached (--max-states N allows more)")
    )


def _write_script(model: Model, path: str, most: int) -> int:
    scripted = model.capability(Scripted)
    if scripted is None:
        raise UsageError(f"a {model.language} model has no script of its state space: choose another ending")
    text, states = scripted.state_space_script(most)
    write_text(path, text)
    print(f"{counted(states, 'state')} written to {path}; kripke check {path} compares them with the model")
    return 0


def _draw(model: Model, path: str) -> int:
    from kripke.model.diagram import MOST_NODES
    from kripke.pictures.graphs import space_diagram
    from kripke.pictures.svg import svg

    space = explore(model, MOST_NODES)
    if not space.complete:
        raise UsageError(
            f"a picture of more than {MOST_NODES} states would be a hairball: kripke simulate --interactive explores "
            "them on demand, kripke sql answers questions about them"
        )
    write_text(path, svg(space_diagram(space, model.file)))
    print(f"{counted(len(space.states), 'state')}, {counted(len(space.edges), 'step')} drawn in {path}")
    return 0


def _write_tables(model: Model, path: str, max_states: int) -> int:
    from kripke.report.tables import write_tables

    written = write_tables(model, path, max_states)
    states, steps = counted(written.states, "state"), counted(written.transitions, "transition")
    print(f"{states} written to {path}, {steps} to {written.transitions_file}")
    if written.reason == "states":
        return _incomplete(f"the limit of {max_states:,} states was reached (--max-states N allows more)")
    return _incomplete("the memory limit was reached") if written.reason else 0


def _write_fragments(options: argparse.Namespace) -> int:
    if options.output is None:
        raise UsageError("where to? name a folder with --output, for a fragment from each worker")
    try:
        import numpy  # noqa: F401
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise UsageError(
            f"fragments need numpy and pyarrow ({error}); install them with: pip install 'kripke[data]'"
        ) from None
    from kripke.checker.fragments import explore_by_workers

    folder = options.output
    if os.path.exists(folder) and (not os.path.isdir(folder) or os.listdir(folder)):
        raise UsageError(f"--output {folder}: with --workers this is a folder, new or empty; choose another")
    model = load_with_warnings(options)
    os.makedirs(folder, exist_ok=True)
    line = progress_line()
    try:
        found, outcome = explore_by_workers(
            model,
            options.workers,
            folder,
            hosts=options.hosts,
            memory=options.memory,
            max_states=options.max_states or 0,
            watch=line,
        )
    finally:
        if line is not None:
            line.clear()
    states, steps = counted(sum(found.states), "state"), counted(sum(found.transitions), "transition")
    print(f"{states}, {steps} in {counted(found.size, 'fragment')} written to {folder}, {outcome.seconds:.1f} s")
    if found.reason == "states":
        return _incomplete(f"the limit of {options.max_states:,} states was reached (--max-states N allows more)")
    return _incomplete(f"a limit was reached: {found.reason}") if found.reason else 0


def _incomplete(why: str) -> int:
    print(f"incomplete: {why}")
    sys.stdout.flush()
    return UNKNOWN
