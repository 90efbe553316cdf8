"""The options of every verb."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from typing import Any, NoReturn

from kripke.cli.checkpoint_options import add_checkpoints
from kripke.cli.directed_options import add_directed
from kripke.cli.language_options import add_forms_of_languages, add_options_of_languages
from kripke.cli.lts_options import add_lts
from kripke.cli.main import VERBS, UsageError
from kripke.cli.option_values import (
    count,
    duration,
    formula_of_every_run,
    formula_of_some_run,
    number_of_values,
    positive,
    reduction,
    size,
    whole_number,
)
from kripke.cli.safe_stream import print_lines
from kripke.cli.store_options import add_store
from kripke.cli.sweep_options import add_sweep
from kripke.cli.symbolic_options import add_symbolic
from kripke.cli.worker_options import add_exploring_workers, add_merge, add_workers
from kripke.engines.symmetry.symmetric import METHODS
from kripke.languages.registry import LANGUAGES, language_of_ending
from kripke.report.terminal import terminal_columns

# Where all options at once would fill the screen.
_USAGES = {"check": "kripke check FILE ... [options]"}
_WITHOUT_FILE = ("test", "serve")
_EPILOGS = {
    "check": "Exit code: 0 holds, 1 violated, 2 wrong usage or an error in the model, 3 unknown. Which options go "
    "together: docs/engines/stores.md; every option: docs/cli.md."
}


class _Formatter(argparse.HelpFormatter):
    """argparse makes one even where no help is shown, and would load what reads archives to learn the width."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=(terminal_columns(sys.stdout) or 80) - 2)


class _Parser(argparse.ArgumentParser):
    #: options of the model, where a verb has one; those of single languages are added when one may have been given
    model: argparse._ActionsContainer | None = None
    #: what a model is written as, where a verb does that; forms of single languages are added likewise
    forms: argparse._ActionsContainer | None = None

    def may_miss(self, arguments: list[str]) -> bool:
        """Is there a word that could be an option which is not known yet, or are all of them to be listed?"""
        known = self._option_string_actions.keys() - {"-h", "--help"}
        names = (word.partition("=")[0] if word.startswith("--") else word[:2] for word in arguments)  # -DN: -D N
        return any(name.startswith("-") and name not in known for name in names)

    def _print_message(self, message: str, file: Any = None) -> None:
        if message:
            print_lines(message.removesuffix("\n"), file=file)

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"error: {message}\n{self.prog} --help lists the options\n")

    def refuse(self, unknown: list[str]) -> NoReturn:
        """What is left when everything that is known was read."""
        from difflib import get_close_matches

        words = (word.partition("=")[0] for word in unknown if word.startswith("-") and word != "-")
        option = next((word for word in words if word not in self._option_string_actions), None)
        if option is None:  # known ones are left over behind --, where everything is a file
            files = "one file at a time" if any(not a.option_strings for a in self._actions) else "no file is needed"
            self.error(f"{files}: what is {unknown[0]!r}?")
        close = get_close_matches(option, self._option_string_actions, n=1)
        self.error(f"there is no option {option}" + (f"; did you mean {close[0]}?" if close else ""))


def options_of(verb: str) -> list[argparse.Action]:
    """The options of a verb, those of single languages included; for shells and manuals."""
    parser = _Parser(prog=f"kripke {verb}", formatter_class=_Formatter)
    _ADD[verb](parser)
    if parser.model is not None:
        add_options_of_languages(parser.model)
    if parser.forms is not None:
        add_forms_of_languages(parser.forms)
    return [action for action in parser._actions if action.option_strings and "--help" not in action.option_strings]


def parse(verb: str, arguments: list[str]) -> argparse.Namespace:
    """The options of a verb; SystemExit after --help and wrong usage."""
    parser = _Parser(
        prog=f"kripke {verb}",
        usage=_USAGES.get(verb),
        description=VERBS[verb] + ".",
        epilog=_EPILOGS.get(verb),
        formatter_class=_Formatter,
        allow_abbrev=False,
    )
    _ADD[verb](parser)
    if parser.model is not None and parser.may_miss(arguments):
        add_options_of_languages(parser.model)
        if parser.forms is not None:
            add_forms_of_languages(parser.forms)
    options, unknown = parser.parse_known_args(_with_kind_of_reduction(arguments))
    if unknown:
        parser.refuse(unknown)
    options.command = arguments
    if verb not in _WITHOUT_FILE:
        _settle_json(options)
    if verb == "check":
        options.file = options.files[0] if options.files else None
    if (
        verb not in _WITHOUT_FILE
        and getattr(options, "file", "") is None
        and not (verb == "emit" and options.ltl is not None)
    ):
        parser.error("which file? write: " + f"kripke {verb} FILE [options]")
    return options


def _with_kind_of_reduction(arguments: list[str]) -> list[str]:
    """``--por`` may stand alone: only the word "auto" behind it belongs to it."""
    words: list[str] = []
    for place, word in enumerate(arguments):
        if word == "--":
            return words + arguments[place:]
        if word == "auto" and words and words[-1] == "--por=on":
            words[-1] = "--por=auto"
        else:
            words.append("--por=on" if word == "--por" else word)
    return words


def _settle_json(options: argparse.Namespace) -> None:
    """``--json FILE`` has an optional value: in ``kripke check --json m.pml`` the file is the model."""
    if hasattr(options, "files") and hasattr(options, "junit"):
        if options.files and options.json is not None and os.path.isdir(options.json):
            raise UsageError(
                f"--json {options.json}: this is a folder; name a file in it for the results, or, to check the models "
                f"in it, write it before the options: kripke check {' '.join([*options.files, options.json])} --json"
            )
        if options.json not in (None, "-") and (not options.files or _is_model(options.json)):
            options.files, options.json = [options.json, *options.files], "-"
        return
    if getattr(options, "file", "") is None and getattr(options, "json", None) not in (None, "-"):
        options.file, options.json = options.json, "-"


def _is_model(name: str) -> bool:
    """Is it a folder, or a file of a language that we know?"""
    return os.path.isdir(name) or (os.path.isfile(name) and language_of_ending(name) is not None)


# --- verbs ------------------------------------------------------------------------------------------------------------


def _add_check(parser: _Parser) -> None:
    parser.add_argument("files", metavar="FILE", nargs="*", help="the model; several, or folders of models: a table")
    _add_model_options(parser)
    what = parser.add_argument_group("what to check")
    what.add_argument(
        "--invariant",
        metavar="EXPR",
        action="append",
        default=[],
        dest="invariants",
        help="a condition on global variables that must hold in every state; may be repeated",
    )
    what.add_argument(
        "--formulas",
        metavar="FILE",
        action="append",
        default=[],
        dest="formula_files",
        help="answer every formula of a property file of the Model Checking Contest (Petri nets); may be repeated",
    )
    what.add_argument(
        "--examine",
        metavar="NAME",
        action="append",
        default=[],
        help="answer a question about a net: ReachabilityDeadlock, OneSafe, QuasiLiveness, Liveness, StableMarking or "
        "StateSpace; may be repeated",
    )
    what.add_argument("--no-deadlock", action="store_false", dest="deadlock", help="do not report deadlocks")
    what.add_argument(
        "--all-errors", action="store_true", help="do not stop at the first error; group deadlocks by their cause"
    )
    what.add_argument(
        "--another",
        action="count",
        help="show the next counterexample instead of the first, with another cause if possible; may be repeated",
    )
    what.add_argument(
        "--ltl",
        metavar="F",
        type=formula_of_every_run,
        action="append",
        default=[],
        dest="ltl",
        help="a formula of linear temporal logic that every run must satisfy; may be repeated",
    )
    what.add_argument(
        "--possible",
        metavar="F",
        type=formula_of_some_run,
        action="append",
        default=[],
        help="ask whether some run satisfies this formula, and show one; may be repeated",
    )
    for logic, name in (("ctl", "computation tree logic"), ("mu", "the modal mu-calculus")):
        what.add_argument(
            f"--{logic}",
            metavar="F",
            action="append",
            default=[],
            help=f"a formula of {name} that every initial state must satisfy; may be repeated",
        )
    what.add_argument(
        "--never",
        metavar="FILE",
        action="append",
        default=[],
        dest="claims",
        help="a file with a never claim that no run may satisfy; may be repeated",
    )
    what.add_argument(
        "--property",
        metavar="NAME",
        action="append",
        default=[],
        dest="properties",
        help="check only this: safety, acceptance, progress, or a formula or claim of the model; may be repeated",
    )
    what.add_argument(
        "--fair",
        metavar="weak|strong|weak-edges|strong-edges|events",
        help="check only runs that are fair: to every process, weak (as pan -f) or strong; to every statement of each "
        "process (-edges); or to events (labels wf_, sf_, wl_, sl_)",
    )
    what.add_argument(
        "--values",
        metavar="N",
        type=number_of_values,
        help="give formulas and their atoms values from 0 (false) to N-1 (true), and report the value",
    )
    how = parser.add_argument_group("how to search")
    how.add_argument(
        "--search",
        metavar="ORDER",
        help="bfs (shortest traces) or dfs; for cycles ndfs or scc; walk: at random; sweep: by --progress; "
        "astar, best-first, ida: towards an error, by --estimate; "
        "prefix: on the unfolding of a 1-safe net; symbolic: with sets of markings of a net; "
        "default: the cheapest for each property",
    )
    how.add_argument(
        "--progress",
        metavar="EXPR",
        help="for --search sweep: a measure of how far a state has come, which steps mostly keep or raise; the search "
        "drops the states that lie behind",
    )
    add_directed(how)
    how.add_argument(
        "--shortest",
        action="store_true",
        help="show a run with the fewest steps that breaks a temporal property (by default it is only short)",
    )
    add_symbolic(how)
    add_store(how)
    how.add_argument(
        "--por",
        metavar="auto",
        type=reduction,
        default=None,
        help="partial-order reduction: do not interleave steps whose order does not matter; the same verdict from "
        "fewer states. --por: as few states as possible, whatever that costs; --por auto: only what saves time; off "
        "by default",
    )
    how.add_argument("--no-por", dest="por", action="store_const", const=False, help="no partial-order reduction")
    how.add_argument(
        "--symmetry",
        metavar="off|auto|" + "|".join(METHODS),
        default="off",
        help="keep one of the states that differ only in which of several like processes, or values of a Maria net, is "
        "which. canonical keeps exactly one; sort and references may keep several, but take less time; auto is "
        "canonical where possible; default off",
    )
    add_checkpoints(how)
    how.add_argument(
        "--threads",
        metavar="N",
        type=positive("a number of threads"),
        default=1,
        help="search with N threads; default 1",
    )
    add_workers(how)
    how.add_argument(
        "--walks",
        metavar="N",
        type=positive("a number of walks"),
        help="for --search walk: number of walks; default 1,000",
    )
    how.add_argument("--seed", metavar="N", type=whole_number, help="for --search walk: seed of the random choices")
    how.add_argument(
        "--max-switches",
        metavar="N",
        type=count("a number of switches"),
        help="search only runs in which a process that could go on is interrupted at most N times",
    )
    how.add_argument(
        "--deepen",
        metavar="N",
        type=positive("a number of steps"),
        help="search depth-first up to depth N, then 2N, 4N, ..., until there is an error or nothing deeper",
    )
    how.add_argument(
        "--swarm",
        metavar="N",
        type=positive("a number of searches"),
        help="run N small bitstate searches in different orders, on all cores or on as many as --threads says; the "
        "first error ends all",
    )
    limits = parser.add_argument_group("limits")
    limits.add_argument(
        "--max-depth",
        metavar="N",
        type=positive("a number of steps"),
        help="go no further than N steps from an initial state; for --search walk: steps of a walk (default 10,000)",
    )
    limits.add_argument(
        "--max-states", metavar="N", type=positive("a number of states"), help="store no more than N states"
    )
    limits.add_argument(
        "--memory",
        metavar="SIZE",
        type=size,
        help="use no more than this, such as 512M or 4G; default: 80 %% of what is free",
    )
    limits.add_argument(
        "--time-limit", metavar="TIME", type=duration, help="for the whole check: seconds, or 90s, 5m, 2h"
    )
    output = parser.add_argument_group("output")
    output.add_argument("--trace", metavar="FILE", help="save the trace of the error as JSON, for kripke replay")
    output.add_argument("--spin-trail", metavar="FILE", help="save the trace of the error for spin -t -k FILE")
    output.add_argument(
        "--prove", metavar="FILE", help="if a formula holds, save a proof of it, for kripke verify-proof"
    )
    _add_json(output)
    output.add_argument(
        "--coverage",
        action="store_true",
        help="show why it holds: what was executed, what never changes, what holds for no reason, sample runs",
    )
    output.add_argument(
        "--clarify-limit",
        metavar="TIME",
        type=duration,
        help="the most time for making traces short and clear (default: as long as the search, at least 0.5 s)",
    )
    output.add_argument(
        "--no-clarify",
        action="store_false",
        dest="clarify",
        help="show the trace as the search found it: leave out no steps, reorder none",
    )
    output.add_argument("--html", metavar="FILE", help="write a report to open in a browser: one file, no network")
    _add_full(output)
    output.add_argument("--quiet", "-q", action="store_true", help="print the verdict only")
    _add_reports(parser.add_argument_group("for continuous integration"))


def _add_test(parser: _Parser) -> None:
    parser.add_argument("file", metavar="PROJECT", nargs="?", help="kripke.toml, or its folder (default: this one)")
    parser.add_argument(
        "--no-cache", action="store_false", dest="cache", help="check everything anew, also what has not changed"
    )
    parser.add_argument("--quiet", "-q", action="store_true", help="print only what fails, and the count")
    _add_json(parser)
    _add_reports(parser)


def _add_reports(parser: argparse._ActionsContainer) -> None:
    parser.add_argument("--junit", metavar="FILE", help="write the results as JUnit's XML")
    parser.add_argument("--sarif", metavar="FILE", help="write the findings as SARIF, for code reviews")
    parser.add_argument("--github", action="store_true", help="print annotations for a workflow of GitHub")
    parser.add_argument(
        "--jobs", metavar="N", type=positive("a number of jobs"), help="run N checks at a time; default: all cores"
    )


def _add_run(parser: _Parser) -> None:
    parser.add_argument("file", metavar="FILE", nargs="?", help="the program")
    parser.add_argument("--lang", metavar="LANGUAGE", help="the language, if the file ending does not say it")
    parser.add_argument(
        "-D", metavar="NAME[=VALUE]", action="append", default=[], dest="defines", help="define a constant"
    )
    run = parser.add_argument_group("the run")
    run.add_argument(
        "--events",
        metavar="LIST",
        default="",
        help="events for a state machine, separated by commas; each is sent when the machine has nothing else to do; "
        "-: read one from each line of standard input",
    )
    run.add_argument("--steps", metavar="N", type=positive("a number of steps"), help="take at most N steps")
    run.add_argument("--real-time", action="store_true", help="really wait for delays (default: time is simulated)")
    parser.add_argument(
        "-I", metavar="FOLDER", action="append", default=[], dest="include_paths", help="look here for modules"
    )
    run.add_argument(
        "--scheduler",
        choices=("round-robin", "earliest-deadline-first"),
        default="round-robin",
        help="how to choose whose action comes next (LF)",
    )
    run.add_argument("--seed", metavar="N", type=whole_number, help="seed of the choices (LF)")
    run.add_argument(
        "--interrupt",
        metavar="K=WHEN",
        action="append",
        default=[],
        dest="interrupts",
        help="when interrupt K comes: every:MS milliseconds, or at the times in a file (LF); may be repeated",
    )
    run.add_argument("--statistics", action="store_true", help="print what was done, and how fast (LF)")


def _add_build(parser: _Parser) -> None:
    parser.add_argument("file", metavar="FILE", nargs="?", help="the program")
    parser.add_argument("--lang", metavar="LANGUAGE", help="the language, if the file ending does not say it")
    parser.add_argument(
        "-D", metavar="NAME[=VALUE]", action="append", default=[], dest="defines", help="define a constant"
    )
    parser.add_argument(
        "-I", metavar="FOLDER", action="append", default=[], dest="include_paths", help="look here for modules"
    )
    parser.add_argument(
        "-o",
        metavar="OUTPUT",
        dest="output",
        help="the executable to write, or with the ending .c its C text (default: the name of FILE)",
    )


def _add_simulate(parser: _Parser) -> None:
    _add_model(parser)
    run = parser.add_argument_group("the run")
    run.add_argument("--seed", metavar="N", type=whole_number, help="repeat the random run with this seed")
    run.add_argument(
        "--steps",
        metavar="N",
        type=positive("a number of steps"),
        default=1000,
        help="take at most N steps (default 1000)",
    )
    run.add_argument("--interactive", "-i", action="store_true", help="choose every step by hand")
    run.add_argument("--trace", metavar="FILE", help="follow a saved trace")
    run.add_argument("--save", metavar="FILE", help="save the run as a trace")
    run.add_argument("--quiet", "-q", action="store_true", help="show only what the model prints and how the run ends")
    plot = parser.add_argument_group("plots (pip install 'kripke[plot]')")
    plot.add_argument(
        "--plot", metavar="NAMES", help="draw these variables along the run, such as x,y; all of an array"
    )
    plot.add_argument("--runs", metavar="N", type=positive("a number of runs"), help="draw N random runs as bands")
    plot.add_argument("-o", metavar="FILE", dest="output", help="the plot, .svg, .png or .pdf (default: plot.svg)")


def _add_replay(parser: _Parser) -> None:
    parser.add_argument("file", metavar="FILE", nargs="?", help="a trace saved with kripke check --trace, or a model")
    parser.add_argument("--model", metavar="FILE", help="the model; default: the one the trace names")
    parser.add_argument("--spin-trail", metavar="TRAIL", help="a trail that SPIN wrote; FILE is then the model")
    parser.add_argument("--save", metavar="TRACE", help="save what --spin-trail shows as a trace")
    parser.add_argument(
        "--clarify-limit",
        metavar="TIME",
        type=duration,
        help="the most time to make the trace clear, where the check had no time for it (default: 10 s)",
    )
    parser.add_argument(
        "--no-clarify", action="store_false", dest="clarify", help="show the trace as it was saved, however long"
    )
    _add_full(parser)
    _add_reading(parser.add_argument_group("the model of a trail"))


def _add_shorten(parser: _Parser) -> None:
    parser.add_argument("file", metavar="FILE", nargs="?", help="a trace saved with kripke check --trace")
    parser.add_argument("--model", metavar="FILE", help="the model; default: the one the trace names")
    parser.add_argument("--output", "-o", metavar="FILE", help="save the shorter run as a trace")
    parser.add_argument("--time-limit", metavar="TIME", type=duration, help="how long to look (default 60s)")
    parser.add_argument("--memory", metavar="SIZE", type=size, help="use no more than this, such as 512M or 4G")
    parser.add_argument("--allow-c", action="store_true", help="compile and run C code that is part of the model")
    parser.add_argument("--quiet", "-q", action="store_true", help="print the numbers of steps only")
    _add_full(parser)


def _add_verify_proof(parser: _Parser) -> None:
    parser.add_argument("file", metavar="FILE", nargs="?", help="a proof written by kripke check --prove")
    parser.add_argument("--model", metavar="FILE", help="the model; default: the one the proof names")
    parser.add_argument("--allow-c", action="store_true", help="compile and run C code that is part of the model")
    parser.add_argument("--show", action="store_true", help="print the proof for a person, with states grouped")
    parser.add_argument("--html", metavar="PAGE", help="write the proof as a page")


def _add_explore(parser: _Parser) -> None:
    _add_model(parser)
    parser.add_argument(
        "--output",
        "-o",
        metavar="FILE",
        help="where to write: .parquet (tables), .aut, .dot, .graphml or .svg (a picture)",
    )
    parser.add_argument(
        "--max-states",
        metavar="N",
        type=positive("a number of states"),
        help="stop after N states (default: no limit for tables, 1,000,000 for graphs)",
    )
    add_exploring_workers(parser)


def _add_sql(parser: _Parser) -> None:
    _add_model(parser)
    parser.add_argument(
        "query",
        metavar="QUERY",
        nargs="?",
        help='a query of the tables "states" and "transitions", such as: select count(*) from states',
    )
    parser.add_argument(
        "--max-states",
        metavar="N",
        type=positive("a number of states"),
        help="for a model: explore no more than N states",
    )
    parser.add_argument("--csv", action="store_true", help="print the answer as comma-separated values")
    _add_json(parser)


def _add_info(parser: _Parser) -> None:
    _add_model(parser)
    parser.add_argument("--overlaps", action="store_true", help="pairs of statements whose guards can both be true")
    parser.add_argument(
        "--assume", metavar="EXPR", action="append", default=[], help="for --overlaps: assume this in all states"
    )
    _add_json(parser)


def _add_emit(parser: _Parser) -> None:
    _add_model(parser)
    what = parser.forms = parser.add_mutually_exclusive_group()
    parser.set_defaults(form=None)
    what.add_argument("--c", action="store_true", help="the C the native engine runs")
    what.add_argument("--prefix", action="store_true", help="the complete prefix of a 1-safe net, for Graphviz")
    what.add_argument("--hoa", action="store_true", help="the automaton of --ltl in the Hanoi format (default)")
    what.add_argument(
        "--never-claim", "--never", action="store_true", help="the automaton of --ltl as a never claim of SPIN"
    )
    what.add_argument("--svg", action="store_true", help="processes, a net, or the automaton of --ltl as a picture")
    parser.add_argument("--levels", type=int, metavar="N", help="with --svg: draw only N levels of nested states")
    parser.add_argument(
        "--layout", choices=("own", "graphviz"), default="own", help="with --svg: what lays out nested states"
    )
    parser.add_argument(
        "--fold", action="append", default=[], metavar="NAME", help="with --svg: do not draw what is inside this state"
    )
    parser.add_argument(
        "--ltl",
        metavar="FORMULA",
        help="a temporal formula over plain names, without a FILE; [] <> X U V W && || ! -> <-> and their words",
    )
    parser.add_argument("--output", "-o", metavar="FILE", help="default: standard output")


def _add_examples(parser: _Parser) -> None:
    parser.add_argument("name", metavar="NAME", nargs="?", help="an example, or a folder of them (default: list all)")
    parser.add_argument("--copy", metavar="FOLDER", help="copy them to a folder instead")


def _add_docs(parser: _Parser) -> None:
    parser.add_argument("name", metavar="PAGE", nargs="?", help="a page of the manual (default: list all)")


def _add_completion(parser: _Parser) -> None:
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="the shell to write for")


def _add_serve(parser: _Parser) -> None:
    parser.add_argument("file", metavar="FOLDER", nargs="?", help="the folder with the models (default: this one)")
    parser.add_argument(
        "--port", metavar="N", type=whole_number, help="listen here (default: 8741, or any that is free); 0: any"
    )
    parser.add_argument("--no-browser", action="store_false", dest="browser", help="only print the address")
    parser.add_argument("--allow-c", action="store_true", help="compile and run C code that is part of models")
    parser.add_argument(
        "--memory",
        metavar="SIZE",
        type=size,
        help="for each check, such as 512M or 4G; default: a share of what is free",
    )
    parser.add_argument("--time-limit", metavar="TIME", type=duration, help="for each check; default 10m")


def _add_lsp(parser: _Parser) -> None:
    parser.add_argument(
        "--stdio", action="store_true", help="talk over standard input and output (the server always does)"
    )


def _add_doctor(parser: _Parser) -> None:
    _add_json(parser)


_ADD: dict[str, Callable[[_Parser], None]] = {
    "check": _add_check,
    "test": _add_test,
    "sweep": add_sweep,
    "simulate": _add_simulate,
    "run": _add_run,
    "build": _add_build,
    "replay": _add_replay,
    "shorten": _add_shorten,
    "verify-proof": _add_verify_proof,
    "lts": add_lts,
    "explore": _add_explore,
    "merge": add_merge,
    "sql": _add_sql,
    "info": _add_info,
    "emit": _add_emit,
    "serve": _add_serve,
    "lsp": _add_lsp,
    "doctor": _add_doctor,
    "examples": _add_examples,
    "docs": _add_docs,
    "completion": _add_completion,
}


# --- shared options ---------------------------------------------------------------------------------------------------


def _add_model(parser: _Parser) -> None:
    parser.add_argument("file", metavar="FILE", nargs="?", help="the model")
    _add_model_options(parser)


def _add_model_options(parser: _Parser) -> None:
    model = parser.add_argument_group("the model")
    _add_reading(model)
    parser.model = model


def _add_reading(model: argparse._ActionsContainer) -> None:
    """How the text of a model is read."""
    model.add_argument(
        "-D",
        metavar="NAME[=VALUE]",
        action="append",
        default=[],
        dest="defines",
        help="define a macro; its value is 1 unless you give one",
    )
    model.add_argument("-U", metavar="NAME", action="append", default=[], dest="undefines", help="undefine a macro")
    model.add_argument(
        "-I", metavar="FOLDER", action="append", default=[], dest="include_paths", help="look here for included files"
    )
    model.add_argument(
        "--include-root", metavar="FOLDER", help="refuse to include files outside this folder; for models of others"
    )
    *others, last = LANGUAGES
    model.add_argument(
        "--lang", metavar="LANGUAGE", help=f"{', '.join(others)} or {last}, if the file ending does not say it"
    )
    model.add_argument("--allow-c", action="store_true", help="compile and run C code that is part of the model")


def _add_json(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--json",
        metavar="FILE",
        nargs="?",
        const="-",
        help="write one JSON object: to FILE, or without a name to standard output instead of the text",
    )


def _add_full(parser: argparse._ActionsContainer) -> None:
    parser.add_argument("--full", action="store_true", help="show long traces and lists to their ends")
