"""Sets of instances, those of fairness and ``enabled``: which of them an instance belongs to."""

from __future__ import annotations

from collections.abc import Sequence

from kripke.nets.high_level.evaluation import EvaluationError, evaluator
from kripke.nets.high_level.interpreter import Instance
from kripke.nets.high_level.net import FairnessSet, HighLevelNet


class InstanceSets:
    def __init__(self, net: HighLevelNet, sets: Sequence[FairnessSet]) -> None:
        self.net = net
        self._members = [
            [(1 << number, evaluator(term)) for number, one in enumerate(sets) for t, term in one.instances if t == at]
            for at in range(len(net.transitions))
        ]

    def of(self, instance: Instance) -> int:
        """A bit for each set. A condition that cannot be evaluated is not true."""
        members = self._members[instance.transition]
        if not members:
            return 0
        environment = [None] * self.net.slots
        for variable, value in zip(self.net.transitions[instance.transition].variables, instance.values, strict=True):
            environment[variable.slot] = value
        found = 0
        for bit, condition in members:
            try:
                if condition(environment, []):
                    found |= bit
            except EvaluationError:
                continue
        return found
