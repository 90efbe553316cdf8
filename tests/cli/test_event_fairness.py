"""Fairness to events: the examples of PAT, and its definition on random models."""

from __future__ import annotations

import json
import random
from pathlib import Path
from time import process_time

import pytest

import kripke as package
from kripke.languages.promela import load
from kripke.logic.components import components
from kripke.process.passes import Passes

EXAMPLES = Path(__file__).parents[2] / "examples" / "promela"
COLLEGE, PETERSON = str(EXAMPLES / "college.pml"), str(EXAMPLES / "peterson_levels.pml")


def checked(kripke, *arguments: str):
    ran = kripke("check", *arguments, "--json")
    assert ran.err == ""
    return json.loads(ran.out)


def verdict(kripke, file: str, name: str, n: int, fair: str, engine: str = "native") -> str:
    options = ("--fair", fair) if fair else ()
    return checked(kripke, file, f"-DN={n}", "--property", name, "--engine", engine, *options)["verdict"]


# The initial state is one of SPIN's transitions.
@pytest.mark.parametrize(
    ("n", "states", "transitions"),
    [(2, 10, 12), (3, 35, 66), (4, 118, 300), (5, 392, 1250), (6, 1297, 4968), (7, 4286, 19159)],
)
def test_college(kripke, n: int, states: int, transitions: int) -> None:
    record = checked(kripke, COLLEGE, f"-DN={n}", "--property", "safety", "--all-errors")
    assert (record["states"], record["transitions"] - 1, record["errors"]) == (states, transitions, 1)
    found = [verdict(kripke, COLLEGE, "eats", n, fair) for fair in ("", "weak-edges", "strong-edges", "events")]
    assert found == ["violated", "violated", "violated", "holds"]
    assert [verdict(kripke, COLLEGE, "eats", n, fair) for fair in ("weak", "strong")] == ["violated", "violated"]
    # With the deadlock left out of account, strong fairness to every event is enough for more than two.
    stuck = " && ".join(f"Phil[{i}]@left" for i in range(n))
    eats = f"([] <> Phil[0]@eat && [] <> !Phil[0]@eat) || <> ({stuck})"
    for fair, expected in (("weak-edges", "violated"), ("strong-edges", "holds")):
        record = checked(kripke, COLLEGE, f"-DN={n}", "--ltl", eats, "--fair", fair)
        assert record["verdict"] == (expected if n > 2 else record["verdict"])


@pytest.mark.parametrize("n", [2, 3, 4])
def test_college_interpreted(kripke, n: int) -> None:
    asked = ("strong", "weak-edges", "strong-edges", "events")
    found = [verdict(kripke, COLLEGE, "eats", n, fair, "interpreter") for fair in asked]
    assert found == ["violated", "violated", "violated", "holds"]


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_college_with_every_event_annotated(kripke, tmp_path: Path, n: int) -> None:
    """All weakly, all strongly fair: a philosopher's events are all there are."""
    for kind, apart_from_deadlock in (("wf", "violated"), ("sf", "holds" if n > 2 else None)):
        text = Path(COLLEGE).read_text().replace("wl_own:\n", "").replace("wl_other:\n", "")
        for old, new in (("wl_right", "right"), ("\tput[RIGHT_OF(_pid)]!0", "back:\tput[RIGHT_OF(_pid)]!0")):
            text = text.replace(old, f"{kind}_{new}")
        for old in ("left:\n", "eat:\n", "@eat"):
            text = text.replace(old, old.replace("left", f"{kind}_left").replace("eat", f"{kind}_eat"))
        text = text.replace("\tput[LEFT_OF(_pid)]!0", f"{kind}_last:\tput[LEFT_OF(_pid)]!0")
        (tmp_path / "college.pml").write_text(text)
        assert verdict(kripke, "college.pml", "eats", n, "events") == "violated"
        stuck = " && ".join(f"Phil[{i}]@{kind}_left" for i in range(n))
        eats = f"([] <> Phil[0]@{kind}_eat && [] <> !Phil[0]@{kind}_eat) || <> ({stuck})"
        record = checked(kripke, "college.pml", f"-DN={n}", "--ltl", eats, "--fair", "events")
        assert apart_from_deadlock in (None, record["verdict"])


def test_nine_philosophers_in_a_moment(kripke) -> None:
    start = process_time()
    assert verdict(kripke, COLLEGE, "eats", 9, "events") == "holds"
    assert process_time() - start < 20


@pytest.mark.parametrize(
    ("n", "states", "transitions", "plain"),
    [(2, 24, 42, "holds"), (3, 356, 810, "violated"), (4, 5744, 15848, "violated")],
)
def test_peterson(kripke, n: int, states: int, transitions: int, plain: str) -> None:
    record = checked(kripke, PETERSON, f"-DN={n}", "--property", "safety")
    assert (record["states"], record["transitions"] - 1, record["errors"]) == (states, transitions, 0)
    assert verdict(kripke, PETERSON, "served", n, "") == plain
    for fair in ("weak", "strong", "weak-edges", "strong-edges", "events"):
        assert verdict(kripke, PETERSON, "served", n, fair) == "holds"


def test_a_rendezvous_that_is_enabled_now_and_then(kripke, tmp_path: Path) -> None:
    """The partner may turn to something else again and again; ready is who waits for it."""
    for label, expected in (("wf_a", "violated"), ("sf_a", "holds"), ("wl_a", "holds"), ("sl_a", "holds")):
        for mine, other in (("c!1", "c?1"), ("c?1", "c!1")):
            (tmp_path / "m.pml").write_text(
                "chan c = [0] of { byte }; byte n; bool b;\n"
                f"active proctype P() {{ {label}: {mine}; skip }}\n"
                f"active proctype Q() {{ do :: {other}; n = 1 :: b = !b; b = !b od }}\n"
                "active proctype R() { d: c?2 }\nltl p { <> (n == 1) }\n"
            )
            for engine in ("native", "interpreter"):
                record = checked(kripke, "m.pml", "--property", "p", "--fair", "events", "--engine", engine)
                assert (label, mine, record["verdict"]) == (label, mine, expected)


def test_strong_fairness_to_a_statement_that_waits(kripke, tmp_path: Path) -> None:
    """B can pass again and again, but not all the time."""
    for label, expected in (("wf_go", "violated"), ("sf_go", "holds")):
        (tmp_path / "m.pml").write_text(
            "bool open = true, done;\nactive proctype A() { do :: open = !open od }\n"
            f"active proctype B() {{ skip; {label}: atomic {{ open -> done = true }} }}\n"
            f"ltl p {{ <> B@{label} -> <> done }}\n"
        )
        for engine in ("native", "interpreter"):
            assert (
                checked(kripke, "m.pml", "--fair", "events", "--property", "p", "--engine", engine)["verdict"]
                == expected
            )


def test_fairness_to_the_transitions_of_a_net(kripke, tmp_path: Path) -> None:
    (tmp_path / "n.ll_net").write_text(
        'PEP\nPTNet\nFORMAT_N\nPL\n1"free"0@0M1m1\n2"busy"0@0M0m0\n3"gone"0@0M0m0\n'
        'TR\n1"begin"0@0\n2"end"0@0\n3"leave"0@0\nTP\n1<2\n2<1\n3<3\nPT\n1>1\n2>2\n2>3\n'
    )
    for fair, expected in ((None, "violated"), ("weak-edges", "violated"), ("strong-edges", "holds")):
        options = ("--fair", fair) if fair else ()
        for engine in ("native", "interpreter"):
            for formula in ("<> (gone > 0)", "<> fires(leave)"):  # what an observer bars can be done all the same
                found = checked(kripke, "n.ll_net", "--ltl", formula, "--engine", engine, *options)
                assert (fair, formula, found["verdict"]) == (fair, formula, expected)
    ran = kripke("check", "n.ll_net", "--ltl", "<> (gone > 0)", "--fair", "weak")
    assert ran.code == 2
    assert "a pep model has no processes; weak-edges and strong-edges are fair to every transition" in ran.err


def test_feasibility(kripke, tmp_path: Path) -> None:
    """Is there any fair run? A formula that no run satisfies is violated by one."""
    assert checked(kripke, COLLEGE, "--ltl", "false", "--fair", "events")["verdict"] == "violated"
    # What must happen cannot: nobody ever receives.
    (tmp_path / "never.pml").write_text(
        "chan c = [0] of { bit }; bool b;\n"
        "active proctype P() { wl_e: c!0; skip }\nactive proctype Q() { do :: b = !b od }\n"
    )
    for engine in ("native", "interpreter"):
        assert checked(kripke, "never.pml", "--ltl", "false", "--engine", engine)["verdict"] == "violated"
        record = checked(kripke, "never.pml", "--ltl", "false", "--engine", engine, "--fair", "events")
        assert record["verdict"] == "holds"


def test_a_fair_lasso_is_saved_and_replayed(kripke, tmp_path: Path) -> None:
    (tmp_path / "m.pml").write_text(
        "byte x; active proctype P() { do :: x = 1; wf_back: x = 0 :: skip od }\nltl one { <> (x == 1) }\n"
    )
    ran = kripke("check", "m.pml", "--property", "one", "--fair", "events", "--trace", "t.json")
    assert ran.code == 1
    assert kripke("replay", "t.json").code == 0


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("do :: wf_a: x == 1 -> x = 0 od", "'wf_a' is no place of its own: the process chooses here"),
        ("do :: skip; wf_a: x == 1 -> x = 0 od", None),
        ("wf_a: if :: x = 1 :: x = 2 fi; skip", "'wf_a' must stand before a single statement"),
        ("wf_a: x = 1; goto wf_a", "after the statement of 'wf_a' the process must be elsewhere"),
        ("wf_a: c!1; skip", None),
        ("wf_a: d[x]!1; skip", "'wf_a': when this rendezvous is enabled cannot be told: which channel it uses"),
        ("wf_a: d[0]!x; skip", "cannot be told: whether messages match depends on data"),
        ("sf_a: d[1]!x; skip", None),
        ("chan d = c; wf_a: d!1; skip", "'wf_a' must use a channel by its name"),
        ("sf_a: x == 1; skip", None),
        ("sf_a: x = 1; skip", None),
        ("x = 1", "--fair events: no statement has a label that asks for fairness"),
    ],
)
def test_labels_that_make_no_event(kripke, tmp_path: Path, body: str, message: str | None) -> None:
    (tmp_path / "m.pml").write_text(
        f"byte x; chan c = [0] of {{ byte }}, d[2] = [0] of {{ byte }};\n"
        f"active proctype P() {{ {body} }}\nactive proctype Q() {{ d[0]?1; d[_pid]?x }}\n"
    )
    ran = kripke("check", "m.pml", "--ltl", "<> (x == 7)", "--fair", "events")
    assert ran.code == (1 if message is None else 2)
    assert message is None or message in ran.err
    assert kripke("check", "m.pml", "--ltl", "<> (x == 7)").code == 1  # without --fair events a label is a label


def test_processes_that_are_started_later(kripke, tmp_path: Path) -> None:
    (tmp_path / "m.pml").write_text("byte x; proctype P() { wf_a: x = 1; skip }\ninit { run P() }\n")
    ran = kripke("check", "m.pml", "--ltl", "<> (x == 1)", "--fair", "events")
    assert ran.code == 2
    assert "fairness to 'wf_a' is for processes that run from the start" in ran.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--search", "ndfs"), "--fair events needs the search by components"),
        (("--prove", "p"), "there are no proofs under fairness to events yet"),
        (("--shortest",), "--shortest finds shortest loops, fair or not"),
    ],
)
def test_refused(kripke, options: tuple[str, ...], message: str) -> None:
    ran = kripke("check", COLLEGE, "--property", "eats", "--fair", "events", *options)
    assert ran.code == 2
    assert message in ran.err


# --- the definition ---------------------------------------------------------------------------------------------------


def random_model(seed: int) -> str:
    """Three processes that go round; some of their statements are events."""
    dice = random.Random(seed)
    lines = ["bool a, b; chan c = [0] of { bit };"]
    for process in "PQR":
        body = []
        for number in range(dice.randint(1, 3)):
            label = dice.choice(["", f"wf_{number}: ", f"sf_{number}: "])
            statement = dice.choice(
                ["a", "b", "!a", "a && !b", "a = !a", "b = a", "b = true", "a = b", "c!0", "c?0", "c!1", "c?_"]
            )
            body.append(f"{label}{statement}")
        lines.append(f"active proctype {process}() {{ do :: skip; {'; '.join(body)}; skip od }}")
    return "\n".join(lines)


def fair_run_exists(model) -> bool:
    """A run in which the model's atom is never true, by the definition of weak and strong fairness to events, on the
    whole graph."""
    states = [state for state in dict.fromkeys(model.initial()) if not model.atom_values(state)[0]]
    numbers = {state: number for number, state in enumerate(states)}
    edges: list[list[tuple[int, set[str]]]] = []
    able: list[set[str]] = []
    for state in states:  # grows
        shown = model.describe(state)
        out, possible = [], set()
        for step in model.successors(state):
            names = {model.actor_name(part.actor, state) for part in step.parts}  # two where they meet
            labels = {name: shown[f"{name}@"].split(" ")[0] for name in names}
            event = {f"{label}{name}" for name, label in labels.items() if label.startswith(("wf_", "sf_"))}
            possible |= event
            if model.atom_values(step.target)[0]:
                continue
            if step.target not in numbers:
                numbers[step.target] = len(states)
                states.append(step.target)
            out.append((numbers[step.target], event))
        ended = not model.successors(state)
        edges.append([(numbers[state], set())] if ended else out)
        able.append(possible)
    waiting = [list(range(len(states)))]
    while waiting:
        part = waiting.pop()
        place = {n: i for i, n in enumerate(part)}
        inside_part = [[place[t] for t, _ in edges[n] if t in place] for n in part]
        for found in components(inside_part):
            component = {part[i] for i in found}
            inner = [event for n in component for target, event in edges[n] if target in component]
            if not inner:
                continue
            engaged = set().union(*inner)
            owed = {e for e in set.intersection(*(able[n] for n in component)) if e.startswith("wf_")}
            if owed - engaged:
                continue
            starved = {e for n in component for e in able[n] if e.startswith("sf_")} - engaged
            if not starved:
                return True
            rest = [n for n in component if not able[n] & starved]
            if rest:
                waiting.append(rest)
    return False


@pytest.mark.parametrize("seed", range(24))
def test_random_models_against_the_definition(tmp_path: Path, seed: int) -> None:
    text = random_model(seed)
    if "wf_" not in text and "sf_" not in text:
        return
    (tmp_path / "m.pml").write_text(text)
    for condition in ("false", "a && b", "a", "b && !a"):
        watched = load(str(tmp_path / "m.pml"), invariants=[condition], passes=Passes(merge=False))
        model = package.load(tmp_path / "m.pml", merge=False)
        for engine in ("native", "interpreter") if seed < 6 else ("interpreter",):
            found = bool(model.check(ltl=f"<> ({condition})", fair="events", engine=engine))
            assert found == (not fair_run_exists(watched)), text


def test_no_events_where_processes_are_kept_from_moving(kripke, tmp_path: Path) -> None:
    (tmp_path / "m.pml").write_text("byte x; active proctype P() provided (x < 9) { wf_a: x = 1; skip }\n")
    ran = kripke("check", "m.pml", "--ltl", "<> (x == 7)", "--fair", "events")
    assert ran.code == 2
    assert "there is no fairness to 'wf_a' where priorities or 'provided' keep a process from moving" in ran.err
