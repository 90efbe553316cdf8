"""Functions on processes: ``CHAOS``, ``RUN``, buffers, priority, watchdogs, and the compressions of FDR."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from kripke.algebra.events import TAU, TICK, EventSet
from kripke.algebra.priority import Order, levels, prioritised
from kripke.algebra.terms import Step, Term, World
from kripke.algebra.watchdogs import watchdog
from kripke.languages.cspm.builtins import _process, _seq, _set, buffer, buffer_outputs, overflowing_buffer
from kripke.languages.cspm.values import Function, Value, Wrong, force, show

if TYPE_CHECKING:
    from kripke.languages.cspm.program import Program

#: they keep traces, failures and divergences: a process may be replaced by its compression, or not
COMPRESSIONS = (
    "normal",
    "explicate",
    "sbisim",
    "wbisim",
    "dbisim",
    "diamond",
    "tau_loop_factor",
    "model_compress",
    "lazyenumerate",
    "lazynorm",
    "prenormal",
    "normalise",
)


class Chased(Term):
    """``chase``: of several invisible steps the first is taken, before anything else. This can lose behaviour."""

    __slots__ = ("process",)
    operator = "chase"

    def __init__(self, world: World, process: Term) -> None:
        super().__init__(world)
        self.process = process

    def _make(self) -> Iterable[Step]:
        for event, target in self.process.steps():
            yield event, chased(self.world, target)


def _stable(world: World, process: Term) -> Term:
    return world.make(("chase", process.number), lambda: Chased(world, process))


def chased(world: World, process: Term) -> Term:
    seen: set[int] = set()
    while True:
        invisible = [target for event, target in process.steps() if event == TAU]
        if not invisible:
            return _stable(world, process)
        if process.number in seen:
            return world.div
        seen.add(process.number)
        process = invisible[0]


def process_functions(program: Program) -> tuple[dict[str, Value], dict[str, Value]]:
    """Those every script knows, and those it asks for."""
    world = program.world
    plain: dict[str, Value] = {"STOP": world.stop, "SKIP": world.skip, "DIV": world.div}
    asked: dict[str, Value] = {}

    def function(table: dict[str, Value], name: str, arity: int, call: Callable[..., Any]) -> None:
        table[name] = Function(name, arity, call)

    def events(value: Value) -> EventSet:
        return program.event_set(_set(value))

    def bounded(bound: Value, pairs: Value) -> Term:
        size = force(bound)
        if not isinstance(size, int) or size < 1:
            raise Wrong(f"a buffer of {show(size)} places")
        return buffer(world, size, buffer_outputs(world, pairs), ())

    def overflowing(bound: Value, full: Value, pairs: Value, *, lossy: bool) -> Term:
        size = force(bound)
        if not isinstance(size, int) or size < 1:
            raise Wrong(f"a buffer of {show(size)} places")
        event = world.events.number(force(full))
        return overflowing_buffer(world, size, buffer_outputs(world, pairs), (), event, lossy)

    function(plain, "RUN", 1, lambda a: world.run(events(a)))
    function(plain, "CHAOS", 1, lambda a: world.chaos(events(a)))
    function(plain, "BUFFER", 2, bounded)
    function(plain, "WEAK_BUFFER", 3, lambda a, b, c: overflowing(a, b, c, lossy=False))
    function(plain, "SIGNAL_BUFFER", 3, lambda a, b, c: overflowing(a, b, c, lossy=True))

    def compression(name: str) -> Callable[[Value], Term]:
        def compressed(process: Value) -> Term:
            from kripke.algebra.compression import compress

            return compress(name, _process(process))

        return compressed

    for name in COMPRESSIONS:
        function(asked, name, 1, compression(name))
    function(asked, "chase", 1, lambda p: chased(world, _process(p)))
    function(asked, "chase_nocache", 1, lambda p: chased(world, _process(p)))

    def prioritise(process: Value, classes: Value) -> Term:
        sets = [program.event_set(_set(part)) for part in _seq(classes)]
        return prioritised(world, _process(process), levels(sets))

    def prioritise_order(process: Value, considered: Value, pairs: Value, top: Value) -> Term:
        return prioritised(world, _process(process), _partial(program, considered, pairs, top))

    def loop(process: Value) -> Term:
        """``P ; loop(P)``"""
        body = _process(process)
        return world.sequence(body, lambda: loop(body), ("loop", body.number))

    def undocumented(process: Value) -> Term:
        raise Wrong("deter is not supported", "what FDR's deter makes of a process is documented nowhere; use normal")

    function(asked, "loop", 1, loop)
    function(asked, "deter", 1, undocumented)
    function(asked, "prioritise", 2, prioritise)
    function(asked, "prioritise_nocache", 2, prioritise)
    function(asked, "prioritisepo", 4, prioritise_order)

    def watching(process: Value, watched: Value, bark: Value, *, failures: bool) -> Term:
        return watchdog(world, [_process(process)], events(watched), world.events.number(force(bark)), failures)

    function(asked, "trace_watchdog", 3, lambda p, a, e: watching(p, a, e, failures=False))
    function(asked, "failure_watchdog", 3, lambda p, a, e: watching(p, a, e, failures=True))
    return plain, asked


def _partial(program: Program, considered: Value, pairs: Value, top: Value) -> Order:
    """A partial order by pairs (higher, lower); the events of ``top`` are as high as the invisible one."""
    number = program.world.events.number
    lower: dict[int, set[int]] = {}
    events = {number(item) for item in _set(considered).items()}
    maximal = {number(item) for item in _set(top).items()}
    for pair in _set(pairs).items():
        lower.setdefault(number(force(pair[0])), set()).add(number(force(pair[1])))
    below = {event: _reachable(event, lower) for event in lower}
    for event, under in below.items():
        if event in under:
            raise Wrong("the order is cyclic: an event stands above itself")
    higher: dict[int, set[int]] = {}
    for event, under in below.items():
        for other in under:
            higher.setdefault(other, set()).add(event)
    for event in events - maximal:
        higher.setdefault(event, set()).update((TAU, TICK))

    def above(event: int) -> Callable[[int], bool]:
        over = higher.get(event, set())
        return lambda other: other in over

    key = (
        "partial",
        frozenset((a, b) for a, under in lower.items() for b in under),
        frozenset(events),
        frozenset(maximal),
    )
    return Order(key, above)


def _reachable(event: int, lower: dict[int, set[int]]) -> set[int]:
    found: set[int] = set()
    stack = list(lower.get(event, ()))
    while stack:
        at = stack.pop()
        if at not in found:
            found.add(at)
            stack.extend(lower.get(at, ()))
    return found
