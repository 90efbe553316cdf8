"""Random graphs and random formulas through every search: ``python -m tests.soak_temporal --cases 1000 --seed 1``.

For each case, without fairness and with each: nested depth-first search, components, the search the observer chooses
and the reference agree, for "every run satisfies F" and for "a run satisfies not F"; so does an enumeration of the
lassos of the graph up to a length, which knows neither automata nor products, and, where F is in both logics, branching
time.
Every lasso that a search shows breaks the formula by the definition.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from kripke.engines import graph as graphs
from kripke.engines.compile import CompiledModel
from kripke.engines.ctl import Labelling
from kripke.engines.explicit import CheckOptions, Engine, _Interpreter, _Native
from kripke.engines.possibility import check_possible
from kripke.engines.search import Fairness
from kripke.engines.temporal import check_temporal
from kripke.logic import ctl
from kripke.logic.formula import FALSE, TRUE, Formula, always, atom, eventually, implication, made, negation, until
from kripke.logic.lasso import Lasso, holds
from kripke.model.product import Product
from kripke.model.property import Temporal
from kripke.model.result import Result
from tests.native.graphs import Graph, GraphLibrary, GraphModel, compile_library

ATOMS = ("0", "65")  # in different words
LONGEST = 7  # steps of the lassos that are enumerated
FAIRNESS: tuple[Fairness | None, ...] = (None, "weak", "strong")


class Disagreement(Exception):
    """What differs, and of which case."""


class Step(NamedTuple):
    target: int
    actor: int | None


# --- cases ------------------------------------------------------------------------------------------------------------


def random_graph(choose: random.Random) -> Graph:
    nodes = choose.randint(1, 5)
    edges = {
        node: [(choose.randrange(nodes), choose.randrange(3)) for _ in range(choose.choice((0, 1, 1, 2, 2, 3)))]
        for node in range(nodes)
    }
    false = {node: [int(name) for name in ATOMS if choose.random() < 0.5] for node in range(nodes)}
    return Graph({**edges, nodes - 1: edges[nodes - 1]}, (0,), false=false)


def random_formula(choose: random.Random, leaves: int = 5) -> Formula:
    if leaves == 1:
        return choose.choice([*map(atom, ATOMS), *map(atom, ATOMS), *map(atom, ATOMS), TRUE, FALSE])
    if choose.random() < 0.45:
        return made(choose.choice(("not", "X", "F", "G", "F", "G")), [random_formula(choose, leaves - 1)])
    left = choose.randint(1, leaves - 1)
    parts = [random_formula(choose, left), random_formula(choose, leaves - left)]
    return made(choose.choice(("and", "or", "U", "R", "W", "M", "->", "<->")), parts)


def branching(choose: random.Random) -> tuple[Formula, ctl.StateFormula]:
    """The same property in linear and in branching time."""
    a, b = choose.choice(ATOMS), choose.choice(ATOMS)
    linear, state = atom(a), ctl.Atom(a)
    response = ctl.Or((ctl.negation(state), ctl.always_finally(ctl.Atom(b))))
    return choose.choice(
        [
            (always(linear), ctl.always_globally(state)),
            (eventually(linear), ctl.always_finally(state)),
            (always(eventually(linear)), ctl.always_globally(ctl.always_finally(state))),
            (always(implication(linear, eventually(atom(b)))), ctl.always_globally(response)),
            (until(linear, atom(b)), ctl.always_until(state, ctl.Atom(b))),
        ]
    )


# --- the definition ---------------------------------------------------------------------------------------------------


def steps_of(graph: Graph, node: int) -> list[Step]:
    """A node without an edge stays as it is, and nobody moves."""
    edges = graph.edges.get(node, ())
    return [Step(*edge) for edge in dict.fromkeys(map(tuple, edges))] or [Step(node, None)]


def letter(graph: Graph, node: int) -> int:
    false = set(graph.false.get(node, ()))
    return sum(1 << bit for bit, name in enumerate(ATOMS) if int(name) not in false)


def lassos(graph: Graph) -> Iterator[tuple[tuple[int, ...], int, tuple[int | None, ...]]]:
    """Every run of at most LONGEST steps that returns to one of its states: nodes, that place, who moves."""

    def extended(nodes: tuple[int, ...], actors: tuple[int | None, ...]) -> Iterator[tuple]:
        for step in steps_of(graph, nodes[-1]):
            for place, node in enumerate(nodes):
                if node == step.target:
                    yield nodes, place, (*actors, step.actor)
            if len(nodes) < LONGEST:
                yield from extended((*nodes, step.target), (*actors, step.actor))

    for node in graph.initial:
        yield from extended((node,), ())


def is_fair(graph: Graph, nodes: tuple[int, ...], actors: tuple[int | None, ...], fairness: Fairness | None) -> bool:
    """Of a loop: these nodes, and who moves from each."""
    if fairness is None:
        return True
    enabled = [{step.actor for step in steps_of(graph, node)} - {None} for node in nodes]
    owed = set.intersection(*enabled) if fairness == "weak" else set.union(*enabled)
    return owed <= set(actors)


def broken_within_bound(graph: Graph, formula: Formula) -> set[Fairness | None]:
    """Under which fairness a short lasso breaks the formula."""
    found: set[Fairness | None] = set()
    known: dict[Lasso, bool] = {}
    for nodes, place, actors in lassos(graph):
        wanted = [f for f in FAIRNESS if f not in found and is_fair(graph, nodes[place:], actors[place:], f)]
        if not wanted:
            continue
        run = Lasso(tuple(letter(graph, node) for node in nodes), place)
        if run not in known:
            known[run] = holds(formula, run, ATOMS)
        if not known[run]:
            found.update(wanted)
            if len(found) == len(FAIRNESS):
                break
    return found


def shown_run(graph: Graph, result: Result) -> Lasso:
    """The run of a trace; one that ends is continued somehow, for what it shows is true whatever follows."""
    assert result.trace is not None and isinstance(result.trace.model, Product)
    product = result.trace.model
    states = [result.trace.initial, *(step.state for step in result.trace.steps if step.state is not None)]
    nodes = [graph.decode(product.split(state)[0]) for state in states]
    place = result.trace.loop_start
    if place is None:
        while (following := steps_of(graph, nodes[-1])[0].target) not in nodes:
            nodes.append(following)
        place = nodes.index(following)
    else:
        nodes.pop()
    return Lasso(tuple(letter(graph, node) for node in nodes), place)


# --- comparing --------------------------------------------------------------------------------------------------------


def compare(seed: int, library: GraphLibrary) -> str:
    """What became of the case: a word; Disagreement if something differs."""
    choose = random.Random(seed)
    graph = random_graph(choose)
    state_formula = None
    if seed % 4 == 0:
        formula, state_formula = branching(choose)
    else:
        formula = random_formula(choose, choose.randint(2, 6))
    model = GraphModel(graph)
    opened = library.open(graph)
    native: Engine = _Native(CompiledModel(Path("graph"), 0.0, cached=False, compiler="cc"), opened, 0.0)
    short = broken_within_bound(graph, formula)
    verdicts = []
    for fairness in FAIRNESS:
        verdicts.append(_agreed(seed, graph, model, formula, fairness, native))
        if fairness in short and verdicts[-1] != "violated":
            raise Disagreement(
                f"seed {seed}: {formula}, {fairness}: {verdicts[-1]}, but a short lasso breaks it: {graph}"
            )
    if state_formula is not None:
        for at_hand in (opened, None):
            labelling = Labelling(graphs.build(model, ATOMS, library=at_hand))
            if labelling.holds(state_formula) != (verdicts[0] == "holds"):
                raise Disagreement(f"seed {seed}: {formula}: {verdicts[0]}, but not in branching time: {graph}")
    if verdicts[0] == "holds" or verdicts[2] == "violated":
        return verdicts[0]
    return "holds if fair"


def _agreed(
    seed: int, graph: Graph, model: GraphModel, formula: Formula, fairness: Fairness | None, native: Engine
) -> str:
    """The verdict, which is that of every search."""
    every = Temporal(str(formula), "ltl", str(formula), formula=formula)
    refuted = negation(formula)
    some = Temporal(str(refuted), "ltl", str(refuted), formula=refuted).possible()
    searches = (None, "scc") if fairness else (None, "scc", "ndfs")
    found: dict[str, str] = {}
    for name, engine in (("native", native), ("reference", _Interpreter())):
        for search in searches:
            for shortest in (False, True):
                if shortest and (fairness is not None or name != "native"):
                    continue
                options = CheckOptions(search=search, fair=fairness, shortest=shortest, properties=("asked",))
                for asked, check in ((every, check_temporal), (some, check_possible)):
                    result = check(model, asked, options, engine)
                    key = f"{name} {search} {asked.kind}{' shortest' if shortest else ''}"
                    found[key] = {"possible": "violated", "impossible": "holds"}.get(result.verdict, result.verdict)
                    if result.trace is not None and holds(formula, shown_run(graph, result), ATOMS):
                        raise Disagreement(f"seed {seed}: {formula}, {fairness}, {key}: no counterexample: {graph}")
    if len(set(found.values())) != 1 or "unknown" in found.values():
        raise Disagreement(f"seed {seed}: {formula}, {fairness}: {found}: {graph}")
    return next(iter(found.values()))


def run(seeds: range, say: Callable[[str], None]) -> Counter[str]:
    """Compare the cases of these seeds; how often each answer came."""
    tally = Counter[str]()
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        path = Path(folder) / "graph.so"
        compile_library("graph", path)
        library = GraphLibrary(path)
        for number, seed in enumerate(seeds, start=1):
            try:
                tally[compare(seed, library)] += 1
            except Disagreement as difference:
                tally["difference"] += 1
                say(str(difference))
            if number % 100 == 0:
                say(f"{number} cases: " + ", ".join(f"{count} {word}" for word, count in tally.most_common()))
    return tally


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.soak_temporal", description=__doc__)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1, help="the seed of the first case")
    asked = parser.parse_args()
    tally = run(range(asked.seed, asked.seed + asked.cases), lambda line: print(line, flush=True))
    for word, count in tally.most_common():
        print(f"{count:6} {word}")
    return 1 if tally["difference"] else 0


if __name__ == "__main__":
    sys.exit(main())
