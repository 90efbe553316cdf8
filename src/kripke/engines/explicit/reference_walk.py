"""Random walks in pure Python (as in native/searches/random_walk.h)."""

from __future__ import annotations

import random

from kripke.engines.explicit import sketch
from kripke.engines.explicit.reference import LOOK_EVERY, ReferenceSearch
from kripke.engines.explicit.search import SearchRequest, Watch
from kripke.model.model import Model


class RandomWalk(ReferenceSearch):
    """From an initial state on, of all steps any one is taken, up to the depth limit; then again."""

    def __init__(self, model: Model, request: SearchRequest, watch: Watch | None) -> None:
        super().__init__(model, request, watch)
        self.chance = random.Random(request.seed)
        self.met = sketch.empty()
        self.run: list[bytes] = []
        self.deepest = 0

    def explore(self) -> None:
        initial = self.initial()
        self.transitions += len(initial)
        for _ in range(self.request.walks if initial else 0):
            self._walk(self.chance.choice(initial))
        self.states = round(sketch.estimate(self.met))
        self.stop("walks")

    def _walk(self, state: bytes) -> None:
        self.run.clear()
        while True:
            self.run.append(state)
            self.deepest = max(self.deepest, len(self.run) - 1)
            self.longest = max(self.longest, len(state))
            sketch.add(self.met, state)
            if self.request.invariants:
                self.check_invariants(state)
            if len(self.run) % LOOK_EVERY == 0:
                self.states = round(sketch.estimate(self.met))
                self.look_up()
            steps = self.all_steps(state)
            if not steps:
                self.check_end(state)
            for step in steps:
                for part in step.parts:
                    self.covered[part.statement] = 1
                self.found_violations(step.violations, state)
            targets = [step.target for step in steps if step.target is not None]
            self.transitions += len(targets)
            if not targets or len(self.run) > self.request.max_depth > 0:
                return
            state = self.chance.choice(targets)

    def path(self, state: bytes) -> tuple[bytes, ...]:
        return tuple(self.run)

    def depth(self) -> int:
        return self.deepest

    def queue(self) -> int:
        return len(self.run)

    def store_bytes(self) -> int:
        return sketch.REGISTERS
