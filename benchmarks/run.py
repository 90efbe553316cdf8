"""Compare Kripke with SPIN on the same models, on the same machine, in the same run.

Usage: python benchmarks/run.py [MODEL ...] [--smoke] [--repeat N] [--json FILE] [--require]
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median

import report
from child import BenchmarkError
from comparison import Comparison, Latency, summarise
from kripke_command import KripkeCommand, find_kripke
from manifest import BenchmarkModel, load_models
from measurement import Measurement, best_of
from spin import measure_spin, missing_tools

WARM_RUNS = 5


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse(arguments)
    try:
        models = select(load_models(), options)
    except KeyError as unknown:
        return usage_error(f"no model named {unknown.args[0]!r}; `--list` shows their names.")
    if options.list:
        for model in models:
            print(f"{model.name:<18} {model.states:>11,}  {model.description}")
        return 0
    if missing := missing_tools():
        return usage_error(
            f"{' and '.join(missing)} not found. The benchmarks measure SPIN beside Kripke; install it first"
            " (Debian, Ubuntu: apt install spin gcc; macOS: brew install spin gcc)."
        )
    executable = options.kripke or find_kripke()
    if executable is None or not executable.exists():
        return usage_error(
            "the kripke command was not found beside this Python nor on PATH; name it with --kripke PATH."
        )

    comparisons, latency, failures = measure(models, KripkeCommand(executable, tuple(options.option)), options.repeat)
    figures = summarise(comparisons, latency)
    print(f"\n{report.summary(figures)}")
    if options.require:
        failures += report.missed_bars(figures)
    if options.json:
        results = report.as_json(comparisons, figures, failures)
        options.json.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    for failure in failures:
        print(f"FAILED: {failure}", file=sys.stderr)
    return 1 if failures else 0


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Compare Kripke with SPIN, as ratios measured in one run.")
    parser.add_argument("models", nargs="*", metavar="MODEL", help="names from models.toml (default: all)")
    parser.add_argument("--smoke", action="store_true", help="only a few small models, well under a minute")
    parser.add_argument(
        "--repeat", type=positive, default=1, metavar="N", help="the best of N runs of each (default 1)"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every measurement to FILE")
    parser.add_argument("--require", action="store_true", help="fail when a bar is missed")
    parser.add_argument("--kripke", type=Path, metavar="PATH", help="the kripke command to measure")
    parser.add_argument(
        "--option", action="append", default=[], metavar="OPTION", help="pass on to kripke, as in --option=--store=tree"
    )
    parser.add_argument("--list", action="store_true", help="show the selected models and stop")
    return parser.parse_args(arguments)


def positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def usage_error(text: str) -> int:
    print(f"benchmarks: {text}", file=sys.stderr)
    return 2


def select(models: list[BenchmarkModel], options: argparse.Namespace) -> list[BenchmarkModel]:
    """The models asked for; the short run includes the one that latency is measured on."""
    by_name = {model.name: model for model in models}
    if options.models:
        return [by_name[name] for name in options.models]
    if options.smoke:
        return [model for model in models if model.smoke or model.role == "latency"]
    return models


def measure(
    models: Sequence[BenchmarkModel], kripke: KripkeCommand, repeat: int
) -> tuple[list[Comparison], Latency | None, list[str]]:
    """Measure and print as we go; a model that fails costs its row, not the run."""
    comparisons: list[Comparison] = []
    failures: list[str] = []
    latency = None
    print(report.HEADER)
    with tempfile.TemporaryDirectory(prefix="kripke-cache-") as cache:
        for model in models:
            try:
                comparison = compare(model, kripke, Path(cache), repeat)
                if model.role == "latency":
                    latency = measure_latency(model, kripke, Path(cache), comparison.spin)
            except (BenchmarkError, ValueError) as error:
                print(f"{model.name:<18} FAILED", flush=True)
                failures.append(str(error))
                continue
            comparisons.append(comparison)
            print(report.row(comparison), flush=True)
            if not comparison.counts_equal:
                failures.append(report.count_difference(comparison))
    if any(not comparison.gives_ratios for comparison in comparisons):
        print("* too short a search for a meaningful ratio; left out of the summary")
    return comparisons, latency, failures


def compare(model: BenchmarkModel, kripke: KripkeCommand, cache: Path, repeat: int) -> Comparison:
    """Take turns, and let a different one begin each time, so that a busy or throttled machine hits both alike."""
    spin_runs: list[Measurement] = []
    kripke_runs: list[Measurement] = []
    for turn in range(repeat):
        if turn % 2 == 0:
            spin_runs.append(measure_spin(model))
            kripke_runs.append(kripke.measure(model, cache))
        else:
            kripke_runs.append(kripke.measure(model, cache))
            spin_runs.append(measure_spin(model))
    return Comparison(model, best_of(spin_runs), best_of(kripke_runs))


def measure_latency(model: BenchmarkModel, kripke: KripkeCommand, cache: Path, spin: Measurement) -> Latency:
    """Wall time of the small model; `cache` already holds it, for a cold run every time gets a new one."""
    warm = median(kripke.measure(model, cache).wall for _ in range(WARM_RUNS))
    cold_runs = []
    for _ in range(3):
        with tempfile.TemporaryDirectory(prefix="kripke-cold-") as empty:
            cold_runs.append(kripke.measure(model, Path(empty)).wall)
    return Latency(warm=warm, cold=median(cold_runs), spin=spin.wall)


if __name__ == "__main__":
    sys.exit(main())
