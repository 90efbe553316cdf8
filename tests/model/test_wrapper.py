"""Wrappers: every member of ``Model`` reaches the model behind, with the state that belongs to it."""

from __future__ import annotations

import importlib
import inspect
import json
from pathlib import Path
from typing import Any

import pytest

import kripke
from kripke.checker import causes
from kripke.engines.reduction.at_safe_places import AtSafePlaces
from kripke.model import capabilities
from kripke.model.capabilities.catalogue import OF_BEHAVIOUR, OF_WORDS
from kripke.model.capabilities.explains import Explains
from kripke.model.capabilities.families import OF_FAMILIES
from kripke.model.model import Model, Violation
from kripke.model.observer import Observer
from kripke.model.preemptions import Preemptions
from kripke.model.product import Product
from kripke.model.wrapper import OWN, Wrapper, is_state_name, members
from tests.support.toys import Counters

INNER, OUTER = b"inner", b"inner and more"


#: ``capability`` is what this is about: wrappers answer it from what the model behind has and what they keep.
ASKED = frozenset({*OWN, "capability"})


def of_packages() -> list[type]:
    """Protocols that can be asked for at run time, of whatever is neither ``model`` nor an engine: of families."""
    source = Path(kripke.__file__).parent
    files = [file for file in source.rglob("*.py") if file.relative_to(source).parts[0] not in ("model", "engines")]
    declaring = [file for file in files if "@runtime_checkable" in file.read_text()]
    names = [".".join(("kripke", *file.relative_to(source).with_suffix("").parts)) for file in declaring]
    modules = [importlib.import_module(name.removesuffix(".__init__")) for name in names]
    kinds = [kind for module in modules for kind in vars(module).values() if getattr(kind, "_is_protocol", False)]
    return [kind for kind in kinds if vars(kind).get("_is_runtime_protocol") and kind.__module__.startswith("kripke.")]


OF_PACKAGES = of_packages()  # before OF_FAMILIES is looked at: importing them is what registers them
CAPABILITIES = sorted(OF_BEHAVIOUR | OF_WORDS | OF_FAMILIES, key=lambda kind: kind.__name__)


def methods(kind: type = Model) -> list[str]:
    return [name for name in sorted(members(kind)) if inspect.isfunction(inspect.getattr_static(kind, name, None))]


def values(kind: type = Model) -> list[str]:
    return [name for name in sorted(members(kind)) if name not in methods(kind)]


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


def recording(*kinds: type) -> tuple[Any, dict[str, Any], list[tuple[str, dict[str, Any]]]]:
    """A model of which every member answers with an object of its own and remembers how it was called."""
    of = {name: kind for kind in kinds for name in members(kind) if name != "capability"}
    answers: dict[str, Any] = {name: Answer() for name in of}
    calls: list[tuple[str, dict[str, Any]]] = []

    def method(name: str) -> Any:
        signature = inspect.signature(getattr(of[name], name))

        def record(self: Any, *given: Any, **named: Any) -> Any:
            bound = signature.bind(self, *given, **named)
            calls.append((name, {key: value for key, value in bound.arguments.items() if key != "self"}))
            return answers[name]

        return record

    namespace = {name: method(name) if name in methods(kind) else answers[name] for name, kind in of.items()}
    return type("Recording", (Model,), namespace)(), answers, calls


def test_the_walk_sees_what_there_is() -> None:
    assert {"atoms", "max_state_bytes", "always_fair", "language"} <= set(values())
    assert {"successors", "describe", "facts"} <= set(methods())
    assert members(Model) >= ASKED


@pytest.mark.parametrize("name", [name for name in values() if name not in ASKED])
def test_every_attribute_is_forwarded(name: str) -> None:
    model, answers, _ = recording(Model)
    assert getattr(Longer(model), name) is answers[name], f"Wrapper does not forward {name}"


@pytest.mark.parametrize("name", [name for name in methods() if name not in ASKED])
def test_every_method_is_forwarded_with_the_inner_state(name: str) -> None:
    model, answers, calls = recording(Model)
    parameters = [key for key in inspect.signature(getattr(Model, name)).parameters if key != "self"]
    given = {key: OUTER if key == "state" else object() for key in parameters}
    found = getattr(Longer(model), name)(**given)
    assert found is answers[name], f"Wrapper does not forward {name}"
    assert calls == [(name, {key: INNER if key == "state" else value for key, value in given.items()})]


@pytest.mark.parametrize("name", sorted(OWN))
def test_steps_are_the_wrappers_own(name: str) -> None:
    model, answers, calls = recording(Model)
    assert getattr(Longer(model), name)(*(() if name == "initial" else (OUTER,))) is not answers[name]
    assert calls == []


#: What each wrapper changes on purpose, beside its steps. Add a name here when it is meant.
CHANGED = {
    Product: {
        "max_state_bytes",
        "atoms",
        "step_atoms",
        "properties",
        "fairness_constraints",
        "valid_end",
        "atom_values",
        "failed_atoms",
        "describe",
        "explain",
    },
    Preemptions: {"max_state_bytes"},
    causes.Without: set(),
    AtSafePlaces: set(),
}


#: The capabilities about behaviour that each wrapper keeps. All others it loses.
KEPT: dict[type, set[type]] = {Product: set(), Preemptions: set(), causes.Without: set(), AtSafePlaces: set()}


def _all_wrappers(kind: type) -> list[type]:
    return [one for sub in kind.__subclasses__() for one in (sub, *_all_wrappers(sub))]


def test_every_wrapper_changes_only_what_it_means_to() -> None:
    ours = [kind for kind in _all_wrappers(Wrapper) if kind.__module__.startswith("kripke.")]
    assert set(ours) == set(CHANGED)
    known = members(Model).union(*map(members, CAPABILITIES))
    for kind in ours:
        changed = vars(kind).keys() & known - OWN
        assert changed == CHANGED[kind], kind
        assert kind.keeps == KEPT[kind]


@pytest.mark.parametrize("kind", CAPABILITIES)
def test_a_capability_is_found_by_its_members_alone(kind: type) -> None:
    model, _, _ = recording(Model, kind)
    assert model.capability(kind) is model
    assert recording(Model)[0].capability(kind) is None
    assert Longer(recording(Model)[0]).capability(kind) is None


@pytest.mark.parametrize("kind", CAPABILITIES)
def test_capabilities_for_people_survive_others_must_be_kept(kind: type) -> None:
    class Keeping(Longer):
        keeps = frozenset({kind})

    class Outermost(Longer):
        keeps = frozenset({kind})

        def inner_state(self, state: bytes) -> bytes:
            return state

    model, answers, calls = recording(Model, kind)
    assert (Longer(model).capability(kind) is not None) == (kind in OF_WORDS)
    assert (Outermost(Longer(model)).capability(kind) is not None) == (kind in OF_WORDS)  # one in between loses it
    seen = Keeping(model).capability(kind)
    assert isinstance(seen, kind)
    for name in members(kind):
        if name in values(kind):
            assert getattr(seen, name) is answers[name]
            continue
        declared = inspect.signature(getattr(kind, name)).parameters
        parameters = [key for key in declared if key != "self"]
        given = {key: OUTER if is_state_name(key) else object() for key in parameters}
        inner = {key: INNER if is_state_name(key) else value for key, value in given.items()}
        calls.clear()
        assert getattr(seen, name)(**given) is answers[name]
        positional = [key for key in parameters if declared[key].kind is not inspect.Parameter.KEYWORD_ONLY]
        assert getattr(seen, name)(*(given[key] for key in positional)) is answers[name]
        assert calls == [(name, inner), (name, {key: inner[key] for key in positional})]


def test_there_is_no_capability_that_the_catalogue_forgets() -> None:
    folder = Path(capabilities.__file__).parent
    for file in folder.glob("*.py"):
        module = importlib.import_module(f"kripke.model.capabilities.{file.stem}") if file.stem != "__init__" else None
        for kind in vars(module).values() if module else ():
            if getattr(kind, "_is_protocol", False) and kind.__module__.startswith("kripke."):
                assert kind in CAPABILITIES, kind


def test_families_declare_theirs() -> None:
    assert {kind.__name__ for kind in OF_PACKAGES} >= {"Exportable", "HasPlaceTransitionView"}
    assert set(OF_PACKAGES) == OF_FAMILIES


def test_a_product_explains_what_its_model_explains() -> None:
    """It changes ``explain``, and so has it also where the model has not."""
    counters = Counters(2)
    product = Product(counters, Observer("never", "never claim", (0,), ((),), 0))
    explains = product.capability(Explains)
    assert explains is product
    assert product.explain(product.initial()[0], Violation(0, 0)) is None


@pytest.mark.parametrize("engine", ["interpreter", "native"])
@pytest.mark.parametrize("formula", [(), ("--ltl", "<> (first_works >= 1)")])
def test_a_place_is_emptied_whoever_watches(
    engine: str, formula: tuple[str, ...], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from kripke.cli.main import main

    monkeypatch.delenv("COLUMNS", raising=False)
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
