"""Directed search against breadth-first search: ``./dev python benchmarks/directed.py [--corpus FOLDER] [--require]``.

Every model with an error among ours (examples of every language, the seeded bugs) and, with ``--corpus``, among the
examples of the SPIN distribution: how many states each search expands until it finds an error. A* goes by the bound,
best-first search by the formula, or, where ``--estimate`` says so, by another estimate. Then the speed, as a ratio, on
models without errors, of which both searches see every state.

``--require``: exit 1 unless A* never expands more states than breadth-first search, best-first search expands a median
of at most 5 % of breadth-first's on models where that has 200 states or more, and A* has 0.4 of breadth-first's speed.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tomllib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import kripke
from kripke.engines.plan import Unsupported
from kripke.model.source import ModelError

ROOT = Path(__file__).parents[1]
#: of languages with estimates of their own, whose assertions are about states
ENDINGS = (".pml", ".pn", ".pnml", ".ll_net", ".modes", ".scxml", ".puml")
#: errors of the cases, which have no entry in a manifest
CASES = (
    ("ethernet.pml", "-D DETECTOR=0"),
    ("ethernet.pml", "-D DETECTOR=1"),
    ("deos.pml", "-D WRONG_ORDER"),
    ("ascb.pml", "-D FAULT=3 -D ONE_RULE"),
)
FEW = 200  # states; of fewer, 5 % say nothing
MOST = 3_000_000


def defined(options: list[str]) -> dict[str, str]:
    """By ``-D NAME=VALUE``."""
    pairs = [text for before, text in pairwise(options) if before == "-D"]
    return {name: value or "1" for name, _, value in (pair.partition("=") for pair in pairs)}


def with_errors(corpus: Path | None) -> Iterator[tuple[str, Path, dict[str, str]]]:
    for manifest in sorted((ROOT / "examples").glob("*/manifest.toml")):
        seen: set[str] = set()
        for entry in tomllib.loads(manifest.read_text())["example"]:
            file, defines = manifest.parent / entry["file"], defined(entry.get("options", []))
            key = f"{file}{defines}"
            if entry["verdict"] == "violated" and file.suffix in ENDINGS and key not in seen:
                seen.add(key)
                name = " ".join([f"{manifest.parent.name}/{file.name}", *(f"{k}={v}" for k, v in defines.items())])
                yield name, file, defines
    for file, options in CASES:
        yield f"cases/{file} {options}", ROOT / "examples" / "cases" / file, defined(options.split())
    for count in ("10", "12"):
        yield f"directed/philosophers {count}", ROOT / "examples" / "directed" / "philosophers.pml", {"P": count}
    if corpus is not None:
        for file in sorted(corpus.rglob("*.pml")):
            yield f"corpus/{file.relative_to(corpus)}", file, {}


def expanded(model: kripke.LoadedModel, search: str, estimate: str | None) -> tuple[int, int] | None:
    """States that were expanded, and the length of the run; None where no error was found."""
    result = model.check(
        properties="safety", search=search, estimate=estimate, clarify=False, max_states=MOST, time_limit=60
    )
    if result.verdict != "violated" or result.trace is None:
        return None
    return result.engine["expanded"], len(result.trace.moves)


def compare(corpus: Path | None, estimate: str | None) -> bool:
    print(f"{'model':44} {'breadth-first':>16} {'A*':>16} {'best-first':>16}   part   (expanded/length)")
    parts, fine = [], True
    for name, file, defines in with_errors(corpus):
        try:
            model = kripke.load(file, defines=defines)
            found = [
                expanded(model, *how) for how in (("directed-bfs", None), ("astar", None), ("best-first", estimate))
            ]
        except (ModelError, Unsupported):
            continue
        if None in found:
            continue
        breadth, directed, greedy = found
        assert breadth and directed and greedy
        part = greedy[0] / max(1, breadth[0])
        if breadth[0] >= FEW:
            parts.append(part)
        more = directed[0] > breadth[0]
        fine &= not more
        cells = " ".join(f"{one[0]:>10,}/{one[1]:<5}" for one in (breadth, directed, greedy))
        print(f"{name:44} {cells} {part:7.1%}{'  A* expands more' if more else ''}")
    median = statistics.median(parts)
    print(
        f"best-first expands a median of {median:.1%} of breadth-first's states ({len(parts)} models of {FEW} or more)"
    )
    return fine and median <= 0.05


def speed() -> bool:
    """Models without errors, of a million states at most."""
    ratios = []
    for file, defines in (
        ("filter_lock", {"N": "3"}),
        ("bakery", {"N": "3", "LIMIT": "4"}),
        ("ring_election", {}),
        ("sliding_window", {}),
    ):
        model = kripke.load(ROOT / "benchmarks" / "models" / f"{file}.pml", defines=defines)
        rates = {}
        for search in ("bfs", "astar"):
            runs = [model.check(properties="safety", search=search, max_states=1_000_000) for _ in range(3)]
            rates[search] = max(run.states / max(1e-6, run.seconds) for run in runs)
        ratios.append(rates["astar"] / rates["bfs"])
        print(f"{file:44} A* has {ratios[-1]:.2f} of breadth-first's states per second")
    print(f"median {statistics.median(ratios):.2f}")
    return statistics.median(ratios) >= 0.4


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, help="folder with the examples of the SPIN distribution")
    parser.add_argument("--estimate", help="of best-first search; default formula")
    parser.add_argument("--require", action="store_true")
    options = parser.parse_args()
    met = [compare(options.corpus, options.estimate), speed()]
    return int(options.require and not all(met))


if __name__ == "__main__":
    sys.exit(main())
