"""Random models and random formulas through every search: ``python -m tests.soak_temporal --cases 1000 --seed 1``.

The models are graphs, Promela programs and Petri nets. For each case, without fairness and with each: nested
depth-first search with one thread and with several, components, both with every store that they go with, the search the
observer chooses and the same by the interpreter agree, for "every run satisfies F" and for "a run satisfies not F"; so
does an enumeration of the lassos of the model up to a length, which knows neither automata nor products, and, where F
is in both logics, branching time. Every lasso that a search shows breaks the formula by the definition.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from kripke.compilation.compile import CompiledModel
from kripke.engines.branching import graph as graphs
from kripke.engines.branching.ctl import Labelling
from kripke.engines.explicit.prepare import Engine, _Interpreter, _Native, prepare
from kripke.engines.explicit.search import Fairness
from kripke.engines.linear.possibility import check_possible
from kripke.engines.linear.product_search import check_temporal
from kripke.engines.plan import SearchPlan
from kripke.languages.promela import load
from kripke.logic import ctl
from kripke.logic.formula import FALSE, TRUE, Formula, always, atom, eventually, implication, made, negation, until
from kripke.logic.lasso import Lasso, holds
from kripke.model.model import Model, Part
from kripke.model.product import Product
from kripke.model.property import Temporal
from kripke.model.result import Result
from kripke.model.source import ModelError
from tests.native.graphs import Graph, GraphLibrary, GraphModel, compile_library
from tests.spin.generator import Generator
from tests.spin.terms import text_of
from tests.support.random_nets import model_of, random_net, random_predicate

LONGEST = 7  # steps of the lassos that are enumerated
MOST_LASSOS = 3000
MOST_STATES = 300  # of a program or net
MOST_STEPS = 100  # of one of its states
TO_EDGES: tuple[Fairness, ...] = ("weak-edges", "strong-edges")


class Disagreement(Exception):
    """What differs, and of which case."""


class Unsuitable(Exception):
    """A model that has errors or too many states."""


class Step(NamedTuple):
    """What is executed, and who moves: which process, and with which statement; nobody where a run has ended."""

    target: bytes
    parts: tuple[Part, ...] = ()

    @property
    def actor(self) -> int | None:
        return self.parts[0].actor if self.parts else None

    @property
    def edge(self) -> tuple[int, int] | None:
        return (self.parts[0].actor, self.parts[-1].statement) if self.parts else None


class Fired(NamedTuple):
    """A send or receive on a channel, with this value in the first field of the message (None: any)."""

    direction: str
    channel: str
    first: str | None

    def happens(self, model: Model, state: bytes, parts: tuple[Part, ...]) -> bool:
        """In a step with these parts, as they are shown to a person."""
        messages = (model.message(part, state) for part in parts)
        return any(
            (message.direction, message.medium) == (self.direction, self.channel)
            and not message.keeps
            and self.first in (None, message.content.split(",")[0])
            for message in messages
            if message is not None
        )


# --- models -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """A model with two atoms, an engine that has it compiled, and its text for a message."""

    model: Model
    atoms: tuple[str, str]
    native: Engine
    text: str
    fired: Fired | None = None  # what the second atom means, where it is about steps of a program

    @property
    def fairness(self) -> tuple[Fairness | None, ...]:
        return (None, "weak", "strong", *TO_EDGES) if self.model.has_actors else (None, *TO_EDGES)

    def letter(self, state: bytes, parts: tuple[Part, ...]) -> int:
        """What is true of a state, and of the step from it: with these parts, none where the run stutters."""
        values = dict(zip(self.model.atoms, self.model.atom_values(state), strict=True))
        statement = parts[-1].statement if parts else None
        values |= {name: statement in those for name, those in self.model.step_atoms.items()}
        if self.fired is not None:
            values[self.atoms[1]] = self.fired.happens(self.model, state, parts)
        return sum(1 << bit for bit, name in enumerate(self.atoms) if values[name])

    def steps(self, state: bytes) -> list[Step]:
        """A state without a step stays as it is, and nobody moves."""
        found: dict[Step, None] = {}
        for parts, target, _, _ in self.model.successors(state):
            assert target is not None
            found[Step(target, parts)] = None
        return list(found) or [Step(state)]


def random_case(seed: int, choose: random.Random, library: GraphLibrary, folder: Path) -> Case:
    match seed % 5:
        case 0:
            return _random_program(seed, folder)
        case 1:
            return _random_net(seed)
        case _:
            return _random_graph(choose, library)


def _random_graph(choose: random.Random, library: GraphLibrary) -> Case:
    nodes, atoms = choose.randint(1, 5), ("0", "65")  # in different words
    edges = {
        node: [(choose.randrange(nodes), choose.randrange(3)) for _ in range(choose.choice((0, 1, 1, 2, 2, 3)))]
        for node in range(nodes)
    }
    false = {node: [int(name) for name in atoms if choose.random() < 0.5] for node in range(nodes)}
    graph = Graph({**edges, nodes - 1: edges[nodes - 1]}, (0,), false=false)
    engine = _Native(CompiledModel(Path("graph"), 0.0, cached=False, compiler="cc"), library.open(graph), 0.0)
    return Case(GraphModel(graph), atoms, engine, repr(graph))


def _random_program(seed: int, folder: Path) -> Case:
    generator = Generator(seed)
    generator.features -= {"claims", "formula", "assert", "priorities", "provided"}
    lines = generator.program()
    conditions = [generator.terms.condition(generator.globals, queries=False) for _ in range(12)]
    told = [
        text for text in dict.fromkeys(conditions) if any(letter.isalpha() for letter in text) and "true" not in text
    ]
    if len(told) < 2:
        raise Unsuitable("too few conditions")
    atoms, fired = (told[0], told[1]), None
    (folder / "m.pml").write_text(text_of(lines))
    try:
        model = load(str(folder / "m.pml"), invariants=atoms)
        names = [(channel.name, len(channel.fields)) for channel in model.program.channels]
        if names and seed % 2:
            fired, text = _random_event(random.Random(seed), names)
            atoms = (told[0], text)
            model = load(str(folder / "m.pml"), invariants=told[:1], formulas=[text])
    except ModelError as error:
        raise Unsuitable(f"refused: {error.message[:40]}") from error
    _check(model)
    return Case(model, atoms, prepare(model, "native"), text_of(lines), fired)


def _random_event(choose: random.Random, channels: list[tuple[str, int]]) -> tuple[Fired, str]:
    """What happens in a step, and how a formula says so."""
    channel, fields = choose.choice(channels)
    direction, sign = choose.choice((("send", "!"), ("receive", "?")))
    first = choose.choice((None, "0", "1"))
    message = "" if first is None else ",".join([first, *["_"] * (fields - 1)])
    return Fired(direction, channel, first), f"fires({channel}{sign}{message})"


def _random_net(seed: int) -> Case:
    """In every other case one of the atoms is about steps."""
    net = random_net(seed)
    model = model_of(net, {"a": random_predicate(net, seed), "b": random_predicate(net, seed + 1)})
    choose = random.Random(seed)
    count = len(net.transitions)
    model.step_atoms = {"fires": frozenset(choose.sample(range(count), choose.randint(1, count)))}
    _check(model)
    return Case(model, ("a", choose.choice(("b", "fires"))), prepare(model, "native"), f"{net} {model.step_atoms}")


def _check(model: Model) -> None:
    """Unsuitable if there is an error in the model, or more than a few states."""
    if not model.initial() or model.initial_violations():
        raise Unsuitable("errors")
    states = dict.fromkeys(model.initial())
    waiting = list(states)
    while waiting:
        state = waiting.pop()
        if model.failed_atoms(state):
            raise Unsuitable("errors")
        for number, (_, target, violations, _) in enumerate(model.each_successor(state)):
            if number == MOST_STEPS:
                raise Unsuitable("too many ways through an atomic sequence")
            if violations or target is None:
                raise Unsuitable("errors")
            if target not in states:
                states[target] = None
                waiting.append(target)
        if len(states) > MOST_STATES:
            raise Unsuitable("too many states")


# --- formulas ---------------------------------------------------------------------------------------------------------


def random_formula(choose: random.Random, atoms: tuple[str, str], leaves: int = 5) -> Formula:
    if leaves == 1:
        return choose.choice([*map(atom, atoms), *map(atom, atoms), *map(atom, atoms), TRUE, FALSE])
    if choose.random() < 0.45:
        return made(choose.choice(("not", "X", "F", "G", "F", "G")), [random_formula(choose, atoms, leaves - 1)])
    left = choose.randint(1, leaves - 1)
    parts = [random_formula(choose, atoms, left), random_formula(choose, atoms, leaves - left)]
    return made(choose.choice(("and", "or", "U", "R", "W", "M", "->", "<->")), parts)


def branching(choose: random.Random, atoms: tuple[str, str]) -> tuple[Formula, ctl.StateFormula]:
    """The same property in linear and in branching time."""
    a, b = choose.choice(atoms), choose.choice(atoms)
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


def lassos(case: Case) -> Iterator[tuple[tuple[bytes, ...], int, tuple[Step, ...]]]:
    """Every run of at most LONGEST steps that returns to one of its states: states, that place, the steps."""
    known: dict[bytes, list[Step]] = {}

    def steps(state: bytes) -> list[Step]:
        if state not in known:
            known[state] = case.steps(state)
        return known[state]

    def extended(states: tuple[bytes, ...], taken: tuple[Step, ...]) -> Iterator[tuple]:
        for step in steps(states[-1]):
            for place, state in enumerate(states):
                if state == step.target:
                    yield states, place, (*taken, step)
            if len(states) < LONGEST:
                yield from extended((*states, step.target), (*taken, step))

    for state in case.model.initial():
        yield from extended((state,), ())


def is_fair(case: Case, states: tuple[bytes, ...], taken: tuple[Step, ...], fairness: Fairness | None) -> bool:
    """Of a loop: these states, and the step from each."""
    if fairness is None:
        return True

    def mover(step: Step) -> object:
        return step.edge if fairness in TO_EDGES else step.actor

    enabled = [{mover(step) for step in case.steps(state)} - {None} for state in states]
    owed = set.intersection(*enabled) if fairness.startswith("weak") else set.union(*enabled)
    moved = set(map(mover, taken))
    if fairness not in TO_EDGES:  # who receives in a rendezvous moves, too
        moved |= {part.actor for step in taken for part in step.parts}
    return owed <= moved


def _is_fair_loop(case: Case, states: tuple[bytes, ...], taken: tuple[Step, ...], fairness: Fairness | None) -> bool:
    """Of a loop that is shown: where several steps lead from one state to the next, each may be taken now and then."""
    every = [
        step
        for state, shown in zip(states, taken, strict=True)
        for step in case.steps(state)
        if step.target == shown.target and step.parts
    ]
    return is_fair(case, states, (*taken, *every), fairness)


def broken_within_bound(case: Case, formula: Formula) -> set[Fairness | None]:
    """Under which fairness a short lasso breaks the formula."""
    found: set[Fairness | None] = set()
    known: dict[Lasso, bool] = {}
    for states, place, taken in islice(lassos(case), MOST_LASSOS):
        letters = [case.letter(state, step.parts) for state, step in zip(states, taken, strict=True)]
        run = Lasso(tuple(letters), place)
        if run not in known:
            known[run] = holds(formula, run, case.atoms)
        if not known[run]:
            found.update(f for f in case.fairness if is_fair(case, states[place:], taken[place:], f))
            if len(found) == len(case.fairness):
                break
    return found


def shown_run(case: Case, result: Result) -> tuple[Lasso, tuple[bytes, ...], tuple[Step, ...]]:
    """The run of a trace, the states of its loop, the steps from each; a run that ends is continued somehow, for what
    it shows is true whatever follows."""
    assert result.trace is not None and isinstance(result.trace.model, Product)
    product = result.trace.model
    steps = [step for step in result.trace.steps if step.state is not None]
    shown = [result.trace.initial, *(step.state for step in steps if step.state is not None)]
    states = [product.split(state)[0] for state in shown]
    taken = [Step(state, step.parts) for state, step in zip(states[1:], steps, strict=True)]
    place = result.trace.loop_start
    if place is None:
        while (following := case.steps(states[-1])[0]).target not in states:
            states.append(following.target)
            taken.append(following)
        place = states.index(following.target)
        taken.append(following)
    else:
        states.pop()
    letters = [case.letter(state, step.parts) for state, step in zip(states, taken, strict=True)]
    return Lasso(tuple(letters), place), tuple(states[place:]), tuple(taken[place:])


# --- comparing --------------------------------------------------------------------------------------------------------


def compare(seed: int, library: GraphLibrary, folder: Path) -> str:
    """What became of the case: a word; Disagreement if something differs."""
    choose = random.Random(seed)
    case = random_case(seed, choose, library, folder)
    state_formula = None
    if choose.random() < 0.25 and not set(case.atoms) & set(case.model.step_atoms):
        formula, state_formula = branching(choose, case.atoms)
    else:
        formula = random_formula(choose, case.atoms, choose.randint(2, 6))
    short = broken_within_bound(case, formula)
    verdicts = []
    for fairness in case.fairness:
        verdicts.append(_agreed(seed, case, formula, fairness))
        if fairness in short and verdicts[-1] != "violated":
            raise Disagreement(
                f"seed {seed}: {formula}, {fairness}: {verdicts[-1]}, but a short lasso breaks it: {case.text}"
            )
    if state_formula is not None:
        for compiled in (case.native.library, None):  # type: ignore[union-attr]
            labelling = Labelling(graphs.build(case.model, case.atoms, library=compiled))
            if labelling.holds(state_formula) != (verdicts[0] == "holds"):
                raise Disagreement(f"seed {seed}: {formula}: {verdicts[0]}, but not in branching time: {case.text}")
    if verdicts[0] == "holds" or verdicts[-1] == "violated":
        return verdicts[0]
    return "holds if fair"


def _agreed(seed: int, case: Case, formula: Formula, fairness: Fairness | None) -> str:
    """The verdict, which is that of every search."""
    every = Temporal(str(formula), "ltl", str(formula), formula=formula)
    refuted = negation(formula)
    some = Temporal(str(refuted), "ltl", str(refuted), formula=refuted).possible()
    found: dict[str, str] = {}
    counts: dict[tuple[str, str], tuple[int, int]] = {}
    for name, engine in (("native", case.native), ("reference", _Interpreter())):
        for options in _searches(fairness, native=name == "native"):
            for asked, check in ((every, check_temporal), (some, check_possible)):
                result = check(case.model, asked, options, engine)
                key = f"{name} {options.search} {options.threads} {asked.kind}{' shortest' if options.shortest else ''}"
                key += f" {options.store}" if options.store else ""
                found[key] = {"possible": "violated", "impossible": "holds"}.get(result.verdict, result.verdict)
                if found[key] == "holds":  # all was seen
                    both = (result.states, result.transitions)
                    if counts.setdefault((result.engine["search"], asked.kind), both) != both:
                        raise Disagreement(f"seed {seed}: {formula}, {fairness}, {key}: {both}, {counts}: {case.text}")
                if result.verdict == "unknown" and "is not exact" in result.reason:
                    found[key] = "holds"  # of so few states none is taken for another
                if result.trace is None:
                    continue
                run, loop, taken = shown_run(case, result)
                if holds(formula, run, case.atoms):
                    raise Disagreement(f"seed {seed}: {formula}, {fairness}, {key}: no counterexample: {case.text}")
                if result.trace.loop_start is not None and not _is_fair_loop(case, loop, taken, fairness):
                    raise Disagreement(f"seed {seed}: {formula}, {fairness}, {key}: not fair: {case.text}")
    if len(set(found.values())) != 1 or "unknown" in found.values():
        raise Disagreement(f"seed {seed}: {formula}, {fairness}: {found}: {case.text}")
    return next(iter(found.values()))


def _searches(fairness: Fairness | None, *, native: bool) -> Iterator[SearchPlan]:
    asked = ("asked",)
    yield SearchPlan(fair=fairness, properties=asked)
    yield SearchPlan(search="scc", fair=fairness, properties=asked)
    if native:
        yield SearchPlan(search="scc", fair=fairness, store="tree", properties=asked)
        yield SearchPlan(search="scc", fair=fairness, store="collapse", properties=asked)
    if fairness is not None:
        return
    yield SearchPlan(search="ndfs", properties=asked)
    if native:
        yield SearchPlan(search="ndfs", threads=3, properties=asked)
        yield SearchPlan(search="ndfs", shortest=True, properties=asked)
        yield SearchPlan(search="scc", shortest=True, properties=asked)
        yield SearchPlan(search="ndfs", store="tree", properties=asked)
        yield SearchPlan(search="ndfs", store="collapse", properties=asked)
        yield SearchPlan(search="ndfs", store="hashcompact", properties=asked)
        yield SearchPlan(search="ndfs", store="bitstate", store_size=1 << 16, properties=asked)


def run(first: int, cases: int, say: Callable[[str], None]) -> Counter[str]:
    """Compare so many cases, from this seed on; how often each answer came, and for which kinds of models."""
    tally = Counter[str]()
    with tempfile.TemporaryDirectory(prefix="soak-") as name:
        folder = Path(name)
        os.environ["KRIPKE_CACHE"] = name
        if "KRIPKE_CC" not in os.environ and shutil.which("tcc"):
            os.environ["KRIPKE_CC"] = "tcc"
        compile_library("graph", folder / "graph.so")
        library = GraphLibrary(folder / "graph.so")
        seed, done = first, 0
        while done < cases:
            try:
                tally[compare(seed, library, folder)] += 1
                tally[f"of {('programs', 'nets', 'graphs', 'graphs', 'graphs')[seed % 5]}"] += 1
                done += 1
            except Unsuitable as reason:
                tally[f"left out, {reason}"] += 1
            except Disagreement as difference:
                tally["difference"] += 1
                done += 1
                say(str(difference))
            seed += 1
            if seed % 100 == 0:
                say(f"{done} cases: " + ", ".join(f"{count} {word}" for word, count in tally.most_common()))
    return tally


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.soak_temporal", description=__doc__)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1, help="the seed of the first case")
    asked = parser.parse_args()
    tally = run(asked.seed, asked.cases, lambda line: print(line, flush=True))
    for word, count in tally.most_common():
        print(f"{count:6} {word}")
    return 1 if tally["difference"] else 0


if __name__ == "__main__":
    sys.exit(main())
