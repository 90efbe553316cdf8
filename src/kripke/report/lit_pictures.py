"""A run in a notebook, in the picture of its machine: step by step, what is active is lit."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from kripke.model.capabilities.pictured import marks_of
from kripke.model.diagram import Diagram, Drawable, Undrawable
from kripke.model.trace import Trace
from kripke.pictures.svg import svg

_MOST_NODES = 60  # of a picture
_MOST_STEPS = 60


def lit_pictures(trace: Trace) -> str:
    """Only of nested states, where pictures are small enough to be looked at. Each step opens with a click."""
    diagrams = [one for one in _diagrams(trace) if one.depth > 1]
    if not diagrams or sum(one.size for one in diagrams) > _MOST_NODES or len(trace.steps) > _MOST_STEPS:
        return ""
    shown = []
    for name, state in _states(trace):
        picture = svg(diagrams, marked=marks_of(trace.model, state))
        shown.append(f"<details><summary>{escape(name)}</summary>{picture}</details>")
    return f"<details><summary>in the picture</summary>{''.join(shown)}</details>"


def _diagrams(trace: Trace) -> list[Diagram]:
    drawable = trace.model.capability(Drawable)
    try:
        return [] if drawable is None else list(drawable.marked_diagrams())
    except Undrawable:
        return []


def _states(trace: Trace) -> Iterator[tuple[str, bytes]]:
    yield "at the start", trace.initial
    for step in trace.steps:
        if step.state is not None:
            yield f"after step {step.number}: {', '.join(step.statements[:1])}", step.state
