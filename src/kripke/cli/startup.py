"""``kripke check FILE.startup``: the processes of a distributed Python program under every schedule."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from typing import TYPE_CHECKING, Any

from kripke import __version__
from kripke.cli.main import UsageError

if TYPE_CHECKING:
    from kripke.testing.failure import SavedSchedule

#: What this check understands; anything else that was asked for is refused.
_TAKES = frozenset({"--json", "--time-limit", "--html", "--trace"})


def check(options: argparse.Namespace, path: str) -> int:
    """Exit code as for models: 0 holds, 1 violated, 3 not all behaviours were seen."""
    try:
        from kripke.testing import Settings
        from kripke.testing.explore import NotSupported
        from kripke.testing.page import html_page
        from kripke.testing.programs import ProgramError
        from kripke.testing.startup import StartupError, read_startup
        from kripke.testing.system import explore_system
    except ImportError as missing:
        raise UsageError(str(missing)) from None
    given = [word.partition("=")[0] for word in options.command if word.startswith("-") and word != "-"]
    other = [word for word in given if word not in _TAKES]
    if other:
        raise UsageError(
            f"{', '.join(other)}: a start-up file takes --time-limit, --json, --html and --trace; its own settings "
            "are lines such as 'set loss=1' (docs/testing.md)"
        )
    started = time.monotonic()
    try:
        settings = Settings() if options.time_limit is None else Settings(seconds=options.time_limit)
        report = explore_system(read_startup(path), settings)
    except (StartupError, ProgramError, NotSupported) as problem:
        raise UsageError(str(problem)) from None
    except OSError as problem:
        raise UsageError(f"{path}: {problem.strerror or problem}") from None
    failure = report.failure
    if failure is not None and options.trace is not None:
        failure.save(options.trace, os.getcwd())
    if failure is not None and options.html is not None:
        with open(options.html, "w", encoding="utf-8") as file:
            file.write(html_page(failure))
    verdict = "violated" if failure is not None else "holds" if report.complete else "unknown"
    if options.json is None:
        print(*str(report).splitlines(), sep="\n")
        print(f"{verdict}: {report.runs:,} schedules, {report.steps:,} steps, {time.monotonic() - started:.1f} s")
    else:
        answer: dict[str, Any] = {
            "verdict": verdict,
            "reason": failure.headline if failure is not None else report.reason,
            "property": "no failure in any schedule",
            "kind": failure.kind if failure is not None else None,
            "schedules": report.runs,
            "steps": report.steps,
            "complete": report.complete,
            "seconds": round(time.monotonic() - started, 3),
            "trace": None
            if failure is None
            else {"steps": len(failure.rows), "loop_start": None, "file": options.trace},
            "model": {"file": path, "language": "startup"},
            "version": __version__,
            "warnings": [],
        }
        text = json.dumps(answer)
        if options.json == "-":
            print(text)
        else:
            with open(options.json, "w", encoding="utf-8") as file:
                file.write(text + "\n")
    sys.stdout.flush()
    return {"holds": 0, "violated": 1, "unknown": 3}[verdict]


def follow(schedule: SavedSchedule) -> int:
    """Run the processes once, as a saved schedule says; what they print is seen, and breakpoints work."""
    from kripke.testing import Settings, explore_system
    from kripke.testing.programs import ProgramError
    from kripke.testing.startup import StartupError

    try:
        report = explore_system(os.path.join(schedule.folder, schedule.test), Settings(replay=schedule.choices))
    except (OSError, StartupError, ProgramError) as problem:
        raise UsageError(str(problem)) from None
    print(*str(report).splitlines(), sep="\n")
    return 0 if report.failure is None else 1
