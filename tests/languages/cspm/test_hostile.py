"""Scripts that ask for what never ends, or for more than there is: each ends in a message, soon."""

from __future__ import annotations

import os

import pytest

from kripke import memory
from kripke.deadline import Deadline, OutOfTime, keeping
from kripke.engines.plan import SearchPlan
from kripke.engines.refinement.assertions import check
from kripke.languages.cspm.loading import load
from kripke.model.source import ModelError

STEPS = 100_000  # instead of ten million
DOUBLED = "x0 = ((1, 2), (1, 2))\ny0 = ((1, 2), (1, 2))\n" + "".join(
    f"x{n} = (x{n - 1}, x{n - 1})\ny{n} = (y{n - 1}, y{n - 1})\n" for n in range(1, 60)
)
NESTED = "module M0(x)\nexports\n y = x\nendmodule\n" + "".join(
    f"module M{n}(x)\ninstance A = M{n - 1}(x)\ninstance B = M{n - 1}(x)\nexports\n y = A::y\nendmodule\n"
    for n in range(1, 30)
)


def value(text: str, expression: str, *, types: bool = True, steps: int = STEPS) -> str:
    model = load("x.csp", text=text, evaluate=(expression,), evaluation_limit=steps, types=types)
    assert model.values is not None
    return model.values()[expression]


@pytest.mark.parametrize(
    ("text", "expression", "message"),
    [
        ("", "elem(-1, <0..>)", "more than 100,000 steps"),
        ("", "#<x | x <- <0..99999>, y <- <0..99999>, x == y>", "more than 100,000 steps"),
        ("", "card({x + y | x <- {0..99999}, y <- {0..99999}})", "more than 100,000 steps"),
        ("", "<x | x <- <0..>, x < 0>", "more than 100,000 steps"),
        ("f(n) = if n == 0 then 1 else f(n-1) + f(n-1)", "f(40)", "more than 100,000 steps"),
        ("f(n) = if n == 0 then 0 else f(n-1) + 1 + f(n-1)", "f(64)", "more than 100,000 steps"),
        ("a(0,n) = n+1\na(m,0) = a(m-1,1)\na(m,n) = a(m-1,a(m,n-1))", "a(3,6)", "more than 100,000 steps"),
        ('f(n) = if n == 0 then "ab" else f(n-1)^f(n-1)', "#f(40)", "more than 100,000 steps"),
        ("", "card({0..})", "is infinite and cannot be enumerated"),
        ("", "{x | x <- {0..}, x > 3}", "is infinite and cannot be enumerated"),
        ("", "card(Seq({0, 1}))", "is infinite and cannot be enumerated"),
        ("datatype T = L | N.T.T", "card(T)", "is infinite and cannot be enumerated"),
        ("channel c : Int", "card({|c|})", "is infinite and cannot be enumerated"),
        ("", "card(Set({0..30}))", "all subsets of a set of 31 members"),
        ("", "#<0..10000000000>", "a sequence of 10000000001 numbers is too long"),
        ("f(n, s) = if n == 0 then s else f(n-1, s^s)", "#f(40, <1>)", "is too long"),
        ("f(n) = if n == 0 then 2 else f(n-1) * f(n-1)", "f(12) * f(30)", "steps"),
        ("f(n) = if n == 0 then 0 else 1 + f(n-1)", "f(1000000)", "too many calls inside each other"),
        ("f(n) = f(n)", "f(0)", "too many calls inside each other"),
        ("x = y\ny = x", "x", "needs its own value"),
        (NESTED + "instance T = M29(1)", "T::y", "more than 20,000 instances"),
    ],
)
def test_evaluation_ends(text: str, expression: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        value(text, expression)


def test_a_larger_limit_helps() -> None:
    text = "f(n) = if n == 0 then 1 else f(n-1) + f(n-1)"
    with pytest.raises(ModelError, match="allow more with --evaluation-limit"):
        value(text, "f(14)")
    assert value(text, "f(14)", steps=0) == "16384"


def test_shared_parts() -> None:
    """2^60 parts, of which 60 are different."""
    assert value(DOUBLED, "x59 == y59") == "true"
    assert value(DOUBLED, "card({x59, y59})") == "1"
    with pytest.raises(ModelError, match="parts is too large to be shown"):
        value(DOUBLED, "x59")
    grown = "f(n, s) = if n == 0 then s else f(n-1, N.s.s)\ndatatype T = L | N.T.T"
    assert value(grown, "f(60, L) == f(60, L)", types=False) == "true"
    assert value(grown, "card({f(60, L)})", types=False) == "1"
    with pytest.raises(ModelError, match="parts is too large to be put in order"):
        value(grown, "{x | x <- {f(60, L), f(59, L)}}", types=False)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("channel a : Int\nP = a?x -> P\nassert P :[deadlock free]", "infinitely many values"),
        ("channel a : Int\nassert RUN(Events) :[deadlock free]", "is infinite"),
        (
            "channel a : Int\nP = a.1 -> P\nassert (P ||| CHAOS({|a|})) \\ {|a|} :[divergence free]",
            "is infinite and cannot be enumerated",
        ),
        ("channel a : Int\nassert [] i:{0..} @ a.i -> SKIP :[deadlock free]", "is infinite"),
        ("channel a : Int\nassert ; i:<0..> @ a.i -> SKIP :[deadlock free]", "steps"),
        ("P = P [] STOP\nassert P :[deadlock free]", "needs its own value"),
        ("channel a\nP = a -> STOP ||| P\nassert P :[deadlock free]", "needs its own value"),
        ("channel a : Int\nP(n) = a.n -> STOP [] P(n+1)\nassert P(0) :[deadlock free]", "too many calls"),
    ],
)
def test_checks_end(text: str, message: str) -> None:
    model = load("x.csp", text=text, evaluation_limit=STEPS)
    with pytest.raises(ModelError, match=message):
        check(model, list(model.assertions), SearchPlan(engine="interpreter"))


def test_too_many_events(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kripke.languages.cspm.communication.MOST_EVENTS", 1_000)
    text = "channel a, b : {0..999}.{0..999}\nP = a?x?y -> P\nassert P[[a <- b]] :[deadlock free]"
    model = load("x.csp", text=text)
    with pytest.raises(ModelError, match="which must be listed here"):
        check(model, list(model.assertions), SearchPlan(engine="interpreter"))
    both = text.partition("assert")[0] + "assert P [|{|a|}|] a!3!4 -> STOP :[deadlock free [F]]"
    model = load("x.csp", text=both)
    [result] = check(model, list(model.assertions), SearchPlan(engine="interpreter"))
    assert (result.verdict, result.states) == ("violated", 2)


def test_the_deadline_is_asked() -> None:
    with keeping(Deadline(0.2)), pytest.raises(OutOfTime):
        value("f(n) = if n == 0 then 1 else f(n-1) + f(n-1)", "f(40)", steps=0)


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="the memory of the process is not known")
def test_the_memory_is_asked() -> None:
    with memory.allowing(20_000_000), pytest.raises(MemoryError):
        value("f(n) = <n> ^ f(n+1)", "#f(0)", steps=0)
