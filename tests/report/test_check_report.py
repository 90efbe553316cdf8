"""The report of a check, word for word."""

from __future__ import annotations

import re

from kripke.engines.explicit.safety import check
from kripke.engines.plan import SearchPlan
from kripke.engines.runs.replay import replay_path
from kripke.model.model import Model, Part, Transition
from kripke.model.result import Result
from kripke.model.trace import differences
from kripke.report.check_report import check_report, state_lines, verdict_line
from kripke.report.terminal import Terminal
from kripke.report.trace_table import changes_text, trace_table
from tests.support.toys import Chain, Counters, Graph, statement

PLAIN = Terminal()


def checked(model: Model, **options: object) -> Result:
    return check(model, SearchPlan(engine="interpreter", **options))  # type: ignore[arg-type]


def report(result: Result, terminal: Terminal = PLAIN, *, full: bool = False) -> str:
    """The report with what differs from run to run blanked."""
    text = "\n".join(check_report(result, terminal, full=full))
    text = re.sub(r"\d+\.\d\d s, [\d.]+( [kMG])? states/s", "T s, R states/s", text)
    return re.sub(r"[\d.]+ K?B for states", "S for states", text)


def test_holds() -> None:
    assert report(checked(Counters(2))) == (
        "holds: no deadlock, no failed assertion in 9 states\n"
        "\n"
        "9 states, 13 transitions, depth 4, T s, R states/s\n"
        "S for states, state vector 2 bytes\n"
        "breadth-first search, interpreter engine\n"
        "\n"
        "never executed: 1 of 3 statements\n"
        "  toy.pml:9  Q  skip"
    )


def test_violated() -> None:
    assert report(checked(Counters(2, bad=(1, 1)))) == (
        "violated: assertion y = y + 1 (toy.pml:7:5), after 2 steps\n"
        "\n"
        "step  process  place      statement  changes\n"
        "   1  P:0      toy.pml:3  x = x + 1  x: 0 -> 1\n"
        "   2  P:1      toy.pml:7  y = y + 1  y: 0 -> 1\n"
        "      *** assertion violated ***\n"
        "\n"
        "state at the end:\n"
        "  x = 1, y = 1\n"
        "\n"
        "4 states, 4 transitions, depth 1, T s, R states/s\n"
        "S for states, state vector 2 bytes\n"
        "breadth-first search, interpreter engine\n"
        "the search ended at the first error: the figures are not those of the whole state space"
    )


def test_a_deadlock_in_the_initial_state() -> None:
    text = report(checked(Graph([[]])))
    assert text.startswith(
        "violated: deadlock: no process can move, and not all have reached a valid end, after 0 steps\n"
        "\n"
        "  no step: the initial state itself\n"
        "\n"
        "state at the end:\n"
        "  s = 0\n"
    )


def test_all_errors() -> None:
    assert report(checked(Graph([[1, 2], [None], []]), all_errors=True)) == (
        "violated: 2 errors, 2 of them different\n"
        "\n"
        "1. assertion violated: go 0 (toy.pml:1:5), after 2 steps\n"
        "step  process  place      statement  changes\n"
        "   1  P:0      toy.pml:1  go 0       s: 0 -> 1\n"
        "   2  P:0      toy.pml:1  go 0\n"
        "      *** assertion violated ***\n"
        "\n"
        "state before the last step:\n"
        "  s = 1\n"
        "\n"
        "2. deadlock: no process can move, and not all have reached a valid end, after 1 step\n"
        "step  process  place      statement  changes\n"
        "   1  P:0      toy.pml:2  go 1       s: 0 -> 2\n"
        "\n"
        "state at the end:\n"
        "  s = 2\n"
        "\n"
        "3 states, 3 transitions, depth 1, T s, R states/s\n"
        "S for states, state vector 1 byte\n"
        "breadth-first search, interpreter engine"
    )


def test_unknown() -> None:
    assert verdict_line(checked(Chain(100), max_states=10), PLAIN) == (
        "unknown: the limit of 10 states was reached, after 10 states"
    )


def test_colours() -> None:
    result = checked(Counters(2))
    assert verdict_line(result, Terminal(80, colour=True)).startswith("\x1b[1;32mholds\x1b[0m: ")


def test_a_long_trace_is_folded_in_the_middle() -> None:
    class Winding(Chain):
        """Every step has a statement of its own."""

        statements = tuple(statement(f"next {number}", number) for number in range(1001))

        def successors(self, state: bytes) -> list[Transition]:
            at = int.from_bytes(state, "little")
            return [step._replace(parts=(Part(0, at),)) for step in super().successors(state)]

    trace = checked(Winding(1000)).trace
    assert trace is not None
    lines = list(trace_table(trace, PLAIN))
    assert len(lines) == 1 + 20 + 1 + 30
    assert lines[20].split() == ["20", "P:0", "toy.pml:19", "next", "19", "n:", "19", "->", "20"]
    assert lines[21] == "      ... 950 steps not shown; --full shows all ..."
    assert lines[22].split()[0] == "971"
    assert len(list(trace_table(trace, PLAIN, full=True))) == 1001


def test_a_narrow_terminal_gets_wrapped_columns() -> None:
    class Wide(Counters):
        statements = (statement("x = x + 1 /* a statement that is longer than most of them are */", 3),) * 3

    lines = list(trace_table(replay_path(Wide(2), (b"\0\0", b"\1\0")), Terminal(64)))
    assert lines == [
        "step  process  line  statement                         changes",
        "   1  P:0      3     x = x + 1 /* a statement that is  x: 0 -> 1",
        "                     longer than most of them are */",
    ]
    assert all(len(line) <= 64 for line in lines)


def test_states_are_broken_between_names() -> None:
    state = {"P:0@": "line 12", **{f"variable{number}": str(number) for number in range(6)}}
    assert list(state_lines(state, Terminal(40))) == [
        "  P:0 at line 12, variable0 = 0,",
        "  variable1 = 1, variable2 = 2,",
        "  variable3 = 3, variable4 = 4,",
        "  variable5 = 5",
    ]
    many = {f"v{number}": "0" for number in range(50)}
    assert list(state_lines(many, PLAIN))[-1] == "  and 10 more; --full shows all"


def test_births_and_ends_of_processes() -> None:
    changes = differences(
        {"x": "1", "P:0@": "line 1", "Q:1@": "line 9", "Q:1.i": "3"}, {"x": "1", "P:0@": "line 2", "P:0.n": "5"}
    )
    assert changes_text(changes) == "P:0.n = 5, Q:1 ends"
    assert changes_text(differences({}, {"Q:1@": "line 9", "Q:1.i": "3"})) == "Q:1 starts, Q:1.i = 3"


def test_unreached_statements_are_counted_beyond_ten() -> None:
    class Dead(Counters):
        statements = (*Counters.statements, *(statement("dead", 20 + line) for line in range(14)))

    text = report(checked(Dead(1)))
    assert text.count("dead\n") == 9
    assert "never executed: 15 of 17 statements\n" in text
    assert text.endswith("  and 5 more; --full shows all")
    assert report(checked(Dead(1)), full=True).count("  dead") == 14


def test_notebook() -> None:
    page = checked(Counters(2, bad=(1, 1)))._repr_html_()
    assert "violated: assertion" in page
    assert "<td" in page and "x = x + 1" in page


def test_every_process_has_its_colour() -> None:
    trace = replay_path(Counters(2), (b"\0\0", b"\1\0", b"\1\1"))
    _, first, second = trace_table(trace, Terminal(width=100, colour=True))
    assert "\x1b[36mP:0" in first and "\x1b[36mx = x + 1" in first
    assert "\x1b[35mP:1" in second and "\x1b[35my = y + 1" in second
    assert all("\x1b" not in line for line in trace_table(trace, Terminal(width=100)))


def test_where_there_is_little_room_the_only_file_is_not_named() -> None:
    trace = replay_path(Counters(2), (b"\0\0", b"\1\0", b"\1\1"))
    wide, narrow = (list(trace_table(trace, Terminal(width=width))) for width in (None, 40))
    assert wide[:2] == [
        "step  process  place      statement  changes",
        "   1  P:0      toy.pml:3  x = x + 1  x: 0 -> 1",
    ]
    assert narrow[:2] == [
        "step  process  line  statement  changes",
        "   1  P:0      3     x = x + 1  x: 0 -> 1",
    ]
