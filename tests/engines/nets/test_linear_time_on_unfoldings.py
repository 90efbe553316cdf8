"""Linear time on unfoldings: the same answers as a search, runs that break the formula, the nets of the literature."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.engines.nets.test_prefix import markings, random_safe_net
from tests.engines.nets.test_temporal_answers import random_linear
from tests.support.random_nets import model_of

pytest.importorskip("kripke._native")
from kripke.engines.nets.formulas.answers import QueryAnswerer
from kripke.engines.nets.formulas.temporal import linear
from kripke.engines.nets.unfolding.linear_time import LinearAnswer, check_runs
from kripke.languages.pep import load
from kripke.logic.formula import Formula
from kripke.logic.lasso import Lasso, holds
from kripke.logic.parser import parse
from kripke.nets import predicates
from kripke.nets.formulas import AllPaths, Query
from kripke.nets.place_transition import PlaceTransitionNet
from kripke.nets.predicate_text import read_condition
from kripke.nets.predicates import Predicate, enabled
from kripke.nets.translation import atom_names, linear_formula


def breaks(net: PlaceTransitionNet, formula: Formula, named: dict[str, Predicate], answer: LinearAnswer) -> bool:
    """Is the run one of the net that ends in a loop, and does it break the formula?"""
    assert answer.run is not None
    tokens = list(net.initial)
    letters, at = [], []
    for transition in answer.run:
        assert enabled(net, transition, tokens)
        at.append(list(tokens))
        letters.append(sum(predicates.holds(p, net, tokens) << n for n, p in enumerate(named.values())))
        for place, change in net.transitions[transition].changes:
            tokens[place] += change
    assert tokens == at[answer.loop_start]
    return not holds(formula, Lasso(tuple(letters), answer.loop_start), list(named))


def has_deadlock(net: PlaceTransitionNet) -> bool:
    return any(not any(enabled(net, t, list(state)) for t in range(len(net.transitions))) for state in markings(net))


def test_random_nets(first: int = 0, count: int = 12) -> None:
    wrong = right = 0
    for seed in range(first, first + count):
        net = random_safe_net(seed)
        source = random.Random(seed)
        queries = [Query(f"q{n}", AllPaths(random_linear(net, source, 1 + n % 2))) for n in range(4)]
        dead = has_deadlock(net)
        for query, expected in zip(queries, linear(QueryAnswerer(model_of(net)), queries), strict=True):
            assert isinstance(query.formula, AllPaths)
            names = atom_names([query])
            named = {name: predicate for predicate, name in names.items()}
            formula = linear_formula(query.formula.operand, names)
            answer = check_runs(net, formula, named)
            if answer.run is not None:
                assert breaks(net, formula, named, answer), (seed, query)
                assert expected.value is False, (seed, query)
                wrong += 1
            elif not dead:
                assert expected.value is True, (seed, query)
                right += 1
    assert min(wrong, right) > 5


# --- the nets of the paper --------------------------------------------------------------------------------------------

CORPUS = Path(__file__).parents[4] / "shared" / "corpus" / "nets"
corpus = pytest.mark.skipif(not CORPUS.is_dir(), reason=f"the nets of the literature are not at {CORPUS}")


def ask(name: str, text: str) -> tuple[PlaceTransitionNet, Formula, dict[str, Predicate], LinearAnswer]:
    net = load(str(CORPUS / f"{name}.ll_net")).net
    named: dict[str, Predicate] = {}

    def atom(whole: str, position: int) -> tuple[str, int]:
        predicate, end = read_condition(whole, position, "formula", net)
        named[whole[position:end]] = predicate
        return whole[position:end], end

    formula = parse(text, "formula", atom)
    return net, formula, named, check_runs(net, formula, named)


RESPONSE = "[] (P1 -> <> P2)"
LIFT = "[] (P000010000000000000001 -> <> P000010000000000000017)"


@corpus
@pytest.mark.parametrize(
    ("name", "text", "conditions", "events", "terminals", "exact"),
    [
        ("rw_1w1r", RESPONSE, 568, 296, 32, True),
        ("byzagr4_0b", RESPONSE, 1642, 590, 82, True),
        ("byzagr4_2a", RESPONSE, 401, 125, 4, True),
        ("cottbus_plate_5", "[] (P62 + P63 + P125 == 1)", 1803, 810, 12, True),
        ("bruijn_2", "[] !(P33 && P66)", 2874, 1336, 327, False),
        ("dijkstra_2", "[] !(P22 && P43)", 1856, 968, 230, False),
        ("knuth_2", "[] !(P29 && P58)", 2234, 1044, 251, False),
        ("rw_1w3r", RESPONSE, 28143, 15402, 5210, False),
    ],
)
def test_formulas_that_hold(name: str, text: str, conditions: int, events: int, terminals: int, exact: bool) -> None:
    """Where the paper's order of transitions is not known, within a twentieth of its figures."""
    *_, answer = ask(name, text)
    assert answer.run is None
    assert (answer.checkpoints, answer.behind.events) == (0, 0)
    figures = (answer.before.conditions, answer.before.events)
    if exact:
        assert (*figures, answer.before.terminals) == (conditions, events, terminals)
    else:
        assert figures == (pytest.approx(conditions, rel=0.05), pytest.approx(events, rel=0.05))


@corpus
@pytest.mark.parametrize(
    ("name", "text", "before", "behind"),
    [
        ("rrr10-1", "[] (c0P1 -> <> c0P2)", (40, 14, 0), (48, 28, 5)),
        ("rrr20-1", "[] (c0P1 -> <> c0P2)", (73, 27, 0), (94, 54, 8)),
        ("rrr30-1", "[] (c0P1 -> <> c0P2)", (104, 38, 0), (136, 76, 9)),
        ("rrr50-1", "[] (c0P1 -> <> c0P2)", (173, 67, 0), (234, 134, 18)),
        ("elevator_3", LIFT, (22, 10, 0), (102, 54, 10)),
        ("elevator_4", LIFT, (25, 12, 0), (129, 68, 13)),
        ("eisenbahn", "[] !(BlockA && BlockF)", (113, 48, 20), (38, 14, 1)),
    ],
)
def test_livelocks_at_the_first_checkpoint(
    name: str, text: str, before: tuple[int, int, int], behind: tuple[int, int, int]
) -> None:
    """The prefix is the paper's, before the checkpoint and behind it."""
    net, formula, named, answer = ask(name, text)
    assert answer.livelock
    assert answer.checkpoints == 1
    assert breaks(net, formula, named, answer)
    assert (answer.before.conditions, answer.before.events, answer.before.terminals) == before
    assert (answer.behind.conditions, answer.behind.events, answer.behind.terminals) == behind
