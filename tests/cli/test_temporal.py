"""Properties of runs through the real command: formulas, never claims, labels, fairness, loops."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

# Two processes take turns at random: nothing makes Q move.
TURNS = """\
byte x;
active proctype P() { do :: x < 2 -> x++ :: x == 2 -> x = 0 od }
active proctype Q() { do :: x == 2 -> x = 5; x = 0 od }
ltl back { [] <> (x == 0) }
ltl five { <> (x == 5) }
ltl small { [] (x < 5) }
"""

# B may be passed over for ever: whenever it can move, A can as well, and takes the chance away.
CHANCE = """\
bool open = true, done;
active proctype A() { do :: open = !open od }
active proctype B() { open -> done = true }
"""


def write(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text)
    return name


def checked(kripke, *arguments: str):
    ran = kripke("check", *arguments, "--json")
    return ran.code, json.loads(ran.out)


def verdicts(record) -> dict[str, str]:
    return {part["name"]: part["verdict"] for part in record["properties"]}


@pytest.mark.parametrize("engine", ["native", "interpreter"])
def test_everything_in_the_model_is_checked(kripke, tmp_path: Path, engine: str) -> None:
    model = write(tmp_path, "turns.pml", TURNS)
    code, record = checked(kripke, model, "--engine", engine)
    assert code == 1
    assert verdicts(record) == {"safety": "holds", "back": "holds", "five": "violated", "small": "violated"}
    assert (record["verdict"], record["kind"], record["property"]) == ("violated", "ltl", "five: <> (x == 5)")
    assert (record["states"], record["transitions"]) == (23, 40)  # of the first search, as without properties
    assert [part["search"] for part in record["properties"]] == ["bfs", "ndfs", "ndfs", "bfs"]
    five = record["properties"][2]["trace"]
    loop = five["steps"][five["loop_start"] :]
    assert {step["actor"] for step in loop} == {"P:0"}
    small = record["properties"][3]["trace"]
    assert small["loop_start"] is None
    assert len(small["steps"]) == 6  # x++ twice, two guards; then Q


@pytest.mark.parametrize("search", ["ndfs", "scc"])
@pytest.mark.parametrize("engine", ["native", "interpreter"])
def test_a_formula_of_the_command_line(kripke, tmp_path: Path, engine: str, search: str) -> None:
    model = write(tmp_path, "turns.pml", TURNS)
    options = ("--engine", engine, "--search", search)
    code, record = checked(kripke, model, "--ltl", "[] <> (x == 5)", *options)
    assert (code, record["kind"], record["property"]) == (1, "ltl", "[] <> (x == 5)")
    assert record["engine"]["search"] == search
    code, record = checked(kripke, model, "--ltl", "[] (x == 5 -> <> (x != 5))", *options)
    assert (code, verdicts(record)) == (0, {"[] (x == 5 -> <> (x != 5))": "holds"})
    code, record = checked(kripke, model, "--ltl", "[] (x == 2 -> X (x != 1))", *options)
    assert (code, record["verdict"], record["complete"]) == (0, "holds", True)


def test_the_loop_is_shown(kripke, tmp_path: Path) -> None:
    model = write(tmp_path, "turns.pml", TURNS)
    ran = kripke("check", model, "--property", "five")
    assert ran.code == 1
    first, *rest = ran.out.splitlines()
    assert first.startswith("violated: formula five: <> (x == 5), a loop of ")
    assert sum("from here on the steps repeat for ever" in line for line in rest) == 1


def test_a_loop_can_be_saved_and_replayed(kripke, tmp_path: Path) -> None:
    model = write(tmp_path, "turns.pml", TURNS)
    kripke("check", model, "--property", "five", "--trace", "t.json")
    ran = kripke("replay", "t.json")
    assert ran.code == 0
    assert ran.out.splitlines()[-1].endswith(": a loop: the steps repeat for ever")
    assert "from here on the steps repeat for ever" in ran.out


@pytest.mark.parametrize("engine", ["native", "interpreter"])
def test_fairness(kripke, tmp_path: Path, engine: str) -> None:
    """Weakly fair is not enough for B, which is not able to move all the time; strongly fair is."""
    model = write(tmp_path, "chance.pml", CHANCE)
    found = {}
    for fair in ((), ("--fair", "weak"), ("--fair", "strong")):
        _, record = checked(kripke, model, "--ltl", "<> done", "--engine", engine, *fair)
        found[fair[-1:]] = record["verdict"]
    assert found == {(): "violated", ("weak",): "violated", ("strong",): "holds"}


def test_weak_fairness_is_enough_for_who_can_always_move(kripke, tmp_path: Path) -> None:
    text = "bool x, done;\nactive proctype A() { do :: x = !x od }\nactive proctype B() { done = true }\n"
    model = write(tmp_path, "m.pml", text)
    assert checked(kripke, model, "--ltl", "<> done")[1]["verdict"] == "violated"
    code, record = checked(kripke, model, "--ltl", "<> done", "--fair", "weak")
    assert (code, record["properties"][0]["fair"], record["properties"][0]["search"]) == (0, "weak", "scc")


@pytest.mark.parametrize("engine", ["native", "interpreter"])
@pytest.mark.parametrize(
    ("claim", "verdict", "kind"),
    [
        ("never { do :: true :: x == 2 -> break od }", "violated", "never"),  # the end is reached
        ("never { do :: true :: x == 9 -> break od }", "holds", "never"),
        ("never { do :: assert(x < 2) od }", "violated", "assertion"),
        ("never { do :: x != 2 :: else -> break od }", "violated", "never"),
        ("never { T: do :: true :: x != 5 -> goto accept od; accept: do :: x != 5 od }", "violated", "never"),
        ("never { accept: do :: x == 0 od }", "holds", "never"),  # it must be left
        ("never { do :: atomic { x == 2 -> assert(x != 2) } :: true od }", "violated", "assertion"),
    ],
)
def test_never_claims(kripke, tmp_path: Path, claim: str, verdict: str, kind: str, engine: str) -> None:
    model = write(tmp_path, "m.pml", TURNS.partition("ltl")[0])
    file = write(tmp_path, "claim.pml", claim)
    _, record = checked(kripke, model, "--never", file, "--engine", engine)
    assert (record["verdict"], record["kind"]) == (verdict, kind)


def test_claims_of_the_model_have_names(kripke, tmp_path: Path) -> None:
    text = (
        TURNS.partition("ltl")[0] + "never first { do :: x < 9 od }\nnever second { do :: x < 3 :: else -> break od }\n"
    )
    model = write(tmp_path, "m.pml", text)
    _, record = checked(kripke, model)
    assert verdicts(record) == {"safety": "holds", "first": "holds", "second": "violated"}
    _, record = checked(kripke, model, "--property", "first")
    assert verdicts(record) == {"first": "holds"}


@pytest.mark.parametrize("engine", ["native", "interpreter"])
def test_acceptance_labels(kripke, tmp_path: Path, engine: str) -> None:
    text = "byte x;\nactive proctype P() { do :: x < 3 -> x++ :: x == 3 -> {stop} od }\n"
    again = write(tmp_path, "again.pml", text.replace("{stop}", "accept: x = 0"))
    once = write(tmp_path, "once.pml", text.replace("{stop}", "accept: x = 4"))
    assert checked(kripke, again, "--property", "acceptance", "--engine", engine)[1]["verdict"] == "violated"
    assert checked(kripke, once, "--property", "acceptance", "--engine", engine)[1]["verdict"] == "holds"
    assert verdicts(checked(kripke, again)[1]) == {"safety": "holds"}  # as SPIN: only where it is asked for


def test_a_run_that_ends_stays_where_it_is(kripke, tmp_path: Path) -> None:
    model = write(tmp_path, "m.pml", "byte x;\nactive proctype P() { x = 1; x = 2 }\n")
    assert checked(kripke, model, "--ltl", "<> [] (x == 2)")[1]["verdict"] == "holds"
    _, record = checked(kripke, model, "--ltl", "[] <> (x == 1)")
    assert record["verdict"] == "violated"
    last = record["trace"]["steps"][-1]
    assert (last["statements"], record["trace"]["loop_start"]) == ([], len(record["trace"]["steps"]) - 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--ltl", "<> (x == 5)", "--search", "bfs"],
            "--search bfs finds no cycles, and <> (x == 5) needs them: leave it out, or say ndfs or scc",
        ),
        (
            ["--ltl", "<> (x == 5)", "--search", "ndfs", "--fair", "weak"],
            "--fair weak needs the search by components: leave out --search, or say scc",
        ),
        (
            ["--property", "nothing"],
            "--property nothing: the model has no property of that name; there are safety, back, five, small",
        ),
        (
            ["--ltl", "<> (x == 5)", "--shortest", "--fair", "weak"],
            "--shortest finds shortest loops, fair or not: it does not go with --fair",
        ),
        (["--ltl", "<> (x == 5)", "--shortest", "--engine", "interpreter"], "--shortest needs the native engine"),
        (["--property", "acceptance"], "--property acceptance: no process of the model has an accept label"),
    ],
)
def test_what_makes_no_sense_is_refused(kripke, tmp_path: Path, options: list[str], message: str) -> None:
    ran = kripke("check", write(tmp_path, "turns.pml", TURNS), *options)
    assert (ran.code, ran.out, ran.err) == (2, "", f"error: {message}\n")


@pytest.mark.parametrize(
    ("claim", "error"),
    [
        ("never { x = 1 }", "claim.pml:1:9: error: this statement cannot stand in a never claim"),
        ("never { do :: timeout od }", "claim.pml:1:15: error: 'timeout' cannot stand in a claim or formula"),
        ("never { byte y; skip }", "claim.pml:1:1: error: a never claim has no variables of its own"),
        ("byte y;", "claim.pml:1:1: error: a file for --never has never claims only"),
    ],
)
def test_errors_in_claims_point_at_the_text(kripke, tmp_path: Path, claim: str, error: str) -> None:
    model = write(tmp_path, "m.pml", TURNS)
    ran = kripke("check", model, "--never", write(tmp_path, "claim.pml", claim))
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.splitlines()[0] == error


def test_a_claim_that_cannot_be_checked_does_not_stop_the_rest(kripke, tmp_path: Path) -> None:
    text = "byte x, y;\nactive proctype P() { do :: x = (x + 1) % 3 od }\nnever { do :: x == 1 -> y = 1 :: else od }\n"
    model = write(tmp_path, "m.pml", text)
    ran = kripke("check", model)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.splitlines()[-1] == (
        "hint: conditions, assertions, jumps and selections can; --property safety checks the model without its claims"
    )
    code, record = checked(kripke, model, "--property", "safety")
    assert (code, record["states"], record["transitions"]) == (0, 3, 4)


@pytest.mark.parametrize("engine", ["native", "interpreter"])
@pytest.mark.parametrize("formula", ["true", "[] (x == 1 || !(x == 1))", "<> (x == 0) || [] !(x == 0)"])
def test_what_is_true_of_every_run_holds(kripke, tmp_path: Path, engine: str, formula: str) -> None:
    model = write(tmp_path, "turns.pml", TURNS)
    code, record = checked(kripke, model, "--engine", engine, "--ltl", formula)
    assert (code, record["verdict"], record["complete"]) == (0, "holds", True)


def test_shortest(kripke, tmp_path: Path) -> None:
    model = write(tmp_path, "turns.pml", TURNS)
    _, record = checked(kripke, model, "--property", "five", "--shortest")
    assert (len(record["trace"]["steps"]), record["trace"]["loop_start"]) == (6, 0)


# --- threads ----------------------------------------------------------------------------------------------------------


def test_threads_find_what_one_finds(kripke, tmp_path: Path) -> None:
    model = write(tmp_path, "turns.pml", TURNS)
    one, alone = checked(kripke, model, "--property", "back", "--search", "ndfs")
    many, together = checked(kripke, model, "--property", "back", "--threads", "3")
    assert (one, many, together["engine"]["threads"], together["engine"]["search"]) == (0, 0, 3, "ndfs")
    assert (together["states"], together["transitions"]) == (alone["states"], alone["transitions"])
    code, record = checked(kripke, model, "--threads", "2")
    assert code == 1
    assert verdicts(record) == {"safety": "holds", "back": "holds", "five": "violated", "small": "violated"}
    assert record["properties"][2]["trace"]["loop_start"] is not None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--fair", "weak"],
            "--threads 2 does not go with --fair weak, which needs the search by components: leave one out",
        ),
        (
            ["--search", "scc"],
            "--threads 2 looks for cycles nested depth-first: leave out --search, or say ndfs, or check --property "
            "safety alone",
        ),
        (
            ["--max-depth", "9"],
            "--threads 2 does not go with --max-depth, since how deep a state lies depends on who finds it: leave one "
            "out, or check --property safety alone",
        ),
        (["--engine", "interpreter"], "--threads 2 needs the native engine: leave out --engine interpreter"),
    ],
)
def test_what_threads_cannot_do(kripke, tmp_path: Path, options, message: str) -> None:
    model = write(tmp_path, "turns.pml", TURNS)
    ran = kripke("check", model, "--property", "five", "--threads", "2", *options)
    assert (ran.code, ran.out, ran.err) == (2, "", f"error: {message}\n")


def test_c_code_has_one_thread(kripke, tmp_path: Path) -> None:
    model = write(tmp_path, "c.pml", "byte x; active proctype P() { do :: c_code { now.x++; } od }")
    ran = kripke("check", model, "--ltl", "[] <> (x == 0)", "--threads", "2", "--allow-c")
    assert ran.code == 2
    assert ran.err == "error: --threads 2: C code inside the model may keep data of its own; leave it out\n"


# --- patterns and operators by name -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("formula", "same"),
    [
        ("response(x == 1, x == 2)", "[] (x == 1 -> <> (x == 2))"),
        ("absence(x == 7) after (x == 5)", "[] (x == 5 -> [] (x != 7))"),
        ("existence(x == 5) before (x == 2)", "(x != 2) W (x == 5 && x != 2)"),
        (
            "universality(x < 3) between (x == 1) and (x == 2)",
            "[] ((x == 1 && x != 2 && <> (x == 2)) -> (x < 3 U x == 2))",
        ),
        (
            "precedence(x == 1, x == 2) after (x == 2) until (x == 0)",
            "[] ((x == 2 && x != 0) -> (x != 2 W (x == 1 || x == 0)))",
        ),
        ("absence(x == 7) globally && <> (x == 1)", "[] (x != 7) && <> (x == 1)"),
        ("(x == 1) P (x == 2)", "!(x != 1 U x == 2)"),
        ("(x == 5) M (x < 6)", "(x < 6) U (x == 5 && x < 6)"),
        ("(x == 5) R (x < 6)", "(x == 5) V (x < 6)"),
    ],
)
def test_patterns_and_operators(kripke, tmp_path: Path, formula: str, same: str) -> None:
    model = write(tmp_path, "turns.pml", TURNS)
    _, record = checked(kripke, model, "--ltl", formula, "--ltl", same, "--ltl", f"({formula}) <-> ({same})")
    first, second, equal = (part["verdict"] for part in record["properties"])
    assert (first, equal) == (second, "holds")


def test_a_name_is_a_name_where_one_can_stand(kripke, tmp_path: Path) -> None:
    model = write(tmp_path, "m.pml", "byte P, M; active proctype R() { a: P = 1; b: M = 1 }")
    _, record = checked(kripke, model, "--ltl", "<> (P == 1) && (P == 1) P (M == 1)", "--ltl", "!(M == 1) U R@b")
    assert [part["verdict"] for part in record["properties"]] == ["holds", "holds"]


def test_next_when_a_process_moves(kripke, tmp_path: Path) -> None:
    """Process 1 resets what it has set with its very next step, whoever moves before."""
    model = write(tmp_path, "turns.pml", TURNS)
    after_move = "X ((_last != 1) W (_last == 1 && {}))"
    _, record = checked(
        kripke,
        model,
        "--ltl",
        f"[] (x == 5 && _last == 1 -> {after_move.format('x == 0')})",
        "--ltl",
        f"[] (x == 5 && _last == 1 -> {after_move.format('x == 1')})",
    )
    assert [part["verdict"] for part in record["properties"]] == ["holds", "violated"]


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        ("response(x == 1)", "<formula 1>:1:1: error: response takes 2 arguments: response(p, s)"),
        ("absence(x == 1) between (x == 2)", "<formula 1>:1:33: error: expected 'and', found the end of the text"),
        ("nothing(x == 1)", "<formula 1>:1:1: error: there is no pattern 'nothing'"),
    ],
)
def test_wrong_patterns(kripke, tmp_path: Path, formula: str, message: str) -> None:
    model = write(tmp_path, "turns.pml", TURNS)
    ran = kripke("check", model, "--ltl", formula)
    assert ran.code == 2
    assert ran.err.startswith(message)


def test_a_formula_of_the_command_line_has_no_place(kripke, tmp_path: Path) -> None:
    """That of the model has one."""
    model = write(tmp_path, "turns.pml", TURNS)
    ran = kripke("check", model, "--ltl", "[] (x < 5)", "-q")
    assert ran.out == "violated: [] (x < 5) is violated, whatever follows, after 6 steps\n"
    ran = kripke("check", model, "--property", "small", "-q")
    assert ran.out == "violated: small: [] (x < 5) is violated, whatever follows (turns.pml:6:1), after 6 steps\n"


@pytest.mark.parametrize("engine", ["native", "interpreter"])
def test_who_receives_in_a_rendezvous_moves(kripke, tmp_path: Path, engine: str) -> None:
    """Q may receive again and again and never choose the other option: as in SPIN, that is fair to Q. Of a meeting that
    comes about inside an atomic sequence, and is followed by another one, all three are part."""
    plain = """\
chan c = [0] of { byte }; byte x;
active proctype P() { do :: c!1 od }
active proctype Q() { do :: c?x :: x = 2 od }
active proctype R() { do :: x = 3; x = 0 od }
"""
    chain = """\
chan c = [0] of { byte }, d = [0] of { byte }; byte x;
active proctype P() { do :: atomic { x = 1; c!1 } od }
active proctype Q() { byte y; do :: atomic { c?y; d!y } od }
active proctype R() { byte z; do :: d?z :: x = 2 od }
"""
    for text in (plain, chain):
        (tmp_path / "m.pml").write_text(text)
        for fair in ("weak", "strong"):
            for value, expected in ((1, "holds"), (2, "violated")):
                options = ("--ltl", f"[] <> (x == {value})", "--fair", fair, "--engine", engine)
                assert (fair, value, checked(kripke, "m.pml", *options)[1]["verdict"]) == (fair, value, expected)
