"""Which events an environment may send: those that transitions wait for and that nobody in the chart sends itself."""

from __future__ import annotations

from collections.abc import Iterable

from kripke.hierarchy.chart.model import actions_of
from kripke.hierarchy.chart.structure import AssignTo, Chart, Emit, Execute, Raise, Script, Send, matches
from kripke.hierarchy.script.evaluation import parts
from kripke.hierarchy.script.syntax import Literal
from kripke.model.source import ModelError

MOST_AHEAD = 64


def declared_events(chart: Chart, platform: tuple[str, ...] = ()) -> tuple[str, ...]:
    """In the order of the text. ``*`` names no event; those of the ``platform`` come by themselves."""
    found: dict[str, None] = {}
    for state in chart.states:
        for transition in state.transitions:
            for descriptor in transition.events:
                name = descriptor.removesuffix("*").removesuffix(".")
                if name and name.split(".")[0] not in platform:
                    found.setdefault(name)
    own = own_events(chart)
    return tuple(name for name in found if not any(matches((name,), event) for event in own))


def own_events(chart: Chart) -> set[str]:
    """Events the chart sends or raises: by a name it knows beforehand, and, where it computes names, by any of the
    texts in its expressions."""
    named = [action.event for action in actions_of(chart) if isinstance(action, (Raise, Send, Emit))]
    found = {event for event in named if isinstance(event, str)}
    if any(not isinstance(event, str) for event in named):
        found |= _texts(chart)
    return found


def _texts(chart: Chart) -> set[str]:
    scripts = [variable.script for variable in chart.variables]
    for action in actions_of(chart):
        match action:
            case AssignTo(_, _, _, script) | Execute(_, _, script):
                scripts.append(script)
            case Send(_, _, Script() as script):
                scripts.append(script)
    trees = (script.tree for script in scripts if script is not None and script.tree is not None)
    return {
        one.value for tree in trees for one in parts(tree) if isinstance(one, Literal) and isinstance(one.value, str)
    }


def event_names(given: str | Iterable[str] | None) -> tuple[str, ...] | None:
    """Of an option: names separated by commas, or ``none``; None where it was not given."""
    if given is None or not isinstance(given, str):
        return None if given is None else tuple(given)
    return () if given.strip() == "none" else tuple(given.replace(",", " ").split())


def queue_length(given: str | int) -> int:
    try:
        length = int(given)
    except ValueError:
        length = 0
    if not 1 <= length <= MOST_AHEAD:
        raise ModelError(f"--queue {given}: from 1 to {MOST_AHEAD} events can wait")
    return length
