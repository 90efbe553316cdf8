"""The whole state space of a small model as a graph, by the reference semantics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from kripke.model.assertions import Assertions
from kripke.model.capabilities.events import Events
from kripke.model.model import Model, Transition
from kripke.model.trace import make_step


class Edge(NamedTuple):
    """A step between two numbered states. ``target`` None: a violation ended it; where one did not end it, as a failed
    assertion in Promela, it is ``broken``."""

    source: int
    label: str
    target: int | None
    broken: bool = False


@dataclass(frozen=True, slots=True)
class StateSpace:
    """States numbered in breadth-first order, the initial ones first. ``complete``: the limit was not reached."""

    model: Model
    states: tuple[bytes, ...]
    initial: tuple[int, ...]
    edges: tuple[Edge, ...]
    deadlocks: frozenset[int]
    complete: bool


def explore(model: Model, max_states: int) -> StateSpace:
    """All states and steps, up to ``max_states`` states."""
    numbers: dict[bytes, int] = {}
    for state in model.initial():
        numbers.setdefault(state, len(numbers))
    initial = tuple(range(len(numbers)))
    states = list(numbers)
    edges: list[Edge] = []
    deadlocks: set[int] = set()
    complete = True
    for number, state in enumerate(states):  # the list grows while we walk along it
        transitions = model.successors(state)
        if not transitions and not model.valid_end(state):
            deadlocks.add(number)
        for transition in transitions:
            target = transition.target
            if target is not None and target not in numbers:
                if len(states) >= max_states:
                    complete = False
                    continue
                numbers[target] = len(states)
                states.append(target)
            place = None if target is None else numbers[target]
            edges.append(Edge(number, label_of(model, state, transition), place, bool(transition.violations)))
    return StateSpace(model, tuple(states), initial, tuple(edges), frozenset(deadlocks), complete)


def label_of(model: Model, state: bytes, transition: Transition) -> str:
    """``P:0 x = 1; Q:1 c?x``: who does what. Of a process that asserts something about its events, the event alone."""
    events = model.capability(Events)
    if events is not None and model.capability(Assertions) is not None:
        event = events.event_table[events.event_of(state, transition)]
        return "i" if event.kind == "tau" else str(event)
    step = make_step(model, 0, state, transition)
    return "; ".join(f"{step.actor_of(part)} {model.explain_part(part)}".lstrip() for part in step.parts)
