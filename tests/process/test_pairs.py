"""Which views of two processes go together: nothing that happens is missing, and what cannot happen is known."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from kripke.model.views import PairsOfViews
from kripke.process.dependence.counters import counters_of
from kripke.process.dependence.native_pairs import find_natively
from kripke.process.dependence.objects import bits_of
from kripke.process.dependence.pairs import Pairs, ReferencePairs, Together, find_by_reference, together
from kripke.process.dependence.tallies import tallies_of
from kripke.process.dependence.views import TooMuch, Views, has_views
from kripke.process.evaluation import read_scalar
from kripke.process.model import ProcessModel
from tests.process.test_dependence import loaded, wrong_claim
from tests.support.seeds import sample
from tests.support.shared_programs import critical_program, meeting_program, shared_program, tally_program
from tests.support.true_dependencies import Claims

ALGORITHMS = Path(__file__).parents[2] / "benchmarks" / "shared_variables"

# Two of three are never in the critical section, whatever the third does; the counter says that nobody else is.
LOCK = """
bool lock; byte inside;
active [3] proctype p() {
    do :: atomic { !lock -> lock = true }; inside++; assert(inside == 1); inside--; lock = false od
}
"""
# The same by processes that are created, with numbers of their own.
CREATED = """
byte turn; byte inside;
proctype p(byte me) {
    do :: turn == me; inside++; assert(inside == 1); inside--; turn = (me + 1) % 3 od
}
init { atomic { run p(0); run p(1); run p(2) } }
"""
# Those who are there run while others are yet to be created, with numbers that are never assigned.
STARTED = """
byte turn; byte inside; byte started;
proctype p(byte me) {
    do :: turn == me; inside++; assert(inside == 1); inside--; turn = (me + 1) % 3 :: started > 1 -> started = 0 od
}
init { byte i; do :: i < 3 -> run p(i); started++; i++ :: else -> break od; do :: turn == 0 -> started = 1 od }
"""
# How many are not done yet is told by what each has in an array, not by where it is; nobody is done before all are.
DONE = """
mtype = { idle, busy, done }
mtype at[3] = idle; byte left = 3; bool lock;
active [3] proctype p() {
    do
    :: atomic { at[_pid] == idle -> at[_pid] = busy }
    :: atomic { at[_pid] == busy && !lock -> lock = true; left--; lock = false; at[_pid] = done }
    :: left == 0 -> break
    od
}
"""


def states_of(model: ProcessModel, most: int) -> list[bytes]:
    """The first states that can be reached."""
    seen = set(model.initial())
    waiting = sorted(seen)
    for state in waiting:
        for step in model.successors(state):
            if step.target is not None and step.target not in seen and len(seen) < most:
                seen.add(step.target)
                waiting.append(step.target)
    return waiting


def missing_pair(model: ProcessModel, most: int) -> tuple[bytes, int, int] | None:
    """A state and two processes in it whose views are not said to go together."""
    views = Views(model.interpreter)
    pairs = together(views)
    for state in states_of(model, most):
        seen = [views.of(state, pid) for pid in range(len(views.types_in(state)))]
        for one in range(len(seen)):
            for other in range(len(seen)):
                if one != other and not pairs.beside(one, seen[one], other) >> seen[other] & 1:
                    return state, one, other
    return None


@pytest.mark.parametrize("text", [LOCK, CREATED, DONE])
def test_no_pair_is_missing(tmp_path: Path, text: str) -> None:
    assert missing_pair(loaded(tmp_path, text), 1_000) is None


@pytest.mark.parametrize("text", [CREATED, STARTED])
def test_no_pair_is_missing_where_one_process_creates_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setattr("kripke.process.dependence.views._MOST_BEFORE", 0)
    model = loaded(tmp_path, text)
    assert Views(model.interpreter).roots == model.initial()
    assert missing_pair(model, 2_000) is None
    assert wrong_claim(model, 300) is None


@pytest.mark.parametrize(
    "text",
    [
        # What is created depends on the way, an end frees a number, two create, there is no telling how many.
        "byte x; proctype p() { do :: x = 0 od } proctype q() { do :: x = 1 od } init { if :: run p() :: run q() fi }",
        "byte x; proctype p() { x = 1 } proctype q() { do :: x = 0 od } init { run p(); run q() }",
        "byte x; proctype p() { do :: x = 1 od } active [2] proctype s() { run p(); do :: x = 0 od }",
        "byte x; proctype p() { do :: x = 1 od } init { do :: run p() :: x = 2; break od; do :: x = 0 od }",
        "byte x; proctype p(byte n) { do :: x = n od } init { byte i; if :: i = 1 :: i = 2 fi; run p(i) }",
    ],
)
def test_where_it_depends_who_is_created_there_are_no_pairs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setattr("kripke.process.dependence.views._MOST_BEFORE", 0)
    model = loaded(tmp_path, text)
    assert not Pairs(model.interpreter).know(list(model.interpreter.program.processes)[-1:])


@pytest.mark.parametrize("seed", sample(range(16)))
@pytest.mark.parametrize("make", [shared_program, critical_program, tally_program, meeting_program])
def test_no_pair_of_a_random_program_is_missing(tmp_path: Path, make: object, seed: int) -> None:
    assert callable(make)
    model = loaded(tmp_path, make(seed))
    if not has_views(model.program):
        return
    with suppress(TooMuch):
        assert missing_pair(model, 400) is None


@pytest.mark.parametrize("seed", sample(range(16)))
def test_no_pair_is_missing_where_a_random_program_is_started_in_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr("kripke.process.dependence.views._MOST_BEFORE", 0)
    model = loaded(tmp_path, critical_program(seed))
    with suppress(TooMuch):
        assert missing_pair(model, 400) is None


def spelled_out(pairs: PairsOfViews, views: list[list[int]], text: Callable[[int, int], bytes]) -> object:
    """All that is known, without the numbers of views, effects and results."""
    met = [{view: text(pid, view) for view in views[pid]} for pid in range(pairs.actors())]
    found = {}
    for pid, known in enumerate(met):
        for view, own in known.items():
            moves = [
                (t, None if then is None else text(pid, then), pairs.touches(pid, view, (pid + 1) % len(met)))
                for t, then, _, _ in pairs.moves(pid, view)
            ]
            beside = [
                frozenset(met[other][v] for v in bits_of(pairs.beside(pid, view, other))) for other in range(len(met))
            ]
            found[pid, own] = moves, beside, pairs.is_settled(pid, view)
    transitions = [sorted({m[0] for v in known for m in pairs.moves(pid, v)}) for pid, known in enumerate(met)]
    accords = {
        (one, t, other, u): pairs.accord(one, t, other, u)
        for one in range(len(met))
        for other in range(len(met))
        for t in transitions[one]
        for u in transitions[other]
        if one != other
    }
    excluded = {
        (p, t, u): pairs.exclude(p, t, u) for p in range(len(met)) for t in transitions[p] for u in transitions[p]
    }
    return found, accords, excluded


def assert_same_pairs(model: ProcessModel) -> None:
    """The native engine finds what the reference finds."""
    if not has_views(model.program):
        return
    views = Views(model.interpreter)
    try:
        reference = find_by_reference(views)
    except TooMuch:
        return
    native = find_natively(Views(model.interpreter))
    assert isinstance(reference, ReferencePairs)
    theirs = [sorted(reference._known[pid]) for pid in range(reference.actors())]
    ours = [native.views(pid) for pid in range(native.actors())]
    expected = spelled_out(reference, theirs, lambda pid, view: views._texts[pid][view])
    assert spelled_out(native, ours, native.text) == expected


@pytest.mark.parametrize("text", [LOCK, CREATED, DONE, STARTED])
def test_the_native_engine_finds_the_same_pairs(tmp_path: Path, text: str) -> None:
    assert_same_pairs(loaded(tmp_path, text))


@pytest.mark.parametrize("text", [CREATED, STARTED])
def test_the_native_engine_finds_the_same_pairs_where_one_process_creates_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setattr("kripke.process.dependence.views._MOST_BEFORE", 0)
    assert_same_pairs(loaded(tmp_path, text))


@pytest.mark.parametrize("seed", sample(range(30)))
@pytest.mark.parametrize("make", [shared_program, critical_program, tally_program, meeting_program])
def test_the_native_engine_finds_the_same_pairs_of_random_programs(tmp_path: Path, make: object, seed: int) -> None:
    assert callable(make)
    with suppress(TooMuch):
        assert_same_pairs(loaded(tmp_path, make(seed)))


@pytest.mark.parametrize("name", ["burns_lynch", "fischer", "mcs_lock", "philosophers", "readers_writers"])
def test_the_native_engine_finds_the_same_pairs_of_algorithms(tmp_path: Path, name: str) -> None:
    assert_same_pairs(loaded(tmp_path, (ALGORITHMS / f"{name}.pml").read_text()))


@pytest.mark.parametrize("seed", sample(range(40)))
def test_claims_about_critical_sections_hold(tmp_path: Path, seed: int) -> None:
    """That an end and a creation accord is true of what matters, not of the numbers (``anonymity.py``)."""
    model = loaded(tmp_path, critical_program(seed))
    analysis = model.dependencies()
    assert not isinstance(analysis, str)
    assert [claim for claim in Claims(model, analysis).wrong(300) if not ("-end-" in claim and "run P" in claim)] == []


@pytest.mark.parametrize("seed", sample(range(40)))
def test_claims_about_tallies_hold(tmp_path: Path, seed: int) -> None:
    assert wrong_claim(loaded(tmp_path, tally_program(seed)), 300) is None


@pytest.mark.parametrize("name", ["burns_lynch", "dekker", "mcs_lock", "readers_writers", "szymanski"])
def test_claims_about_algorithms_hold(tmp_path: Path, name: str) -> None:
    assert wrong_claim(loaded(tmp_path, (ALGORITHMS / f"{name}.pml").read_text()), 300) is None


@pytest.mark.parametrize("text", [LOCK, CREATED])
def test_two_are_never_inside_together(tmp_path: Path, text: str) -> None:
    model = loaded(tmp_path, text)
    views = Views(model.interpreter)
    pairs = together(views)
    inside = model.program.variables[1]
    one, other = len(views.processes) - 2, len(views.processes) - 1
    values = [views.value(one, view, inside.offset, inside.components[0].type) for view in pairs.views(one)]
    assert sorted(set(values)) == [0, 1]
    (counter,) = counters_of(model.program)

    def share(pid: int, view: int) -> int:
        return counter.share(views.processes[pid], views.location(pid, view))

    assert {
        (share(one, view), share(other, beside))
        for view in pairs.views(one)
        for beside in pairs.views(other)
        if pairs.beside(one, view, other) >> beside & 1
    } == {(0, 0), (0, 1), (1, 0)}


def test_who_is_idle_has_not_counted(tmp_path: Path) -> None:
    """Without a tally nothing keeps the number of those who are left from falling below."""
    model = loaded(tmp_path, DONE)
    views = Views(model.interpreter)
    left = model.program.variables[1]
    values = [
        {views.value(0, view, left.offset, left.components[0].type) for view in pairs.views(0)}
        for pairs in (together(views), Together(views))
    ]
    assert values == [{0, 1, 2, 3}, set(range(256))]
    assert wrong_claim(model, 300) is None


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("byte n; active [2] proctype p() { do :: n++; n != 7 od }", 1),
        ("byte n; active [2] proctype p() { do :: n++; n-- od }", 0),  # a counter
        ("byte n; active [2] proctype p() { do :: n++ :: n = 0 od }", 0),
        ("byte n; proctype p() { do :: n++ od } init { run p(); run p() }", 0),
    ],
)
def test_what_may_be_a_tally(tmp_path: Path, text: str, count: int) -> None:
    views = Views(loaded(tmp_path, text).interpreter)
    assert len(tallies_of(views)) == count
    assert len(together(views).views(0)) == len(Together(views).views(0))  # those who count on and on have none


def test_an_end_does_not_lead_to_a_creation(tmp_path: Path) -> None:
    """A process that has created others and waits for its end: only the states up to there are gone through."""
    assert len(Views(loaded(tmp_path, CREATED).interpreter).roots) == 2


@pytest.mark.parametrize("text", ["active proctype p()", "init"])
def test_the_choices_of_a_process_alone_do_not_exclude_each_other(tmp_path: Path, text: str) -> None:
    model = loaded(tmp_path, f"byte x; {text} {{ if :: x = 1 :: x = 2 fi; x++; assert(x < 9) }}")
    assert wrong_claim(model, 100) is None


def test_who_ends_takes_nothing_along(tmp_path: Path) -> None:
    """What is counted by a process that ends stays; its number may go to another that counts, too."""
    text = "byte x, y; proctype p() { x++; y++; assert(x < 3 && y < 3); x-- } init { run p(); _nr_pr == 1; run p() }"
    (found,) = counters_of(loaded(tmp_path, text).program)
    assert found.at == 0


def test_counters(tmp_path: Path) -> None:
    """One that is counted up and down, one that is only counted up, one that is set, one that depends on the way."""
    text = """
    byte inside, rounds, set, sometimes;
    active [2] proctype p() {
        do
        :: inside++; inside = inside + 2; rounds++; set = 0; inside = inside - 3;
           if :: sometimes++ :: skip fi;
           set++; sometimes--
        od
    }
    """
    model = loaded(tmp_path, text)
    (found,) = counters_of(model.program)
    assert found.at == model.program.variables[0].offset
    assert found.possible(model.program.processes[0]) == {0, 1, 3}


def test_what_a_message_brings_is_not_counted(tmp_path: Path) -> None:
    text = "chan q = [1] of { byte }; byte n; active proctype p() { do :: n++; n-- :: q!7; q?n od }"
    assert counters_of(loaded(tmp_path, text).program) == []


@pytest.mark.parametrize("seed", sample(range(60)))
def test_counters_count(tmp_path: Path, seed: int) -> None:
    model = loaded(tmp_path, critical_program(seed))
    counters = counters_of(model.program)
    for state in states_of(model, 300):
        frames = model.interpreter.frames(state)
        for counter in counters:
            total = 0
            for control in frames.controls:
                process = model.interpreter.process_of_control(control)
                total += counter.share(process, control - process.control_base)
            start = read_scalar(counter.type, model.initial()[0], counter.at)
            held = read_scalar(counter.type, state, counter.at)
            assert (held - start - total) % (1 << counter.type.bits) == 0


@pytest.mark.parametrize(
    "text",
    [
        "chan q = [0] of { byte }; active [2] proctype p() { do :: q!1 :: else -> q?_ od }",
        "byte x; active [2] proctype p() { do :: x = 1 :: timeout -> x = 0 od }",
        "byte x; active [2] proctype p() provided (x == 0) { do :: x = 1 od }",
        "byte x; active [2] proctype p() { { do :: x = 1 od } unless { x == 2 } }",
        "byte x; active [2] proctype p() { x = _nr_pr }",
    ],
)
def test_what_looks_at_more_than_variables_and_channels_has_no_views(tmp_path: Path, text: str) -> None:
    model = loaded(tmp_path, text)
    assert Pairs(model.interpreter).found is None
