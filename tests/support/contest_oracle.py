"""The contest's nets with the answers that are known of them."""

from __future__ import annotations

from pathlib import Path

from kripke.engines.nets.formulas.answers import QueryAnswerer
from kripke.engines.nets.formulas.examinations import examine, measure
from kripke.languages.pnml import load
from kripke.languages.pnml.document import FileSources
from kripke.languages.pnml.formulas import read_queries
from kripke.nets.model import NetModel

CORPUS = Path(__file__).parents[3] / "shared" / "corpus" / "pnml"
FILES = {
    "RC": "ReachabilityCardinality",
    "RF": "ReachabilityFireability",
    "CTLC": "CTLCardinality",
    "CTLF": "CTLFireability",
    "UB": "UpperBounds",
    "LTLC": "LTLCardinality",
    "LTLF": "LTLFireability",
}
NAMED = {
    "RD": "ReachabilityDeadlock",
    "OS": "OneSafe",
    "QL": "QuasiLiveness",
    "L": "Liveness",
    "SM": "StableMarking",
}
KINDS = (*FILES, *NAMED, "SS")

Value = bool | int | None


def instances(corpus: Path = CORPUS) -> list[str]:
    return sorted(folder.name for folder in corpus.glob("*") if (folder / "model.pnml").exists())


def model_of(name: str, corpus: Path = CORPUS) -> NetModel:
    model = load(str(corpus / name / "model.pnml"))
    assert isinstance(model, NetModel)
    return model


def known(name: str, kind: str, corpus: Path = CORPUS) -> list[Value]:
    """The answers in the order of the formulas' names; of the state space, its four figures."""
    values: list[Value] = []
    for line in (corpus / name / "oracle" / f"{name}-{kind}.out").read_text().splitlines():
        words = line.split()
        if words and words[0] in ("FORMULA", "STATE_SPACE"):
            values.append(words[2] == "TRUE" if words[2] in ("TRUE", "FALSE") else int(words[2]))
    return values


def computed(answerer: QueryAnswerer, name: str, kind: str, corpus: Path = CORPUS) -> list[Value]:
    """What Kripke answers, in the same order; None is not known."""
    if kind == "SS":
        size = measure(answerer)
        return [size.states, size.transitions, size.most_in_place, size.most_in_marking]
    if kind in NAMED:
        return [examine(answerer, NAMED[kind]).value]
    queries = read_queries(str(corpus / name / f"{FILES[kind]}.xml"), answerer.model.net, FileSources())
    return [answer.value for answer in sorted(answerer.answer(queries), key=lambda answer: answer.name)]
