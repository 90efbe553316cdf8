"""UML state machines: the steps the paper fixes, PlantUML's text, XMI."""
# ruff: noqa: E501

from __future__ import annotations

from pathlib import Path

import pytest

import kripke
from kripke.hierarchy.chart.interpreter import Run
from kripke.hierarchy.chart.run_to_completion import firing_sets
from kripke.hierarchy.chart.session import Event
from kripke.hierarchy.chart.uml_model import UmlModel
from kripke.languages.uml import load
from kripke.model.source import ModelError

EXAMPLES = Path(__file__).parents[3] / "examples" / "uml"


def machine(folder: Path, text: str, **options: object) -> UmlModel:
    path = folder / "m.puml"
    path.write_text(f"@startuml\n{text}\n@enduml\n")
    return load(str(path), **options)  # type: ignore[arg-type]


def reached(model: UmlModel) -> list[dict[str, str]]:
    """Every state, described."""
    states = model.initial()
    seen = set(states)
    for state in states:
        for step in model.successors(state):
            if step.target is not None and step.target not in seen:
                seen.add(step.target)
                states.append(step.target)
    return [dict(model.describe(state)) for state in states]


def places(model: UmlModel) -> set[str]:
    return {state["chart@"] for state in reached(model)}


def test_queues_of_the_paper(tmp_path: Path) -> None:
    """a sends i, i sends j: with a, b from outside all of these queues occur, [b, j] among them."""
    text = "[*] --> S\nS : a / ^i\nS : i / ^j\nS : j / done()\nS : b / done()"
    model = machine(tmp_path, text, environment=("a", "b"), queue=2)
    queues = {state.get("waiting", "") for state in reached(model)}
    assert {"a", "i", "j", "", "a, b", "i, b", "j, b", "b", "b, j"} <= queues


REGIONS = """[*] --> P
state P {
  [*] --> A
  A --> A1 : e / {left}
  --
  [*] --> B
  B --> B1 : e / {right}
}
"""


def test_all_orders_of_effects(tmp_path: Path) -> None:
    text = "' kripke: var x = 1\n" + REGIONS.replace("{left}", "x = x * 2").replace("{right}", "x = x + 1")
    results = {(state["chart@"], state["x"]) for state in reached(machine(tmp_path, text))}
    assert results == {("A, B", "1"), ("A1, B1", "3"), ("A1, B1", "4")}


def test_effects_that_commute_give_one_step(tmp_path: Path) -> None:
    text = "' kripke: var x = 1\n' kripke: var y = 1\n" + REGIONS.replace("{left}", "x = 2").replace("{right}", "y = 2")
    model = machine(tmp_path, text)
    assert len(model.successors(model.initial()[0])) == 1


def test_deeper_sources_come_first(tmp_path: Path) -> None:
    text = "[*] --> Outer\nstate Outer {\n  [*] --> Inner\n  Inner --> Other : e\n}\nOuter --> Away : e"
    assert places(machine(tmp_path, text)) == {"Inner", "Other", "Away"}
    model = machine(tmp_path, text)
    (step,) = model.successors(model.initial()[0])
    assert step.target is not None and model.describe(step.target)["chart@"] == "Other"


def test_firing_sets(tmp_path: Path) -> None:
    """Two ways out of A, one out of B, and one that leaves both: three sets, and the outer one in none of them."""
    text = """[*] --> P
state P {
  [*] --> A
  A --> A1 : e
  A --> A2 : e
  --
  [*] --> B
  B --> B1 : e
}
P --> Away : e
"""
    model = machine(tmp_path, text)
    session = model.layout.decode(model.initial()[0])
    assert session is not None
    names = [
        sorted(model.chart.states[t.targets[0]].id for t in firing)
        for firing in firing_sets(Run(model.chart, session), Event("e"))
    ]
    assert names == [["A1", "B1"], ["A2", "B1"]]


def test_a_guard_may_leave_the_outer_one(tmp_path: Path) -> None:
    text = "' kripke: var x = 0\n[*] --> P\nstate P {\n  [*] --> A\n  A --> B : e [x == 1]\n}\nP --> Away : e\nP : up / x = 1"
    assert places(machine(tmp_path, text)) == {"A", "B", "Away"}


def test_deferred_events_wait(tmp_path: Path) -> None:
    text = "[*] --> Busy\nBusy : job / defer\nBusy --> Free : done\nFree --> Served : job\nFree --> Idle : nap"
    states = reached(machine(tmp_path, text))
    assert {"chart@": "Busy", "waiting": "job"} in states
    assert {state["chart@"] for state in states} == {"Busy", "Free", "Served", "Idle"}
    # Discarded where it is not deferred:
    assert {"chart@": "Idle", "waiting": "job"} not in states


def test_own_events_are_discarded_where_nothing_waits(tmp_path: Path) -> None:
    model = machine(tmp_path, "[*] --> A\nA --> B : go / ^late\nB --> C : other\nC --> D : late", environment=("go",))
    assert [state["chart@"] for state in reached(model)] == ["A", "B", "B"]
    statements = [
        model.explain_part(part)
        for state in model.successors(model.successors(model.initial()[0])[0].target or b"")
        for part in state.parts
    ]
    assert statements == ["discard late"]


def test_completion(tmp_path: Path) -> None:
    """A transition without a trigger fires when its source has come to an end."""
    text = "[*] --> Job\nstate Job {\n  [*] --> One\n  One --> [*] : go\n}\nJob --> Ready\nReady --> [*] : off"
    assert places(machine(tmp_path, text)) == {"One", "Ready", "machine.end (ended)"}
    assert kripke.load(tmp_path / "m.puml").check().verdict == "holds"


def test_endless_completion(tmp_path: Path) -> None:
    machine(tmp_path, "[*] --> A\nA --> B : go\nB --> C\nC --> B")
    result = kripke.load(tmp_path / "m.puml").check()
    assert (result.verdict, result.kind) == ("violated", "endless")


def test_choice(tmp_path: Path) -> None:
    text = """' kripke: var x = 0
state c <<choice>>
[*] --> A
A --> c : go / x = x + 1
c --> A : [x < 3]
c --> B : [else]
"""
    assert [state["chart@"] + state["x"] for state in reached(machine(tmp_path, text))] == ["A0", "A1", "A2", "B3"]
    stuck = machine(tmp_path, text.replace("[else]", "[x > 9]"))
    path = str(tmp_path / "m.puml")
    assert stuck.chart.states and kripke.load(path).check().kind == "choice"


def test_history(tmp_path: Path) -> None:
    text = "[*] --> On\nstate On {\n  [*] --> One\n  One --> Two : next\n}\nOn --> Off : power\nOff --> On[H] : power"
    model = machine(tmp_path, text)
    ways = {
        (model.describe(state)["chart@"], model.describe(step.target)["chart@"])
        for state in _states(model)
        for step in model.successors(state)
        if step.target is not None
    }
    assert ways == {("One", "Two"), ("One", "Off"), ("Two", "Off"), ("Off", "One"), ("Off", "Two")}


def _states(model: UmlModel) -> list[bytes]:
    states = model.initial()
    seen = set(states)
    for state in states:
        for step in model.successors(state):
            if step.target is not None and step.target not in seen:
                seen.add(step.target)
                states.append(step.target)
    return states


def test_fork(tmp_path: Path) -> None:
    text = """state f <<fork>>
[*] --> A
A --> f : go
state P {
  [*] --> X1
  state X2
  --
  [*] --> Y1
  state Y2
}
f --> X2
f --> Y2
"""
    assert places(machine(tmp_path, text)) == {"A", "X2, Y2"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[*] --> A\nA --> B : go [x > 1]", "m.puml:3:1: error: there is no variable x"),
        ("[*] --> A\nA --> B : go / x = ", "m.puml:3:1: error: in 'x =': something is missing at the end"),
        ("[*] --> A\nA --> B : go [in(C)]", "m.puml:3:1: error: there is no state C"),
        ("state A {\n  state B\n}\n[*] --> A", "m.puml:2:1: error: the state A has no initial state"),
        ("[*] --> A\nA : do / work()", "m.puml:3:1: error: do activities are not supported"),
        ("[*] --> A\nstate A {", "m.puml:3:1: error: the state A has no end"),
        ("[*] --> A\nstate j <<join>>", "m.puml:3:1: error: <<join>> is not supported"),
        ("[*] --> A\nA is green", "m.puml:3:1: error: this is not understood"),
        ("[*] --> A\n[*] --> B", "m.puml:3:1: error: this region has two initial transitions"),
        ("[*] --> A\nA -- B", "m.puml:3:1: error: a transition has a direction"),
    ],
)
def test_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ModelError) as error:
        machine(tmp_path, text)
    assert str(error.value).replace(str(tmp_path) + "/", "").splitlines()[0] == message


def test_how_it_looks_is_passed_over(tmp_path: Path) -> None:
    text = """title A machine
skinparam state {
  BackgroundColor Pink
}
hide empty description
note left of A : text
note right of A
  [*] --> Nowhere
end note
/' [*] --> Nowhere '/
state "A long name" as A
[*] -down-> A
A -[#red,dashed]-> B : go
B -left-> A : back
A : what a person reads
"""
    assert places(machine(tmp_path, text)) == {"A", "B"}


def test_the_car_audio() -> None:
    result = kripke.load(EXAMPLES / "car_audio.puml").check()
    assert (result.verdict, result.kind) == ("violated", "invariant")
    assert result.trace is not None
    assert [step.statements[0] for step in result.trace.steps[:4]] == [
        "event power",
        "event insertCD",
        "event src",
        "event ejectCD",
    ]


def test_xmi() -> None:
    model = load(str(EXAMPLES / "gate.xmi"))
    assert model.environment.events == ("ticket", "service", "passed")
    assert places(model) == {"closed", "lamp", "end (ended)"}
    assert {"chart@": "lamp", "cars": "1", "waiting": "service"} in reached(model)


def test_xmi_without_a_machine(tmp_path: Path) -> None:
    path = tmp_path / "m.xmi"
    path.write_text('<xmi:XMI xmlns:xmi="http://schema.omg.org/spec/XMI/2.1"/>')
    with pytest.raises(ModelError, match="there is no state machine in this file"):
        load(str(path))


def test_a_choice_comes_after_exits_and_effects(tmp_path: Path) -> None:
    """The source is left first, then the effect is executed, then the guards behind the choice are looked at."""
    path = tmp_path / "m.puml"
    path.write_text(
        "@startuml\n' kripke: var x = 0\n[*] --> A\nstate c <<choice>>\nstate A\nA : exit / x = 5\n"
        "A --> c : e / x = x + 1\nc --> B : [x == 6] / x = x * 2\nc --> C : [else]\nstate B\nstate C\n@enduml\n"
    )
    model = load(str(path))
    (step,) = model.successors(model.initial()[0])
    assert step.target is not None
    assert model.describe(step.target) == {"chart@": "B", "x": "12"}
