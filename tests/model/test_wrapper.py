"""Wrappers: every member of ``Model`` reaches the model behind, with the state that belongs to it."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import pytest

from kripke.engines import causes
from kripke.model.model import Model
from kripke.model.preemptions import Preemptions
from kripke.model.product import Product
from kripke.model.wrapper import OWN, Wrapper, attributes

INNER, OUTER = b"inner", b"inner and more"


def members() -> list[str]:
    """All public names of a model."""
    return sorted({name for name in dir(Model) if not name.startswith("_")} | attributes(Model))


def methods() -> list[str]:
    return [name for name in members() if inspect.isfunction(inspect.getattr_static(Model, name, None))]


def values() -> list[str]:
    return [name for name in members() if name not in methods()]


class Longer(Wrapper):
    """Changes nothing but the bytes of states."""

    def inner_state(self, state: bytes) -> bytes:
        assert state == OUTER
        return INNER

    def initial(self) -> list[bytes]:
        return [OUTER]

    def successors(self, state: bytes) -> list[Any]:
        return []


class Answer:
    """What a recording model answers: nothing else is the same object."""


def recording() -> tuple[Model, dict[str, Any], list[tuple[str, dict[str, Any]]]]:
    """A model of which every member answers with an object of its own and remembers how it was called."""
    answers: dict[str, Any] = {name: Answer() for name in members()}
    calls: list[tuple[str, dict[str, Any]]] = []

    def method(name: str) -> Any:
        signature = inspect.signature(getattr(Model, name))

        def record(self: Model, *given: Any, **named: Any) -> Any:
            bound = signature.bind(self, *given, **named)
            calls.append((name, {key: value for key, value in bound.arguments.items() if key != "self"}))
            return answers[name]

        return record

    namespace = {name: method(name) for name in methods()}
    namespace |= {name: answers[name] for name in values()}
    return type("Recording", (Model,), namespace)(), answers, calls


def test_the_walk_sees_what_there_is() -> None:
    assert {"atoms", "max_state_bytes", "always_fair", "language"} <= set(values())
    assert {"successors", "describe", "explain", "facts"} <= set(methods())
    assert set(members()) >= OWN


@pytest.mark.parametrize("name", [name for name in values() if name not in OWN])
def test_every_attribute_is_forwarded(name: str) -> None:
    model, answers, _ = recording()
    assert getattr(Longer(model), name) is answers[name], f"Wrapper does not forward {name}"


@pytest.mark.parametrize("name", [name for name in methods() if name not in OWN])
def test_every_method_is_forwarded_with_the_inner_state(name: str) -> None:
    model, answers, calls = recording()
    parameters = [key for key in inspect.signature(getattr(Model, name)).parameters if key != "self"]
    given = {key: OUTER if key == "state" else object() for key in parameters}
    found = getattr(Longer(model), name)(**given)
    assert found is answers[name], f"Wrapper does not forward {name}"
    assert calls == [(name, {key: INNER if key == "state" else value for key, value in given.items()})]


@pytest.mark.parametrize("name", sorted(OWN))
def test_what_is_about_the_wrappers_own_states_is_not_forwarded(name: str) -> None:
    model, answers, calls = recording()
    wrapper = Longer(model)
    if name in ("initial", "successors", "each_successor", "distinct_successors"):
        arguments: tuple[Any, ...] = () if name == "initial" else (OUTER,)
    else:
        arguments = ()
    assert getattr(wrapper, name)(*arguments) is not answers[name]
    assert calls == []


#: What each wrapper changes on purpose, beside its steps. Add a name here when it is meant.
CHANGED = {
    Product: {
        "max_state_bytes",
        "atoms",
        "step_atoms",
        "properties",
        "events",
        "valid_end",
        "atom_values",
        "failed_atoms",
        "describe",
        "explain",
    },
    Preemptions: {"max_state_bytes"},
    causes.Without: set(),
}


def _all_wrappers(kind: type) -> list[type]:
    return [one for sub in kind.__subclasses__() for one in (sub, *_all_wrappers(sub))]


def test_every_wrapper_changes_only_what_it_means_to() -> None:
    ours = [kind for kind in _all_wrappers(Wrapper) if kind.__module__.startswith("kripke.")]
    assert set(ours) == set(CHANGED)
    for kind in ours:
        changed = {name for name in vars(kind) if name in members()} - OWN
        assert changed == CHANGED[kind], kind


@pytest.mark.parametrize("engine", ["interpreter", "native"])
@pytest.mark.parametrize("formula", [(), ("--ltl", "<> (first_works >= 1)")])
def test_a_place_is_emptied_whoever_watches(
    engine: str, formula: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    from kripke.cli.main import main

    net = str(Path(__file__).parents[2] / "examples" / "pnml" / "two_locks.pnml")
    if engine == "native":
        pytest.importorskip("kripke._native")
    assert main(["check", net, *formula, "--engine", engine]) == 1
    shown = capsys.readouterr().out
    assert "a: 1 -> 0" in shown and "gone" not in shown
    assert main(["check", net, *formula, "--engine", engine, "--json"]) == 1
    steps = json.loads(capsys.readouterr().out)["trace"]["steps"]
    changes = [change for step in steps for change in step["changes"].items() if change[0] == "a"]
    assert changes[0] == ("a", ["1", "0"])
