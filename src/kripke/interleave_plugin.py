"""The plug-in for pytest: ``--kripke`` runs every test under all schedules; failing ones are saved and replayed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("kripke", "all interleavings of a test")
    group.addoption("--kripke", action="store_true", help="run every test under all schedules that make a difference")
    group.addoption("--kripke-schedules", type=int, metavar="N", help="at most so many schedules of each test")
    group.addoption("--kripke-seconds", type=float, metavar="S", help="at most so long for each test (60)")
    group.addoption("--kripke-search", choices=("all", "random"), help="all schedules, or some by chance")
    group.addoption("--kripke-seed", type=int, metavar="N", help="seed of random numbers and of random schedules")
    group.addoption("--kripke-races", choices=("report", "fail"), help="is a data race a failure?")
    group.addoption("--kripke-unfinished", choices=("report", "fail"), help="is a task that has not ended a failure?")
    group.addoption("--kripke-save", metavar="FOLDER", help="write failing schedules into this folder")
    group.addoption("--kripke-replay", metavar="FILE", help="follow this saved schedule only")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "kripke: run this test under all schedules that make a difference")
    given = {
        name: config.getoption(f"--kripke-{name}")
        for name in ("schedules", "seconds", "search", "seed", "races", "unfinished")
        if config.getoption(f"--kripke-{name}") is not None
    }
    replay = config.getoption("--kripke-replay")
    if not given and not replay:
        return
    from kripke.testing.interleave import overridden

    if replay:
        import pytest

        from kripke.testing.failure import read_schedule

        try:
            given["replay"] = read_schedule(replay).choices
        except (OSError, ValueError) as problem:
            raise pytest.UsageError(str(problem)) from None
    overridden.update(given)


def pytest_collection_modifyitems(config: pytest.Config, items: list[Any]) -> None:
    for item in items:
        wanted = config.getoption("--kripke") or item.get_closest_marker("kripke") is not None
        function = getattr(item, "obj", None)
        if wanted and function is not None and not hasattr(function, "kripke_settings"):
            from kripke.testing import interleave

            marker = item.get_closest_marker("kripke")
            item.obj = interleave(function, **(marker.kwargs if marker is not None else {}))


def pytest_runtest_makereport(item: Any, call: Any) -> None:
    """A failing schedule is saved where that was asked for."""
    error = call.excinfo.value if call.excinfo is not None else None
    if error is None or type(error).__name__ != "InterleavingFailure" or call.when != "call":
        return
    report = error.report
    report.failure.name = item.nodeid
    folder = item.config.getoption("--kripke-save")
    if folder:
        import os
        import re

        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, re.sub(r"[^A-Za-z0-9_.-]+", "_", item.nodeid) + ".schedule.json")
        report.failure.save(path, str(item.config.rootpath))
        from kripke.testing.page import html_page

        page = path.removesuffix(".schedule.json") + ".html"
        with open(page, "w", encoding="utf-8") as file:
            file.write(html_page(report.failure))
        item.user_properties += [("kripke_schedule", path), ("kripke_page", page)]
        item.add_report_section(
            "call", "kripke", f"follow this schedule again: kripke replay {path}\nas a page: {page}"
        )


def pytest_terminal_summary(terminalreporter: Any) -> Iterator[None] | None:
    """What was seen: all behaviours, or not."""
    import sys

    module = sys.modules.get("kripke.testing.interleave")
    if module is None or not module.reports:
        return None
    reports = module.reports
    complete = sum(report.complete for report in reports)
    failed = sum(report.failure is not None for report in reports)
    runs = sum(report.runs for report in reports)
    terminalreporter.write_sep("-", "kripke")
    terminalreporter.write_line(
        f"{len(reports)} tests under control, {runs:,} schedules: {complete} saw all behaviours, {failed} failed, "
        f"{len(reports) - complete - failed} not all"
    )
    return None
