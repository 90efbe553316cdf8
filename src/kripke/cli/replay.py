"""``kripke replay``: a saved trace, or a trail of SPIN, followed step by step in the model."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace

from kripke.clarity.later import SECONDS, clear_later
from kripke.cli.main import UsageError
from kripke.cli.request import request_of, trails_of
from kripke.engines.runs.replay import Replayed, end_of, replay_saved
from kripke.languages.registry import load_model
from kripke.languages.request import LoadRequest, fingerprint
from kripke.loaded import request_of_trace
from kripke.model.trace import SavedTrace, Trace
from kripke.numbers import counted
from kripke.report.check_report import final_state
from kripke.report.terminal import Terminal
from kripke.report.trace_table import changes_text, place_text, trace_table

_DEVIATES = 1


def run(options: argparse.Namespace) -> int:
    if options.spin_trail is not None:
        return _follow_spin_trail(options)
    if options.file.endswith(".schedule.json"):
        return _follow_schedule(options.file)
    if options.file.endswith(".trail"):
        raise UsageError(f"a trail of SPIN needs its model: kripke replay MODEL --spin-trail {options.file}")
    given = [name for name in ("defines", "undefines", "include_paths", "lang") if getattr(options, name)]
    if given:
        raise UsageError("a trace remembers how its model was read; -D, -U, -I and --lang are for --spin-trail")
    seconds = options.clarify_limit or SECONDS
    return follow(
        options.file,
        options.model,
        full=options.full,
        allow_c=options.allow_c,
        seconds=seconds if options.clarify else 0.0,
    )


def _follow_schedule(path: str) -> int:
    """Run the test of a saved schedule once, as the schedule says; breakpoints work."""
    import os
    import subprocess

    from kripke.testing.failure import read_schedule

    try:
        schedule = read_schedule(path)
    except (OSError, ValueError) as problem:
        raise UsageError(str(problem)) from None
    if schedule.test.endswith(".startup"):
        from kripke.cli.startup import follow

        return follow(schedule)
    if not os.path.isdir(schedule.folder):
        raise UsageError(f"{path} does not say where its test is: run pytest {schedule.test} --kripke-replay {path}")
    command = [sys.executable, "-m", "pytest", "-q", "-s", schedule.test, "--kripke-replay", os.path.abspath(path)]
    return subprocess.run(command, cwd=schedule.folder).returncode


def _follow_spin_trail(options: argparse.Namespace) -> int:
    if options.model is not None:
        raise UsageError("--spin-trail: the model comes first: kripke replay MODEL --spin-trail FILE")
    trail = trails_of(request_of(options), "--spin-trail: SPIN writes").read(options.spin_trail)
    request = trail.fitting(request_of(options))
    model = load_model(request)
    if not model.initial():
        raise UsageError(f"{request.path} fails before its first state: there is nothing to replay")
    followed = trail.followed(model)
    replayed = Replayed(followed.trace, followed.deviation, followed.enabled)
    if options.save is not None:
        replace(replayed.trace, origin=request.to_json()).save(options.save)
    return _show(replayed, request.invariants, full=options.full)


def follow(trace_file: str, model_file: str | None, *, full: bool, allow_c: bool, seconds: float = 0.0) -> int:
    """Show the trace; 0 when it can be followed to its end, 1 when the model does not allow it any more.

    What the check had no time to make clear is made clear now, for so many seconds.
    """
    request, replayed, steps = followed(trace_file, model_file, allow_c=allow_c)
    if seconds and replayed and replayed.trace.unclear:
        fairness = replayed.trace.origin.get("fair")
        clear = clear_later(replayed.trace, request.invariants, fairness, seconds)
        if len(clear) < steps:
            print(f"note: {counted(steps - len(clear), 'step')} that the error does not need left out", file=sys.stderr)
        replayed = replace(replayed, trace=clear)
    return _show(replayed, request.invariants, full=full)


def followed(trace_file: str, model_file: str | None, *, allow_c: bool) -> tuple[LoadRequest, Replayed, int]:
    """How the model of a saved trace is loaded, the trace as far as it can be followed, and how many steps it has."""
    saved = SavedTrace.read(trace_file)
    request = replace(request_of_trace(saved, model_file), allow_c=allow_c)
    model = load_model(request)
    if saved.origin.get("sha256") not in (None, fingerprint(request.path)):
        print(f"note: {request.path} has changed since the trace was saved", file=sys.stderr)
    if "property" in saved.origin:
        from kripke.engines.linear.product_search import observed

        model = observed(model, saved.origin)
    return request, replay_saved(model, saved), len(saved.steps)


def _show(replayed: Replayed, invariants: tuple[str, ...], *, full: bool) -> int:
    terminal = Terminal.of_stdout()
    for line in trace_table(replayed.trace, terminal, full=full):
        print(line)
    print()
    for line in final_state(replayed.trace, terminal, full=full):
        print(line)
    print()
    if replayed.changed is not None:
        print(f"the model differs from the one of the trace: {replayed.changed}")
    if replayed.deviation is not None:
        _tell_deviation(replayed)
        return _DEVIATES
    print(f"replayed {counted(len(replayed.trace.moves), 'step')}: {ending_text(replayed.trace, invariants)}")
    return 0


def _tell_deviation(replayed: Replayed) -> None:
    print(f"the trace deviates: {replayed.deviation}")
    if replayed.enabled:
        print("possible here:")
        for step in replayed.enabled:
            places = place_text(step.spans[0]) if step.parts else ""
            effect = changes_text(step.effects)
            statements = "; ".join(step.statements)
            print(f"  {step.actor}  {places}  {statements}" + (f"   [{effect}]" if effect else ""))
    else:
        print("nothing is possible here")


def ending_text(trace: Trace, invariants: tuple[str, ...]) -> str:
    """What a run ends in, broken invariants among it."""
    truth = dict(zip(trace.model.atoms, trace.model.atom_values(trace.final), strict=True))
    broken = [name for name in invariants if not truth.get(name, True)]
    return f"invariant violated: {', '.join(broken)}" if broken else end_of(trace)
