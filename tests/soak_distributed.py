"""Examples of every language through one search and through workers: states, transitions, depth, verdict alike.

python -m tests.soak_distributed [--repeat 50 MODEL ...]     by MPI
python -m tests.soak_distributed --kill 10 MODEL             kill -9 of a random worker at a random moment, so often
python -m tests.soak_distributed --cycles 300                random graphs with automata by 1 to 8 workers
python -m tests.soak_distributed --fragments 20            merged fragments beside the sequential state space
python -m tests.soak_distributed --ltl [MODEL ...]           formulas and claims of models by 1 to 8 workers, by MPI
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import kripke
from kripke.engines.unsupported import Unsupported
from kripke.model.source import ModelError

EXAMPLES = Path(__file__).parents[1] / "examples"
ENDINGS = (".pml", ".pnml", ".pn", ".lf", ".csp", ".modes", ".scxml", ".puml")
WORKERS = (1, 2, 3, 4, 8)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("models", nargs="*", type=Path)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--kill", type=int, default=0)
    parser.add_argument("-D", dest="define", action="append", default=[])
    parser.add_argument("--most", type=int, default=30)
    parser.add_argument("--largest", type=int, default=10**5, help="models with more states are left out")
    parser.add_argument("--seconds", type=float, default=60, help="for each check of a formula by workers")
    parser.add_argument("--skip", type=int, default=0, help="models or graphs that are left out at the beginning")
    parser.add_argument("--workers", type=int, action="append")
    parser.add_argument("--cycles", type=int, default=0)
    parser.add_argument("--fragments", type=int, default=0)
    parser.add_argument("--ltl", action="store_true")
    options = parser.parse_args()
    if options.kill:
        defines = dict(text.split("=") for text in options.define)
        return kill_workers(options.models[0], options.kill, (options.workers or [3])[0], defines)
    if options.cycles:
        return compare_cycles(range(options.skip, options.skip + options.cycles))
    if options.fragments:
        return compare_fragments(options.fragments, options.skip)
    if options.ltl:
        return compare_formulas(options.models, options.largest, options.seconds)
    files = options.models or sorted(file for file in EXAMPLES.rglob("*") if file.suffix in ENDINGS)
    different = compared = 0
    counts = options.workers or WORKERS
    for file in files[options.skip :]:
        if compared == options.most:
            break
        try:
            model = kripke.load(str(file))
            one = model.check(
                properties="safety", all_errors=True, clarify=False, engine="native", max_states=options.largest
            )
        except (Unsupported, ModelError, ValueError) as error:
            print(f"{file.name}: left out ({str(error).splitlines()[0][:80]})")
            continue
        if not one.complete:
            continue
        compared += 1
        wanted = (one.verdict, one.states, one.transitions, one.depth, one.errors)
        for workers in counts:
            for _ in range(options.repeat):
                try:
                    several = model.check(properties="safety", all_errors=True, clarify=False, workers=workers)
                except Unsupported as error:
                    print(f"{file.name}: refused ({str(error)[:200]})")
                    different += 1
                    continue
                found = (several.verdict, several.states, several.transitions, several.depth, several.errors)
                if found != wanted:
                    different += 1
                    print(f"{file.name}, {workers} workers: {found} instead of {wanted}")
        print(f"{file.parent.name}/{file.name}: {wanted}", flush=True)
    print(f"{compared} models, workers {counts}, {options.repeat} runs each: {different} differences")
    return int(different > 0)


def compare_cycles(seeds: range) -> int:
    """Both searches for cycles, workers as threads, against the reference; lassos replayed."""
    from kripke.engines.explicit.reference import search
    from kripke.engines.explicit.search import SearchRequest
    from kripke.engines.runs.replay import replay_error
    from kripke.model.product import Product
    from tests.native.graphs import GraphLibrary, compile_library
    from tests.support.local_workers import cycle_locally
    from tests.support.observed_graphs import random_observed_graph

    different, verdicts = 0, [0, 0]
    with tempfile.TemporaryDirectory() as folder:
        compile_library("graph", Path(folder) / "graph.so")
        library = GraphLibrary(Path(folder) / "graph.so")
        for seed in seeds:
            model, observer = random_observed_graph(random.Random(seed), sets=None if seed % 3 == 0 else 1)
            product, compiled = Product(model, observer), library.open(model.graph)
            wanted = search(product, SearchRequest(order="scc", deadlock=False, observer=observer))
            verdicts[bool(wanted.error_paths)] += 1
            for workers in range(1, 9):
                for nested in (False, True)[: 2 if observer.sets == 1 else 1]:
                    found = cycle_locally(model, compiled, observer, workers, nested=nested)
                    if bool(found.error_paths) != bool(wanted.error_paths):
                        different += 1
                        print(f"seed {seed}, {workers} workers, {'nested' if nested else 'owcty'}: differs")
                    for error in found.error_paths:
                        replay_error(product, error)
    print(f"{len(seeds)} graphs ({verdicts[0]} without an accepted cycle), 1 to 8 workers: {different} differences")
    return int(different > 0)


def compare_fragments(most: int, skip: int) -> int:
    """Numbers aside, merged fragments of three workers have the states and transitions of one search."""
    from kripke.report.fragments import merge
    from kripke.report.tables import write_tables
    from tests.engines.distributed.test_fragments import isomorphic
    from tests.support.local_workers import explore_locally

    compared = different = 0
    for file in sorted(file for file in EXAMPLES.rglob("*") if file.suffix in ENDINGS)[skip:]:
        if compared == most:
            break
        with tempfile.TemporaryDirectory() as folder:
            whole, merged = os.path.join(folder, "whole.parquet"), os.path.join(folder, "merged.parquet")
            (Path(folder) / "parts").mkdir()
            try:
                model = kripke.load(str(file)).model
                if write_tables(model, whole, 5_000).reason:
                    continue
                merge(explore_locally(model, 3, Path(folder) / "parts"), merged)
                same = isomorphic(merged, whole)
            except (Unsupported, ModelError, ValueError) as error:
                print(f"{file.name}: left out ({str(error).splitlines()[0][:80]})")
                continue
            except AssertionError as error:
                print(f"{file.name}: left out ({error})")
                continue
        compared += 1
        different += not same
        print(f"{file.parent.name}/{file.name}: {'isomorphic' if same else 'DIFFERENT'}", flush=True)
    print(f"{compared} merged state spaces of three workers: {different} differences")
    return int(different > 0)


def compare_formulas(files: list[Path], largest: int, seconds: float) -> int:
    """What does not end within the limits is no difference: it is said how far it went."""
    different = compared = violated = unfinished = 0
    for file in files or sorted((EXAMPLES / "promela").glob("*.pml")):
        try:
            model = kripke.load(str(file))
            names = [
                one.name for one in model.model.properties if one.kind in ("ltl", "never", "acceptance", "progress")
            ]
        except (ModelError, ValueError) as error:
            print(f"{file.name}: left out ({str(error).splitlines()[0][:80]})")
            continue
        for name in names:
            remarks, wrong, longest = [], 0, 0.0
            try:
                one = model.check(properties=name, clarify=False, max_states=largest)
                if one.verdict == "unknown":
                    print(f"{file.name}, {name}: left out, more than {largest:,} states")
                    continue
                ways = [(workers, "owcty") for workers in WORKERS]
                for workers, cycles in ways:
                    several = model.check(
                        properties=name, clarify=False, workers=workers, cycles=cycles, time_limit=seconds
                    )
                    longest = max(longest, several.seconds)
                    if several.verdict == "unknown":
                        unfinished += 1
                        remarks.append(f"{workers} {cycles}: not ended, {several.states:,} states")
                    elif several.verdict != one.verdict or (one.verdict == "violated" and several.trace is None):
                        wrong += 1
                        remarks.append(f"{workers} {cycles}: {several.verdict.upper()}, trace {several.trace}")
                    if (workers, cycles) == ways[0] and several.states < 3_000:  # each seed goes through all of them
                        ways += [(count, "nested") for count in WORKERS]
            except Unsupported as error:
                print(f"{file.name}, {name}: refused ({str(error)[:100]})")
                continue
            compared += 1
            violated += one.verdict == "violated"
            different += wrong
            told = "; ".join(remarks)
            print(f"{file.name}, {name}: {one.verdict}, {one.states:,} states, {longest:.0f} s; {told}", flush=True)
    print(
        f"{compared} properties ({violated} violated), workers {WORKERS}: {different} differences, "
        f"{unfinished} runs that did not end"
    )
    return int(different > 0)


def kill_workers(file: Path, times: int, workers: int, defines: dict[str, str]) -> int:
    """Checkpoints every second; each time the check must end by itself with the right counts."""
    model = kripke.load(str(file), defines=defines)

    def run() -> tuple[kripke.Result, float]:
        with tempfile.TemporaryDirectory() as folder:
            begun = time.monotonic()
            result = model.check(
                properties="safety",
                all_errors=True,
                clarify=False,
                workers=workers,
                checkpoint=folder,
                checkpoint_every=1.0,
            )
            return result, time.monotonic() - begun

    one = model.check(properties="safety", all_errors=True, clarify=False, por=False, search="bfs")
    undisturbed, whole = run()
    wanted = (one.states, one.transitions, one.depth)
    wrong = int((undisturbed.states, undisturbed.transitions, undisturbed.depth) != wanted)
    print(f"{one.states:,} states, {workers} workers: {whole:.1f} s where nobody is killed", flush=True)
    chance, met = random.Random(1), 0
    for turn in range(times):
        after = chance.uniform(0.05, 0.95) * whole
        threading.Thread(target=_kill_one, args=(after, chance), daemon=True).start()
        several, seconds = run()
        right = (several.states, several.transitions, several.depth) == wanted
        wrong += not right
        facts = several.engine
        met += facts["restarts"] > 0
        print(
            f"{turn}: killed after {after:.1f} s, {facts['restarts']} restarts, {facts['lost_seconds']:.1f} s lost,"
            f" {seconds:.1f} s in all, {'right' if right else 'WRONG'}",
            flush=True,
        )
    print(f"{met} of {times} runs were started again: {wrong} wrong")
    return int(wrong > 0 or met < times)


def _kill_one(after: float, chance: random.Random) -> None:
    time.sleep(after)
    said = subprocess.run(
        ["pgrep", "-f", f"{sys.executable} -m kripke.engines.distributed.worker"], stdout=subprocess.PIPE
    )
    mine = [int(text) for text in said.stdout.split() if _ancestor(int(text))]
    if mine:
        os.kill(chance.choice(mine), signal.SIGKILL)


def _ancestor(process: int) -> bool:
    """Was it started by this very process?"""
    while process > 1:
        try:
            process = int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            return False
        if process == os.getpid():
            return True
    return False


if __name__ == "__main__":
    sys.exit(main())
