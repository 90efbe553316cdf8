"""The search for accepting cycles beside SPIN: states per second on models with a temporal property that holds.

Both search the whole product of the model and the same never claim, SPIN's own translation of the formula.
SPIN runs without partial-order reduction (-DNOREDUCE, pan -a), the two one after the other in the same run; ratios are
medians of the models. By default both searches are measured, nested depth-first and by components; `--fair` measures
weak fairness (pan -f), `--require` fails where the figures are not as good as is asked for.

    ./dev python benchmarks/ltl_search.py [--models NAME ...] [--search ndfs|scc|both] [--fair] [--repeat N] [--require]
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

HERE = Path(__file__).parent
LEAST_RATIO = 3  # to SPIN's states per second, median; asked for with --require
MOST_FOR_COMPONENTS = 1.3  # times the nested search, on at least six models


@dataclass(frozen=True)
class Case:
    name: str
    file: str
    formula: str  # of states, in SPIN's spelling; it holds
    defines: dict[str, int] = field(default_factory=dict)

    @property
    def options(self) -> list[str]:
        return [f"-D{name}={value}" for name, value in self.defines.items()]


CASES = (
    Case("filter_lock", "filter_lock.pml", "[] <> (inside == 0)", {"N": 4}),
    Case("ring_election", "ring_election.pml", "<> (leaders == 1)", {"N": 5}),
    Case("readers_writers", "readers_writers.pml", "[] <> (writing == 0)", {"READERS": 4, "WRITERS": 2}),
    Case("szymanski", "szymanski.pml", "[] <> (inside == 0)", {"N": 4}),
    Case("philosophers", "philosophers.pml", "[] (eating[0] -> <> !eating[1])", {"N": 8}),
    Case(
        "bounded_buffer",
        "bounded_buffer.pml",
        "[] (items > 0 -> <> (slots > 0 || items > 0))",
        {"PRODUCERS": 3, "CONSUMERS": 3, "SIZE": 4},
    ),
    Case("two_phase_commit", "two_phase_commit.pml", "<> [] (outcome[0] == outcome[0])", {"N": 5}),
    Case("alternating_bit", "alternating_bit.pml", "[] (<> true)", {"LINES": 2, "CAPACITY": 1}),
)


def run(command: list[str], folder: Path, seconds: float = 900) -> str:
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=seconds)
    return ran.stdout + ran.stderr


def spin(case: Case, folder: Path, fair: bool) -> tuple[bool, int, float]:
    """(holds, states, seconds) of the product with SPIN's claim, which stays in the folder as claim.pml."""
    text = (HERE / "models" / case.file).read_text()
    (folder / "model.pml").write_text(text + f"\nltl p {{ {case.formula} }}\n")
    run(["spin", "-a", *case.options, "model.pml"], folder)
    claim = re.search(r"never p .*?\n}", (folder / "_spin_nvr.tmp").read_text(), re.DOTALL)
    assert claim is not None
    (folder / "claim.pml").write_text(claim[0])
    run(["gcc", "-O2", "-w", "-DNOREDUCE", "-DNFAIR=3", "-DMEMLIM=16000", "-o", "pan", "pan.c"], folder)
    report = run(["./pan", "-a", "-m20000000", "-w24", *(["-f"] if fair else [])], folder)
    figures = [
        re.search(pattern, report)
        for pattern in (r"errors: (\d+)", r"([\d.e+]+) states, stored", r"elapsed time ([\d.e+-]+)")
    ]
    if None in figures:
        sys.exit(f"{case.name}: SPIN's report is not complete:\n{report}")
    errors, states, seconds = (float(found[1]) for found in figures if found is not None)
    return errors == 0, int(states), max(seconds, 0.005)


def kripke(case: Case, folder: Path, search: str, fair: bool) -> tuple[bool, int, float]:
    options = ["--fair", "weak", "--search", "scc"] if fair else ["--search", search]
    model = str(HERE / "models" / case.file)
    command = [
        sys.executable,
        "-m",
        "kripke",
        "check",
        model,
        "--never",
        "claim.pml",
        "--json",
        *case.options,
        *options,
    ]
    report = subprocess.run(command, cwd=folder, capture_output=True, text=True, env={**os.environ}, timeout=900)
    if not report.stdout:
        sys.exit(f"{case.name}: {report.stderr}")
    record = json.loads(report.stdout)
    return record["verdict"] == "holds", record["states"], record["seconds"]


def best(runs: list[tuple[bool, int, float]]) -> tuple[bool, int, float]:
    return min(runs, key=lambda run: run[2])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", nargs="*", default=[case.name for case in CASES])
    parser.add_argument("--search", default="both", choices=("ndfs", "scc", "both"))
    parser.add_argument("--fair", action="store_true")
    parser.add_argument("--repeat", type=int, default=1, help="the best of so many runs of each")
    parser.add_argument("--require", action="store_true", help="fail unless the figures are as good as is asked for")
    options = parser.parse_args()
    searches = ["scc"] if options.fair else ["ndfs", "scc"] if options.search == "both" else [options.search]
    ratios, prices, equal = [], [], True
    heads = "".join(f"{search + ' s':>9}{'x SPIN':>8}" for search in searches)
    print(f"{'model':18}{'states':>12}{'SPIN s':>9}{heads}{'  scc/ndfs' if len(searches) == 2 else ''}")
    for case in CASES:
        if case.name not in options.models:
            continue
        with tempfile.TemporaryDirectory(prefix="kripke-ltl-") as name:
            folder = Path(name)
            theirs: list[tuple[bool, int, float]] = []
            ours: dict[str, list[tuple[bool, int, float]]] = {search: [] for search in searches}
            for _ in range(options.repeat):  # in turn, so that a busy moment is nobody's alone
                theirs.append(spin(case, folder, options.fair))
                for search in searches:
                    ours[search].append(kripke(case, folder, search, options.fair))
        holds, states, slow = best(theirs)
        line, note = f"{case.name:18}{states:12,}{slow:9.2f}", ""
        fast = {search: best(runs) for search, runs in ours.items()}
        for held, found, seconds in fast.values():
            line += f"{seconds:9.2f}{found / seconds / (states / slow):8.1f}"
            if (held, found) != (holds, states):
                equal, note = False, f"   DIFFERENT: SPIN {holds} {states}, Kripke {held} {found}"
        _, found, seconds = fast[searches[0]]
        ratios.append(found / seconds / (states / slow))
        if len(searches) == 2:
            prices.append(fast["scc"][2] / fast["ndfs"][2])
            line += f"{prices[-1]:10.2f}"
        print(line + note, flush=True)
    print(f"{searches[0]}: median ratio of states per second to SPIN {median(ratios):.2f} over {len(ratios)} models")
    if prices:
        cheap = sum(price <= MOST_FOR_COMPONENTS for price in prices)
        print(f"scc takes at most {MOST_FOR_COMPONENTS} times as long as ndfs on {cheap} of {len(prices)} models")
        if options.require and cheap < 6:
            return 1
    if options.require and median(ratios) < LEAST_RATIO:
        return 1
    return 0 if equal else 1


if __name__ == "__main__":
    sys.exit(main())
