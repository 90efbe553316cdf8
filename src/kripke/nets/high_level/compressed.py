"""High-level nets of which some states are passed through and not kept.

*Paths*: a state with a single successor is left at once, so that of a chain of such states only the first is kept and
has the steps of the last. *Hidden*: what is reached by instances that satisfy their transition's ``hide`` condition is
not kept; a state has the steps of all that it reaches so. States that a condition asked about tells apart from where
the chain began are kept, and so are rejected ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from kripke.model.model import Part, Statement, Transition, Violation, ViolationKind
from kripke.model.source import NOWHERE, ModelError
from kripke.nets.high_level.instance_sets import InstanceSets
from kripke.nets.high_level.interpreter import VIOLATIONS
from kripke.nets.high_level.model import HighLevelModel
from kripke.nets.high_level.net import FairnessSet, HighLevelNet

_LONGEST = 10_000  # states of a chain
_MOST_HIDDEN = 100_000  # states that are reached from one by hidden instances


class CompressedModel(HighLevelModel):
    """A step is several steps of the net, one after the other. Deadlocks are violations of a step without a target;
    with formulas states at which a run ends are kept, and deadlocks are what they are."""

    merged_steps = "--compress"

    def __init__(self, net: HighLevelNet, *arguments: Any, paths: bool, hidden: bool) -> None:
        super().__init__(net, *arguments)
        self._paths = paths
        conditions = tuple((number, t.hide) for number, t in enumerate(net.transitions) if t.hide is not None)
        self._hidden = InstanceSets(net, [FairnessSet("hide", conditions)]) if hidden and conditions else None
        self._asked = slice(0 if self.properties else len(net.propositions), None)
        self.statements = [*self.statements, Statement("no transition is enabled", NOWHERE, "")]
        self.violation_kinds = [*self.violation_kinds, ViolationKind("deadlock", self.deadlock_text)]

    def each_successor(self, state: bytes) -> Iterator[Transition]:
        path: list[Part] = []
        at, passed = state, {state}
        while True:
            steps = self._steps(at, state)
            going = [step for step in steps if step.target is not None]
            further = going[0] if self._paths and len(going) == 1 and len(passed) < _LONGEST else None
            if further is not None and (further.target in passed or not self._alike(further.target, state)):
                further = None
            for step in steps:
                if step is not further:
                    yield step._replace(parts=(*path, *step.parts))
            if further is None:
                break
            assert further.target is not None
            path += further.parts
            self._executed.update(part.statement for part in further.parts)
            at = further.target
            passed.add(at)
        if not steps and path and self.properties:
            yield Transition(tuple(path), at, ())

    def valid_end(self, state: bytes) -> bool:
        return not self.properties or super().valid_end(state)

    def dependencies(self, atoms: Sequence[int] = ()) -> str:
        return "--compress leaves out states of its own"

    def emit_c(self, *, dependencies: bool = False) -> None:
        return None

    def _steps(self, state: bytes, start: bytes) -> list[Transition]:
        """Those of a state and of what it reaches by hidden instances; a deadlock among these is one, too."""
        found: list[Transition] = []
        reached: dict[bytes, tuple[Part, ...]] = {state: ()}
        waiting = [state]
        for at in waiting:  # the list grows while we walk along it
            path, moves = reached[at], False
            for step in super().each_successor(at):
                moves = True
                parts, target = (*path, *step.parts), step.target
                if self._is_hidden(step) and self._alike(target, start):
                    assert target is not None
                    self._executed.add(step.parts[0].statement)
                    if target not in reached:
                        reached[target] = parts
                        waiting.append(target)
                else:
                    found.append(step._replace(parts=parts))
            if len(reached) > _MOST_HIDDEN:
                raise ModelError(
                    f"hidden instances lead to more than {_MOST_HIDDEN:,} states from one",
                    hint="leave out --compress hidden",
                )
            if not moves and not self.properties and self.interpreter.bad_deadlock(self.interpreter.marking(at)):
                statement = len(self.statements) - 1
                broken = (Violation(len(VIOLATIONS), statement),)
                found.append(Transition((*path, Part(0, statement)), None, broken))
        return found

    def _is_hidden(self, step: Transition) -> bool:
        return self._hidden is not None and step.target is not None and bool(self._hidden.of(self._instance(step)))

    def _alike(self, state: bytes | None, start: bytes) -> bool:
        """Is a state not to be told from another by what is asked, and not rejected?"""
        if state is None or (
            self.net.rejects and self.interpreter.rejected(self.interpreter.marking(state)) is not None
        ):
            return False
        asked = self._asked
        return not self.conditions[asked] or self.atom_values(state)[asked] == self.atom_values(start)[asked]
