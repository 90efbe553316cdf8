"""Deadlines: stages ask them, and end with what they know. No test here depends on how fast the machine is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from benchmarks.net_families import FAMILIES, pnml
from kripke.checker.check import check_properties
from kripke.clarity.clear import clear_findings
from kripke.cli.main import main
from kripke.deadline import NEVER, Deadline, OutOfTime, current, keeping
from kripke.engines.explicit.safety import check as check_safety
from kripke.engines.plan import SearchPlan
from kripke.languages.registry import load_model
from kripke.languages.request import LoadRequest


class Clock:
    """Stands still, or moves by so much whenever somebody looks."""

    def __init__(self, step: float = 0.0) -> None:
        self.now = 0.0
        self.step = step
        self.asked = 0

    def __call__(self) -> float:
        self.asked += 1
        self.now += self.step
        return self.now


def test_a_deadline_ends_when_its_clock_says_so() -> None:
    clock = Clock()
    deadline = Deadline(3.0, clock)
    assert (deadline.left, deadline.limit(), deadline.limit(2.0), deadline.is_over) == (3.0, 3.0, 2.0, False)
    half, sooner, later = deadline.part(0.5), deadline.within(1.0), deadline.within(9.0)
    assert (half.left, sooner.left, later.left, deadline.at_least(5.0).left) == (1.5, 1.0, 3.0, 5.0)
    clock.now = 1.2
    assert (half.is_over, sooner.is_over, later.is_over) == (False, True, False)
    clock.now = 3.5
    assert (deadline.left, deadline.limit(), deadline.is_over) == (0.0, 0.001, True)
    with pytest.raises(OutOfTime):
        deadline()
    NEVER()
    assert (NEVER.left, NEVER.limit(), NEVER.limit(2.0), NEVER.part(0.5)) == (None, 0.0, 2.0, NEVER)


def test_of_two_clocks_the_first_that_is_over_counts() -> None:
    wall, work = Clock(), Clock()
    both = Deadline(2.0, work, Deadline(5.0, wall))
    assert both.left == 2.0
    wall.now = 4.0
    assert both.left == 1.0
    wall.now = 6.0
    assert both.is_over


def test_a_kept_deadline_is_kept_in_its_block_only() -> None:
    deadline = Deadline(1.0)
    with pytest.raises(OutOfTime), keeping(deadline):
        assert current() is deadline
        raise OutOfTime
    assert current() is NEVER


PROMELA = """
byte n;
active [2] proctype P() { byte i; do :: i < 2 -> i++; n++ :: else -> break od }
ltl grows { <> (n == 4) }
ltl stays { [] (n < 9) }
"""
CSP = """
channel a, b, c
P = a -> b -> P [] c -> P
Q = a -> b -> Q [] c -> (c -> Q |~| a -> b -> Q)
assert P :[deadlock free [F]]
assert P [T= Q
assert P [FD= P
"""
MODES = """
var n: 0..9 = 0;
mode Up { read write n: 0..9; point a; de -> a; a -> a when n < 9 do n := n + 1; a -> a when n = 9 do n := 0; }
system { u: Up; }
invariant small: n <= 9;
"""
FORMULAS = """<property-set xmlns="http://mcc.lip6.fr/">
<property><id>reach</id><description>-</description><formula><exists-path><finally><integer-le>
<integer-constant>1</integer-constant><tokens-count><place>p3</place></tokens-count>
</integer-le></finally></exists-path></formula></property>
<property><id>ctl</id><description>-</description><formula><all-paths><globally><exists-path><finally><integer-le>
<integer-constant>1</integer-constant><tokens-count><place>p3</place></tokens-count>
</integer-le></finally></exists-path></globally></all-paths></formula></property>
<property><id>ltl</id><description>-</description><formula><all-paths><globally><finally><integer-le>
<integer-constant>1</integer-constant><tokens-count><place>p3</place></tokens-count>
</integer-le></finally></globally></all-paths></formula></property>
<property><id>bound</id><description>-</description><formula><place-bound><place>p3</place></place-bound></formula>
</property></property-set>
"""
CASES: dict[str, tuple[str, Mapping[str, object]]] = {
    "promela": ("m.pml", {}),
    "interpreter": ("m.pml", {"engine": "interpreter"}),
    "reduction": ("m.pml", {"por": True, "properties": ("safety",)}),
    "branching": ("m.pml", {"ctl": ("AG EF (n >= 0)",)}),
    "errors": ("m.pml", {"all_errors": True, "invariants": ("n < 3",)}),
    "symbolic": ("m.pnml", {"search": "symbolic"}),
    "symbolic, branching": ("m.pnml", {"search": "symbolic", "ctl": ("AG EF (think0 > 0)",), "deadlock": False}),
    "prefix": ("m.pnml", {"search": "prefix"}),
    "formulas": ("m.pnml", {"formula_files": ("f.xml",)}),
    "examinations": ("m.pnml", {"examine": ("StateSpace", "Liveness", "OneSafe", "ReachabilityDeadlock")}),
    "refinement": ("m.csp", {}),
    "hierarchic": ("m.modes", {"search": "hierarchic", "deadlock": False}),
    "modes": ("m.modes", {}),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "m.pml").write_text(PROMELA)
    (tmp_path / "m.csp").write_text(CSP)
    (tmp_path / "m.modes").write_text(MODES)
    (tmp_path / "m.pnml").write_text(pnml("diners", FAMILIES["philosophers"](2)))
    (tmp_path / "f.xml").write_text(FORMULAS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def request(file: str, options: Mapping[str, object]) -> LoadRequest:
    from kripke.engines.branching.branching import conditions_of

    conditions = conditions_of(tuple(options.get("ctl", ())), ())  # type: ignore[arg-type]
    asked = {name: tuple(options.get(name, ())) for name in ("invariants", "formula_files")}  # type: ignore[arg-type]
    return LoadRequest(file, conditions=conditions, **asked)


def verdicts(file: str, options: Mapping[str, object]) -> list[tuple[str, str]]:
    result = check_properties(load_model(request(file, options)), SearchPlan(**options))  # type: ignore[arg-type]
    return [(part.name, part.verdict) for part in result.parts or (result,)]


@pytest.mark.parametrize("case", CASES)
def test_whenever_the_time_is_over_an_answer_is_right_or_unknown(case: str, folder: Path) -> None:
    """The clock counts how often it is asked: so the time is over at every place where a stage looks, one by one."""
    file, options = CASES[case]
    right = verdicts(file, options)
    clock = Clock(1.0)
    with keeping(Deadline(1e9, clock)):
        assert verdicts(file, options) == right
    assert clock.asked > 3
    steps = range(1, clock.asked + 1, max(clock.asked // 12, 1))
    unknown = 0
    for last in steps:
        with keeping(Deadline(float(last), Clock(1.0))):
            try:
                found = verdicts(file, options)
            except OutOfTime:  # there is no model yet
                unknown += 1
                continue
        assert [name for name, _ in found] == [name for name, _ in right]
        for (name, now), (_, then) in zip(found, right, strict=True):
            assert now in (then, "unknown"), f"{name} is {then}, not {now}, with the time over after {last} looks"
            unknown += now == "unknown"
    assert unknown


def test_properties_share_the_time(folder: Path) -> None:
    """What is left when a property is begun is divided by how many there are still to come."""
    model = load_model(LoadRequest("m.pml"))
    clock = Clock()
    seen: list[float | None] = []

    def look(progress: object) -> None:
        seen.append(current().left)

    with keeping(Deadline(6.0, clock)):
        check_properties(model, SearchPlan(engine="interpreter"), watch=look)
    assert set(seen) <= {2.0, 3.0, 6.0}


def test_the_limit_of_the_command_is_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "big.pml").write_text("byte a, b, c; active [3] proctype P() { do :: a++ :: b++ :: c++ od }")
    assert main(["check", "big.pml", "--time-limit", "0.01"]) == 3
    assert "the time limit of 0.01 s was reached" in capsys.readouterr().out


# --- traces made clear ------------------------------------------------------------------------------------------------

FAR = "byte n, m; active proctype P() { do :: n++ :: m++ od } active proctype Q() { (n > 3 && m > 2); assert(false) }"


def test_a_trace_that_there_is_no_time_for_stays_as_it_was_found(folder: Path) -> None:
    (folder / "far.pml").write_text(FAR)
    model = load_model(LoadRequest("far.pml"))
    plan = SearchPlan(search="dfs", deadlock=False)
    found = check_safety(model, plan)
    long = found.findings[0].trace
    assert long is not None
    clear = clear_findings(found.findings, plan, 60.0)
    short = clear.findings[0].trace
    assert short is not None and len(short) < len(long)
    assert not clear.warnings
    late = clear_findings(found.findings, SearchPlan(search="dfs", deadlock=False, clarify_limit=1e-9), 60.0)
    assert late.findings[0].trace is not None
    assert late.findings[0].trace.steps == long.steps
    assert late.findings[0].evidence is None
    said = "the trace is not as short and clear as possible, for lack of time: --clarify-limit gives more, "
    assert late.warnings == (said + "and kripke replay makes a saved trace clear",)
    assert late.findings[0].trace.unclear and not short.unclear


def test_the_time_for_clear_traces_is_a_figure_of_its_own(folder: Path) -> None:
    (folder / "far.pml").write_text(FAR)
    model = load_model(LoadRequest("far.pml"))
    result = check_properties(model, SearchPlan(deadlock=False))
    assert result.clarify_seconds > 0
    assert result.to_json()["clarify_seconds"] == result.clarify_seconds
    assert check_properties(model, SearchPlan(deadlock=False, clarify=False)).verdict == "violated"
