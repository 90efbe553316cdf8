"""``kripke shorten``: a shorter run to the error of a saved trace."""

from __future__ import annotations

import argparse
import sys

from kripke.cli.main import UsageError
from kripke.cli.output import refuse_overwriting
from kripke.cli.replay import ending_text, followed
from kripke.engines.plan import SearchPlan
from kripke.numbers import counted
from kripke.report.terminal import Terminal
from kripke.report.trace_table import trace_table

_SECONDS = 60.0


def run(options: argparse.Namespace) -> int:
    from kripke.checker.shorter import shorter

    request, replayed, before = followed(options.file, options.model, allow_c=options.allow_c)
    if options.output is not None:
        refuse_overwriting({"--output": options.output}, (options.file, request.path))
    if replayed.deviation is not None:
        raise UsageError(f"the trace cannot be followed in this model: {replayed.deviation}")
    plan = SearchPlan.of({"time_limit": options.time_limit or _SECONDS, "memory": options.memory})
    found = shorter(replayed.trace, request.invariants, plan)
    if not options.quiet:
        for line in trace_table(found.trace, Terminal.of_stdout(), full=options.full):
            print(line)
        print()
    print(f"{counted(before, 'step')} before, {len(found.trace):,} now: {ending_text(found.trace, request.invariants)}")
    if found.shortest:
        print("no run to this error is shorter")
    elif found.open:
        print(f"there may be a shorter run: {found.open}", file=sys.stderr)
    if options.output is not None:
        found.trace.save(options.output)
    return 0
