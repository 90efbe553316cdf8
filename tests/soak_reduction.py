"""Random programs with and without partial-order reduction: ``python -m tests.soak_reduction --programs 1000``.

Every sort of error that is there without reduction is there with it, and there are never more states: by the reference
engine and by the native one, which has every store that goes with it, depth-first and breadth-first; every other
program is one of processes that share variables, some of them with critical sections, where both engines also visit as
many states, some with rendezvous, every fourth one of processes that create others and their channels. A random
formula without X about global variables has the same answer, by every search for cycles and with every store. So do
random nets, for deadlocks and predicates, and random high-level nets, for all of it.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from kripke.engines.explicit import automatic
from kripke.engines.explicit.prepare import Engine, prepare
from kripke.engines.explicit.search import Order, Outcome, SearchRequest
from kripke.engines.explicit.stores import FULL, StoreName, StoreOptions
from kripke.engines.linear.product_search import check_temporal
from kripke.engines.plan import SearchPlan
from kripke.languages.maria import load as load_maria
from kripke.languages.promela import load
from kripke.model.capabilities.placed import safe_places_of
from kripke.model.dependencies import DependencyAnalysis
from kripke.model.model import Model
from kripke.model.safe_places import SafePlaces
from kripke.model.source import ModelError
from kripke.nets.high_level.classes import TooMany, Units, by_all, by_first, by_nothing, sorted_units
from kripke.nets.high_level.model import HighLevelModel
from kripke.nets.place_transition import Arc, PlaceTransitionNet
from tests.spin.generator import generate
from tests.spin.terms import text_of
from tests.support.creation_programs import creation_program
from tests.support.high_level_nets import process_text, random_text
from tests.support.random_nets import model_of, random_net, random_predicate
from tests.support.shared_programs import critical_program, meeting_program, shared_program, tally_program

MOST_STATES = 20_000
FOR_REFERENCE = 500  # transitions
ORDERS: tuple[Order, ...] = ("dfs", "bfs")
SEARCHES: tuple[tuple[Order | None, StoreName | None], ...] = (
    (None, None),
    ("ndfs", None),
    ("scc", None),
    ("scc", "tree"),
    ("scc", "collapse"),
    ("ndfs", "tree"),
    ("ndfs", "collapse"),
    ("ndfs", "hashcompact"),
    ("ndfs", "bitstate"),
)
STORES: dict[Order, tuple[StoreOptions, ...]] = {
    "bfs": (StoreOptions("tree"), StoreOptions("collapse")),
    "dfs": (
        StoreOptions("tree"),
        StoreOptions("collapse"),
        StoreOptions("hashcompact"),
        StoreOptions("bitstate", table_bytes=1 << 20),
        StoreOptions("cache", table_bytes=1 << 22),
    ),
}
_GLOBAL = re.compile(r"^(?:bit|bool|byte|short|int) (g\d+)(?: = [^,\[\]{}]*)?;$", re.MULTILINE)


class Difference(Exception):
    """What differs, and of which program."""


def kinds(outcome: Outcome) -> set[tuple[str, int, int]]:
    """The sorts of errors found. Which deadlocks, and how many, may differ."""
    return {(found.kind, found.code, found.statement) for found in outcome.error_paths}


def _text(seed: int) -> str:
    if seed % 2:
        return text_of(generate(seed)) if seed % 4 == 1 else creation_program(seed)
    if seed % 6 == 0:
        return critical_program(seed) if seed % 12 else tally_program(seed)
    return meeting_program(seed) if _meets(seed) else shared_program(seed)


def _meets(seed: int) -> bool:
    return seed % 2 == 0 and seed % 6 != 0 and seed % 10 == 8


def compare(seed: int, folder: Path) -> str:
    """What became of the program: a word; Difference if the reduction changes an answer."""
    path = folder / f"{seed}.pml"
    is_shared = seed % 2 == 0 and not _meets(seed)
    path.write_text(_text(seed))
    try:
        model = load(str(path), formulas=random_formulas(path.read_text(), random.Random(seed)))
    except ModelError:
        return "not a model"
    analysis = model.dependencies()
    if isinstance(analysis, str):
        return "not analysed"
    native = prepare(model, "native", dependencies=True)
    asked = SearchRequest(order="bfs", stop_at_first=False, max_states=MOST_STATES, time_limit=1.0)
    full = native.search(model, asked, None)
    if not full.complete:
        return "large"
    engines: list[tuple[str, Engine]] = [("native", native)]
    if full.transitions <= FOR_REFERENCE:
        engines.append(("reference", prepare(model, "interpreter")))
    states: dict[str, int] = {}
    for name, engine in engines:
        for order in ORDERS:
            reduced = _reduced(model, engine, order, analysis, FULL)
            if reduced.reason == "time":
                return "slow"
            _check(f"seed {seed}, {name}, {order}", full, reduced)
            for store in STORES[order] if name == "native" else ():
                _check_store(
                    f"seed {seed}, {order}, {store.name}", reduced, _reduced(model, engine, order, analysis, store)
                )
            if name == "native" and order == "bfs":
                several = _reduced(model, engine, order, analysis, StoreOptions("tree"), threads=3)
                if several.reason == "time":
                    return "slow"
                _check(f"seed {seed}, {order}, three threads", full, several)
            first = states.setdefault(order, reduced.states)
            if is_shared and first != reduced.states:
                raise Difference(
                    f"seed {seed}, {order}: the engines choose different steps, {states}, {reduced.states}"
                )
    _compare_safe_places(f"seed {seed}", model, full, engines)
    fewest = min(states.values(), default=full.states)
    for name, engine in engines:
        _compare_formulas(f"seed {seed}, {name}", model, engine)
    errors = "with errors" if full.error_paths else "without errors"
    return f"{errors}, {'reduced' if fewest < full.states else 'as large as before'}"


def random_formulas(text: str, choose: random.Random) -> list[str]:
    """Without X, about global variables of a program."""
    names = _GLOBAL.findall(text)
    return [random_formula(choose, names)] if names else []


def random_formula(choose: random.Random, names: Sequence[str]) -> str:
    atoms = [f"({choose.choice(names)} {choose.choice(('==', '!=', '<'))} {choose.randint(0, 3)})" for _ in range(2)]
    return _formula(choose, atoms, choose.randint(2, 4))


def _formula(choose: random.Random, atoms: list[str], leaves: int) -> str:
    if leaves == 1:
        return choose.choice(atoms)
    if choose.random() < 0.5:
        return f"{choose.choice(('!', '<>', '[]', '[] <>', '<> []'))} ({_formula(choose, atoms, leaves - 1)})"
    left = choose.randint(1, leaves - 1)
    operator = choose.choice(("&&", "||", "U", "V", "->"))
    return f"(({_formula(choose, atoms, left)}) {operator} ({_formula(choose, atoms, leaves - left)}))"


def _compare_formulas(what: str, model: Model, engine: Engine) -> None:
    """Where an error of the model ends the search of a product, there is nothing to compare."""
    for property_ in model.properties:
        if property_.kind != "ltl":
            continue
        asked = SearchPlan(properties=(property_.name,), time_limit=10.0)
        full = check_temporal(model, property_, asked, engine)
        for por, search, store in [*((True, *one) for one in SEARCHES), ("auto", None, None), ("auto", "scc", None)]:
            if store is not None and engine.facts()["name"] != "native":
                continue
            size = 1 << 20 if store == "bitstate" else None
            wanted = replace(asked, por=por, search=search, store=store, store_size=size)
            reduced = check_temporal(model, property_, wanted, engine)
            verdict = reduced.verdict
            if verdict == "unknown" and "is not exact" in reduced.reason:
                verdict = "holds"  # of so few states none is taken for another
            if "unknown" in (full.verdict, verdict) or {full.kind, reduced.kind} != {"ltl"}:
                continue
            if full.verdict != verdict:
                raise Difference(f"{what}, {search}, {store}: {property_}: {full.verdict}, with reduction {verdict}")


def _compare_safe_places(what: str, model: Model, full: Outcome, engines: list[tuple[str, Engine]]) -> None:
    """The steps are the same whatever the search and the store: so are the counts. A thorough look finds all places
    that a quick one finds, and more."""
    places: set[bytes] = set()
    for thorough in (False, True):
        safe = safe_places_of(model, thorough=thorough)
        if not isinstance(safe, str) and safe.kinds not in places:
            places.add(safe.kinds)
            _compare_places(f"{what}, {'thorough' if thorough else 'quick'}", model, full, engines, safe)


def _compare_places(
    what: str, model: Model, full: Outcome, engines: list[tuple[str, Engine]], safe: SafePlaces
) -> None:
    counts: set[tuple[int, int, int]] = set()
    for name, engine in engines:
        asked = [(order, FULL, 1) for order in ORDERS]
        asked += [("bfs", StoreOptions("tree"), 3), ("dfs", FULL, 2)] if name == "native" else []
        for order, store, threads in asked:
            request = SearchRequest(order=order, stop_at_first=False, safe=safe, store=store, threads=threads)
            reduced = engine.search(model, replace(request, time_limit=10.0), None)
            _check(f"{what}, safe places, {name}, {order}, {threads}", full, reduced)
            counts.add((reduced.states, reduced.transitions, reduced.errors))
    if len(counts) != 1:
        raise Difference(f"{what}, safe places: {counts}")


def _reduced(
    model: Model, engine: Engine, order: Order, analysis: DependencyAnalysis, store: StoreOptions, threads: int = 1
) -> Outcome:
    asked = SearchRequest(
        order=order, stop_at_first=False, dependencies=analysis, time_limit=10.0, store=store, threads=threads
    )
    return engine.search(model, asked, None)


def _check_store(what: str, full: Outcome, other: Outcome) -> None:
    """The search is the same one, whatever keeps the states: so few of them that none is taken for another."""
    if "time" in (other.reason, full.reason):
        return  # the machine was busy
    if other.reason != full.reason:
        raise Difference(f"{what}: {other.reason or 'complete'}, with the full store {full.reason or 'complete'}")
    counts = (other.states, other.transitions, other.errors), (full.states, full.transitions, full.errors)
    if other.dropped and counts[0] > counts[1] and kinds(other) == kinds(full):
        return  # long states: what a cache has dropped is searched, and counted, again
    if counts[0] != counts[1] or kinds(other) != kinds(full):
        raise Difference(f"{what}: {counts[0]}, {kinds(other)}; with the full store {counts[1]}, {kinds(full)}")
    if any(not found.path for found in other.error_paths) and all(found.path for found in full.error_paths):
        raise Difference(f"{what}: a path is missing")


def _check(what: str, full: Outcome, reduced: Outcome) -> None:
    if not reduced.complete:
        raise Difference(f"{what}: ended early, {reduced.reason}")
    if reduced.states > full.states:
        raise Difference(f"{what}: {reduced.states} states, {full.states} without reduction")
    if kinds(reduced) != kinds(full):
        lost, new = kinds(full) - kinds(reduced), kinds(reduced) - kinds(full)
        raise Difference(f"{what}: lost {lost}, new {new}")


# --- nets -------------------------------------------------------------------------------------------------------------


def compare_net(seed: int) -> str:
    """The same for two random nets side by side: deadlocks alone, or with a predicate."""
    net = _beside(random_net(seed), random_net(seed + 1_000_000))
    model = model_of(net, {"a": random_predicate(net, seed + 1)} if seed % 2 else {})
    invariants = tuple(range(len(model.atoms)))
    analysis = model.dependencies(invariants)
    assert not isinstance(analysis, str)
    engines: list[tuple[str, Engine]] = [("reference", prepare(model, "interpreter"))]
    asked = SearchRequest(stop_at_first=False, invariants=invariants, max_states=1_000)
    full = engines[0][1].search(model, asked, None)
    if not full.complete:
        return "large net"
    if seed % 10 < 2:
        engines.append(("native", prepare(model, "native", dependencies=True)))
    states = {}
    for name, engine in engines:
        for order in ORDERS:
            options = SearchRequest(
                order=order, stop_at_first=False, invariants=invariants, dependencies=analysis, time_limit=10.0
            )
            reduced = engine.search(model, options, None)
            _check(f"net {seed}, {name}, {order}", full, reduced)
            states[name, order] = reduced.states
            if states["reference", order] != reduced.states:
                raise Difference(f"net {seed}, {order}: the engines choose different steps, {states}")
    return "net, reduced" if min(states.values()) < full.states else "net, as large as before"


def _beside(one: PlaceTransitionNet, other: PlaceTransitionNet) -> PlaceTransitionNet:
    moved = len(one.places)

    def shifted(arcs: tuple[Arc, ...]) -> tuple[Arc, ...]:
        return tuple(Arc(arc.place + moved, arc.weight) for arc in arcs)

    places = [*one.places, *(replace(place, name=f"q{place.name}") for place in other.places)]
    transitions = [
        *one.transitions,
        *(
            replace(t, name=f"u{t.name}", preset=shifted(t.preset), postset=shifted(t.postset))
            for t in other.transitions
        ),
    ]
    return PlaceTransitionNet(one.name, tuple(places), tuple(transitions))


# --- high-level nets --------------------------------------------------------------------------------------------------


def compare_high_level_net(text: str, choose: random.Random, folder: Path) -> str:
    """The same for a net in Maria's language, with a formula about its propositions; every other one with tokens that
    are not told apart."""
    path = folder / "net.pn"
    path.write_text(text)
    names = re.findall(r"^prop (\w+)", text, re.MULTILINE)
    formula = _formula(choose, choose.sample(names, 2), choose.randint(2, 4))
    formula = formula.replace(" U ", " until ").replace(" V ", " release ").replace("->", "=>")
    try:
        model = load_maria(str(path), formulas=[formula])
    except ModelError:
        return "not a net"
    invariants = tuple(choose.sample(range(len(names)), choose.randint(0, 1)))
    analysis = model.dependencies(invariants)
    if isinstance(analysis, str):
        return "high-level net, not analysed"
    if choose.random() < 0.5:
        with suppress(TooMany):
            model.units = _coarser(model, choose)
        analysis = model.dependencies(invariants)
        assert not isinstance(analysis, str)
    native = prepare(model, "native", dependencies=True)
    asked = SearchRequest(stop_at_first=False, invariants=invariants, max_states=3_000)
    full = native.search(model, asked, None)
    if not full.complete:
        return "large high-level net"
    states: dict[str, int] = {}
    for name, engine in (("native", native), ("reference", prepare(model, "interpreter"))):
        for order in ORDERS:
            what = f"{text}\n{name}, {order}, {invariants}"
            wanted = replace(asked, order=order, dependencies=analysis, max_states=0, time_limit=60.0)
            reduced = engine.search(model, wanted, None)
            _check(what, full, reduced)
            if states.setdefault(order, reduced.states) != reduced.states:
                raise Difference(f"{what}: the engines choose different steps, {states}, {reduced.states}")
            for store in STORES[order] if name == "native" else ():
                _check_store(f"{what}, {store.name}", reduced, engine.search(model, replace(wanted, store=store), None))
            if name == "native" and order == "bfs":
                several = replace(wanted, store=StoreOptions("tree"), threads=3)
                _check(f"{what}, three threads", full, engine.search(model, several, None))
        _compare_formulas(f"{text}\n{name}", model, engine)
    return f"high-level net, {'reduced' if min(states.values()) < full.states else 'as large as before'}"


def _coarser(model: HighLevelModel, choose: random.Random) -> Units:
    """What partial-order reduction makes of a net with far more tokens."""
    paths = [choose.choice((by_all, by_first, by_nothing))(place.type) for place in model.net.places]
    return sorted_units(model.net, model.interpreter, paths)


def run(seeds: range, say: Callable[[str], None]) -> Counter[str]:
    few = automatic.FEW_STATES, automatic.FEW_FOR_INTERPRETER
    automatic.FEW_STATES = automatic.FEW_FOR_INTERPRETER = 0  # small programs are reduced, too
    try:
        return _run(seeds, say)
    finally:
        automatic.FEW_STATES, automatic.FEW_FOR_INTERPRETER = few


def _run(seeds: range, say: Callable[[str], None]) -> Counter[str]:
    """Compare the programs of these seeds; how often each answer came."""
    tally = Counter[str]()
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        for number, seed in enumerate(seeds, start=1):
            try:
                tally[compare(seed, Path(folder))] += 1
                tally[compare_net(seed)] += 1
                text = process_text(seed) if seed % 3 else random_text(seed)
                tally[compare_high_level_net(text, random.Random(seed), Path(folder))] += 1
            except Difference as difference:
                tally["difference"] += 1
                say(str(difference))
            if number % 100 == 0:
                say(f"{number} programs: " + ", ".join(f"{count} {word}" for word, count in tally.most_common()))
    return tally


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.soak_reduction", description=__doc__)
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1, help="the seed of the first program")
    asked = parser.parse_args()
    seeds = range(asked.seed, asked.seed + asked.programs)
    tally = run(seeds, lambda line: print(line, flush=True))
    for word, count in tally.most_common():
        print(f"{count:6} {word}")
    return 1 if tally["difference"] else 0


if __name__ == "__main__":
    sys.exit(main())
