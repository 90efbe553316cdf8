"""The extension for VS Code: what it says about languages is what they say about themselves."""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

from kripke.languages.registry import LANGUAGES
from tests.editor.conversation import ROOT
from tests.editor.record_sessions import EDITED

EXTENSION = ROOT / "editors" / "vscode"


@pytest.fixture(scope="module")
def generate() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", EXTENSION / "generate.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_what_is_generated_is_up_to_date(generate: ModuleType) -> None:
    stale = [path.name for path, text in generate.files().items() if path.read_text() != text]
    assert stale == [], "run: ./dev python editors/vscode/generate.py"


def test_every_language_is_there() -> None:
    contributes = json.loads((EXTENSION / "package.json").read_text())["contributes"]
    assert [one["id"] for one in contributes["languages"]] == EDITED
    for one in contributes["languages"]:
        assert one["extensions"] == list(LANGUAGES[one["id"]].endings)
        assert (EXTENSION / one["configuration"]).is_file()
    assert all((EXTENSION / one["path"]).is_file() for one in contributes["grammars"])


def patterns(grammar: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for pattern in grammar.get("patterns", ()):
        yield pattern
        yield from patterns(pattern)


@pytest.mark.parametrize(
    ("language", "text", "scope"),
    [
        ("promela", "proctype", "keyword.control.promela"),
        ("promela", "byte", "storage.type.promela"),
        ("promela", "#define", "keyword.control.directive.promela"),
        ("promela", "// words", "comment.line.promela"),
        ("lf", "MODULE", "keyword.control.lf"),
        ("lf", "INT8", "storage.type.lf"),
        ("cspm", "-- words", "comment.line.cspm"),
        ("cspm", "datatype", "keyword.control.cspm"),
        ("maria", "trans", "keyword.control.maria"),
        ("modes", "submode", "keyword.control.modes"),
        ("pep", "PL", "keyword.control.pep"),
        ("uml", "  ' words", "comment.line.uml"),
        ("pnml", "&lt;", "constant.character.entity.pnml"),
        ("scxml", "&amp;", "constant.character.entity.scxml"),
    ],
)
def test_words_have_their_colours(language: str, text: str, scope: str) -> None:
    grammar = json.loads((EXTENSION / "syntaxes" / f"{language}.tmLanguage.json").read_text())
    first = next(p for p in patterns(grammar) if "match" in p and re.search(p["match"], text))
    assert first["name"] == scope


@pytest.mark.parametrize("language", EDITED)
def test_every_pattern_can_be_read(language: str) -> None:
    grammar = json.loads((EXTENSION / "syntaxes" / f"{language}.tmLanguage.json").read_text())
    for pattern in patterns(grammar):
        for key in ("match", "begin", "end"):
            re.compile(pattern.get(key, ""))
