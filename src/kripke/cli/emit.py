"""``kripke emit``: what is made from a model, as text."""

from __future__ import annotations

import argparse

from kripke.cli.main import UsageError
from kripke.cli.request import load_with_warnings


def run(options: argparse.Namespace) -> int:
    for name, what in (
        ("hoa", "--hoa: there are no automata yet"),
        ("never_claim", "--never-claim: there are no automata yet"),
        ("graph", "--graph: process graphs cannot be written yet"),
    ):
        if getattr(options, name):
            raise UsageError(f"{what}; there is --c")
    if not options.c:
        raise UsageError("say what to emit: --c, the generated C")
    model = load_with_warnings(options)
    text = model.emit_c()
    if text is None:
        raise UsageError(f"{options.file} has no compiled form")
    if options.output is None or options.output == "-":
        print(text, end="")
    else:
        with open(options.output, "w", encoding="utf-8") as file:
            file.write(text)
    return 0
