"""Measure the stores on the same models in the same run: bytes per state and speed of `tree` and `collapse` beside
`full`, what `bitstate` finds in 64 MB and how fast beside SPIN's, and two threads beside one.

Usage: python benchmarks/stores.py [MODEL ...] [--parts tree collapse bitstate threads] [--require]

Speed is compared by the processor time of the whole command, which other programs change little; memory is the peak
resident size of the process, less that of one with a small model, and what the store says of itself. Two threads are
compared by the clock: that needs a quiet machine.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median

from kripke_command import find_kripke
from manifest import BenchmarkModel, load_models
from spin import missing_tools

MANY_STATES = 1_000_000
LONG = 3.0  # seconds of a search by one thread that is long enough for several
REPEATS = 2
LARGE: tuple[tuple[str, dict[str, int]], ...] = (
    ("bakery", {"N": 3, "LIMIT": 60}),
    ("alternating_bit", {"LINES": 2, "CAPACITY": 3}),
    ("lift", {"FLOORS": 6}),
    ("bounded_buffer", {"PRODUCERS": 4, "CONSUMERS": 4, "SIZE": 4}),
    ("two_phase_commit", {"N": 6}),
)
BARS = {
    "tree: median bytes per state (store)": ("at most", 12.0),
    "tree: median bytes per state (process)": ("at most", 12.0),
    "tree: median speed over full": ("at least", 0.5),
    "bitstate: least part of the states found": ("at least", 0.999),
    "bitstate: median speed over SPIN's": ("at least", 1.0),
    "threads: median speed of two over one, full": ("at least", 1.7),
    "threads: median speed of two over one, tree": ("at least", 1.7),
}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Measure the stores.")
    parser.add_argument("models", nargs="*", metavar="MODEL", help="names from models.toml (default: all large ones)")
    parser.add_argument("--parts", nargs="+", choices=list(PARTS), default=["tree", "bitstate"])
    parser.add_argument("--require", action="store_true", help="fail when a bar is missed")
    options = parser.parse_args(arguments)
    kripke = find_kripke()
    if kripke is None:
        print("benchmarks: the kripke command was not found beside this Python nor on PATH", file=sys.stderr)
        return 2
    models = [m for m in load_models() if (m.name in options.models if options.models else m.states >= MANY_STATES)]
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="kripke-cache-") as cache:
        for part in options.parts:
            figures |= PARTS[part](models, Command(kripke, cache))
    return report(figures, options.require)


class Command:
    """The kripke command, measured."""

    def __init__(self, kripke: Path, cache: str) -> None:
        self.kripke = kripke
        self.environment = {**os.environ, "KRIPKE_CACHE": cache}

    def base(self) -> int:
        """Peak bytes of a check of a model with a few states."""
        small = Path(__file__).parent / "models" / "wheels.pml"
        command = [str(self.kripke), "check", str(small), "--json", "-DSIZE=2", "-DLAST=2", "--store", "tree"]
        return run(command, self.environment)[1].ru_maxrss * 1024

    def check(self, model: BenchmarkModel, *options: str) -> dict[str, float]:
        """Figures of one check; the counts of an exact one must be those of the manifest."""
        command = [str(self.kripke), "check", str(model.path), "--json", *model.define_options, *options]
        ran, usage = run(command, self.environment)
        result = json.loads(ran)
        exact = result["engine"]["store"] in ("full", "tree", "collapse", "disk")
        if exact and model.states and (result["states"], result["transitions"]) != (model.states, model.transitions):
            raise SystemExit(
                f"{model.name} {' '.join(options)}: {result['states']:,} states, expected {model.states:,}"
            )
        return {
            "states": result["states"],
            "seconds": result["seconds"],
            "cpu": usage.ru_utime + usage.ru_stime,
            "store": result["store_bytes"] / result["states"],
            "peak": usage.ru_maxrss * 1024,
            "omitted": result["engine"].get("omitted", 0.0),
        }


def run(command: Sequence[str], environment: dict[str, str] | None = None) -> tuple[str, resource.struct_rusage]:
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(command, stdout=output, env=environment)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        return output.read(), usage


def measure_tree(models: Sequence[BenchmarkModel], kripke: Command) -> dict[str, float]:
    return measure_exact("tree", models, kripke)


def measure_collapse(models: Sequence[BenchmarkModel], kripke: Command) -> dict[str, float]:
    return measure_exact("collapse", models, kripke)


def measure_exact(store: str, models: Sequence[BenchmarkModel], kripke: Command) -> dict[str, float]:
    """A store that loses nothing, beside `full`."""
    print(f"{'model':<18} {'states':>11}  full B  {store} B  full peak  {store} peak  speed of {store} over full")
    stores, peaks, speeds = [], [], []
    kripke.base()  # compiles
    base = kripke.base()
    for model in models:
        full, other = kripke.check(model), kripke.check(model, "--store", store)
        stores.append(other["store"])
        peaks.append((other["peak"] - base) / model.states)
        speeds.append(full["cpu"] / other["cpu"])
        print(
            f"{model.name:<18} {model.states:>11,} {full['store']:>7.1f} {other['store']:>7.1f} "
            f"{(full['peak'] - base) / model.states:>10.1f} {peaks[-1]:>10.1f}  {speeds[-1]:>6.2f}",
            flush=True,
        )
    return {
        f"{store}: median bytes per state (store)": median(stores),
        f"{store}: median bytes per state (process)": median(peaks),
        f"{store}: median speed over full": median(speeds),
    }


def measure_bitstate(models: Sequence[BenchmarkModel], kripke: Command) -> dict[str, float]:
    print(f"\n{'model':<18} {'states':>11}     missed  estimate   cpu  SPIN -DBITSTATE")
    parts, speeds = [], []
    for model in models:
        found = kripke.check(model, "--store", "bitstate", "--store-size", "64M")
        parts.append(found["states"] / model.states)
        spin = spin_bitstate(model)
        if spin:
            speeds.append(spin / found["cpu"])
        print(
            f"{model.name:<18} {model.states:>11,} {model.states - found['states']:>10,} {found['omitted']:>9.1f} "
            f"{found['cpu']:>5.1f} {spin:>5.1f}",
            flush=True,
        )
    figures = {"bitstate: least part of the states found": min(parts)}
    return figures | ({"bitstate: median speed over SPIN's": median(speeds)} if speeds else {})


def spin_bitstate(model: BenchmarkModel) -> float:
    """Processor seconds of SPIN's search with 64 MB of bits; 0 where SPIN is not there."""
    if missing_tools():
        return 0.0
    with tempfile.TemporaryDirectory(prefix="kripke-bench-") as folder:
        subprocess.run(
            ["spin", "-a", *model.define_options, str(model.path)], cwd=folder, check=True, stdout=subprocess.DEVNULL
        )
        compiled = ["gcc", "-O2", "-w", "-DSAFETY", "-DNOREDUCE", "-DBITSTATE", "-DMEMLIM=16000", "-o", "pan", "pan.c"]
        subprocess.run(compiled, cwd=folder, check=True)
        depth = model.depth + model.depth // 10 + 1_000
        _, usage = run([f"{folder}/pan", f"-m{depth}", "-w29", "-c0"])
        return usage.ru_utime + usage.ru_stime


def measure_threads(models: Sequence[BenchmarkModel], kripke: Command) -> dict[str, float]:
    """Two threads beside one, in turn, so that a busy moment is nobody's alone: the best of a few runs of each."""
    print(f"\n{'model':<18} store one thread  two   ratio  processor time of two over one")
    ratios: dict[str, list[float]] = {"full": [], "tree": []}
    for model in (model for large in LARGE if (model := larger(models, *large)) is not None):
        for store, found in ratios.items():
            runs: dict[str, list[dict[str, float]]] = {"1": [], "2": []}
            for _ in range(REPEATS):
                for threads, made in runs.items():
                    made.append(kripke.check(model, "--store", store, "--threads", threads))
            assert len({made["states"] for made in runs["1"] + runs["2"]}) == 1, f"{model.name}: counts differ"
            one, two = (min(made, key=lambda run: run["seconds"]) for made in runs.values())
            if one["seconds"] < LONG:
                continue
            found.append(one["seconds"] / two["seconds"])
            print(
                f"{model.name:<18} {store:<5} {one['seconds']:>9.1f}s {two['seconds']:>4.1f}s {found[-1]:>6.2f} "
                f"{two['cpu'] / one['cpu']:>6.2f}",
                flush=True,
            )
    return {
        f"threads: median speed of two over one, {store}": median(found) for store, found in ratios.items() if found
    }


def larger(models: Sequence[BenchmarkModel], name: str, defines: dict[str, int]) -> BenchmarkModel | None:
    """A model in a size that takes a while, whose counts nobody has written down, if it is among those measured."""
    return next(
        (replace(model, defines=defines, states=0, transitions=0) for model in models if model.name == name), None
    )


PARTS = {
    "tree": measure_tree,
    "collapse": measure_collapse,
    "bitstate": measure_bitstate,
    "threads": measure_threads,
}


def report(figures: dict[str, float], require: bool) -> int:
    print()
    missed = 0
    for name, value in figures.items():
        sense, bar = BARS.get(name, ("", 0.0))
        met = not sense or (value <= bar if sense == "at most" else value >= bar)
        missed += not met
        print(f"{name:<42} {value:8.4f}" + (f"  ({sense} {bar:g}{'' if met else ': MISSED'})" if sense else ""))
    return 1 if require and missed else 0


if __name__ == "__main__":
    sys.exit(main())
