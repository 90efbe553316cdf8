"""``kripke emit``: what is made from a model or a formula, as text."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Literal

from kripke.cli.main import UsageError
from kripke.cli.output import write_text
from kripke.cli.safe_stream import print_data
from kripke.model.capabilities.compilable import c_source

if TYPE_CHECKING:
    from kripke.model.diagram import Diagram


def run(options: argparse.Namespace) -> int:
    if options.ltl is not None:
        text = _automaton(options)
    elif (options.levels is not None or options.fold or options.layout != "own") and not options.svg:
        raise UsageError("--levels, --fold and --layout are for pictures: add --svg")
    elif options.svg:
        text = _picture(options)
    elif options.form is not None:
        text = _written(options)
    else:
        text = _prefix(options) if options.prefix else _generated_c(options)
    if options.output is None or options.output == "-":
        print_data(text)
    else:
        write_text(options.output, text)
    return 0


def _generated_c(options: argparse.Namespace) -> str:
    from kripke.cli.request import load_with_warnings

    for name in ("hoa", "never_claim"):
        if getattr(options, name):
            option = "--" + name.replace("_", "-")
            raise UsageError(f"{option} writes the automaton of a formula: kripke emit --ltl FORMULA {option}")
    if not options.c:
        raise UsageError(
            "say what to emit: --c, the generated C, --svg, a picture, or --ltl FORMULA, an automaton;"
            " of a net --pnml, --ll-net, --lola, --dot; of a Promela model --lf"
        )
    text = c_source(load_with_warnings(options))
    if text is None:
        raise UsageError(f"{options.file} has no compiled form")
    return text


def _automaton(options: argparse.Namespace) -> str:
    from kripke.logic.parser import parse
    from kripke.logic.translation import TranslationTooLarge, buchi, generalised

    if options.c or options.prefix or options.form not in (None, "dot"):
        raise UsageError("--ltl goes with --hoa, --never-claim, --dot or --svg")
    if options.file is not None:
        raise UsageError(f"--ltl is about plain names here, not about a model: leave {options.file} out")
    formula = parse(options.ltl, "--ltl")
    try:
        if options.never_claim:
            from kripke.logic.never import written

            return written(buchi(formula))
        if options.svg:
            from kripke.pictures.graphs import automaton_diagram

            return _drawn([automaton_diagram(generalised(formula))], "--hoa and --dot write it all the same")
        if options.form == "dot":
            from kripke.logic.dot import written
        else:
            from kripke.logic.hoa import written
        return written(generalised(formula))
    except TranslationTooLarge as problem:
        raise UsageError(str(problem)) from None


def _written(options: argparse.Namespace) -> str:
    """In a form of the model's language; what is lost on the way there is said."""
    from kripke.cli.request import load_with_warnings, request_of
    from kripke.languages.registry import forms_of_languages, language_of

    model = load_with_warnings(options)
    form = next((one for one in language_of(request_of(options)).forms if one.name == options.form), None)
    everyone = forms_of_languages().get(options.form)
    if form is None and everyone is not None and everyone.general:
        form = everyone
    if form is None and options.form == "dot":
        raise UsageError("--dot writes a net, or the automaton of a formula: kripke emit --ltl FORMULA --dot")
    if form is None:
        raise UsageError(forms_of_languages()[options.form].refusal(model))
    text, warnings = form.write(model, form)
    for warning in warnings:
        print(f"warning: {warning}", file=sys.stderr)
    return text


def _picture(options: argparse.Namespace) -> str:
    from kripke.cli.request import load_with_warnings
    from kripke.pictures.graphs import model_diagrams

    diagrams = model_diagrams(load_with_warnings(options))
    if options.levels is not None or options.fold:
        diagrams = _folded(diagrams, options)
    instead = "kripke info tells what the model contains"
    if any(diagram.depth > 1 for diagram in diagrams):
        instead = "--levels N and --fold NAME leave out what is inside of states"
    return _drawn(diagrams, instead, options.layout)


def _folded(diagrams: list[Diagram], options: argparse.Namespace) -> list[Diagram]:
    names = [name.strip() for given in options.fold for name in given.split(",") if name.strip()]
    known = set[str]().union(*(diagram.names() for diagram in diagrams))
    if options.levels is not None and options.levels < 1:
        raise UsageError("--levels: at least one level is drawn")
    for name in names:
        if name not in known:
            there = ", ".join(sorted(known)[:12]) or "none"
            raise UsageError(f"--fold {name}: nothing of this name has something inside (there are: {there})")
    return [diagram.folded(options.levels, names) for diagram in diagrams]


def _drawn(diagrams: list[Diagram], instead: str, layout: Literal["own", "graphviz"] = "own") -> str:
    from kripke.model.diagram import TooLarge
    from kripke.pictures.clusters import NoGraphviz
    from kripke.pictures.svg import svg

    try:
        for diagram in diagrams:
            diagram.refuse_large(instead)
    except TooLarge as refusal:
        raise UsageError(f"--svg: {refusal}") from refusal
    try:
        return svg(diagrams, layout=layout)
    except NoGraphviz as refusal:
        raise UsageError(f"--layout {layout}: {refusal}") from refusal


def _prefix(options: argparse.Namespace) -> str:
    from kripke.cli.request import load_with_warnings
    from kripke.engines.nets.unfolding.prefix import prefix_of

    prefix, warnings = prefix_of(load_with_warnings(options))
    for warning in warnings:
        print(f"warning: {warning}", file=sys.stderr)
    figures = f"{len(prefix.conditions):,} conditions, {len(prefix.events):,} events, {prefix.cut_offs:,} cut-offs"
    print(figures, file=sys.stderr)
    return "\n".join(prefix.dot_lines()) + "\n"
