"""``kripke build``: an executable, or its C, of a program, by the package of its language."""

from __future__ import annotations

import argparse
import os

from kripke.cli.main import UsageError
from kripke.cli.request import definition
from kripke.languages.registry import LANGUAGES, check_readable, language_of
from kripke.languages.request import RunRequest


def run(options: argparse.Namespace) -> int:
    request = RunRequest(
        path=options.file,
        language=options.lang,
        defines=dict(definition(text) for text in options.defines),
        include_paths=tuple(options.include_paths),
    )
    language = language_of(request)
    check_readable(request.path)
    if language.build is None:
        able = ", ".join(sorted(one.name for one in LANGUAGES.values() if one.build is not None))
        raise UsageError(f"a {language.name} model cannot become a program; languages of programs: {able}")
    output = options.output or os.path.splitext(os.path.basename(request.path))[0]
    if os.path.isdir(output):
        raise UsageError(f"{output} is a folder; name the executable with -o")
    if os.path.exists(output) and os.path.samefile(output, request.path):
        raise UsageError(f"{output} is the program itself; name the executable with -o")
    language.build(request, output)
    print(f"{output} written")
    return 0
