"""Compare random programs with random properties of runs with SPIN: ``python -m tests.spin.soak_liveness --cases 300``.

Each case is a program of ``generator.py`` whose processes mostly go round, and one of: a formula, a never claim, the
accept labels of its processes, their progress labels. SPIN's verdict, with and without weak fairness, must be that of
every search. What shows a difference is made smaller.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from random import Random
from typing import Literal, NamedTuple

from kripke.checker.check import check_properties
from kripke.engines.plan import SearchPlan, Unsupported
from kripke.languages.promela import load
from kripke.model.model import Model
from kripke.model.result import Result
from kripke.model.source import ModelError
from tests.spin.compare import Incomparable
from tests.spin.generator import Generator
from tests.spin.shrink import shrink
from tests.spin.terms import Line, text_of

Kind = Literal["formula", "never", "acceptance", "progress"]
KINDS: tuple[Kind, ...] = ("formula", "never", "acceptance", "progress")
MOST_STATES = 1000
MOST_SECONDS = 60
EACH = 6  # formulas or claims of one program
_FOUND = ("acceptance cycle", "non-progress cycle", "end state in claim", "claim violated", "assertion violated")
_BROKEN = ("Search not completed", "search depth too small", "out of memory", "aborting", "too many processes")


class Case(NamedTuple):
    """A program and what is asked of it; the lines of a property come last."""

    kind: Kind
    program: list[Line]
    property: list[Line]

    @property
    def text(self) -> str:
        return text_of([*self.program, *self.property])


class Different(NamedTuple):
    """Which way of searching says otherwise."""

    how: str
    spin: str
    kripke: str


# --- cases ------------------------------------------------------------------------------------------------------------


def make(seed: int) -> Case:
    """The case of a seed."""
    rng = Random(seed)
    kind = KINDS[seed % len(KINDS)]
    generator = Generator(seed)
    generator.features -= {"assert", "formula", "claims", "hidden", "print", "wide"}
    generator.features |= {"labels"}
    lines = generator.program()
    for line in _all(lines):
        line.text = line.text.replace("assert(!(", "(!(")
        if kind == "formula":  # where they would count in SPIN
            line.text = re.sub(r"\baccept(\d)", r"place\1", line.text)
    lines = [_going_round(line) if rng.random() < 0.7 else line for line in lines]
    labels = [(process, label.replace("accept", "place")) for process, label in generator.seen_labels]
    if kind != "formula":
        labels = generator.seen_labels
    atoms = [_condition(generator) for _ in range(3)]
    atoms += [f"({process}@{label})" for process, label in labels[:2]]
    if kind == "formula":
        return Case(kind, lines, [Line(f"ltl p{i} {{ {_formula(rng, atoms, 3)} }}") for i in range(EACH)])
    if kind == "never":
        return Case(kind, lines, [_claim(rng, atoms, f"p{i}") for i in range(EACH)])
    return Case(kind, lines, [])


def _all(lines: list[Line]) -> Iterator[Line]:
    for line in lines:
        yield line
        yield from _all(line.children)


def _condition(generator: Generator) -> str:
    while True:
        found = generator.terms.condition(generator.globals, queries=generator.chance(0.3))
        if "->" not in found and "_pid" not in found and "enabled" not in found:
            return found


def _going_round(line: Line) -> Line:
    """The process with its statements in a loop."""
    if "active" not in line.text or "proctype" not in line.text:
        return line
    declared = [
        child for child in line.children if Generator._is_declaration(child) or child.text[:3] in ("xr ", "xs ")
    ]
    rest = [child for child in line.children if child not in declared]
    loop = Line("do", [Line("::", [Line("skip;"), *rest])], "od;")
    return Line(line.text, [*declared, loop], line.closing)


def _formula(rng: Random, atoms: list[str], depth: int) -> str:
    if depth == 0 or rng.random() < 0.15:
        return rng.choice(atoms)
    if rng.random() < 0.5:
        return f"{rng.choice(('!', '[]', '<>', '[]<>', '<>[]', 'X'))} ({_formula(rng, atoms, depth - 1)})"
    operator = rng.choice(("&&", "||", "->", "U", "V", "W", "U", "<->"))
    return f"(({_formula(rng, atoms, depth - 1)}) {operator} ({_formula(rng, atoms, depth - 1)}))"


def _claim(rng: Random, atoms: list[str], name: str) -> Line:
    """States with labels; a choice of moves in each; now and then one that ends, asserts or is stuck."""
    number = rng.randint(1, 4)
    places = [f"{rng.choice(('S', 'accept_', 'S'))}{i}" for i in range(number)]
    children: list[Line] = []
    for place in places:
        options = [Line("::", _move(rng, atoms, places)) for _ in range(rng.randint(1, 3))]
        if rng.random() < 0.25:
            options.append(Line("::", [Line("else;"), Line(f"goto {rng.choice(places)};")]))
        word, end = rng.choice((("if", "fi;"), ("if", "fi;"), ("do", "od;")))
        children.append(Line(f"{place}: {word}", options, end))
    if rng.random() < 0.2:
        children.append(Line(rng.choice(("skip;", "false;", f"{rng.choice(atoms)};"))))
    elif rng.random() < 0.8:
        children.append(Line(f"goto {rng.choice(places)};"))
    return Line(f"never {name} {{", children, "}")


def _move(rng: Random, atoms: list[str], names: list[str]) -> list[Line]:
    guard = rng.choice(
        (rng.choice(atoms), f"!({rng.choice(atoms)})", "true", f"{rng.choice(atoms)} && {rng.choice(atoms)}")
    )
    lines = [Line(f"{guard};")]
    what = rng.random()
    if what < 0.08:
        lines = [Line(f"assert({rng.choice(atoms)});")]
    elif what < 0.14:
        lines.append(Line(f"assert({rng.choice(atoms)});"))
    elif what < 0.22:
        lines.append(Line(f"{rng.choice(atoms)};"))
    elif what < 0.3:
        return [Line("atomic {", [*lines, Line(f"{rng.choice(('true', rng.choice(atoms)))};")], "};")]
    if rng.random() < 0.85:
        lines.append(Line(f"goto {rng.choice(names)};"))
    return lines


# --- SPIN -------------------------------------------------------------------------------------------------------------


def _run(command: list[str], folder: Path, seconds: float) -> str:
    try:
        ran = subprocess.run(
            command,
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=seconds,
            errors="replace",
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired as late:
        raise Incomparable(f"{Path(command[0]).name} takes too long") from late
    return ran.stdout + ran.stderr


def built(case: Case, folder: Path, compiler: str) -> None:
    """SPIN's verifier of the case."""
    (folder / "model.pml").write_text(case.text)
    (folder / "pan.c").unlink(missing_ok=True)
    made = _run(["spin", "-a", "model.pml"], folder, 20)
    if not (folder / "pan.c").is_file() or "Error" in made:
        raise Incomparable("SPIN does not accept it")
    flags = ["-w", "-DNOREDUCE", "-DXUSAFE", "-DNFAIR=5", "-DMEMLIM=1000", "-DVECTORSZ=8192"]
    (folder / "pan").unlink(missing_ok=True)
    _run([compiler, *flags, *(["-DNP"] if case.kind == "progress" else []), "-o", "pan", "pan.c"], folder, 60)
    if not (folder / "pan").is_file():
        raise Incomparable("pan.c does not compile")


def spin_verdicts(case: Case, name: str, folder: Path) -> tuple[str, str]:
    """SPIN's verdicts without and with weak fairness."""
    chosen = ["-N", name] if len(_names(case)) > 1 else []
    asked = ["./pan", "-l" if case.kind == "progress" else "-a", "-E", "-m20000", "-w16", "-n", *chosen]
    return _verdict(_run(asked, folder, 5)), _verdict(_run([*asked, "-f"], folder, 8))


def _names(case: Case) -> list[str]:
    """What is asked of the program."""
    if case.kind in ("acceptance", "progress"):
        return [case.kind]
    return re.findall(r"^(?:ltl|never) (\w+)", case.text, re.MULTILINE)


def _verdict(output: str) -> str:
    for sign in _BROKEN:
        if sign in output and "errors: 0" in output:
            raise Incomparable(f"pan says: {sign}")
    found = re.search(r"errors: (\d+)", output)
    if found is None:
        raise Incomparable("pan gave no answer")
    if found[1] == "0":
        return "holds"
    what = re.search(r"pan:1: (.*)", output)
    if what is None or not any(sign in what[1] for sign in _FOUND):
        raise Incomparable(f"pan found something else: {what and what[1][:40]}")
    return "violated"


# --- both -------------------------------------------------------------------------------------------------------------


def ways() -> Iterator[tuple[str, SearchPlan]]:
    """Every search, without fairness, then with it."""
    yield "chosen", SearchPlan()
    yield "ndfs", SearchPlan(search="ndfs")
    yield "scc", SearchPlan(search="scc")
    yield "scc tree", SearchPlan(search="scc", store="tree")
    yield "threads", SearchPlan(search="ndfs", threads=2)
    yield "weak", SearchPlan(fair="weak")
    yield "weak collapse", SearchPlan(fair="weak", store="collapse")


def compare(case: Case, folder: Path, compiler: str | None = None) -> Different | list[str]:
    """A difference, or SPIN's verdicts of all that could be compared."""
    labels = {"acceptance": r"\baccept\w*:", "progress": r"\bprogress\w*:"}
    if not _names(case) or not re.search(labels.get(case.kind, ""), case.text):
        raise Incomparable("nothing is asked")
    if "_nr_pr" in case.text and case.kind in ("formula", "never"):
        raise Incomparable("SPIN counts the claim as a process")
    (folder / "model.pml").write_text(case.text)
    compiler = compiler or shutil.which("tcc") or "gcc"
    try:
        model = load(str(folder / "model.pml"))
        _suitable(model)
    except ModelError as error:
        built(case, folder, compiler)
        return Different("reading", "accepted", str(error))
    built(case, folder, compiler)
    found: list[str] = []
    reason = Incomparable("nothing is asked")
    for name in _names(case):
        try:
            outcome = _compare_one(case, name, model, folder)
        except (Incomparable, Unsupported) as problem:
            reason = Incomparable(str(problem))
            continue
        except ModelError as error:
            reason = Incomparable(f"refused: {error.message}")
            continue
        if isinstance(outcome, Different):
            return outcome if compiler == "gcc" else compare(case, folder, "gcc")  # what SPIN is tested with
        found.append(outcome)
    if not found:
        raise reason
    return found


def _compare_one(case: Case, name: str, model: Model, folder: Path) -> Different | str:
    plain, fair = spin_verdicts(case, name, folder)
    for how, options in ways():
        expected = fair if options.fair else plain
        found = check_properties(model, replace(options, properties=(name,), time_limit=60))
        if options.fair and (expected, found.verdict) == ("holds", "violated") and _has_ended(found):
            raise Incomparable("with -f, SPIN misses cycles of the claim after the end of a run")
        if found.verdict != expected:
            return Different(f"{name}, {how}", expected, f"{found.verdict} {found.reason}")
    return f"{plain}, fair {fair}"


def _has_ended(found: Result) -> bool:
    """Is nothing but the end of a run repeated?"""
    trace = found.trace
    return (
        trace is not None and trace.loop_start is not None and not any(s.parts for s in trace.steps[trace.loop_start :])
    )


def _suitable(model: Model) -> None:
    safety = check_properties(model, SearchPlan(properties=("safety",), all_errors=True, max_states=MOST_STATES))
    if not safety.complete:
        raise Incomparable("too many states")
    if any(finding.kind != "deadlock" for finding in safety.findings):
        raise Incomparable("the program has errors")


def _in_time(case: Case, folder: Path) -> Different | list[str]:
    """Compared by another process, which can be ended: an atomic sequence counts as one step, and may have more ways
    through it than anybody can wait for."""
    ours, theirs = multiprocessing.Pipe(duplex=False)

    def work() -> None:
        try:
            theirs.send(compare(case, folder))
        except (Incomparable, Unsupported) as problem:
            theirs.send(Incomparable(str(problem)))

    worker = multiprocessing.get_context("fork").Process(target=work)
    worker.start()
    try:
        if not ours.poll(MOST_SECONDS):
            raise Incomparable("takes too long")
        outcome: Different | list[str] | Incomparable = ours.recv()
    finally:
        worker.kill()
        worker.join()
    if isinstance(outcome, Incomparable):
        raise outcome
    return outcome


def _smaller(case: Case, first: Different, folder: Path) -> Case:
    def still(lines: list[Line]) -> bool:
        try:
            found = _in_time(_joined(case.kind, lines), folder)
        except (Incomparable, Unsupported):
            return False
        return isinstance(found, Different) and (found.how == "reading") == (first.how == "reading")

    return _joined(case.kind, shrink([*case.program, *case.property], still, 90))


def _joined(kind: Kind, lines: list[Line]) -> Case:
    return Case(kind, lines, [])


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.spin.soak_liveness", description=__doc__)
    parser.add_argument("--cases", type=int, default=300, help="how many are to be compared")
    parser.add_argument("--seed", type=int, default=1, help="the seed of the first case")
    parser.add_argument("--kind", choices=KINDS, help="only cases of this kind")
    parser.add_argument("--no-shrink", action="store_true", help="show cases as they were made")
    asked = parser.parse_args()
    tally = Counter[str]()
    compared = different = 0
    with tempfile.TemporaryDirectory(prefix="soak-") as name:
        if "KRIPKE_CC" not in os.environ and shutil.which("tcc"):
            os.environ["KRIPKE_CC"] = "tcc"
        os.environ["KRIPKE_CACHE"] = os.path.join(name, "cache")
        for seed in count(asked.seed):
            if compared >= asked.cases:
                break
            case = make(seed)
            if asked.kind not in (None, case.kind):
                continue
            try:
                outcome = _in_time(case, Path(name))
            except Incomparable as reason:
                tally[f"not compared: {reason}"] += 1
                continue
            except Unsupported as reason:
                tally[f"not supported: {reason}"] += 1
                continue
            if isinstance(outcome, Different):
                different += 1
                print(f"seed {seed}, {case.kind}: {outcome}", flush=True)
                case = case if asked.no_shrink else _smaller(case, outcome, Path(name))
                print(case.text, flush=True)
                outcome = ["different"]
            before, compared = compared, compared + len(outcome)
            tally.update(f"{case.kind}: {each}" for each in outcome)
            for made in Path(name, "cache").rglob("*.so"):
                made.unlink()
            if compared // 20 > before // 20:
                print(f"{compared} compared, {different} different", flush=True)
    for line, number in sorted(tally.items()):
        print(f"{number:6} {line}")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
