"""The ``kripke`` command: find the verb, run it, turn whatever happens into a message and an exit code.

Exit codes: 0 holds (or done), 1 violated, 2 wrong usage or an error in the model, 3 unknown or incomplete; 130 after
Ctrl-C outside a check. A user never sees a Python traceback unless KRIPKE_DEBUG=1 is set.
"""

from __future__ import annotations

import gc
import os
import sys

from kripke import __version__
from kripke.cli.safe_stream import SafeStreams, print_lines

USAGE_ERROR = 2
UNKNOWN = 3
INTERRUPTED = 130

VERBS = {
    "check": "verify a model: deadlocks, assertions, run-time errors, invariants",
    "test": "run the checks of a project (kripke.toml)",
    "sweep": "check a family of models over parameters, with a matrix of the results (PLAN.toml)",
    "simulate": "run a model: at random, by hand, or along a saved trace",
    "run": "execute a program for real: a state machine, a program in LF",
    "build": "make an executable, or its C text, from a program in LF",
    "replay": "show a saved trace, step by step, against the model",
    "shorten": "find a shorter run to the error of a saved trace",
    "verify-proof": "check a proof that kripke check --prove wrote, and show it",
    "explore": "build the whole state space and write it to a file (.parquet, .aut, .dot, .graphml)",
    "merge": "make one state space of the fragments that explore --workers writes (.parquet, .aut)",
    "sql": "answer questions about a state space in SQL",
    "info": "show what a model contains, and warnings about it",
    "emit": "write what Kripke makes from a model or a formula: the generated C, a Büchi automaton, a picture",
    "lts": "minimise, compare or compose labelled transition systems (.aut)",
    "serve": "open the workbench in the browser: edit, check, explore the models of a folder",
    "lsp": "start the language server, for editors (problems, completion, rename, quick fixes, checks)",
    "examples": "list, show or copy the models that come with Kripke",
    "docs": "show the manual",
    "completion": "write what makes a shell complete the command (bash, zsh, fish)",
    "doctor": "show what is installed: compiler, versions, memory, optional parts",
}


def main(arguments: list[str] | None = None) -> int:
    """Run a command, this process's own where none is given; the exit code."""
    try:
        return _answer(sys.argv[1:] if arguments is None else arguments)
    except KeyboardInterrupt:  # once more, while the first was answered
        return INTERRUPTED


def command() -> int:
    """The command as a process of its own, which ends after this."""
    ends_by_interrupt()
    code = main()
    _ignore_interrupts()
    # Python remembers a Ctrl-C that came while text was executed (every dataclass is made so, when it is imported), and
    # would end by that signal, although it was answered. The next text that is executed makes it forget.
    exec("")
    # Looking for garbage once more, which Python does at its end, takes half as long as reading a large model took.
    gc.freeze()
    return code


def ends_by_interrupt() -> None:
    """A request to end (SIGTERM) is answered like Ctrl-C: with what is known so far, and no files left behind."""
    from signal import SIGTERM, default_int_handler, signal

    signal(SIGTERM, default_int_handler)


def _ignore_interrupts() -> None:
    """Before the process ends: another Ctrl-C would only show where Python is just then."""
    from signal import SIG_IGN, SIGINT, SIGTERM, signal

    try:
        signal(SIGINT, SIG_IGN)
        signal(SIGTERM, SIG_IGN)
    except ValueError:  # not in the main thread, which alone is interrupted
        return


def _answer(arguments: list[str]) -> int:
    if sys.stdout is None:  # closed before the start, as by >&-
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # A source line in a script the terminal cannot show must not end the report.
            stream.reconfigure(errors="backslashreplace")
    with SafeStreams():
        return _code_of(arguments)


def _code_of(arguments: list[str]) -> int:
    try:
        code = _run(arguments)
        sys.stdout.flush()
    except SystemExit as leaving:  # argparse, after --help or an error in the usage
        code = leaving.code if isinstance(leaving.code, int) else USAGE_ERROR
    except BrokenPipeError:
        silence_stdout()
        code = 0
    except KeyboardInterrupt:
        code = _interrupted()
    except Exception as error:
        # Up to Python 3.11 what is raised while a class is made comes as the cause of a RuntimeError.
        code = _interrupted() if isinstance(error.__cause__, KeyboardInterrupt) else _explain(error)
    return code


def _interrupted() -> int:
    print(file=sys.stderr)
    print("interrupted", file=sys.stderr)
    return INTERRUPTED


def _run(arguments: list[str]) -> int:
    if len(arguments) > 1 and arguments[0] == "help" and arguments[1] in VERBS:
        arguments = [arguments[1], "--help"]
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        print_lines(_overview())
        return 0 if arguments else USAGE_ERROR
    verb, rest = arguments[0], arguments[1:]
    if verb in ("--version", "-V", "version"):
        print(f"kripke {__version__}")
        return 0
    if verb not in VERBS:
        raise UsageError(_unknown_verb(verb))

    from importlib import import_module

    from kripke.cli.arguments import parse

    options = parse(verb, rest)
    if verb != "lsp":
        from kripke.cli.output import refuse_outputs

        refuse_outputs(verb, options)
    code: int = import_module(f"kripke.cli.{verb.replace('-', '_')}").run(options)
    return code


class UsageError(Exception):
    """What the user asked for cannot be done; the message says why and what to do."""


def silence_stdout() -> None:
    """Nobody reads the output any more (``| head``): let the rest of it, and the flush at exit, go nowhere."""
    try:  # not contextlib.suppress: its import would cost every start a third of its time
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError, AttributeError):
        return


def _overview() -> str:
    width = max(map(len, VERBS))
    verbs = "\n".join(f"  {verb.ljust(width)}  {does}" for verb, does in VERBS.items())
    return (
        f"kripke {__version__}, a model checking workbench\n\n"
        f"usage: kripke VERB FILE [options]\n\n{verbs}\n\n"
        "kripke VERB --help lists the options of a verb. First steps: kripke check examples/promela/peterson.pml"
    )


def _unknown_verb(verb: str) -> str:
    if verb.startswith("-"):
        return f"there is no option {verb} before the verb; write: kripke VERB FILE [options]"
    if os.path.exists(verb):
        return f"say what to do with {verb}, for example: kripke check {verb}"
    from difflib import get_close_matches

    close = get_close_matches(verb, VERBS, n=1)
    meant = f"; did you mean {close[0]}?" if close else f"; there are {', '.join(VERBS)}"
    return f"there is no verb {verb!r}{meant}"


def _explain(error: Exception) -> int:
    """Say what went wrong, for a user; the exit code."""
    from kripke.engines.explicit.conclusion import PLEASE_REPORT
    from kripke.engines.plan import Unsupported
    from kripke.model.source import ModelError
    from kripke.model.trace import TraceFileError

    if os.environ.get("KRIPKE_DEBUG", "") not in ("", "0"):
        import traceback

        print_lines("".join(traceback.format_exception(error)).rstrip("\n"), file=sys.stderr)
    match error:
        case ModelError():
            message = error.render()
        case UsageError() | Unsupported() | TraceFileError():
            message = f"error: {error}"
        case MemoryError():
            print("unknown: out of memory", file=sys.stderr)
            return UNKNOWN
        case RecursionError():
            message = "error: the model is nested too deeply"
        case OSError():
            where = f"{error.filename}: " if error.filename else ""
            message = f"error: {where}{error.strerror or error}"
            _drop_unwritten()
        case _:
            message = (
                f"internal error: {type(error).__name__}: {error}\n"
                f"{PLEASE_REPORT}, with the model and the command; KRIPKE_DEBUG=1 shows where it happened"
            )
    print_lines(message, file=sys.stderr)
    return USAGE_ERROR


def _drop_unwritten() -> None:
    """After a failed write the buffer would fail again at exit."""
    try:
        sys.stdout.flush()
    except OSError:
        silence_stdout()


if __name__ == "__main__":
    sys.exit(main())
