"""Watchdogs against refinement, overflowing buffers, pictures."""

from __future__ import annotations

import re
from random import Random

import pytest

from kripke.algebra.model import AlgebraModel
from kripke.engines.plan import SearchPlan
from kripke.engines.refinement.assertions import check
from kripke.languages.cspm.loading import load


def verdicts(text: str) -> list[str]:
    model = load("script.csp", text=text)
    return [result.verdict for result in check(model, model.assertions, SearchPlan(engine="interpreter"))]


def process(random: Random, stops: bool, depth: int = 3, guarded: bool = False) -> str:
    kind = random.randrange(4) if depth else 4
    if kind <= 1:
        return f"({random.choice('abc')} -> {process(random, stops, depth - 1, True)})"
    if kind <= 3:
        operator = "[]" if kind == 2 else "|~|"
        return f"({process(random, stops, depth - 1, guarded)} {operator} {process(random, stops, depth - 1, guarded)})"
    if not guarded and not stops:
        return f"({random.choice('abc')} -> X)"
    return "X" if guarded and (not stops or random.random() < 0.5) else "STOP"


def watched(seed: int, stops: bool) -> tuple[list[str], str]:
    random = Random(seed)
    specification = process(random, stops)
    # Every other pair differs in who chooses only: the same traces, other refusals.
    flipped = re.sub(r"\[\]|\|~\|", lambda _: random.choice(("[]", "|~|")), specification)
    text = f"""
channel a, b, c, bark
external trace_watchdog, failure_watchdog
A = {{a, b, c}}
X = a -> (b -> X [] c -> X)
SPEC = {specification}
P = {flipped.replace("X", "Y") if seed % 2 else process(random, stops)}
Y = a -> (b -> Y {random.choice(("[]", "|~|"))} c -> Y)
assert SPEC [T= P
assert RUN(A) [T= trace_watchdog(SPEC, A, bark) [|A|] P
assert SPEC [F= P
assert RUN(A) [T= failure_watchdog(SPEC, A, bark) [|A|] P
assert failure_watchdog(SPEC, A, bark) [|A|] P :[deadlock free [F]]
"""
    return verdicts(text), text


@pytest.mark.parametrize("seed", range(30))
def test_watchdogs_of_traces(seed: int) -> None:
    (traces, barks, _, also_barks, _), text = watched(seed, True)
    assert traces == barks == also_barks, text


#: what is compared below: both verdicts, and refusals alone that decide
MET: dict[tuple[str, str], int] = {}


@pytest.mark.parametrize("seed", range(60))
def test_watchdogs_of_failures(seed: int) -> None:
    """No process here stops, so that where both stop, something was refused that may not be."""
    (traces, barks, failures, also_barks, stops), text = watched(seed, False)
    assert traces == barks == also_barks, text
    assert failures == ("holds" if also_barks == stops == "holds" else "violated"), text
    MET[traces, failures] = MET.get((traces, failures), 0) + 1


def test_watchdogs_met_refusals() -> None:
    """The random pairs above are of all three sorts, each several times."""
    if sum(MET.values()) == 60:
        assert min(MET["holds", "holds"], MET["holds", "violated"], MET["violated", "violated"]) >= 5, MET


def test_buffers_that_overflow() -> None:
    head = "channel c, d : Bool\nchannel full\nPAIRS = {(c.x, d.x) | x <- Bool}\n"
    assert (
        verdicts(
            head
            + "assert WEAK_BUFFER(1, full, PAIRS) :[has trace]: <c.true, full>\n"
            + "assert not WEAK_BUFFER(1, full, PAIRS) :[has trace]: <full>\n"
            + "assert not WEAK_BUFFER(1, full, PAIRS) :[has trace]: <c.true, full, d.true>\n"
            + "assert SIGNAL_BUFFER(1, full, PAIRS) :[has trace]: <c.true, full, d.true>\n"
            + "assert BUFFER(1, PAIRS) [T= SIGNAL_BUFFER(1, full, PAIRS) \\ {full}\n"
        )
        == ["holds"] * 5
    )


def test_pictures() -> None:
    text = "channel a, b, c\nP = a -> b -> P\nQ = b -> c -> Q\nMAIN = P [| {b} |] Q\n"
    model = load("script.csp", text=text)
    assert isinstance(model, AlgebraModel)
    together, first, second = model.diagrams()
    assert [(arrow.source, arrow.target, arrow.label) for arrow in together.arrows] == [("P.1", "P.2", "b")]
    assert [(arrow.source, arrow.label) for arrow in first.arrows] == [(None, ""), ("P.1 0", "a"), ("P.1 1", "b")]
    assert second.title == "P.2"
