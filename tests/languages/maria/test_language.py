"""Maria's language: what nets mean, in exact steps and counts, and what is wrong with others."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kripke.checker.check import check_properties
from kripke.engines.explicit.exploration import explore
from kripke.engines.plan import SearchPlan
from kripke.model.source import ModelError
from kripke.nets.high_level.model import HighLevelModel

Read = Callable[..., HighLevelModel]


def steps(model: HighLevelModel) -> list[str]:
    """The steps from the initial state: transition, binding, and what is broken."""
    (state,) = model.initial()
    shown = []
    for step in model.successors(state):
        text = model.explain_part(step.parts[0])
        broken = [model.violation_kinds[violation.code].name for violation in step.violations]
        shown.append(" ".join([text, *broken]))
    return shown


def after(model: HighLevelModel) -> list[dict[str, str]]:
    (state,) = model.initial()
    return [dict(model.describe(step.target)) for step in model.successors(state) if step.target is not None]


def value(read: Read, type_: str, expression: str, declarations: str = "") -> str:
    """An expression as the only token of a place."""
    model = read(f"{declarations} place p {type_}: {expression};")
    return model.describe(model.initial()[0]).get("p", "empty")


def counts(model: HighLevelModel) -> tuple[int, int]:
    space = explore(model, 10_000)
    return len(space.states), sum(edge.target is not None for edge in space.edges)


# --- values -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("type_", "expression", "shown"),
    [
        ("unsigned", "7 - 2 * 3", "1"),
        ("int", "is int 1 - 2", "-1"),
        ("int", "-3", "-3"),
        ("unsigned", "0x1f + 010", "39"),
        ("int", "is int 7 / is int 2", "3"),
        ("int", "(is int 0 - 7) % is int 2", "-1"),
        ("unsigned", "1 << 4 | 3", "19"),
        ("unsigned", "6 ^ 3 & 5", "7"),
        ("bool", "1 < 2 && !(2 < 1)", "true"),
        ("bool", "1 == 2 || 1 == 1 => false", "false"),
        ("bool", "true ^^ false <=> true", "true"),
        ("char", "'a'", "'a'"),
        ("char", "+'a'", "'b'"),
        ("char", r"'\x41'", "'A'"),
        ("three_t", "+c", "a"),
        ("three_t", "|a", "c"),
        ("three_t", "<three_t", "a"),
        ("unsigned", "#three_t", "3"),
        ("unsigned", "1 < 2 ? 5 : 6", "5"),
        ("unsigned", "is three_t c ? 7 : 8 : 9", "7"),
        ("unsigned", "is three_t a ? 7 : 8 : 9", "9"),
        ("pair_t", "{1, b}", "{1, b}"),
        ("pair_t", "(is pair_t {1, b}).{t c}", "{1, c}"),
        ("unsigned", "(is pair_t {1, b}).n", "1"),
        ("pair_t", "+is pair_t {3, a}", "{0, b}"),
        ("row_t", "(is row_t {7, 8, 9}) << 1", "{8, 9, 7}"),
        ("row_t", "(is row_t {7, 8, 9}) >> 1", "{9, 7, 8}"),
        ("row_t", "(is row_t {7, 8, 9}).{[b] 1}", "{7, 1, 9}"),
        ("unsigned", "(is row_t {7, 8, 9})[c]", "9"),
        ("queue_t", "(is queue_t {1, 2}) + 3", "{1, 2, 3}"),
        ("queue_t", "(is queue_t {1, 2, 3})[1] + 9", "{1, 2, 9, 3}"),
        ("stack_t", "(is stack_t {1, 2}) + 3", "{3, 1, 2}"),
        ("stack_t", "(is stack_t {1, 2, 3})[1] + 9", "{1, 9, 2, 3}"),
        ("queue_t", "-is queue_t {1, 2, 3}", "{2, 3}"),
        ("queue_t", "(is queue_t {1, 2, 3}) - 2", "{3}"),
        ("queue_t", "-(is queue_t {1, 2, 3})[1]", "{1, 3}"),
        ("unsigned", "*is queue_t {1, 2, 3}", "1"),
        ("unsigned", "*(is queue_t {1, 2, 3})[2]", "3"),
        ("unsigned", "/is queue_t {1, 2, 3}", "3"),
        ("unsigned", "%is queue_t {1, 2, 3}", "1"),
        ("either_t", "n = 3", "n=3"),
        ("bool", "(is either_t (n = 3)) is t", "false"),
        ("unsigned", "(is either_t (n = 3)).n", "3"),
    ],
)
def test_values(read: Read, type_: str, expression: str, shown: str) -> None:
    declarations = """
        typedef enum { a, b, c } three_t;
        typedef struct { unsigned (0..3) n; three_t t; } pair_t;
        typedef unsigned[three_t] row_t;
        typedef unsigned[queue 4] queue_t;
        typedef unsigned[stack 4] stack_t;
        typedef union { unsigned n; three_t t; } either_t;
    """
    assert value(read, type_, expression, declarations) == shown


@pytest.mark.parametrize(
    ("expression", "shown"),
    [
        ("3#1, 2", "3#1, 2"),
        ("t v: v", "0, 1, 2, 3"),
        ("t v (v > 1): 2#v", "2#2, 2#3"),
        ("(t v: v) minus (1, 2, 2)", "0, 3"),
        ("(2#1, 2) union (1, 3)", "3#1, 2, 3"),
        ("(2#1, 2) intersect (1, 3)", "1"),
        ("subset v { t w: w } (v < 2)", "0, 1"),
        ("map v { t w: w } (is t (v / 2))", "2#0, 2#1"),
        ("map n#v { 2#1, 3 } ((n * 2)#v)", "4#1, 2#3"),
        ("is t cardinality (2#1, 2)", "3"),
        ("is t max (2#1, 2)", "2"),
        ("is t min (2#1, 2)", "1"),
        ("(1 subset (1, 2)) ? 1 : 0", "1"),
        ("((1, 1) subset (1, 2)) ? 1 : 0", "0"),
        ("((1, 2) equals (2, 1)) ? 1 : 0", "1"),
        ("(t v && v <= 3) ? 1 : 0", "1"),
        ("(t v (v != 0) || v < 1) ? 1 : 0", "0"),
        ("empty", "empty"),
    ],
)
def test_multi_sets(read: Read, expression: str, shown: str) -> None:
    assert value(read, "t", expression, "typedef unsigned (0..3) t;") == shown


def test_an_enumeration_has_the_numbers_in_between(read: Read) -> None:
    assert value(read, "unsigned", "#e", "typedef enum { x, y = 5, z } e;") == "7"
    assert value(read, "e", "+is e x", "typedef enum { x, y = 5, z } e;") == "1"


def test_functions_are_macros_with_types(read: Read) -> None:
    text = "unsigned n = 3; unsigned twice(unsigned x) x * 2; bool odd(unsigned x) x % 2 == 1;"
    assert value(read, "unsigned", "twice(n) + (odd(n) ? 1 : 0)", text) == "7"


# --- transitions ------------------------------------------------------------------------------------------------------


def test_an_event_is_a_distinct_valuation(read: Read) -> None:
    assert steps(read("place p unsigned: 1, 2; trans t in { p: x, y; };")) == ["t (x = 1, y = 2)", "t (x = 2, y = 1)"]
    assert steps(read("place p unsigned: 2#1; trans t in { p: x, y; };")) == ["t (x = 1, y = 1)"]


def test_tokens_are_matched_inside_compound_values(read: Read) -> None:
    model = read(
        """typedef union { unsigned n; bool b; } u;
        place p struct { u a; unsigned[queue 2] q; }: { n = 1, {5} }, { b = true, {5} }, { n = 2, {} };
        trans t in { p: { n = x, { y } }; };"""
    )
    assert steps(model) == ["t (x = 1, y = 5)"]


def test_what_does_not_bind_is_compared_when_it_can_be(read: Read) -> None:
    model = read("place p unsigned: 1, 2; place q unsigned: 2, 5; trans t in { q: x + 1; p: x; };")
    assert steps(model) == ["t (x = 1)"]


def test_a_multiplicity_of_zero_leaves_variables_without_value(read: Read) -> None:
    text = "place m unsigned: 0, 2; place p unsigned: 2#7, 8; trans t in { m: n; p: n#x; }"
    assert steps(read(text + ";")) == ["t (n = 0)", "t (n = 2, x = 7)"]
    assert steps(read(text + " out { p: x; };")) == ["t (n = 0) unbound", "t (n = 2, x = 7)"]


def test_output_variables_take_every_value(read: Read) -> None:
    model = read("typedef enum {a, b, c} e; place p e; trans t out { p: e y! (y != b), y, e!; };")
    assert len(steps(model)) == 6
    assert {"p": "3#a"} in after(model) and {"p": "b, 2#c"} in after(model)


def test_place_in_an_output_arc_is_what_was_taken(read: Read) -> None:
    model = read("place p unsigned: 1, 2, 3; place q unsigned; trans t in { p: x, y; } gate x < y out { q: place p; };")
    assert after(model) == [{"p": "3", "q": "1, 2"}, {"p": "2", "q": "1, 3"}, {"p": "1", "q": "2, 3"}]


def test_a_priority_shuts_out_what_is_written_after_it(read: Read) -> None:
    text = """place p unsigned: 1; trans a in { p: x; }; trans b! in { p: x; }; trans c in { p: x; };
        trans d in { p: x; } 7;"""
    assert steps(read(text)) == ["a (x = 1)", "b (x = 1)"]
    assert steps(read(text.replace("b!", "b"))) == ["a (x = 1)", "b (x = 1)", "c (x = 1)", "d (x = 1)"]


def test_an_instance_that_cannot_fire_has_its_priority(read: Read) -> None:
    text = "place p (0..1) unsigned: 1; trans a! in { p: x; } out { p: x, x; }; trans b in { p: x; };"
    assert steps(read(text)) == ["a (x = 1) capacity"]


def test_macros_share_variables_by_name(read: Read) -> None:
    model = read(
        """place p unsigned: 1, 2; place q unsigned: 2, 3;
        trans :both in { p: x; }; trans t : trans both in { q: x; };"""
    )
    assert steps(model) == ["t (x = 2)"]


def test_modules_move_together_at_labels(read: Read) -> None:
    model = read(
        """typedef unsigned (0..2) n; trans :give { n what; };
        subnet a { place p n: 0, 1; trans send : trans give in { p: what; }; trans own in { p: 0; }; };
        subnet b { place p n: 1, 2; trans receive : trans give in { p: what; }; };"""
    )
    assert steps(model) == ["a.own", ":give (what = 1)"] or steps(model) == [":give (what = 1)", "a.own"]
    assert {"a.p": "0", "b.p": "2"} in after(model)


def test_a_definition_gives_a_variable_of_the_label_its_value(read: Read) -> None:
    model = read(
        """typedef unsigned (0..9) n; trans :pass { n what; };
        subnet a { place p n[queue 2]: {4, 5}; trans out_ : trans pass in { p: q; } gate /q > 0 { n what = *q; }
          out { p: -q; }; };
        subnet b { place p n; trans in_ : trans pass out { p: what; }; };"""
    )
    assert after(model) == [{"a.p": "{5}", "b.p": "4"}]


def test_flags_choose_text(read: Read) -> None:
    text = """
#ifdef TWO
# define BOTH // a comment
place p unsigned: 2;
#else
place p unsigned: 1;
#endif // TWO
#ifndef BOTH
place q unsigned: 1;
#endif
"""
    assert [place.name for place in read(text).net.places] == ["p", "q"]
    assert [place.name for place in read(text, "TWO").net.places] == ["p"]


# --- errors of steps --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("output", "broken"),
    [
        ("is t (x + 4)", "constraint"),
        ("is t (x - 2)", "overflow"),
        ("is t (x / 0)", "division"),
        ("is t (1 << x * 32)", "shift"),
        ("undefined", "undefined"),
        ("fatal", "fatal"),
        ("x, x", "capacity"),
    ],
)
def test_errors_name_transition_and_binding(read: Read, output: str, broken: str) -> None:
    model = read(f"typedef unsigned (0..4) t; place p (1) t: 1; trans go in {{ p: x; }} out {{ p: {output}; }};")
    assert steps(model) == [f"go (x = 1) {broken}"]


def test_an_error_in_a_gate_counts_where_no_gate_is_false(read: Read) -> None:
    text = "place p unsigned: 0, 1; trans t in { p: x; } gate 5 / x > 2"
    assert steps(read(text + ";")) == ["t (x = 0) division", "t (x = 1)"]
    assert steps(read(text + ", x != 0;")) == ["t (x = 1)"]
    assert steps(read("place p unsigned: 0; trans t in { p: x; } gate undefined, x > 0;")) == []


def test_implicit_places_are_computed_and_checked(read: Read) -> None:
    text = """typedef unsigned (1..2) t; place p t: 1; place rest t: (t v: v) minus place p;
        trans move in { p: x; rest: y; } out { p: y; rest: OUT; };"""
    assert counts(read(text.replace("OUT", "x"))) == (2, 2)
    assert steps(read(text.replace("OUT", "y"))) == ["move (x = 1, y = 2) implicit"]


def test_a_constant_place_does_not_change(read: Read) -> None:
    text = "place c unsigned const: 1; trans t in { c: x; } out { c: NEW; };"
    assert steps(read(text.replace("NEW", "x"))) == ["t (x = 1)"]
    assert steps(read(text.replace("NEW", "x + 1"))) == ["t (x = 1) constant"]


def test_a_rejected_state_is_an_error_and_has_no_successors(read: Read) -> None:
    model = read("place p unsigned (0..9): 0; trans t in { p: x; } out { p: +x; }; reject 3 subset place p;")
    assert counts(model) == (4, 3)


@pytest.mark.parametrize("engine", ["native", "interpreter"])
def test_totals_of_errors(read: Read, engine: str) -> None:
    """A rejected state counts once, however many steps lead to it, and so does an instance without a value."""
    model = read(
        """place p unsigned (0..9): 0; trans a in { p: x; } gate x == 0 out { p: 1; };
        trans b in { p: x; } gate x == 0 out { p: 2; }; trans c in { p: x; } gate x == 1 || x == 2 out { p: 3; };
        trans wrong in { p: x; } gate x == 2 out { p: x / (x - 2); }; reject 3 subset place p;"""
    )
    result = check_properties(model, SearchPlan(all_errors=True, engine=engine))
    assert (result.states, result.errors) == (4, 2)
    assert sorted(finding.kind for finding in result.findings) == ["division", "reject"]


def test_deadlocks_are_errors_where_the_net_says_so(read: Read) -> None:
    text = "place p unsigned: 1; trans t in { p: x; };"
    assert not explore(read(text), 10).deadlocks
    assert explore(read(text + "deadlock place p equals empty;"), 10).deadlocks == {1}
    assert not explore(read(text + "deadlock 1 subset place p;"), 10).deadlocks


def test_propositions_and_invariants(read: Read) -> None:
    model = read("place p unsigned: 1; prop one: 1 subset place p;", invariants=("cardinality place p <= 1", "!one"))
    assert list(model.atoms) == ["one", "cardinality place p <= 1", "!one"]
    assert model.atom_values(model.initial()[0]) == (True, True, False)


# --- errors of texts --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("place p", "1:8: error: a type expected"),
        ("place p t;", "1:9: error: there is no type t"),
        ("place p bool: 3;", "1:15: error: 3 is no value of bool"),
        ("typedef unsigned (3..1) t;", "1:19: error: this range is empty"),
        ("typedef id[0] t;", "1:9: error: a type of identifiers needs at least one"),
        ("place p unsigned: 1; trans t in { q: x; };", "1:35: error: there is no place q here"),
        ("place p unsigned: 1; trans t in { p: x + y; };", "1:38: error: there is no x here"),
        ("place p unsigned: 1; trans t in { p: +x; };", "1:28: error: no input arc gives the variable x a value"),
        ("place p (2) unsigned: 1;", "1:7: error: the initial marking of p breaks its capacity"),
        ("place p unsigned: 0#1;", "1:19: error: a multiplicity of zero"),
        ("place p unsigned: 1 - 2;", "1:7: error: the initial marking cannot be evaluated: arithmetic overflow"),
        ("place p unsigned: 4294967296;", "1:19: error: a number above 4,294,967,295"),
        ("/* no end", "1:1: error: this comment has no end"),
        ("#ifdef A\nplace p bool;", "1:1: error: this condition has no #endif"),
        ("#if A\n", "1:1: error: there is no directive #if"),
        ('#include "missing.pn"\n', "1:1: error: cannot find missing.pn"),
        ("place in bool;", "1:7: error: the name of the place expected, found 'in'"),
        ("bool f(bool x) f(!x); place p bool: f(true);", "error: functions call each other too deeply"),
        ("place p bool: " + "(" * 500 + "true;", "error: expressions are nested too deeply"),
        (
            "trans :m0;"
            + "".join(f"trans :m{n + 1} : trans m{n} : trans m{n};" for n in range(25))
            + "trans t : trans m25;",
            "error: transitions that call each other make this net too large",
        ),
        ("typedef bool[queue 100000] t;", "1:13: error: this type has too many values"),
        ("place p bool; trans t { bool y!; } out { p: true; };", "error: the output variable y is on no output arc"),
        ("place p bool; trans t out { p: place p; };", "1:32: error: no input arc takes tokens from this place"),
        ("trans t : trans u;", "1:17: error: there is no transition u to call"),
        ("place a bool: place b; place b bool: place a;", "error: the contents of places depend on each other"),
    ],
)
def test_errors_of_texts(read: Read, text: str, message: str) -> None:
    with pytest.raises(ModelError) as caught:
        read(text)
    assert message in caught.value.render()


def test_doubling_functions_and_nested_quantifiers_end(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kripke.languages.maria.resolution.MOST_RESOLVED", 20_000)
    doubled = "".join(f"unsigned f{n}(unsigned x) f{n - 1}(x) + f{n - 1}(x);" for n in range(1, 40))
    with pytest.raises(ModelError, match="make this net too large"):
        read(f"unsigned f0(unsigned x) x; {doubled} place p unsigned: f39(1);")
    with pytest.raises(ModelError, match="make this net too large"):
        read("typedef unsigned (1..100) t; place p t: t a: t b: t c: t d: a;")


def test_a_file_that_is_too_long_is_not_read(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kripke.languages.maria.lexer.LONGEST_TEXT", 100)
    with pytest.raises(ModelError, match="has more than 100 bytes"):
        read("place p bool;" * 10)
