"""Channels without bound, and processes that are infinite by themselves: a network of them may be finite."""

from __future__ import annotations

from random import Random

import pytest

from kripke.algebra import parallel, terms
from kripke.engines.plan import SearchPlan
from kripke.engines.refinement.assertions import check
from kripke.languages.cspm import communication
from kripke.languages.cspm.loading import load
from kripke.model.source import ModelError

HEAD = (
    "channel out, inn, mid, log : Int\nchannel sq : Seq({0..1})\nchannel pair, twin : Int.Int\n"
    "channel trip : Int.Int.Int\ndatatype D = A.Int | B.Int.Int | C\nchannel d : D.Int\n"
)
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
    "half bound": (
        "P = pair?x!3 -> out!x -> STOP [| {| pair |} |] pair!4?y -> log!y -> STOP",
        "pair.4.3, out.4, log.3",
        5,
    ),
    "a field that needs the one before": (
        "P = pair?x!(x+1) -> STOP [| {| pair |} |] pair!4?y -> log!y -> STOP",
        "pair.4.5, log.5",
        3,
    ),
    "half bound, three": (
        "P = trip?x!3?z -> STOP [| {| trip |} |] (trip!4?y?z -> STOP [| {| trip |} |] trip?x?y!9 -> STOP)",
        "trip.4.3.9",
        2,
    ),
    "half bound by alphabets": (
        "P = pair?x!3 -> STOP [ {| pair.4 |} || {| pair.4, log |} ] pair!4?y -> log!y -> STOP",
        "pair.4.3, log.3",
        3,
    ),
    "half bound, some of it shared": (
        "P = pair!4?y -> STOP [| {| pair.4 |} |] pair?x:{4, 5}!3 -> STOP",
        "pair.4.3",
        3,
    ),
    "half bound choices": (
        "P = (pair?x!3 -> STOP [] pair?x!5 -> out!0 -> STOP) [| {| pair |} |] (pair!4?y -> STOP [] pair!6?z -> STOP)",
        "pair.6.5, out.0",
        3,
    ),
    "half bound and renamed": (
        "P = (twin?x!3 -> out!x -> STOP) [[ twin <- pair ]] [| {| pair |} |] pair!4?y -> log!y -> STOP",
        "pair.4.3, out.4, log.3",
        5,
    ),
    "a field by renaming": (
        "P = (inn?x -> out!x -> STOP) [[ inn <- pair.7 ]] [| {| pair |} |] pair?y!4 -> log!y -> STOP",
        "pair.7.4, out.4, log.7",
        5,
    ),
    "half bound and hidden": (
        "P = ((pair?x!3 -> out!x -> STOP) [| {| pair |} |] pair!4?y -> log!y -> STOP) \\ {| pair |}",
        "out.4, log.3",
        5,
    ),
    "fields of a datatype": (
        "P = d!B?x!2?z -> out!x -> STOP [| {| d |} |] d.B!1?y!5 -> log!y -> STOP",
        "d.B.1.2.5, out.1, log.2",
        5,
    ),
    "a constructor and a set": (
        "P = d!A?x!3 -> out!x -> STOP [| {| d |} |] d?q:{A.4, C}?y -> log!y -> STOP",
        "d.A.4.3, out.4",
        5,
    ),
    "an infinite set": (
        "P = pair?x:{0..}!3 -> STOP [| {| pair |} |] pair!4?y -> STOP",
        "pair.4.3",
        2,
    ),
    "a number as a pattern": (
        "P = pair?3?y -> STOP [| {| pair |} |] pair?x!8 -> inn?(-2) -> STOP",
        "pair.3.8, inn.(-2)",
        3,
    ),
    "links": (
        "P = inn?x -> log!x -> STOP [inn <-> out] out!4 -> STOP",
        "log.4",
        3,
    ),
    "half bound links": (
        "P = pair?x!3 -> log!x -> STOP [pair <-> twin] twin!4?y -> log!y -> STOP",
        "log.4, log.3",
        5,
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
    "process",
    [
        "(pair?x!3 -> STOP [| {| pair |} |] pair?x?y -> STOP)",
        "(pair!4?y -> STOP [| {| pair.4 |} |] pair?x!3 -> STOP)",
        "inn?x -> STOP",
        "inn?x:{0..} -> STOP",
        "pair?x!x -> STOP",
        "(inn?x -> STOP) \\ {| inn |}",
    ],
)
def test_nobody_sends(process: str) -> None:
    model = load("script.csp", text=f"{HEAD}assert {process} :[deadlock free [F]]\n")
    with pytest.raises(ModelError, match="this input has infinitely many values"):
        check(model, model.assertions, SearchPlan(engine="interpreter"))


def _side(random: Random) -> str:
    field = ["?x", "!1", "?x:{0, 2}", "!2", "?_"]
    done = ["STOP", "a -> STOP", "SKIP", "DIV"]
    prefixes = [f"c{random.choice(field)}{random.choice(['?y', '!0', '!1', '?y:{1, 2}'])}", f"e{random.choice(field)}"]
    choices = [f"{random.choice(prefixes)} -> {random.choice(done)}" for _ in range(random.randint(1, 3))]
    process = f"({random.choice([' [] ', ' |~| ']).join(choices)})"
    match random.randrange(6):
        case 0:
            return f"({process} [[ c.1 <- c.2, e <- c.0 ]])"
        case 1:
            return f"({process} \\ {{| c.1 |}})"
        case 2:
            return f"({process} /\\ e!0 -> STOP)"
        case 3:
            return f"({process} [| {{| c.2 |}} |> a -> STOP)"
    return process


@pytest.mark.parametrize("seed", range(60))
def test_listed_or_asked_field_by_field(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same steps, whether events are listed or found field by field."""
    random = Random(seed)
    shared = [random.choice(["{| c |}", "{| c, e |}", "{| c.1 |}", "{c.1.1, c.2.0}", "{| c.0.1, e |}"]) for _ in "12"]
    one, two, three = (_side(random) for _ in range(3))
    network = (
        f"{one} [| {shared[0]} |] ({two} [| {shared[1]} |] {three})"
        if seed % 2
        else f"({one} [ {shared[0]} || {{| c, a |}} ] {two}) [| {shared[1]} |] {three}"
    )
    text = f"channel c : {{0..2}}.{{0..2}}\nchannel e : {{0..2}}\nchannel a\nP = {network}\n"

    def unfolded() -> tuple[int, object]:
        """How many states there are, and the tree of the first steps."""
        model = load("script.csp", text=text, process="P")
        root = model.root()
        seen = [root]
        for term in seen:
            seen.extend(target for _, target in dict.fromkeys(term.steps()) if target not in seen)
        trees: dict[terms.Term, object] = dict.fromkeys(seen)
        for _ in range(8):
            name = root.world.events.name
            trees = {term: frozenset((name(event), trees[target]) for event, target in term.steps()) for term in seen}
        return len(seen), trees[root]

    listed = unfolded()
    for module in (terms, parallel, communication):
        monkeypatch.setattr(module, "WIDE", -1.0)
    assert unfolded() == listed
