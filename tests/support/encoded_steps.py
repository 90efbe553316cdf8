"""Steps of a model computed from its encoding in terms, by evaluating every command: for comparison."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

from kripke.model.model import Model
from kripke.terms.evaluation import Evaluation
from kripke.terms.system import TransitionSystem


class EncodedSteps:
    """A transition system, run. Values of variables are tuples in their order."""

    def __init__(self, system: TransitionSystem) -> None:
        self.system = system
        self._about = Evaluation(
            [
                system.stable,
                system.resting,
                system.valid_end,
                *system.atoms,
                *system.failed_atoms,
                *(breach.condition for breach in system.breaches),
                *(limit.condition for limit in system.limits),
            ]
        )
        plain = [command for command in system.commands if not command.choices]
        self._chosen = [command for command in system.commands if command.choices]
        self._plain = [(command, dict(command.updates)) for command in plain]
        self._guards = Evaluation([command.guard for command in plain])
        self._updates = [Evaluation(list(command.updates.values())) for command in plain]

    def facts(self, values: tuple[int, ...]) -> dict[str, object]:
        system = self.system
        found = iter(self._about(dict(zip(system.variables, values, strict=True))))
        return {
            "stable": next(found),
            "resting": next(found),
            "valid_end": next(found),
            "atoms": tuple(bool(next(found)) for _ in system.atoms),
            "failed": tuple(bool(next(found)) for _ in system.failed_atoms),
            "breaches": {(b.code, b.statement) for b in system.breaches if next(found)},
            "limits": {limit.text for limit in system.limits if next(found)},
        }

    def commands(self, values: tuple[int, ...]) -> set[tuple[int, ...]]:
        """What single commands lead to."""
        known = dict(zip(self.system.variables, values, strict=True))
        targets: set[tuple[int, ...]] = set()
        for (command, _), possible, update in zip(self._plain, self._guards(known), self._updates, strict=True):
            if possible:
                targets.add(self._after(known, dict(zip(command.updates, update(known), strict=True))))
        for command in self._chosen:
            guard, update = Evaluation([command.guard]), Evaluation(list(command.updates.values()))
            ranges = [range(one.sort.low, one.sort.high + 1) for one in command.choices]
            for chosen in product(*ranges):
                here = known | dict(zip(command.choices, chosen, strict=True))
                if guard(here)[0]:
                    targets.add(self._after(known, dict(zip(command.updates, update(here), strict=True))))
        return targets

    def _after(self, known, updates) -> tuple[int, ...]:
        for symbol, value in updates.items():
            assert value in symbol.sort, (symbol, value, symbol.sort)
        return tuple(updates.get(symbol, known[symbol]) for symbol in self.system.variables)

    def steps(self, values: tuple[int, ...]) -> tuple[set[tuple[int, ...]], set[tuple[int, int]], set[str]]:
        """The stable states that a stable one leads to, what is broken on the way, where the encoding ends."""
        first = self.facts(values)
        broken, limits = set(first["breaches"]), set(first["limits"])
        targets: set[tuple[int, ...]] = set()
        seen: set[tuple[int, ...]] = set()
        waiting = list(self.commands(values))
        while waiting:
            state = waiting.pop()
            if state in seen:
                continue
            seen.add(state)
            facts = self.facts(state)
            if facts["stable"]:
                targets.add(state)
                continue
            broken |= facts["breaches"]
            limits |= facts["limits"]
            waiting += self.commands(state)
        return targets, broken, limits


def assert_encoded(
    model: Model,
    most_states: int = 300,
    room: int = 1,
    change: Callable[[TransitionSystem], TransitionSystem] = lambda s: s,
) -> tuple[int, int]:
    """Every reachable state has the same steps, violations, ends and atoms in the encoding; states, and those beyond
    which the encoding ends. A refusal is no difference: (-1, 0)."""
    encoding = model.encode(room)
    if isinstance(encoding, str):
        return -1, 0
    system = change(encoding.system)
    encoded = EncodedSteps(system)
    initial = Evaluation([system.initial])
    queue = model.initial()
    seen = set(queue)
    ended = 0
    for state in queue:
        values = encoding.values(state)
        assert encoding.state(values) == state
        facts = encoded.facts(values)
        assert facts["stable"]
        assert bool(initial(dict(zip(system.variables, values, strict=True)))[0]) == (state in model.initial())
        steps = model.successors(state)
        targets, broken, limits = encoded.steps(values)
        if limits:
            ended += 1
            continue
        wanted = {step.target for step in steps if step.target is not None}
        assert {encoding.state(target) for target in targets} == wanted, state.hex()
        assert broken == {tuple(violation) for step in steps for violation in step.violations}, state.hex()
        assert bool(facts["resting"]) == (not steps), state.hex()
        assert bool(facts["valid_end"]) == model.valid_end(state), state.hex()
        assert facts["atoms"] == model.atom_values(state), state.hex()
        failed = model.failed_atoms(state)
        assert facts["failed"] == tuple(bool(failed >> i & 1) for i in range(len(model.atoms))), state.hex()
        for target in wanted:
            if target not in seen and len(seen) < most_states:
                seen.add(target)
                queue.append(target)
    return len(seen), ended
