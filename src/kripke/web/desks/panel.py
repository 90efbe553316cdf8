"""The panel of checks: what a model can be asked, which choices go together, and the command that asks the same."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kripke.checker.check import refusal
from kripke.cli.check import plan_of
from kripke.cli.main import UsageError
from kripke.cli.request import request_of
from kripke.engines.explicit.stores import STORES
from kripke.engines.plan import SearchPlan
from kripke.engines.registry import engine_names, engines, searches
from kripke.engines.symmetry.symmetric import CHOICES
from kripke.engines.unsupported import Unsupported
from kripke.languages.registry import load_model
from kripke.languages.request import LoadRequest
from kripke.model.model import Model
from kripke.model.source import ModelError
from kripke.web.desks.asked import options_of_page, words_of_page


def choices_of_fields() -> dict[str, tuple[Any, ...]]:
    """By field of the plan: what can be chosen, the usual first."""
    return {
        "search": (None, *searches()),
        "engine": (None, *engine_names()),
        "store": (None, *STORES),
        "por": (False, "auto", True),
        "symmetry": CHOICES,
        "fair": (None, "weak", "strong", "weak-edges", "strong-edges", "events"),
        "threads": (1, 2, 4, 8),
        "all_errors": (False, True),
        "shortest": (False, True),
        "coverage": (False, True),
    }


class Panel:
    """Of one model. What is typed (formulas, invariants) belongs to a model when it is loaded: so it is loaded again
    whenever that changes."""

    def __init__(self, setting: Mapping[str, Any]) -> None:
        self.setting = setting
        self._plain: Model | None = None
        self._loaded: tuple[LoadRequest, Model] | None = None

    def shown(self, given: object) -> dict[str, Any]:
        """What the page shows beside a model for the plan that is chosen there."""
        name, defines = self.setting["name"], self.setting["defines"]
        if self._plain is None:
            self._plain = self._plan(words_of_page(self.setting, name, defines, {}))[1]
        plain = model = self._plain
        words = words_of_page(self.setting, name, defines, given)
        try:
            plan, model = self._plan(words)
            refused = refusal(model, plan)
        except (Unsupported, UsageError, ModelError) as error:
            refused = error.message if isinstance(error, ModelError) else str(error)
            plan = SearchPlan()
        return {
            "language": plain.language,
            "properties": [{"name": p.name, "kind": p.kind, "text": str(p)} for p in plain.properties],
            "warnings": [str(warning) for warning in plain.warnings],
            "command": shlex.join(["kripke", "check", *words]),
            "refused": refused,
            "choices": {field: _choices(model, plan, field, values) for field, values in choices_of_fields().items()},
            "words": {search.name: search.words for engine in engines() for search in engine.searches},
        }

    def _plan(self, words: list[str]) -> tuple[SearchPlan, Model]:
        options = options_of_page(self.setting, words)
        request = request_of(options)
        if self._loaded is None or self._loaded[0] != request:
            self._loaded = (request, load_model(request))
        return plan_of(options, self._loaded[1]), self._loaded[1]


def _choices(model: Model, plan: SearchPlan, field: str, values: tuple[Any, ...]) -> list[dict[str, Any]]:
    """Every value of a field, and why it does not go with what else is chosen."""
    found = []
    for value in values:
        changes: dict[str, Any] = {field: value}
        try:
            reason = refusal(model, replace(plan, **changes))
        except Unsupported as refused:
            reason = str(refused)
        found.append({"value": value, "refused": reason})
    return found
