"""Events and acceptances of nets: what steps are seen as, and what a marking offers and refuses."""

from __future__ import annotations

from pathlib import Path

from kripke.loaded import load
from kripke.model.capabilities.acceptances import acceptances_of
from kripke.model.capabilities.events import Event, Events
from kripke.model.capabilities.measure import Measure
from kripke.model.model import Model
from kripke.model.preemptions import Preemptions

EXAMPLES = Path(__file__).parents[2] / "examples"

COLOURED = """
typedef unsigned (0..1) bit;
place p bit: 0, 1;
place q bit;
trans take in { place p: x; } out { place q: x; };
"""


def names(model: Model, events: frozenset[int]) -> set[str]:
    known = model.capability(Events)
    assert known is not None
    return {str(known.event_table[event]) for event in events}


def test_the_event_of_a_step_is_its_transition() -> None:
    model = load(EXAMPLES / "pnml" / "two_locks.pnml").model
    events, accepted = model.capability(Events), acceptances_of(model)
    assert events is not None and accepted is not None
    start = model.initial()[0]
    seen = [events.event_table[events.event_of(start, step)] for step in model.successors(start)]
    assert seen == [Event("first_takes_a"), Event("second_takes_b")]
    assert names(model, accepted.offers(start)) == names(model, accepted.ready(start)) == {
        "first_takes_a",
        "second_takes_b",
    }  # fmt: skip
    offered = accepted.offers(start)
    other = frozenset(range(len(events.event_table))) - offered
    assert accepted.is_stable(start) and accepted.refuses(start, other) and not accepted.refuses(start, offered)


def test_events_of_a_coloured_net_carry_values(tmp_path: Path) -> None:
    (tmp_path / "net.pn").write_text(COLOURED)
    model = load(tmp_path / "net.pn").model
    events = model.capability(Events)
    assert events is not None
    start = model.initial()[0]
    numbers = [events.event_of(start, step) for step in model.successors(start)]
    assert sorted(str(events.event_table[number]) for number in numbers) == ["take.x = 0", "take.x = 1"]
    after = model.successors(start)[0].target
    assert after is not None
    assert [events.event_of(after, step) for step in model.successors(after)] == [numbers[1]]  # the same event again


def test_a_model_that_is_watched_for_switches_keeps_no_behaviour() -> None:
    model = load(EXAMPLES / "pnml" / "two_locks.pnml").model
    assert Preemptions(model, 2).capability(Events) is None
    measure = model.capability(Measure)
    assert measure is not None and measure.progress_of(model.initial()[0]) is None
