"""Partial-order reduction beside SPIN's: how many states are left, on the same models, in the same run.

Five searches of each model, for deadlocks and assertions: SPIN and Kripke, each with and without reduction, and
Kripke with `--por auto`. Models in which SPIN finds an error, or does not come to an end, are left out. The models are
those of `models/`, the algorithms of `shared_variables/`, most of which leave SPIN nothing to reduce, and, where it is
there, the collection of the SPIN distribution (`../shared/corpus/promela/spin-examples` beside the project, or
`--corpus FOLDER`).

    ./dev python benchmarks/reduction.py [MODEL ...] [--require] [--seconds N] [--search dfs|bfs] [--times] [--large]

With --times nothing is searched but what the last two columns need, without SPIN: so the times can be taken on a quiet
machine, a few models at a time. With --large our models are searched in sizes that take seconds.

The last two columns are the processor time of the whole command, compiler included and nothing in its cache: with
`--por auto` by that without, the least of `--repeat` runs each, and the seconds without.

The bars: where SPIN reduces, at most 1.1 times its states; never more states than without reduction; where SPIN reduces
nothing, a median of less than 0.7 of the states, in all and in `shared_variables/`, where both must also count the same
states without reduction. Of `--por auto`: never more than 1.2 times the time, a median of at most 0.9 where SPIN
reduces, and at least twice as fast on ten models (if so many take a second). Small models in which never two processes
can move are shown, but say nothing about a reduction. With `--require` a missed bar is a failure.
"""

import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from kripke_command import find_kripke
from manifest import load_models
from spin import missing_tools

HERE = Path(__file__).parent
ALGORITHMS = HERE / "shared_variables"
CORPUS = HERE.parents[1] / "shared" / "corpus" / "promela" / "spin-examples"
BEYOND_SPIN = 1.1
WHERE_SPIN_DOES_NOTHING = 0.7
FEW_STATES = 2_000
SLOWER = 1.2
WHERE_SPIN_REDUCES = 0.9
FASTER, FASTER_MODELS = 0.5, 10


#: sizes of our models whose plain search takes seconds: what is saved does not drown in the start of the command
LARGE = {
    "bakery": ("-DN=3", "-DLIMIT=40"),
    "filter_lock": ("-DN=4",),
    "philosophers": ("-DN=10",),
    "sliding_window": ("-DW=2", "-DM=6", "-DCAPACITY=5"),
    "alternating_bit": ("-DLINES=2", "-DCAPACITY=3"),
    "bounded_buffer": ("-DPRODUCERS=4", "-DCONSUMERS=4", "-DSIZE=4"),
    "mesi": ("-DN=6",),
    "readers_writers": ("-DREADERS=5", "-DWRITERS=2"),
    "two_phase_commit": ("-DN=6",),
    "token_ring": ("-DN=6",),
    "szymanski": ("-DN=5",),
    "lift": ("-DFLOORS=6",),
}


@dataclass(frozen=True)
class Subject:
    name: str
    path: Path
    defines: tuple[str, ...] = ()

    @property
    def is_algorithm(self) -> bool:
        return self.path.parent == ALGORITHMS


@dataclass(frozen=True)
class Counts:
    states: int
    seconds: float

    @property
    def speed(self) -> float:
        return self.states / max(self.seconds, 1e-6)


@dataclass(frozen=True)
class Times:
    """Of the processor, for the whole command, without reduction and with `--por auto`."""

    name: str
    plain_time: float
    automatic_time: float

    @property
    def time(self) -> float:
        return self.automatic_time / self.plain_time

    def __str__(self) -> str:
        return f"{self.time:7.2f}{self.plain_time:7.2f}"


@dataclass(frozen=True)
class Row:
    subject: Subject
    spin_full: int
    spin: int
    full: Counts
    reduced: Counts
    automatic: Counts
    times: Times
    in_turn: bool = False  # never two processes that can move

    @property
    def name(self) -> str:
        return self.subject.name

    @property
    def spin_reduces(self) -> bool:
        return self.spin < self.spin_full

    @property
    def ratio(self) -> float:
        """What is left of the states."""
        return self.reduced.states / self.full.states

    def failures(self) -> list[str]:
        found = []
        if self.reduced.states > self.full.states:
            found.append(f"{self.name}: {self.reduced.states} states with reduction, {self.full.states} without")
        if self.subject.is_algorithm and self.full.states != self.spin_full:
            found.append(f"{self.name}: {self.full.states} states without reduction, SPIN {self.spin_full}")
        if self.spin_reduces and self.reduced.states > BEYOND_SPIN * self.spin:
            found.append(f"{self.name}: {self.reduced.states} states, SPIN {self.spin}")
        if self.automatic.states > self.full.states:
            found.append(f"{self.name}: {self.automatic.states} states with --por auto, {self.full.states} without")
        return found


def subjects(corpus: Path) -> list[Subject]:
    ours = [Subject(model.name, model.path, tuple(model.define_options)) for model in load_models()]
    ours += [Subject(f"{ALGORITHMS.name}/{path.stem}", path) for path in sorted(ALGORITHMS.glob("*.pml"))]
    theirs = [Subject(str(path.relative_to(corpus)), path) for path in sorted(corpus.rglob("*.pml"))]
    return ours + theirs


def large_subjects() -> list[Subject]:
    paths = {model.path.stem: model.path for model in load_models()}
    return [Subject(f"{name} {' '.join(defines)}", paths[name], defines) for name, defines in LARGE.items()]


def spin(subject: Subject, seconds: float) -> tuple[int, int] | None:
    """States with and without reduction; None where there is an error or no end."""
    with tempfile.TemporaryDirectory(prefix="kripke-reduction-") as name:
        folder = Path(name)
        shutil.copytree(subject.path.parent, folder, dirs_exist_ok=True)
        if ran(["spin", "-a", *subject.defines, subject.path.name], folder, seconds) is None:
            return None
        counts = []
        for options in ([], ["-DNOREDUCE"]):
            compiled = ["gcc", "-O1", "-w", "-DSAFETY", "-DNOCLAIM", "-DMEMLIM=8000", *options, "-o", "pan", "pan.c"]
            ran(compiled, folder, 120)
            report = ran(["./pan", "-m2000000", "-w24"], folder, seconds) or ""
            errors, states = re.search(r"errors: (\d+)", report), re.search(r"([\d.e+]+) states, stored", report)
            ended = "max search depth too small" not in report and "Search not completed" not in report
            if errors is None or states is None or errors[1] != "0" or not ended:
                return None
            counts.append(int(float(states[1])))
        return counts[0], counts[1]


def ran(command: list[str], folder: Path, seconds: float) -> str | None:
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=seconds)
    except (subprocess.TimeoutExpired, OSError):
        return None
    return done.stdout + done.stderr


def kripke(executable: Path, subject: Subject, seconds: float, options: list[str]) -> Counts | str:
    """The counts, or why there are none."""
    command = [str(executable), "check", str(subject.path), *subject.defines, "--property", "safety", "--json"]
    command += [f"--time-limit={seconds:g}", *options]
    done = subprocess.run(command, capture_output=True, text=True)
    try:
        result = json.loads(done.stdout)
    except json.JSONDecodeError:
        return done.stderr.strip().splitlines()[0] if done.stderr.strip() else f"exit code {done.returncode}"
    if result["verdict"] != "holds":
        return f"{result['verdict']}: {result['reason']}"
    return Counts(result["states"], result["seconds"])


def processor_time(executable: Path, subject: Subject, seconds: float, options: list[str], repeat: int) -> float:
    """Of the command and its children, with an empty cache: the least of several runs."""
    command = [str(executable), "check", str(subject.path), *subject.defines, "--property", "safety", "--json"]
    times = []
    for _ in range(repeat):
        with tempfile.TemporaryDirectory(prefix="kripke-reduction-") as cache:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            environment = {**os.environ, "KRIPKE_CACHE": cache}
            subprocess.run([*command, f"--time-limit={seconds:g}", *options], capture_output=True, env=environment)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)


def both_times(executable: Path, subject: Subject, seconds: float, repeat: int) -> Times:
    plain = processor_time(executable, subject, seconds, ["--no-por"], repeat)
    return Times(subject.name, plain, processor_time(executable, subject, seconds, ["--por", "auto"], repeat))


def measure(executable: Path, subject: Subject, seconds: float, search: str, repeat: int) -> Row | str | None:
    """A row; a sentence where Kripke has no answer, None where SPIN has none."""
    found = spin(subject, seconds)
    if found is None:
        return None
    full = kripke(executable, subject, seconds * 2, ["--no-por", "--search", search])
    if isinstance(full, str):
        return full
    reduced = kripke(executable, subject, seconds * 2, ["--por", "--search", search])
    if isinstance(reduced, str):
        return reduced
    automatic = kripke(executable, subject, seconds * 2, ["--por", "auto"])
    if isinstance(automatic, str):
        return automatic
    times = both_times(executable, subject, seconds * 2, repeat)
    in_turn = full.states <= FEW_STATES and is_in_turn(subject)
    return Row(subject, found[1], found[0], full, reduced, automatic, times, in_turn)


def is_in_turn(subject: Subject) -> bool:
    """Is there no state in which two processes can move?"""
    from kripke.languages.promela import load

    defines = dict(option[2:].split("=", 1) for option in subject.defines)
    model = load(str(subject.path), defines=defines)
    seen = set(model.initial())
    waiting = list(seen)
    while waiting:
        steps = model.successors(waiting.pop())
        if len({step.parts[0][0] for step in steps}) > 1:
            return False
        fresh = {step.target for step in steps if step.target is not None} - seen
        seen |= fresh
        waiting += fresh
    return True


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", metavar="MODEL", help="parts of names (default: all)")
    parser.add_argument("--corpus", type=Path, default=CORPUS, metavar="FOLDER", help="more models")
    parser.add_argument("--seconds", type=float, default=30.0, help="for each search (default 30)")
    parser.add_argument("--search", choices=("dfs", "bfs"), default="dfs", help="how Kripke searches (default dfs)")
    parser.add_argument("--repeat", type=int, default=2, help="runs of which the time is the least (default 2)")
    parser.add_argument("--times", action="store_true", help="only the times of --por auto, without SPIN")
    parser.add_argument("--large", action="store_true", help="our models, in sizes that take seconds")
    parser.add_argument("--require", action="store_true", help="fail when a bar is missed")
    options = parser.parse_args()
    executable = find_kripke()
    if not options.times and (missing := missing_tools()):
        sys.exit(f"reduction: {' and '.join(missing)} not found")
    if executable is None:
        sys.exit("reduction: the kripke command was not found")
    every = large_subjects() if options.large else subjects(options.corpus)
    chosen = [s for s in every if not options.models or any(m in s.name for m in options.models)]
    if options.times:
        return conclude_alone(executable, chosen, options)
    rows: list[Row] = []
    titles = f"{'model':34}{'all':>12}{'SPIN':>12}{'--por':>12}{'left':>7}{'of SPIN':>9}{'speed':>7}"
    print(f"{titles}{'auto':>12}{'time':>7}{'s':>7}")
    for subject in chosen:
        row = measure(executable, subject, options.seconds, options.search, options.repeat)
        if isinstance(row, str):
            print(f"{subject.name:34}{row[:90]}", flush=True)
        elif row is not None:
            rows.append(row)
            nothing = "in turn" if row.in_turn else "-"
            of_spin = f"{row.reduced.states / row.spin:9.2f}" if row.spin_reduces else f"{nothing:>9}"
            speed = row.reduced.speed / row.full.speed
            automatic = f"{row.automatic.states:12,}{row.times}"
            counts = f"{row.full.states:12,}{row.spin:12,}{row.reduced.states:12,}"
            print(f"{row.name:34}{counts}{row.ratio:7.2f}{of_spin}{speed:7.2f}{automatic}", flush=True)
    return conclude(rows, options.require)


def conclude(rows: list[Row], require: bool) -> int:
    failures = [failure for row in rows for failure in row.failures()]
    reduced_by_spin = [row for row in rows if row.spin_reduces]
    others = [row for row in rows if not row.spin_reduces and not row.in_turn]
    if reduced_by_spin:
        found = median(row.reduced.states / row.spin for row in reduced_by_spin)
        print(f"where SPIN reduces ({len(reduced_by_spin)} models): median {found:.2f} of SPIN's states")
    for where, chosen in (
        ("", others),
        (f" in {ALGORITHMS.name}", [row for row in others if row.subject.is_algorithm]),
    ):
        if chosen:
            left = median(row.ratio for row in chosen)
            print(f"where SPIN reduces nothing{where} ({len(chosen)} models): median {left:.2f} of all states")
            if left >= WHERE_SPIN_DOES_NOTHING:
                failures.append(f"where SPIN reduces nothing{where}, {left:.2f} of the states are left")
    large = [row.reduced.speed / row.full.speed for row in rows if row.reduced.states > 20_000]
    if large:
        print(f"states per second with reduction by those without, over 20,000 states: median {median(large):.2f}")
    if reduced_by_spin:
        found = median(row.times.time for row in reduced_by_spin)
        print(f"where SPIN reduces, processor time with --por auto by that without: median {found:.2f}")
        if found > WHERE_SPIN_REDUCES:
            failures.append(f"where SPIN reduces, --por auto takes {found:.2f} of the time as a median")
    failures += conclude_times([row.times for row in rows])
    for failure in failures:
        print(f"MISSED: {failure}")
    return 1 if failures and require else 0


def conclude_alone(executable: Path, chosen: list[Subject], options: argparse.Namespace) -> int:
    """Times of what holds, and nothing else."""
    rows: list[Times] = []
    for subject in chosen:
        found = kripke(executable, subject, options.seconds, ["--no-por"])
        if isinstance(found, Counts):
            rows.append(both_times(executable, subject, options.seconds * 2, options.repeat))
            print(f"{subject.name:34}{found.states:12,}{rows[-1]}", flush=True)
    failures = conclude_times(rows)
    for failure in failures:
        print(f"MISSED: {failure}")
    return 1 if failures and options.require else 0


def conclude_times(rows: list[Times]) -> list[str]:
    """What `--por auto` costs and saves; the bars that it misses."""
    slower = (row for row in rows if row.time > SLOWER)
    failures = [f"{row.name}: {row.time:.2f} times the processor time with --por auto" for row in slower]
    faster = sum(row.time <= FASTER for row in rows)
    slowest = max((row.time for row in rows), default=0)
    print(f"twice as fast with --por auto: {faster} of {len(rows)} models; slowest {slowest:.2f}")
    if faster < FASTER_MODELS <= sum(row.plain_time >= 1 for row in rows):
        failures.append(f"only {faster} models are twice as fast with --por auto")
    return failures


if __name__ == "__main__":
    sys.exit(main())
