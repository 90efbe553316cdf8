"""Sets of markings against markings one by one: counts, bounds, deadlocks, branching and linear time."""

from __future__ import annotations

import json
import random
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest

from tests.support.random_nets import model_of, random_net, random_predicate

pytest.importorskip("kripke._native")
from benchmarks.net_families import FAMILIES
from kripke.cli.main import main
from kripke.deadline import NEVER, Deadline
from kripke.engines.branching.graph import GraphLimits
from kripke.engines.nets.formulas.answers import QueryAnswerer
from kripke.engines.nets.formulas.examinations import examine, measure
from kripke.engines.nets.symbolic.branching import Branching
from kripke.engines.nets.symbolic.linear import breaks
from kripke.engines.nets.symbolic.sets import Markings, OutOfBudget
from kripke.engines.nets.symbolic.way import way_to
from kripke.logic.ctl import And, Not, Or
from kripke.nets.formulas import AllPaths, Bound, Finally, Formula, Globally, Next, Now, Query, SomePath, Until
from kripke.nets.place_transition import Marking, Place, PlaceTransitionNet, Transition, arcs
from kripke.nets.predicates import AtLeastZero, Predicate, enabled, holds

MOST = 400


def fired(net: PlaceTransitionNet, transition: int, marking: Marking) -> Marking:
    tokens = list(marking)
    for place, change in net.transitions[transition].changes:
        tokens[place] += change
    return tuple(tokens)


def graph_of(net: PlaceTransitionNet) -> dict[Marking, list[Marking]] | None:
    """Every reachable marking with what comes after each of its firings; None where there are many."""
    graph: dict[Marking, list[Marking]] = {}
    left = [net.initial]
    while left:
        marking = left.pop()
        if marking in graph:
            continue
        if len(graph) == MOST:
            return None
        firings = [number for number in range(len(net.transitions)) if enabled(net, number, marking)]
        graph[marking] = [fired(net, number, marking) for number in firings]
        left += graph[marking]
    return graph


def random_graphs(seeds: range) -> list[tuple[PlaceTransitionNet, dict[Marking, list[Marking]]]]:
    nets = (random_net(seed, tokens=(0, 1, 1, 2, 5), weights=(1, 1, 1, 2, 3)) for seed in seeds)
    return [(net, graph) for net in nets if (graph := graph_of(net)) is not None]


def elements(net: PlaceTransitionNet, graph: dict[Marking, list[Marking]], found: object) -> set[Marking]:
    return {marking for marking in graph if marking in found}  # type: ignore[operator]


def test_sets_have_the_markings_that_are_reached() -> None:
    checked = 0
    for net, graph in random_graphs(range(200)):
        markings = Markings(net, 1 << 26)
        reachable = markings.reachable
        assert reachable.count() == len(graph)
        assert elements(net, graph, reachable) == set(graph)
        assert reachable.count_steps() == sum(map(len, graph.values()))
        assert elements(net, graph, markings.dead) == {m for m in graph if not graph[m]}
        assert markings.dead.count() == sum(not after for after in graph.values())
        assert reachable.most_in_a_place == max(max(marking) for marking in graph)
        places = random.Random(len(graph)).sample(range(len(net.places)), (len(net.places) + 1) // 2)
        sums = [sum(marking[place] for place in places) for marking in graph]
        assert reachable.range(places) == (min(sums), max(sums))
        assert reachable.pick() in graph
        checked += len(graph) > 1
    assert checked > 50


def test_parts_of_sets_and_steps_from_them() -> None:
    for seed, (net, graph) in enumerate(random_graphs(range(1000, 1120))):
        markings = Markings(net, 1 << 26)
        one, other = (random_predicate(net, 2 * seed + number, 3) for number in range(2))
        a = markings.satisfying(one, markings.reachable)
        b = markings.satisfying(other, markings.reachable)
        x, y = ({m for m in graph if holds(predicate, net, m)} for predicate in (one, other))
        for found, expected in (
            (a, x),
            (b, y),
            (a | b, x | y),
            (a & b, x & y),
            (a - b, x - y),
            (markings.successors(a, markings.reachable), {after for m in x for after in graph[m]}),
            (markings.successors(a, b), {after for m in x for after in graph[m]} & y),
            (markings.predecessors(a, markings.reachable), {m for m in graph if x & set(graph[m])}),
            (markings.predecessors(a, b), {m for m in y if x & set(graph[m])}),
            (markings.backward(a, a | b), until(graph, x | y, x)),
            (markings.forward(a, a | b), forward(graph, x, x | y)),
        ):
            assert elements(net, graph, found) == expected
            assert found.count() == len(expected)


def until(graph: dict[Marking, list[Marking]], within: set[Marking], goal: set[Marking]) -> set[Marking]:
    found: set[Marking] = set()
    while goal - found:
        found |= goal
        goal = {m for m in within if any(after in found for after in graph[m])}
    return found


def forward(graph: dict[Marking, list[Marking]], start: set[Marking], within: set[Marking]) -> set[Marking]:
    found: set[Marking] = set()
    while start - found:
        found |= start
        start = {after for m in start for after in graph[m]} & within
    return found


def by_definition(net: PlaceTransitionNet, graph: dict[Marking, list[Marking]], formula: Formula) -> set[Marking]:
    """The markings that satisfy a formula of CTL: paths go on for as long as they can."""

    def globally(within: set[Marking]) -> set[Marking]:
        kept = within
        while (fewer := {m for m in kept if not graph[m] or any(after in kept for after in graph[m])}) != kept:
            kept = fewer
        return kept

    everything = set(graph)
    match formula:
        case Now(predicate):
            return {m for m in graph if holds(predicate, net, m)}
        case Not(operand):
            return everything - by_definition(net, graph, operand)
        case And(operands):
            return everything.intersection(*(by_definition(net, graph, operand) for operand in operands))
        case Or(operands):
            return set().union(*(by_definition(net, graph, operand) for operand in operands))
        case SomePath(Next(operand)):
            goal = by_definition(net, graph, operand)
            return {m for m in graph if goal & set(graph[m])}
        case SomePath(Finally(operand)):
            return until(graph, everything, by_definition(net, graph, operand))
        case SomePath(Globally(operand)):
            return globally(by_definition(net, graph, operand))
        case SomePath(Until(before, reached)):
            return until(graph, by_definition(net, graph, before), by_definition(net, graph, reached))
        case AllPaths(Next(operand)):
            goal = by_definition(net, graph, operand)
            return {m for m in graph if goal >= set(graph[m])}
        case AllPaths(Finally(operand)):
            return everything - globally(everything - by_definition(net, graph, operand))
        case AllPaths(Globally(operand)):
            return everything - until(graph, everything, everything - by_definition(net, graph, operand))
        case AllPaths(Until(before, reached)):
            kept = by_definition(net, graph, before)
            found: set[Marking] = set()
            goal = by_definition(net, graph, reached)
            while goal - found:
                found |= goal
                goal = {m for m in kept if graph[m] and all(after in found for after in graph[m])}
            return found
    raise TypeError(formula)


def random_formula(net: PlaceTransitionNet, source: random.Random, depth: int) -> Formula:
    if depth == 0:
        return Now(random_predicate(net, source.randrange(1 << 30), 1))
    kind = source.randrange(6)
    part = random_formula(net, source, depth - 1)
    if kind == 0:
        return Not(part)
    if kind == 1:
        return source.choice((And, Or))((part, random_formula(net, source, depth - 1)))
    path = (
        [Next, Finally, Globally][kind - 2](part) if kind < 5 else Until(part, random_formula(net, source, depth - 1))
    )
    return source.choice((AllPaths, SomePath))(path)


def test_branching_time_by_definition() -> None:
    values = []
    for seed, (net, graph) in enumerate(random_graphs(range(2000, 2120))):
        branching = Branching(Markings(net, 1 << 26))
        source = random.Random(seed)
        for _ in range(4):
            formula = random_formula(net, source, source.randint(1, 3))
            expected = by_definition(net, graph, formula)
            assert branching.holds(formula) is (net.initial in expected), formula
            assert elements(net, graph, branching.satisfying(formula)) == expected, formula
            values.append(net.initial in expected)
    assert values.count(True) > 60 < values.count(False)


def random_path(net: PlaceTransitionNet, source: random.Random, depth: int) -> Formula:
    if depth == 0:
        return Now(random_predicate(net, source.randrange(1 << 30), 1))
    kind = source.randrange(6)
    part = random_path(net, source, depth - 1)
    if kind == 0:
        return Not(part)
    if kind == 1:
        return source.choice((And, Or))((part, random_path(net, source, depth - 1)))
    return [Next, Finally, Globally][kind - 2](part) if kind < 5 else Until(part, random_path(net, source, depth - 1))


def test_linear_time_as_automata_on_states_tell() -> None:
    values = []
    for seed, (net, _) in enumerate(random_graphs(range(3000, 3014))):
        source = random.Random(seed)
        answerer = QueryAnswerer(model_of(net), reduce=False, limits=GraphLimits(max_states=100_000))
        queries = [Query(f"q{n}", AllPaths(random_path(net, source, source.randint(1, 3)))) for n in range(14)]
        branching = Branching(Markings(net, 1 << 26))
        for query, answer in zip(queries, answerer.answer(queries), strict=True):
            if answer.technique != "automaton":
                continue
            assert isinstance(query.formula, AllPaths)
            assert breaks(branching, query.formula.operand) is not answer.value, query
            values.append(answer.value)
    assert values.count(True) > 20 < values.count(False)


def test_ways_lead_there_and_are_shortest_where_that_is_cheap() -> None:
    found = longer = 0
    for seed, (net, graph) in enumerate(random_graphs(range(4000, 4100))):
        markings = Markings(net, 1 << 26)
        for predicate in (random_predicate(net, 5 * seed + number) for number in range(5)):
            goal = markings.satisfying(predicate, markings.reachable)
            if not goal:
                assert not any(holds(predicate, net, marking) for marking in graph)
                continue
            steps = distance(net, graph, predicate)
            asked = (net.initial, goal.handle, markings.reachable.handle, 0.0)
            shortest, walked, chained = (
                way_to(markings, goal),
                markings.native.walk(*asked),
                markings.native.chain(*asked),
            )
            assert walked is not None
            assert shortest.shortest
            assert len(shortest.transitions) == steps
            for way in (shortest.transitions, walked, chained):
                marking = net.initial
                for transition in way:
                    assert enabled(net, transition, marking)
                    marking = fired(net, transition, marking)
                assert holds(predicate, net, marking)
                assert len(way) >= steps
                longer += len(way) > steps
            assert way_to(markings, goal, shortest=True).shortest
            found += steps > 0
    assert found > 20
    assert longer < 2 * found


def test_a_long_way_takes_no_set_for_every_step() -> None:
    """A hundred philosophers who all take the fork to the left: layers would be a hundred sets."""
    family = FAMILIES["philosophers"](100)
    numbers = {place: number for number, place in enumerate(family.places)}
    net = PlaceTransitionNet(
        "diners",
        tuple(Place(name, tokens) for name, tokens in family.places.items()),
        tuple(
            Transition(name, *(arcs({numbers[place]: weight for place, weight in side.items()}) for side in sides))
            for name, sides in family.transitions.items()
        ),
    )
    markings = Markings(net)
    asked = (net.initial, markings.dead.handle, markings.reachable.handle, 0.0)
    for way in (markings.native.walk(*asked), markings.native.chain(*asked)):
        assert way is not None
        assert len(way) == 100
        marking = net.initial
        for transition in way:
            assert enabled(net, transition, marking)
            marking = fired(net, transition, marking)
        assert marking in markings.dead


def distance(net: PlaceTransitionNet, graph: dict[Marking, list[Marking]], predicate: Predicate) -> int:
    layer, steps = {net.initial}, 0
    while not any(holds(predicate, net, marking) for marking in layer):
        layer = {after for marking in layer for after in graph[marking]}
        steps += 1
    return steps


def rings(number: int, size: int = 3) -> PlaceTransitionNet:
    places = [Place(f"p{ring}_{at}", int(at == 0)) for ring in range(number) for at in range(size)]
    transitions = [
        Transition(f"t{ring}_{at}", arcs({ring * size + at: 1}), arcs({ring * size + (at + 1) % size: 1}))
        for ring in range(number)
        for at in range(size)
    ]
    return PlaceTransitionNet("rings", tuple(places), tuple(transitions))


def test_more_markings_than_a_machine_word_counts() -> None:
    markings = Markings(rings(400), 1 << 26)
    assert markings.reachable.count() == 3**400
    assert markings.reachable.count_steps() == 400 * 3**400
    assert markings.reachable.nodes <= 3 * 400


def test_numbers_of_markings_are_in_the_memory_limit() -> None:
    """There is room for the set and not for the numbers of 634 bits about each of its parts."""
    markings = Markings(rings(400), 250_000)
    everything = markings.reachable
    with pytest.raises(OutOfBudget) as stopped:
        everything.count()
    assert stopped.value.reason == "memory"
    assert markings.native.bytes <= 250_000
    assert markings.initial.count() == 1  # it was given back


def test_an_unbounded_net_ends_with_the_time() -> None:
    net = PlaceTransitionNet("source", (Place("p"),), (Transition("t", (), arcs({0: 1})),))
    markings = Markings(net, 1 << 26)
    begin = perf_counter()
    markings.deadline = Deadline(0.3)
    with pytest.raises(OutOfBudget) as stopped:
        _ = markings.reachable
    assert stopped.value.reason in ("time", "depth")
    assert perf_counter() - begin < 3
    markings.deadline = NEVER
    assert markings.initial.count() == 1  # what was made before stays good


def test_memory_is_a_limit() -> None:
    """Bathers that need a cabin to change in and a bag for their things: sums of many numbers of tokens."""
    steps = (
        ((0, 1), (3,)),
        ((3, 2), (4,)),
        ((4,), (5, 1)),
        ((5, 1), (6,)),
        ((6,), (7, 2)),
        ((7,), (8, 1)),
        ((8,), (0,)),
    )
    places = tuple(Place(f"p{number}", (32, 16, 24)[number] if number < 3 else 0) for number in range(9))
    transitions = tuple(
        Transition(f"t{number}", arcs(dict.fromkeys(before, 1)), arcs(dict.fromkeys(after, 1)))
        for number, (before, after) in enumerate(steps)
    )
    net = PlaceTransitionNet("bathers", places, transitions)
    assert Markings(net, 4_000_000).reachable.count() == 1_022_949
    assert Markings(net, 600_000).reachable.nodes == 12_084
    with pytest.raises(OutOfBudget) as stopped:
        _ = Markings(net, 400_000).reachable
    assert stopped.value.reason == "memory"


def test_numbers_that_diagrams_do_not_count() -> None:
    net = PlaceTransitionNet("many", (Place("p", 1 << 40),), ())
    with pytest.raises(OutOfBudget):
        Markings(net)


LOCKS = """PEP
PTNet
FORMAT_N
PL
1"a"0@0M1
2"b"0@0M1
3"idle"0@0M1
4"half"0@0
5"work"0@0
6"stuck"0@0
TR
1"take_a"0@0
2"take_b"0@0
3"done"0@0
4"drop"0@0
TP
1<4
2<5
3<3
3<1
3<2
4<6
PT
1>1
3>1
4>2
2>2
5>3
4>4
"""


@pytest.fixture
def locks(tmp_path: Path) -> str:
    """One process that takes two locks one after the other, or drops the first and is stuck."""
    file = tmp_path / "locks.ll_net"
    file.write_text(LOCKS)
    return str(file)


def checked(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    code = main(["check", *arguments, "--search", "symbolic", "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_a_deadlock_with_the_way_there(locks: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, result = checked(capsys, locks)
    assert (code, result["kind"], result["states"], result["transitions"]) == (1, "deadlock", 4, 4)
    texts = [step["statements"][0]["text"] for step in result["trace"]["steps"]]
    assert texts == ["take_a", "drop"]


@pytest.mark.parametrize(
    ("question", "verdict"),
    [
        (("--invariant", "half + work <= 1"), "holds"),
        (("--invariant", "work = 0"), "violated"),
        (("--ltl", "[] (half > 0 -> <> (work > 0 || stuck > 0))"), "holds"),
        (("--ltl", "[] <> (idle > 0)"), "violated"),
        (("--ctl", "AG (stuck = 0 -> EF (work > 0))"), "holds"),
        (("--ctl", "AG EF (work > 0)"), "violated"),
        (("--ctl", "E ((work = 0) U (stuck > 0))"), "holds"),
    ],
)
def test_questions_as_other_searches_answer_them(
    locks: str, capsys: pytest.CaptureFixture[str], question: tuple[str, str], verdict: str
) -> None:
    _, result = checked(capsys, locks, "--no-deadlock", *question)
    assert result["verdict"] == verdict
    assert main(["check", locks, "--no-deadlock", *question, "--json"]) == {"holds": 0, "violated": 1}[verdict]
    capsys.readouterr()


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--threads", "2"), "--search symbolic with --threads 2: this search is made by one thread"),
        (("--mu", "true"), "--mu does not go with --search symbolic, which searches no states: leave one out"),
        (("--ltl", "[] !fires(drop)"), "--search symbolic: the formula speaks of steps (fires)"),
    ],
)
def test_what_is_refused(
    locks: str, capsys: pytest.CaptureFixture[str], options: tuple[str, str], problem: str
) -> None:
    assert main(["check", locks, "--search", "symbolic", *options]) == 2
    assert problem in capsys.readouterr().err


def test_a_program_is_no_net(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "m.pml"
    file.write_text("active proctype p() { skip }\n")
    assert main(["check", str(file), "--search", "symbolic"]) == 2
    assert "--search symbolic is for Petri nets" in capsys.readouterr().err


def test_questions_about_nets_that_are_too_large_to_visit() -> None:
    """60 rings of three places with two tokens each: 6^60 markings."""
    net = rings(60)
    doubled = PlaceTransitionNet("rings", tuple(Place(p.name, 2 * p.initial) for p in net.places), net.transitions)
    answerer = QueryAnswerer(model_of(doubled), limits=GraphLimits(time_limit=60))
    size = measure(answerer)
    assert (size.states, size.transitions) == (6**60, 60 * 3 * 3 * 6**59)  # a place is marked in 3 of 6 markings
    assert (size.most_in_place, size.most_in_marking) == (2, 120)
    assert examine(answerer, "Liveness").value is True
    assert examine(answerer, "ReachabilityDeadlock").value is False
    assert examine(answerer, "StableMarking").value is False
    everywhere = AtLeastZero(tuple((3 * ring + 1, 1) for ring in range(60)), -120)
    query, bound = Query("q", SomePath(Finally(Now(everywhere)))), Query("b", Bound((1, 4, 7)))
    answers = answerer.answer([query, bound])
    assert [answer.value for answer in answers] == [True, 6]


def test_nothing_is_kept_when_nobody_needs_it() -> None:
    import gc
    import weakref

    gc.collect()
    gc.disable()
    try:
        branching = Branching(Markings(rings(3), 1 << 26))
        assert branching.holds(AllPaths(Globally(SomePath(Finally(Now(AtLeastZero(((0, 1),), -1)))))))
        gone = weakref.ref(branching.markings)
        del branching
        assert gone() is None
    finally:
        gc.enable()
