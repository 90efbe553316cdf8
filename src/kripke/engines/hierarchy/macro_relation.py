"""The steps of a system of modes as sets of pairs of states: what formulas, and deadlocks, are asked of.

A pair is a state and one that a macro step leads to, by the two control points. It is made with the very macro steps of
the search, from every reached state paired with itself: micro steps work on one side, the other stays. A macro step
that changes nothing is none, so pairs of equal states are left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from kripke.engines.hierarchy.located import BEFORE, DONE, NOW, ValueSet
from kripke.engines.hierarchy.reachability import Reachability
from kripke.hierarchy.terms import Term, Unary
from kripke.hierarchy.types import BOOL


class Region:
    """A set of states: a set of values for each control point."""

    __slots__ = ("parts",)

    def __init__(self, parts: Mapping[int, ValueSet]) -> None:
        self.parts = {control: values for control, values in parts.items() if values}

    def __bool__(self) -> bool:
        return bool(self.parts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Region) and self.parts == other.parts

    def __hash__(self) -> int:
        return hash(tuple(sorted((control, values.handle) for control, values in self.parts.items())))

    def __or__(self, other: Region) -> Region:
        parts = dict(self.parts)
        for control, values in other.parts.items():
            parts[control] = parts[control] | values if control in parts else values
        return Region(parts)

    def __and__(self, other: Region) -> Region:
        return Region({c: values & other.parts[c] for c, values in self.parts.items() if c in other.parts})

    def __sub__(self, other: Region) -> Region:
        return Region({c: values - other.parts[c] if c in other.parts else values for c, values in self.parts.items()})


class MacroRelation:
    """Of all states that a search has reached without an error."""

    nothing = Region({})

    def __init__(self, search: Reachability) -> None:
        self.search = search
        self.reachable = Region(search.sets.reached())
        self.initial = Region(search.sets.ring(0))

    @cached_property
    def steps(self) -> dict[int, dict[int, ValueSet]]:
        """Pairs by the control before and the control after."""
        return {control: self._steps(control, values) for control, values in self.reachable.parts.items()}

    def _steps(self, control: int, values: ValueSet) -> dict[int, ValueSet]:
        same, found = values.mirrored(), dict[int, ValueSet]()
        for actor in range(len(self.search.tree.roots)):
            event, reached = self.search.macro_step(control, same, actor)
            assert event.kind == DONE
            for after, pairs in reached.items():
                found[after] = found[after] | pairs if after in found else pairs
        if control in found:
            found[control] = found[control] - same
        return {after: pairs for after, pairs in found.items() if pairs}

    @cached_property
    def dead(self) -> Region:
        """States without a step."""
        alive = Region({})
        for control, found in self.steps.items():
            for pairs in found.values():
                alive = alive | Region({control: pairs.project(BEFORE)})
        return self.reachable - alive

    def successors(self, start: Region, within: Region) -> Region:
        parts: dict[int, ValueSet] = {}
        for control, values in start.parts.items():
            for after, pairs in self.steps.get(control, {}).items():
                reached = pairs.select(values, BEFORE).project(NOW)
                parts[after] = parts[after] | reached if after in parts else reached
        return Region(parts) & within

    def predecessors(self, goal: Region, within: Region) -> Region:
        parts: dict[int, ValueSet] = {}
        for control in within.parts:
            for after, pairs in self.steps.get(control, {}).items():
                if after in goal.parts:
                    found = pairs.select(goal.parts[after], NOW).project(BEFORE)
                    parts[control] = parts[control] | found if control in parts else found
        return Region(parts) & within

    def satisfying(self, term: Term) -> Region:
        """The reachable states of which a condition is true."""
        search = self.search
        return Region({c: search.restricted(c, values, term) for c, values in self.reachable.parts.items()})

    def unsatisfying(self, term: Term) -> Region:
        """Those of which it is false; where it has no value, it is neither."""
        return self.satisfying(Unary(BOOL, "!", term))

    def state_of(self, region: Region) -> bytes:
        """Some state of a region that is not empty."""
        control, values = next(iter(region.parts.items()))
        return self.search.state(control, values)

    def single(self, state: bytes) -> Region:
        control, values = self.search.located(state)
        return Region({control: values})

    def one(self, region: Region) -> Region:
        """A region of one of its states."""
        return self.single(self.state_of(region))

    def some_state(self, region: Region) -> tuple[int, bytes]:
        """A state of a region that is not empty, in the first ring that has any, with the number of that ring."""
        for number in range(self.search.rings):
            found = Region(self.search.sets.ring(number)) & region
            for control, values in found.parts.items():
                return number, self.search.state(control, values)
        raise AssertionError("no ring has a state of the region")
