"""``kripke check``: verify, then report as text or JSON; the verdict is the exit code."""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from kripke.checker.check import check_properties
from kripke.checker.choice import choose
from kripke.cli.alarm import Alarm
from kripke.cli.main import USAGE_ERROR, UsageError, silence_stdout
from kripke.cli.output import refuse_overwriting
from kripke.cli.request import request_of, trails_of
from kripke.cli.safe_stream import print_lines
from kripke.deadline import Deadline, OutOfTime, keeping
from kripke.engines.explicit.search import Watch
from kripke.engines.explicit.stores import STORES
from kripke.engines.linear.refusals import refuse_values
from kripke.engines.plan import SearchPlan
from kripke.engines.registry import (
    engine_names,
    knows_engine,
    knows_search,
    refuse_beside,
    refuse_without_states,
    searches,
)
from kripke.engines.symmetry.symmetric import CHOICES
from kripke.languages.registry import language_of, load_model
from kripke.languages.request import LoadRequest
from kripke.languages.trails import Trails, Unwritable
from kripke.memory import allowing
from kripke.model.model import Model
from kripke.model.property import Temporal
from kripke.model.result import Finding, Result, unsearched

FAIRNESS = ("weak", "strong", "weak-edges", "strong-edges", "events")
_READABLE_STEPS = 10_000


def _is_for_many(options: argparse.Namespace) -> bool:
    reports = options.junit is not None or options.sarif is not None or options.github
    return reports or len(options.files) > 1 or any(map(os.path.isdir, options.files))


def run(options: argparse.Namespace) -> int:
    refuse_unknown(options)
    if options.file is not None and options.file.endswith(".startup") and len(options.files) == 1:
        from kripke.cli.startup import check as check_startup

        return check_startup(options, options.file)
    if _is_for_many(options):
        from kripke.cli.many import run as run_many

        return run_many(options)
    refuse_beside(vars(options))
    request = request_of(options)
    trails = trails_of(request, "--spin-trail: SPIN reads") if options.spin_trail is not None else None
    if trails is not None:
        trails.refuse(request)
    problems: list[str] = []
    result = checked_in_time(request, options, problems)
    if options.trace is not None:
        result = _save_traces(result, options.trace, problems)
    if trails is not None:
        _save_trails(result, options.spin_trail, request, trails, problems)
    if options.html is not None:
        save_html(result, request, options, problems)
    try:
        _report(result, options, problems)
        sys.stdout.flush()
    except BrokenPipeError:
        silence_stdout()  # the verdict is still the exit code
    for problem in problems:
        print(f"error: {problem}", file=sys.stderr)
    return USAGE_ERROR if problems else result.exit_code()


def checked_in_time(
    request: LoadRequest, options: argparse.Namespace, problems: list[str], watch: Watch | None = None
) -> Result:
    """The result within the time limit; ``problems`` gets what else went wrong. The files that were read are known as
    ``options.read`` after it. ``watch``: who looks on, instead of somebody at a terminal."""
    options.read = []
    with keeping(Deadline(options.time_limit)) as deadline:
        alarm = Alarm(deadline)
        try:
            with alarm, allowing(options.memory or 0):
                return _checked(request, options, problems, watch)
        except OutOfTime:  # it rang while the answer was on its way
            alarm.stop()
            return _nothing(request, options, _out_of_time(options, "before anything was known"))


def _checked(request: LoadRequest, options: argparse.Namespace, problems: list[str], watch: Watch | None) -> Result:
    """The result, also where Ctrl-C or lack of memory came before the search could begin."""
    from kripke.report.progress import progress_line

    line = None if options.quiet else progress_line()
    model = None
    try:
        model = load_model(request)
        options.read = list(model.source_files())
        refuse_overwriting(options.outputs, options.read)
        gc.freeze()  # a loaded model stays: looking for garbage in a large one takes longer than searching it
        by_invariant = options.engine in ("induction", "pdr") and options.prove is not None
        made_of_states = {"--prove": bool(options.prove) and not by_invariant, "--values": options.values is not None}
        refuse_without_states(options.search, options.engine, (name for name, given in made_of_states.items() if given))
        plan = plan_of(options, model)
        plan = replace(plan, certificate=by_invariant)
        to_prove = _to_prove(model, plan) if options.prove is not None and not by_invariant else None
        result = check_properties(model, plan, watch=watch or line, origin=request.to_json())
        if by_invariant:
            result = _save_invariant(model, plan, request, result, options.prove, problems)
        if to_prove is not None:
            _save_proof(model, to_prove, plan, request, result, options.prove, problems)
        return result
    except KeyboardInterrupt:
        return _nothing(request, options, "interrupted before the search began")
    except MemoryError:
        return _nothing(request, options, "out of memory")
    except OutOfTime:
        when = "while the model was read" if model is None else "before anything was known"
        return _nothing(request, options, _out_of_time(options, when))
    finally:
        if line is not None:
            line.clear()


def _out_of_time(options: argparse.Namespace, when: str) -> str:
    return f"the time limit of {options.time_limit:g} s was reached {when}"


def _to_prove(model: Model, plan: SearchPlan) -> Temporal:
    from kripke.proofs.provable import formula_to_prove

    return formula_to_prove(model, choose(model, plan)[1], plan)


def _save_proof(
    model: Model,
    formula: Temporal,
    plan: SearchPlan,
    request: LoadRequest,
    result: Result,
    name: str,
    problems: list[str],
) -> None:
    """A proof of a formula that holds; where it does not, there is a counterexample instead."""
    part = next((part for part in result.parts or (result,) if part.name == formula.name), None)
    verdict = "unknown" if part is None else part.verdict
    if verdict != "holds":
        print(f"no proof written: {formula.name} is {verdict}", file=sys.stderr)
        return
    from kripke.proofs.certificate import text_of
    from kripke.proofs.construction import Unprovable, prove

    try:
        fair = plan.fair if plan.fair in ("weak", "strong") else None
        proof = prove(model, formula, fair=fair, origin=request.to_json())
        with open(name, "w", encoding="ascii", newline="\n") as file:
            file.write(text_of(proof.to_json()))
    except Unprovable as problem:
        problems.append(f"--prove: {problem}")
    except (KeyboardInterrupt, MemoryError, OutOfTime) as problem:
        whys: dict[type[BaseException], str] = {MemoryError: "out of memory", OutOfTime: "the time limit was reached"}
        why = whys.get(type(problem), "interrupted")
        problems.append(f"--prove: {why}, no proof was written")
    except OSError as error:
        problems.append(f"cannot write {name}: {error.strerror or error}")


def _save_invariant(
    model: Model, plan: SearchPlan, request: LoadRequest, result: Result, name: str, problems: list[str]
) -> Result:
    """The certificate of an engine that proves by invariants; the result without it."""
    found = result.engine.get("certificate")
    plain = {key: value for key, value in result.engine.items() if key != "certificate"}
    if result.verdict != "holds" or found is None:
        why = (
            f"it is {result.verdict}"
            if result.verdict != "holds"
            else "it was shown by many steps, or the model has no bounds; take --engine pdr"
        )
        print(f"no certificate written: {why}", file=sys.stderr)
        return replace(result, engine=plain)
    from kripke.proofs.certificate import text_of
    from kripke.proofs.invariant import record

    asked = {
        "deadlock": plan.deadlock and model.has_deadlocks,
        "invariants": list(plan.invariants),
        "unbounded": plan.unbounded,
    }
    try:
        with open(name, "w", encoding="ascii", newline="\n") as file:
            file.write(text_of(record(model, request.to_json(), result.property, asked, found)))
    except OSError as error:
        problems.append(f"cannot write {name}: {error.strerror or error}")
    return replace(result, engine=plain)


def plan_of(options: argparse.Namespace, model: Model) -> SearchPlan:
    # What is asked for on the command line is checked alone.
    claims = [p.name for p in model.properties if p.span.file in options.claims]
    names = {p.name for p in model.properties}
    for option, unheard in (
        ("--ltl", options.ltl and not names & set(options.ltl)),
        ("--possible", options.possible and not names & set(options.possible)),
        ("--never", options.claims and not claims),
    ):
        if unheard:
            raise UsageError(f"{option}: the language {model.language} has none of these yet")
    if options.values is not None:
        refuse_values(model, known=language_of(request_of(options)).many_valued)
    # An option whose name is that of a field of the plan is that field.
    plan = SearchPlan.of(vars(options))
    return replace(plan, properties=(*plan.properties, *options.ltl, *claims))


def refuse_unknown(options: argparse.Namespace) -> None:
    """Options of the design that this version does not have yet, each with a sentence."""
    if options.store is not None:
        _refuse_other("--store", options.store, STORES)
    if options.search is not None and not knows_search(options.search):
        _refuse_other("--search", options.search, searches())
    _refuse_other("--symmetry", options.symmetry, CHOICES)
    if options.fair is not None:
        _refuse_other("--fair", options.fair, FAIRNESS)
    if options.engine is not None and not knows_engine(options.engine):
        _refuse_other("--engine", options.engine, engine_names())


def _refuse_other(option: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        exists = (
            f"there is only {known[0]}" if len(known) == 1 else f"there are {', '.join(known[:-1])} and {known[-1]}"
        )
        raise UsageError(f"{option} {value}: not in this version; {exists}")


def _save_traces(result: Result, name: str, problems: list[str]) -> Result:
    """The first trace goes to ``name``, further ones to ``name`` with a number before its ending."""
    stem, ending = os.path.splitext(name)
    saved: list[Finding] = []
    for number, finding in enumerate(result.findings, start=1):
        target = name if number == 1 else f"{stem}.{number}{ending}"
        try:
            trace = finding.trace.save(target) if finding.trace is not None else None
            saved.append(replace(finding, trace=trace))
        except OSError as error:
            problems.append(f"cannot write {target}: {error.strerror or error}")
            saved.append(finding)
    return replace(result, findings=tuple(saved), trace=saved[0].trace if saved else None)


def _save_trails(result: Result, name: str, request: LoadRequest, trails: Trails, problems: list[str]) -> None:
    """As ``_save_traces``, in the form that another tool reads."""
    stem, ending = os.path.splitext(name)
    for number, finding in enumerate(result.findings, start=1):
        if finding.trace is None:
            continue
        target = name if number == 1 else f"{stem}.{number}{ending}"
        try:
            text = trails.written(finding.trace, request)
            with open(target, "w", encoding="ascii") as file:
                file.write(text)
        except (OSError, Unwritable) as error:
            problems.append(f"cannot write {target}: {getattr(error, 'strerror', None) or error}")


def save_html(result: Result, request: LoadRequest, options: argparse.Namespace, problems: list[str]) -> None:
    page = page_of(result, request, options.command)
    try:
        with open(options.html, "w", encoding="utf-8") as file:
            file.write(page)
    except OSError as error:
        problems.append(f"cannot write {options.html}: {error.strerror or error}")


def page_of(result: Result, request: LoadRequest, command: Sequence[str]) -> str:
    """The HTML report; ``command`` are the arguments of ``kripke check``."""
    from kripke.report.page.page import html_report

    traces = [finding.trace for finding in result.findings if finding.trace is not None]
    traces += result.coverage.samples if result.coverage is not None else ()
    model = traces[0].model if traces else None
    if model is None and result.states:  # nothing was found, but there is a model to look at
        with suppress(KeyboardInterrupt, MemoryError):
            model = load_model(request)
    colours = language_of(request).highlighting
    return html_report(result, model, ["kripke", "check", *command], None if colours is None else colours())


def _report(result: Result, options: argparse.Namespace, problems: list[str]) -> None:
    if options.json is None:
        return _print_report(result, options)
    text = _json_text(result)
    if options.json == "-":
        print_lines(text)
        return None
    try:
        with open(options.json, "w", encoding="utf-8") as file:
            file.write(text + "\n")
    except OSError as error:
        problems.append(f"cannot write {options.json}: {error.strerror or error}")
    return _print_report(result, options)


def _json_text(result: Result) -> str:
    import json

    # Python's encoder is many times slower with an indent, and nobody reads so much.
    steps = sum(len(finding.trace) for finding in result.findings if finding.trace is not None)
    return json.dumps(result.to_json(), indent=2 if steps <= _READABLE_STEPS else None)


def _print_report(result: Result, options: argparse.Namespace) -> None:
    from kripke.engines.explicit.conclusion import NOT_WRITTEN
    from kripke.report.check_report import check_report, verdict_line
    from kripke.report.terminal import Terminal

    terminal = Terminal.of_stdout()
    quiet = options.quiet and not result.answers()
    for warning in result.warnings:
        if quiet and NOT_WRITTEN not in warning:  # who asked for checkpoints must learn that there is none
            continue
        print(warning if "warning: " in warning else f"warning: {warning}", file=sys.stderr)
    if quiet:
        print(verdict_line(result, terminal))
        return
    for line in check_report(result, terminal, full=options.full):
        print(line)


def _nothing(request: LoadRequest, options: argparse.Namespace, reason: str) -> Result:
    engine = {
        "name": options.engine or "native",
        "search": options.search or "bfs",
        "store": options.store or "full",
        "por": False,
        "threads": 1,
    }
    return unsearched(reason, engine, {"file": request.path, "language": request.language or ""})
