"""Watchdogs against refinement, overflowing buffers, pictures."""

from __future__ import annotations

from random import Random

import pytest

from kripke.algebra.model import AlgebraModel
from kripke.engines.plan import SearchPlan
from kripke.engines.refinement.assertions import check
from kripke.languages.cspm.loading import load


def verdicts(text: str) -> list[str]:
    model = load("script.csp", text=text)
    return [result.verdict for result in check(model, model.assertions, SearchPlan(engine="interpreter"))]


def process(random: Random, depth: int = 3, guarded: bool = False) -> str:
    kind = random.randrange(4) if depth else 4
    if kind <= 1:
        return f"({random.choice('abc')} -> {process(random, depth - 1, True)})"
    if kind <= 3:
        operator = "[]" if kind == 2 else "|~|"
        return f"({process(random, depth - 1, guarded)} {operator} {process(random, depth - 1, guarded)})"
    return "X" if guarded and random.random() < 0.5 else "STOP"


@pytest.mark.parametrize("seed", range(60))
def test_watchdogs_and_refinement(seed: int) -> None:
    random = Random(seed)
    text = f"""
channel a, b, c, bark
external trace_watchdog, failure_watchdog
A = {{a, b, c}}
X = a -> (b -> X |~| c -> X)
SPEC = {process(random)}
P = {process(random)}
assert SPEC [T= P
assert RUN(A) [T= trace_watchdog(SPEC, A, bark) [|A|] P
assert SPEC [F= P
assert RUN(A) [T= failure_watchdog(SPEC, A, bark) [|A|] P
assert failure_watchdog(SPEC, A, bark) [|A|] P :[deadlock free [F]]
"""
    traces, watched, failures, barks, stops = verdicts(text)
    assert traces == watched == barks, text
    # Where both may end, as after STOP in the specification, nothing is refused too much.
    if "STOP" not in text:
        assert failures == ("holds" if barks == stops == "holds" else "violated"), text


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
