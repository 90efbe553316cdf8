"""From a model to a result: verdicts, reasons, replayed traces, the choice of the engine."""

from __future__ import annotations

import pytest

from kripke.checker.check import check_properties
from kripke.engines.explicit import conclusion
from kripke.engines.explicit.safety import check
from kripke.engines.explicit.search import ErrorPath, Outcome, SearchRequest, Watch
from kripke.engines.plan import SearchPlan, Unsupported
from kripke.model.model import Model
from tests.support.toys import Chain, Counters, Graph

INTERPRETER = SearchPlan(engine="interpreter")

JSON_KEYS = [
    "verdict", "reason", "property", "kind", "states", "transitions", "depth", "errors", "state_bytes", "store_bytes",
    "seconds", "compile_seconds", "clarify_seconds", "engine", "complete", "trace", "place", "model", "version",
    "warnings", "properties",
]  # fmt: skip


def test_holds() -> None:
    result = check(Counters(2), INTERPRETER)
    assert result
    assert (result.verdict, result.reason, result.complete) == ("holds", "", True)
    assert (result.states, result.transitions, result.depth, result.errors) == (9, 13, 4, 0)
    assert (result.property, result.kind) == ("no deadlock, no failed assertion", "safety")
    assert result.trace is None
    assert result.unreached is not None
    assert [statement.text for statement in result.unreached] == ["skip"]
    assert result.exit_code() == 0


def test_json_has_exactly_the_promised_keys() -> None:
    record = check(Counters(2), INTERPRETER).to_json()
    assert list(record) == JSON_KEYS
    assert record["engine"]["search"] == "bfs"
    assert record["engine"]["store"] == "full"
    assert record["engine"]["por"] is False
    assert record["engine"]["threads"] == 1
    assert record["model"] == {"file": "toy.pml", "language": "toy"}


def test_a_failed_assertion() -> None:
    result = check(Counters(2, bad=(1, 1)), INTERPRETER)
    assert not result
    assert (result.verdict, result.kind, result.property) == ("violated", "assertion", "y = y + 1")
    assert result.reason == "assertion violated: y = y + 1 (toy.pml:7:5)"
    assert result.complete is False
    assert result.unreached is None
    assert result.trace is not None
    assert [(step.actor, step.statements) for step in result.trace.steps] == [
        ("P:0", ("x = x + 1",)),
        ("P:1", ("y = y + 1",)),
    ]
    assert result.exit_code() == 1


def test_trace_in_json() -> None:
    record = check_properties(Counters(2, bad=(0, 1)), INTERPRETER).to_json()
    assert record["trace"] == {
        "steps": [
            {
                "actor": "P:1",
                "statements": [
                    {"actor": "P:1", "text": "y = y + 1", "file": "toy.pml", "line": 7, "column": 5, "values": []}
                ],
                "changes": {"y": ["0", "1"]},
                "violations": ["assertion"],
            }
        ],
        "loop_start": None,
        "file": None,
        "omitted": 0,
        "deciding": 0,
        "explanation": None,
    }


def test_a_deadlock() -> None:
    result = check(Chain(3), INTERPRETER)
    assert (result.verdict, result.kind, result.property) == ("violated", "deadlock", "no deadlock")
    assert result.reason == "deadlock: no process can move, and not all have reached a valid end"
    assert result.trace is not None
    assert len(result.trace) == 3
    assert check(Chain(3), SearchPlan(engine="interpreter", deadlock=False))


def test_an_invariant() -> None:
    result = check(Counters(2), SearchPlan(engine="interpreter", invariants=("x <= 100", "x + y < 3")))
    assert (result.verdict, result.kind, result.property) == ("violated", "invariant", "x + y < 3")
    assert result.reason == "invariant violated: x + y < 3"
    assert result.trace is not None
    assert len(result.trace) == 3
    held = check(Counters(2), SearchPlan(engine="interpreter", invariants=("x <= 100",)))
    assert held.property == "no deadlock, no failed assertion, invariant x <= 100"


def test_all_errors() -> None:
    model = Graph([[1, 2], [None], []])
    result = check(model, SearchPlan(engine="interpreter", all_errors=True))
    assert result.errors == 2
    assert result.complete
    assert [finding.kind for finding in result.findings] == ["assertion", "deadlock"]
    assert [finding["kind"] for finding in result.to_json()["findings"]] == ["assertion", "deadlock"]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (SearchPlan(engine="interpreter", max_states=10), "the limit of 10 states was reached"),
        (SearchPlan(engine="interpreter", max_depth=1000), "the depth limit of 1,000 steps was reached"),
        (SearchPlan(engine="interpreter", time_limit=0.2), "the time limit of 0.2 s was reached"),
        (SearchPlan(engine="interpreter", memory=8 << 20), "the memory limit of 8.0 MB was reached"),
    ],
)
def test_unknown_says_why(options: SearchPlan, reason: str) -> None:
    result = check(Chain(16_000_000), options)
    assert (result.verdict, result.reason, result.complete) == ("unknown", reason, False)
    assert result.exit_code() == 3


def test_a_model_without_initial_states_does_not_hold() -> None:
    result = check(Graph([[]], initial=()), INTERPRETER)
    assert (result.verdict, result.reason) == ("unknown", "the model has no initial state")


def test_a_path_that_cannot_be_replayed_is_our_bug_and_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(model: Model, options: SearchRequest, watch: Watch | None = None) -> Outcome:
        path = (b"\0\0", b"\0\2")
        return Outcome("error", 2, 2, 1, 1, (ErrorPath("deadlock", -1, -1, path),), bytes(3), 2, 0, 0.1)

    monkeypatch.setattr("kripke.engines.explicit.reference.search", wrong)
    result = check(Counters(2), INTERPRETER)
    assert result.verdict == "unknown"
    assert result.reason == (
        "the engine found an error, but the interpreter cannot replay it: step 1 of the path is not a step of the "
        "model; "
        "this is a bug in Kripke, please report it"
    )
    assert result.exit_code() == 3


def test_without_a_compiled_form_the_interpreter_does_it_and_says_so() -> None:
    pytest.importorskip("kripke._native")
    result = check(Counters(2))
    assert result
    assert result.engine["name"] == "interpreter"
    assert result.warnings == (
        "this model has no compiled form; using the interpreter, which is far slower (kripke doctor tells more)",
    )
    with pytest.raises(Unsupported, match="this model has no compiled form"):
        check(Counters(2), SearchPlan(engine="native"))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            {"search": "guess"},
            "there is no search 'guess': choose bfs, dfs, ndfs, scc, walk, sweep, astar, best-first, ida, "
            "directed-bfs, directed-dfs, prefix, symbolic or hierarchic",
        ),
        (
            {"engine": "quantum"},
            "there is no engine 'quantum': choose native, interpreter, bdd, bmc, induction, pdr or auto",
        ),
        ({"max_depth": 0}, "max_depth must be greater than 0, not 0"),
        ({"memory": -1}, "memory must be greater than 0, not -1"),
        ({"time_limit": float("nan")}, "time_limit must be greater than 0, not nan"),
        ({"max_states": 2**64}, "max_states must be less than 2^63, not 18446744073709551616"),
        ({"max_depth": 10**30}, f"max_depth must be less than 2^63, not {10**30}"),
        ({"deepen": 10**30}, f"deepen must be less than 2^63, not {10**30}"),
        ({"search": "walk", "walks": 10**30}, f"walks must be less than 2^63, not {10**30}"),
        ({"swarm": 10**6}, "a swarm of 1,000,000 searches: choose from 1 to 10,000"),
    ],
)
def test_wrong_options(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(Unsupported) as refused:
        SearchPlan(**wrong)  # type: ignore[arg-type]
    assert str(refused.value) == message


def test_an_unknown_atom() -> None:
    with pytest.raises(Unsupported, match="the model has no atom 'z' to serve as an invariant"):
        check(Counters(2), SearchPlan(engine="interpreter", invariants=("z",)))


def test_a_finding_without_a_path_still_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(model: Model, options: SearchRequest, watch: Watch | None = None) -> Outcome:
        return Outcome("error", 2, 2, 1, 1, (ErrorPath("violation", 1, 0, ()),), bytes(3), 2, 0, 0.1)

    monkeypatch.setattr("kripke.engines.explicit.reference.search", lost)
    result = check(Counters(2), INTERPRETER)
    assert (result.verdict, result.kind, result.trace) == ("violated", "division", None)


def test_please_report_is_one_text() -> None:
    assert conclusion.PLEASE_REPORT == "this is a bug in Kripke, please report it"
