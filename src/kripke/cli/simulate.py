"""``kripke simulate``: one run, printed as it goes."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace

from kripke.cli.main import UsageError
from kripke.cli.request import load_with_warnings, request_of
from kripke.engines.replay import describe_violation
from kripke.engines.simulation import Choose, Simulation, choose_at_random, new_seed, simulate
from kripke.languages.registry import LoadRequest, mentions_input
from kripke.model.model import Model
from kripke.model.trace import Step
from kripke.report.check_report import final_state, state_lines
from kripke.report.numbers import counted
from kripke.report.terminal import Terminal
from kripke.report.trace_table import changes_text, format_row, place_text, step_rows

_VIOLATED = 1
# The table is printed while it grows, so the columns cannot wait for what is to come.
_COLUMNS: tuple[int | None, ...] = (5, 12, 16, 32, None)


def run(options: argparse.Namespace) -> int:
    if options.trace is not None:
        return _guided(options)
    request = _with_input(options)
    model = load_with_warnings(options, request)
    terminal = Terminal.of_stdout()
    seed = None
    if options.interactive:
        if options.seed is not None:
            raise UsageError("--seed is for random runs; --interactive asks you")
        choose = _ask(model, terminal)
    else:
        seed = new_seed() if options.seed is None else options.seed
        choose = choose_at_random(seed)
        print(f"random run, seed {seed}: --seed {seed} repeats it")
    printer = StepPrinter(terminal, options.quiet)
    simulation = simulate(
        model,
        choose,
        steps=options.steps,
        on_step=printer.show,
        seed=seed,
        origin=request.to_json(),
    )
    return _finish(simulation, terminal, options)


def _with_input(options: argparse.Namespace) -> LoadRequest:
    """The model, with what its STDIN gives where it has one."""
    request = request_of(options)
    if not mentions_input(request):
        return request
    if options.interactive:
        raise UsageError("--interactive reads your choices from where STDIN of the model would read: leave it out")
    return replace(request, input=sys.stdin.buffer.read().decode("latin-1"))


def _guided(options: argparse.Namespace) -> int:
    from kripke.cli.replay import follow

    if options.interactive or options.seed is not None:
        raise UsageError("--trace says which steps to take; leave out --interactive and --seed")
    return follow(options.trace, options.file, full=True, allow_c=options.allow_c)


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


# --- by hand ----------------------------------------------------------------------------------------------------------


def _ask(model: Model, terminal: Terminal) -> Choose:
    """Asks for every step. Return takes the only step there is."""

    def choose(state: bytes, steps: Sequence[Step]) -> Step | None:
        print()
        for number, step in enumerate(steps, start=1):
            print(_choice(number, step))
        while True:
            default = " [1]" if len(steps) == 1 else ""
            try:
                answer = input(f"step 1-{len(steps)}, s state, q quit{default}> ").strip().lower()
            except EOFError:
                print()
                return None
            if answer in ("q", "quit"):
                return None
            if answer in ("s", "state"):
                for line in state_lines(model.describe(state), terminal, full=True):
                    print(line)
            elif answer == "" and len(steps) == 1:
                return steps[0]
            elif answer.isdigit() and 1 <= int(answer) <= len(steps):
                return steps[int(answer) - 1]
            elif answer:
                print(f"{answer!r} is none of the choices")

    return choose


def _choice(number: int, step: Step) -> str:
    statements = "; ".join(
        f"{step.actor_of(part)} {place_text(span)} {text}"
        for part, span, text in zip(step.parts, step.spans, step.statements, strict=True)
    )
    changes = changes_text(step.differences)
    broken = "".join(f"  *** {step.model.violation_kinds[code].text} ***" for code, _ in step.violations)
    return f"{number:3}  {statements}" + (f"   [{changes}]" if changes else "") + broken
