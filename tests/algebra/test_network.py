"""Networks: compiled rules against the terms they come from, and verdicts of both engines."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from kripke.algebra.model import TermProcess
from kripke.algebra.network_model import NetworkModel
from kripke.algebra.rule_masks import RuleMasks
from kripke.engines.explicit.safety import check
from kripke.engines.plan import SearchPlan
from kripke.engines.refinement.assertions import check as check_assertions
from kripke.languages.cspm.loading import load
from tests.algebra import brute_force as brute

PLAN = SearchPlan(deadlock=False, clarify=False)


def script(seed: int) -> str:
    """Two or three sequential processes under random operators, and a specification."""
    random = Random(seed)
    some = lambda: "{" + ",".join(e for e in brute.EVENTS if random.random() < 0.5) + "}"  # noqa: E731

    def sequential(depth: int = 3, guarded: bool = False) -> str:
        kind = random.choice(["pre", "pre", "pre", "ext", "int"]) if depth else "end"
        if kind == "pre":
            return f"({random.choice(brute.EVENTS)} -> {sequential(depth - 1, True)})"
        if kind in ("ext", "int"):
            operator = "[]" if kind == "ext" else "|~|"
            return f"({sequential(depth - 1, guarded)} {operator} {sequential(depth - 1, guarded)})"
        return random.choice(["X", "Y", "SKIP"]) if guarded else random.choice(["STOP", "SKIP"])

    network = sequential()
    for _ in range(random.randrange(1, 4)):
        kind = random.choice(["par", "par", "alpha", "link", "hide", "ren"])
        other = sequential()
        if kind == "par":
            network = f"({network} [|{some()}|] {other})"
        elif kind == "alpha":
            network = f"({network} [{some()} || {some()}] {other})"
        elif kind == "link":
            network = f"({network} [a <-> b] {other})"
        elif kind == "hide":
            network = f"({network} \\ {some()})"
        else:
            network = f"({network} [[a <- b, a <- c]])"
    lines = ["channel a, b, c", f"X = a -> {sequential(2, True)}", f"Y = b -> {sequential(2, True)}"]
    lines += [f"P = {network}", f"SPEC = {sequential()} |~| CHAOS({{a,b}})"]
    lines += ["assert SPEC [T= P", "assert SPEC [F= P", "assert P :[deadlock free [F]]", "assert CHAOS({a,b,c}) [F= P"]
    lines += ["assert SPEC [FD= P", "assert P :[divergence free]", "assert P :[deadlock free]", "assert P [FD= P"]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("seed", range(12))
def test_from_leaf_to_leaf(seed, monkeypatch):
    """The same where there are too many rules for masks."""
    monkeypatch.setattr(RuleMasks, "fit", staticmethod(lambda network: False))
    made = TermProcess(load("random.csp", text=script(seed))).as_network(None)
    native = check(made, replace(PLAN, engine="native"))
    reference = check(made, replace(PLAN, engine="interpreter"))
    assert (native.states, native.transitions) == (reference.states, reference.transitions)


def test_a_step_that_two_rules_find_counts_once():
    """Both renamed events lead to the same state, and so do the two processes that stay where they are."""
    for text, steps in [
        ("channel a, b, c\nQ = a -> STOP [] b -> STOP\nP = Q [[a <- c, b <- c]]\n", 1),
        ("channel a\nQ = a -> Q\nP = Q ||| Q\n", 1),
        ("channel a, b\nQ = a -> b -> Q\nP = Q ||| Q\n", 8),
    ]:
        made = TermProcess(load("script.csp", text=text, process="P")).as_network(None)
        assert check(made, replace(PLAN, engine="native")).transitions == steps + 1


@pytest.mark.parametrize("seed", range(12))
def test_compiled_and_interpreted(seed):
    model = load("random.csp", text=script(seed))
    made = TermProcess(model).as_network(None)
    assert isinstance(made, NetworkModel)
    native = check(made, replace(PLAN, engine="native"))
    reference = check(made, replace(PLAN, engine="interpreter"))
    assert native.states == reference.states
    assert native.transitions == reference.transitions
    terms, seen = [model.root()], {model.root()}
    for term in terms:
        for _, target in term.steps():
            if target not in seen:
                seen.add(target)
                terms.append(target)
    assert native.states == len(terms)
    verdicts = [
        [(r.verdict, r.reason) for r in check_assertions(model, model.assertions, SearchPlan(engine=engine))]
        for engine in ("native", "interpreter")
    ]
    assert [v for v, _ in verdicts[0]] == [v for v, _ in verdicts[1]], script(seed)
