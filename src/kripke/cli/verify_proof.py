"""``kripke verify-proof``: is a file a proof? The verdict is the exit code: 0 accepted, 1 rejected."""

from __future__ import annotations

import argparse
import os
from functools import partial
from typing import TYPE_CHECKING, Any

from kripke.cli.main import UsageError
from kripke.cli.output import write_text
from kripke.numbers import counted

if TYPE_CHECKING:
    from kripke.model.model import Model

ACCEPTED, REJECTED = 0, 1


def run(options: argparse.Namespace) -> int:
    from kripke.proofs.invariant import is_invariant
    from kripke.proofs.verification import Rejected, verify

    try:
        with open(options.file, encoding="utf-8", errors="surrogateescape", newline="") as file:
            text = file.read()
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read {options.file}: {getattr(error, 'strerror', None) or error}") from error
    if is_invariant(text):
        return _invariant(options, text)
    try:
        shown = verify(text, partial(_loaded, options), model_file=options.model)
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


def _invariant(options: argparse.Namespace, text: str) -> int:
    from kripke.proofs.invariant import verify
    from kripke.proofs.verification import Rejected

    try:
        model, found = verify(text, partial(_loaded, options), model_file=options.model)
    except Rejected as problem:
        print(f"rejected: {problem}")
        return REJECTED
    bounds = ", integers without bounds" if found["asked"]["unbounded"] else ""
    print(f"accepted: {model.file} satisfies: {found['property']['text']}{bounds}")
    steps = f", {found['k']}-induction" if found["k"] else ""
    print(f"{counted(len(found['invariants']), 'invariant')}, checked with cvc5{steps}")
    for one in found["invariants"] if options.show else ():
        print(f"  {one}")
    return ACCEPTED


def _loaded(options: argparse.Namespace, path: str, language: str, origin: dict[str, Any]) -> Model | None:
    """The model: the named one, from where the proof says, or from beside the proof."""
    from kripke.languages.registry import load_again

    if not os.path.exists(path):
        beside = os.path.join(os.path.dirname(options.file), os.path.basename(path))
        if options.model is not None or not os.path.exists(beside):
            raise UsageError(f"cannot find the model {path} of the proof: name it with --model FILE")
        path = beside
    return load_again(path, language, origin, allow_c=options.allow_c)
