"""``kripke simulate --plot``: variables along one run or many."""

from __future__ import annotations

import argparse
import os

from kripke.cli.main import UsageError
from kripke.cli.request import load_with_warnings
from kripke.cli.simulate import with_input
from kripke.engines.runs.replay import replay_saved
from kripke.engines.runs.simulation import choose_at_random, new_seed, simulate
from kripke.languages.registry import load_model
from kripke.loaded import request_of_trace
from kripke.model.trace import SavedTrace, Trace
from kripke.numbers import counted
from kripke.report.plot import draw, refuse_drawing
from kripke.report.series import Series, series_of

_FILE = "plot.svg"


def draw_runs(options: argparse.Namespace) -> int:
    names = [name.strip() for name in options.plot.split(",") if name.strip()]
    if not names:
        raise UsageError("--plot needs names of variables, such as --plot x,y")
    if options.interactive or options.save is not None:
        raise UsageError("--plot draws runs that nobody steps through: leave out --interactive and --save")
    file = options.output or _FILE
    # Before the runs: some take long.
    refuse_drawing(file)
    traces = _saved(options) if options.trace is not None else _random(options)
    series = series_of(traces, names)
    draw(series, file, os.path.basename(traces[0].model.file))
    for one in series:
        print(_summary(one))
    print(f"drawn: {file}")
    return 0


def _saved(options: argparse.Namespace) -> list[Trace]:
    if options.runs is not None or options.seed is not None:
        raise UsageError("--trace is one run whose steps are known; leave out --runs and --seed")
    saved = SavedTrace.read(options.trace)
    replayed = replay_saved(load_model(request_of_trace(saved, options.file)), saved)
    if replayed.deviation is not None:
        raise UsageError(f"{options.trace}: the model does not allow the trace any more; kripke replay says where")
    return [replayed.trace]


def _random(options: argparse.Namespace) -> list[Trace]:
    model = load_with_warnings(options, with_input(options))
    seed = new_seed() if options.seed is None else options.seed
    runs = options.runs or 1
    which = f"seed {seed}" if runs == 1 else f"seeds {seed} to {seed + runs - 1}"
    print(f"{counted(runs, 'random run')}, {which}: --seed {seed} repeats {'it' if runs == 1 else 'them'}")
    return [simulate(model, choose_at_random(seed + run), steps=options.steps).trace for run in range(runs)]


def _summary(one: Series) -> str:
    values = [value for run in one.runs for value in run if value is not None]
    ends = [value for run in one.runs for value in run[-1:] if value is not None]
    if one.words:
        return f"  {one.name}: {', '.join(one.words)}; at the end {', '.join(map(one.word, sorted(set(ends))))}"
    last = f"{min(ends)}" if ends and min(ends) == max(ends) else f"{min(ends)} to {max(ends)}" if ends else "gone"
    return f"  {one.name}: {min(values)} to {max(values)}, at the end {last}"
