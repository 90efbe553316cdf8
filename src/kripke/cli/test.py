"""``kripke test``: the checks of a project, on all cores; those whose files have not changed are remembered."""

from __future__ import annotations

import argparse
import os
import time

from kripke.cli.jobs import ResultCache, run_jobs, usable_cores
from kripke.cli.many import report
from kripke.cli.settings import find_project, jobs_of
from kripke.numbers import counted, time_text
from kripke.report.record import CheckRecord, exit_code
from kripke.report.terminal import Terminal


def run(options: argparse.Namespace) -> int:
    start = time.perf_counter()
    path = options.file or "."
    project = find_project(path) if os.path.isdir(path) else path
    jobs = jobs_of(project)
    cache = ResultCache.of_user() if options.cache else None
    terminal, records = Terminal.of_stdout(), list[CheckRecord]()
    width = max(len(job.name) for job in jobs)
    to_terminal = options.json != "-"
    for record in run_jobs(jobs, options.jobs or usable_cores(), cache):
        records.append(record)
        if to_terminal and (not record.passed or not options.quiet):
            print(_row(record, width, terminal), flush=True)
    report(records, options)
    if to_terminal:
        print(_summary(records, time.perf_counter() - start))
    return exit_code(records)


def _row(record: CheckRecord, width: int, terminal: Terminal) -> str:
    word = terminal.style("passed", "green") if record.passed else terminal.style("FAILED", "bold", "red")
    how = "from the cache" if record.cached else time_text(record.seconds)
    words = f"{record.verdict}, {how}" if record.passed else f"{record.message}  ({record.where})"
    return f"{word}  {record.name.ljust(width)}  {words}"


def _summary(records: list[CheckRecord], seconds: float) -> str:
    failed = sum(not record.passed for record in records)
    cached = sum(record.cached for record in records)
    parts = [f"{len(records) - failed:,} passed"] + ([f"{failed:,} failed"] if failed else [])
    parts += [f"{cached:,} from the cache"] if cached else []
    return f"{counted(len(records), 'check')}: {', '.join(parts)}, in {time_text(seconds)}"
