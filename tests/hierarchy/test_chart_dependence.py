"""Partial-order reduction of charts and UML machines: true claims, the same verdicts, fewer states where regions do not
meet."""

from __future__ import annotations

from pathlib import Path

import pytest

import kripke
from kripke.engines.plan import Unsupported
from kripke.languages.scxml import load
from kripke.languages.uml import load as load_uml
from kripke.model.dependencies import DependencyAnalysis
from tests.support.random_charts import random_chart
from tests.support.random_uml import random_uml
from tests.support.true_dependencies import Claims

LAMPS = """<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0">
<datamodel><data id="n" expr="0"/></datamodel>
<parallel id="all">{}</parallel></scxml>"""
LAMP = """<state id="lamp{0}"><state id="off{0}"><transition event="on{0}" target="low{0}"/></state>
<state id="low{0}"><transition event="more{0}" target="high{0}"/></state>
<state id="high{0}"><transition event="end{0}" target="out{0}"><assign location="n" expr="n + 1"/></transition></state>
<state id="out{0}"/></state>"""
DOORS = """@startuml
state all {{
{}
}}
[*] --> all
@enduml
"""
DOOR = "[*] --> a{0}\na{0} --> b{0} : x{0}\nb{0} --> c{0} : y{0}\nc{0} --> d{0} : z{0}\n"


def lamps(count: int) -> str:
    return LAMPS.format("\n".join(LAMP.format(number) for number in range(count)))


def doors(count: int) -> str:
    return DOORS.format("--\n".join(DOOR.format(number) for number in range(count)))


@pytest.mark.parametrize("engine", ["interpreter", "native"])
@pytest.mark.parametrize(("name", "text", "states"), [("m.scxml", lamps(4), 24), ("m.puml", doors(4), 13)])
def test_regions_that_hardly_meet(engine: str, name: str, text: str, states: int, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text)
    full = kripke.load(path).check(engine=engine, deadlock=False)
    reduced = kripke.load(path).check(engine=engine, deadlock=False, por=True)
    assert (full.verdict, full.states) == ("holds", 4**4)
    assert reduced.verdict == "holds" and reduced.states == states
    dead = kripke.load(path).check(engine=engine, por=True)
    assert (dead.verdict, dead.kind) == ("violated", "deadlock")


def test_what_a_property_looks_at(tmp_path: Path) -> None:
    path = tmp_path / "m.scxml"
    path.write_text(lamps(3))
    for invariant, verdict in (("n < 3", "violated"), ("n < 4", "holds"), ("!In('out1')", "violated")):
        for engine in ("interpreter", "native"):
            found = kripke.load(path).check(engine=engine, por=True, deadlock=False, invariants=[invariant])
            assert found.verdict == verdict
    for formula, verdict in (("[] !In('out1')", "violated"), ("<> In('out1')", "holds")):
        assert kripke.load(path).check(por=True, ltl=formula).verdict == verdict


def test_a_queue_does_not_count(tmp_path: Path) -> None:
    """The environment may send while an event waits: taking it first is enough."""
    path = tmp_path / "m.scxml"
    path.write_text(lamps(2))
    full = kripke.load(path, queue=3).check(deadlock=False)
    reduced = kripke.load(path, queue=3).check(deadlock=False, por=True)
    assert full.verdict == reduced.verdict == "holds"
    assert (full.states, reduced.states) == (4144, 112)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        (
            "m.scxml",
            '<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0"><datamodel><data id="t" expr="\'a\'"/>'
            '</datamodel><state id="s"><transition event="e" target="s"/></state></scxml>',
            "charts of fixed form, and this one has",
        ),
        ("m.puml", "@startuml\n[*] --> a\na --> b : e\na : f / defer\nb --> a : f\n@enduml\n", "defer events"),
    ],
)
def test_refused_in_words(name: str, text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text)
    assert words in "".join(kripke.load(path).check(por=True).warnings)


def claims_hold(seed: int, folder: Path, most_states: int) -> int:
    """Of a chart and of a UML machine: the number of analyses whose claims are true in the first states."""
    compared = 0
    path = folder / "m.scxml"
    path.write_text(random_chart(seed))
    models: list[kripke.Model] = [load(str(path), environment=("a", "b", "c"), queue=1 + seed % 3)]
    path = folder / "m.puml"
    path.write_text(random_uml(seed))
    models.append(load_uml(str(path), queue=1 + seed % 3))
    for model in models:
        analysis = model.dependencies()
        if isinstance(analysis, DependencyAnalysis):
            assert list(Claims(model, analysis).wrong(most_states)) == []
            compared += 1
    return compared


@pytest.mark.parametrize("seed", range(8))
def test_claims_of_random_charts(seed: int, tmp_path: Path) -> None:
    claims_hold(seed, tmp_path, 15)


def agree(seed: int, folder: Path, engines: tuple[str, ...], most_states: int) -> int:
    """Verdicts with and without reduction; how many were compared."""
    compared = 0
    for name, text in (("m.scxml", random_chart(seed)), ("m.puml", random_uml(seed))):
        path = folder / name
        path.write_text(text)
        queue = 1 + seed % 2
        for question in ({}, {"deadlock": False, "invariants": ["x < 3"]}, {"ltl": "<> (x == 1)"}):
            full = kripke.load(path, queue=queue).check(max_states=most_states, **question)
            if full.verdict == "unknown":
                continue
            for engine in engines:
                try:
                    reduced = kripke.load(path, queue=queue).check(
                        engine=engine, por=True, max_states=most_states, **question
                    )
                except Unsupported:
                    continue
                if full.verdict == "violated" and reduced.reason.startswith("the limit of"):
                    continue  # what is found early by one search may be found late by the other
                assert reduced.verdict == full.verdict, (name, question, engine, reduced.reason, full.reason)
                assert full.verdict == "violated" or reduced.states <= full.states
                compared += 1
    return compared


@pytest.mark.parametrize("seed", range(2, 5))
def test_random_machines(seed: int, tmp_path: Path) -> None:
    agree(seed, tmp_path, ("interpreter", "native") if seed == 2 else ("interpreter",), 150)
