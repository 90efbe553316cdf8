"""``kripke check NET --formulas FILE`` and ``--examine NAME``: many questions about a net, one answer to each."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from kripke import __version__
from kripke.cli.main import USAGE_ERROR, UsageError
from kripke.cli.request import request_of
from kripke.cli.safe_stream import print_lines
from kripke.engines.nets.formulas.answers import Answer, Session
from kripke.engines.nets.formulas.examinations import StateSpaceSize, examine, measure
from kripke.languages.registry import load_model
from kripke.model.result import EXIT_CODES, Verdict
from kripke.nets.examinations import EXAMINATIONS
from kripke.nets.model import NetModel
from kripke.numbers import counted
from kripke.report.terminal import Terminal

_STATE_SPACE = "StateSpace"


def run(options: argparse.Namespace) -> int:
    """Print an answer to every question; the exit code is that of the worst."""
    refuse_others(options)
    model = load_model(request_of(options))
    if not isinstance(model, NetModel):
        raise UsageError(f"--formulas and --examine are for Petri nets; {options.file} is a {model.language} model")
    session = make_session(model, options)
    answers: list[Answer] = []
    size: StateSpaceSize | None = None
    try:
        for path in options.formula_files:
            answers += _answers(session, path)
        for name in options.examine:
            if name == _STATE_SPACE:
                sys.set_int_max_str_digits(0)  # there may be more states than numbers usually have digits
                size = measure(session)
            else:
                answers.append(examine(session, name))
    finally:
        if session.watch is not None:
            session.watch.clear()  # type: ignore[attr-defined]
    verdict = overall(answers, size)
    record = _record(session, answers, size, verdict)
    if options.json == "-":
        print_lines(json.dumps(record, indent=2))
        return EXIT_CODES[verdict]
    for line in _lines(answers, size, Terminal.of_stdout()):
        print(line)
    for warning in session.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    if options.json is not None:
        try:
            with open(options.json, "w", encoding="utf-8") as file:
                file.write(json.dumps(record, indent=2) + "\n")
        except OSError as error:
            print(f"error: cannot write {options.json}: {error.strerror or error}", file=sys.stderr)
            return USAGE_ERROR
    return EXIT_CODES[verdict]


def refuse_others(options: argparse.Namespace) -> None:
    """Formulas are answered together: what belongs to a single check is not for them."""
    for name in options.examine:
        if name not in EXAMINATIONS:
            raise UsageError(f"--examine {name}: there are {', '.join(EXAMINATIONS)}")
    for option, given in (
        ("--invariant", bool(options.invariants)),
        ("--ltl", bool(options.ltl)),
        ("--possible", bool(options.possible)),
        ("--never", bool(options.claims)),
        ("--property", bool(options.properties)),
        ("--fair", options.fair is not None),
        ("--trace", options.trace is not None),
        ("--all-errors", options.all_errors),
        ("--max-depth", options.max_depth is not None),
        ("--search", options.search not in (None, "bfs")),
        ("--progress", options.progress is not None),
    ):
        if given:
            raise UsageError(f"{option} and formulas do not go together: check them one after the other")


def make_session(model: NetModel, options: argparse.Namespace) -> Session:
    from kripke.engines.branching.graph import GraphLimits
    from kripke.report.progress import progress_line

    limits = GraphLimits(options.max_states or 0, options.memory or 0, options.time_limit or 0.0)
    watch = None if options.quiet else progress_line()
    return Session(model, options.engine == "interpreter", limits, watch=watch)


def _answers(session: Session, path: str) -> list[Answer]:
    from kripke.languages.pnml.document import FileSources
    from kripke.languages.pnml.formulas import read_queries

    return session.answer(read_queries(path, session.model.net, FileSources()))


def overall(answers: list[Answer], size: StateSpaceSize | None) -> Verdict:
    """Violated if one is, else unknown if one is."""
    verdicts = [answer.verdict for answer in answers]
    if "violated" in verdicts:
        return "violated"
    if "unknown" in verdicts or (size is not None and size.states is None):
        return "unknown"
    return "holds"


def _record(session: Session, answers: list[Answer], size: StateSpaceSize | None, verdict: Verdict) -> dict[str, Any]:
    record: dict[str, Any] = {
        "verdict": verdict,
        "formulas": [answer.to_json() for answer in answers],
        "states": session.states,
        "transitions": session.transitions,
        "model": {"file": session.model.file, "language": session.model.language},
        "version": __version__,
        "warnings": [*(str(warning) for warning in session.model.warnings), *session.warnings],
    }
    if size is not None:
        record["state_space"] = {
            "states": size.states,
            "transitions": size.transitions,
            "max_token_in_place": size.most_in_place,
            "max_token_per_marking": size.most_in_marking,
            "reason": size.reason,
        }
    return record


def _lines(answers: list[Answer], size: StateSpaceSize | None, terminal: Terminal) -> list[str]:
    words = [_word(answer) for answer in answers]
    width = max(map(len, words), default=0)
    colours = {"holds": "green", "violated": "red", "unknown": "yellow"}
    lines = []
    for word, answer in zip(words, answers, strict=True):
        note = answer.reason
        if answer.way is not None:
            note = f"after {counted(len(answer.way), 'step')}"
        shown = terminal.style(word.ljust(width), "bold", colours[answer.verdict])
        lines.append(f"{shown}  {answer.name}" + (f"  ({note})" if note else ""))
    if size is not None:
        lines += _size_lines(size)
    return lines


def _size_lines(size: StateSpaceSize) -> list[str]:
    if size.states is None:
        return [f"unknown  state space  ({size.reason})"]
    assert size.transitions is not None
    return [
        f"{counted(size.states, 'state')}, {counted(size.transitions, 'transition')}, "
        f"at most {counted(size.most_in_place or 0, 'token')} in a place, {size.most_in_marking:,} in a marking"
    ]


def _word(answer: Answer) -> str:
    match answer.value:
        case None:
            return "unknown"
        case bool():
            return "true" if answer.value else "false"
        case _:
            return f"{answer.value:,}"
