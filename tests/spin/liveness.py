"""Every temporal property of SPIN's examples beside SPIN: ``python -m tests.spin.liveness [--seconds N] [NAME ...]``.

Formulas and never claims of the models, acceptance cycles where processes have accept labels, non-progress cycles where
they have progress labels; without fairness and with weak fairness; by every search, one of them with several threads.
The verdicts are SPIN's. Where nothing is wrong, the product with SPIN's own automaton has as many states as SPIN's.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kripke.checker.check import check_properties
from kripke.engines.plan import SearchPlan
from kripke.languages.promela import load
from kripke.model.model import Model
from kripke.model.source import ModelError

# What SPIN does not finish in hours without reduction is compared with fewer processes, and its verdict in full with
# SPIN's reduction.
SMALLER = {"LTL/petersonN.pml": ("#define N\t5", "#define N\t3")}

CORPUS = Path(__file__).parents[3] / "shared" / "corpus" / "promela" / "spin-examples"


class Difference(Exception):
    """What SPIN says otherwise."""


@dataclass(frozen=True)
class Spin:
    """A verifier that SPIN has made of a model."""

    folder: Path
    seconds: float = 60

    def run(self, *options: str) -> tuple[bool, int]:
        """(was an error found, states stored); TimeoutExpired where that takes too long"""
        kind = () if "-l" in options else ("-a",)
        command = ["./pan", *kind, "-m5000000", "-w20", *options]
        ran = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=self.seconds)
        output = ran.stdout
        found = re.search(r"errors: (\d+)\s+(\d+) states, stored", output)
        assert found is not None, output
        return int(found[1]) > 0, int(found[2])

    def claim(self, name: str) -> str | None:
        """The never claim SPIN has made of a formula."""
        file = self.folder / "_spin_nvr.tmp"
        found = re.search(rf"never {name} .*?\n}}", file.read_text(), re.DOTALL) if file.exists() else None
        return found and found[0]


def build(
    text: str, folder: Path, *more: str, optimised: bool = False, reduced: bool = False, seconds: float = 60
) -> Spin:
    (folder / "model.pml").write_text(text)
    subprocess.run(["spin", "-a", "model.pml"], cwd=folder, capture_output=True, check=True, timeout=max(30, seconds))
    compiler = ["gcc", "-O2"] if optimised else [shutil.which("tcc") or "gcc"]
    flags = ["-w", *([] if reduced else ["-DNOREDUCE"]), "-DNFAIR=5", "-DMEMLIM=6000", *more]
    subprocess.run(
        [*compiler, *flags, "-o", "pan", "pan.c"], cwd=folder, capture_output=True, check=True, timeout=max(60, seconds)
    )
    return Spin(folder, seconds)


def compare_property(model: Model, name: str, spin: Spin, *options: str, searches: bool = True) -> tuple[bool, int]:
    """The verdicts, unfair and fair; (was an error found, states stored) without fairness."""
    wrong, states = spin.run(*options)
    threads = [(search, 1) for search in (None, "ndfs", "scc")] + [("ndfs", 3)]
    for search, count in threads if searches else threads[:1]:
        asked = SearchPlan(search=search, threads=count, properties=(name,))  # type: ignore[arg-type]
        _same(name, f"{search} with {count} threads", check_properties(model, asked).verdict, wrong)
    unfair, _ = spin.run("-f", *options)
    fair = check_properties(model, SearchPlan(fair="weak", properties=(name,)))
    _same(name, "weak fairness", fair.verdict, unfair)
    return wrong, states


def _same(name: str, how: str, verdict: str, wrong: bool) -> None:
    if verdict != ("violated" if wrong else "holds"):
        raise Difference(f"{name}, {how}: {verdict}, but SPIN finds {'an' if wrong else 'no'} error")


def compare_states(text: str, claim: str, name: str, states: int, folder: Path) -> None:
    """With the very automaton of SPIN, the product has as many states."""
    bare = re.sub(r"\bltl\s+\w*\s*\{[^}]*\}", "", text)
    (folder / "bare.pml").write_text(bare)
    (folder / "claim.pml").write_text(claim)
    model = load(str(folder / "bare.pml"), claims=[str(folder / "claim.pml")])
    result = check_properties(model, SearchPlan(search="ndfs", properties=(name,)))
    if (result.verdict, result.states) != ("holds", states):
        raise Difference(f"{name}: {result.verdict} with {result.states} states, SPIN has {states}")


def compare_model(text: str, folder: Path, *, optimised: bool = False, seconds: float = 60) -> Iterator[str]:
    """Compare everything there is; a line for each property that was compared."""
    spin = build(text, folder, optimised=optimised, seconds=seconds)
    model = load(str(folder / "model.pml"))
    names = [property_.name for property_ in model.properties if property_.kind in ("ltl", "never")]
    for name in names:
        chosen = ("-N", name) if len(names) > 1 else ()
        wrong, states = compare_property(model, name, spin, *chosen)
        yield f"{name}: {'violated' if wrong else 'holds'} in both, {states} states in SPIN"
        claim = spin.claim(name)
        kind = next(p.kind for p in model.properties if p.name == name)
        if claim is not None and not wrong:
            compare_states(text, claim, name, states, folder)
            yield f"{name}: the same states with SPIN's automaton"
        elif kind == "never" and not wrong:
            found = check_properties(model, SearchPlan(search="ndfs", properties=(name,))).states
            if found != states:
                raise Difference(f"{name}: {found} states, SPIN has {states}")
            yield f"{name}: the same states"
    kinds = {property_.kind for property_ in model.properties}
    if "acceptance" in kinds and not names:
        wrong, states = compare_property(model, "acceptance", spin)
        yield f"acceptance: {'violated' if wrong else 'holds'} in both"
    if "progress" in kinds and not names:
        spin = build(text, folder, "-DNP", optimised=optimised, seconds=seconds)
        wrong, states = compare_property(model, "progress", spin, "-l")
        yield f"progress: {'violated' if wrong else 'holds'} in both"


def compare_smaller(name: str, text: str, folder: Path, seconds: float) -> Iterator[str]:
    """What can be compared of a model that SPIN takes too long for."""
    spin = build(text, folder, optimised=True, reduced=True, seconds=seconds)
    model = load(str(folder / "model.pml"))
    for property_ in [p for p in model.properties if p.kind in ("ltl", "never")]:
        wrong, _ = spin.run("-N", property_.name)
        for search in (None, "ndfs", "scc"):
            asked = SearchPlan(search=search, properties=(property_.name,))  # type: ignore[arg-type]
            _same(property_.name, f"{search}", check_properties(model, asked).verdict, wrong)
        yield f"{property_.name}: {'violated' if wrong else 'holds'} in both, in SPIN with reduction"
    large, small = SMALLER[name]
    assert large in text, name
    for line in compare_model(text.replace(large, small), folder, optimised=True, seconds=seconds):
        yield f"{line} ({small.replace(chr(9), ' ')})"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.spin.liveness", description=__doc__)
    parser.add_argument("names", nargs="*", help="parts of names of models; default: all")
    parser.add_argument("--seconds", type=float, default=120, help="for each run of SPIN (default 120)")
    asked = parser.parse_args()
    different = compared = 0
    for file in sorted(CORPUS.rglob("*.pml")):
        name = str(file.relative_to(CORPUS))
        text = file.read_text(errors="replace")
        if asked.names and not any(part in name for part in asked.names):
            continue
        if not re.search(r"\bltl\b|\bnever\b|\baccept\w*\s*:|\bprogress\w*\s*:", text):
            continue
        with tempfile.TemporaryDirectory(prefix="liveness-") as folder:
            compare = compare_model(text, Path(folder), optimised=True, seconds=asked.seconds)
            if name in SMALLER:
                compare = compare_smaller(name, text, Path(folder), asked.seconds)
            try:
                for line in compare:
                    compared += 1
                    print(f"{name}: {line}", flush=True)
            except Difference as difference:
                different += 1
                print(f"{name}: DIFFERENT: {difference}", flush=True)
            except subprocess.TimeoutExpired:
                print(f"{name}: SPIN takes more than {asked.seconds:g} s", flush=True)
            except subprocess.CalledProcessError:
                print(f"{name}: SPIN or the compiler refuses it", flush=True)
            except ModelError as error:
                print(f"{name}: refused: {error.message}", flush=True)
    print(f"{compared} comparisons, {different} differences")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
