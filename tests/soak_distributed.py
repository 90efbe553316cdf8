"""Examples of every language through one search and through workers: states, transitions, depth, verdict alike.

python -m tests.soak_distributed [--repeat 50 MODEL ...]     by MPI
python -m tests.soak_distributed --kill 10 MODEL             kill -9 of a random worker at a random moment, so often
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
    parser.add_argument("--most", type=int, default=30)
    options = parser.parse_args()
    if options.kill:
        return kill_workers(options.models[0], options.kill)
    files = options.models or sorted(file for file in EXAMPLES.rglob("*") if file.suffix in ENDINGS)
    different = compared = 0
    for file in files:
        if compared == options.most:
            break
        try:
            model = kripke.load(str(file))
            one = model.check(properties="safety", all_errors=True, clarify=False, engine="native", max_states=10**6)
        except (Unsupported, ModelError, ValueError) as error:
            print(f"{file.name}: left out ({str(error).splitlines()[0][:80]})")
            continue
        if not one.complete:
            continue
        compared += 1
        wanted = (one.verdict, one.states, one.transitions, one.depth, one.errors)
        for workers in WORKERS:
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
    print(f"{compared} models, workers {WORKERS}, {options.repeat} runs each: {different} differences")
    return int(different > 0)


def kill_workers(file: Path, times: int) -> int:
    """Checkpoints every second; each time the check must end by itself with the right counts."""
    model = kripke.load(str(file))
    one = model.check(properties="safety", all_errors=True, clarify=False)
    chance, wrong = random.Random(1), 0
    for turn in range(times):
        with tempfile.TemporaryDirectory() as folder:
            after = chance.uniform(1.5, 1.5 + 2 * one.seconds)
            threading.Thread(target=_kill_one, args=(after, chance), daemon=True).start()
            begun = time.monotonic()
            several = model.check(
                properties="safety",
                all_errors=True,
                clarify=False,
                workers=3,
                checkpoint=folder,
                checkpoint_every=1.0,
            )
            right = (several.states, several.transitions) == (one.states, one.transitions)
            wrong += not right
            facts = several.engine
            print(
                f"{turn}: killed after {after:.1f} s, {facts['restarts']} restarts, {facts['lost_seconds']:.1f} s lost,"
                f" {time.monotonic() - begun:.1f} s in all, {'right' if right else 'WRONG'}",
                flush=True,
            )
    return int(wrong > 0)


def _kill_one(after: float, chance: random.Random) -> None:
    time.sleep(after)
    said = subprocess.run(
        ["pgrep", "-f", f"{sys.executable} -m kripke.engines.distributed.worker"], stdout=subprocess.PIPE
    )
    mine = [int(text) for text in said.stdout.split() if _ancestor(int(text)) and not _is_mpiexec(int(text))]
    if mine:
        os.kill(chance.choice(mine), signal.SIGKILL)


def _is_mpiexec(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/comm").read_text().startswith(("mpiexec", "hydra", "prte"))
    except OSError:
        return True


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
