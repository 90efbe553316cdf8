"""``kripke emit``: what is made from a model or a formula, as text."""

from __future__ import annotations

import argparse
import sys

from kripke.cli.main import UsageError


def run(options: argparse.Namespace) -> int:
    if options.ltl is not None:
        text = _automaton(options)
    else:
        text = _prefix(options) if options.prefix else _generated_c(options)
    if options.output is None or options.output == "-":
        print(text, end="")
    else:
        with open(options.output, "w", encoding="utf-8") as file:
            file.write(text)
    return 0


def _generated_c(options: argparse.Namespace) -> str:
    from kripke.cli.request import load_with_warnings

    for name in ("hoa", "never_claim", "dot"):
        if getattr(options, name):
            option = "--" + name.replace("_", "-")
            raise UsageError(f"{option} writes the automaton of a formula: kripke emit --ltl FORMULA {option}")
    if options.graph:
        raise UsageError("--graph: process graphs cannot be written yet; there is --c")
    if not options.c:
        raise UsageError("say what to emit: --c, the generated C, or --ltl FORMULA, an automaton")
    text = load_with_warnings(options).emit_c()
    if text is None:
        raise UsageError(f"{options.file} has no compiled form")
    return text


def _automaton(options: argparse.Namespace) -> str:
    from kripke.logic.parser import parse
    from kripke.logic.translation import TranslationTooLarge, buchi, generalised

    if options.c or options.graph or options.prefix:
        raise UsageError("--ltl goes with --hoa, --never-claim or --dot")
    if options.file is not None:
        raise UsageError(f"--ltl is about plain names here, not about a model: leave {options.file} out")
    formula = parse(options.ltl, "--ltl")
    try:
        if options.never_claim:
            from kripke.logic.never import written

            return written(buchi(formula))
        if options.dot:
            from kripke.logic.dot import written
        else:
            from kripke.logic.hoa import written
        return written(generalised(formula))
    except TranslationTooLarge as problem:
        raise UsageError(str(problem)) from None


def _prefix(options: argparse.Namespace) -> str:
    from kripke.cli.request import load_with_warnings
    from kripke.nets.model import NetModel
    from kripke.nets.unfolding.prefix import NotUnfoldable, unfold

    model = load_with_warnings(options)
    if not isinstance(model, NetModel):
        raise UsageError(f"--prefix is for Petri nets; {model.file} is a {model.language} model")
    try:
        prefix = unfold(model.net)
    except NotUnfoldable as refusal:
        raise UsageError(f"--prefix: {refusal}") from refusal
    figures = f"{len(prefix.conditions):,} conditions, {len(prefix.events):,} events, {prefix.cut_offs:,} cut-offs"
    print(figures, file=sys.stderr)
    return "\n".join(prefix.dot_lines()) + "\n"
