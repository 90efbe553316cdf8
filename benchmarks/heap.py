"""The heap machine on six Python programs: states per second, reduction, backtracking by difference, collapse.

    ./dev python benchmarks/heap.py [--speed] [--reduction] [--backtracking] [--collapse]
                                    [--repeat N] [--require] [PROGRAM ...]

``--speed``: the median over the programs of states per second of processor time, each searched breadth-first as a
whole, by one thread, with the options that are usual. The bar is 300,000. ``--reduction``: states and time with
``--por`` by those without. ``--backtracking``: `table` with more and more rows; the time where a step is undone and
its state written by all of the memory, by the time where by what it changed. The bar is 2 from 8,000 bytes on.
``--collapse``: bytes that a state takes in `--store collapse`, beside its length in words of 32 bits (which is what
the paper compares with) and beside `--store full`, which is compressed, too.
Without an option, all. The best of N runs counts, taking turns; times are processor time of the search.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from statistics import median
from time import process_time

from kripke.engines.explicit import native
from kripke.engines.explicit.prepare import prepare
from kripke.engines.explicit.safety import check
from kripke.engines.plan import SearchPlan
from kripke.heap.model import HeapModel
from kripke.heap.program import Options
from kripke.languages.python.loading import read
from kripke.model.result import Result

PROGRAMS = Path(__file__).parent / "heap_programs"
STATES_PER_SECOND = 300_000
BY_DIFFERENCE = 2.0
LARGE = 8_000
ROWS = (60, 150, 400)
MOST_STATES = 40_000
SAMPLE = 20_000
_WIDE = 0x40  # in the second byte of a state: it has words of 32 bits, else of 16


def loaded(path: Path, *, rows: int = 60, backtracking: str = "difference") -> HeapModel:
    text = path.read_text(encoding="utf-8").replace("ROWS = 60", f"ROWS = {rows}")
    return read(text, str(path), options=Options(backtracking=backtracking))


def searched(models: list[HeapModel], plan: SearchPlan, repeat: int) -> list[tuple[Result, float]]:
    """Of every model: what was found, and the fewest seconds of processor time, all taking turns."""
    engines = [prepare(model, "native") for model in models]
    best: list[tuple[Result, float]] = []
    for _ in range(repeat):
        for number, (model, engine) in enumerate(zip(models, engines, strict=True)):
            start = process_time()
            result = check(model, plan, engine=engine)
            seconds = process_time() - start
            if len(best) <= number:
                best.append((result, seconds))
            elif seconds < best[number][1]:
                best[number] = result, seconds
    return best


def speed(paths: list[Path], repeat: int) -> bool:
    rates = []
    for path in paths:
        ((found, seconds),) = searched([loaded(path)], SearchPlan(), repeat)
        assert found.complete
        rates.append(found.states / seconds)
        print(
            f"{path.stem:14} {found.states:9,} states of at most {found.state_bytes:5,} bytes, "
            f"{found.transitions / found.states:.1f} steps each: {rates[-1]:9,.0f} states a second"
        )
    print(f"median: {median(rates):,.0f} states a second; the bar is {STATES_PER_SECOND:,}")
    return median(rates) >= STATES_PER_SECOND


def reduction(paths: list[Path], repeat: int) -> None:
    for path in paths:
        model = loaded(path)
        reduced = model.reduced(())
        assert isinstance(reduced, HeapModel)
        (plain, before), (fewer, after) = searched([model, reduced], SearchPlan(all_errors=True), repeat)
        assert plain.verdict == fewer.verdict, path
        print(
            f"{path.stem:14} {plain.verdict}: {fewer.states:7,} of {plain.states:9,} states "
            f"({fewer.states / plain.states:.3f}), in {after / before:.3f} of the time"
        )


def backtracking(repeat: int) -> bool:
    reached = True
    for rows in ROWS:
        models = [loaded(PROGRAMS / "table.py", rows=rows, backtracking=way) for way in ("difference", "copy")]
        (found, fast), (same, slow) = searched(models, SearchPlan(max_states=MOST_STATES), repeat)
        assert (found.states, found.transitions) == (same.states, same.transitions)
        print(f"table, {rows:3} rows: states of {found.state_bytes:5,} bytes, {slow / fast:.2f} times as fast")
        reached = reached and (found.state_bytes < LARGE or slow / fast >= BY_DIFFERENCE)
    print(f"the bar is {BY_DIFFERENCE} from {LARGE:,} bytes on")
    return reached


def plain_bytes(library: native.Model) -> float:
    """Of a state, as words of 32 bits each, on the average of the first states breadth-first."""
    states = library.initial()
    seen = set(states)
    for state in states:
        for target, _ in library.successors(state)[0]:
            if target not in seen and len(states) < SAMPLE:
                seen.add(target)
                states.append(target)
    return sum(len(each) * (1 if each[1] & _WIDE else 2) for each in states) / len(states)


def collapse(paths: list[Path]) -> None:
    for path in paths:
        model = loaded(path)
        engine = prepare(model, "native")
        used = {}
        for store in ("full", "collapse"):
            result = check(model, SearchPlan(store=store), engine=engine)  # type: ignore[arg-type]
            used[store] = result.store_bytes / result.states
        plain = plain_bytes(engine.library)  # type: ignore[union-attr]
        print(
            f"{path.stem:14} {plain:7.1f} bytes a state as plain words, {used['full']:7.1f} in the full store, "
            f"{used['collapse']:5.1f} collapsed: {plain / used['collapse']:5.1f} and "
            f"{used['full'] / used['collapse']:5.1f} times smaller"
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*")
    for name in ("speed", "reduction", "backtracking", "collapse"):
        parser.add_argument(f"--{name}", action="store_true")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--require", action="store_true", help="exit 1 where a bar is missed")
    given = parser.parse_args()
    everything = not (given.speed or given.reduction or given.backtracking or given.collapse)
    paths = [PROGRAMS / f"{name}.py" for name in given.programs] or sorted(PROGRAMS.glob("*.py"))
    reached = True
    if given.speed or everything:
        reached = speed(paths, given.repeat)
    if given.reduction or everything:
        reduction(paths, given.repeat)
    if given.backtracking or everything:
        reached = backtracking(given.repeat) and reached
    if given.collapse or everything:
        collapse(paths)
    return int(given.require and not reached)


if __name__ == "__main__":
    sys.exit(main())
