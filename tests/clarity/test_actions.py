"""Clear traces of action programs have the fewest switches of all shortest runs to the error.

A step is an action of one process, which may hand a message to another. A switch is where another process *acts* than
in the step before; a partner who only takes or gives the message it waited with does not count.
"""

from __future__ import annotations

from pathlib import Path

import kripke
from kripke.actions.model import ActionModel
from kripke.clarity.reorder import switches
from kripke.languages.lf import load
from kripke.model.preemptions import mover
from tests.support.random_lf import random_program

MOST_STATES = 1_500


def fewest(model: ActionModel, kind: str, place: str, length: int) -> int | None:
    """The fewest switches of a run of this length to an error, by trying all; None: too many, or there is none."""
    layer = {(model.initial()[0], -1): 0}
    found: list[int] = []
    known: dict[bytes, list[tuple[int, bytes | None, bool]]] = {}
    for depth in range(length + 1):
        after: dict[tuple[bytes, int], int] = {}
        for (state, last), cost in layer.items():
            if state not in known:
                if len(known) == MOST_STATES:
                    return None
                known[state] = [
                    (mover(step), step.target, any(_is(model, one, kind, place) for one in step.violations))
                    for step in model.successors(state)
                ]
            if kind == "deadlock" and depth == length and not known[state] and not model.valid_end(state):
                found.append(cost)
            for actor, target, is_it in known[state]:
                more = cost + (last not in (-1, actor))
                if is_it and depth == length - 1:
                    found.append(more)
                if target is not None:
                    after[target, actor] = min(more, after.get((target, actor), more))
        layer = after
    return min(found, default=None)


def _is(model: ActionModel, violation: tuple[int, int], kind: str, place: str) -> bool:
    code, statement = violation
    return model.violation_kinds[code].name == kind and str(model.statements[statement].span) == place


def test_random_programs(tmp_path: Path) -> None:
    file = tmp_path / "m.lf"
    compared = 0
    for seed in range(60):
        file.write_text(random_program(seed, plain=seed % 2 == 0))
        result = kripke.load(file).check(engine="interpreter", max_states=MOST_STATES)
        trace = result.trace
        if result.verdict != "violated" or trace is None or len(trace) > 12:
            continue
        finding = result.findings[0]
        best = fewest(load(str(file)), finding.kind, str(finding.span), len(trace))
        if best is not None:
            compared += 1
            assert switches(trace.steps) == best, seed
        if compared == 12:
            break
    assert compared == 12


def test_a_partner_is_no_switch(tmp_path: Path) -> None:
    file = tmp_path / "m.lf"
    file.write_text(
        "MODULE M; TYPE Msg = [ping]; PORT q : Msg; VAR n : INT8;\n"
        "PROCESS Ping(out : Msg); BEGIN out!ping; out!ping; ASSERT(n = 0) END Ping;\n"
        "PROCESS Pong(in : Msg); BEGIN in?ping; INC(n); in?ping END Pong;\n"
        "BEGIN NEW(q); CREATE Ping(q); CREATE Pong(q) END M.\n"
    )
    trace = kripke.load(file).check().trace
    assert trace is not None
    # Ping waits, Pong takes the message and waits for the next one, Ping sends that and fails: two switches behind M's.
    assert [step.parts[0].actor for step in trace.steps] == [0, 1, 2, 2, 1, 1]
    assert switches(trace.steps) == 3
