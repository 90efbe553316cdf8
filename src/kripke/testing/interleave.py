"""``@kripke.interleave``: a test whose body is run under every schedule that makes a difference."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any, TypeVar, overload

from kripke.testing.explore import Report, Settings, explore
from kripke.testing.stopped import Endless

Function = TypeVar("Function", bound=Callable[..., Any])


class InterleavingFailure(AssertionError):
    """A schedule under which the test fails. ``report`` has the run; the text shows it in lanes."""

    def __init__(self, report: Report) -> None:
        super().__init__(str(report.failure))
        self.report = report


class NotAllBehaviours(UserWarning):
    """A limit was reached before all behaviours were seen."""


@overload
def interleave(function: Function) -> Function: ...


@overload
def interleave(**settings: Any) -> Callable[[Function], Function]: ...


def interleave(function: Any = None, **settings: Any) -> Any:
    """Run the body again and again until every behaviour was seen. Settings are those of ``Settings``:
    ``schedules``, ``seconds``, ``search="random"``, ``seed``, ``races="fail"``, ``modules``."""
    if function is None:
        return lambda decorated: interleave(decorated, **settings)
    chosen = Settings(**settings)

    @functools.wraps(function)
    def test(*args: Any, **kwargs: Any) -> None:
        run_interleaved(function, args, kwargs, chosen, f"{function.__module__}:{function.__qualname__}")

    test.kripke_settings = chosen  # type: ignore[attr-defined]
    return test


#: Settings that replace those of the decorator: what a test runner was told.
overridden: dict[str, Any] = {}
#: What the last test found, for the test runner.
reports: list[Report] = []


def run_interleaved(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], settings: Settings, name: str
) -> None:
    if overridden:
        settings = Settings(**{**settings.__dict__, **overridden})
    body = functools.partial(function, *args, **kwargs) if args or kwargs else function
    report = explore(body, settings, name=name)
    reports.append(report)
    if report.failure is not None:
        if isinstance(report.failure.error, Endless) and settings.search == "all" and not report.complete:
            warnings.warn(NotAllBehaviours(str(report.failure.headline)), stacklevel=2)
        raise InterleavingFailure(report) from None
    if not report.complete and settings.replay is None:
        warnings.warn(NotAllBehaviours(str(report)), stacklevel=2)
