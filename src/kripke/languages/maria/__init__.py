"""Maria's language (``.pn``): high-level nets with typed tokens, modules and a preprocessor of flags."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from kripke.languages.forms import NET_FORMS
from kripke.languages.language import Language, Option

if TYPE_CHECKING:
    from kripke.languages.editing.document import Document
    from kripke.languages.request import LoadRequest
    from kripke.model.highlighting import Highlighting
    from kripke.model.property import Temporal
    from kripke.model.source import Sources
    from kripke.nets.high_level.model import HighLevelModel
    from kripke.nets.high_level.net import Condition, HighLevelNet


def load(
    path: str,
    *,
    defines: Mapping[str, str] | None = None,
    undefines: Sequence[str] = (),
    include_paths: Sequence[str] = (),
    include_root: str | None = None,
    invariants: Sequence[str] = (),
    formulas: Sequence[str] = (),
    modular: bool = False,
    compress: Sequence[str] = (),
) -> HighLevelModel:
    """The net in a file. Invariants and formulas are written in Maria's own language.

    ``compress``: "paths", "hidden" or both, states that are not kept."""
    from kripke.languages.maria.flattening import Flattening
    from kripke.languages.maria.lexer import read_text, tokenize
    from kripke.languages.maria.parser import parse
    from kripke.languages.maria.questions import asked
    from kripke.model.source import ModelError, Sources
    from kripke.nets.high_level.model import HighLevelModel

    sources = Sources(include_root)
    symbols = set(defines or {}) - set(undefines)
    try:
        syntax = parse(tokenize(path, read_text(path), sources, symbols, include_paths), sources)
        if not syntax.declarations:
            raise ModelError(f"{path} contains no net", hint="a net has places: place name (0..1) struct {};")
        flattening = Flattening(sources)
        net, scope = flattening.net(syntax, os.path.basename(path))
        conditions, properties = asked(flattening, scope, invariants, formulas)
        net = replace(net, slots=max(net.slots, flattening.resolver.slots))  # of what is asked, too
    except RecursionError:
        raise ModelError(f"{path} is nested too deeply") from None
    if modular:
        return _modular(net, path, sources, conditions, properties)
    if compress:
        return _compressed(net, path, sources, conditions, properties, compress)
    if formulas and net.fair_sets:
        from kripke.nets.high_level.fair import FairModel

        return FairModel(net, path, "maria", sources, conditions, (), properties)
    return HighLevelModel(net, path, "maria", sources, conditions, (), properties)


def _modular(
    net: HighLevelNet, path: str, sources: Sources, conditions: list[Condition], properties: list[Temporal]
) -> HighLevelModel:
    from kripke.model.source import ModelError
    from kripke.nets.high_level.modular import ModularModel

    if not net.modules:
        raise ModelError(f"{path} has no sub-nets", hint="leave out --modular")
    _require_stuttering(net, properties, "--modular")
    if any(transition.priority for transition in net.transitions):
        raise ModelError("priorities are about the flat net", hint="leave out --modular")
    return ModularModel(net, path, "maria", sources, conditions, (), properties)


def _compressed(
    net: HighLevelNet,
    path: str,
    sources: Sources,
    conditions: list[Condition],
    properties: list[Temporal],
    compress: Sequence[str],
) -> HighLevelModel:
    from kripke.model.source import ModelError
    from kripke.nets.high_level.compressed import CompressedModel

    paths, hidden = "paths" in compress, "hidden" in compress
    if properties and hidden:
        raise ModelError("a formula may be about runs of hidden steps for ever", hint="leave out --compress hidden")
    _require_stuttering(net, properties, "--compress")
    return CompressedModel(net, path, "maria", sources, conditions, (), properties, paths=paths, hidden=hidden)


def _require_stuttering(net: HighLevelNet, properties: Sequence[Temporal], option: str) -> None:
    """Where steps are left out, they cannot be counted, and fairness to them cannot be told."""
    from kripke.logic.stuttering import is_stutter_invariant
    from kripke.model.source import ModelError

    for property_ in properties:
        if property_.formula is not None and not is_stutter_invariant(property_.formula):
            raise ModelError(
                f"a formula with () counts steps, which {option} leaves out",
                hint=f"check the whole net, without {option}",
            )
    if properties and net.fair_sets:
        raise ModelError("fairness sets are about the steps of the whole net", hint=f"leave out {option}")


def _load(request: LoadRequest) -> HighLevelModel:
    from kripke.model.source import ModelError

    modular, compress = request.options["modular"], request.options["compress"]
    if request.progress is not None:
        raise ModelError(
            "--progress is for Promela models and place/transition nets, not for high-level ones yet",
            hint="search without --search sweep, or write the net as PNML",
        )
    if modular and compress:
        raise ModelError("--modular and --compress do not go together", hint="choose one of them")
    return load(
        request.path,
        defines=request.defines,
        undefines=request.undefines,
        include_paths=request.include_paths,
        include_root=request.include_root,
        # Both are conditions on states that become atoms.
        invariants=(*request.invariants, *(c for c in request.conditions if c not in request.invariants)),
        formulas=request.formulas,
        modular=modular,
        compress=compress,
    )


def _document(text: str, path: str, before: Document | None) -> Document:
    from kripke.languages.maria.editor import MariaDocument

    return MariaDocument(text, path, before)


def _highlighting() -> Highlighting:
    from kripke.languages.maria.lexer import WORDS
    from kripke.model.highlighting import Highlighting

    return Highlighting(WORDS, ("bool", "card_t", "char", "int", "unsigned"), directives="#")


LANGUAGE = Language(
    name="maria",
    endings=(".pn",),
    load=_load,
    models="nets in Maria's language",
    options=(
        Option("modular", "--modular", "explore sub-nets alone, and together only where they meet (Maria)"),
        Option(
            "compress",
            "--compress",
            "do not keep states with a single successor, or those behind hidden steps (Maria); may be repeated",
            default=(),
            choices=("paths", "hidden"),
            repeated=True,
        ),
    ),
    document=_document,
    highlighting=_highlighting,
    forms=NET_FORMS,
    manual="docs/languages/maria.md",
    examples="examples/maria",
)
