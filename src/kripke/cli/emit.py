"""``kripke emit``: what is made from a model or a formula, as text."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from kripke.cli.main import UsageError
from kripke.cli.output import write_text
from kripke.cli.safe_stream import print_data
from kripke.model.capabilities.compilable import c_source

if TYPE_CHECKING:
    from kripke.model.diagram import Diagram
    from kripke.model.model import Model
    from kripke.nets.place_transition import PlaceTransitionNet

_NET_FORMS = ("pnml", "ll_net", "lola", "pn")


def run(options: argparse.Namespace) -> int:
    if options.ltl is not None:
        text = _automaton(options)
    elif options.svg:
        text = _picture(options)
    elif options.dot or any(getattr(options, form) for form in _NET_FORMS):
        text = _written_net(options)
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
            " of a net --pnml, --ll-net, --lola, --dot"
        )
    text = c_source(load_with_warnings(options))
    if text is None:
        raise UsageError(f"{options.file} has no compiled form")
    return text


def _automaton(options: argparse.Namespace) -> str:
    from kripke.logic.parser import parse
    from kripke.logic.translation import TranslationTooLarge, buchi, generalised

    if options.c or options.prefix or any(getattr(options, form) for form in _NET_FORMS):
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
        if options.dot:
            from kripke.logic.dot import written
        else:
            from kripke.logic.hoa import written
        return written(generalised(formula))
    except TranslationTooLarge as problem:
        raise UsageError(str(problem)) from None


def _written_net(options: argparse.Namespace) -> str:
    from kripke.cli.request import load_with_warnings
    from kripke.nets.export import written

    form = next((form for form in _NET_FORMS if getattr(options, form)), "dot")
    model = load_with_warnings(options)
    if form == "dot" and not hasattr(model, "net"):
        raise UsageError("--dot writes a net, or the automaton of a formula: kripke emit --ltl FORMULA --dot")
    return written(_place_transition_net(model, "--" + form.replace("_", "-")), form)


def _picture(options: argparse.Namespace) -> str:
    from kripke.cli.request import load_with_warnings
    from kripke.pictures.graphs import model_diagrams

    return _drawn(model_diagrams(load_with_warnings(options)), "kripke info tells what the model contains")


def _drawn(diagrams: list[Diagram], instead: str) -> str:
    from kripke.model.diagram import TooLarge
    from kripke.pictures.svg import svg

    try:
        for diagram in diagrams:
            diagram.refuse_large(instead)
    except TooLarge as refusal:
        raise UsageError(f"--svg: {refusal}") from refusal
    return svg(diagrams)


def _place_transition_net(model: Model, option: str) -> PlaceTransitionNet:
    """The net of a model; what is lost on the way there is said."""
    from kripke.nets.export import Exportable
    from kripke.nets.place_transition_view import NotExpressible

    exportable = model.capability(Exportable)
    if exportable is None:
        raise UsageError(f"{option} is for Petri nets; {model.file} is a {model.language} model")
    try:
        net, warnings = exportable.exported_net()
    except NotExpressible as refusal:
        raise UsageError(f"{option}: {refusal}") from refusal
    for warning in warnings:
        print(f"warning: {warning}", file=sys.stderr)
    return net


def _prefix(options: argparse.Namespace) -> str:
    from kripke.cli.request import load_with_warnings
    from kripke.engines.nets.unfolding.prefix import NotUnfoldable, unfold

    net = _place_transition_net(load_with_warnings(options), "--prefix")
    try:
        prefix = unfold(net)
    except NotUnfoldable as refusal:
        raise UsageError(f"--prefix: {refusal}") from refusal
    figures = f"{len(prefix.conditions):,} conditions, {len(prefix.events):,} events, {prefix.cut_offs:,} cut-offs"
    print(figures, file=sys.stderr)
    return "\n".join(prefix.dot_lines()) + "\n"
