"""``induction`` and ``pdr`` with an SMT solver: integers without bounds (``--unbounded``), lemmas (``--lemmas``)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any

from kripke.engines.apart import Report
from kripke.engines.certificates import MOST_STEPS, with_certificate
from kripke.engines.encoded import Answer, invariant_atoms
from kripke.engines.explicit.search import Progress
from kripke.engines.plan import SearchPlan, Unsupported
from kripke.engines.satisfiability.wrong import Wrong
from kripke.engines.theories.formulas import load_z3
from kripke.engines.theories.horn import directed
from kripke.engines.theories.induction import inductive
from kripke.engines.theories.lemma_file import Lemma, read_lemmas
from kripke.engines.theories.lemmas import Judged, Lemmas
from kripke.model.capabilities.encodable import Encodable, Encoding, WithIntegers
from kripke.model.model import Model
from kripke.model.property import Safety
from kripke.terms.build import TRUE, all_of
from kripke.terms.evaluation import evaluate
from kripke.terms.narrowing import narrowed
from kripke.terms.term import Term

USUAL_DEPTH = 30


def encoded(model: Model, plan: SearchPlan) -> Encoding:
    """The model in terms, its integers with or without bounds."""
    name = plan.engine or "induction"
    if plan.unbounded:
        able = model.capability(WithIntegers)
        if able is None:
            raise Unsupported(f"--unbounded is for process programs; {model.file} is a {model.language} model")
        found = able.encode_integers()
    else:
        encodable = model.capability(Encodable)
        assert encodable is not None, "the engine needs it"
        found = encodable.encode()
    if isinstance(found, str):
        raise Unsupported(f"--engine {name}: {found}; leave it out")
    return found


def lemmas_of(plan: SearchPlan) -> list[Lemma]:
    return read_lemmas(plan.lemmas) if plan.lemmas is not None else []


def answer(model: Model, goal: Safety, plan: SearchPlan, report: Report) -> Answer:
    """With all lemmas that are shown."""
    z3 = load_z3(plan.engine or "induction")
    whole = encoded(model, plan)
    encoding = replace(whole, system=narrowed(whole.system))
    wrong = Wrong(encoding, goal, invariant_atoms(model, goal))
    begin = perf_counter()
    judged, lemma, kept = list[Judged](), TRUE, list[Term]()
    lemmas = lemmas_of(plan)
    if lemmas:
        numbers = {name: number for number, name in enumerate(model.atoms)}
        terms = {one.name: encoding.system.atoms[numbers[one.condition]] for one in lemmas}
        judging = Lemmas(z3, encoding.system, terms, lambda: report(Progress(0, 0, 0, 0, 0, perf_counter() - begin)))
        judging.judge()
        judged, kept = list(judging.judged.values()), list(judging.kept.values())
        lemma = all_of(kept)
    if plan.engine == "pdr":
        found = directed(z3, wrong, report, lemma)
    else:
        found = inductive(z3, wrong, plan.depth or USUAL_DEPTH, report, lemma)
    facts = dict(found.facts) | {"solver": "z3"}
    if judged:
        facts["lemmas"] = [{**one.to_json(), **_shown(model, encoding, one)} for one in judged]
    if plan.unbounded:
        facts["integers"] = "unbounded"
    found = replace(found, facts=facts)
    if not plan.certificate or found.error is not None or found.reason:
        return found
    texts = [str(text) for text in found.facts.get("invariant", ())]
    k = int(found.facts.get("k", 0)) if plan.engine == "induction" else 0
    if k > MOST_STEPS:
        return found
    return with_certificate(found, whole.system, encoding.system, kept, texts, k)


def _shown(model: Model, encoding: Encoding, judged: Judged) -> dict[str, Any]:
    """The step that breaks a lemma, as two states."""
    if judged.pair is None:
        return {}
    return {"before": _state(model, encoding, judged.pair[0]), "after": _state(model, encoding, judged.pair[1])}


def _state(model: Model, encoding: Encoding, values: Sequence[int]) -> dict[str, str]:
    """As the model describes it; inside of a step, or with numbers too large for a state: variable by variable."""
    known = dict(zip(encoding.system.variables, values, strict=True))
    try:
        if evaluate(encoding.system.stable, known):
            return dict(model.describe(encoding.state(values)))
    except (ValueError, OverflowError):
        pass
    return {symbol.name: str(value) for symbol, value in known.items()}
