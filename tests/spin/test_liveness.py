"""Temporal properties beside SPIN: the same verdicts, with and without weak fairness, and with SPIN's own automaton the
same number of states."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from kripke.engines.explicit import CheckOptions
from kripke.engines.properties import check_properties
from kripke.languages.promela import load
from tests.spin.compare import spin_is_here

pytestmark = pytest.mark.skipif(not spin_is_here(), reason="spin and gcc are not installed")

CORPUS = Path(__file__).parents[3] / "shared" / "corpus" / "promela" / "spin-examples"
# Those that SPIN finishes in a moment.
MODELS = [
    "LTL/bakery.pml", "LTL/diskhead.pml", "LTL/ltl_always_eventually.pml", "LTL/ltl_example.pml", "LTL/mobile2.pml",
    "LTL/pftp.pml", "LTL/salesman1.pml", "LTL/salesman2.pml", "LTL/train.pml", "LTL/zune.pml", "Exercises/ex_3a.pml",
    "werkplaats.pml",
]  # fmt: skip


@dataclass(frozen=True)
class Spin:
    """A verifier that SPIN has made of a model."""

    folder: Path

    def run(self, *options: str) -> tuple[bool, int]:
        """(was an error found, states stored)"""
        kind = () if "-l" in options else ("-a",)
        command = ["./pan", *kind, "-m500000", "-w18", *options]
        output = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=60).stdout
        found = re.search(r"errors: (\d+)\s+(\d+) states, stored", output)
        assert found is not None, output
        return int(found[1]) > 0, int(found[2])

    def claim(self, name: str) -> str | None:
        """The never claim SPIN has made of a formula."""
        file = self.folder / "_spin_nvr.tmp"
        found = re.search(rf"never {name} .*?\n}}", file.read_text(), re.DOTALL) if file.exists() else None
        return found and found[0]


def build(text: str, folder: Path, *more: str) -> Spin:
    (folder / "model.pml").write_text(text)
    subprocess.run(["spin", "-a", "model.pml"], cwd=folder, capture_output=True, check=True, timeout=30)
    compiler = shutil.which("tcc") or "gcc"
    flags = ["-w", "-DNOREDUCE", "-DNFAIR=3", "-DMEMLIM=1000", *more]
    subprocess.run([compiler, *flags, "-o", "pan", "pan.c"], cwd=folder, capture_output=True, check=True, timeout=60)
    return Spin(folder)


@pytest.mark.skipif(not CORPUS.is_dir(), reason=f"the SPIN examples are not at {CORPUS}")
@pytest.mark.parametrize("model", MODELS)
def test_corpus(model: str, tmp_path: Path) -> None:
    text = (CORPUS / model).read_text()
    spin = build(text, tmp_path)
    ours = load(str(tmp_path / "model.pml"))
    names = [property_.name for property_ in ours.properties if property_.kind in ("ltl", "never")]
    assert names
    for name in names:
        chosen = ("-N", name) if len(names) > 1 else ()
        wrong, states = spin.run(*chosen)
        for search in (None, "ndfs", "scc"):
            result = check_properties(ours, CheckOptions(search=search, properties=(name,)))  # type: ignore[arg-type]
            assert (name, result.verdict) == (name, "violated" if wrong else "holds")
        unfair, _ = spin.run("-f", *chosen)
        result = check_properties(ours, CheckOptions(fair="weak", properties=(name,)))
        assert (name, result.verdict) == (name, "violated" if unfair else "holds")
        claim = spin.claim(name)
        if claim is not None and not wrong:
            compare_states(text, claim, name, states, tmp_path)


def compare_states(text: str, claim: str, name: str, states: int, folder: Path) -> None:
    """With the very automaton of SPIN, the product has as many states."""
    bare = re.sub(r"\bltl\s+\w*\s*\{[^}]*\}", "", text)
    (folder / "bare.pml").write_text(bare)
    (folder / "claim.pml").write_text(claim)
    model = load(str(folder / "bare.pml"), claims=[str(folder / "claim.pml")])
    result = check_properties(model, CheckOptions(search="ndfs", properties=(name,)))
    assert (result.verdict, result.states) == ("holds", states)


# --- random formulas --------------------------------------------------------------------------------------------------

TOKENS = """\
byte x, y; chan q = [1] of { bit };
active proctype P() { do :: x < 2 -> x++ :: x == 2 -> atomic { x = 0; y = 1 - y } od }
active proctype Q() { bit b; do :: q!1 :: q?b -> S: skip :: y == 1 && x == 1 -> break od }
"""
ATOMS = ("x == 0", "x == 2", "y == 1", "len(q) == 1", "Q@S", "x < 2")


def formula(rng: random.Random, depth: int) -> str:
    if depth == 0 or rng.random() < 0.15:
        return f"({rng.choice(ATOMS)})"
    if rng.random() < 0.5:
        return f"{rng.choice(('!', '[]', '<>', '[]<>', '<>[]'))} ({formula(rng, depth - 1)})"
    operator = rng.choice(("&&", "||", "->", "U", "V", "W", "U"))
    return f"(({formula(rng, depth - 1)}) {operator} ({formula(rng, depth - 1)}))"


@pytest.mark.parametrize("seed", range(12))
def test_random_formulas(seed: int, tmp_path: Path) -> None:
    text = TOKENS + f"ltl p {{ {formula(random.Random(seed), 3)} }}\n"
    spin = build(text, tmp_path)
    model = load(str(tmp_path / "model.pml"))
    for options, fair in (((), None), (("-f",), "weak")):
        wrong, states = spin.run(*options)
        for engine in ("native", "interpreter"):
            asked = CheckOptions(engine=engine, properties=("p",), fair=fair)  # type: ignore[arg-type]
            result = check_properties(model, asked)
            assert (text, result.verdict) == (text, "violated" if wrong else "holds")
        claim = spin.claim("p")
        if claim is not None and not wrong and fair is None:
            compare_states(text, claim, "p", states, tmp_path)


# --- labels -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "byte x; active proctype A() { do :: x < 3 -> accept: x++ :: x == 3 -> break od; accept2: skip }",
        "byte x; active proctype A() { do :: x < 3 -> x++ :: x == 3 -> accept: x = 0 od }",
        "byte x; active proctype A() { accept: x = 1; (x == 2) } active proctype B() { do :: x == 1 od }",
        "byte x; active proctype A() { x = 1; accept: (x == 2) }",
        "byte x; active proctype A() { do :: x = 1 - x od } active proctype B() { accept: (x == 5) }",
    ],
)
def test_acceptance_labels(text: str, tmp_path: Path) -> None:
    spin = build(text, tmp_path)
    model = load(str(tmp_path / "model.pml"))
    for options, fair in (((), None), (("-f",), "weak")):
        wrong, _ = spin.run(*options)
        result = check_properties(model, CheckOptions(properties=("acceptance",), fair=fair))  # type: ignore[arg-type]
        assert (fair, result.verdict) == (fair, "violated" if wrong else "holds")


@pytest.mark.parametrize(
    "text",
    [
        "byte x; active proctype A() { x = 1; progress: x = 2 }",
        "byte x; active proctype A() { x = 1; progress: x = 2; (x == 5) }",
        "byte x; active proctype A() { do :: x < 3 -> x++ :: x == 3 -> progress: x = 0 od }",
        "byte x; active proctype A() { do :: x < 3 -> x++ :: x == 3 -> progress: x = 0 od }"
        " active proctype B() { do :: x == 1 -> skip od }",
        "byte x; active proctype A() { progress: (x == 5) } active proctype B() { do :: x = 1 - x od }",
        "bit x; active [2] proctype A() { do :: x == _pid -> x = 1 - x od }"
        " active proctype B() { progress: skip; skip }",
    ],
)
def test_progress_labels(text: str, tmp_path: Path) -> None:
    spin = build(text, tmp_path, "-DNP")
    model = load(str(tmp_path / "model.pml"))
    for options, fair in ((("-l",), None), (("-l", "-f"), "weak")):
        wrong, states = spin.run(*options)
        for engine in ("native", "interpreter"):
            asked = CheckOptions(properties=("progress",), fair=fair, engine=engine)  # type: ignore[arg-type]
            result = check_properties(model, asked)
            assert (fair, result.verdict) == (fair, "violated" if wrong else "holds")
        if not wrong and fair is None:
            assert result.states == states
