"""SMV: what a file means, in exact numbers, and what is said where it means nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from kripke.checker.check import check_properties
from kripke.engines.plan import SearchPlan
from kripke.languages.smv import load, read
from kripke.model.result import Result
from kripke.model.source import ModelError
from kripke.synchronous.model import SynchronousModel

EXAMPLES = Path(__file__).parents[3] / "examples" / "smv"


def states_of(model: SynchronousModel) -> list[dict[str, str]]:
    """Reached breadth first."""
    found = dict.fromkeys(model.initial())
    for state in (waiting := list(found)):
        for step in model.successors(state):
            if step.target is not None and step.target not in found:
                found[step.target] = None
                waiting.append(step.target)
    return [model.describe(state) for state in waiting]


def values(text: str, name: str) -> list[str]:
    """Of one variable, in the order of the states that are reached."""
    return [state[name] for state in states_of(read(text))]


def main(text: str) -> str:
    return f"MODULE main\n{text}"


def verdicts(model: SynchronousModel, **options: object) -> dict[str, str]:
    result: Result = check_properties(model, SearchPlan(clarify=False, **options))  # type: ignore[arg-type]
    return {part.name: part.verdict for part in result.parts}


def test_a_counter() -> None:
    text = main("VAR x : 0..5; ASSIGN init(x) := 2; next(x) := case x < 5 : x + 1; TRUE : 0; esac;")
    assert values(text, "x") == ["2", "3", "4", "5", "0", "1"]


def test_without_an_assignment_everything_is_possible() -> None:
    assert len(states_of(read(main("VAR x : 0..5; y : boolean; z : {a, b, c};")))) == 36


def test_choices_are_of_each_step() -> None:
    model = read(main("VAR x : 0..9; ASSIGN init(x) := {1, 3}; next(x) := {x, 7} union 8..9;"))
    assert [model.describe(state)["x"] for state in model.initial()] == ["1", "3"]
    after = [model.describe(step.target or b"")["x"] for step in model.successors(model.initial()[0])]
    assert sorted(after) == ["1", "7", "8", "9"]


def test_an_assignment_for_all_states_follows_the_others() -> None:
    text = "VAR x : 0..3; twice : 0..6; ASSIGN init(x) := 0; next(x) := (x + 1) mod 4; twice := x + x;"
    assert [(s["x"], s["twice"]) for s in states_of(read(main(text)))] == [
        ("0", "0"),
        ("1", "2"),
        ("2", "4"),
        ("3", "6"),
    ]


def test_constraints() -> None:
    text = "VAR x : 0..7; INIT x in {0, 5}; INVAR x != 3; TRANS next(x) = x + 1 | next(x) = x;"
    model = read(main(text))
    assert [s["x"] for s in states_of(model)] == ["0", "5", "1", "6", "2", "7"]


def test_frozen_variables_keep_their_first_value() -> None:
    text = "FROZENVAR f : 1..2; VAR x : 0..4; ASSIGN init(x) := 0; next(x) := (x + f) mod 5;"
    assert len(states_of(read(main(text)))) == 10


def test_inputs_are_no_part_of_a_state() -> None:
    model = read(main("IVAR up : boolean; VAR x : 0..3; ASSIGN init(x) := 0; next(x) := up & x < 3 ? x + 1 : x;"))
    assert len(states_of(model)) == 4
    steps = model.successors(model.initial()[0])
    assert sorted(model.explain_part(step.parts[0]) for step in steps) == [
        "step with up = FALSE",
        "step with up = TRUE",
    ]


def test_modules_take_variables_expressions_instances_and_themselves() -> None:
    text = """MODULE main
VAR a : cell(TRUE, self); b : cell(a.bit, self); limit : 1..2; c : reads(b);
ASSIGN next(limit) := limit;
MODULE cell(input, top)
VAR bit : boolean;
ASSIGN init(bit) := FALSE; next(bit) := input & top.limit = 2;
MODULE reads(other)
DEFINE seen := other.bit;
VAR was : boolean;
ASSIGN init(was) := FALSE; next(was) := was | seen;
"""
    model = read(text)
    assert len(states_of(model)) == 1 + 4
    assert states_of(model)[-1] == {"limit": "2", "a.bit": "TRUE", "b.bit": "TRUE", "c.was": "TRUE"}


def test_arrays_also_nested_also_with_an_index_that_changes() -> None:
    text = """VAR a : array 0..1 of array 1..2 of 0..3; i : 0..1;
DEFINE table := [[1, 2], [3, 0]];
ASSIGN init(a[0][1]) := 1; init(a[0][2]) := 2; init(a[1][1]) := 3; init(a[1][2]) := 0; init(i) := 0;
next(a[0][1]) := a[1 - i][2]; next(a[0][2]) := table[i][1]; next(a[1][1]) := a[1][1]; next(a[1][2]) := a[1][2];
next(i) := 1 - i;"""
    rows = [tuple(state.values()) for state in states_of(read(main(text)))]
    assert rows[:3] == [("1", "2", "3", "0", "0"), ("0", "2", "3", "0", "1"), ("2", "0", "3", "0", "0")]


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("0ud4_9 + 0ud4_9", "0ud4_2"),
        ("0ud4_3 - 0ud4_5", "0ud4_14"),
        ("0ub4_1100 & 0ub4_0110", "0ud4_4"),
        ("0ub4_1100 | 0ub4_0110", "0ud4_14"),
        ("0ub4_1100 xor 0ub4_0110", "0ud4_10"),
        ("0ub4_1100 xnor 0ub4_0110", "0ud4_5"),
        ("0ub4_1100 -> 0ub4_0110", "0ud4_7"),
        ("!0ub4_1100", "0ud4_3"),
        ("-0ud4_1", "0ud4_15"),
        ("0ud4_9 << 1", "0ud4_2"),
        ("0ud4_9 >> 2", "0ud4_2"),
        ("0ud4_9 >> 0ud2_3", "0ud4_1"),
        ("unsigned(-0sd4_7 >> 1)", "0ud4_12"),
        ("0ud4_13 / 0ud4_4", "0ud4_3"),
        ("0ud4_13 mod 0ud4_4", "0ud4_1"),
        ("unsigned(-0sd4_7 / 0sd4_2)", "0ud4_13"),
        ("unsigned(-0sd4_7 mod 0sd4_2)", "0ud4_15"),
        ("0ub2_10 :: 0ub2_01", "0ud4_9"),
        ("0uh8_a5[7:4]", "0ud4_10"),
        ("0uh_a5[7:4]", "0ud4_10"),
        ("extend(0ub2_11, 2)", "0ud4_3"),
        ("unsigned(extend(swconst(-1, 2), 2))", "0ud4_15"),
        ("unsigned(resize(swconst(-6, 8), 4))", "0ud4_10"),
        ("resize(0ud8_255, 4)", "0ud4_15"),
        ("uwconst(sizeof(0ud7_1), 4)", "0ud4_7"),
        ("extend(word1(TRUE), 3)", "0ud4_1"),
        ("w", "0ud4_6"),
    ],
)
def test_words(expression: str, value: str) -> None:
    """As constants are computed, and as they are when a state is known."""
    text = f"FROZENVAR w : word[4]; VAR x : unsigned word[4]; ASSIGN init(w) := 0ud4_6; x := {expression};"
    assert values(main(text), "x") == [value]
    other = (
        expression.replace("0ud4_9", "(w + 0ud4_3)").replace("0ub4_1100", "(w << 1)").replace("0ud4_13", "(w + 0ud4_7)")
    )
    assert values(main(text.replace(expression, other)), "x") == [value]


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("7 / 2", "3"), ("-7 / 2", "-3"), ("-7 mod 2", "-1"), ("toint(0sd4_7)", "7"), ("abs(-3)", "3"),
        ("max(2, 5) - min(2, 5)", "3"), ("count(TRUE, FALSE, TRUE)", "2"), ("toint(TRUE)", "1"),
        ("bool(0ud3_4) ? 1 : 0", "1"), ("1 + 2 * 3", "7"), ("{2, 4} in {1, 2, 4} ? 1 : 0", "1"),
    ],
)  # fmt: skip
def test_numbers(expression: str, value: str) -> None:
    assert values(main(f"VAR x : -8..8; ASSIGN x := {expression};"), "x") == [value]


def test_a_state_without_a_successor_is_said_to_be_one() -> None:
    model = read(main("VAR x : 0..3; INIT x = 0; TRANS next(x) = x + 1;"))
    result = check_properties(model, SearchPlan())
    assert (result.verdict, result.kind, len(result.trace or ())) == ("violated", "deadlock", 3)
    assert "the transition relation is not total" in result.reason


@pytest.mark.parametrize(
    ("text", "kind", "line"),
    [
        ("VAR x : 0..3;\nASSIGN init(x) := 0;\nnext(x) := x + 1;", "range", 4),
        ("VAR x : 0..3;\nASSIGN init(x) := 2;\nnext(x) := 3 / x - 1;", "undefined", 4),
        ("VAR x : 0..3; a : array 0..2 of 0..3;\nASSIGN init(x) := 3;\nnext(x) := a[x];", "undefined", 4),
        ("VAR x : 0..3;\nASSIGN init(x) := 1;\nnext(x) := case x = 2 : 1; esac;", "undefined", 4),
    ],
)
def test_what_fails_on_the_way(text: str, kind: str, line: int) -> None:
    for engine in ("interpreter", "bdd", "bmc"):
        result = check_properties(read(main(text)), SearchPlan(engine=engine))
        assert (result.verdict, result.kind) == ("violated", kind)
        assert result.trace is not None
        assert result.trace.model.statements[result.trace.steps[-1].parts[0].statement].span.line == line


SPECIFIED = main(
    """VAR x : 0..3; b : boolean;
ASSIGN init(x) := 0; next(x) := b ? (x + 1) mod 4 : x;
INVARSPEC x < 4
INVARSPEC NAME wrong := x < 3;
LTLSPEC NAME moves := G F x = 0
LTLSPEC NAME past := G (x = 2 -> O x = 1)
LTLSPEC NAME soon := G (x = 1 & b -> F [1, 1] x = 2)
CTLSPEC NAME back := AG EF x = 0
SPEC E [x = 0 U x = 1]
CTLSPEC NAME bounded := EBF 4..4 x = 3
CTLSPEC NAME not_bounded := EBF 0..2 x = 3
"""
)


@pytest.mark.parametrize("engine", ["interpreter", "bdd"])
def test_specifications(engine: str) -> None:
    assert verdicts(read(SPECIFIED), engine=engine) == {
        "safety": "holds", "x < 4": "holds", "wrong": "violated", "moves": "violated", "past": "holds", "soon": "holds",
        "back": "holds", "E [x = 0 U x = 1]": "holds", "bounded": "holds", "not_bounded": "violated",
    }  # fmt: skip


@pytest.mark.parametrize("engine", ["interpreter", "bdd"])
def test_fairness(engine: str) -> None:
    fair = SPECIFIED + "JUSTICE b\nCTLSPEC NAME all := AG AF x = 0\nCTLSPEC NAME stays := EG x = 0\n"
    found = verdicts(read(fair), engine=engine)
    assert (found["moves"], found["all"], found["stays"]) == ("holds", "holds", "violated")
    strong = SPECIFIED + "COMPASSION(!b, b)\nCTLSPEC NAME all := AG AF x = 0\n"
    assert verdicts(read(strong), engine=engine)["all"] == "holds"
    weak = SPECIFIED + "CTLSPEC NAME all := AG AF x = 0\n"
    assert verdicts(read(weak), engine=engine)["all"] == "violated"


def test_single_properties_by_name_and_formulas_of_the_command_line() -> None:
    assert verdicts(read(SPECIFIED), properties=("wrong", "back")) == {"wrong": "violated", "back": "holds"}
    model = read(SPECIFIED, formulas=["G F b", "[] (x <= 3)"], invariants=["x != 2"])
    assert verdicts(model, properties=("[] (x <= 3)",)) == {"[] (x <= 3)": "holds"}
    assert verdicts(model, invariants=("x != 2",), properties=("safety",)) == {"safety": "violated"}


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        ("MODULE other\n", "there is no module main", (1, 8)),
        (main("VAR x : 0..3;\nASSIGN next(x) := y;"), "there is nothing called y", (3, 19)),
        (main("VAR x : 0..3;\nASSIGN next(x) := TRUE;"), "x is a number, and this is a truth value", (3, 19)),
        (main("VAR x : 0..3;\nASSIGN next(x) := 4;"), "x cannot become 4: its type is 0..3", (3, 19)),
        (main("VAR x : {a, b};\nASSIGN next(x) := c;"), "there is nothing called c", (3, 19)),
        (main("VAR x : {a, b}; y : {c};\nASSIGN next(x) := c;"), "x cannot become c: its type is {a, b}", (3, 19)),
        (main("VAR x : boolean;\nINIT x + 1 = 2;"), "+ is for numbers and words, and this is a truth value", (3, 6)),
        (main("VAR x : word[3];\nINIT x = 0ud4_1;"),
         "an unsigned word[3] and an unsigned word[4] do not go together", (3, 10)),
        (main("VAR x : boolean;\nASSIGN init(x) := TRUE;\ninit(x) := FALSE;"),
         "x is assigned for init twice, here and at 3:8", (4, 6)),
        (main("VAR x : boolean;\nASSIGN x := TRUE;\nnext(x) := FALSE;"),
         "x is assigned for next and for all states, here and at 3:8", (4, 6)),
        (main("VAR x : boolean; y : boolean;\nASSIGN x := !y;\ny := x;"),
         "assignments in a circle: x -> y -> x", (3, 8)),
        (main("VAR x : boolean; y : boolean;\nASSIGN next(x) := next(y);\nnext(y) := !next(x);"),
         "assignments in a circle: next(x) -> next(y) -> next(x)", (3, 8)),
        (main("DEFINE d := !e; e := d;\nVAR x : boolean;\nINIT d;"), "d is defined by itself", (2, 22)),
        (main("VAR x : boolean;\nINVAR next(x);"), "INVAR speaks of the next state", (3, 12)),
        (main("IVAR x : boolean;\nINIT x;"), "INIT speaks of the input x", (3, 6)),
        (main("VAR x : boolean;\nTRANS next(next(x));"),
         "next inside of next: only the next state can be spoken of", (3, 12)),
        (main("VAR x : process other;"),
         "process, interleaved instances of old NuSMV, is not supported", (2, 9)),
        (main("ISA other"), "ISA, which takes over another module is not supported", (2, 1)),
        (main("VAR x : integer;"), "variables of the type integer have no bounds: not supported", (2, 9)),
        (main("VAR x : cell(1);\nMODULE cell\nVAR y : boolean;"), "module cell takes 0 arguments, not 1", (2, 9)),
        (main("VAR x : boolean;\nLTLSPEC AG x"), "AG does not belong into LTLSPEC", (3, 9)),
        (main("VAR x : boolean;\nCTLSPEC G x"), "G does not belong into CTLSPEC", (3, 9)),
        (main("VAR x : boolean;\nLTLSPEC O F x"), "F inside of O is not supported", (3, 11)),
        (main("VAR a : array 0..2 of boolean;\nINIT a[3];"), "the array has elements 0 to 2, not 3", (3, 8)),
        (main("VAR x : 0..3;\nTRANS next(x) = {1, 2};"), "an operand of = is a single value, not a set", (3, 17)),
        (main("VAR x : boolean\n"), "expected ';' after the declaration, found the end of the text", (3, 1)),
    ],
)  # fmt: skip
def test_messages(text: str, message: str, place: tuple[int, int]) -> None:
    with pytest.raises(ModelError) as raised:
        read(text)
    assert raised.value.message == message
    span = raised.value.span
    assert span is not None
    assert (span.line, span.column) == place


def test_numbers_for_truth_values_are_warned_of() -> None:
    model = read(main("VAR x : boolean; ASSIGN init(x) := 0; next(x) := {0, 1};"))
    zero, one = "0 is a number, taken for FALSE here", "1 is a number, taken for TRUE here"
    assert [warning.message for warning in model.warnings] == [zero, zero, one]
    assert len(states_of(model)) == 2


@pytest.mark.parametrize(
    ("name", "states"), [("semaphore", 24), ("fifo", 320), ("shift_register", 45), ("arbiter", 36)]
)
def test_examples_have_as_many_states_as_diagrams_count(name: str, states: int) -> None:
    model = load(str(EXAMPLES / f"{name}.smv"))
    assert len(states_of(model)) == states
    assert check_properties(model, SearchPlan(engine="bdd", properties=("safety",))).states == states


@pytest.mark.parametrize("kind", ["INVARSPEC", "LTLSPEC G", "CTLSPEC AG", "TRANS"])
def test_a_disjunction_may_be_long(kind: str) -> None:
    chain = " | ".join(f"x = {number % 7}" for number in range(1_000))
    assert read(f"MODULE main VAR x : 0..6; {kind} ({chain})")
