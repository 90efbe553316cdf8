"""The state space of a process as a CSP-M script that asserts to be equivalent to it.

A state is a process; an invisible step is an event that is hidden at the end, so that the script has the very same
steps, cycles of invisible ones included.
"""

from __future__ import annotations

import os

from kripke.algebra.events import TAU, TICK
from kripke.algebra.lts.system import TooManyStates, explored
from kripke.algebra.terms import Term
from kripke.model.source import ModelError

HIDDEN = "kripke_invisible"


def script_of(root: Term, file: str, process: str, most: int) -> tuple[str, int]:
    try:
        _, table = explored(root, lambda term: term.steps(), most)
    except TooManyStates:
        raise ModelError(f"the process has more than {most:,} states", hint="--max-states N allows more") from None
    name = root.world.events.name
    lines = [
        f"-- The state space of {process}: {len(table)} states.",
        f'include "{os.path.abspath(file)}"',
        f"channel {HIDDEN}",
        "",
    ]
    for number, own in enumerate(table):
        branches = []
        for event, target in own:
            if event == TICK:
                branches.append("SKIP")
            else:
                branches.append(f"{HIDDEN if event == TAU else name(event)} -> State_{target}")
        lines.append(f"State_{number} = {' [] '.join(branches) or 'STOP'}")
    lines += ["", f"StateSpace = State_0 \\ {{{HIDDEN}}}"]
    for model in ("T", "F", "FD"):
        lines += [f"assert ({process}) [{model}= StateSpace", f"assert StateSpace [{model}= ({process})"]
    return "\n".join(lines) + "\n", len(table)
