"""``kripke explore``: the whole state space of a small model, as a file."""

from __future__ import annotations

import argparse
import os

from kripke.cli.main import UNKNOWN, UsageError
from kripke.cli.request import load_with_warnings
from kripke.engines.exploration import explore
from kripke.report.numbers import counted
from kripke.report.statespace import WRITERS


def run(options: argparse.Namespace) -> int:
    if options.output is None:
        raise UsageError("where to? name a file with --output; its ending chooses the format: .aut or .dot")
    ending = os.path.splitext(options.output)[1].lower()
    if ending not in WRITERS:
        raise UsageError(f"cannot write {options.output}: of the formats there are {' and '.join(WRITERS)} yet")
    model = load_with_warnings(options)
    space = explore(model, options.max_states)
    with open(options.output, "w", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in WRITERS[ending](space))
    print(f"{counted(len(space.states), 'state')}, {counted(len(space.edges), 'step')} written to {options.output}")
    if not space.complete:
        print(f"incomplete: the limit of {options.max_states:,} states was reached (--max-states N allows more)")
        return UNKNOWN
    return 0
