"""Explicit-state search in pure Python, on the reference semantics of the model.

Slow and simple: for machines without a C compiler, and to check the native engine against. The counts and limits mean
exactly what they mean there (``search.py``, ``native/searches/search.h``).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Container
from itertools import islice
from time import perf_counter

from kripke.engines.explicit.search import (
    UNEVALUATED,
    ErrorKind,
    ErrorPath,
    Outcome,
    Progress,
    Reason,
    SearchRequest,
    Watch,
)
from kripke.engines.reduction.terminal_components import TerminalComponents
from kripke.memory import resident_memory
from kripke.model.model import Model, Transition, Violation
from kripke.model.preemptions import Preemptions
from kripke.model.product import MarkedTransition, Product

MAX_KEPT = 100  # error paths; as in native/searches/error_paths.h
_PROGRESS_INTERVAL = 0.1
LOOK_EVERY = 64  # expansions between two looks at the clock
_MANY_STEPS = 128  # of one state, after which the clock is looked at, too


class _Stop(Exception):
    """Ends a search; the reason is with the search."""


def search(model: Model, request: SearchRequest, watch: Watch | None = None) -> Outcome:
    """Every reachable state, each once. Ctrl-C and lack of memory end it with a partial outcome."""
    run = _search(model, request, watch)
    try:
        run.explore()
        if run.cut:
            run.reason = "depth"
    except _Stop:
        pass
    except KeyboardInterrupt:
        run.reason = "interrupted"
    except MemoryError:
        run.reason = "memory"
    return run.outcome()


def _search(model: Model, request: SearchRequest, watch: Watch | None) -> ReferenceSearch:
    if request.order == "bfs":
        return BreadthFirst(model, request, watch)
    if request.order == "dfs":
        is_reduced = request.dependencies is not None and not isinstance(model, Product)
        return (_ReducedDepthFirst if is_reduced else _DepthFirst)(model, request, watch)
    if request.order == "walk":
        from kripke.engines.explicit.reference_walk import RandomWalk

        return RandomWalk(model, request, watch)
    if request.guidance is not None:
        from kripke.engines.directed.reference import directed_search

        return directed_search(model, request, watch)
    from kripke.engines.linear.reference_cycles import Cycles

    assert isinstance(model, Product)
    return Cycles(model, request, watch)


class _Covered(bytearray):
    """A byte for every statement. A model may find its statements while it is searched."""

    def __setitem__(self, number, value):  # type: ignore[no-untyped-def]
        if number >= len(self):
            self.extend(bytes(number + 1 - len(self)))
        super().__setitem__(number, value)


class ReferenceSearch:
    """What all orders share: checks, counts, limits."""

    def __init__(self, model: Model, request: SearchRequest, watch: Watch | None) -> None:
        self.model = model
        self.request = request
        self.represent: Callable[[bytes], bytes] = lambda state: state
        if request.symmetry is not None:
            from kripke.engines.symmetry.representative import representative

            self.represent = representative(request.symmetry, request.method, self.look_up)
        self.watch = watch
        self.reason: Reason = ""
        self.cut = False  # has the depth limit kept a state out?
        self.states = 0
        self.transitions = 0
        self.errors = 0
        self.longest = 0
        self.error_paths: dict[tuple[str, int, int], ErrorPath] = {}
        self.covered = _Covered(len(model.statements))
        self.start = perf_counter()
        self.next_progress = self.start + _PROGRESS_INTERVAL
        self.memory_at_start = resident_memory()
        if isinstance(model, Preemptions):
            model.pause = self.look_up

    # What an order does.

    def explore(self) -> None:
        raise NotImplementedError

    def path(self, state: bytes) -> tuple[bytes, ...]:
        """The states on the way to one that is being visited."""
        raise NotImplementedError

    def depth(self) -> int:
        raise NotImplementedError

    def queue(self) -> int:
        raise NotImplementedError

    def store_bytes(self) -> int:
        raise NotImplementedError

    # What an order uses.

    def stop(self, reason: Reason) -> None:
        self.reason = reason
        raise _Stop

    def initial(self) -> list[bytes]:
        """The initial states; violations in the steps to them are errors without a path."""
        for transition in self.model.initial_violations():
            for code, statement in transition.violations:
                self.found("violation", code, statement, None)
        return [self.represent(state) for state in self.model.initial()]

    def steps_away_from(self, old: Container[bytes]) -> Callable[[bytes], list[Transition]]:
        """All steps of a state, or those that partial-order reduction takes, where these lead away from old states."""
        if self.request.dependencies is None:
            return self.all_steps
        from kripke.engines.reduction.reduced_steps import ReducedSteps
        from kripke.engines.reduction.stubborn import Reduction

        reduced = ReducedSteps(self.model, Reduction(self.request.dependencies))

        def taken(state: bytes) -> list[Transition]:
            steps = reduced.pick(state, old.__contains__)
            self.note_steps(state, steps)
            return [step.transition for step in steps]

        return taken

    def all_steps(self, state: bytes) -> list[Transition]:
        """An atomic sequence can have more ways through it than there is time for."""
        each = self.model.each_successor(state)
        if self.request.symmetry is not None:
            each = map(self._represented, each)
        steps = list(islice(each, _MANY_STEPS))
        if len(steps) == _MANY_STEPS:
            while more := list(islice(each, _MANY_STEPS)):
                steps += more
                self.look_up()
        return steps

    def _represented(self, step: Transition) -> Transition:
        return step if step.target is None else step._replace(target=self.represent(step.target))

    def note_steps(self, state: bytes, steps: list[MarkedTransition]) -> None:
        """With reduction: these were chosen."""

    def check_invariants(self, state: bytes) -> None:
        truth = self.model.atom_values(state)
        for atom in self.request.invariants:
            if not truth[atom]:
                fails = self.model.failed_atoms(state) >> atom & 1
                self.found("invariant", atom, UNEVALUATED if fails else -1, state)

    def check_end(self, state: bytes) -> None:
        """For a state without a step."""
        if self.request.deadlock and not self.model.valid_end(state):
            self.found("deadlock", -1, -1, state)

    def found_violations(self, violations: tuple[Violation, ...], source: bytes) -> None:
        for code, statement in violations:
            self.found("violation", code, statement, source)

    def found(self, kind: ErrorKind, code: int, statement: int, state: bytes | None) -> None:
        self.errors += 1
        key = (kind, code, statement)
        if key not in self.error_paths and len(self.error_paths) < MAX_KEPT:
            path = () if state is None else self.path(state)
            self.error_paths[key] = ErrorPath(kind, code, statement, path)
        if self.request.stop_at_first:
            self.stop("error")

    def look_up(self) -> None:
        """Now and then: progress, and the limits that need a look at the world."""
        now = perf_counter()
        if now < self.next_progress:
            return
        self.next_progress = now + _PROGRESS_INTERVAL
        used = resident_memory() - self.memory_at_start
        if self.watch is not None:
            self.watch(
                Progress(self.states, self.transitions, self.depth(), self.queue(), max(0, used), now - self.start)
            )
        if self.request.time_limit and now - self.start >= self.request.time_limit:
            self.stop("time")
        if self.request.memory and used > self.request.memory:
            self.stop("memory")

    def outcome(self) -> Outcome:
        return Outcome(
            reason=self.reason,
            states=self.states,
            transitions=self.transitions,
            depth=self.depth(),
            errors=self.errors,
            error_paths=tuple(self.error_paths.values()),
            covered=bytes(self.covered),
            state_bytes=self.longest,
            store_bytes=self.store_bytes(),
            seconds=perf_counter() - self.start,
        )


class BreadthFirst(ReferenceSearch):
    def __init__(self, model: Model, request: SearchRequest, watch: Watch | None) -> None:
        super().__init__(model, request, watch)
        self.parents: dict[bytes, bytes | None] = {}
        self.expanded: set[bytes] = set()  # with reduction
        self.successors = self.steps_away_from(self.expanded)
        self.layers = 0
        self.waiting = 0

    def explore(self) -> None:
        layer: list[bytes] = []
        for state in self.initial():
            if state not in self.parents:
                self._store(state, None, layer)
            self.transitions += 1
        max_depth = self.request.max_depth
        while layer:
            self.layers += 1
            layer = self._expand(layer, storing=not max_depth or self.layers <= max_depth)

    def _store(self, state: bytes, parent: bytes | None, layer: list[bytes]) -> None:
        if self.request.max_states and self.states >= self.request.max_states:
            self.stop("states")
        self.parents[state] = parent
        self.states += 1
        if len(state) > self.longest:
            self.longest = len(state)
        layer.append(state)
        if self.request.invariants:
            self.check_invariants(state)

    def _expand(self, layer: list[bytes], storing: bool) -> list[bytes]:
        """The next layer; empty where the limit keeps it out."""
        successors, parents, covered, store = self.successors, self.parents, self.covered, self._store
        reduced = self.request.dependencies is not None
        following: list[bytes] = []
        for index, state in enumerate(layer):
            if index % LOOK_EVERY == 0:
                self.waiting = len(layer) - index + len(following)
                self.look_up()
            if reduced:
                self.expanded.add(state)
            steps = successors(state)
            if not steps:
                self.check_end(state)
            for parts, target, violations, _ in steps:
                for part in parts:
                    covered[part[1]] = 1
                if violations:
                    self.found_violations(violations, state)
                if target is None:
                    continue
                if target not in parents:
                    if not storing:
                        self.cut = True
                        continue
                    store(target, state, following)
                self.transitions += 1
        return following

    def path(self, state: bytes) -> tuple[bytes, ...]:
        states = [state]
        parent = self.parents[state]
        while parent is not None:
            states.append(parent)
            parent = self.parents[parent]
        return tuple(reversed(states))

    def depth(self) -> int:
        return max(0, self.layers - 1)

    def queue(self) -> int:
        return self.waiting

    def store_bytes(self) -> int:
        return _stored_bytes(self.parents, self.longest)


class _DepthFirst(ReferenceSearch):
    """With a depth limit, a state met again at a smaller depth is expanded again (its errors are not counted twice):
    every state within the limit is found, as in ``native/searches/depth_first.h``."""

    def __init__(self, model: Model, request: SearchRequest, watch: Watch | None) -> None:
        super().__init__(model, request, watch)
        self.depths: dict[bytes, int] = {}  # the least depth a state was met at; without a limit always 0
        self.stack: list[bytes] = []
        self.on_path: dict[bytes, int] = {}
        self.highest = 0

    def _successors(self) -> Callable[[bytes], list[Transition]]:
        """All steps of a state, or those that partial-order reduction takes."""
        return self.steps_away_from(self.on_path)

    def _steps_left_out(self) -> list[Transition]:
        """All that follows the last state of the path is done: steps of it that must be taken, too."""
        return []

    def _leave(self) -> None:
        """The last state of the path."""
        del self.on_path[self.stack.pop()]

    def explore(self) -> None:
        initial = self.initial()
        max_depth = self.request.max_depth
        bounded = max_depth > 0
        depths, stack, successors = self.depths, self.stack, self._successors()
        # What is left to try of the initial states and of every state on the stack, the next one last.
        pending: list[list[bytes]] = [initial[::-1]]
        visits = 0
        while pending:
            if not pending[-1]:
                if stack and (others := self._steps_left_out()):
                    pending[-1] = self._targets(stack[-1], others)[::-1]
                    continue
                pending.pop()
                if stack:
                    self._leave()
                continue
            state = pending[-1].pop()
            depth = len(stack)
            known = state in depths
            if not known and self.request.max_states and self.states >= self.request.max_states:
                self.stop("states")
            self.transitions += 1
            if known and (not bounded or depths[state] <= depth):
                continue
            stack.append(state)
            self.on_path[state] = depth
            if depth >= self.highest:
                self.highest = depth + 1
            depths[state] = depth if bounded else 0
            if not known:
                self.states += 1
                if len(state) > self.longest:
                    self.longest = len(state)
                if self.request.invariants:
                    self.check_invariants(state)
            if visits % LOOK_EVERY == 0:
                self.look_up()
            visits += 1
            steps = successors(state)
            if not steps and not known:
                self.check_end(state)
            targets = self._targets(state, steps, muted=known)
            if bounded and depth == max_depth:
                for target in targets:
                    if target in depths:
                        self.transitions += 1
                    else:
                        self.cut = True
                pending.append([])
            else:
                targets.reverse()
                pending.append(targets)
        if self.cut:
            self.cut = self._confirm_cut()

    def _targets(self, state: bytes, steps: list[Transition], *, muted: bool = False) -> list[bytes]:
        """Where steps lead; what goes wrong in them is told."""
        targets: list[bytes] = []
        for parts, target, violations, _ in steps:
            for part in parts:
                self.covered[part[1]] = 1
            if violations and not muted:
                self.found_violations(violations, state)
            if target is not None:
                targets.append(target)
        return targets

    def _confirm_cut(self) -> bool:
        """What the limit kept out may have been found by a shorter path later: look once more."""
        at_limit = [state for state, depth in self.depths.items() if depth == self.request.max_depth]
        return any(
            target is not None and target not in self.depths
            for state in at_limit
            for _, target, _, _ in self.all_steps(state)
        )

    def path(self, state: bytes) -> tuple[bytes, ...]:
        return tuple(self.stack)

    def depth(self) -> int:
        return max(0, self.highest - 1)

    def queue(self) -> int:
        return len(self.stack)

    def store_bytes(self) -> int:
        return _stored_bytes(self.depths, self.longest)


class _ReducedDepthFirst(_DepthFirst):
    """With partial-order reduction of a model. Steps that were left out of a state may be taken when all that follows
    the others is done, as in ``native/searches/depth_first.h``."""

    def __init__(self, model: Model, request: SearchRequest, watch: Watch | None) -> None:
        super().__init__(model, request, watch)
        self.components = TerminalComponents()
        self.left_out: list[list[Transition]] = []

    def _successors(self) -> Callable[[bytes], list[Transition]]:
        from kripke.engines.reduction.reduced_steps import ReducedSteps
        from kripke.engines.reduction.stubborn import Reduction

        assert self.request.dependencies is not None
        reduced = ReducedSteps(self.model, Reduction(self.request.dependencies))

        def taken(state: bytes) -> list[Transition]:
            chosen, others = reduced.parts(state)
            places = [self.on_path.get(step.target) for step in chosen if step.target is not None]
            met = [place for place in places if place is not None]
            trapped = bool(others) and len(met) == len(places) and not reduced.may_put_off
            self.components.enter(min(met, default=None), takes_all=not others, trapped=trapped)
            self.left_out.append(others)
            return chosen

        return taken

    def _steps_left_out(self) -> list[Transition]:
        return self.left_out[-1] if self.components.must_take_all() else []

    def _leave(self) -> None:
        self.components.leave()
        self.left_out.pop()
        super()._leave()


def _stored_bytes(store: dict[bytes, bytes | None] | dict[bytes, int], longest: int) -> int:
    """The table, and the states at most as long as the longest one."""
    return sys.getsizeof(store) + len(store) * sys.getsizeof(bytes(longest))
