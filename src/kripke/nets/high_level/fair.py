"""A high-level net whose runs are fair to its fairness sets.

A state is a marking with the sets that the last step belonged to, a bit for each. So fairness is about states: a set is
*weakly* fair if again and again none of its instances is enabled or one has just fired, *strongly* fair if again and
again one has just fired, provided that one is enabled again and again (``Model.fairness_constraints``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from kripke.model.model import FairnessConstraint, Transition
from kripke.nets.high_level.instance_sets import InstanceSets
from kripke.nets.high_level.model import HighLevelModel
from kripke.nets.high_level.net import HighLevelNet

_MOST_KNOWN = 500_000  # markings whose enabled sets are remembered


class FairModel(HighLevelModel):
    always_fair = True

    def __init__(self, net: HighLevelNet, *arguments: Any) -> None:
        super().__init__(net, *arguments)
        self._sets = net.fair_sets
        self._width = (len(self._sets) + 7) // 8
        self._instances = InstanceSets(net, self._sets)
        self._enabled: dict[bytes, int] = {}
        own = len(self.conditions)
        self.atoms = [*(condition.name for condition in self.conditions)]
        constraints = []
        for number, fair in enumerate(self._sets):
            name = f"{fair.strength}ly fair set {number + 1}"
            constraints.append(
                FairnessConstraint(name, own + 2 * number, None if fair.strength == "weak" else own + 2 * number + 1)
            )
            self.atoms += [f"{name}: due", f"{name}: enabled"]
        self.fairness_constraints = constraints

    @property
    def max_state_bytes(self) -> int:
        return super().max_state_bytes + self._width

    def initial(self) -> list[bytes]:
        return [bytes(self._width) + state for state in super().initial()]

    def each_successor(self, state: bytes) -> Iterator[Transition]:
        for step in super().each_successor(state[self._width :]):
            if step.target is None:
                yield step
                continue
            fired = self._instances.of(self._instance(step))
            yield step._replace(target=fired.to_bytes(self._width, "little") + step.target)

    def _enabled_sets(self, state: bytes) -> int:
        found = self._enabled.get(state)
        if found is None:
            found = 0
            for instance in self.interpreter.instances(state):
                if instance.error is None:
                    found |= self._instances.of(instance)
            if len(self._enabled) < _MOST_KNOWN:
                self._enabled[state] = found
        return found

    def valid_end(self, state: bytes) -> bool:
        return super().valid_end(state[self._width :])

    def atom_values(self, state: bytes) -> tuple[bool, ...]:
        fired, marking = int.from_bytes(state[: self._width], "little"), state[self._width :]
        enabled = self._enabled_sets(marking)
        values = list(super().atom_values(marking))
        for number, fair in enumerate(self._sets):
            has_fired, is_enabled = bool(fired >> number & 1), bool(enabled >> number & 1)
            values += [not has_fired and (is_enabled or fair.strength == "strong"), is_enabled]
        return tuple(values)

    def failed_atoms(self, state: bytes) -> int:
        return super().failed_atoms(state[self._width :])

    def dependencies(self, atoms: Sequence[int] = ()) -> str:
        return "the net has fairness sets, under which reduction is not sound"

    def emit_c(self, *, dependencies: bool = False) -> str | None:
        from kripke.nets.high_level.emit import emit_c

        return emit_c(self.net, self.interpreter, self.conditions, self._sets)

    def describe(self, state: bytes) -> dict[str, str]:
        return super().describe(state[self._width :])
