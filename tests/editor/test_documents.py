"""Documents of every language, asked directly: problems as they are typed, outline, what a word means."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("pygls", reason="pip install 'kripke[lsp]'")
from kripke.editor.reading import read_document
from kripke.editor.unread import UnreadDocument
from kripke.languages.editing.document import Document, Symbol
from kripke.languages.registry import LANGUAGES, PACKAGES, language_of_ending

EXAMPLES = Path(__file__).parents[2] / "examples"

MARIA = """\
typedef unsigned (1..3) number_t;
typedef enum { free, taken } state_t;
typedef struct { number_t owner; state_t state; } fork_t;
number_t following(number_t n) n == 3 ? 1 : n + 1;
place forks (0..3) fork_t: number_t n: { n, free };
place count (0..9) number_t;
trans take
{ number_t who; }
in { place forks: { who, free }; }
out { forks: { who, taken }; count: following(who); };
prop busy: cardinality place count > 0;
reject cardinality place count == 9;
subnet left {
  place count (0..1) number_t;
  trans inner in { count: x; };
};
"""

PEP = """\
PEP
PTNet
FORMAT_N
PL
1"ready"10@10M2
2"done"10@30
TR
1"work"10@20
TP
1<2w3
PT
1>1
"""

PNML = """\
<?xml version="1.0" encoding="ISO-8859-1"?>
<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">
  <net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">
    <place id="p1"><name><text>fork ü</text></name><initialMarking><text>2</text></initialMarking></place>
    <place
       id="p2"/>
    <transition id="t1"><name><text>take</text></name></transition>
    <arc id="a1" source="p1" target="t1"><inscription><text>2</text></inscription></arc>
    <arc id="a2" source="t1" target="p2"/>
  </page></net>
</pnml>
"""


def at(document: Document, text: str, word: str, occurrence: int = 0) -> Symbol | None:
    """What the given occurrence of a word means."""
    place = -1
    for _ in range(occurrence + 1):
        place = text.index(word, place + 1)
    return document.symbol_at(text.count("\n", 0, place), place - text.rfind("\n", 0, place) - 1)


def where(symbol: Symbol | None) -> tuple[str, int] | None:
    return None if symbol is None else (symbol.kind, symbol.name_range.line + 1)


def tree(symbols: list[Symbol] | tuple[Symbol, ...]) -> list[object]:
    return [(s.kind, s.name, tree(s.children)) if s.children else (s.kind, s.name) for s in symbols]


def test_maria() -> None:
    document = read_document("", MARIA, "m.pn")
    assert (document.language, document.problems()) == ("maria", [])
    assert tree(document.outline()) == [
        ("type", "number_t"),
        ("type", "state_t", [("constant", "free"), ("constant", "taken")]),
        ("type", "fork_t", [("component", "owner"), ("component", "state")]),
        ("function", "following", [("parameter", "n")]),
        ("place", "forks"),
        ("place", "count"),
        ("transition", "take", [("variable", "who")]),
        ("proposition", "busy"),
        ("condition", "reject"),
        ("sub-net", "left", [("place", "count"), ("transition", "inner", [("variable", "x")])]),
    ]
    for word, occurrence, kind, line in (
        ("number_t", 3, "type", 1),
        ("free }; }", 0, "constant", 2),
        ("following", 1, "function", 4),
        ("n + 1", 0, "parameter", 4),
        ("forks", 2, "place", 5),
        ("who", 2, "variable", 8),
        ("count: following", 0, "place", 6),
        ("count: x", 0, "place", 14),
    ):
        assert (word, where(at(document, MARIA, word, occurrence))) == (word, (kind, line))
    take = at(document, MARIA, "take\n")
    assert take is not None and take.text.startswith("trans take\n{ number_t who; }") and take.range.end_line == 9
    assert at(document, MARIA, "cardinality") is None


def test_maria_as_it_is_typed() -> None:
    document = read_document("", MARIA, "m.pn")
    wrong = MARIA.replace("count: following", "cuont: following")
    typed = read_document("", wrong, "m.pn", document)
    (problem,) = typed.problems()
    assert (problem.severity, problem.range.line) == ("error", 9) and "cuont" in problem.message
    assert len(typed.outline()) == 10
    typed = read_document("", MARIA + "trans { in", "m.pn", typed)
    (problem,) = typed.problems()
    assert problem.range.line == 16
    assert where(at(typed, MARIA, "following", 1)) == ("function", 4)  # from the last good form


def test_pep() -> None:
    document = read_document("", PEP, "m.ll_net")
    assert (document.language, document.problems()) == ("pep", [])
    assert tree(document.outline()) == [("place", "ready"), ("place", "done"), ("transition", "work")]
    assert where(document.symbol_at(9, 0)) == ("transition", 8)  # 1<2: the transition is at the left
    assert where(document.symbol_at(9, 2)) == ("place", 6)
    assert where(document.symbol_at(11, 0)) == ("place", 5)
    assert where(document.symbol_at(11, 2)) == ("transition", 8)
    work = document.symbol_at(7, 4)
    assert work is not None and work.text == "1: work\nfrom  ready\nto    done (3)"
    ready = document.symbol_at(4, 4)
    assert ready is not None and ready.text == "1: ready, 2 tokens\nto    work"
    (problem,) = read_document("", PEP + "1>7\n", "m.ll_net", document).problems()
    assert (problem.message, problem.range.line) == ("there is no transition 7", 12)


def test_pnml() -> None:
    document = read_document("xml", PNML, "m.pnml")
    assert (document.language, document.problems()) == ("pnml", [])
    assert tree(document.outline()) == [("place", "fork ü"), ("place", "p2"), ("transition", "take")]
    assert where(at(document, PNML, 'p1" target')) == ("place", 4)
    assert where(at(document, PNML, 'p2"/>', 1)) == ("place", 6)
    assert where(at(document, PNML, 't1"><ins')) == ("transition", 7)
    assert where(at(document, PNML, "take")) == ("transition", 7)
    take = at(document, PNML, "take")
    assert take is not None and take.text == "take (id t1)\nfrom  fork ü (2)\nto    p2"
    fork = at(document, PNML, "p1")
    assert fork is not None and fork.text == "fork ü (id p1), marking 2\nto    take (2)"
    typed = read_document("", PNML.replace('target="p2"', 'target="p9"'), "m.pnml", document)
    (problem,) = typed.problems()
    assert (problem.message, problem.range.line) == ("there is no place or transition p9", 8)
    assert len(typed.outline()) == 3
    (problem,) = read_document("", PNML.replace("</page>", ""), "m.pnml", document).problems()
    assert "no well-formed XML" in problem.message


def test_colours_in_pnml() -> None:
    file = EXAMPLES / "pnml" / "philosophers.pnml"
    text = file.read_text()
    document = read_document("", text, str(file))
    assert document.problems() == []
    assert [(s.kind, s.name) for s in document.outline()][:6] == [
        ("sort", "Seat"),
        ("constant", "1"),
        ("constant", "2"),
        ("constant", "3"),
        ("constant", "4"),
        ("variable", "x"),
    ]
    assert where(at(document, text, 'seat"/>')) == ("sort", 7)
    assert where(at(document, text, 'x"/>')) == ("variable", 15)


@pytest.mark.parametrize(
    "file",
    sorted(file for file in EXAMPLES.glob("*/*.*") if file.parent.name != "distributed"),
    ids=lambda file: f"{file.parent.name}/{file.name}",
)
def test_every_example_is_read(file: Path) -> None:
    if language_of_ending(str(file)) is None:  # manifests, lemmas
        return
    document = read_document("", file.read_text(), str(file))
    assert [problem for problem in document.problems() if problem.severity == "error"] == []
    assert document.outline() or isinstance(document, UnreadDocument)
    lines = file.read_text().split("\n")
    for symbol in document.outline():
        whole, named = symbol.range, symbol.name_range
        assert whole.holds(named.line, named.character) and whole.holds(named.end_line, named.end_character)
        assert named.end_character <= len(lines[named.end_line])


def test_another_language_has_the_problems_of_its_file(tmp_path: Path) -> None:
    document = read_document("", "text", str(tmp_path / "m.unknown"))
    (problem,) = document.problems()
    assert problem.severity == "error" and document.outline() == [] and document.symbol_at(0, 0) is None


@pytest.mark.parametrize("name", sorted(PACKAGES))
def test_icons_are_those_of_the_protocol(name: str) -> None:
    types = pytest.importorskip("lsprotocol.types")
    read = LANGUAGES[name].document
    if read is not None:
        assert set(read("", f"empty.{name}", None).icons.values()) <= set(types.SymbolKind.__members__)
