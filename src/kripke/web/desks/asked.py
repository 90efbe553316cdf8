"""What a page asks of a check: the fields of a plan that it may set, read with care, as the options of the command."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from typing import Any

from kripke.cli.arguments import parse
from kripke.cli.command_line import words_of
from kripke.engines.plan import SearchPlan
from kripke.engines.registry import refuse_beside
from kripke.engines.unsupported import Unsupported

#: fields of a plan that name files, which a page may not choose
_FILES = ("checkpoint", "checkpoint_every", "resume", "formula_files")
_MOST_TEXTS = 50
_LONGEST = 10_000


def words_of_page(setting: Mapping[str, Any], name: str, defines: Mapping[str, str], given: object) -> list[str]:
    """The arguments of ``kripke check`` for what a page has chosen; Unsupported says what is wrong with it."""
    if not isinstance(given, dict):
        raise Unsupported("a plan is an object")
    fields: dict[str, Any] = {field: value for field, value in given.items() if value is not None}
    formulas = fields.pop("ltl", [])
    _refuse_texts("ltl", formulas)
    for field, value in fields.items():
        if field in _FILES:
            raise Unsupported(f"{field} names files, which a page does not choose: use the command")
        if isinstance(value, (list, str)):
            _refuse_texts(field, value if isinstance(value, list) else [value])
    words = words_of(SearchPlan.from_json(fields), name, defines, tuple(formulas))
    return [*words, "--allow-c"] if setting.get("allow_c") else words


def options_of_page(setting: Mapping[str, Any], words: list[str]) -> argparse.Namespace:
    """The options as the command reads them. Nothing from outside of the folder is included."""
    try:
        options = parse("check", words)
    except SystemExit:
        raise Unsupported("the command does not take what is chosen here") from None
    options.include_root = os.path.realpath(setting["folder"])
    options.outputs = {}
    options.quiet = True
    refuse_beside(vars(options))
    return options


def _refuse_texts(name: str, texts: object) -> None:
    right = isinstance(texts, list) and len(texts) <= _MOST_TEXTS
    if not right or not all(isinstance(text, str) and len(text) <= _LONGEST for text in texts):  # type: ignore[attr-defined]
        raise Unsupported(f"{name}: this cannot be read")
