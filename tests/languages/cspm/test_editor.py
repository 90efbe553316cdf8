"""A script in an editor."""

from __future__ import annotations

from kripke.languages.cspm.editor import ScriptDocument

TEXT = """datatype T = A | B.{0..1}
channel c : T
P(x) = c.x -> P(x)
MAIN = P(A)
assert MAIN :[deadlock free]
"""


def test_outline_and_types() -> None:
    document = ScriptDocument(TEXT, "t.csp", None)
    assert document.problems() == []
    assert [(s.name, s.kind) for s in document.outline()] == [
        ("T", "datatype"),
        ("c", "channel"),
        ("P", "process"),
        ("MAIN", "process"),
        ("MAIN :[deadlock free]", "assertion"),
    ]
    symbol = document.symbol_at(3, 7)
    assert symbol is not None and symbol.range.line == 2
    assert symbol.text.startswith("P :: (T) -> Proc\n")


def test_problems_and_what_stays() -> None:
    before = ScriptDocument(TEXT, "t.csp", None)
    broken = ScriptDocument(TEXT + "Q = (\n", "t.csp", before)
    assert [p.message for p in broken.problems()] == ["expected an expression, found the end of the file"]
    assert len(broken.outline()) == 5
    mistyped = ScriptDocument(TEXT + "Q = c.7 -> STOP\n", "t.csp", before)
    assert mistyped.problems()[0].range.line == 5
    assert "type error" in mistyped.problems()[0].message
