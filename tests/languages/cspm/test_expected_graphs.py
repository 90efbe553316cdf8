"""Processes of the public test suite against the definitions that its own front end printed for them.

Names in these files are values (``P::cing({0, 1})``), so every defined name becomes a plain one, and the definitions
are read as CSP-M behind the script they belong to. Both processes must be strongly bisimilar.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kripke.algebra.lts.equivalences import equivalent
from kripke.algebra.lts.system import Lts, explored
from kripke.algebra.priority import Prioritised
from kripke.algebra.terms import Term
from kripke.languages.cspm.parser import parse
from kripke.languages.cspm.program import Program

CORPUS = Path(__file__).parents[4] / "shared" / "corpus" / "cspm" / "libcspm" / "evaluator" / "should_pass"
EXPECTED = sorted(CORPUS.glob("*-expected.txt"))
#: an order as it is printed: pairs (higher, lower), with τ and ✓
ORDER = re.compile(r"prioritisepo\(STOP,\s*\{(?P<pairs>[^}]*)\}\)")


def definitions(text: str) -> tuple[dict[str, str], str]:
    parts = [part for part in re.split(r"\n\s*\n", text.strip()) if part.strip()]
    found: dict[str, str] = {}
    for part in parts[:-1]:
        name, body = re.split(r"\s=(?=\s)", part, maxsplit=1)
        found[" ".join(name.split())] = " ".join(body.split())
    return found, parts[-1].strip()


def as_script(original: str, text: str, main: str) -> str:
    known, _ = definitions(text)
    builtin = {name for name, body in known.items() if name == body or name == "SKIP"}
    plain = {name: f"Q_{number}" for number, name in enumerate(known) if name not in builtin}
    # Longer names first: P is a part of P::cing({}).
    names = sorted(plain, key=len, reverse=True)
    boundary = {name: re.compile(r"(?<![\w:'.])" + re.escape(name) + r"(?![\w:'(])") for name in names}
    lines = [original, "transparent normal", "QSTOP = tock -> QSTOP" if "STOP(tock)" in text else ""]
    for name, body in known.items():
        if name in builtin:
            continue
        for other in names:
            body = boundary[other].sub(plain[other], body)
        lines.append(f"{plain[name]} = {body.replace('STOP(tock)', 'QSTOP')}")
    lines.append(f"EXPECTED_PROCESS = {plain[main]}")
    return "\n".join(lines) + "\n"


def graph(program: Program, name: str) -> Lts:
    term = program.value(name)
    assert isinstance(term, Term)
    _, steps = explored(term, lambda state: state.steps(), 10_000)
    return Lts(0, steps, [program.world.events.name(e) for e in range(len(program.world.events))])


def order_of(program: Program, name: str) -> set[tuple[str, str]]:
    """Which events of a prioritised process come before which others."""
    term = program.value(name)
    assert isinstance(term, Prioritised)
    events = range(len(program.world.events))
    names = [program.world.events.name(event) for event in events]
    return {(names[high], names[low]) for high in events for low in events if not term.order.allowed(low, (high,))}


@pytest.mark.parametrize("file", EXPECTED, ids=lambda file: file.name)
def test_graph(file: Path) -> None:
    stem, process, _ = file.name.rsplit("-", 2)
    script = (CORPUS / f"{stem}.csp").read_text()
    if (printed := ORDER.search(file.read_text())) is not None:
        expected = set(re.findall(r"\(([^,()]+),\s*([^,()]+)\)", printed["pairs"]))
        assert order_of(Program(parse(str(CORPUS / f"{stem}.csp"), script)), process) == expected
        return
    combined = as_script(script, file.read_text(), process)
    program = Program(parse(str(CORPUS / f"{stem}.csp"), combined))
    assert equivalent(graph(program, process), graph(program, "EXPECTED_PROCESS"), "strong"), combined
