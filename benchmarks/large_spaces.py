"""What stores do where states are many, against what is known beforehand.

Usage: python benchmarks/large_spaces.py PART ...

disk       50,000,000 states in sorted files under a memory limit of 500 MB: the exact count
cache      a state space three times the cache: the verdict, and how much was done again
estimate   20 searches of 10,000,000 states with a bit table of 64 MB and other hashes each: the part found, and the
           printed estimate beside the truth
threads    50 searches by two threads: equal counts each time
kills      a search of 50,000,000 states, ended ten times by kill -9 and gone on from its checkpoint: the exact count

Takes minutes. Exit code 1 where a part is not as it should be.
"""

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from manifest import load_models

import kripke
from kripke.engines.explicit.native import Model, search
from kripke.engines.explicit.prepare import native_library
from kripke.engines.explicit.search import Outcome, SearchRequest
from kripke.engines.explicit.stores import StoreOptions

WHEELS = Path(__file__).parent / "models" / "wheels.pml"
MEGABYTE = 1_000_000


def wheels(size: int, last: int) -> tuple[Model, int]:
    """A model, and how many states it has."""
    model = kripke.load(WHEELS, defines={"SIZE": size, "LAST": last})
    return native_library(model.model), size**7 * last


def disk() -> bool:
    model, states = wheels(10, 5)
    store = StoreOptions("disk", folder=tempfile.gettempdir())
    result, seconds = timed(model, SearchRequest(memory=400 * MEGABYTE, store=store))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(
        f"disk: {result.states:,} of {states:,} states in {seconds:.0f} s, "
        f"{result.store_bytes / MEGABYTE:,.0f} MB on disk, peak of the process {peak / MEGABYTE:.0f} MB"
    )
    return result.complete and result.states == states and peak < 500 * MEGABYTE


def cache() -> bool:
    good = True
    for name in ("lift", "sliding_window"):
        loaded = next(model for model in load_models() if model.name == name)
        model = native_library(kripke.load(loaded.path, defines=dict(loaded.defines)).model)
        known, _ = timed(model, SearchRequest(order="dfs"))
        states, place = known.states, (known.state_bytes + 16 + 7) // 8 * 8
        store = StoreOptions("cache", table_bytes=states // 3 * place)
        result, seconds = timed(model, SearchRequest(order="dfs", store=store))
        print(
            f"cache: {name}, {states:,} states, room for {states // 3:,}: complete {result.complete}, "
            f"{result.states:,} visits ({result.states / states:.2f} times) in {seconds:.0f} s",
            flush=True,
        )
        good = good and result.complete and states == loaded.states <= result.states
    return good


def estimate() -> bool:
    model, states = wheels(10, 1)
    good = True
    print("seed      found      part    missed  estimate  seconds")
    for seed in range(20):
        store = StoreOptions("bitstate", table_bytes=64 << 20, seed=seed)
        result, seconds = timed(model, SearchRequest(order="dfs", store=store))
        assert result.loss is not None
        missed, omitted = states - result.states, result.loss.omitted
        near = omitted / 3 <= missed <= omitted * 3
        good = good and near and result.states >= 0.999 * states
        print(
            f"{seed:>4} {result.states:>10,} {result.states / states:>9.5%} {missed:>9,} {omitted:>9,.0f} "
            f"{seconds:>8.1f}{'' if near else '  not within a factor of 3'}",
            flush=True,
        )
    return good


def threads() -> bool:
    model, states = wheels(6, 3)
    counts = set()
    for run in range(50):
        order, store = ("bfs", "dfs")[run % 2], ("full", "tree")[run // 2 % 2]
        result, _ = timed(model, SearchRequest(order=order, threads=2, store=StoreOptions(store)))  # type: ignore[arg-type]
        counts.add((result.states, result.transitions))
    print(f"threads: 50 searches by two threads, states and transitions {sorted(counts)}, states known {states:,}")
    return len(counts) == 1 and next(iter(counts))[0] == states


def kills() -> bool:
    states, transitions = 10**7 * 5, 1 + 7 * 9 * 10**6 * 5 + 10**7 * 4
    chance = random.Random()
    with tempfile.TemporaryDirectory(prefix="kripke-kills-") as folder:
        point = Path(folder) / "point"
        command = [sys.executable, "-m", "kripke", "check", str(WHEELS), "-DSIZE=10", "-DLAST=5", "--json"]
        command += ["--checkpoint", str(point), "--checkpoint-every", "3s"]

        def start() -> subprocess.Popen[str]:
            resume = ["--resume", str(point)] if point.exists() else []
            return subprocess.Popen([*command, *resume], stdout=subprocess.PIPE, text=True)

        killed = 0
        for _ in range(10):
            process = start()
            try:
                process.wait(timeout=chance.uniform(1, 10))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                killed += 1
        answer, _ = start().communicate()
    found = json.loads(answer)
    counts = found["states"], found["transitions"], found["depth"]
    print(
        f"kills: killed {killed} times, then {counts[0]:,} of {states:,} states, {counts[1]:,} of {transitions:,} "
        f"transitions, depth {counts[2]}, verdict {found['verdict']}"
    )
    return killed == 10 and counts == (states, transitions, 7 * 9 + 4) and found["verdict"] == "holds"


def timed(model: Model, options: SearchRequest) -> tuple[Outcome, float]:
    start = time.perf_counter()
    return search(model, options), time.perf_counter() - start


PARTS: dict[str, Callable[[], bool]] = {
    "disk": disk,
    "cache": cache,
    "estimate": estimate,
    "threads": threads,
    "kills": kills,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("parts", nargs="+", choices=PARTS, metavar="PART", help=", ".join(PARTS))
    good = [PARTS[part]() for part in parser.parse_args().parts]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
