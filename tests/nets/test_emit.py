"""Compiled nets and the interpreter: the same states, steps and atoms, in the same order."""

from __future__ import annotations

import pytest

pytest.importorskip("kripke._native")
from kripke.compilation.compile import compile_model
from kripke.engines.explicit.native import open_model
from kripke.engines.explicit.safety import check
from kripke.engines.plan import SearchPlan
from kripke.nets.model import NetModel
from kripke.nets.place_transition import MOST_TOKENS, Arc, Place, PlaceTransitionNet, Transition
from tests.support.random_nets import model_of, random_net, random_predicate


def compare(model: NetModel, most: int) -> int:
    """Walk both forms breadth-first, up to some states; how many were seen."""
    library = open_model(compile_model(model.emit_c()).path)
    assert library.initial() == model.initial()
    states = model.initial()
    seen = set(states)
    for state in states:
        steps = model.successors(state)
        emitted, reported = library.successors(state)
        assert emitted == [(step.target, step.parts[0].statement) for step in steps if step.target is not None]
        assert reported == [(v.code, v.statement) for step in steps for v in step.violations]
        assert tuple(library.atoms(state)) == model.atom_values(state)
        for target, _ in emitted:
            if target not in seen and len(states) < most:
                seen.add(target)
                states.append(target)
    return len(states)


@pytest.mark.parametrize("seed", range(25))
def test_random_nets(seed: int) -> None:
    net = random_net(seed)
    predicates = {f"a{n}": random_predicate(net, 1000 * seed + n) for n in range(5)}
    compare(model_of(net, predicates), 300)


@pytest.mark.parametrize("seed", range(100, 110))
def test_many_tokens(seed: int) -> None:
    net = random_net(seed, tokens=(0, 1, 253, 254, 255, 256, 100_000), weights=(1, 1, 2, 254, 255, 256))
    compare(model_of(net, {"a": random_predicate(net, seed)}), 200)


def test_more_tokens_than_can_be_counted_are_an_error() -> None:
    net = PlaceTransitionNet("huge", (Place("p", MOST_TOKENS - 1),), (Transition("t", (), (Arc(0, 1),)),))
    assert compare(model_of(net), 10) == 2
    result = check(model_of(net))
    assert (result.verdict, result.kind, result.states) == ("violated", "tokens", 2)
    assert result.reason == "a place gets more than 281,474,976,710,656 tokens: t"


def test_long_sums_and_lists_are_tables() -> None:
    places = tuple(Place(f"p{n}", n % 3) for n in range(20))
    transitions = tuple(Transition(f"t{n}", (Arc(n, 1),), (Arc((n + 1) % 20, 1),)) for n in range(20))
    net = PlaceTransitionNet("ring", places, transitions)
    from kripke.nets.predicate_text import parse_predicate

    names = ", ".join(f"p{n}" for n in range(15))
    texts = (f"tokens({names}) <= 14", f"fireable({names.replace('p', 't')})", "deadlock", "p3 + 2*p4 >= 2")
    compare(model_of(net, {text: parse_predicate(text, "x", net) for text in texts}), 200)


def test_an_unbounded_net_is_unknown_at_the_limit() -> None:
    net = PlaceTransitionNet("source", (Place("p"),), (Transition("t", (), (Arc(0, 1),)),))
    result = check(model_of(net), SearchPlan(max_states=1000))
    assert (result.verdict, result.complete, result.states) == ("unknown", False, 1000)


def test_a_net_without_places() -> None:
    model = model_of(PlaceTransitionNet("idle", (), (Transition("t", (), ()),)))
    assert compare(model, 10) == 1
    assert check(model).verdict == "holds"


def test_trace_names_transitions_and_changes() -> None:
    net = PlaceTransitionNet(
        "line", (Place("p", 1), Place("q"), Place("r")), (Transition("a", (Arc(0, 1),), (Arc(1, 2),)),)
    )
    result = check(model_of(net))
    assert result.reason == "deadlock: no transition is enabled"
    assert result.trace is not None
    (step,) = result.trace.steps
    assert step.statements == ("a",)
    assert [tuple(change) for change in step.differences] == [("q", "0", "2"), ("p", "1", "0")]
