"""``kripke sweep PLAN.toml``: one model with parameters, checked for every combination of them that makes sense."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kripke.cli.jobs import Job, ResultCache, run_jobs, usable_cores
from kripke.cli.main import UsageError
from kripke.cli.output import write_text
from kripke.cli.safe_stream import print_lines
from kripke.cli.settings import check_options
from kripke.cli.sweep_plan import Combination, Plan, expected_of, read_plan
from kripke.digest import sha256
from kripke.numbers import counted, time_text
from kripke.report.record import SKIPPED, CheckRecord, exit_code
from kripke.report.sweep_table import csv_text, matrices, matrix_lines, sweep_page, sweep_row, write_parquet_rows


@dataclass
class _Log:
    """Lines as they come: a heading where it changes, what was left out once, and every check."""

    plan: Plan
    lines: list[str] = field(default_factory=list)
    _headings: list[str] = field(default_factory=list)

    def excluded(self, combination: Combination) -> Iterator[str]:
        if combination.excluded:
            yield from self._heading(combination)
            if not self.lines or self.lines[-1] != combination.excluded:
                yield self._kept(combination.excluded)

    def checked(self, combination: Combination, name: str, record: CheckRecord) -> Iterator[str]:
        if record.verdict == SKIPPED:
            return
        yield from self._heading(combination)
        plan, values = self.plan, dict(combination.values)
        answer = plan.answers.get(record.verdict, record.verdict)
        words = plan.filled(plan.line, {**values, "name": name, "answer": answer}, "line") or f"{name}: {answer}"
        if record.is_finding:
            words += f"{' ' if plan.line else '  '}{plan.filled(plan.finding, values, 'finding')}"
        elif record.result is None or record.verdict == "unknown":
            words += f"  {record.reason.splitlines()[0] if record.reason else ''}"
        yield self._kept(words.rstrip())

    def _heading(self, combination: Combination) -> Iterator[str]:
        """Those that are new, and all below one that is new."""
        headings = [self.plan.filled(title, combination.values, "title") for title in self.plan.titles]
        if combination.property is not None and combination.property.heading:
            headings.append(self.plan.filled(combination.property.heading, combination.values, "heading"))
        known, self._headings = self._headings, headings
        for number, heading in enumerate(headings):
            if heading and known[: number + 1] != headings[: number + 1]:
                yield self._kept(heading)

    def _kept(self, line: str) -> str:
        self.lines.append(line)
        return line


def run(options: argparse.Namespace) -> int:
    start = time.perf_counter()
    plan = read_plan(options.file)
    folder = options.output or os.path.splitext(options.file)[0] + ".results"
    combinations = list(plan.combinations())
    if not any(each.property is not None for each in combinations):
        raise UsageError(f"{plan.path}: every combination is excluded")
    names = [_name(plan, each) for each in combinations]
    if options.list:
        return _list(plan, combinations, names)
    _make_folders(folder)
    numbers = [number for number, each in enumerate(combinations) if each.property is not None]
    jobs = [_job(plan, combinations[number], names[number], folder) for number in numbers]
    cache = ResultCache(os.path.join(folder, "cache")) if options.cache else None
    log, rows, records = _Log(plan), list[dict[str, Any]](), list[CheckRecord]()
    found = run_jobs(jobs, options.jobs or usable_cores(), cache)
    to_terminal = options.json != "-"
    stopped: set[tuple[Any, ...]] = set()
    for combination, name in zip(combinations, names, strict=True):
        chain = _chain(plan, combination)
        if combination.property is None:
            # After a finding that ended them, nothing is said of the rest, also not what would have been left out.
            lines = iter(()) if chain in stopped else log.excluded(combination)
        else:
            record = next(found)
            records.append(record)
            if record.is_finding and chain is not None:
                stopped.add(chain)
            rows.append(sweep_row(combination.values, combination.property.name, record, folder))
            lines = log.checked(combination, name, record)
        for line in lines:
            if to_terminal and not options.quiet:
                print(line, flush=True)
    layout = _layout(plan)
    _write(plan, folder, rows, layout, log.lines, options)
    if to_terminal:
        for matrix in matrices(rows, layout):
            print()
            print_lines("\n".join(matrix_lines(matrix)))
        print()
        print(_summary(records, folder, time.perf_counter() - start))
    return exit_code(records)


def _make_folders(folder: str) -> None:
    try:
        for part in ("models", "traces", "cache"):
            os.makedirs(os.path.join(folder, part), exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot write to {folder}: {error.strerror or error}") from error


def _name(plan: Plan, combination: Combination) -> str:
    values: dict[str, Any] = dict(combination.values)
    values["property"] = "" if combination.property is None else combination.property.name
    usual = " ".join(f"{name}=${{{name}}}" for name in plan.parameters) + " ${property}"
    return str(plan.filled(plan.name or usual, values, "name")).strip()


def _list(plan: Plan, combinations: Sequence[Combination], names: Sequence[str]) -> int:
    for combination, name in zip(combinations, names, strict=True):
        if combination.property is not None:
            print_lines(name)
        elif combination.excluded:
            print_lines(f"{name}  left out: {combination.excluded}")
    checks = sum(each.property is not None for each in combinations)
    print(f"{counted(checks, 'check')}, {len(combinations) - checks:,} left out")
    return 0


def _job(plan: Plan, combination: Combination, name: str, folder: str) -> Job:
    assert combination.property is not None
    settings = plan.filled({**plan.defaults, **combination.property.settings}, combination.values, name)
    model = _filled_model(plan, combination, folder) if plan.is_template else plan.model
    options = check_options(f"{plan.path}: {name}", model, settings)
    asked = sha256(repr([sorted(combination.values.items()), combination.property.name, settings]).encode())[:16]
    options.html = os.path.join(folder, "traces", f"{asked}.html")
    return Job(name, options, expected_of(settings), _chain(plan, combination))


def _chain(plan: Plan, combination: Combination) -> tuple[Any, ...] | None:
    """What the first skip rule that is about this combination ties it to."""
    values = {**combination.values, "property": combination.property and combination.property.name}
    for number, stop in enumerate(plan.stops):
        if stop.when is None or stop.when.value(combination.values):
            return (number, *(values[name] for name in stop.within))
    return None


def _filled_model(plan: Plan, combination: Combination, folder: str) -> str:
    """The template's text with the values in it, as a file of its own. An unchanged one is not written again."""
    with open(plan.model, encoding="utf-8") as file:
        text = plan.filled(file.read(), combination.values, plan.model)
    stem, ending = os.path.splitext(os.path.basename(plan.model))
    path = os.path.join(folder, "models", f"{stem}.{sha256(text.encode())[:16]}{ending}")
    if not os.path.exists(path):
        unfinished = f"{path}.{os.getpid()}"
        write_text(unfinished, text)
        os.replace(unfinished, path)
    return path


def _layout(plan: Plan) -> dict[str, Sequence[str]]:
    """Without a [matrix] in the plan: every combination is a row, every property a column."""
    if not plan.matrix:
        return {"rows": list(plan.parameters), "columns": ["property"], "tables": []}
    return {"rows": [], "columns": [], "tables": []} | dict(plan.matrix)


def _write(
    plan: Plan,
    folder: str,
    rows: Sequence[Mapping[str, Any]],
    layout: Mapping[str, Sequence[str]],
    log: Sequence[str],
    options: argparse.Namespace,
) -> None:
    title = os.path.splitext(os.path.basename(plan.path))[0]
    write_text(os.path.join(folder, "results.csv"), csv_text(rows))
    write_text(os.path.join(folder, "index.html"), sweep_page(title, rows, layout, log))
    write_text(os.path.join(folder, "log.txt"), "\n".join(log) + "\n")
    if options.json is not None:
        import json

        text = json.dumps([dict(row) for row in rows], indent=2)
        if options.json == "-":
            print_lines(text)
        else:
            write_text(options.json, text + "\n")
    if options.parquet:
        write_parquet_rows(rows, os.path.join(folder, "results.parquet"))


def _summary(records: Sequence[CheckRecord], folder: str, seconds: float) -> str:
    counts: dict[str, int] = {}
    for record in records:
        counts[record.verdict] = counts.get(record.verdict, 0) + 1
    words = [f"{number:,} {verdict}" for verdict, number in counts.items()]
    findings = sum(record.is_finding for record in records)
    cached = sum(record.cached for record in records)
    words += [f"{counted(findings, 'finding')}"] if findings else []
    words += [f"{cached:,} from the cache"] if cached else []
    checks = len(records) - counts.get(SKIPPED, 0)
    return (
        f"{counted(checks, 'check')}: {', '.join(words)}, in {time_text(seconds)}; "
        f"the matrix with links to the traces: {os.path.join(folder, 'index.html')}"
    )
