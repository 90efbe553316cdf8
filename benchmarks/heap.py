"""The heap machine: states per second on six Python programs, and what partial-order reduction saves on them.

    ./dev python benchmarks/heap.py [--speed] [--reduction] [--repeat N] [PROGRAM ...] [--require]

``--speed``: the median over the programs of states per second, each searched breadth-first as a whole by the command
line's own engine, one thread, every store and option as it is by default. The bar is 300,000. ``--reduction``: states
and time with ``--por`` by those without. Without an option, both. Nothing else should run on the machine.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from statistics import median

import kripke
from kripke.model.result import Result

PROGRAMS = Path(__file__).parent / "heap_programs"
LEAST = 300_000


def searched(path: Path, repeat: int, **options: object) -> Result:
    """The fastest of some searches."""
    results = [kripke.load(str(path)).check(**options) for _ in range(repeat)]  # type: ignore[arg-type]
    assert all(each.complete and each.states == results[0].states for each in results), path
    return min(results, key=lambda each: each.seconds)


def speed(paths: list[Path], repeat: int) -> bool:
    rates = []
    for path in paths:
        found = searched(path, repeat)
        rates.append(found.states / found.seconds)
        per_state = found.transitions / found.states
        print(
            f"{path.stem:14} {found.states:9,} states of at most {found.state_bytes:5,} bytes, "
            f"{per_state:.1f} steps each: {rates[-1]:9,.0f} states and {rates[-1] * per_state:9,.0f} steps a second"
        )
    print(f"median: {median(rates):,.0f} states a second; the bar is {LEAST:,}")
    return median(rates) >= LEAST


def reduction(paths: list[Path], repeat: int) -> None:
    for path in paths:
        plain = searched(path, repeat, all_errors=True)
        fewer = searched(path, repeat, all_errors=True, por=True, search="bfs")
        assert plain.verdict == fewer.verdict, path
        print(
            f"{path.stem:14} {plain.verdict}: {fewer.states:7,} of {plain.states:9,} states "
            f"({fewer.states / plain.states:.3f}), in {fewer.seconds / plain.seconds:.3f} of the time"
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*")
    parser.add_argument("--speed", action="store_true")
    parser.add_argument("--reduction", action="store_true")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--require", action="store_true", help="exit 1 where a bar is missed")
    given = parser.parse_args()
    everything = not (given.speed or given.reduction)
    paths = [PROGRAMS / f"{name}.py" for name in given.programs] or sorted(PROGRAMS.glob("*.py"))
    reached = True
    if given.speed or everything:
        reached = speed(paths, given.repeat)
    if given.reduction or everything:
        reduction(paths, given.repeat)
    return int(given.require and not reached)


if __name__ == "__main__":
    sys.exit(main())
