"""Speed of state charts: states per second of a machine of 20 levels in four regions, and the start of a large one.

    ./dev python benchmarks/machines.py

Every region is 20 states inside of each other; two events of its own lead one level in or out. The large chart has
1,000 states. Times are of the processor: of the search, without what a search of one state takes; and of `kripke check`
from its start to its first state, with the compiler's work and without (the second time, when what was compiled is
known).
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from time import process_time

import kripke

HEAD = '<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0">\n'


def nested(levels: int, regions: int) -> str:
    """As many states as levels to the power of regions; at most two steps of each region in each."""
    return (
        HEAD
        + '<parallel id="all">\n'
        + "\n".join(f'<state id="r{r}">{_level(r, 1, levels)}</state>' for r in range(regions))
        + "\n</parallel></scxml>\n"
    )


def _level(region: int, level: int, levels: int) -> str:
    here = f'<state id="a{region}_{level}"'
    if level == levels:
        return here + "/>"
    inner = f'<state id="c{region}_{level + 1}">{_level(region, level + 1, levels)}'
    inner += f'<transition event="out{region}" target="a{region}_{level}"/></state>'
    return here + f'><transition event="in{region}" target="c{region}_{level + 1}"/></state>' + inner


def large(states: int) -> str:
    """Composite states of ten, in a ring, with a way on from each."""
    groups = []
    for group in range(states // 10):
        inner = "".join(
            f'<state id="s{group}_{i}"><transition event="next" target="s{group}_{(i + 1) % 9}"/></state>'
            for i in range(9)
        )
        after = (group + 1) % (states // 10)
        groups.append(f'<state id="g{group}">{inner}<transition event="leave" target="g{after}"/></state>')
    return HEAD + "\n".join(groups) + "\n</scxml>\n"


def children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def started(path: Path) -> float:
    before = children_seconds()
    command = [sys.executable, "-m", "kripke", "check", str(path), "--max-states", "1", "--quiet"]
    subprocess.run(command, capture_output=True, check=False)
    return children_seconds() - before


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--levels", type=int, default=20)
    parser.add_argument("--regions", type=int, default=4)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "nested.scxml"
        path.write_text(nested(options.levels, options.regions))
        model = kripke.load(path)
        model.check(engine="native", deadlock=False)
        best = 0.0
        for _ in range(options.runs):
            before = process_time()
            model.check(engine="native", deadlock=False, max_states=1)
            start = process_time() - before
            before = process_time()
            result = model.check(engine="native", deadlock=False)
            seconds = process_time() - before - start
            assert result.states == options.levels**options.regions
            best = max(best, result.states / seconds)
            print(
                f"{options.levels} levels, {options.regions} regions: {result.states:,} states, "
                f"{result.transitions:,} steps, {seconds:.3f} s, {result.states / seconds / 1e6:.2f} million states/s"
            )
        print(f"best: {best / 1e6:.2f} million states/s")
        path = Path(folder) / "large.scxml"
        path.write_text(large(1_000))
        print(f"1,000 states: started in {started(path):.2f} s, again in {started(path):.2f} s")
        before = process_time()
        kripke.load(path)
        print(f"1,000 states: loaded in {process_time() - before:.2f} s")


if __name__ == "__main__":
    main()
