"""One program through SPIN and through Kripke: the same states, transitions and errors?

SPIN searches the whole state space without partial-order reduction and counts every error (``-c0``); what it cannot
finish is no comparison. Kripke does the same with the reference interpreter and with the compiled model.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, NamedTuple

from kripke.engines.explicit.safety import check
from kripke.engines.plan import SearchPlan, Unsupported
from kripke.languages.promela import load
from kripke.model.source import ModelError
from kripke.process.passes import Passes

COMPILE_FLAGS = ("-w", "-DSAFETY", "-DNOREDUCE", "-DNOCLAIM", "-DXUSAFE", "-DMEMLIM=1000", "-DVECTORSZ=8192")
_COUNTS = re.compile(r"errors: (\d+)\s+(\d+) states, stored.*?(\d+) transitions", re.DOTALL)
# Errors at which SPIN stops, or goes on with a state that means nothing: not comparable.
_BROKEN = (
    "Search not completed",
    "max search depth too small",
    "out of memory",
    "aborting",
    "d_step",
    "too many processes",
    "pan: reached",
)

Engine = Literal["interpreter", "bfs", "dfs"]
ENGINES: tuple[Engine, ...] = ("interpreter", "bfs", "dfs")


class Counts(NamedTuple):
    states: int
    transitions: int
    errors: int

    def __str__(self) -> str:
        return f"{self.states}/{self.transitions}/{self.errors}"


@dataclass(frozen=True)
class Mode:
    """Which reductions both tools use."""

    name: str
    spin_options: tuple[str, ...]
    passes: Passes


MODES = (
    Mode("default", (), Passes()),
    Mode("no merging", ("-o3",), Passes(merge=False)),
    Mode("no dead variables", ("-o1", "-o2"), Passes(dead="off")),
    Mode("plain", ("-o1", "-o2", "-o3"), Passes(merge=False, dead="off")),
)


class Incomparable(Exception):
    """SPIN gave no counts to compare with; the message says why."""


class Claimed(Incomparable):
    """A claim of exclusive use is broken, which SPIN does not count in a full search."""


class Rejected(Incomparable):
    """SPIN does not accept the program."""


@dataclass(frozen=True)
class Difference:
    """``kind``: "counts", "refused" (a program that SPIN accepts), "claims" (xr, xs) or "crash"."""

    kind: str
    mode: str
    engine: str
    expected: Counts
    found: str

    def __str__(self) -> str:
        return f"{self.kind} ({self.mode}, {self.engine}): SPIN {self.expected}, Kripke {self.found}"


@dataclass(frozen=True)
class Agreement:
    """No difference; ``unsupported`` is the feature Kripke does not have, if that ended the comparison."""

    counts: Counts | None
    unsupported: str | None = None


def spin_is_here() -> bool:
    return shutil.which("spin") is not None and shutil.which("gcc") is not None


# --- SPIN -------------------------------------------------------------------------------------------------------------


def spin_counts(
    text: str, options: tuple[str, ...] = (), *, seconds: float = 5.0, compiler: str | None = None, depth: int = 200_000
) -> Counts:
    """What SPIN counts. ``compiler`` None: tcc where it is installed, since it takes a tenth of gcc's time."""
    with _folder() as folder:
        (folder / "model.pml").write_text(text)
        made = _run(["spin", *options, "-a", "model.pml"], folder, 20)
        if made.returncode or not (folder / "pan.c").is_file():
            raise Rejected(_first_error(made.stdout + made.stderr))
        command = compiler or shutil.which("tcc") or "gcc"
        built = _run([command, *COMPILE_FLAGS, "-o", "pan", "pan.c"], folder, 60)
        if built.returncode:
            raise Incomparable("pan.c does not compile: " + built.stderr[:200])
        return _parse(_run(["./pan", "-c0", f"-m{depth}", "-n", "-w18"], folder, seconds))


def spin_claims(text: str, *, seconds: float = 10.0) -> bool:
    """Does SPIN find that a claim of exclusive use (xr, xs) is broken?

    It looks only while it reduces the search, and so may miss it: what it generates is changed to look in a full one.
    """
    with _folder() as folder:
        (folder / "model.pml").write_text(text)
        made = _run(["spin", "-a", "model.pml"], folder, 20)
        if made.returncode or not (folder / "pan.c").is_file():
            raise Rejected(_first_error(made.stdout + made.stderr))
        for name, before, after in (
            ("pan.h", "#define XUSAFE", ""),
            ("pan.m", "!defined(XUSAFE) && !defined(NOREDUCE)", "1"),
        ):
            changed = (folder / name).read_text(errors="replace").replace(before, after)
            (folder / name).write_text(changed)
        flags = [flag for flag in COMPILE_FLAGS if flag != "-DXUSAFE"]
        built = _run([shutil.which("tcc") or "gcc", *flags, "-o", "pan", "pan.c"], folder, 60)
        if built.returncode:
            raise Incomparable("pan.c does not compile: " + built.stderr[:200])
        ran = _run(["./pan", "-c0", "-n", "-w18"], folder, seconds)
        return any(sign in ran.stdout for sign in ("reduction invalid", "cannot be used for rv", "claim on uninit"))


def _first_error(output: str) -> str:
    errors = [line for line in output.splitlines() if "error" in line.lower() or "syntax" in line.lower()]
    return (errors or output.splitlines() or ["no reason given"])[0].strip()


def _parse(ran: subprocess.CompletedProcess[str]) -> Counts:
    output = ran.stdout + ran.stderr
    for sign in _BROKEN:
        if sign in output:
            raise Incomparable(f"pan says: {sign}")
    found = _COUNTS.search(output)
    if found is None:
        raise Incomparable(f"pan gave no counts (exit code {ran.returncode}): {output[:200]}")
    errors, states, transitions = map(int, found.groups())
    return Counts(states, transitions, errors)


def _run(command: list[str], folder: Path, seconds: float) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command,
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=seconds,
            errors="replace",
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired as late:
        raise Incomparable(f"{Path(command[0]).name} takes more than {seconds:g} s") from late


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="spin-") as name:
        yield Path(name)


# --- Kripke -----------------------------------------------------------------------------------------------------------


def kripke_counts(text: str, engine: Engine, passes: Passes, *, seconds: float = 60.0) -> Counts:
    """What Kripke counts. Raises ``ModelError`` for a program it does not accept."""
    with _folder() as folder:
        path = folder / "model.pml"
        path.write_text(text)
        model = load(str(path), passes=passes)
        options = SearchPlan(search="dfs" if engine == "dfs" else "bfs", all_errors=True, time_limit=seconds)
        options = replace(options, engine="interpreter" if engine == "interpreter" else "native")
        result = check(model, options)
    if not result.complete:
        raise AssertionError(f"Kripke did not finish: {result.reason}")
    if any(finding.kind == "exclusive" for finding in result.findings):
        raise Claimed("a claim of exclusive use is broken")
    if result.verdict == "unknown":
        raise AssertionError(result.reason)
    return Counts(result.states, result.transitions, result.errors)


def breaks_claims(text: str) -> bool:
    """Does Kripke find that a claim of exclusive use is broken?"""
    with _folder() as folder:
        path = folder / "model.pml"
        path.write_text(text)
        result = check(load(str(path), passes=Passes(questions=True)), SearchPlan(all_errors=True, time_limit=20))
    if not result.complete:
        raise Incomparable(f"Kripke did not finish: {result.reason}")
    return any(finding.kind == "exclusive" for finding in result.findings)


# --- both -------------------------------------------------------------------------------------------------------------


def compare(
    text: str,
    modes: tuple[Mode, ...] = MODES[:1],
    engines: tuple[Engine, ...] = ENGINES,
    *,
    most_interpreted: int = 4000,
    most_states: int = 200_000,
) -> Agreement | Difference:
    """Compare in every mode with every engine; the interpreter sits out state spaces above ``most_interpreted``.

    Raises ``Incomparable`` where SPIN has no counts to offer.
    """
    counts: Counts | None = None
    claimed = re.search(r"\bx[rs] ", text) is not None
    for mode in modes:
        expected = spin_counts(text, mode.spin_options)
        if expected.states > most_states:
            raise Incomparable(f"{expected.states} states are too many")
        counts = counts or expected
        if claimed:
            claimed, broken = False, spin_claims(text)
            if broken != breaks_claims(text):
                return Difference("claims", mode.name, "bfs", expected, "not broken" if broken else "broken")
            if broken:
                return Agreement(expected)
        for engine in engines:
            if engine == "interpreter" and expected.states > most_interpreted:
                continue
            outcome = _one(text, mode, engine, expected)
            if isinstance(outcome, Difference):
                # tcc is fast but not what SPIN is tested with.
                again = spin_counts(text, mode.spin_options, compiler="gcc")
                if again != expected:
                    raise Incomparable(f"tcc {expected} and gcc {again} disagree about pan.c")
                return outcome
            if isinstance(outcome, str):
                return Agreement(expected, outcome)
    return Agreement(counts)


def _one(text: str, mode: Mode, engine: Engine, expected: Counts) -> Difference | str | None:
    """A difference, what is not supported, or None."""
    try:
        found = kripke_counts(text, engine, mode.passes)
    except ModelError as error:
        message = str(error)
        if "not supported" in message:
            return re.sub(r".*error: ", "", message.splitlines()[0])
        return Difference("refused", mode.name, engine, expected, message)
    except Incomparable:
        raise
    except (Unsupported, Exception) as error:
        return Difference("crash", mode.name, engine, expected, f"{type(error).__name__}: {error}")
    if "D_proctype" in text and mode.passes.merge:  # SPIN reports a choice for every merged statement, see the manual
        found = found._replace(errors=expected.errors if found.errors and expected.errors else found.errors)
    if found != expected:
        return Difference("counts", mode.name, engine, expected, str(found))
    return None
