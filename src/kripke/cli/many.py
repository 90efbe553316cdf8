"""``kripke check`` of several files and folders, and checks whose findings go to other tools."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Iterator, Sequence

from kripke.cli.jobs import Job, run_jobs, usable_cores
from kripke.cli.main import UsageError
from kripke.cli.output import refuse_overwriting, write_text
from kripke.cli.safe_stream import print_lines
from kripke.numbers import counted, time_text
from kripke.report.record import ERROR, CheckRecord, exit_code
from kripke.report.terminal import Terminal

_STYLES = {"holds": "green", "possible": "green", "unknown": "yellow"}
#: what writes one file, or reads the file of one search
_ONE_FILE = ("trace", "spin_trail", "prove", "html", "checkpoint", "resume")


def run(options: argparse.Namespace) -> int:
    for name in _ONE_FILE:
        if getattr(options, name) is not None:
            raise UsageError(f"--{name.replace('_', '-')} is for a check of one file: leave it out")
    jobs = [Job(file, one_of(options, file)) for file in files_of(options.files)]
    if not jobs:
        raise UsageError(f"there is no model in {' '.join(options.files)}")
    width = max(len(job.name) for job in jobs)
    terminal = Terminal.of_stdout()
    to_terminal = options.json != "-"
    records: list[CheckRecord] = []
    for record in run_jobs(jobs, options.jobs or usable_cores()):
        records.append(record)
        if to_terminal and not options.quiet:
            print(row(record, width, terminal), flush=True)
    report(records, options)
    if to_terminal:
        print(summary(records))
    return exit_code(records)


def one_of(options: argparse.Namespace, file: str) -> argparse.Namespace:
    """The options for one of the files."""
    own = {**vars(options), "file": file, "files": [file], "json": None, "junit": None, "sarif": None, "github": False}
    return argparse.Namespace(**(own | {"outputs": {}, "quiet": True, "command": [file]}))


def files_of(names: Iterable[str]) -> Iterator[str]:
    """Every file that was named, and all models in the folders."""
    from kripke.languages.registry import language_of_ending

    for name in names:
        if not os.path.isdir(name):
            yield name
            continue
        for folder, folders, inside in os.walk(name):
            folders[:] = sorted(each for each in folders if not each.startswith("."))
            for each in sorted(inside):
                if language_of_ending(each) is not None:
                    yield os.path.normpath(os.path.join(folder, each))


def row(record: CheckRecord, width: int, terminal: Terminal) -> str:
    """``violated   m.pml   assertion violated: ...``."""
    style = _STYLES.get(record.verdict, "red")
    verdict = terminal.style(record.verdict.ljust(8), style)
    words = _details(record).splitlines()[0]
    line = f"{record.verdict.ljust(8)}  {record.name.ljust(width)}  {words}"
    if terminal.width is not None and len(line) > terminal.width:
        words = words[: max(terminal.width - len(line), -len(words)) - 3] + "..."
    return f"{verdict}  {record.name.ljust(width)}  {words}"


def _details(record: CheckRecord) -> str:
    if record.result is None:
        where = f"{record.place}: " if record.place is not None else ""
        return f"{where}{record.reason}"
    figures = f"{counted(record.result['states'], 'state')}, {time_text(record.seconds)}"
    return f"{record.reason}, {figures}" if record.reason else f"{record.result['property']}, {figures}"


def summary(records: Sequence[CheckRecord]) -> str:
    counts: dict[str, int] = {}
    for record in records:
        counts[record.verdict] = counts.get(record.verdict, 0) + 1
    words = {ERROR: "could not be checked"}
    verdicts = ", ".join(f"{number:,} {words.get(verdict, verdict)}" for verdict, number in counts.items())
    return f"{counted(len(records), 'check')}: {verdicts}"


def report(records: Sequence[CheckRecord], options: argparse.Namespace) -> None:
    """To the files and forms that were asked for."""
    refuse_overwriting(options.outputs, [name for record in records for name in record.files])
    if options.junit is not None:
        from kripke.report.junit import junit_xml

        write_text(options.junit, junit_xml(records))
    if options.sarif is not None:
        from kripke.report.sarif import sarif_text

        write_text(options.sarif, sarif_text(records))
    if options.json is not None:
        import json

        text = json.dumps([record.to_json() for record in records], indent=2)
        if options.json == "-":
            print_lines(text)
        else:
            write_text(options.json, text + "\n")
    if options.github:
        from kripke.report.annotations import annotation_lines

        for line in annotation_lines(records):
            print(line)
