"""kripke.testing beside frontrun: twenty programs through both, and schedules per second.

    python -m venv FOLDER && FOLDER/bin/pip install frontrun
    ./dev python benchmarks/interleavings.py FOLDER [--require]
    ./dev python benchmarks/interleavings.py --parts

frontrun 0.7 runs with its own defaults (at most two preemptions). ``--require``: fail unless every bug that it finds is
found, at least three programs have a bug that its bound misses, and schedules per second are ten times as many.
``--parts``: what each thing that makes schedules fast is worth: the time without it, as a ratio to the time with all.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple


class Shared:
    """What the threads of all programs share."""

    def __init__(self) -> None:
        self.a = self.b = self.c = self.turn = 0
        self.table: dict[str, int] = {}
        self.items: list[int] = []
        self.object: Any = None
        self.lock, self.other = threading.Lock(), threading.Lock()
        self.bad = False


class Program(NamedTuple):
    workers: list[Callable[[Any], None]]
    invariant: Callable[[Any], bool]


def add(shared: Any) -> None:
    shared.a += 1


def add_locked(shared: Any) -> None:
    with shared.lock:
        shared.a += 1


def insert(shared: Any) -> None:
    if "key" not in shared.table:
        shared.table["key"] = 0
        shared.a += 1


def take_both(shared: Any) -> None:
    with shared.lock, shared.other:
        shared.b += 1


def take_both_turned(shared: Any) -> None:
    with shared.other, shared.lock:
        shared.b += 1


def initialise(shared: Any) -> None:
    if shared.object is None:
        with shared.lock:
            shared.object = [0]
            shared.object = [1]
    if shared.object == [0]:
        shared.bad = True


def publish(shared: Any) -> None:
    shared.c = 1
    shared.a = 5


def look(shared: Any) -> None:
    if shared.c == 1 and shared.a != 5:
        shared.bad = True


def transfer(shared: Any) -> None:
    shared.a -= 1
    shared.b += 1


def sum_up(shared: Any) -> None:
    if shared.a + shared.b != 0:
        shared.bad = True


def append(shared: Any) -> None:
    if len(shared.items) < 1:
        shared.items.append(1)


def exchange(shared: Any) -> None:
    old = shared.a
    if shared.a == old:
        shared.a = old + 1


def guarded_then_not(shared: Any) -> None:
    with shared.lock:
        value = shared.a
    with shared.lock:
        shared.a = value + 1


def peterson(me: int, *, late: bool) -> Callable[[Any], None]:
    """Tries once; whoever finds the other inside does not go in."""

    def enter(shared: Any) -> None:
        if not late:
            shared.table[f"wants{me}"] = 1
        shared.turn = 1 - me
        if late:
            shared.table[f"wants{me}"] = 1
        if not shared.table.get(f"wants{1 - me}") or shared.turn == me:
            shared.b += 1
            if shared.b != 1:
                shared.bad = True
            shared.b -= 1

    return enter


def handshake(mine: range) -> Callable[[Any], None]:
    """Goes on where the other one left off: the last number needs a change of threads for each one before."""

    def go_on(shared: Any) -> None:
        for number in mine:
            if shared.a == number:
                shared.a = number + 1

    return go_on


def handshakes(last: int) -> Program:
    return Program([handshake(range(0, last, 2)), handshake(range(1, last, 2))], lambda shared: shared.a != last)


PROGRAMS = {
    "lost update": Program([add, add], lambda shared: shared.a == 2),
    "lost update of three": Program([add, add, add], lambda shared: shared.a == 3),
    "locked update": Program([add_locked, add_locked], lambda shared: shared.a == 2),
    "update with and without lock": Program([add_locked, add], lambda shared: shared.a == 2),
    "check then act": Program([insert, insert], lambda shared: shared.a == 1),
    "lock order": Program([take_both, take_both_turned], lambda shared: True),
    "locks in order": Program([take_both, take_both], lambda shared: shared.b == 2),
    "double-checked": Program([initialise, initialise], lambda shared: not shared.bad),
    "early publication": Program([publish, look], lambda shared: not shared.bad),
    "transfer": Program([transfer, sum_up], lambda shared: not shared.bad),
    "append once": Program([append, append], lambda shared: len(shared.items) == 1),
    "compare and exchange": Program([exchange, exchange], lambda shared: shared.a == 2),
    "two locked halves": Program([guarded_then_not, guarded_then_not], lambda shared: shared.a == 2),
    "Peterson": Program([peterson(0, late=False), peterson(1, late=False)], lambda shared: not shared.bad),
    "Peterson with a late flag": Program(
        [peterson(0, late=True), peterson(1, late=True)], lambda shared: not shared.bad
    ),
    **{f"handshake of {last}": handshakes(last) for last in (3, 4, 5, 6, 7)},
}


def one(shared: Any) -> None:
    for _ in range(4):
        shared.a += 1
    shared.b += 1
    shared.c = shared.b


def two(shared: Any) -> None:
    shared.a += 1
    shared.b = shared.a
    for _ in range(2):
        shared.a += 1


SPEED = Program([one, two], lambda shared: True)  # 20 accesses by two threads


def with_frontrun() -> dict[str, Any]:
    import frontrun

    found = {}
    for name, program in PROGRAMS.items():
        result = frontrun.explore(
            setup=Shared, workers=program.workers, invariant=program.invariant, reproduce_on_failure=0
        )
        found[name] = not result.property_holds
    start, processor = time.perf_counter(), time.process_time()
    result = frontrun.explore(setup=Shared, workers=SPEED.workers, invariant=SPEED.invariant, stop_on_first=False)
    return {
        "found": found,
        "schedules": result.num_explored,
        "seconds": time.perf_counter() - start,
        "processor": time.process_time() - processor,
    }


def body_of(program: Program) -> Callable[[], None]:
    def body() -> None:
        shared = Shared()
        threads = [threading.Thread(target=work, args=(shared,)) for work in program.workers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert program.invariant(shared)

    return body


def with_kripke() -> dict[str, Any]:
    from kripke.testing import Settings, explore

    found, incomplete = {}, []
    for name, program in PROGRAMS.items():
        report = explore(body_of(program), Settings(seconds=None))
        found[name] = report.failure is not None
        if report.failure is None and not report.complete:
            incomplete.append(name)
    start, processor = time.perf_counter(), time.process_time()
    report = explore(body_of(SPEED), Settings(seconds=None))
    return {
        "found": found,
        "incomplete": incomplete,
        "schedules": report.runs,
        "steps": report.steps,
        "complete": report.complete,
        "seconds": time.perf_counter() - start,
        "processor": time.process_time() - processor,
    }


def without(part: str) -> Callable[[], None]:
    """Take one of the things away; what is given back puts it there again."""
    from kripke._native import hooks as native_hooks
    from kripke.testing import exploration, race_analysis, run
    from kripke.testing.task import Strands

    exploring = sys.modules["kripke.testing.explore"]
    owner: Any
    if part == "hooks and steps in C++":
        native_hooks.use_fast_ways(False)
        return lambda: native_hooks.use_fast_ways(True)
    if part == "races in C++":
        plain = exploration.RacesOfRuns, exploring.DataRacesOfRuns
        exploration.RacesOfRuns = race_analysis.RaceAnalysis
        exploring.DataRacesOfRuns = lambda known: race_analysis.DataRaces()

        def put_back() -> None:
            exploration.RacesOfRuns, exploring.DataRacesOfRuns = plain

        return put_back
    if part == "runs are freed at once":
        owner, name, instead = run.Run, "forget", lambda self: None
    elif part == "threads are used again":
        begin = Strands.begin

        def always_new(self: Any, task: Any, work: Any) -> None:
            self._idle.clear()
            begin(self, task, work)

        owner, name, instead = Strands, "begin", always_new
    else:
        made = exploration.Exploration._schedule
        owner, name = exploration.Exploration, "_schedule"

        def no_steps_known(self: Any, node: Any) -> Any:
            schedule = made(self, node)
            schedule.expected = []
            return schedule

        instead = no_steps_known
    before = getattr(owner, name)
    setattr(owner, name, instead)
    return lambda: setattr(owner, name, before)


PARTS = (
    "hooks and steps in C++",
    "steps that come again are not made again",
    "races in C++",
    "runs are freed at once",
    "threads are used again",
)


def show_parts() -> None:
    from kripke.testing import Settings, explore

    def seconds() -> float:
        best = float("inf")
        for _ in range(5):
            start = time.process_time()
            explore(body_of(SPEED), Settings(seconds=None))
            best = min(best, time.process_time() - start)
        return best

    seconds()
    for part in PARTS:
        whole = seconds()
        put_back = without(part)
        print(f"without: {part:45} {seconds() / whole:.2f} times as long")
        put_back()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", help="virtual environment with frontrun")
    parser.add_argument("--require", action="store_true")
    parser.add_argument("--parts", action="store_true")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        print(json.dumps(with_frontrun()))
        return 0
    if given.parts:
        show_parts()
        return 0
    if given.folder is None:
        parser.error("where is frontrun? name a virtual environment")
    programs = Path(given.folder).absolute() / "bin"
    ran = subprocess.run(
        [programs / "frontrun", programs / "python", __file__, "--child"], capture_output=True, text=True
    )
    if ran.returncode:
        sys.exit(f"frontrun failed:\n{ran.stderr[-2000:]}")
    theirs = json.loads(ran.stdout.splitlines()[-1])
    ours = with_kripke()
    print(f"{'program':32} kripke    frontrun")
    for name in PROGRAMS:
        words = ["bug" if each["found"][name] else "none" for each in (ours, theirs)]
        print(f"{name:32} {words[0]:9} {words[1]}")
    missed = [name for name in PROGRAMS if theirs["found"][name] and not ours["found"][name]]
    more = [name for name in PROGRAMS if ours["found"][name] and not theirs["found"][name]]
    rates = [each["schedules"] / each["processor"] for each in (ours, theirs)]
    walls = [each["schedules"] / each["seconds"] for each in (ours, theirs)]
    print(f"found by frontrun alone: {missed or 'none'}; by kripke alone: {more or 'none'}")
    print(
        f"schedules: kripke {ours['schedules']:,} (all behaviours: {ours['complete']}), "
        f"frontrun {theirs['schedules']:,}"
        f"\nper second of processor time: {rates[0]:,.0f} and {rates[1]:,.0f}, ratio {rates[0] / rates[1]:.1f}"
        f"\nper second: {walls[0]:,.0f} and {walls[1]:,.0f}, ratio {walls[0] / walls[1]:.1f}"
        f"\nkripke: {ours['steps'] / ours['schedules']:.0f} steps a schedule, "
        f"{ours['processor'] / ours['steps'] * 1e6:.1f} microseconds a step"
    )
    good = not missed and not ours["incomplete"] and len(more) >= 3 and rates[0] >= 10 * rates[1]
    return 1 if given.require and not good else 0


if __name__ == "__main__":
    sys.exit(main())
