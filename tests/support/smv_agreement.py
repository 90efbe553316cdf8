"""One SMV file through every engine: the same verdicts, and the same numbers of states where all are seen."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from kripke.checker.check import check_properties
from kripke.engines.plan import SearchPlan, Unsupported
from kripke.languages.smv import read
from kripke.model.result import Result
from kripke.model.source import ModelError
from kripke.synchronous.model import SynchronousModel
from tests.support.smv_programs import smv_program

LTL = ("G F b0", "F G b0", "G (b0 -> F !b0)", "b0 U n0 = 1", "G (b0 -> O n0 = 1)", "F X b0")
CTL = ("AG EF b0", "EF (b0 & n0 = 1)", "AF b0", "EG b0", "E [b0 U n0 = 1]", "AX b0", "AG (b0 -> AF n0 = 1)")
ENGINES = {
    "safety": ("bdd", "bmc", "induction", "pdr"), "invariant": ("bdd", "bmc", "induction", "pdr"),
    "linear": ("bdd", "bmc"), "branching": ("bdd",),
}  # fmt: skip


def random_text(seed: int) -> str:
    """With a property of each kind."""
    choose = Random(seed)
    asked = f"INVARSPEC NAME invariant := n0 < 3 | b0;\nLTLSPEC NAME linear := {choose.choice(LTL)}\n"
    return f"{smv_program(seed)}{asked}CTLSPEC NAME branching := {choose.choice(CTL)}\n"


def random_model(seed: int) -> SynchronousModel | None:
    """None where the random text is refused (assignments in a circle)."""
    try:
        return read(random_text(seed), f"{seed}.smv")
    except ModelError:
        return None


def compared(model: SynchronousModel, seconds: float) -> Iterator[tuple[str, str, bool | None]]:
    """Property, engine and whether it agrees with the explicit one; None: one of them does not know."""
    for name, engines in ENGINES.items():
        explicit = _checked(model, name, None, seconds)
        for engine in engines:
            answer = _checked(model, name, engine, seconds)
            if explicit is None or answer is None or "unknown" in (explicit.verdict, answer.verdict):
                assert answer is None or "replay" not in answer.reason, f"{model.file} {name} {engine}: {answer.reason}"
                yield name, engine, None
                continue
            same = explicit.verdict == answer.verdict
            if engine == "bdd" and name != "linear" and answer.verdict == "holds":
                same = same and explicit.states == answer.states
            yield name, engine, same


def _checked(model: SynchronousModel, name: str, engine: str | None, seconds: float) -> Result | None:
    plan = SearchPlan(engine=engine, clarify=False, time_limit=seconds, properties=(name,))  # type: ignore[arg-type]
    try:
        return check_properties(model, plan)
    except Unsupported:
        return None
