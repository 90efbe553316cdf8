"""``kripke run m.scxml``: the chart is executed, with the very interpreter that checks it.

Events come when the chart has nothing else to do. Time is simulated unless real time is asked for: where the chart
waits for a delayed event and no other is to come, time passes at once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from kripke.hierarchy.chart.interpreter import Endless, Overflow, Run
from kripke.hierarchy.chart.model import described
from kripke.hierarchy.chart.session import Delayed, Event
from kripke.languages.scxml import read_chart
from kripke.model.source import ModelError, Sources

_ENDED, _WAITS = 0, 3


def run(path: str, events: Sequence[str], steps: int | None, *, real_time: bool) -> int:
    """What the chart logs goes to standard output. 0: it reached a final state; 3: it waits for events."""
    import sys

    sources = Sources()
    chart, scripts = read_chart(path, sources)
    for warning in scripts.warnings:
        print(warning, file=sys.stderr)
    try:
        run = Run.started(chart)
        _print(run)
        pending, taken = deque(events), 0
        while run.session.running and (steps is None or taken < steps):
            taken += 1
            session = run.session
            if session.external:
                event, session.external = session.external[0], session.external[1:]
                run.process(event)
            elif pending:
                run.process(Event(pending.popleft()))
            elif session.delayed:
                _wait(run, real_time)
            else:
                break
            _print(run)
    except Endless:
        raise ModelError("the chart takes transitions without end, and waits for no event") from None
    except Overflow:
        raise ModelError("the chart sends itself more events than can wait") from None
    known = described(chart, run.session)
    if not run.session.running:
        print(f"ended in {known['chart@'].removesuffix(' (ended)')}")
        return _ENDED
    print(f"waits in {known['chart@']}")
    return _WAITS


def _wait(run: Run, real_time: bool) -> None:
    session = run.session
    first = session.delayed[0].remaining
    if real_time:
        from time import sleep

        sleep(first / 1000)
    later = [Delayed(one.remaining - first, one.event, one.id) for one in session.delayed]
    session.external = (*session.external, *(one.event for one in later if not one.remaining))
    session.delayed = tuple(one for one in later if one.remaining)


def _print(run: Run) -> None:
    for executed in run.executed:
        if executed.text:
            print(executed.text)
    run.executed.clear()
