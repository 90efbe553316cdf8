"""From the options a verb was given to the model it works on."""

from __future__ import annotations

import argparse
import sys

from kripke.cli.language_options import options_of_language
from kripke.cli.main import UsageError
from kripke.cli.output import refuse_overwriting
from kripke.languages.registry import LANGUAGES, language_of, load_model
from kripke.languages.request import LoadRequest, estimate_expression
from kripke.languages.trails import Trails
from kripke.model.model import Model


def request_of(options: argparse.Namespace) -> LoadRequest:
    """The model named by FILE, -D, -U, -I, --lang and other options of a model, with what is asked of it."""
    return LoadRequest(
        path=options.file,
        language=options.lang,
        defines=dict(definition(text) for text in options.defines),
        undefines=tuple(options.undefines),
        include_paths=tuple(options.include_paths),
        include_root=options.include_root,
        invariants=tuple(getattr(options, "invariants", ())),
        formulas=_formulas(getattr(options, "ltl", None) or [], getattr(options, "possible", [])),
        claims=tuple(getattr(options, "claims", ())),
        formula_files=tuple(getattr(options, "formula_files", ())),
        conditions=(
            *_conditions(getattr(options, "ctl", []), getattr(options, "mu", [])),
            *_lemmas(getattr(options, "lemmas", None)),
        ),
        progress=getattr(options, "progress", None),
        estimate=estimate_expression(getattr(options, "estimate", None)),
        values=getattr(options, "values", None),
        events=getattr(options, "fair", None) == "events",
        allow_c=options.allow_c,
        options=options_of_language(options),
    )


def trails_of(request: LoadRequest, who: str) -> Trails:
    """What the language of the model knows of trails; UsageError where it knows nothing."""
    language = language_of(request)
    if language.trails is None:
        known = " and ".join(str(one) for one in LANGUAGES.values() if one.trails is not None)
        raise UsageError(f"{who} trails of {known} only")
    return language.trails()


def _formulas(every: list[str], possible: list[str]) -> tuple[str, ...]:
    """Of every run and of some run; one that is asked both ways is one formula."""
    return (*every, *(formula for formula in possible if formula not in every))


def _conditions(ctl: list[str], mu: list[str]) -> tuple[str, ...]:
    if not ctl and not mu:
        return ()
    from kripke.engines.branching.branching import conditions_of

    return conditions_of(ctl, mu)


def _lemmas(file: str | None) -> tuple[str, ...]:
    if file is None:
        return ()
    from kripke.engines.theories.lemma_file import read_lemmas

    return tuple(lemma.condition for lemma in read_lemmas(file))


def definition(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not name.isidentifier():
        raise UsageError(f"-D {text}: a macro has a name; write -D NAME or -D NAME=VALUE")
    return name, value if equals else "1"


def load_with_warnings(options: argparse.Namespace, request: LoadRequest | None = None) -> Model:
    """The model; warnings about it go to standard error."""
    model = load_model(request or request_of(options))
    refuse_overwriting(options.outputs, model.source_files())
    for warning in model.warnings:
        print(warning, file=sys.stderr)
    return model
