"""Charts and UML machines in terms: the same steps as the interpreter's, state by state, and the same answers."""

from __future__ import annotations

from pathlib import Path

import pytest

import kripke
from kripke.languages.scxml import load
from kripke.languages.uml import load as load_uml
from kripke.terms.narrowing import narrowed
from tests.hierarchy.test_chart_emit import ATOMS
from tests.support.encoded_steps import assert_encoded
from tests.support.random_charts import random_chart
from tests.support.random_uml import random_uml

EXAMPLES = Path(__file__).parents[2] / "examples"


def encoded_chart(seed: int, folder: Path, most_states: int) -> int:
    """How many states were compared: -1 where the chart is refused."""
    path = folder / "m.scxml"
    path.write_text(random_chart(seed))
    model = load(str(path), environment=("a", "b", "c"), queue=1 + seed % 2, conditions=ATOMS)
    return assert_encoded(model, most_states, change=narrowed if seed % 2 else lambda system: system)[0]


def encoded_uml(seed: int, folder: Path, most_states: int) -> int:
    path = folder / "m.puml"
    path.write_text(random_uml(seed))
    model = load_uml(str(path), queue=1 + seed % 2, conditions=["x == 1"])
    return assert_encoded(model, most_states, change=narrowed if seed % 2 else lambda system: system)[0]


@pytest.mark.parametrize("seed", [0, 2, 4, 5, 6, 7, 8])
def test_random_charts(seed: int, tmp_path: Path) -> None:
    assert encoded_chart(seed, tmp_path, 20) > 0


@pytest.mark.parametrize("seed", [4, 6, 8])
def test_random_uml(seed: int, tmp_path: Path) -> None:
    assert encoded_uml(seed, tmp_path, 20) > 0


@pytest.mark.parametrize("engine", ["bdd", "bmc", "pdr"])
def test_the_microwave(engine: str) -> None:
    """Delays in slots, time in units of five seconds."""
    found = kripke.load(EXAMPLES / "scxml" / "microwave.scxml").check(engine=engine)
    assert (found.verdict, found.kind) == ("violated", "invariant")
    assert found.trace is not None


def test_orders_of_effects(tmp_path: Path) -> None:
    """Both orders of two effects, and the choice between two transitions of one state."""
    path = tmp_path / "m.puml"
    path.write_text("""@startuml
' kripke: var x = 1
state both {
[*] --> a
a --> b : go / x = x * 2
--
[*] --> c
c --> d : go / x = x + 3
}
[*] --> both
both --> one : stop
both --> two : stop
@enduml
""")
    for value, verdict in ((5, "violated"), (8, "violated"), (6, "holds")):
        for engine in ("bdd", "interpreter"):
            found = kripke.load(path).check(engine=engine, deadlock=False, invariants=[f"x != {value}"])
            assert found.verdict == verdict
    full, sets = (kripke.load(path).check(engine=engine, deadlock=False) for engine in ("interpreter", "bdd"))
    assert (sets.verdict, sets.states) == (full.verdict, full.states)


def test_refused_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "m.scxml"
    path.write_text(
        '<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0"><datamodel>\n<data id="t" expr="\'a\'"/>'
        '</datamodel><state id="s"><transition event="e" target="s"/></state></scxml>'
    )
    found = load(str(path)).encode()
    assert isinstance(found, str) and "t is no whole number at first" in found and f"{path}:2:" in found
