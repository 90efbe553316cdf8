"""``kripke simulate``: one run, printed as it goes, or variables along one run or many, drawn."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace

from kripke.cli.main import UsageError
from kripke.cli.request import load_with_warnings, request_of
from kripke.engines.runs.replay import describe_violation
from kripke.engines.runs.simulation import Simulation, choose_at_random, new_seed, simulate
from kripke.languages.registry import language_of, reads_input
from kripke.languages.request import LoadRequest
from kripke.model.trace import Step
from kripke.numbers import counted
from kripke.report.check_report import final_state
from kripke.report.terminal import Terminal
from kripke.report.trace_table import format_row, step_rows

_VIOLATED = 1
# The table is printed while it grows, so the columns cannot wait for what is to come.
_COLUMNS: tuple[int | None, ...] = (5, 12, 16, 32, None)


def run(options: argparse.Namespace) -> int:
    if options.plot is not None:
        from kripke.cli.plot import draw_runs

        return draw_runs(options)
    if options.runs is not None or options.output is not None:
        raise UsageError("--runs and -o are for plots: name the variables to draw with --plot")
    if options.trace is not None:
        return _guided(options)
    request = with_input(options)
    model = load_with_warnings(options, request)
    terminal = Terminal.of_stdout()
    printer = StepPrinter(terminal, options.quiet)
    if options.interactive:
        if options.seed is not None:
            raise UsageError("--seed is for random runs; --interactive asks you")
        from kripke.cli.stepping import Stepping

        by_hand = Stepping(model, request, terminal, printer.show, options.steps, request.to_json())
        return _finish(by_hand.converse(), terminal, options)
    seed = new_seed() if options.seed is None else options.seed
    print(f"random run, seed {seed}: --seed {seed} repeats it")
    simulation = simulate(
        model,
        choose_at_random(seed),
        steps=options.steps,
        on_step=printer.show,
        seed=seed,
        origin=request.to_json(),
    )
    return _finish(simulation, terminal, options)


def with_input(options: argparse.Namespace) -> LoadRequest:
    """The model, with what its STDIN gives where it has one."""
    request = request_of(options)
    # A run shows every variable; a state space has reason to leave some out.
    own = {one.name: one.in_simulations for one in language_of(request).options if one.in_simulations is not None}
    request = replace(request, options={**own, **request.options})
    if not reads_input(request):
        return request
    if options.interactive:
        raise UsageError("--interactive reads your choices from where STDIN of the model would read: leave it out")
    return replace(request, input=sys.stdin.buffer.read().decode("latin-1"))


def _guided(options: argparse.Namespace) -> int:
    from kripke.cli.replay import follow, followed

    if options.seed is not None:
        raise UsageError("--trace says which steps to take; leave out --seed")
    if not options.interactive:
        return follow(options.trace, options.file, full=True, allow_c=options.allow_c)
    from kripke.cli.stepping import Stepping

    request, replayed, _ = followed(options.trace, options.file, allow_c=options.allow_c)
    trace, terminal = replayed.trace, Terminal.of_stdout()
    show = StepPrinter(terminal, options.quiet).show
    by_hand = Stepping(trace.model, request, terminal, show, options.steps, trace.origin, trace)
    return _finish(by_hand.converse(), terminal, options)


def _finish(simulation: Simulation, terminal: Terminal, options: argparse.Namespace) -> int:
    if options.save is not None:
        simulation.trace.save(options.save)
    done = counted(len(simulation.trace), "step")
    print(f"{_end_text(simulation)}, after {done}")
    if not options.quiet:
        for line in final_state(simulation.trace, terminal):
            print(line)
    return _VIOLATED if simulation.end in ("deadlock", "violation") else 0


def _end_text(simulation: Simulation) -> str:
    match simulation.end:
        case "violation":
            return describe_violation(simulation.trace.model, simulation.trace.steps[-1])
        case "deadlock":
            return f"deadlock: {simulation.trace.model.deadlock_text}"
        case "valid end":
            return "valid end: no step is left"
        case "limit":
            return "the limit of steps is reached (--steps N allows more)"
        case "stopped":
            return "stopped"


class StepPrinter:
    """Prints steps while they happen, what the model prints among them."""

    def __init__(self, terminal: Terminal, quiet: bool) -> None:
        self._terminal = terminal
        self._quiet = quiet

    def show(self, step: Step) -> None:
        if not self._quiet:
            for row in step_rows(step):
                for line in format_row(row, _COLUMNS, self._terminal):
                    print(line)
        text = step.printed
        if text:
            prefix = "" if self._quiet else " " * 7 + "| "
            for line in text.rstrip("\n").split("\n"):
                print(prefix + line)
