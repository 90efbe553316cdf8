"""Compare many random programs with SPIN: ``python -m tests.spin.soak --programs 2000 --seed 1``.

Programs are made until so many have been compared: some SPIN does not accept, or cannot search in a few seconds.
Programs that show a difference are made smaller and written to the folder given with ``--keep``.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import count, islice
from pathlib import Path

from tests.spin.compare import ENGINES, MODES, Difference, Engine, Incomparable, Mode, Rejected, compare
from tests.spin.generator import generate
from tests.spin.shrink import shrink
from tests.spin.terms import Line, text_of


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.spin.soak", description=__doc__)
    parser.add_argument("--programs", type=int, default=2000, help="how many programs are to be compared")
    parser.add_argument("--seed", type=int, default=1, help="the seed of the first program")
    parser.add_argument("--keep", type=Path, default=None, help="a folder for programs that show a difference")
    parser.add_argument("--all-modes", action="store_true", help="every mode for every program, not a random one")
    parser.add_argument("--no-shrink", action="store_true", help="keep programs as they were made")
    parser.add_argument("--engine", action="append", choices=ENGINES, help="only this engine (may be repeated)")
    parser.add_argument("--jobs", type=int, default=1, help="processes that work side by side")
    asked = parser.parse_args()
    seeds = count(asked.seed)
    with tempfile.TemporaryDirectory(prefix="soak-") as folder, ProcessPoolExecutor(asked.jobs) as pool:
        if "KRIPKE_CC" not in os.environ and shutil.which("tcc"):
            os.environ["KRIPKE_CC"] = "tcc"
        tally = Counter[str]()
        while (left := asked.programs - tally["agree"] - tally["difference"]) > 0:
            some = islice(seeds, min(left, 100))
            tally.update(pool.map(partial(_seed, asked=asked, folder=folder), some))
            print(f"{tally.total()} programs, {tally['agree']} agree, {tally['difference']} differ", flush=True)
    for name, number in tally.most_common():
        print(f"{number:6} {name}")
    return 1 if tally["difference"] else 0


def _seed(seed: int, asked: argparse.Namespace, folder: str) -> str:
    """What became of the program of a seed; every process has a cache of its own."""
    cache = os.environ["KRIPKE_CACHE"] = os.path.join(folder, str(os.getpid()))
    modes = MODES if asked.all_modes else (MODES[0],) if seed % 3 else (MODES[seed // 3 % len(MODES)],)
    engines = tuple(asked.engine) if asked.engine else ENGINES
    outcome = _one(seed, modes, engines, asked.keep, shrinking=not asked.no_shrink)
    for made in Path(cache).rglob("*.so"):
        made.unlink()
    return outcome


def _one(seed: int, modes: tuple[Mode, ...], engines: tuple[Engine, ...], keep: Path | None, *, shrinking: bool) -> str:
    """Compare the program of a seed; what became of it."""
    lines = generate(seed)
    try:
        outcome = compare(text_of(lines), modes, engines)
    except Rejected as refusal:
        return f"rejected by SPIN: {str(refusal).partition('Error: ')[2][:50] or str(refusal)[:80]}"
    except Incomparable as reason:
        return f"not comparable: {str(reason)[:40]}"
    if not isinstance(outcome, Difference):
        return f"not supported: {outcome.unsupported[:60]}" if outcome.unsupported else "agree"
    print(f"seed {seed}: {outcome}", flush=True)
    if shrinking:
        lines = _smaller(lines, outcome)
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        (keep / f"{seed}.pml").write_text(f"/* before it was made smaller: {outcome} */\n{text_of(lines)}")
    else:
        print(text_of(lines), flush=True)
    return "difference"


def _smaller(lines: list[Line], first: Difference) -> list[Line]:
    modes = tuple(mode for mode in MODES if mode.name == first.mode)
    engines = (first.engine,)

    def still_fails(candidate: list[Line]) -> bool:
        try:
            outcome = compare(text_of(candidate), modes, engines)  # type: ignore[arg-type]
        except Incomparable:
            return False
        return isinstance(outcome, Difference) and outcome.kind == first.kind

    return shrink(lines, still_fails)


if __name__ == "__main__":
    sys.exit(main())
