"""PNML place/transition nets: what is read, what is refused, and files that mean harm."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kripke.languages.pnml import load
from kripke.model.source import ModelError
from kripke.nets.model import NetModel
from kripke.nets.place_transition import Arc
from tests.support.pnml_nets import HEAD, KINDS, arc, place, pnml, transition

Read = Callable[[str], NetModel]

BODY = "\n".join([place("p", 2), place("q"), transition("t"), arc("p", "t", 2), arc("t", "q")])


def test_small(read: Read) -> None:
    net = read(pnml(BODY)).net
    assert [(p.name, p.initial) for p in net.places] == [("p", 2), ("q", 0)]
    assert [(t.name, t.preset, t.postset) for t in net.transitions] == [("t", (Arc(0, 2),), (Arc(1, 1),))]
    assert (net.transitions[0].span.line, net.transitions[0].span.column) == (5, 1)


def test_pages_references_and_names(read: Read) -> None:
    text = pnml(
        '<place id="p1"><name><text>fork</text></name></place>'
        '<place id="p2"><name><text>fork</text></name></place>'
        '<place id="p3"><name><text>spoon</text></name></place>'
        '<page id="inner"><referencePlace id="r" ref="r2"/><referencePlace id="r2" ref="p3"/>'
        '<transition id="t"/><arc id="a" source="r" target="t"/></page>'
        '<arc id="b" source="t" target="p1"/><arc id="c" source="t" target="p1"/>'
        '<toolspecific tool="x" version="1"><place id="p1"/></toolspecific>'
    )
    net = read(text).net
    assert [p.name for p in net.places] == ["p1", "p2", "spoon"]
    assert net.place_numbers["p3"] == net.place_numbers["spoon"] == (2,)
    assert net.transitions[0].preset == (Arc(2, 1),)
    assert net.transitions[0].postset == (Arc(0, 2),)  # two arcs are one of weight two


def test_elements_of_other_namespaces_are_passed_over(read: Read) -> None:
    foreign = '<x:place xmlns:x="urn:x" id="r"/><x:y xmlns:x="urn:x"><arc id="z" source="q" target="t"/></x:y>'
    assert read(pnml(BODY + foreign)).net == read(pnml(BODY)).net
    prefixed = (
        pnml(BODY).replace("<", "<n:").replace("<n:/", "</n:").replace("<n:?", "<?").replace("xmlns=", "xmlns:n=")
    )
    assert read(prefixed).net.transitions[0].preset == (Arc(0, 2),)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("<a/>", 1, "this is no PNML: the outermost element is a, not pnml"),
        (f"{HEAD}</pnml>", None, "net.pnml contains no net"),
        (pnml(""), 2, "the net has neither places nor transitions"),
        (pnml(BODY, "timednet"), 2, f"there is no support for nets of type {KINDS}timednet"),
        (pnml("<place/>"), 3, "this place has no id"),
        (pnml(place("p") + "\n" + place("p")), 4, "the id p is used twice"),
        (pnml(place("p") + "\n" + transition("p")), 4, "the id p is used twice"),
        (pnml(place("p", -1)), 3, "a place cannot hold -1 tokens"),
        (pnml(place("p", "many")), 3, "'many' is not a number"),
        (pnml(place("p", "1_0")), 3, "'1_0' is not a number"),
        (pnml(place("p", "\u0663")), 3, "'\u0663' is not a number"),
        (
            pnml(place("p", 1).replace("</place>", "\n<initialMarking><text>2</text></initialMarking></place>")),
            4,
            "this place has a second initialMarking",
        ),
        (
            pnml(BODY + arc("q", "t", 2).replace("</arc>", "\n<inscription><text>3</text></inscription></arc>")),
            8,
            "this arc has a second inscription",
        ),
        (pnml(BODY + '\n<referencePlace id="a" ref="t"/>'), 8, "this referencePlace refers to t, which is no place"),
        (pnml(BODY + '\n<referenceTransition id="a" ref="x"/>'), 8, "there is no place or transition x"),
        (pnml(place("p", "9" * 5000)), 3, "9" * 40 + " is out of range: at most 2,147,483,647"),
        (pnml(BODY + "\n" + arc("q", "t", 0)), 8, "the weight of an arc must be at least 1, not 0"),
        (pnml(BODY + "\n" + arc("q", "t", -3)), 8, "the weight of an arc must be at least 1, not -3"),
        (
            pnml(BODY + '\n<arc id="i" source="q" target="t" type="reset"/>'),
            8,
            "there is no support for arcs of type reset",
        ),
        (pnml(BODY + "\n" + arc("p", "q")), 8, "this arc joins two places"),
        (pnml(BODY + "\n" + arc("t", "t")), 8, "this arc joins two transitions"),
        (pnml(BODY + "\n" + arc("t", "x")), 8, "there is no place or transition x"),
        (pnml(BODY + '\n<arc id="a" target="t"/>'), 8, "this arc has no source"),
        (
            pnml(BODY + '\n<arc id="a" source="q" target="t"><type value="inhibitor"/></arc>'),
            8,
            "there is no support for arcs of type inhibitor",
        ),
        (
            pnml(BODY + '\n<referencePlace id="a" ref="b"/><referencePlace id="b" ref="a"/>' + arc("a", "t")),
            8,
            "the references from a go round in a circle",
        ),
        (
            pnml("<place id='p'><capacity><text>3</text></capacity></place>"),
            3,
            "capacities of places are not supported",
        ),
        (pnml(BODY).replace("</pnml>", f'<net id="m" type="{KINDS}ptnet"/></pnml>'), 8, "the file has a second net"),
        (pnml(BODY)[:-30], 7, "this is no well-formed XML: unclosed token"),
        (pnml("<place id='p'>&unknown;</place>"), 3, "this is no well-formed XML: undefined entity"),
        (pnml("<place id='p'>" + "<x>" * 600), 3, "the elements are nested too deeply"),
        ("", 1, "this is no well-formed XML: no element found"),
    ],
)
def test_errors(read: Read, text: str, line: int | None, message: str) -> None:
    with pytest.raises(ModelError) as caught:
        read(text)
    assert caught.value.message.endswith(message)
    if line is not None:
        assert caught.value.span is not None and caught.value.span.line == line


def test_entities_are_refused(read: Read) -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">' + "".join(
        f'<!ENTITY {chr(b)} "{f"&{chr(b - 1)};" * 10}">' for b in range(ord("b"), ord("l"))
    )
    with pytest.raises(ModelError, match="the file uses the entity a; entities are refused"):
        read(bomb + "]><pnml>&k;</pnml>")


def test_nothing_outside_the_file_is_read(tmp_path: Path, read: Read) -> None:
    secret = tmp_path / "secret"
    secret.write_text("7")
    outside = f'<!DOCTYPE pnml [<!ENTITY x SYSTEM "{secret.as_uri()}">]>'
    with pytest.raises(ModelError, match="entities are refused"):
        read(pnml(place("p", "&x;")).replace("<pnml", outside + "<pnml", 1))
    subset = f'<!DOCTYPE pnml SYSTEM "{secret.as_uri()}">'
    with pytest.raises(ModelError, match="entities are refused"):
        read(pnml(place("p", "&x;")).replace("<pnml", subset + "<pnml", 1))


def test_a_long_text_is_refused(read: Read) -> None:
    with pytest.raises(ModelError, match="the text of this element is too long"):
        read(pnml(place("p", "1" * (1 << 21))))


@pytest.mark.parametrize("text", ['<place id="{}"/>', "<!--{}-->", '<place id="p" {}="1"/>'])
def test_a_tag_or_comment_without_end_is_refused(text: str, read: Read) -> None:
    """The parser would read it again and again, for hours where it is long."""
    with pytest.raises(ModelError, match="this tag, comment or declaration is too long"):
        read(pnml(text.format("x" * (1 << 22))))


def test_nets_with_too_many_nodes_and_arcs_are_refused(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    from kripke.languages.pnml import reader

    monkeypatch.setattr(reader, "MOST_NODES", 3)
    with pytest.raises(ModelError, match="more than 3 places and transitions"):
        read(pnml("".join(place(name) for name in "abcd")))
    monkeypatch.setattr(reader, "MOST_ARCS", 1)
    with pytest.raises(ModelError, match="more than 1 arcs"):
        read(pnml(place("p") + transition("t") + arc("p", "t") + arc("t", "p")))


def test_what_is_ignored_takes_no_memory(tmp_path: Path) -> None:
    """Twenty megabytes of graphics around one place."""
    import tracemalloc

    file = tmp_path / "large.pnml"
    with file.open("w") as out:
        out.write(f'{HEAD}<net id="n" type="{KINDS}ptnet"><page id="page">')
        out.write('<place id="p"><graphics>')
        for _ in range(400_000):
            out.write('<position x="1234567" y="1234567"><any/></position>')
        out.write("</graphics></place></page></net></pnml>")
    tracemalloc.start()
    net = load(str(file)).net
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(net.places) == 1
    assert peak < 5_000_000
