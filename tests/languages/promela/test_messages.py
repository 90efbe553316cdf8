"""Every error message of the Promela front end is the business of some test: its words occur there.

The messages are found in the source: whatever is handed as a message to `fail`, `error` and the like. Of a message with
parts that are filled in, the longest fixed piece counts.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[3]
SOURCES = sorted((ROOT / "src" / "kripke" / "languages" / "promela").rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("test_*.py"))
RAISING = {"fail", "error", "_error", "unsupported", "no_type", "no_options", "misplaced_label", "ModelError"}

# Behind a check that comes first, or slow to provoke: no short text leads to them.
WITHOUT = {
    ": not supported yet",
    "a label must stand before a statement",
    "a parameter has no start value",
    "a temporal operator cannot stand in a state expression",
    "an atomic sequence of this claim does not end",
    "and others expand to more than",
    "cannot be received into",
    "cannot stand in a state expression",
    "is a channel, not a variable",
    "there is no never claim in",
}


def pieces(node: ast.expr) -> list[str]:
    """The fixed pieces of a message."""
    match node:
        case ast.Constant(value=str(text)):
            return [text]
        case ast.JoinedStr(values=values):
            return [piece for value in values for piece in pieces(value)]
        case ast.BinOp(left=left, right=right):
            return pieces(left) + pieces(right)
    return []


def messages(source: Path) -> Iterator[str]:
    """The longest fixed piece of every message in a file; names that stand for messages are followed."""
    tree = ast.parse(source.read_text())
    assigned: dict[str, list[ast.expr]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            assigned.setdefault(node.targets[0].id, []).append(node.value)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name not in RAISING:
            continue
        first = node.args[0]
        given = assigned.get(first.id, []) if isinstance(first, ast.Name) and first.id == "message" else [first]
        for message in given:
            found = pieces(message)
            longest = max(found, key=len, default="").strip(" '\"")
            if len(longest) > 4:
                yield longest


def test_every_message_has_a_test() -> None:
    tests = "\n".join(path.read_text().replace("\\", "") for path in TESTS if path != Path(__file__))
    missing = [
        f"{source.relative_to(ROOT)}: {message}"
        for source in SOURCES
        for message in dict.fromkeys(messages(source))
        if message.replace("\\", "") not in tests and message not in WITHOUT
    ]
    assert not missing, "\n".join(missing)
