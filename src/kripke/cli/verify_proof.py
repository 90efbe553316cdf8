"""``kripke verify-proof``: is a file a proof? The verdict is the exit code: 0 accepted, 1 rejected."""

from __future__ import annotations

import argparse
from functools import partial

from kripke.cli.main import UsageError
from kripke.cli.output import write_text
from kripke.numbers import counted

ACCEPTED, REJECTED = 0, 1


def run(options: argparse.Namespace) -> int:
    from kripke.languages.registry import load_again
    from kripke.proofs.verification import Rejected, verify

    try:
        with open(options.file, encoding="utf-8", errors="surrogateescape", newline="") as file:
            text = file.read()
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read {options.file}: {getattr(error, 'strerror', None) or error}") from error
    try:
        shown = verify(text, partial(load_again, allow_c=options.allow_c), model_file=options.model)
    except Rejected as problem:
        print(f"rejected: {problem}")
        return REJECTED
    fair = shown.record["fair"]
    runs = "every run" if fair is None else f"every {fair}ly fair run"
    print(f"accepted: {runs} of {shown.model.file} satisfies {shown.record['property']['text']}")
    print(
        f"{counted(shown.states, 'state')}; product of {counted(shown.vertices, 'node')} and "
        f"{counted(shown.edges, 'edge')}, {shown.failed:,} failed; {counted(shown.inductions, 'induction')}"
    )
    if options.show:
        from kripke.report.proof_report import proof_text

        print()
        for line in proof_text(shown.record, shown.model):
            print(line)
    if options.html is not None:
        from kripke.report.proof_report import proof_html

        write_text(options.html, proof_html(shown.record, shown.model))
    return ACCEPTED
