"""What CSP-M means, in small scripts: values, steps, messages."""

from __future__ import annotations

import re

import pytest

from kripke.engines.plan import SearchPlan
from kripke.engines.refinement.assertions import check
from kripke.engines.unsupported import Unsupported
from kripke.languages.cspm.loading import load
from kripke.languages.cspm.parser import parse
from kripke.languages.cspm.program import Program
from kripke.languages.cspm.values import show
from kripke.model.result import Result
from kripke.model.source import ModelError
from kripke.report.sequence import Arrow, arrows


def value(expression: str, *lines: str) -> str:
    program = Program(parse("t.csp", "\n".join([*lines, f"it = {expression}", ""])))
    return show(program.value("it"))


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("7 / 2 + 7 % 2", "4"),
        ("(-7) / 2", "-4"),
        ("(-7) % 2", "1"),
        ("1 - 2 - 3", "-4"),
        ("not 1 == 2 and 2 <= 2", "true"),
        ("<1..3>^<7>", "<1, 2, 3, 7>"),
        ("<true, 2>1, false>", "<true, true, false>"),
        ("{x*x | x <- {0..4}, x%2 == 0}", "{0, 4, 16}"),
        ("head(tail(<x | x <- <5..>, x%3 == 0>))", "9"),
        ("let f(0) = 1  f(n) = n*f(n-1) within f(5)", None),
        ('show((1, <true>, {2}))^"!"', '"(1, <true>, {2})!"'),
        ("(\\ x, y @ x-y)(5, 3)", "2"),
        ("mapLookup((| 1 => 2 |), 1)", "2"),
        ("if null(<>) then Union({{1},{2}}) else {}", "{1, 2}"),
        ("#seq(Set({1..4}))", "16"),
        ("'a'", "'a'"),
    ],
)
def test_values(expression: str, expected: str | None) -> None:
    if expected is None:  # definitions end with their lines
        with pytest.raises(ModelError):
            value(expression)
    else:
        assert value(expression) == expected


def test_dots_and_datatypes() -> None:
    declared = ["datatype T = A | B.{0..2}.T", "channel c : T.Bool"]
    assert value("c.B.1.A.true", *declared) == "c.B.1.A.true"
    assert value("{x | c.B.n.x.true <- {c.B.1.A.true}}", *declared) == "{A}"
    assert value("card({|c.A|})", *declared) == "2"
    assert value("extensions(c.A)", *declared) == "{false, true}"


def test_patterns() -> None:
    lines = ["last(_^<x>) = x", "f(<>) = 0", "f(<x>^s) = x+f(s)", "g((x,y)@@p, _) = (x, p)"]
    assert value("(last(<1,2,3>), f(<1,2,3>), g((1,2),3))", *lines) == "(3, 6, (1, (1, 2)))"


ERRORS = [
    ("P = (1 + ) 2\n", "t.csp:1:10: error: expected an expression, found ')'"),
    ("P = 1\nP = 2\n", "t.csp:2:1: error: P is defined twice"),
    ("P = STOPP\n", "t.csp:1:5: error: STOPP is not defined"),
    ("x = 1 + true\n", "t.csp:1:9: error: type error: this is Bool, but Int is needed here"),
    ("channel c : {0..1}\nP = c!true -> STOP\n", "t.csp:2:6: error: type error: this is"),
    ('x = "abc\n', "t.csp:1:5: error: this string does not end on its line"),
    ("assert STOP [TP= STOP\n", "t.csp:1:13: error: the model [TP= is not supported"),
    ("f(x^y) = x\n", "t.csp:1:3: error: two parts of this pattern may be of any length"),
    ("f :: (Int) -> Int\n", "t.csp:1:1: error: f has a type, but no definition here"),
    (
        "module M(x)\nexports\ny = x\nendmodule\ninstance I = M(1)\ninstance I = M(2)\n",
        "t.csp:6:1: error: I is defined twice",
    ),
    ("t = true < false\n", "t.csp:1:5: error: type error: Bool cannot be ordered"),
    ("channel tock : Int\nTimed { P = STOP }\n", "t.csp:2:1: error: type error: this is Int => Event, but Event"),
    ("{- x\n", "t.csp:1:1: error: this comment does not end"),
    ("datatype T = A.Proc\nt = A == A\n", "t.csp:2:5: error: type error: Proc cannot be compared"),
]


@pytest.mark.parametrize(("script", "message"), ERRORS)
def test_errors(script: str, message: str) -> None:
    with pytest.raises(ModelError) as caught:
        load("t.csp", text=script)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("first(<>)", "t.csp:1:12: error: head of an empty sequence"),
        ("1 + first(<1>) / 0", "<expression>:1:5: error: division by zero"),
        ("1 2", "<expression>:1:3: error: expected the end of the expression, found '2'"),
        ("c!5 -> STOP", "<expression>:1:2: error: 5 is not in the type of field 1 of channel c"),
    ],
)
def test_errors_of_what_is_asked_for(expression: str, message: str) -> None:
    """Whether they are in the script or in the expression."""
    with pytest.raises(ModelError) as caught:
        model = load("t.csp", text="first(s) = head(s)\nchannel c : {0..1}\n", process=expression)
        check(model, model.assertions, SearchPlan())
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (
            "channel c : {0..3}\nP(n) = c!n -> P(n+1)\nMAIN = P(2)\n",
            "t.csp:2:9: error: 4 is not in the type of field 1",
        ),
        ("f(0) = STOP\nMAIN = f(1)\n", "t.csp:1:1: error: no equation of f matches (1)"),
        ("x = 1 / 0\nMAIN = if x == 1 then STOP else SKIP\n", "t.csp:1:5: error: division by zero"),
        ("MAIN = MAIN\n", "t.csp:1:8: error: MAIN needs its own value"),
        ("channel c : Int\nMAIN = c?x?y -> STOP\n", "t.csp:2:11: error: type error"),
        ('MAIN = error("no")\n', "t.csp:1:8: error: no"),
        ("MAIN = if #<1..10000000000> == 1 then STOP else SKIP\n", "t.csp:1:12: error: a sequence of"),
    ],
)
def test_run_time_errors(script: str, message: str) -> None:
    with pytest.raises(ModelError) as caught:
        model = load("t.csp", text=script)
        check(model, model.assertions, SearchPlan())
    assert str(caught.value).startswith(message)


def answers(script: str, **options: object) -> list[tuple[str, str]]:
    model = load("t.csp", text=script)
    return [(result.verdict, result.reason) for result in check(model, model.assertions, SearchPlan(**options))]  # type: ignore[arg-type]


def test_revivals_and_refusal_traces() -> None:
    """Pairs that only the finer models tell apart."""
    head = "channel a, b, c\n"
    revived = head + "S = STOP |~| (a -> STOP [] b -> STOP)\nP = a -> STOP\n"
    models = ("F", "FD", "V", "VD", "R", "RD")
    found = answers(revived + "".join(f"assert S [{model}= P\n" for model in models))
    assert [verdict for verdict, _ in found] == ["holds", "holds"] + ["violated"] * 4
    assert found[2][1] == (
        "at the start the implementation offers a where it offers only {a}; where the specification offers it, it "
        "always offers something else as well"
    )
    assert found[4][1] == (
        "at the start the implementation does a after it refused what it does not offer; the specification, having "
        "refused as much, allows no event at all"
    )
    tested = head + "S = (a -> b -> STOP [] c -> STOP) |~| a -> c -> STOP\nP = a -> b -> STOP\n"
    found = answers(tested + "".join(f"assert S [{model}= P\n" for model in models))
    assert [verdict for verdict, _ in found] == ["holds"] * 4 + ["violated"] * 2
    assert "after <a> the implementation offers only {b}; the specification, after the refusals" in found[4][1]
    with pytest.raises(Unsupported, match="refinement in the model V is not checked on compiled networks"):
        answers(head + "assert STOP [V= STOP ||| STOP\n", engine="native")


def test_a_choice_of_the_process_in_a_trace() -> None:
    """Processes that begin with ``$`` are named in traces like others."""
    found = results("channel d : {0..1}\nP(y) = d$x -> STOP\nassert P(7) :[deterministic]\n")
    assert found[0].verdict == "violated" and found[0].trace is not None
    assert [step.statements for step in found[0].trace.steps]


def results(script: str) -> list[Result]:
    model = load("script.csp", text=script)
    return check(model, model.assertions, SearchPlan(engine="interpreter"))


def test_sentences() -> None:
    script = """
channel a, b
P = a -> b -> P
Q = a -> (b -> Q |~| a -> STOP)
assert P [T= Q
assert P [F= a -> STOP
assert P [FD= P \\ {a,b}
assert Q :[deterministic]
assert Q :[deadlock free]
assert P :[has trace] <a, a>
assert not P [T= Q
"""
    assert answers(script) == [
        ("violated", "after <a> the implementation does a, but the specification allows {b}"),
        ("violated", "after <a> the implementation offers nothing, but the specification demands {b}"),
        ("violated", "at the start the implementation diverges: it can go on for ever with invisible steps"),
        ("violated", "after <a> a is possible, but can be refused: only {b} may be offered"),
        ("violated", "after <a, a> nothing can happen any more"),
        ("violated", "after <a> the process cannot do a: it can do {b}"),
        ("holds", ""),
    ]


def test_termination() -> None:
    script = """
channel a, b
assert a -> SKIP [FD= SKIP ; a -> SKIP
assert STOP [T= (SKIP ||| SKIP) ; SKIP
assert SKIP [FD= SKIP ||| SKIP
assert SKIP :[deadlock free]
assert (a -> SKIP) /\\ (b -> STOP) :[has trace] <a, b>
assert STOP [T= (a -> SKIP [| {a} |] STOP)
"""
    assert [verdict for verdict, _ in answers(script)] == ["holds", "violated", "holds", "holds", "holds", "holds"]


def test_wide_channels_cost_nothing() -> None:
    script = """
channel c : {0..9999}.{0..9999}
P = c?x?y -> P
Q = c!3!4 -> c!5!6 -> STOP
MAIN = P [| {|c|} |] Q
"""
    assert answers(script) == [("violated", "after <c.3.4, c.5.6> nothing can happen any more")]


def test_infinite_parts_of_a_finite_network() -> None:
    script = """
channel a, b
P = (a -> P)[[a <- b, b <- a]]
Q = a -> Q [] b -> a -> b -> STOP
MAIN = P [| {a,b} |] Q
"""
    assert answers(script) == [("violated", "after <b, a, b> nothing can happen any more")]


GEN = """
channel out, comm : {0..99999}
Gen(x,d) = (out!x -> (if x<d then Gen(x,d) else Gen(x-d,d))) [] comm.x -> STOP
Greedy(x,d) = out!x -> if x<d then Greedy(x,d) else Greedy(x-d,d) [] comm.x -> STOP
"""


@pytest.mark.parametrize(("name", "states", "transitions"), [("Gen", 571, 1073), ("Greedy", 641, 1209)])
def test_gen_prime(name: str, states: int, transitions: int) -> None:
    script = f"{GEN}MAIN = {name}(99999,7) [| {{|comm|}} |] {name}(99998,29)\n"
    model = load("t.csp", text=script)
    [result] = check(model, model.assertions, SearchPlan())
    assert (result.verdict, result.states, result.transitions) == ("violated", states, transitions)


@pytest.mark.parametrize(("pages", "states", "steps"), [(1, 48, 73), (2, 1116, 3144), (3, 26190, 110214)])
def test_two_phase_commit(pages: int, states: int, steps: int) -> None:
    from pathlib import Path

    text = (Path(__file__).parents[3] / "examples" / "cspm" / "two_phase_commit.csp").read_text()
    text = text.replace("N = 2", f"N = {pages}").split("assert")[0] + "assert RUN(Events) [T= SYSTEM\n"
    model = load("t.csp", text=text)
    # The step to the initial state counts, as elsewhere.
    [result] = check(model, model.assertions, SearchPlan(engine="native"))
    assert (result.verdict, result.states, result.transitions) == ("holds", states, steps + 1)


def test_timed_sections() -> None:
    script = """
channel a, tock
Timed (\\ _ @ 2) { P = a -> P }
SPEC = a -> tock -> tock -> SPEC [] tock -> SPEC
assert SPEC [FD= P
assert P [FD= SPEC
"""
    assert [verdict for verdict, _ in answers(script)] == ["holds", "holds"]


def test_modules() -> None:
    script = """
module Buffer(T)
exports
  channel left, right : T
  P = left?x -> right!x -> P
endmodule
instance One = Buffer({0,1})
instance Two = Buffer({5})
assert One::P :[has trace] <One::left.1, One::right.1>
assert Two::P :[has trace] <Two::left.5>
"""
    assert [verdict for verdict, _ in answers(script)] == ["holds", "holds"]


def test_deep_nesting_is_refused() -> None:
    with pytest.raises(ModelError, match="nested more than"):
        parse("t.csp", "P = " + "(" * 5000 + "STOP" + ")" * 5000 + "\n")


def test_limits() -> None:
    [answer] = answers("channel a : Int\nP(n) = a.n -> P(n+1)\nMAIN = P(0)\n", max_states=100)
    assert answer == ("unknown", "the limit of 100 states was reached")


def test_the_state_space_as_a_script(tmp_path) -> None:
    text = "channel a, b\nMAIN = (a -> SKIP [> b -> MAIN) \\ {b}\n"
    (tmp_path / "m.csp").write_text(text)
    script, states = load(str(tmp_path / "m.csp")).state_space_script(1000)
    (tmp_path / "space.csp").write_text(script)
    model = load(str(tmp_path / "space.csp"))
    # The included script has MAIN and no assertions.
    assert states == 4
    assert [result.verdict for result in check(model, model.assertions, SearchPlan())] == ["holds"] * 6


def test_labels_of_files_are_events(tmp_path) -> None:
    from kripke.cli.main import main

    (tmp_path / "m.csp").write_text("channel a, b\nP = a -> P\nMAIN = P [|{a}|] (b -> a -> STOP) \\ {b}\n")
    assert main(["explore", str(tmp_path / "m.csp"), "-o", str(tmp_path / "m.aut")]) == 0
    assert (tmp_path / "m.aut").read_text() == 'des (0,2,3)\n(0,"i",1)\n(1,"a",2)\n'


def test_saved_traces_are_replayed(tmp_path, capsys) -> None:
    from kripke.cli.main import main

    (tmp_path / "m.csp").write_text("channel a, b\nP = a -> P\nQ = a -> b -> Q\nassert P [T= Q\n")
    assert main(["check", str(tmp_path / "m.csp"), "--trace", str(tmp_path / "t.json")]) == 1
    capsys.readouterr()
    assert main(["replay", str(tmp_path / "t.json")]) == 0
    assert "replayed 2 steps" in capsys.readouterr().out


@pytest.mark.parametrize("after_end", [False, True])
def test_interrupt_after_the_end(after_end: bool) -> None:
    """Roscoe's rule and that of FDR2."""
    model = load("t.csp", text="channel a, b\nMAIN = (a -> SKIP) /\\ (b -> STOP)\n", interrupt_after_end=after_end)
    names = model.event_name
    [after] = [target for event, target in model.root().steps() if names(event) == "a"]
    ended = [target for event, target in after.steps() if names(event) == "✓"]
    assert [names(event) for event, _ in ended[0].steps()] == (["b"] if after_end else [])


def test_values_on_the_command_line(tmp_path, capsys) -> None:
    from kripke.cli.main import main

    (tmp_path / "m.csp").write_text("f(x) = <x, x+1>\nprint f(1)\n")
    assert main(["info", str(tmp_path / "m.csp"), "--evaluate", "f(2)^f(5)"]) == 0
    assert "values:\n  f(1): <1, 2>\n  f(2)^f(5): <2, 3, 5, 6>\n" in capsys.readouterr().out
    assert main(["info", str(tmp_path / "m.csp"), "--evaluate", "head(<>)"]) == 2
    assert "head of an empty sequence" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("model", "process", "trace", "reason"),
    [
        ("T", "a -> STOP |~| b -> STOP", "a", None),
        ("F", "a -> STOP |~| b -> STOP", "a", "at the start the process can refuse a: only {b} may be offered"),
        ("F", "a -> STOP [] b -> STOP", "a", None),
        ("F", "SKIP [] a -> STOP", "a", "at the start the process can refuse a: only {✓} may be offered"),
        ("F", "a -> (b -> STOP [> c -> STOP)", "a, b", "after <a> the process can refuse b: only {c} may be offered"),
        ("F", "DIV [] a -> STOP", "a", None),
        ("FD", "DIV [] a -> STOP", "a", "at the start the implementation diverges: it can go on for ever"),
        ("FD", "a -> DIV", "a", None),
        ("FD", "(a -> b -> STOP) \\ {a}", "b", None),
    ],
)
def test_has_trace(model: str, process: str, trace: str, reason: str | None) -> None:
    """In T the process can do the trace; in F it cannot refuse to; in FD it does not diverge before the end either."""
    text = f"channel a, b, c\nassert {process} :[has trace [{model}]]: <{trace}>\n"
    [result] = results(text)
    assert result.verdict == ("holds" if reason is None else "violated")
    assert result.reason.startswith(reason or "")


def test_an_input_with_dots_takes_several_fields() -> None:
    text = """
channel e : {0..2}.{0..2}.{0..2}
datatype D = A.{0..1} | B
channel d : D.{0..1}
assert e?x.y!x -> STOP :[has trace]: <e.1.2.1>
assert not e?x.y!x -> STOP :[has trace]: <e.1.2.0>
assert d?A.x!x -> STOP :[has trace]: <d.A.1.1>
assert not d?A.x!x -> STOP :[has trace]: <d.A.1.0>
assert not d?A.x!x -> STOP :[has trace]: <d.B.0>
"""
    assert [result.verdict for result in results(text)] == ["holds"] * 5


def test_timed_priority_and_loop() -> None:
    text = """
channel a, b, tock
external loop
One(_) = 1
Timed(One) {
  P = (a -> STOP [] b -> STOP) \\ {a}
  Q = timed_priority(P)
}
R = a -> b -> R
assert P :[has trace]: <tock, b>
assert not Q :[has trace]: <tock, b>
assert R [FD= loop(a -> b -> SKIP)
assert loop(a -> b -> SKIP) [FD= R
"""
    assert [result.verdict for result in results(text)] == ["holds"] * 4
    with pytest.raises(ModelError, match="timed_priority is for timed sections"):
        load("script.csp", text="P = timed_priority(STOP)\n")


def test_types_in_tuples_are_looked_at_late() -> None:
    """A datatype whose fields are tuples of sets that are defined below it."""
    text = """
datatype D = Atom | Pair.(LATE, Seq(D))
LATE = {x | x <- {0..1}}
channel c : D
one(x) = Pair.(x, <Atom>)
assert c!one(1) -> STOP :[has trace]: <c.Pair.(1, <Atom>)>
"""
    assert [result.verdict for result in results(text)] == ["holds"]


@pytest.mark.parametrize(
    ("script", "process", "message"),
    [
        ("f(n) = f(n + 1)", "c.f(0) -> STOP", "script.csp:3:8: error: this needs too many calls inside each other"),
        ("P(n) = P(n + 1)", "P(0)", "script.csp:3:8: error: this needs too many calls inside each other"),
        ("P(n) = c.0 -> P(n + 1)\nQ(n) = Q(n)", "c.0 -> Q(0)", "this needs too many calls inside each other"),
        ("", "CHAOS({| d |})", "the set {|d|} is infinite and cannot be enumerated"),
        ("", "|~| x:{0..} @ d.x -> STOP", "the set {0..} is infinite and cannot be enumerated"),
        ("S = {x + 1 | x <- {0..}}", "[] x:S @ d.x -> STOP", "the set {0..} is infinite and cannot be enumerated"),
    ],
)
def test_what_never_ends_is_refused(script: str, process: str, message: str) -> None:
    text = f"channel c : {{0..3}}\nchannel d : Int\nassert {process} :[deadlock free [F]]\n{script}\n"
    with pytest.raises(ModelError) as caught:
        results(text)
    assert message in caught.value.render()


def test_sequence_chart() -> None:
    """Who does an event together is joined by an arrow, also where the event is hidden."""
    text = """
channel a, b, c : {0..1}
P = a?x -> b!x -> P
Q = b?x -> c!x -> Q
assert a?x -> c!x -> STOP [T= (P [| {| b |} |] Q) \\ {| b |}
"""
    [result] = results(text)
    assert result.trace is not None
    assert arrows(result.trace) == [Arrow("b", "0", sent=1, sender=0, received=1, receiver=1)]


VALUES = """
channel a, b : {0..1}
datatype D = A | B.{0..1}
datatype colour = red | green
f :: (Yieldable r) => (t =>* r) -> {r}
f(x) = {| x |}
g :: (colour) -> Int
g(red) = 1
g(green) = 2
both(x@@(y, z), w) = (x, y)
first(xs@@<x>^ys) = (xs, x)
apply(h, x) = h(x)
module Empty
  x = 1
endmodule
"""


@pytest.mark.parametrize(
    "truth",
    [
        "{| B |} == {B.0, B.1} and {| A, B |} == D",
        "f(a) == {| a |} and f(B) == {B.0, B.1}",
        "apply(productions, a) == {a.0, a.1} and apply(extensions, a) == {0, 1}",
        "g(green) == 2",
        "both((1, 2), 3) == ((1, 2), 1)",
        "first(<1, 2>) == (<1>, 1)",
        "1 + 2 < 4 == true",
        "-7 / 2 == -4 and -7 % 2 == 1",
    ],
)
def test_truths(truth: str) -> None:
    model = load("t.csp", text=f"{VALUES}test = {truth}\n", evaluate=("test",))
    assert model.values is not None
    assert model.values() == {"test": "true"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = {| 1 |}", "this is Int, but an event or a value of a datatype is needed here"),
        ("datatype D = A\nP = STOP \\ {| A |}", "this is {D}, but {Event} is needed here"),
        ("f(x) = {| x |}\ny = f(true)", "Bool"),
        ("x = productions(1)", "Int is neither an event nor a value of a datatype"),
        ("f :: (Int) -> Int\nf :: (Int) -> Int\nf(x) = x", "f has two types"),
        ("f :: (Event =>* b) -> b\nf(x) = x", "what stands before =>* is a type variable"),
        ("x = 1 == 1 == true", "comparisons do not chain"),
    ],
)
def test_types_are_refused(text: str, message: str) -> None:
    with pytest.raises(ModelError, match=re.escape(message)):
        load("t.csp", text=text)


@pytest.mark.parametrize("engine", ["interpreter", "native"])
def test_a_trace_has_the_events_that_are_told(engine: str) -> None:
    """Several events lead from one state to another."""
    script = """
channel a, b, c
P = a -> STOP [] b -> STOP
Q = c -> Q
D = a -> D [] b -> D
assert a -> STOP ||| RUN({c}) [T= P ||| Q
assert (D ||| Q) \\ {b} :[divergence free]
"""
    model = load("t.csp", text=script)
    forbidden, diverging = check(model, list(model.assertions), SearchPlan(engine=engine))
    assert forbidden.trace is not None
    assert forbidden.reason == "at the start the implementation does b, but the specification allows {a, c}"
    assert forbidden.trace.steps[-1].statements == ("b",)
    assert diverging.trace is not None
    assert [step.statements for step in diverging.trace.steps[diverging.trace.loop_start :]] == [("τ (b)",)]


def test_time_passes_on_both_sides_of_a_link() -> None:
    script = """
channel a, b, c, d, tock
Timed (\\ _ @ 2) {
  P = a -> b -> STOP
  Q = c -> d -> STOP
  MAIN = P [b <-> c] Q
}
SPEC = a -> tock -> tock -> REST [] tock -> SPEC
REST = d -> tock -> tock -> RUN({tock}) [] tock -> REST
assert SPEC [T= MAIN
assert MAIN :[has trace]: <a, tock, tock, tock, tock, d, tock>
assert not MAIN :[has trace]: <a, tock, tock, d>
"""
    assert [verdict for verdict, _ in answers(script)] == ["holds"] * 3
