"""Channels without bound, and processes that are infinite by themselves: a network of them may be finite."""

from __future__ import annotations

import pytest

from kripke.engines.plan import SearchPlan
from kripke.engines.refinement.assertions import check
from kripke.languages.cspm.loading import load
from kripke.model.source import ModelError

HEAD = "channel out, inn, mid, log : Int\nchannel sq : Seq({0..1})\nchannel pair : Int.Int\n"
#: what is between an input and the one who sends, the script, a trace, all states
NETWORKS = {
    "renaming": (
        "COPY = inn?x -> mid!x -> COPY\nSEND(n) = inn!n -> log?y -> if y > 3 then STOP else SEND(y+1)\n"
        "P = COPY [[ mid <- log ]] [| {| inn, log |} |] SEND(0)",
        "inn.0, log.0, inn.1, log.1",
        11,
    ),
    "renamed input": (
        "P = (inn?x -> mid!x -> STOP) [[ inn <- out ]] [| {| out |} |] out!7 -> STOP",
        "out.7, mid.7",
        3,
    ),
    "hiding": (
        "COPY = inn?x -> mid!x -> COPY\nP = (COPY \\ {| mid |}) [| {| inn |} |] inn!1 -> inn!2 -> STOP",
        "inn.1, inn.2",
        5,
    ),
    "interrupt": (
        "P = ((inn?x -> STOP) /\\ (out?x -> STOP)) [| {| inn, out |} |] inn!1 -> out!2 -> STOP",
        "inn.1, out.2",
        3,
    ),
    "exception": (
        "P = ((inn?x -> STOP) [| {| inn |} |> (log!9 -> STOP)) [| {| inn |} |] inn!1 -> STOP",
        "inn.1, log.9",
        3,
    ),
    "sliding choice": (
        "P = ((inn?x -> STOP) [> (out?y -> STOP)) [| {| inn, out |} |] out!1 -> STOP",
        "out.1",
        3,
    ),
    "alphabets": (
        "P = || i:{0..2} @ [ {| inn |} ] (if i == 1 then inn!5 -> STOP else inn?x -> STOP)",
        "inn.5",
        2,
    ),
    "three": (
        "P = (inn?x -> STOP) [| {| inn |} |] (inn?y -> STOP) [| {| inn |} |] (inn!4 -> STOP)",
        "inn.4",
        2,
    ),
    "RUN": (
        "P = RUN({| inn |}) [| {| inn |} |] inn!5 -> STOP",
        "inn.5",
        2,
    ),
    "CHAOS": (
        "P = CHAOS({| inn |}) [| {| inn |} |] inn!5 -> STOP",
        "inn.5",
        4,
    ),
    "difference": (
        "P = (inn?x -> STOP) [| diff({| inn, out |}, {| out |}) |] (inn!1 -> STOP)",
        "inn.1",
        2,
    ),
    "sequence": (
        "P = (inn?x -> SKIP; out?x -> STOP) [| {| inn, out |} |] (inn!1 -> out!2 -> STOP)",
        "inn.1, out.2",
        4,
    ),
    "new processes": (
        "SERVER = inn?x -> (SERVER ||| out!x -> STOP)\nP = SERVER [| {| inn |} |] inn!5 -> inn!6 -> STOP",
        "inn.5, inn.6, out.6, out.5",
        7,
    ),
    "sequences as values": (
        "P = sq.<0, 1> -> STOP [| {| sq |} |] sq?s -> STOP",
        "sq.<0, 1>",
        2,
    ),
}


@pytest.mark.parametrize("name", NETWORKS)
def test_finite_network(name: str) -> None:
    script, trace, states = NETWORKS[name]
    text = f"{HEAD}{script}\nassert P :[has trace]: <{trace}>\nassert P :[divergence free]\n"
    model = load("script.csp", text=text)
    possible, whole = check(model, model.assertions, SearchPlan(engine="interpreter"))
    assert (possible.verdict, whole.verdict, whole.states) == ("holds", "holds", states)


@pytest.mark.parametrize(
    "process", ["inn?x -> STOP", "inn?x:{0..} -> STOP", "pair?x!x -> STOP", "(inn?x -> STOP) \\ {| inn |}"]
)
def test_nobody_sends(process: str) -> None:
    model = load("script.csp", text=f"{HEAD}assert {process} :[deadlock free [F]]\n")
    with pytest.raises(ModelError, match="this input has infinitely many values"):
        check(model, model.assertions, SearchPlan(engine="interpreter"))
