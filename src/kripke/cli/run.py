"""``kripke run``: a program is executed for real, by the package of its language."""

from __future__ import annotations

import argparse
import sys

from kripke.cli.main import UsageError
from kripke.cli.request import definition
from kripke.languages.registry import LANGUAGES, check_readable, language_of
from kripke.languages.request import RunRequest


def run(options: argparse.Namespace) -> int:
    given = (line.strip() for line in sys.stdin) if options.events == "-" else options.events.replace(",", " ").split()
    request = RunRequest(
        path=options.file,
        language=options.lang,
        defines=dict(definition(text) for text in options.defines),
        events=tuple(event for event in given if event),
        steps=options.steps,
        real_time=options.real_time,
        include_paths=tuple(options.include_paths),
        scheduler=options.scheduler,
        seed=options.seed,
        interrupts=tuple(options.interrupts),
        statistics=options.statistics,
    )
    language = language_of(request)
    check_readable(request.path)
    if language.run is None:
        able = ", ".join(sorted(one.name for one in LANGUAGES.values() if one.run is not None))
        raise UsageError(f"a {language.name} model is checked, not run; languages that run: {able}")
    return language.run(request)
