"""PEP nets: what is read, what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from kripke.engines.explicit.safety import check
from kripke.engines.plan import SearchPlan
from kripke.languages.pep import load
from kripke.model.source import ModelError
from kripke.nets.place_transition import Arc

HEAD = "PEP\nPTNet\nFORMAT_N\n"
SMALL = (
    HEAD
    + 'DPL\nDTR s7\nPL\n3"a"1@2M2m1\n5"b"3@4b"a text"\n'
    + 'TR\n1"go"0@0\n7"go"5@5\nTP\n1<5w3\n7<3J1@2J3@4\nPT\n3>1\n5>7w2\nTX\n"x"\n'
)

CORPUS = Path(__file__).parents[4] / "shared" / "corpus" / "nets"


def write(folder: Path, text: str) -> str:
    file = folder / "net.ll_net"
    file.write_text(text)
    return str(file)


def test_small(tmp_path: Path) -> None:
    net = load(write(tmp_path, SMALL)).net
    assert [(place.name, place.initial) for place in net.places] == [("a", 2), ("b", 0)]
    assert [t.name for t in net.transitions] == ["go.1", "go.7"]
    assert net.transitions[0].preset == (Arc(0, 1),)
    assert net.transitions[0].postset == (Arc(1, 3),)
    assert net.transitions[1].preset == (Arc(1, 2),)
    assert net.transitions[1].postset == (Arc(0, 1),)
    assert net.transitions[1].span.line == 11


def test_numbers_may_be_left_out(tmp_path: Path) -> None:
    net = load(write(tmp_path, HEAD.replace("_N", "_N2") + 'PL\n"a"M1\n"b"\nTR\n"t"\nTP\n1<2\nPT\n1>1\n')).net
    assert net.transitions[0].preset == (Arc(0, 1),)
    assert net.transitions[0].postset == (Arc(1, 1),)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "this is no PEP net: the first line must be PEP"),
        ("PNML\n", 1, "this is no PEP net: the first line must be PEP"),
        ("PEP\nHLNet\n", 2, "HLNet is not a low-level net"),
        (HEAD, 4, "the net has neither places nor transitions"),
        (HEAD + 'PL\n1"a"\n1"b"\n', 6, "there is another place 1"),
        (HEAD + 'TR\n1"a"\n1"b"\n', 6, "there is another transition 1"),
        (HEAD + "PL\na\n", 5, 'a place or transition is missing here, such as 12"name"10@20'),
        (HEAD + 'PL\n1"a"M-1\n', 5, "the attribute M needs a number, not -1"),
        (HEAD + 'PL\n1"a"M\u0663\n', 5, "the attribute M needs a number, not \u0663"),
        (HEAD + 'PL\n1"a"M99999999999999\n', 5, "the number 99999999999999 is out of range: 0 to 2,147,483,647"),
        (HEAD + 'PL\n1"a"1@1 ???\n', 5, "this cannot be read"),
        (HEAD + 'PL\n1"a"\nTR\n1"t"\nTP\n1>1\n', 9, "an arc transition<place is missing here"),
        (HEAD + 'PL\n1"a"\nTR\n1"t"\nTP\n1<2\n', 9, "there is no place 2"),
        (HEAD + 'PL\n1"a"\nTR\n1"t"\nPT\n1>2\n', 9, "there is no transition 2"),
        (HEAD + 'PL\n1"a"\nTR\n1"t"\nPT\n1>1w0\n', 9, "the weight of an arc must be at least 1"),
        (HEAD + 'PL\n1"a"\nRS\n', 6, "there is no support for the section RS"),
        (HEAD + "1<2\n", 4, "a section (PL, TR, TP, PT) must come first"),
    ],
)
def test_errors(tmp_path: Path, text: str, line: int, message: str) -> None:
    with pytest.raises(ModelError) as caught:
        load(write(tmp_path, text))
    assert caught.value.message == message
    assert caught.value.span is not None and caught.value.span.line == line


# Document "LTL-X by Petri-net unfoldings": reachable markings; edges and deadlocks counted independently of us.
FIGURES = {
    "bruijn_2": (5183, 19111, 0),
    "dijkstra_2": (2724, 9242, 0),
    "knuth_2": (4483, 17086, 0),
    "rw_1w1r": (2118, 7786, 0),
    "eisenbahn": (7776, 57996, 0),
    "elevator_3": (7276, 20215, 27),
    "elevator_4": (48217, 152487, 81),
    "rrr10-1": (14985, 103176, 0),
    "rw_2w1r": (127132, 551962, 0),
    "rw_1w3r": (165272, 786647, 0),
    "cottbus_plate_5": (1657242, 6746379, 0),
}


@pytest.mark.skipif(not CORPUS.is_dir(), reason=f"the nets are not at {CORPUS}")
@pytest.mark.parametrize("name", FIGURES)
def test_reachable_markings(name: str) -> None:
    pytest.importorskip("kripke._native")
    result = check(load(str(CORPUS / f"{name}.ll_net")), SearchPlan(all_errors=True))
    states, edges, deadlocks = FIGURES[name]
    assert result.complete
    # The initial state counts as a transition to it.
    assert (result.states, result.transitions - 1, result.errors) == (states, edges, deadlocks)
