"""Imports go downwards only, late ones and those for types included.

    cli, web, loaded, editor  everything
    checker                   engines and answers
    clarity, report, ...      answers: engines, model, logic
    engines                   model, logic; engines/<family> also that family
    languages                 families, model, logic
    families                  model, logic
    model                     logic, terms
    logic, terms              places in a text

Languages and engines never see each other: both know the model.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

SOURCE = Path(__file__).parents[2] / "src"

FAMILIES = ("process", "actions", "nets", "hierarchy", "algebra", "synchronous", "heap")
ANSWERS = ("clarity", "report", "pictures", "proofs")
TOP = ("cli", "web", "loaded", "editor", "notebook", "interleave_plugin", "pytest_plugin", "testing", "__init__")
TOP += ("__main__",)

#: What a part may import beside itself.
_BOTTOM = {
    "source",
    "deadline",
    "memory",
    "digest",
    "numbers",
    "text",
    "presentation",
    "compilation",
    "_native",
    "__version__",
}
_MODEL = _BOTTOM | {"logic", "terms", "model"}
_ENGINES = _MODEL | {"engines"}
_ANSWERS = _ENGINES | set(ANSWERS)
ALLOWED: dict[str, set[str]] = {
    **{part: set() for part in _BOTTOM},
    "source": {"text"},
    "compilation": {"deadline", "digest", "__version__"},
    "logic": _BOTTOM,
    "terms": _BOTTOM,
    "model": _MODEL,
    **dict.fromkeys(FAMILIES, _MODEL),
    "languages": _MODEL | set(FAMILIES),
    "engines": _ENGINES,
    **{f"engines/{family}": _ENGINES | {family} for family in FAMILIES},
    **dict.fromkeys(ANSWERS, _ANSWERS),
    "checker": _ANSWERS | {"checker"} | {f"engines/{family}" for family in FAMILIES},
}


class Import(NamedTuple):
    file: str
    line: int
    module: str


def part_of(module: str) -> str:
    """The part of the project a module belongs to."""
    names = module.split(".")[1:]
    match names:
        case []:
            return "__init__"
        case ["model", "source", *_]:
            return "source"
        case ["engines", family, *_] if family in FAMILIES:
            return f"engines/{family}"
        case [first, *_]:
            return first
    raise AssertionError(module)


def modules() -> Iterator[tuple[Path, str]]:
    for path in sorted((SOURCE / "kripke").rglob("*.py")):
        names = path.relative_to(SOURCE).with_suffix("").parts
        yield path, ".".join(names[:-1] if names[-1] == "__init__" and len(names) > 2 else names)


_NOT_PYTHON = ("kripke._native", "kripke.__version__")
KNOWN = {module for _, module in modules()}


def imports_of(text: str, name: str) -> Iterator[Import]:
    for node in sorted(ast.walk(ast.parse(text)), key=lambda node: getattr(node, "lineno", 0)):
        if isinstance(node, ast.Import):
            wanted = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name}:{node.lineno}: write the whole name of what is imported"
            # A name in a package may be a module of its own.
            inside = [f"{node.module}.{alias.name}" for alias in node.names]
            wanted = [each if each in KNOWN or each in _NOT_PYTHON else node.module or "" for each in inside]
        else:
            continue
        for module in dict.fromkeys(wanted):
            if module.split(".")[0] == "kripke":
                yield Import(name, node.lineno, module)


def forbidden() -> Iterator[tuple[Import, str, str]]:
    for path, module in modules():
        part = part_of(module)
        if part in TOP:
            continue
        assert part in ALLOWED, f"{path}: say in {__file__} which layer kripke.{part} belongs to"
        for each in imports_of(path.read_text(), str(path.relative_to(SOURCE.parent))):
            other = part_of(each.module)
            if other != part and other not in ALLOWED[part]:
                yield each, part, other


def test_imports_go_downwards() -> None:
    found = list(forbidden())
    wrong = [
        f"{each.file}:{each.line} imports {each.module}: {part} must not know {other}" for each, part, other in found
    ]
    assert not wrong, "\n".join(["imports upwards:", *wrong])


def test_late_imports_and_those_for_types_are_seen() -> None:
    text = """
from typing import TYPE_CHECKING
from kripke import __version__
if TYPE_CHECKING:
    from kripke.report import html
def late():
    import kripke.engines.plan
    from kripke.cli.main import main
"""
    found = [(each.line, each.module) for each in imports_of(text, "here.py")]
    assert found == [
        (3, "kripke.__version__"),
        (5, "kripke.report.html"),
        (7, "kripke.engines.plan"),
        (8, "kripke.cli.main"),
    ]


@pytest.mark.parametrize(
    ("part", "other"),
    [
        ("languages", "engines"),
        ("engines", "languages"),
        ("engines", "nets"),
        ("engines/nets", "process"),
        ("nets", "process"),
        ("model", "report"),
        ("logic", "model"),
        ("report", "nets"),
        ("checker", "languages"),
        ("checker", "cli"),
    ],
)
def test_who_must_not_know_whom(part: str, other: str) -> None:
    assert other not in ALLOWED[part]


def test_the_map_names_what_is_there() -> None:
    """What stands between backquotes and looks like a path is one, and the map is a page."""
    text = (SOURCE.parent / "docs" / "architecture.md").read_text()
    found = set(re.findall(r"`((?:[a-z_]+/)+[a-z_]*(?:\.\w+)?|[a-z_]+\.py)`", text))
    assert len(found) > 40
    general = {"lowering/", "registration.py"}  # in some packages
    roots = (SOURCE / "kripke", SOURCE.parent)
    assert [path for path in sorted(found - general) if not any((root / path).exists() for root in roots)] == []
    assert len(text.splitlines()) < 120
