"""The token game in Python: the reference semantics of place/transition nets."""

from __future__ import annotations

from kripke.model.model import Part, Transition, Violation
from kripke.nets.marking import decode, encode
from kripke.nets.place_transition import MOST_TOKENS, Arc, PlaceTransitionNet

TOO_MANY_TOKENS = 0  # the code of the only violation


class Interpreter:
    """Successors of encoded markings, in the order of ``net.order``."""

    def __init__(self, net: PlaceTransitionNet) -> None:
        self.net = net
        self._steps = [
            (number, net.transitions[number].preset, net.transitions[number].changes) for number in net.order
        ]

    def initial(self) -> bytes:
        return self.state(self.net.initial)

    def state(self, tokens: list[int] | tuple[int, ...]) -> bytes:
        return encode(tokens) if self.net.places else b"\0"

    def tokens(self, state: bytes) -> list[int]:
        return decode(state, len(self.net.places))

    def successors(self, state: bytes) -> list[Transition]:
        tokens = self.tokens(state)
        steps: list[Transition] = []
        for number, preset, changes in self._steps:
            for place, weight in preset:
                if tokens[place] < weight:
                    break
            else:
                steps.append(self._fired(tokens, number, changes))
        return steps

    def step(self, state: bytes, number: int) -> Transition | None:
        """By one transition alone; None where it is not enabled."""
        tokens, transition = self.tokens(state), self.net.transitions[number]
        if any(tokens[place] < weight for place, weight in transition.preset):
            return None
        return self._fired(tokens, number, transition.changes)

    def _fired(self, tokens: list[int], number: int, changes: tuple[Arc, ...]) -> Transition:
        after = tokens.copy()
        for place, change in changes:
            after[place] += change
        parts = (Part(0, number),)
        if any(change > 0 and after[place] > MOST_TOKENS for place, change in changes):
            return Transition(parts, None, (Violation(TOO_MANY_TOKENS, number),))
        return Transition(parts, self.state(after))
