"""Symmetric nets: sorts, terms, guards, and what they unfold to."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kripke.engines.explicit.safety import check
from kripke.engines.plan import SearchPlan
from kripke.model.source import ModelError
from kripke.nets.model import NetModel
from tests.support.pnml_nets import (
    all_of,
    coloured_arc,
    coloured_place,
    coloured_transition,
    const,
    declarations,
    enumeration,
    op,
    pnml,
    product,
    times,
    usersort,
    var,
    variable,
)

Read = Callable[[str], NetModel]

RING = declarations(enumeration("C", "a", "b", "c"), product("CC", "C", "C"), variable("x", "C"), variable("y", "C"))


def coloured(*body: str, declared: str = RING) -> str:
    return pnml("\n".join(body) + "\n" + declared, "symmetricnet")


def transitions(model: NetModel) -> list[tuple[str, list[str], list[str]]]:
    names = [place.name for place in model.net.places]

    def side(arcs: tuple[tuple[int, int], ...]) -> list[str]:
        return [names[place] + (f"*{weight}" if weight > 1 else "") for place, weight in arcs]

    return [(t.name, side(t.preset), side(t.postset)) for t in model.net.transitions]


def test_a_ring(read: Read) -> None:
    model = read(
        coloured(
            coloured_place("p", "C", const("b")),
            coloured_transition("go"),
            coloured_arc("p", "go", var("x")),
            coloured_arc("go", "p", op("successor", var("x"))),
        )
    )
    assert transitions(model) == [
        ("go[x=a]", ["p[a]"], ["p[b]"]),
        ("go[x=b]", ["p[b]"], ["p[c]"]),
        ("go[x=c]", ["p[c]"], ["p[a]"]),
    ]
    assert model.net.place_numbers["p"] == (0, 1, 2)
    assert model.net.transition_numbers["go"] == (0, 1, 2)
    assert check(model, SearchPlan(engine="interpreter")).states == 3


def test_only_what_can_happen_is_made(read: Read) -> None:
    model = read(
        coloured(
            coloured_place("p", "C", const("a")),
            coloured_place("q", "CC"),
            coloured_transition("go"),
            coloured_arc("p", "go", var("x")),
            coloured_arc("go", "q", op("tuple", var("x"), op("predecessor", var("x")))),
        )
    )
    assert [place.name for place in model.net.places] == ["p[a]", "q[a,c]"]
    assert transitions(model) == [("go[x=a]", ["p[a]"], ["q[a,c]"])]


@pytest.mark.parametrize(
    ("guard", "pairs"),
    [
        (op("inequality", var("x"), var("y")), ["ab", "ac", "ba", "bc", "ca", "cb"]),
        (op("equality", var("x"), var("y")), ["aa", "bb", "cc"]),
        (op("equality", op("successor", var("x")), var("y")), ["ab", "bc", "ca"]),
        (op("lessthan", var("x"), var("y")), ["ab", "ac", "bc"]),
        (op("greaterthanorequal", var("x"), var("y")), ["aa", "ba", "bb", "ca", "cb", "cc"]),
        (op("and", op("inequality", var("x"), var("y")), op("equality", var("x"), const("b"))), ["ba", "bc"]),
        (
            op("or", op("equality", var("x"), var("y")), op("equality", var("x"), const("a"))),
            ["aa", "ab", "ac", "bb", "cc"],
        ),
        (op("not", op("equality", var("x"), const("b"))), ["aa", "ab", "ac", "ca", "cb", "cc"]),
        (
            op("imply", op("equality", var("x"), const("b")), op("equality", var("y"), const("c"))),
            ["aa", "ab", "ac", "bc", "ca", "cb", "cc"],
        ),
    ],
)
def test_guards(read: Read, guard: str, pairs: list[str]) -> None:
    both = coloured(
        coloured_place("p", "C", all_of("C")),
        coloured_place("q", "CC"),
        coloured_transition("go", guard),
        coloured_arc("p", "go", var("x")),
        coloured_arc("go", "q", op("tuple", var("x"), var("y"))),
    )
    # go[x=a,y=b]
    assert [name[5] + name[9] for name, _, _ in transitions(read(both))] == pairs


def test_multisets(read: Read) -> None:
    model = read(
        coloured(
            coloured_place("p", "C", op("add", times(2, const("a")), all_of("C"))),
            coloured_transition("take"),
            coloured_arc("p", "take", op("add", times(2, var("x")), var("y"))),
            coloured_transition("rest"),
            coloured_arc("p", "rest", op("subtract", all_of("C"), const("b"))),
        )
    )
    assert model.net.initial == (3, 1, 1)
    assert ("take[x=a,y=b]", ["p[a]*2", "p[b]"], []) in transitions(model)
    assert ("take[x=a,y=a]", ["p[a]*3"], []) in transitions(model)
    assert ("rest", ["p[a]", "p[c]"], []) in transitions(model)


def test_all_inside_a_tuple(read: Read) -> None:
    marking = op("tuple", all_of("C"), const("b"))
    model = read(coloured(coloured_place("p", "CC", marking)))
    assert [place.name for place in model.net.places] == ["p[a,b]", "p[b,b]", "p[c,b]"]


def test_ranges_of_integers(read: Read) -> None:
    declared = declarations(
        '<namedsort id="R" name="R"><finiteintrange start="3" end="5"/></namedsort>', variable("n", "R")
    )
    three = '<finiteintrangeconstant value="3"><finiteintrange start="1" end="4"/></finiteintrangeconstant>'
    model = read(
        coloured(
            coloured_place("p", "R", all_of("R")),
            coloured_transition("go", op("greaterthan", var("n"), three)),
            coloured_arc("p", "go", var("n")),
            declared=declared,
        )
    )
    assert [name for name, _, _ in transitions(model)] == ["go[n=4]", "go[n=5]"]


def test_partitions(read: Read) -> None:
    parts = (
        f'<partition id="P" name="P">{usersort("C")}'
        f'<partitionelement id="low" name="low">{const("a")}</partitionelement>'
        f'<partitionelement id="high" name="high">{const("b")}{const("c")}</partitionelement></partition>'
    )
    of_x = f'<partitionelementof refpartition="P"><subterm>{var("x")}</subterm></partitionelementof>'
    text = coloured(
        coloured_place("p", "C", all_of("C")),
        coloured_transition("go", op("equality", of_x, const("high"))),
        coloured_arc("p", "go", var("x")),
        declared=declarations(enumeration("C", "a", "b", "c"), parts, variable("x", "C")),
    )
    assert [name for name, _, _ in transitions(read(text))] == ["go[x=b]", "go[x=c]"]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ([coloured_place("p", "D")], "there is no sort D"),
        ([coloured_place("p", "C", const("z"))], "there is no constant z"),
        ([coloured_place("p", "C", var("x"))], "a variable cannot stand in an initial marking"),
        ([coloured_place("p", "CC", const("a"))], "the initial marking of p is not of its sort"),
        ([coloured_place("p", "C", op("subtract", const("a"), const("b")))], "has a negative number of some colour"),
        ([coloured_place("p", "C", times(-1, const("a")))], "a multiset cannot contain a colour -1 times"),
        (
            [
                coloured_transition(
                    "t", op("lessthan", op("tuple", var("x"), var("y")), op("tuple", var("x"), var("y")))
                )
            ],
            "tuples have no order",
        ),
        ([coloured_transition("t", op("equality", var("z"), var("x")))], "there is no variable z"),
        (
            [coloured_transition("t", op("strange", var("z"), var("x")))],
            "there is no support for the condition strange",
        ),
        (
            [coloured_place("p", "C"), coloured_transition("t"), '<arc id="a" source="p" target="t"/>'],
            "this arc of p has no inscription with a structure",
        ),
        (
            [coloured_place("p", "CC"), coloured_transition("t"), coloured_arc("p", "t", var("x"))],
            "the inscription is of another sort than the place p",
        ),
    ],
)
def test_errors(read: Read, body: list[str], message: str) -> None:
    with pytest.raises(ModelError) as caught:
        read(coloured(*body))
    assert caught.value.message.endswith(message)
    assert caught.value.span is not None and caught.value.span.line >= 3


def test_a_successor_makes_a_cycle(read: Read) -> None:
    """Of a finite enumeration the standard has no successor; it is read as that of a cyclic one, with a warning."""
    declared = declarations(enumeration("C", "a", "b", "c", kind="finiteenumeration"), variable("x", "C"))
    text = coloured(
        coloured_place("p", "C", const("a")),
        coloured_transition("t"),
        coloured_arc("p", "t", var("x")),
        coloured_arc("t", "p", op("successor", var("x"))),
        declared=declared,
    )
    model = read(text)
    assert {t.name for t in model.net.transitions} == {"t[x=a]", "t[x=b]", "t[x=c]"}
    (warning,) = model.warnings
    assert warning.message == "C is no cyclic enumeration: its successor goes round as if it were one"


def test_sorts_made_of_themselves(read: Read) -> None:
    declared = declarations(product("A", "B", "B"), product("B", "A"))
    with pytest.raises(ModelError, match="is made of itself"):
        read(coloured(coloured_place("p", "A"), declared=declared))


def test_a_product_of_one_sort_is_that_sort_and_an_empty_condition_none(read: Read) -> None:
    declared = declarations(enumeration("C", "a", "b"), product("One", "C"), variable("x", "C"))
    text = coloured(
        coloured_place("p", "One", all_of("C")),
        '<transition id="t"><condition><text></text></condition></transition>',
        coloured_arc("p", "t", op("tuple", var("x"))),
        declared=declared,
    )
    assert transitions(read(text)) == [("t[x=a]", ["p[a]"], []), ("t[x=b]", ["p[b]"], [])]


def test_a_condition_in_words_only_is_refused(read: Read) -> None:
    with pytest.raises(ModelError, match="the condition of t has no structure"):
        read(coloured('<transition id="t"><condition><text>x = a</text></condition></transition>'))
