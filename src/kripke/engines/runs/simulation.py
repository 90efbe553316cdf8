"""One run of a model: every step chosen, at random or by somebody."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from kripke.model.model import Model
from kripke.model.trace import Step, Trace, make_step

End = Literal["valid end", "deadlock", "violation", "limit", "stopped"]
# Chooses among the enabled steps; None ends the run.
Choose = Callable[[bytes, Sequence[Step]], Step | None]


@dataclass(frozen=True, slots=True)
class Simulation:
    """A run and what ended it. ``output`` is what the model printed."""

    trace: Trace
    end: End
    seed: int | None = None

    @property
    def output(self) -> str:
        return "".join(step.printed for step in self.trace.steps)


def choose_at_random(seed: int) -> Choose:
    """The same choices for the same seed."""
    source = random.Random(seed)

    def choose(_state: bytes, steps: Sequence[Step]) -> Step:
        return source.choice(steps)

    return choose


def new_seed() -> int:
    return random.SystemRandom().randrange(1, 1 << 31)


def simulate(
    model: Model,
    choose: Choose,
    *,
    steps: int = 1000,
    on_step: Callable[[Step], None] | None = None,
    seed: int | None = None,
    origin: Mapping[str, Any] | None = None,
) -> Simulation:
    """Run until nothing can move, something is violated, ``steps`` steps are done or ``choose`` has enough."""
    starts = model.initial()
    if not starts:
        return Simulation(Trace(model, b"", (), origin=origin or {}), "stopped", seed)
    state = starts[0]
    done: list[Step] = []
    end: End = "limit"
    while len(done) < steps:
        enabled = [make_step(model, len(done) + 1, state, transition) for transition in model.successors(state)]
        if not enabled:
            end = "valid end" if model.valid_end(state) else "deadlock"
            break
        step = choose(state, enabled)
        if step is None:
            end = "stopped"
            break
        done.append(step)
        if on_step is not None:
            on_step(step)
        if step.violations or step.state is None:
            end = "violation"
            break
        state = step.state
    else:
        if not model.successors(state):
            end = "valid end" if model.valid_end(state) else "deadlock"
    return Simulation(Trace(model, starts[0], tuple(done), origin=origin or {}), end, seed)
