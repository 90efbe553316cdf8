"""``--engine bmc``, ``induction``, ``pdr``: never another verdict than the explicit engine, runs replayed."""

from pathlib import Path

import pytest

import kripke
from kripke.cli.main import main
from kripke.engines.plan import Unsupported
from tests.support.random_nets import model_of as net_model
from tests.support.random_nets import random_net
from tests.support.shared_programs import meeting_program, shared_program

EXAMPLES = Path(__file__).parents[3] / "examples" / "promela"
ENGINES = {"bmc": {"depth": 12}, "induction": {"depth": 8}, "pdr": {}}


def load(text, tmp_path):
    path = tmp_path / "m.pml"
    path.write_text(text)
    return kripke.load(path)


def agree(explicit, answer, engine):
    assert answer.verdict in (explicit.verdict, "unknown"), (engine, explicit.reason, answer.reason)
    assert engine != "pdr" or answer.verdict != "unknown", answer.reason
    if answer.verdict == "violated":
        assert answer.trace is not None
        assert len(answer.trace.steps) >= len(explicit.trace.steps)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "name",
    ["peterson", "peterson_late_flag", "philosophers_deadlock", "turns", "off_by_one", "ping_pong"],
)
def test_examples(name, engine):
    model = kripke.load(EXAMPLES / f"{name}.pml")
    explicit = model.check(properties="safety", clarify=False)
    agree(explicit, model.check(engine=engine, properties="safety", clarify=False, **ENGINES[engine]), engine)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("written", [shared_program, meeting_program])
def test_random_programs(written, engine, tmp_path):
    for seed in range(5):
        model = load(written(seed), tmp_path)
        explicit = model.check(clarify=False, max_states=20_000)
        if explicit.verdict != "unknown":
            agree(explicit, model.check(engine=engine, clarify=False, **ENGINES[engine]), engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_random_nets(engine):
    from kripke.checker.check import check_properties
    from kripke.engines.plan import SearchPlan

    for seed in range(8):
        model = net_model(random_net(seed))
        explicit = check_properties(model, SearchPlan(engine="interpreter", max_states=300))
        if explicit.verdict == "violated":
            agree(explicit, check_properties(model, SearchPlan(engine=engine, **ENGINES[engine])), engine)


def test_a_bound_that_is_too_small_is_unknown(tmp_path):
    model = load("byte x; active proctype P() { do :: x < 9 -> x++ :: else -> assert(x < 9) od }", tmp_path)
    result = model.check(engine="bmc", depth=17)
    assert (result.verdict, result.complete) == ("unknown", False)
    assert result.reason.startswith("no error within 17 steps (--depth)")
    result = model.check(engine="bmc", depth=25, clarify=False)
    assert (result.verdict, len(result.trace.steps)) == ("violated", 20)


@pytest.mark.parametrize("completeness", ["diameter", "recurrence"])
def test_a_complete_bound_is_a_proof(completeness, tmp_path):
    model = load("byte x; active proctype P() { do :: x < 9 -> x++ :: x > 3 -> x = 0 od }", tmp_path)
    result = model.check(engine="bmc", completeness=completeness)
    assert (result.verdict, result.engine["bound"], result.engine["completeness"]) == ("holds", 19, completeness)
    result = model.check(engine="bmc", completeness=completeness, invariants=["x < 9"])
    assert (result.verdict, result.kind) == ("violated", "invariant")
    assert model.check(engine="bmc", completeness=completeness, depth=17).verdict == "unknown"


LTL = ["[] <> (x == 0)", "<> [] (y == 1)", "[] (x == 1 -> <> (y == 0))", "[] (x < 2)", "(x == 0) U (y == 2)"]


@pytest.mark.parametrize("written", [shared_program, meeting_program])
def test_lassos_of_random_programs(written, tmp_path):
    for seed in range(6):
        model, formula = load(written(seed), tmp_path), LTL[seed % len(LTL)]
        explicit = model.check(ltl=formula, clarify=False, max_states=20_000)
        answer = model.check(ltl=formula, engine="bmc", depth=14, clarify=False)
        assert answer.verdict in ("unknown", explicit.verdict), (seed, formula, answer.reason)
        assert (explicit.verdict, answer.verdict) != ("violated", "unknown")
        assert (answer.trace is not None) == (answer.verdict == "violated")


def test_a_lasso_is_shown_and_a_complete_bound_proves(tmp_path):
    text = "byte x; active proctype P() { do :: x == 0 -> x = 1 :: x == 1 -> x = 2 :: x == 2 -> x = 1 od }"
    model = load(text, tmp_path)
    result = model.check(engine="bmc", ltl="[] <> (x == 0)", clarify=False)
    assert (result.verdict, result.trace.loop_start is not None) == ("violated", True)
    assert model.check(engine="bmc", ltl="[] <> (x == 1)", depth=9).verdict == "unknown"
    assert model.check(engine="bmc", ltl="[] <> (x == 1)", completeness="recurrence").verdict == "holds"


def test_where_no_run_is_longer_a_bound_is_a_proof(tmp_path):
    model = load("byte x; active proctype P() { x = 1; x = 2; x = 3 }", tmp_path)
    assert model.check(engine="bmc", depth=10).verdict == "holds"


def test_invariants_strengthen_each_other(tmp_path):
    text = "byte x, y;\nactive proctype P() { do :: d_step { x < 5 -> x++; y++ } :: d_step { x > 0 -> x--; y-- } od }"
    model = load(text, tmp_path)
    alone = model.check(engine="induction", depth=1, invariants=["y < 6"])
    assert (alone.verdict, "1-induction does not decide it" in alone.reason) == ("unknown", True)
    both = model.check(engine="induction", depth=1, invariants=["x == y", "y < 6"])
    assert (both.verdict, both.engine["k"]) == ("holds", 1)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_broken_invariant_is_found(engine, tmp_path):
    path = tmp_path / "m.pml"
    path.write_text("byte x; active proctype P() { do :: x < 7 -> x = x + 2 :: x > 5 -> x = 0 od }")
    result = kripke.load(path).check(engine=engine, invariants=["x != 6"])
    assert (result.verdict, result.kind) == ("violated", "invariant")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"engine": "pdr", "ltl": "[] (x < 3)"}, "--engine pdr does not check what is asked"),
        ({"engine": "bmc", "ltl": "[] (x < 3)", "completeness": "diameter"}, "is about runs: choose recurrence"),
        ({"engine": "bmc", "completeness": "all"}, "there is no completeness 'all'"),
        ({"engine": "pdr", "completeness": "diameter"}, "--completeness does not go with --engine pdr"),
        ({"engine": "pdr", "depth": 4}, "--depth does not go with --engine pdr"),
        ({"engine": "native", "depth": 4}, "--depth does not go with --engine native"),
        ({"engine": "bmc", "depth": 0}, "depth must be greater than 0"),
        ({"engine": "induction", "max_states": 3}, "--max-states does not go with --engine induction"),
    ],
)
def test_what_they_cannot_do_is_refused(options, message, tmp_path):
    with pytest.raises(Unsupported, match=message):
        load("byte x; active proctype P() { x = 1 }", tmp_path).check(**options)


def test_a_time_limit_is_kept(tmp_path):
    text = "int x = 3, y = 5; active [2] proctype P() { do :: x = x * y + 1 :: y = y * x + 3 :: x = x / 7 + y od }"
    result = load(text, tmp_path).check(engine="pdr", invariants=["x != 77777"], time_limit=1.5)
    assert (result.verdict, result.reason) == ("unknown", "the time limit of 1.5 s was reached")


def test_pdr_speaks_of_values(tmp_path):
    """Also of variables with negative values, and of those with too many to list."""
    text = """
    short low = -3; int wide; byte turn;
    active proctype P() { do :: turn < 5 -> turn++; low = low + turn % 2 :: turn == 5 -> turn = 0; low = -3 od }
    active proctype Q() { do :: wide < 1000 && wide % 2 == 0 -> wide = wide + 2 :: wide > 900 -> wide = 0 od }
    """
    model = load(text, tmp_path)
    for invariant, verdict in (("low <= 0", "holds"), ("low < 0", "violated"), ("wide % 2 == 0", "holds")):
        assert model.check(engine="pdr", invariants=invariant, deadlock=False).verdict == verdict
        assert model.check(invariants=invariant, deadlock=False).verdict == verdict


@pytest.mark.parametrize(
    ("engine", "verdict", "work"),
    [
        ("pdr", "holds: no deadlock, no failed assertion in any reachable state", " clauses in "),
        ("induction", "holds: no deadlock, no failed assertion in any reachable state", "runs of up to "),
        ("bmc", "unknown: no error within 3 steps (--depth)", "runs of up to 3 commands, "),
    ],
)
def test_the_report_does_not_speak_of_states_that_nobody_visited(engine, verdict, work, capsys):
    depth = ["--depth", "3"] if engine == "bmc" else []
    main(["check", str(EXAMPLES / "peterson.pml"), "--engine", engine, *depth])
    said = capsys.readouterr().out.splitlines()
    assert said[0] == verdict
    assert work in said[2] and " states" not in said[2]
