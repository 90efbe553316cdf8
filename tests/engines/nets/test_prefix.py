"""Complete prefixes: the figures of the literature, the definition, and every reachable marking."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

pytest.importorskip("kripke._native")

from kripke.engines.nets.unfolding.prefix import NotUnfoldable, Prefix, unfold
from kripke.engines.nets.unfolding.reference import unfold_by_definition
from kripke.languages.pep import load
from kripke.nets.interpreter import Interpreter
from kripke.nets.place_transition import Arc, Place, PlaceTransitionNet, Transition, arcs


def random_safe_net(seed: int) -> PlaceTransitionNet:
    """Automata side by side, some of whose transitions they take together: safe by construction."""
    source = random.Random(seed)
    places: list[Place] = []
    automata = []
    for _ in range(source.randint(1, 3)):
        states = list(range(len(places), len(places) + source.randint(2, 4)))
        places += [Place(f"p{number}", int(number == states[0])) for number in states]
        automata.append(states)
    transitions = []
    for number in range(source.randint(2, 6)):
        takers = source.sample(automata, source.randint(1, min(2, len(automata))))
        taken = {source.choice(states): 1 for states in takers}
        brought = {source.choice(states): 1 for states in takers}
        transitions.append(Transition(f"t{number}", arcs(taken), arcs(brought)))
    return PlaceTransitionNet(f"safe {seed}", tuple(places), tuple(transitions))


def markings(net: PlaceTransitionNet) -> set[bytes]:
    interpreter = Interpreter(net)
    states = [interpreter.initial()]
    seen = set(states)
    for state in states:
        for step in interpreter.successors(state):
            assert step.target is not None
            if step.target not in seen:
                seen.add(step.target)
                states.append(step.target)
    return seen


def markings_of(prefix: Prefix) -> set[bytes]:
    """The markings of the net that the cuts of the prefix stand for."""
    found = set()
    for state in markings(prefix.as_net()):
        tokens = [0] * len(prefix.net.places)
        for condition, number in enumerate(state):
            tokens[prefix.conditions[condition].place] += number
        found.add(bytes(tokens))
    return found


@pytest.mark.parametrize("seed", range(60))
def test_random_nets(seed: int) -> None:
    net = random_safe_net(seed)
    prefix = unfold(net, max_events=2000)
    assert markings_of(prefix) == markings(net)
    if len(prefix.events) <= 40:
        assert unfold_by_definition(net) == prefix


def test_a_fork() -> None:
    net = PlaceTransitionNet(
        "fork",
        (Place("p", 1), Place("q"), Place("r")),
        (
            Transition("split", (Arc(0, 1),), (Arc(1, 1), Arc(2, 1))),
            Transition("join", (Arc(1, 1), Arc(2, 1)), (Arc(0, 1),)),
        ),
    )
    prefix = unfold(net)
    # Back at the start, which is no companion: once more round, then it ends.
    assert (len(prefix.conditions), len(prefix.events), prefix.cut_offs) == (6, 3, 1)
    assert [event.transition for event in prefix.events] == [0, 1, 0]


@pytest.mark.parametrize(
    ("net", "message"),
    [
        (
            PlaceTransitionNet("n", (Place("p", 2),), ()),
            "the net is not 1-safe: p holds 2 tokens at the start",
        ),
        (
            PlaceTransitionNet("n", (Place("p", 1),), (Transition("t", (Arc(0, 2),), ()),)),
            "the transition t has an arc of weight above 1",
        ),
        (
            PlaceTransitionNet("n", (Place("p"),), (Transition("t", (), (Arc(0, 1),)),)),
            "the transition t has no preset: it can fire for ever",
        ),
        (
            PlaceTransitionNet(
                "n",
                (Place("p", 1), Place("q", 1), Place("r")),
                (Transition("t", (Arc(0, 1),), (Arc(2, 1),)), Transition("u", (Arc(1, 1),), (Arc(2, 1),))),
            ),
            "the net is not 1-safe: r can hold two tokens",
        ),
    ],
)
def test_refusals(net: PlaceTransitionNet, message: str) -> None:
    with pytest.raises(NotUnfoldable) as caught:
        unfold(net)
    assert str(caught.value) == message


# --- the literature ---------------------------------------------------------------------------------------------------

CORPUS = Path(__file__).parents[4] / "shared" / "corpus" / "nets"

# Esparza and Heljanko, Implementing LTL model checking with net unfoldings, SPIN 2001, figure 3: conditions, events,
# cut-offs of the conventional prefix, and of the product with an automaton where the formula holds.
EXACT = {
    "rrr10-1": (85, 45, 19),
    "rrr20-1": (161, 81, 32),
    "rrr30-1": (230, 110, 41),
    "rrr50-1": (388, 188, 70),
    "cottbus_plate_5": (1619, 768, 12),
    "rw_1w1r": (563, 295, 32),
    "byzagr4_0b": (1630, 587, 82),
    "byzagr4_2a": (396, 124, 4),
    "elevator_3": (7398, 3895, 1629),
    "elevator_4": (32354, 16935, 7337),
    "rw_1w1r.sync": (568, 296, 32),
    "byzagr4_0b.sync": (1642, 590, 82),
    "byzagr4_2a.sync": (401, 125, 4),
    "cottbus_plate_5.sync": (1803, 810, 12),
}
# These depend on the order of the transitions, which is not known.
NEAR = {
    "bruijn_2": (2676, 1269),
    "dijkstra_2": (1700, 921),
    "knuth_2": (2117, 1009),
    "eisenbahn": (1419, 673),
    "rw_1w3r": (28138, 15401),
    "rw_2w1r": (18275, 9241),
}
corpus = pytest.mark.skipif(not CORPUS.is_dir(), reason=f"the nets are not at {CORPUS}")


@corpus
@pytest.mark.parametrize("name", EXACT)
def test_figures(name: str) -> None:
    prefix = unfold(load(str(CORPUS / f"{name}.ll_net")).net)
    assert (len(prefix.conditions), len(prefix.events), prefix.cut_offs) == EXACT[name]


@corpus
@pytest.mark.parametrize("name", NEAR)
def test_figures_within_five_percent(name: str) -> None:
    prefix = unfold(load(str(CORPUS / f"{name}.ll_net")).net)
    conditions, events = NEAR[name]
    assert abs(len(prefix.conditions) - conditions) <= 0.05 * conditions
    assert abs(len(prefix.events) - events) <= 0.05 * events
