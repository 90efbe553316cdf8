"""For pytest: when a test fails because a result is not true, its report with the trace is part of the failure.

def test_mutual_exclusion():
    assert kripke.load("peterson.pml").check()
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any


def pytest_runtest_setup(item: Any) -> None:
    """Results remember that they were asked whether they hold, and did not: those of this test alone."""
    import sys

    results = sys.modules.get("kripke.model.result")
    if results is not None:
        results.failed_results.clear()


def _sections() -> list[tuple[str, str]]:
    import sys

    results = sys.modules.get("kripke.model.result")  # no test that does not use Kripke imports it
    failed = () if results is None else results.failed_results
    return [("kripke", str(result)) for result in failed]


def pytest_runtest_makereport(item: Any, call: Any) -> Generator[None, Any, Any]:
    report = yield
    if (
        call.when == "call"
        and report.failed
        and call.excinfo is not None
        and call.excinfo.errisinstance(AssertionError)
    ):
        report.sections += _sections()
    return report


pytest_runtest_makereport.pytest_impl = {"wrapper": True}  # type: ignore[attr-defined]
