"""A sequence of transitions, fired by the interpreter: what another engine has found, as a trace."""

from __future__ import annotations

from collections.abc import Sequence

from kripke.engines.replay import ReplayFailure
from kripke.model.trace import Step, make_step
from kripke.nets.model import NetModel


def fired(model: NetModel, transitions: Sequence[int]) -> tuple[bytes, tuple[Step, ...], bytes]:
    """The initial marking, the steps and the last marking. ``ReplayFailure`` where one of them cannot fire."""
    initial = state = model.initial()[0]
    steps = []
    for number, transition in enumerate(transitions, start=1):
        step = next((s for s in model.successors(state) if s.parts[0].statement == transition), None)
        if step is None or step.target is None:
            raise ReplayFailure(f"{model.net.transitions[transition].name} cannot fire in step {number}")
        steps.append(make_step(model, number, state, step))
        state = step.target
    return initial, tuple(steps), state
