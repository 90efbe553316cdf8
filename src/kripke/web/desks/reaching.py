"""The desk that finds a run: from any state to one in which a condition holds, the shortest there is.

The native engine searches, from that state on (``model/started.py``); where a model has no compiled form the
interpreter does. The way is then walked with the reference semantics, choice by choice: that gives its address.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kripke.engines.branching.graph import GraphLimits
from kripke.engines.explicit.goals import find_goals
from kripke.engines.explicit.prepare import native_library
from kripke.engines.explicit.search import Progress
from kripke.engines.unsupported import Unsupported
from kripke.languages.registry import load_model
from kripke.model.started import Started
from kripke.web.desks.address import choices_of
from kripke.web.desks.answering import answer_all, settle
from kripke.web.desks.questions import Unanswerable, enter, request_to_explore
from kripke.web.desks.walk import Walk

_REASONS = {
    "memory": "the memory limit was reached",
    "states": "the limit of states was reached",
    "time": "the time limit was reached",
    "error": "a step that breaks something was in the way, and what is behind it was not looked at",
}


def work(setting: Mapping[str, Any]) -> None:
    settle(setting, programs=True)
    enter(setting)

    def find(question: Mapping[str, Any]) -> dict[str, Any]:
        return reach(setting, question)

    answer_all({"reach": find})


def reach(setting: Mapping[str, Any], question: Mapping[str, Any]) -> dict[str, Any]:
    """``at``: the address of the first state found; None where there is none, and ``why``."""
    condition = str(question["condition"])
    plain = request_to_explore(setting, setting["name"], setting["defines"])
    model = load_model(replace(plain, conditions=(condition,)))
    if condition not in model.atoms:
        raise Unanswerable(f"there are no conditions in the language {model.language} yet")
    walk = Walk(model)
    state = walk.state(question["at"])
    if model.atom_values(state)[list(model.atoms).index(condition)]:
        return {"at": question["at"], "why": "it holds here already", "states": 1}
    started = Started(model, state)
    limits = GraphLimits(memory=setting["memory"], time_limit=float(question["seconds"]))
    try:
        library = native_library(started)
    except Unsupported:
        library = None
    found = find_goals(started, [condition], limits, library, _no_watch)
    if condition not in found.ways:
        why = "no state that can be reached from here" if found.complete else _REASONS.get(found.reason, found.reason)
        return {"at": None, "why": why, "complete": found.complete, "states": found.states}
    start, before = choices_of(question["at"])
    way = walk.address_of(0, list(found.ways[condition])).partition(".")[2]
    return {"at": f"{start}.{''.join(before)}{way}", "why": "", "states": found.states}


def _no_watch(now: Progress) -> None:
    """Nobody looks on."""
