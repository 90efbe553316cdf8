"""Formulas about the events of processes."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from kripke.algebra.network_model import NetworkModel
from kripke.checker.check import check_properties
from kripke.cli.main import main
from kripke.engines.plan import SearchPlan
from kripke.languages.cspm.loading import load
from kripke.model.source import ModelError
from tests.algebra.test_network import script

LOSSY = """
channel send, ack, lose : {0..1}
channel done
S(n) = send.n -> (ack.n -> S(1-n) [] lose.n -> S(n))
R = ack?n -> R
E = lose?n -> E
MAIN = S(0) [| {|ack, lose|} |] (R ||| E)
assert MAIN :[deadlock free]
"""


def verdict(text: str, formula: str, **plan) -> str:
    model = load("script.csp", text=text, formulas=[formula]).as_asked()
    return check_properties(model, SearchPlan(properties=(formula,), **plan)).verdict


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("[] <> send", "holds"),
        ("[] (send.0 -> <> ack.0)", "violated"),
        ("[] (send.0 -> X (ack.0 || lose.0))", "holds"),
        ("[] (ack.0 -> X send.1)", "holds"),
        ("[] (lose.0 -> X send.1)", "violated"),
        ("<> {| lose |}", "violated"),
        ("[] !done", "holds"),
        ("[] (can(send) || can({| ack, lose |}))", "holds"),
        ("[] can(send.0)", "violated"),
        ('[] <> "ack.1"', "violated"),
        ("([] <> ack.0) -> <> ack.1", "holds"),
        ("([] <> (ack && X send.1)) -> <> send.1", "holds"),
        ("[] !tau", "holds"),
    ],
)
@pytest.mark.parametrize("engine", ["native", "interpreter"])
def test_linear_time(formula: str, expected: str, engine: str) -> None:
    assert verdict(LOSSY, formula, engine=engine) == expected


def test_a_run_that_ends_stutters() -> None:
    text = "channel a, b\nMAIN = a -> SKIP ||| b -> STOP\n"
    assert verdict(text, "<> (a || b)") == "holds"
    assert verdict(text, "[] <> a") == "violated"
    assert verdict(text, "<> tick") == "violated"
    assert verdict("channel a\nMAIN = a -> SKIP\n", "<> tick") == "holds"


def test_what_is_no_event() -> None:
    for formula, words in [("[] foo", "foo is not defined"), ('[] "3"', "events are needed here")]:
        with pytest.raises(ModelError, match=words):
            load("script.csp", text=LOSSY, formulas=[formula])
    with pytest.raises(ModelError, match="no condition on the states"):
        load("script.csp", text=LOSSY, invariants=["x > 3"])


def test_branching_time(tmp_path: Path, capsys) -> None:
    file = tmp_path / "lossy.csp"
    file.write_text(LOSSY)
    for option, formula, code in [
        ("--ctl", "AG EF can(ack.1)", 0),
        ("--ctl", "AG can(send)", 1),
        ("--ctl", "AF can(ack.1)", 1),
        ("--mu", "nu X. <send> <ack> X", 0),
        ("--mu", "<ack> true", 1),
        ("--invariant", "can(send)", 1),
    ]:
        assert main(["check", str(file), option, formula]) == code, formula
    assert "whole-graph search, native engine" in capsys.readouterr().out


def test_a_saved_run_is_replayed(tmp_path: Path, capsys) -> None:
    file, trace = tmp_path / "lossy.csp", tmp_path / "run.json"
    file.write_text(LOSSY)
    assert main(["check", str(file), "--ltl", "[] (send.0 -> <> ack.0)", "--trace", str(trace)]) == 1
    assert main(["replay", str(trace)]) == 0
    assert "lose.0" in capsys.readouterr().out


FORMULAS = ["[] (a -> <> b)", "<> {|a, b|}", "[] <> c", "(!a) U b", "[] (a -> X !a)", "<> [] !c", "[] can(a) -> <> a"]


@pytest.mark.parametrize("seed", range(8))
def test_compiled_interpreted_and_by_terms(seed: int) -> None:
    text, random = script(seed), Random(seed)
    for formula in random.sample(FORMULAS, 3):
        terms = load("script.csp", text=text, process="P", formulas=[formula])
        network = load("script.csp", text=text, process="P", formulas=[formula]).as_asked()
        assert isinstance(network, NetworkModel)
        plan = SearchPlan(properties=(formula,))
        found = {
            check_properties(terms, plan).verdict,
            check_properties(network, plan).verdict,
            check_properties(network, SearchPlan(properties=(formula,), engine="interpreter")).verdict,
        }
        assert len(found) == 1, (formula, text)


def test_without_the_usual_question(tmp_path: Path, capsys) -> None:
    """Nothing is asserted: `--no-deadlock` leaves a search of all states, by the engine that is there for them."""
    file = tmp_path / "m.csp"
    file.write_text("channel a, b\nMAIN = a -> a -> STOP ||| b -> STOP\n")
    assert main(["check", str(file)]) == 1
    assert "nothing can happen any more" in capsys.readouterr().out
    assert main(["check", str(file), "--no-deadlock"]) == 0
    said = capsys.readouterr().out
    assert "holds" in said
    assert "6 states" in said
