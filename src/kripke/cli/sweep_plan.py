"""The plan of a sweep: a model, parameters, properties, and which combinations of them are checked.

file = "ring.pml"                     # the model; template = "..." has ${name} in its text
parameters = { N = "2..5", K = [1, 2] }
defaults = { D = { N = "${N}" } }     # options of kripke check; ${name} is the parameter's value

[[exclude]]
when = "K > N"

[[property]]
name = "safe"
ltl = "[] (inside <= ${K})"
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kripke.cli.main import UsageError
from kripke.cli.settings import EXPECTED, read_toml
from kripke.cli.sweep_conditions import Condition, Value
from kripke.report.record import COMPLETE, ERROR

MOST_COMBINATIONS = 1_000_000
ANSWERS = (*COMPLETE, "unknown", ERROR)
_KEYS = {"file", "template", "title", "name", "line", "finding", "parameters", "derived", "defaults", "answers"}
_TABLES = {"exclude", "property", "stop", "matrix"}
_PLACE = re.compile(r"\$\{(\w+)\}")
_RANGE = re.compile(r"\s*(-?\d+)\s*\.\.\s*(-?\d+)\s*")
_NAME = re.compile(r"[^\W\d]\w*")
_OF_ROWS = ("property", "verdict", "kind", "states", "transitions", "depth", "seconds", "finding", "reason", "page")


@dataclass(frozen=True)
class PlannedProperty:
    """What is asked of every combination for which ``when`` is true."""

    name: str
    settings: Mapping[str, Any]
    when: Condition | None
    heading: str = ""


@dataclass(frozen=True)
class Exclusion:
    when: Condition
    reason: str


@dataclass(frozen=True)
class Stop:
    """A finding ends what is asked of all combinations that agree in these parameters."""

    within: Sequence[str]
    when: Condition | None


@dataclass(frozen=True)
class Combination:
    """One assignment to the parameters with one property; ``excluded`` says why it is not checked, if so."""

    values: Mapping[str, Value]
    property: PlannedProperty | None
    excluded: str | None = None


@dataclass(frozen=True)
class Plan:
    path: str
    model: str
    is_template: bool
    parameters: Mapping[str, Sequence[Value]]
    derived: Mapping[str, Condition]
    defaults: Mapping[str, Any]
    exclusions: Sequence[Exclusion]
    properties: Sequence[PlannedProperty]
    stops: Sequence[Stop]
    titles: Sequence[str] = ()
    name: str = ""
    #: what the log says of a check; empty: its name and its verdict
    line: str = ""
    finding: str = "finding"
    #: by verdict: other words for it in the log
    answers: Mapping[str, str] = field(default_factory=dict)
    matrix: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def folder(self) -> str:
        return os.path.dirname(self.path)

    @property
    def columns(self) -> list[str]:
        """The names of what differs between combinations."""
        return [*self.parameters, *self.derived]

    def combinations(self) -> Iterator[Combination]:
        """In the order of the plan: the last parameter changes first."""
        for chosen in itertools.product(*self.parameters.values()):
            values: dict[str, Value] = dict(zip(self.parameters, chosen, strict=True))
            for name, condition in self.derived.items():
                values[name] = condition.value(values)
            exclusion = next((each for each in self.exclusions if each.when.value(values)), None)
            if exclusion is not None:
                yield Combination(values, None, self.filled(exclusion.reason, values, "a reason"))
                continue
            for prop in self.properties:
                if prop.when is None or prop.when.value(values):
                    yield Combination(values, prop)

    def filled(self, content: Any, values: Mapping[str, Value], where: str) -> Any:
        """Texts with the values of the parameters in the places of ``${name}``, also inside lists and tables."""
        if isinstance(content, str):
            return _PLACE.sub(lambda found: self._text(found[1], values, where), content)
        if isinstance(content, list):
            return [self.filled(each, values, where) for each in content]
        if isinstance(content, dict):
            return {key: self.filled(each, values, where) for key, each in content.items()}
        return content

    def _text(self, name: str, values: Mapping[str, Value], where: str) -> str:
        if name not in values:
            raise UsageError(f"{self.path}: ${{{name}}} in {where}: there is no such parameter")
        value = values[name]
        return str(value).lower() if isinstance(value, bool) else str(value)


def read_plan(path: str) -> Plan:
    """UsageError says what is wrong with it."""
    content = read_toml(path)
    unknown = content.keys() - _KEYS - _TABLES
    if unknown:
        settings = ", ".join(sorted(_KEYS | _TABLES))
        raise UsageError(f"{path}: there is no setting {min(unknown)!r}: there are {settings}")
    model, is_template = _model(path, content)
    parameters = {name: _values(path, name, value) for name, value in _table(path, content, "parameters").items()}
    if not parameters:
        raise UsageError(f'{path} has no parameters: parameters = {{ N = "2..5" }}')
    known = set(parameters)
    derived: dict[str, Condition] = {}
    for name, text in _table(path, content, "derived").items():
        _refuse_name(path, name, known)
        derived[name] = Condition(text, f"{path}: derived.{name}", known)
        known.add(name)
    total = 1
    for values in parameters.values():
        total *= len(values)
    if total > MOST_COMBINATIONS:
        raise UsageError(f"{path}: {total:,} combinations are more than {MOST_COMBINATIONS:,}")
    return Plan(
        path,
        model,
        is_template,
        parameters,
        derived,
        _table(path, content, "defaults"),
        [_exclusion(path, number, each, known) for number, each in _list(path, content, "exclude")],
        _properties(path, content, known),
        [_stop(path, number, each, known) for number, each in _list(path, content, "stop")],
        _titles(path, content),
        **{key: _word(path, content, key) for key in ("name", "line", "finding") if key in content},
        answers=_answers(path, content),
        matrix=_matrix(path, content, known | {"property"}),
    )


def _model(path: str, content: Mapping[str, Any]) -> tuple[str, bool]:
    given = [key for key in ("file", "template") if key in content]
    if len(given) != 1 or not isinstance(content[given[0]], str):
        raise UsageError(f'{path} needs one model: file = "model.pml", or template = "model.pml" with ${{name}} in it')
    return os.path.relpath(os.path.join(os.path.dirname(path), content[given[0]])), given == ["template"]


def _table(path: str, content: Mapping[str, Any], key: str) -> dict[str, Any]:
    table = content.get(key, {})
    if not isinstance(table, dict):
        raise UsageError(f"{path}: {key} is a table, written [{key}]")
    return table


def _list(path: str, content: Mapping[str, Any], key: str) -> Iterator[tuple[int, dict[str, Any]]]:
    entries = content.get(key, [])
    if not isinstance(entries, list) or not all(isinstance(each, dict) for each in entries):
        raise UsageError(f"{path}: {key} is a list of tables, each written [[{key}]]")
    return iter(enumerate(entries, 1))


def _word(path: str, content: Mapping[str, Any], key: str) -> str:
    if not isinstance(content[key], str):
        raise UsageError(f"{path}: {key} is a text")
    return str(content[key])


def _titles(path: str, content: Mapping[str, Any]) -> list[str]:
    given = content.get("title", [])
    titles = [given] if isinstance(given, str) else given
    if not isinstance(titles, list) or not all(isinstance(each, str) for each in titles):
        raise UsageError(f"{path}: title is a text or a list of texts")
    return titles


def _answers(path: str, content: Mapping[str, Any]) -> dict[str, str]:
    table = _table(path, content, "answers")
    for verdict, words in table.items():
        if verdict not in ANSWERS or not isinstance(words, str):
            raise UsageError(f'{path}: answers are texts for {", ".join(ANSWERS)}: holds = "errors: 0"')
    return table


def _refuse_name(path: str, name: str, known: set[str]) -> None:
    if not _NAME.fullmatch(name):
        raise UsageError(f"{path}: a parameter is named by letters, digits and _, not {name!r}")
    if name in known or name in _OF_ROWS:
        raise UsageError(f"{path}: the name {name!r} is taken: choose another for this parameter")


def _values(path: str, name: str, value: Any) -> list[Value]:
    _refuse_name(path, name, set())
    if isinstance(value, str) and (found := _RANGE.fullmatch(value)):
        first, last = int(found[1]), int(found[2])
        if last - first >= MOST_COMBINATIONS:
            raise UsageError(f"{path}: {name} has more than {MOST_COMBINATIONS:,} values")
        value = list(range(first, last + 1))
    if not isinstance(value, list) or not all(isinstance(each, bool | int | float | str) for each in value):
        raise UsageError(f'{path}: the values of {name} are a list, such as [1, 2], or a range, such as "2..5"')
    if not value:
        raise UsageError(f"{path}: {name} has no value")
    return list(value)


def _exclusion(path: str, number: int, entry: Mapping[str, Any], known: set[str]) -> Exclusion:
    where = f"{path}: exclude {number}"
    if entry.keys() - {"when", "reason"} or "when" not in entry:
        raise UsageError(f'{where} has a condition and a reason: when = "K > N", reason = "too many"')
    return Exclusion(Condition(entry["when"], where, known), str(entry.get("reason", "")))


def _properties(path: str, content: Mapping[str, Any], known: set[str]) -> list[PlannedProperty]:
    found: list[PlannedProperty] = []
    for number, entry in _list(path, content, "property"):
        where = f"{path}: property {number}"
        name = entry.get("name")
        if not isinstance(name, str):
            raise UsageError(f'{where} needs a name: name = "safe"')
        when = Condition(entry["when"], f"{where}, {name}", known) if "when" in entry else None
        if when is None and any(each.name == name and each.when is None for each in found):
            raise UsageError(f"{where}: there are two properties called {name}")
        settings = {key: value for key, value in entry.items() if key not in ("name", "when", "heading")}
        found.append(PlannedProperty(name, settings, when, str(entry.get("heading", ""))))
    return found or [PlannedProperty("check", {}, None)]


def _stop(path: str, number: int, entry: Mapping[str, Any], known: set[str]) -> Stop:
    where, within = f"{path}: stop {number}", entry.get("within")
    if entry.keys() - {"within", "when"} or not isinstance(within, list) or not set(within) <= known | {"property"}:
        raise UsageError(f'{where} names parameters, or "property": within = ["first", "second"]')
    return Stop([str(name) for name in within], Condition(entry["when"], where, known) if "when" in entry else None)


def _matrix(path: str, content: Mapping[str, Any], known: set[str]) -> dict[str, list[str]]:
    matrix = _table(path, content, "matrix")
    for key, names in matrix.items():
        if key not in ("rows", "columns", "tables"):
            raise UsageError(f"{path}: matrix has rows, columns and tables, not {key!r}")
        if not isinstance(names, list) or not set(names) <= known:
            raise UsageError(f'{path}: matrix.{key} is a list of parameters, such as ["N"]; there is also "property"')
    return matrix


def expected_of(settings: Mapping[str, Any]) -> dict[str, Any]:
    """What a check is to find: it holds, or is possible, unless the plan says otherwise."""
    usual = "possible" if "possible" in settings else "holds"
    return {"verdict": usual} | {key: settings[key] for key in EXPECTED if key in settings}
