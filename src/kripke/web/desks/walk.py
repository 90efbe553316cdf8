"""Walking through a model from address to address, by the reference semantics."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from itertools import islice

from kripke.model.model import Model, Transition
from kripke.model.trace import Step, Trace, make_step
from kripke.web.desks.address import choices_of, number_of, written
from kripke.web.desks.questions import Unanswerable

MOST_CHOICES = 300  # of a state, that are shown
_KEPT = 20_000  # addresses whose state is known


class Walk:
    """States by their addresses. What was visited is remembered, so that one step further costs one step."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.initial = model.initial()
        self._known: OrderedDict[str, bytes] = OrderedDict()

    def state(self, address: str) -> bytes:
        """The state of an address; of a step that a violation ended, the state before it."""
        step = self.last_step(address)
        return self._start(address) if step is None else step.state if step.state is not None else step.before

    def last_step(self, address: str) -> Step | None:
        """The step that leads to the address; None at the start."""
        _, choices = choices_of(address)
        if not choices:
            self._start(address)
            return None
        before = self._reach(address[: len(address) - len(choices[-1])])
        return make_step(self.model, len(choices), before, self.choice(before, number_of(choices[-1])))

    def trace(self, address: str) -> Trace:
        """The whole run to the address."""
        start, choices = choices_of(address)
        state = self._start(address)
        steps: list[Step] = []
        for number, choice in enumerate(choices, start=1):
            if steps and steps[-1].state is None:
                raise Unanswerable(f"step {number - 1} ends in a violation: nothing comes after it")
            step = make_step(self.model, number, state, self.choice(state, number_of(choice)))
            steps.append(step)
            state = state if step.state is None else step.state
        return Trace(self.model, self.initial[start], tuple(steps))

    def choice(self, state: bytes, number: int) -> Transition:
        found = next(islice(self.model.each_successor(state), number, None), None)
        if found is None:
            raise Unanswerable("there is no such step here: was the model changed since this address was made?")
        return found

    def choices(self, state: bytes) -> Iterator[tuple[int, Transition]]:
        """The first of the steps that are possible, with their numbers."""
        return enumerate(islice(self.model.each_successor(state), MOST_CHOICES))

    def address_of(self, start: int, states: list[bytes]) -> str:
        """Of a run through these states, each of which follows from the one before."""
        address, here = f"{start}.", states[0]
        for state in states[1:]:
            numbers = (n for n, step in enumerate(self.model.each_successor(here)) if step.target == state)
            number = next(numbers, None)
            if number is None:
                raise Unanswerable("this is no run of the model")
            address += written(number)
            self._remember(address, state)
            here = state
        return address

    def _start(self, address: str) -> bytes:
        start, _ = choices_of(address)
        if start >= len(self.initial):
            raise Unanswerable(
                "the model has no initial state" if not self.initial else f"there is no initial state {start}"
            )
        return self.initial[start]

    def _reach(self, address: str) -> bytes:
        """The state, from the nearest one on the way that is known."""
        start = self._start(address)
        _, choices = choices_of(address)
        ends = [address.index(".") + 1]
        for choice in choices:
            ends.append(ends[-1] + len(choice))
        at = len(choices)
        while at and address[: ends[at]] not in self._known:
            at -= 1
        state = self._known[address[: ends[at]]] if at else start
        for place in range(at, len(choices)):
            target = self.choice(state, number_of(choices[place])).target
            if target is None:
                raise Unanswerable(f"step {place + 1} ends in a violation: nothing comes after it")
            state = target
            self._remember(address[: ends[place + 1]], state)
        return state

    def _remember(self, address: str, state: bytes) -> None:
        self._known[address] = state
        if len(self._known) > _KEPT:
            self._known.popitem(last=False)
