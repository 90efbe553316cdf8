"""What may disturb a process while it waits: nothing that can is missing, and what cannot come about is known."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kripke.engines.reduction.stubborn import Reduction
from kripke.model.model import Transition
from kripke.process.dependence.analysis import ProcessDependencies
from kripke.process.model import ProcessModel
from tests.process.test_dependence import loaded
from tests.process.test_pairs import ALGORITHMS, states_of
from tests.support.seeds import sample
from tests.support.shared_programs import critical_program, meeting_program, shared_program, tally_program

# The second waits for the first, which opens the gate when it has passed.
GATE = """
bool gate; byte x;
active proctype first() { x = 1; x = 2; gate = true }
active proctype second() { gate; x = 3; gate = false }
"""
# A buffer of one message is a lock.
TOKEN = """
chan lock = [1] of { bit }; byte x;
active [3] proctype p() { do :: lock!1; x++; x = x * 2 % 5; x = 0; lock?_ od }
"""
# A number that is counted, and that a message brings, too.
RECEIVED = """
chan q = [1] of { byte }; byte n; byte x;
active proctype p() { do :: n++; x = n; n--; assert(x != 8) od }
active proctype r() { q!7; q?n; x = 0 }
"""


class Watched:
    """The steps of a model by the numbers of its tables."""

    def __init__(self, model: ProcessModel) -> None:
        self.analysis = ProcessDependencies(model.interpreter)
        self.reduction = Reduction(self.analysis)
        self._steps: dict[bytes, dict[int, list[Transition]]] = {}

    def steps(self, state: bytes) -> dict[int, list[Transition]]:
        if state not in self._steps:
            found: dict[int, list[Transition]] = {}
            for number, outcomes in self.analysis.steps(state):
                found.setdefault(number, []).extend(outcomes)
            self._steps[state] = found
        return self._steps[state]

    def waiting_sets(self, state: bytes) -> list[tuple[int, int]]:
        """For each location with an enabled transition of which views tell something: what is enabled there, and what
        is said to disturb that, with all that is enabled there."""
        at_hand = self.reduction._at_hand(state)
        if at_hand is None:
            return []
        at_hand.enabled = sum(1 << number for number in self.steps(state))
        found = {}
        for number in self.steps(state):
            sets = at_hand._choices_of(number)
            here = at_hand.tables.neighbours[number]
            if len(sets) == 2:
                found[here] = here & at_hand.enabled, found.get(here, (0, 0))[1] | sets[1] | 1 << number
        return list(found.values())

    def missing(self, state: bytes, enabled: int, disturbing: int) -> str | None:
        """A step outside the set that disturbs the steps that are enabled, after others outside the set."""
        seen, waiting = {state}, [state]
        own = self._same_location(state, enabled)
        while waiting:
            here = waiting.pop()
            steps = self.steps(here)
            if sum(1 << number for number in steps if own >> number & 1) != enabled:
                return f"{here.hex()}: not the same is enabled any more"
            for number, outcomes in steps.items():
                if disturbing >> number & 1:
                    continue
                for step in outcomes:
                    for other in (n for n in steps if enabled >> n & 1):
                        if not self._accord(here, number, step, other):
                            return f"{here.hex()}: {number} disturbs {other}"
                    if step.target is not None and step.target not in seen:
                        seen.add(step.target)
                        waiting.append(step.target)
            if len(seen) > 300:
                break
        return None

    def _same_location(self, state: bytes, enabled: int) -> int:
        number = enabled.bit_length() - 1
        at_hand = self.reduction._at_hand(state)
        assert at_hand is not None
        return at_hand.tables.neighbours[number]

    def _accord(self, state: bytes, number: int, step: Transition, other: int) -> bool:
        for mine in self.steps(state)[other]:
            if step.target is not None:
                after = self.steps(step.target).get(other, [])
                if {one.violations for one in after} != {mine.violations}:
                    return False
            if mine.target is not None:
                after = self.steps(mine.target).get(number, [])
                if {one.violations for one in after} != {step.violations}:
                    return False
            if step.target is not None and mine.target is not None:
                ends = {one.target for one in self.steps(step.target)[other]}
                if ends != {one.target for one in self.steps(mine.target)[number]}:
                    return False
        return True


def wrong_set(model: ProcessModel, most: int) -> str | None:
    watched = Watched(model)
    for state in states_of(model, most):
        for enabled, disturbing in watched.waiting_sets(state):
            found = watched.missing(state, enabled, disturbing)
            if found is not None:
                return f"from {state.hex()}: {found}"
    return None


@pytest.mark.parametrize("text", [GATE, TOKEN, RECEIVED])
def test_nothing_that_disturbs_is_missing(tmp_path: Path, text: str) -> None:
    assert wrong_set(loaded(tmp_path, text), 300) is None


@pytest.mark.parametrize("seed", sample(range(20)))
@pytest.mark.parametrize("make", [shared_program, critical_program, tally_program, meeting_program])
def test_nothing_that_disturbs_is_missing_in_random_programs(
    tmp_path: Path, make: Callable[[int], str], seed: int
) -> None:
    assert wrong_set(loaded(tmp_path, make(seed)), 30) is None


@pytest.mark.parametrize("name", ["burns_lynch", "dekker", "mcs_lock", "peterson", "szymanski"])
def test_nothing_that_disturbs_is_missing_in_algorithms(tmp_path: Path, name: str) -> None:
    assert wrong_set(loaded(tmp_path, (ALGORITHMS / f"{name}.pml").read_text()), 100) is None


def test_who_waits_at_a_gate_disturbs_nobody_before_it(tmp_path: Path) -> None:
    model = loaded(tmp_path, GATE)
    (state,) = model.initial()
    ((enabled, disturbing),) = Watched(model).waiting_sets(state)
    assert enabled == disturbing == 1  # x = 1 of the first, though the second assigns x, too
