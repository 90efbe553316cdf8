"""Steps of UML state machines, as D. Seifert fixes them ("Conformance testing based on UML state machines", ICFEM
2008).

An event fires a **set of transitions**: a largest set of enabled ones of which no two exit a common state, and from
which none is left out that starts deeper inside than a member it is in conflict with. All such sets are followed, and
all orders in which their effects can be executed. Transitions without a trigger fire as soon as their source is
completed, before the next event. An event that enables nothing waits where an active state defers it, and is discarded
elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kripke.hierarchy.chart.content import ContentError
from kripke.hierarchy.chart.interpreter import MOST_EVENTS, Beyond, Executed, Run
from kripke.hierarchy.chart.session import Event, Session
from kripke.hierarchy.chart.structure import Action, Chart, Emit, Execute, State, Transition, matches
from kripke.hierarchy.script.values import UNDEFINED, truth

MOST_STEPS = 1_000
MOST_CHOICES = 4_096

#: of what can go wrong in a step
ENDLESS, OVERFLOW, FAULT, NO_CHOICE, RANGE = "endless", "queue", "expression", "choice", "range"


@dataclass(frozen=True, slots=True)
class Outcome:
    """A run to completion: what was executed, and the session after it, or what went wrong."""

    executed: tuple[Executed, ...]
    session: Session | None
    fault: str = ""


class _Broken(Exception):
    def __init__(self, fault: str, executed: Sequence[Executed]) -> None:
        self.fault = fault
        self.executed = tuple(executed)


def started(chart: Chart) -> list[Outcome]:
    session = Session(data={variable.name: UNDEFINED for variable in chart.variables})
    run = Run(chart, session)
    for number in range(len(chart.variables)):
        run.initialise(number)
    root = chart.states[0]
    assert root.initial is not None
    return _completed(chart, _fired(chart, session, (root.initial,), ()))


def outcomes(chart: Chart, session: Session, event: Event) -> list[Outcome]:
    """Every way to take an event; none where nothing is enabled."""
    try:
        firing = firing_sets(Run(chart, session), event)
    except _Broken as error:
        return [Outcome(error.executed, None, error.fault)]
    begun = [outcome for fired in firing for outcome in _fired(chart, session, fired, ())]
    return _completed(chart, begun)


def defers(chart: Chart, session: Session, event: Event) -> bool:
    """Does the event wait here?"""
    waits = any(matches(chart.states[n].deferred, event.name) for n in session.configuration)
    try:
        return waits and not firing_sets(Run(chart, session), event)
    except _Broken:
        return False


def firing_sets(run: Run, event: Event | None) -> list[tuple[Transition, ...]]:
    """The sets of transitions that may fire; None: those of completed states."""
    run.event = event
    enabled = [
        transition
        for number in sorted(run.session.configuration)
        for transition in run.chart.states[number].transitions
        if _enabled(run, transition, event)
    ]
    if not enabled:
        return []
    exits = [run.exit_set([transition]) for transition in enabled]

    def conflict(i: int, j: int) -> bool:
        """They exit a common state, or one is internal to a state that the other exits."""
        inner = (not exits[i] and enabled[i].source in exits[j]) or (not exits[j] and enabled[j].source in exits[i])
        return i != j and (inner or bool(exits[i] & exits[j]))

    conflicts = [[conflict(i, j) for j in range(len(enabled))] for i in range(len(enabled))]
    deep = [
        i
        for i, one in enumerate(enabled)
        if not any(
            conflicts[i][j] and run.chart.descendant(other.source, one.source) for j, other in enumerate(enabled)
        )
    ]
    return [tuple(enabled[i] for i in chosen) for chosen in _maximal(deep, conflicts)]


def _maximal(numbers: Sequence[int], conflicts: Sequence[Sequence[bool]]) -> Iterator[tuple[int, ...]]:
    """Largest subsets without conflicts: none can be added."""
    found: list[tuple[int, ...]] = []

    def grow(chosen: tuple[int, ...], rest: Sequence[int]) -> None:
        if len(found) >= MOST_CHOICES:
            return
        if not rest:
            if all(any(conflicts[i][j] for j in chosen) for i in numbers if i not in chosen):
                found.append(chosen)
            return
        first, others = rest[0], rest[1:]
        if not any(conflicts[first][j] for j in chosen):
            grow((*chosen, first), others)
            if not any(conflicts[first][j] for j in numbers):
                return
        grow(chosen, others)

    grow((), numbers)
    yield from found


def _enabled(run: Run, transition: Transition, event: Event | None) -> bool:
    if event is None:
        if transition.events or not _complete(run, run.chart.states[transition.source]):
            return False
    elif not transition.events or not matches(transition.events, event.name):
        return False
    return _holds(run, transition)


def _holds(run: Run, transition: Transition) -> bool:
    if transition.condition is None:
        return True
    try:
        return truth(run.content.value(transition.condition))
    except ContentError:
        raise _Broken(FAULT, [Executed(transition.number)]) from None


def _complete(run: Run, state: State) -> bool:
    """A simple state is completed at once; others when their regions have come to an end."""
    return run.chart.atomic(state.number) or run.in_final(state.number)


def _fired(
    chart: Chart, session: Session, firing: Sequence[Transition], executed: tuple[Executed, ...]
) -> list[Outcome]:
    """Every order in which the transitions can be executed; equal results once."""
    from kripke.hierarchy.chart.session import encode

    reached: dict[frozenset[int], dict[bytes, Outcome]] = {
        frozenset(): {encode(session): Outcome(executed, session.copy())}
    }
    broken: list[Outcome] = []
    for size in range(len(firing)):
        following: dict[frozenset[int], dict[bytes, Outcome]] = {}
        for done, ways in reached.items():
            if len(done) != size:
                continue
            for number, transition in enumerate(firing):
                if number in done:
                    continue
                into = following.setdefault(done | {number}, {})
                for way in ways.values():
                    assert way.session is not None
                    for outcome in _executed(chart, way, transition):
                        if outcome.session is None:
                            broken.append(outcome)
                        else:
                            into.setdefault(encode(outcome.session), outcome)
        reached = following
    return [*broken, *(way for ways in reached.values() for way in ways.values())]


def _executed(chart: Chart, way: Outcome, transition: Transition) -> list[Outcome]:
    """Exits, effect, entries; through choices, each way that is open."""
    assert way.session is not None
    run = Run(chart, way.session.copy())
    run.executed = list(way.executed)
    targets = transition.targets
    choice = next((target for target in targets if chart.states[target].kind == "choice"), None)
    try:
        run.exit([transition])
        if transition.number >= 0:
            run.executed.append(Executed(transition.number))
        _execute(run, transition.body)
        if choice is not None:
            return _chosen(chart, run, transition, choice)
        _enter(run, transition)
    except _Broken as error:
        return [Outcome(error.executed, None, error.fault)]
    return [Outcome(tuple(run.executed), run.session)]


def _chosen(chart: Chart, run: Run, transition: Transition, choice: int) -> list[Outcome]:
    """States around the choice are entered first, then its transitions are looked at."""
    domain = run.domain(transition)
    for number in reversed(chart.ancestors(choice, 0 if domain is None else domain)):
        if number and number not in run.session.configuration:
            _enter_state(run, chart.states[number])
    open_ways = [way for way in chart.states[choice].transitions if way.condition is not None and _holds(run, way)]
    open_ways = open_ways or [way for way in chart.states[choice].transitions if way.condition is None]
    if not open_ways:
        return [Outcome(tuple(run.executed), None, NO_CHOICE)]
    if len(run.executed) > MOST_STEPS:
        return [Outcome(tuple(run.executed), None, ENDLESS)]
    here = Outcome(tuple(run.executed), run.session)
    return [outcome for way in open_ways for outcome in _executed(chart, here, way)]


def _enter(run: Run, transition: Transition) -> None:
    from kripke.hierarchy.chart.interpreter import Entry

    entry = Entry(run)
    entry.add(transition)
    for number in sorted(entry.states):
        if number not in run.session.configuration:
            state = run.chart.states[number]
            _enter_state(run, state)
            if number in entry.by_default and state.initial is not None:
                _execute(run, state.initial.body)
            if number in entry.defaults:
                _execute(run, entry.defaults[number].body)


def _enter_state(run: Run, state: State) -> None:
    run.session.configuration |= {state.number}
    for block in state.on_entry:
        _execute(run, block)
    if state.kind == "final" and state.parent == 0:
        run.session.running = False


def _execute(run: Run, block: Sequence[Action]) -> None:
    for action in block:
        match action:
            case Execute(_, number, script):
                run.executed.append(Executed(number))
                try:
                    run.content.value(script)
                except ContentError:
                    raise _Broken(FAULT, run.executed) from None
                except Beyond:
                    raise _Broken(RANGE, run.executed) from None
            case Emit(_, number, event, output):
                run.executed.append(Executed(number, f"output {event}" if output else ""))
                if not output:
                    if len(run.session.external) >= MOST_EVENTS:
                        raise _Broken(OVERFLOW, run.executed)
                    run.session.external += (Event(event),)
            case _:
                raise TypeError(action)


def _completed(chart: Chart, begun: Sequence[Outcome]) -> list[Outcome]:
    """Transitions of completed states fire until there are none left; equal results once."""
    from kripke.hierarchy.chart.session import encode

    ended: dict[bytes, Outcome] = {}
    broken: list[Outcome] = []
    pending = [(outcome, 0) for outcome in reversed(begun)]
    met: set[bytes] = set()
    while pending:
        outcome, steps = pending.pop()
        if outcome.session is None:
            broken.append(outcome)
            continue
        key = encode(outcome.session)
        if key in met:
            continue
        met.add(key)
        try:
            firing = firing_sets(Run(chart, outcome.session), None) if outcome.session.running else []
        except _Broken as error:
            broken.append(Outcome((*outcome.executed, *error.executed), None, error.fault))
            continue
        if not firing:
            ended.setdefault(key, outcome)
        elif steps >= MOST_STEPS:
            broken.append(Outcome(outcome.executed, None, ENDLESS))
        else:
            following = [one for fired in firing for one in _fired(chart, outcome.session, fired, outcome.executed)]
            pending += [(one, steps + 1) for one in reversed(following)]
    if not ended and not broken and begun:
        broken.append(Outcome(begun[0].executed, None, ENDLESS))
    return [*broken, *ended.values()]
