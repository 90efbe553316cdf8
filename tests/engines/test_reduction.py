"""Partial-order reduction: exact counts, the same choices in both engines, the same verdicts with and without."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from kripke.checker.check import check_properties
from kripke.engines.explicit.safety import check
from kripke.engines.explicit.search import Order
from kripke.engines.explicit.stores import DEFAULT_TABLE, StoreName
from kripke.engines.plan import EngineName, SearchPlan, Unsupported
from kripke.languages.promela import load
from kripke.languages.registry import load_model
from kripke.languages.request import LoadRequest
from kripke.model.result import Result
from kripke.nets.place_transition import Place, PlaceTransitionNet, Transition, arcs
from tests.support.random_nets import model_of

LANGUAGES = (".pml", ".pnml", ".ll_net")

CORPUS = Path(__file__).parents[3] / "shared" / "corpus" / "promela" / "spin-examples"

# Two processes that touch nothing of each other, then meet in a channel.
INDEPENDENT = """
chan q = [1] of { byte };
active proctype left()  { byte i; do :: i < 5 -> i++ :: else -> break od; q!i }
active proctype right() { byte j; do :: j < 5 -> j++ :: else -> break od; q?j; assert(j == 5) }
"""
# The counter runs round for ever; what the other process does must not be put off for ever.
CYCLE = """
byte n;
active proctype round() { do :: n = (n + 1) % 3 od }
active proctype once() { byte x; x = 1; assert(false) }
"""
# Of all the cycles of the second process only those at its end cannot be left: there the first must move, once.
WHEELS = """
active proctype once() { byte x; x = 1; x = 2; assert(false) }
active proctype wheels() { byte a, b; do :: a = 1 - a :: b = 1 - b :: a == b -> break od; do :: b = (b + 1) % 3 od }
"""
SHARED = """
byte x;
active [2] proctype p() { byte t; t = x; x = t + 1 }
"""


# What is added in any order gives the same sum; a product in between does not.
SUMS = """
byte n;
active proctype one()   { n++; n = n + 2; n-- }
active proctype other() { n = n + 5; n++; STEP }
proctype reader() { n == 1 }
"""


def written(folder: Path, text: str) -> str:
    path = folder / "model.pml"
    path.write_text(text)
    return str(path)


def searched(path: str, *, por: bool, engine: str = "native", all_errors: bool = True) -> Result:
    options = SearchPlan(search="dfs", por=por, engine=engine, all_errors=all_errors)  # type: ignore[arg-type]
    return check(load(path), options)


@pytest.mark.parametrize("engine", ["native", "interpreter"])
def test_independent_steps_are_not_interleaved(tmp_path: Path, engine: str) -> None:
    path = written(tmp_path, INDEPENDENT)
    full, reduced = searched(path, por=False, engine=engine), searched(path, por=True, engine=engine)
    assert (full.verdict, full.states) == ("holds", 60)
    assert (reduced.verdict, reduced.states) == ("holds", 18)


@pytest.mark.parametrize("engine", ["native", "interpreter"])
def test_nothing_is_put_off_for_ever(tmp_path: Path, engine: str) -> None:
    assert searched(written(tmp_path, CYCLE), por=True, engine=engine).verdict == "violated"


@pytest.mark.parametrize("engine", ["native", "interpreter"])
def test_one_state_of_a_component_that_cannot_be_left_takes_all_its_steps(tmp_path: Path, engine: str) -> None:
    path = written(tmp_path, WHEELS)
    full, reduced = searched(path, por=False, engine=engine), searched(path, por=True, engine=engine)
    assert (full.states, full.errors) == (14, 7)
    assert (reduced.states, reduced.transitions, reduced.errors) == (10, 18, 1)


@pytest.mark.parametrize(
    ("store", "search"),
    [
        ("tree", "dfs"),
        ("collapse", "dfs"),
        ("collapse", "bfs"),
        ("numbers", "bfs"),
        ("hashcompact", "dfs"),
        ("bitstate", "dfs"),
        ("cache", "dfs"),
        ("tree", "bfs"),
    ],
)
def test_every_store_goes_the_same_way(tmp_path: Path, store: StoreName, search: Order) -> None:
    asked = SearchPlan(search=search, por=True, all_errors=True)
    size = 1 << 20 if store in DEFAULT_TABLE else None
    for text in (INDEPENDENT, CYCLE, WHEELS, SHARED, SUMS.replace("STEP", "n = n - 7")):
        model = load(written(tmp_path, text))
        full = check(model, asked)
        result = check(model, replace(asked, store=store, store_size=size))
        assert (result.states, result.transitions, result.errors) == (full.states, full.transitions, full.errors)
        exact = store not in ("hashcompact", "bitstate") or full.verdict == "violated"
        assert result.verdict == (full.verdict if exact else "unknown")
        assert (result.trace is None) == (full.trace is None)


def test_several_threads_put_nothing_off_for_ever(tmp_path: Path) -> None:
    asked = SearchPlan(search="bfs", por=True, store="tree", threads=3)
    assert check(load(written(tmp_path, CYCLE)), asked).verdict == "violated"
    independent = load(written(tmp_path, INDEPENDENT))
    for _ in range(20):
        result = check(independent, asked)
        assert result.verdict == "holds"
        assert result.states < 60


@pytest.mark.parametrize("engine", ["native", "interpreter"])
def test_additions_are_not_interleaved(tmp_path: Path, engine: str) -> None:
    path = written(tmp_path, SUMS.replace("STEP", "n = n - 7"))
    full, reduced = searched(path, por=False, engine=engine), searched(path, por=True, engine=engine)
    assert (full.states, reduced.states) == (21, 9)
    path = written(tmp_path, SUMS.replace("STEP", "n = n * 2"))
    full, reduced = searched(path, por=False, engine=engine), searched(path, por=True, engine=engine)
    assert (full.states, reduced.states) == (36, 24)


def test_dependent_steps_are_interleaved(tmp_path: Path) -> None:
    """Reading a shared variable and writing it do not commute: the lost update stays."""
    path = written(tmp_path, SHARED + "active proctype end() { (_nr_pr == 1); assert(x == 2) }")
    assert searched(path, por=True).verdict == searched(path, por=False).verdict


def test_an_invariant_keeps_what_it_sees(tmp_path: Path) -> None:
    text = "byte a, b;\nactive proctype p() { a = 1; a = 0 }\nactive proctype q() { b = 1; b = 0 }"
    model = load(written(tmp_path, text), invariants=("a + b < 2",))
    result = check(model, SearchPlan(por=True, invariants=("a + b < 2",)))
    assert result.verdict == "violated"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("chan q = [0] of { byte }; active D_proctype p() { q!1 }", "a rendezvous of a D_proctype is not analysed yet"),
        ("byte x;\nactive proctype p() { x = _last }", "the model looks at _last, which every step changes"),
    ],
)
@pytest.mark.parametrize("engine", ["native", "interpreter"])
def test_what_cannot_be_analysed_is_searched_in_full(
    tmp_path: Path, text: str, reason: str, engine: EngineName
) -> None:
    model = load(written(tmp_path, text + "\nltl a { <>(_nr_pr == 0) }"))
    reduced = check_properties(model, SearchPlan(por=True, engine=engine))
    plain = check_properties(model, SearchPlan(engine=engine))
    for part, other in zip(reduced.parts, plain.parts, strict=True):
        assert (part.verdict, part.states, part.transitions) == (other.verdict, other.states, other.transitions)
    warnings = [text for text in reduced.warnings if "partial-order" in text]
    assert warnings == [f"{who}searched without partial-order reduction: {reason}" for who in ("", "a: ")]


@pytest.mark.parametrize(
    ("options", "refusal"),
    [
        (SearchPlan(por=True, max_depth=9), "--por with --max-depth: a depth limit cuts off what the reduction puts"),
    ],
)
def test_what_does_not_go_together_is_refused(tmp_path: Path, options: SearchPlan, refusal: str) -> None:
    with pytest.raises(Unsupported, match=re.escape(refusal)):
        check(load(written(tmp_path, SHARED)), options)


@pytest.mark.skipif(not CORPUS.is_dir(), reason=f"the SPIN examples are not at {CORPUS}")
@pytest.mark.parametrize(
    ("model", "states", "errors"),
    [
        ("leader0.pml", 97, 0),
        ("leader_trace.pml", 97, 0),
        ("sort.pml", 135, 0),
        ("calculator.pml", 52, 0),
        ("LTL/mobile1.pml", 2_747, 0),
        ("peterson.pml", 32, 0),  # SPIN: 40
        ("snoopy.pml", 4_248, 81),  # SPIN: 9,343
        ("eratosthenes.pml", 224, 0),  # SPIN: 2,093
        ("LTL/leader.pml", 14_122, 0),
        ("LTL/pftp.pml", 44_167, 0),  # SPIN: 47,356
        ("Book_1991/p104.2.pml", 103, 0),  # SPIN: 1,579
        ("Book_1991/p320.pml", 42, 0),  # SPIN: 60
        ("Book_1991/p337.pftp.ses.pml", 3_404, 0),  # SPIN: 54,110
    ],
)
def test_the_examples_of_spin(model: str, states: int, errors: int) -> None:
    result = searched(str(CORPUS / model), por=True)
    assert (result.states, result.errors) == (states, errors)


@pytest.mark.skipif(not CORPUS.is_dir(), reason=f"the SPIN examples are not at {CORPUS}")
@pytest.mark.parametrize("model", ["leader0.pml", "sort.pml", "peterson.pml", "Book_1991/p104.2.pml"])
def test_both_engines_choose_the_same_steps(model: str) -> None:
    native, reference = (searched(str(CORPUS / model), por=True, engine=e) for e in ("native", "interpreter"))
    assert (native.states, native.transitions) == (reference.states, reference.transitions)


def test_random_programs_keep_their_verdicts() -> None:
    """A sample of ``python -m tests.soak_reduction``, the same every day."""
    from tests import soak_reduction

    said: list[str] = []
    tally = soak_reduction.run(range(1, 13), said.append)
    assert tally["difference"] == 0, said
    assert min(tally[word] for word in ("with errors, reduced", "without errors, reduced", "net, reduced")) > 0, tally


# Whether a process times out depends on what the others can do. Only the order "Q's timeout, S, P's timeout, R" keeps
# the assertion, the other breaks it.
TIMEOUTS = """
byte x, y, r;
active proctype P() { timeout -> x = 1 }
active proctype Q() { timeout -> y = 1 }
active proctype R() { x == 1 -> r = 1 }
active proctype S() { y == 1 -> assert(r == 0) }
"""
# A deterministic step that sends to a full channel blocks, which is an error, unless somebody receives before.
BLOCKED = """
chan q = [1] of { byte };
bool go;
active proctype sender() { q!1; go = true; d_step { go -> q!2 } }
active proctype receiver() { byte m; go; q?m }
"""
# Nobody is there to receive before the third process is created.
NEWCOMER = """
chan q = [0] of { byte };
proctype receiver() { byte m; q?m; assert(false) }
active proctype sender() { q!1 }
active proctype creator() { byte i; do :: i < 3 -> i++ :: i == 3 -> break od; run receiver() }
"""
# What a new process does may disturb a step of another that could have come before its creation.
CREATION = """
byte x;
proctype writer() { x = 1 }
active proctype creator() { run writer() }
active proctype reader() { byte t; t = x; assert(t == 0) }
"""


# The start value of a new process is computed from its own parameter, not from what its creator has at that place.
START_VALUE = """
byte t[4];
proctype child(byte n) { byte k = 3 - n; t[k] = n; t[n] = 1 }
active proctype other() { t[2] = 0; assert(t[2] == 0) }
active proctype parent() { run child(1); run child(2) }
"""
# Sends to two channels have nothing to do with each other but that the assertion looks at both.
TRACE = """
chan a = [1] of { byte }; chan b = [1] of { byte };
trace { do :: a!1 ; b!1 od }
active proctype P() { byte i; do :: i < 2 -> i++; a!1 :: i == 2 -> break od }
active proctype Q() { byte i, m; do :: i < 2 -> i++; a?m; b!1; b?m :: i == 2 -> break od }
"""
NOTRACE = """
chan a = [0] of { byte }; chan b = [2] of { byte };
notrace { b?1; b?2 }
active proctype P() { a!1; b!2 }
active proctype Q() { byte m; a?m; b!1 }
active proctype R() { byte m; b?m; b?m }
"""
# The number of a new process depends on who creates first. SPIN takes `run` for local and misses this error.
NUMBERED = """
byte x;
proctype child() { end: false }
proctype other() { run child(); run child() }
proctype parent() { x = run child(); assert(x != 3) }
init { atomic { run other(); run parent() } }
"""
# The number of a channel depends on who creates first, though nobody looks at numbers of processes...
CHANNEL_NUMBERS = """
byte x; chan q = [2] of { byte };
proctype child() { end: false }
proctype owner(byte me) { chan own = [1] of { byte }; if :: me -> q!own :: else fi; run child() }
proctype other() { run owner(0) }
proctype parent() { run owner(1); q?x; assert(x != 3) }
init { atomic { run other(); run parent() } }
"""
# ... and on whether an older one has disappeared.
CHANNELS_THAT_GO = """
proctype older() { chan own = [1] of { byte }; skip }
proctype younger() { chan own = [1] of { byte }; byte x; x = own; assert(x != 1); end: false }
init { run older(); run younger() }
"""
# Inside a deterministic step the subscript is another one in every turn.
TURNS = """
byte t[3]; bit done;
active proctype all() { byte j; d_step { do :: j < 3 -> t[j] = t[j] + 1; j++ :: else -> break od }; done = 1 }
active proctype last() { byte seen; seen = t[2]; assert(seen == 0 || done == 2) }
"""
# The subscript goes wrong whatever x is: that x is 0 does not keep the guard from failing, only from being true.
LOST_FAILURE = """
byte x, y, a[2];
active proctype P() { byte j = 1; do :: j < 2 -> j++ :: y == 0 && a[j] >= 0 && x == 1 -> break od }
active proctype Q() { d_step { x = 1; y = 1 } }
"""
# Nor does it keep the guard from failing together with a step that needs x to be 0.
LOST_TOGETHER = """
byte x, k = 2, a[2];
active proctype P() { a[k] >= 0 && x == 1 -> skip }
active proctype Q() { d_step { x == 0; k = 0 } }
"""
# That there is a choice depends on what the other process has done before.
CHOICE = """
byte x, y;
active D_proctype P() { if :: x == 1 -> y = 1 :: y == 0 -> y = 2 fi }
active proctype Q() { x = 1; x = 0 }
active proctype R() { byte i; do :: i < 3 -> i++ :: i == 3 -> break od }
"""
# Which channel is meant may be changed by the process itself, at the same location.
LOST_RECEIVE = """
byte g; chan c[2] = [1] of { byte };
active proctype P() { byte j, x; do :: j == 0 && g == 0 -> j++ :: c[j]?x -> assert(false) od }
active proctype Q() { byte z; c[1]!1; c[1]?z }
active proctype R() { g = 1 }
"""
LOST_SEND = """
byte g; chan c[2] = [1] of { byte };
active proctype P() { byte j; c[0]!1; do :: j == 0 && g == 0 -> j++ :: c[j]!1 -> assert(false) od }
active proctype Q() { byte z; c[1]!3; z = 1 }
active proctype R() { g = 1 }
"""
# One process, and both of its steps are enabled together.
ALONE = """
byte x;
active proctype P() { if :: x = 1 :: x = 2; assert(false) fi }
"""
# Whether the new process finds a message, or room for one, depends on what the other does before: there is an else...
ELSE_OF_A_NEWCOMER = """
chan q = [1] of { byte };
proctype child() { byte m; if :: q?m :: else -> assert(false) fi }
active proctype parent() { run child() }
active proctype sender() { q!1 }
"""
ROOM_FOR_A_NEWCOMER = """
chan q = [1] of { byte };
proctype child() { if :: q!2 :: else -> assert(false) fi }
active proctype parent() { q!1; run child() }
active proctype receiver() { byte m; q?m }
"""
# ... or an escape ...
ESCAPE_OF_A_NEWCOMER = """
chan q = [1] of { byte };
proctype child() { byte m; { assert(false) } unless { q?m } }
active proctype parent() { run child() }
active proctype sender() { q!1 }
"""
# ... or it offers a rendezvous, and somebody is ready or not...
OFFER_OF_A_NEWCOMER = """
chan q = [0] of { byte };
proctype child() { if :: q!1 :: else -> assert(false) fi }
active proctype parent() { run child() }
active proctype receiver() { byte m; m = 1; q?m }
"""
# ... inside an atomic sequence, which goes through or stops there.
STOP_OF_A_NEWCOMER = """
chan q = [0] of { byte }; byte x, got;
proctype child() { atomic { x = 1; q!1 } }
active proctype parent() { run child() }
active proctype receiver() { byte m; m = 1; q?got }
active proctype observer() { atomic { x == 1 -> assert(got == 1) } }
"""
# The step meets a receiver that the new process may meet, too, later.
MET_BY_BOTH = """
chan q = [0] of { byte }; byte x;
proctype child() { q!2 }
active proctype parent() { atomic { run child(); q!1 } }
active proctype receiver() { q?x; q?x }
active proctype reader() { byte seen; seen = x; assert(seen != 0) }
"""
# The parameter keeps one bit of what it is given: the new process writes the first element, not the third.
NARROW_PARAMETER = """
byte t[3];
proctype child(bit n) { t[n] = 1 }
active proctype parent() { run child(2) }
active proctype reader() { byte seen; seen = t[0]; assert(seen == 0) }
"""
# The variable means a rendezvous channel, at which nobody is, and then a buffer with a message.
ANOTHER_CHANNEL = """
chan none = [0] of { byte }; chan some = [1] of { byte }; chan q = none;
active proctype receiver() { byte m; if :: q?m -> assert(false) :: m = 1 fi }
active proctype sender() { some!1; q = some }
"""
# Which element is written is known only when the message is there.
RECEIVED_SUBSCRIPT = """
chan q = [1] of { byte, byte }; byte t[3];
active proctype receiver() { byte i; q?i,t[i] }
active proctype sender() { q!2,7 }
active proctype reader() { byte seen; seen = t[2]; assert(seen == 7) }
"""
# On one way i is settled, on the other j, and both are 1 then; on the second i is still to become 0, and the last
# steps of P and Q are possible together.
SETTLED_OTHERWISE = """
byte x = 2, y, t[2], done;
active proctype P() {
    byte i = 1, j = 1;
    if :: y < 9 -> j = 1 :: y < 9 -> y < 9 -> i = 0 fi;
    d_step { x + i == 2; y = j; t[i] = 0; t[j] = 0 };
    done++
}
active proctype Q() { d_step { x == 2; y = 3 }; done++ }
active proctype R() { done == 2; assert(y == 1) }
"""
# The channel is gone when the younger process is.
GONE_CHANNEL = """
chan q = [1] of { chan };
active proctype sender() { chan c; q?c; do :: c!1; assert(false) od }
active proctype owner() { chan own = [1] of { byte }; q!own }
"""
SUBTLE = [
    TIMEOUTS,
    BLOCKED,
    NEWCOMER,
    CREATION,
    START_VALUE,
    NUMBERED,
    CHANNEL_NUMBERS,
    CHANNELS_THAT_GO,
    TURNS,
    TRACE,
    NOTRACE,
]
SUBTLE += [CHOICE, LOST_FAILURE, LOST_TOGETHER, LOST_RECEIVE, LOST_SEND]
SUBTLE += [MET_BY_BOTH, ALONE, NARROW_PARAMETER, ANOTHER_CHANNEL, RECEIVED_SUBSCRIPT, SETTLED_OTHERWISE, GONE_CHANNEL]
# Who changes a subscript counts, though what it means then is as before: somebody else changes that.
OTHER_SUBSCRIPT = """
byte x[4]; byte i = 2; byte y;
active proctype u() { i = 3 }
active proctype v() { i == 3; x[3] = 1 }
active proctype p() { y = x[i]; assert(y == 0) }
"""
SUBSCRIPT_AND_MEETING = """
byte x[4]; byte i = 2; byte y; chan c = [0] of { byte };
active proctype u() { i = 3 }
active proctype v() { i == 3; c!1 }
active proctype w() { c?x[3] }
active proctype p() { y = x[i]; assert(y == 0) }
"""
CHOSEN_SUBSCRIPT = """
byte x[4]; byte i = 2; byte y, h; chan c = [0] of { byte };
active proctype u() { if :: i = 3 :: h = 1 fi }
active proctype v() { i == 3; c!1 }
active proctype w() { c?x[3] }
active proctype q() { h = 2; h = h + 1 }
active proctype p() { y = x[i]; assert(y == 0) }
"""
# Two meet, which lets two others go on.
MEETING_SEEN_BY_TWO = """
byte g, h; chan c = [0] of { byte };
active proctype a() { skip; c!1 }
active proctype d() { g == 1; h = 1 }
active proctype b() { g == 1; assert(h == 0) }
active proctype e() { c?g }
"""
# Whether somebody is there to be met in the middle of an atomic sequence.
MEETING_IN_THE_MIDDLE = """
byte g, h, k; chan c = [0] of { byte };
active proctype r() { if :: c?_ :: true fi }
active proctype s() { atomic { h = 1; if :: c!0 :: g == 1; k = 1 fi } }
active proctype q() { h == 1; g = 1; assert(k == 0) }
"""
SUBTLE += [OTHER_SUBSCRIPT, SUBSCRIPT_AND_MEETING, CHOSEN_SUBSCRIPT, MEETING_SEEN_BY_TWO, MEETING_IN_THE_MIDDLE]
SUBTLE += [ELSE_OF_A_NEWCOMER, ROOM_FOR_A_NEWCOMER, ESCAPE_OF_A_NEWCOMER, OFFER_OF_A_NEWCOMER, STOP_OF_A_NEWCOMER]


@pytest.mark.parametrize("engine", ["native", "interpreter"])
@pytest.mark.parametrize("text", SUBTLE)
def test_what_depends_on_others_in_a_subtle_way_is_still_found(tmp_path: Path, text: str, engine: str) -> None:
    path = written(tmp_path, text)
    full, reduced = searched(path, por=False, engine=engine), searched(path, por=True, engine=engine)
    assert full.verdict == "violated"
    assert {finding.message for finding in reduced.findings} == {finding.message for finding in full.findings}


# Each process looks at the elements in turn; only one process writes the element that is looked at.
LOOKING = """
byte flag[4];
active [4] proctype p() {
    byte j;
l0: d_step { flag[_pid] = 1; j = 0 };
l1: if
    :: d_step { j < 4 && (j == _pid || flag[j] == 0); j++ }; goto l1
    :: j == 4
    fi;
    flag[_pid] = 0
}
"""
# While the lock is taken nobody gets behind the guard, wherever he is.
LOCK = """
bit lock; byte n;
active [3] proctype p() {
    do
    :: skip; d_step { lock == 0; lock = 1 }; n = n + 1; n = n * 2; n = 0; lock = 0
    od
}
"""


@pytest.mark.parametrize("engine", ["native", "interpreter"])
@pytest.mark.parametrize(("text", "full", "reduced"), [(LOOKING, 2_028, 773), (LOCK, 56, 18)])
def test_what_a_state_tells_makes_sets_smaller(tmp_path: Path, text: str, full: int, reduced: int, engine: str) -> None:
    path = written(tmp_path, text)
    assert searched(path, por=False, engine=engine).states == full
    assert searched(path, por=True, engine=engine).states == reduced


@pytest.mark.parametrize("engine", ["native", "interpreter"])
@pytest.mark.parametrize(
    ("name", "full", "reduced"), [("burns_lynch", 648, 240), ("mcs_lock", 1_277, 98), ("peterson", 1_701, 1_068)]
)
def test_what_can_come_from_here_on_makes_sets_smaller(name: str, full: int, reduced: int, engine: str) -> None:
    path = str(Path(__file__).parents[2] / "benchmarks" / "shared_variables" / f"{name}.pml")
    assert searched(path, por=False, engine="native").states == full
    assert searched(path, por=True, engine=engine).states == reduced


# Nobody receives from a channel that is empty.
LENGTHS = """
chan c[3] = [2] of { byte };
#define NEXT c[(_pid + 1) % 3]
active [3] proctype p() {
    byte m; bool sent;
    do
    :: c[_pid]?m -> if :: m > _pid -> NEXT!m :: else fi
    :: !sent && len(NEXT) < 1 -> sent = 1; NEXT!_pid
    od
}
"""
# Of the same elements, but not the same fields.
FIELDS = """
typedef Pair { byte a; byte b };
Pair t[2];
active proctype left() { byte i; do :: t[i].a == 0 -> t[i].a = 1; i = 1 - i :: else -> break od }
active proctype right() { byte i; do :: t[i].b == 0 -> t[i].b = 1; i = 1 - i :: else -> break od }
"""


@pytest.mark.parametrize("engine", ["native", "interpreter"])
@pytest.mark.parametrize(("text", "full", "reduced"), [(FIELDS, 73, 17), (LENGTHS, 338, 122)])
def test_what_excludes_each_other_does_not_disturb(
    tmp_path: Path, text: str, full: int, reduced: int, engine: str
) -> None:
    path = written(tmp_path, text)
    assert searched(path, por=False, engine=engine).states == full
    assert searched(path, por=True, engine=engine).states == reduced


def test_processes_without_numbers_come_and_go_in_any_order(tmp_path: Path) -> None:
    """Creation and end of processes depend on each other only where something looks at the numbers of processes."""
    anonymous = "proctype p() { skip; skip }\ninit { run p(); run p(); run p() }"
    numbered = anonymous.replace("skip; skip", "byte i = _pid; skip")
    assert searched(written(tmp_path, anonymous), por=True).states == 14
    assert searched(written(tmp_path, numbered), por=True).states > 14


def test_who_creates_first_does_not_matter_where_channels_have_the_same_numbers(tmp_path: Path) -> None:
    """One creation brings a channel, the others none; numbers of processes go to a variable that nobody reads."""
    text = """
byte number;
chan q = [1] of { byte };
proctype child() { end: false }
proctype owner() { chan own = [1] of { byte }; q!own; number = run child() }
proctype other() { run child(); run child() }
init { atomic { run owner(); run other(); run other() } }
active proctype watcher() { byte x; q?x; assert(x != 1) }
"""
    read = text.replace("q!own;", "q!own; (number < 9);")
    assert searched(written(tmp_path, text), por=True).states == 22
    assert searched(written(tmp_path, read), por=True).states == 41


def test_a_receive_that_is_sure_to_succeed_does_not_wait_for_senders(tmp_path: Path) -> None:
    """Inside an atomic sequence, where the guard has seen the message."""
    text = """
chan q = [9] of { byte };
active proctype sender() { q!1; q!2; q!3; q!4 }
active proctype receiver() { byte m; end: do :: atomic { nempty(q) -> q?m; m = 0 } od }
"""
    path = written(tmp_path, text)
    assert (searched(path, por=False).states, searched(path, por=True).states) == (15, 9)


# The escape is possible only while the other process is in the middle of its work.
UNLESS = """
bool x;
byte done;
active proctype p() { byte i; { i = 1; i = 2; i = 3; done = 1 } unless { x -> assert(false) } }
active proctype q() { byte j; j = 1; x = true; j = 2; x = false; j = 3 }
"""
PROVIDED = """
bool stop;
active proctype p() provided (!stop) { byte i; i = 1; i = 2; assert(!stop) }
active proctype q() { byte j; j = 1; stop = true; j = 2; assert(false) }
"""
PRIORITIES = """
byte x;
active proctype p() priority 2 { byte i; i = 1; (x == 1); i = 2; assert(false) }
active proctype q() priority 1 { byte j; j = 1; x = 1; j = 2 }
"""


@pytest.mark.parametrize("engine", ["native", "interpreter"])
@pytest.mark.parametrize("order", ["dfs", "bfs"])
@pytest.mark.parametrize("text", [UNLESS, PROVIDED, PRIORITIES, INDEPENDENT, CYCLE, TIMEOUTS, NEWCOMER, CREATION])
def test_errors_are_found_in_either_order(tmp_path: Path, text: str, order: Order, engine: EngineName) -> None:
    model = load(written(tmp_path, text))
    full = check(model, SearchPlan(search=order, engine=engine, all_errors=True))
    reduced = check(model, SearchPlan(search=order, engine=engine, all_errors=True, por=True))
    assert reduced.verdict == full.verdict
    assert {finding.message for finding in reduced.findings} == {finding.message for finding in full.findings}
    assert reduced.states <= full.states


def test_unless_and_provided_leave_something_to_reduce(tmp_path: Path) -> None:
    for text in (UNLESS, PROVIDED):
        path = written(tmp_path, text)
        assert searched(path, por=True).states < searched(path, por=False).states


# --- temporal properties ----------------------------------------------------------------------------------------------

# What the second process does is put off for ever around the cycle of the first, unless somebody takes care.
RUNS = """
byte n, m;
active proctype round() { do :: n = (n + 1) % 3 od }
active proctype once() { byte x; x = 1; x = 2; x = 3; m = 1; x = 4 }
"""


@pytest.mark.parametrize("engine", ["native", "interpreter"])
@pytest.mark.parametrize("search", [None, "ndfs", "scc"])
@pytest.mark.parametrize(
    ("formula", "verdict"),
    [
        ("<> (m == 1)", "violated"),
        ("[] (m == 0)", "violated"),
        ("[] (m < 2)", "holds"),
        ("<> (m == 1) || [] <> (n == 1)", "holds"),
        ("[] ((m == 1) -> [] (m == 1))", "holds"),
        ("! <> [] (m == 1)", "violated"),
    ],
)
def test_formulas_keep_their_answers(
    tmp_path: Path, formula: str, verdict: str, search: Order | None, engine: EngineName
) -> None:
    model = load(written(tmp_path, RUNS), formulas=[formula])
    (name,) = [property_.name for property_ in model.properties]
    options = SearchPlan(search=search, engine=engine, properties=(name,))
    full, reduced = check_properties(model, options), check_properties(model, replace(options, por=True))
    assert (full.verdict, reduced.verdict) == (verdict, verdict)
    assert reduced.engine["por"] is True
    if verdict == "holds":
        assert reduced.states < full.states


@pytest.mark.parametrize(
    ("formula", "options", "reason"),
    [
        ("[] X (m < 2)", SearchPlan(), "may change the answer of a formula with X"),
        ("[] (m < 2)", SearchPlan(threads=2), "goes with one thread"),
        ("<> (m == 1)", SearchPlan(fair="strong"), "is sound under weak fairness to processes, and under no other"),
    ],
)
def test_where_reduction_is_not_sound_it_is_off(tmp_path: Path, formula: str, options: SearchPlan, reason: str) -> None:
    model = load(written(tmp_path, RUNS), formulas=[formula])
    (name,) = [property_.name for property_ in model.properties]
    result = check_properties(model, replace(options, por=True, properties=(name,)))
    assert result.engine["por"] is False
    assert result.verdict == "holds"
    assert any(f"searched without partial-order reduction, which {reason}" in text for text in result.warnings)


# --- nets -------------------------------------------------------------------------------------------------------------


def rings(count: int) -> PlaceTransitionNet:
    """So many rings of three places, each with a token of its own; the first can stop."""
    places, transitions = [], []
    for ring in range(count):
        for place in range(3):
            places.append(Place(f"p{ring}_{place}", int(place == 0)))
            here, there = 3 * ring + place, 3 * ring + (place + 1) % 3
            transitions.append(Transition(f"t{ring}_{place}", arcs({here: 1}), arcs({there: 1})))
    transitions.append(Transition("stop", arcs({3 * ring: 1 for ring in range(count)}), ()))
    return PlaceTransitionNet("rings", tuple(places), tuple(transitions))


@pytest.mark.parametrize("engine", ["native", "interpreter"])
def test_independent_transitions_of_a_net_are_not_interleaved(engine: EngineName) -> None:
    model = model_of(rings(6))
    full = check(model, SearchPlan(engine=engine, all_errors=True))
    reduced = check(model, SearchPlan(engine=engine, all_errors=True, por=True))
    assert (full.verdict, full.states, full.errors) == ("violated", 3**6 + 1, 1)
    assert (reduced.verdict, reduced.errors) == ("violated", 1)
    assert reduced.states < 30
    assert reduced.unreached is None


def test_a_net_with_very_many_tokens_is_searched_without() -> None:
    net = PlaceTransitionNet("many", (Place("p", 1 << 40),), (Transition("t", arcs({0: 1}), ()),))
    result = check(model_of(net), SearchPlan(por=True, max_states=10))
    assert not result.engine["por"]
    assert any("with so many tokens the order of transitions decides" in warning for warning in result.warnings)


# --- every example ----------------------------------------------------------------------------------------------------

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize(
    "path", [pytest.param(path, id=path.name) for path in sorted(EXAMPLES.rglob("*")) if path.suffix in LANGUAGES]
)
def test_every_example_keeps_its_verdicts(path: Path) -> None:
    model = load_model(LoadRequest(str(path)))
    full = check_properties(model, SearchPlan(time_limit=60.0))
    reduced = check_properties(model, SearchPlan(time_limit=60.0, por=True))
    assert [(part.name, part.verdict) for part in reduced.parts or (reduced,)] == [
        (part.name, part.verdict) for part in full.parts or (full,)
    ]
