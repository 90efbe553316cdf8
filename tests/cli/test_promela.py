"""The command on Promela, from the text of a model to exact words on the terminal."""

from __future__ import annotations

import json
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.processes import wait_for_processor_time

pytest.importorskip("kripke._native")

COUNTER = """\
#ifndef TOP
#define TOP 3
#endif
byte x;
active [2] proctype P() {
    do
    :: x < TOP -> x++; printf("x is %d\\n", x)
    :: else -> break
    od
}
"""

HANDSHAKE = """\
mtype = { ping, pong };
chan wire = [0] of { mtype, byte };
byte got;
active proctype sender() {
    wire!ping(7)
}
active proctype receiver() {
    wire?ping(got);
    assert(got == 8)
}
"""


@pytest.fixture
def counter(tmp_path: Path) -> str:
    (tmp_path / "counter.pml").write_text(COUNTER)
    return "counter.pml"


@pytest.fixture
def handshake(tmp_path: Path) -> str:
    (tmp_path / "handshake.pml").write_text(HANDSHAKE)
    return "handshake.pml"


def blocks(text: str) -> list[str]:
    return text.split("\n\n")


def test_an_invariant_and_its_shortest_trace(kripke, counter: str) -> None:
    ran = kripke("check", counter, "--invariant", "x <= TOP")
    assert ran.code == 1
    assert blocks(ran.out)[:4] == [
        "violated: invariant x <= TOP, after 10 steps",
        "step  process  place          statement               changes\n"
        "   1  P:1      counter.pml:7  x < TOP\n"
        "   2  P:1      counter.pml:7  x++                     x: 0 -> 1\n"
        '   3  P:1      counter.pml:7  printf("x is %d\\n", x)\n'
        "   4  P:1      counter.pml:7  x < TOP\n"
        "   5  P:1      counter.pml:7  x++                     x: 1 -> 2\n"
        '   6  P:1      counter.pml:7  printf("x is %d\\n", x)\n'
        "   7  P:1      counter.pml:7  x < TOP\n"
        "   8  P:0      counter.pml:7  x < TOP\n"
        "      ^^^ from here on every run ends in an error ^^^\n"
        "   9  P:0      counter.pml:7  x++                     x: 2 -> 3\n"
        "  10  P:1      counter.pml:7  x++                     x: 3 -> 4",
        "why: x <= TOP is false\n  x <= 3 is false:  x = 4",
        "state at the end:\n  x = 4, P:0 at line 7, P:1 at line 7",
    ]


def test_a_rendezvous_is_one_step_of_two_processes(kripke, handshake: str) -> None:
    ran = kripke("check", handshake)
    assert ran.code == 1
    assert blocks(ran.out)[:2] == [
        "violated: assertion assert(got == 8) (handshake.pml:9:5), after 2 steps",
        "step  process     place            statement                  changes\n"
        "   1  sender:0    handshake.pml:5  wire!ping(7)  [ping, 7]\n"
        "      receiver:1  handshake.pml:8  wire?ping(got)  [ping, 7]  got: 0 -> 7\n"
        "   2  receiver:1  handshake.pml:9  assert(got == 8)\n"
        "      *** assertion violated ***",
    ]


@pytest.mark.parametrize("search", ["bfs", "dfs"])
@pytest.mark.parametrize("engine", ["native", "interpreter"])
def test_the_same_counts_on_every_engine(kripke, counter: str, engine: str, search: str) -> None:
    record = json.loads(kripke("check", counter, "--json", "--engine", engine, "--search", search).out)
    assert (record["verdict"], record["states"], record["transitions"]) == ("holds", 54, 91)
    assert record["engine"]["name"] == engine
    assert record["warnings"] == []


def test_macros_from_the_command_line(kripke, counter: str) -> None:
    assert json.loads(kripke("check", counter, "-D", "TOP=1", "--json").out)["states"] == 36


def test_passes_can_be_switched_off(kripke, tmp_path: Path) -> None:
    (tmp_path / "local.pml").write_text("active proctype P() { byte i; i = 1; i = i + 1; i = 0 }")

    def states(*options: str) -> int:
        return int(json.loads(kripke("check", "local.pml", "--json", *options).out)["states"])

    assert states("--no-merge", "--dead-variables", "off") > states()


@pytest.mark.parametrize(
    ("text", "place", "line"),
    [
        ("active proctype P() { x = 1 }", "m.pml:1:23: error: ", "  active proctype P() { x = 1 }\n" + " " * 24 + "^"),
        ("byte x;\nactive proctype P() { x = ; }", "m.pml:2:27: error: ", "  active proctype P() { x = ; }"),
        ("active proctype P() { skip", "m.pml:1:", "  active proctype P() { skip"),
    ],
)
def test_errors_point_at_the_text(kripke, tmp_path: Path, text: str, place: str, line: str) -> None:
    (tmp_path / "m.pml").write_text(text)
    ran = kripke("check", "m.pml")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(place)
    assert line in ran.err


def test_an_error_in_an_invariant(kripke, counter: str) -> None:
    ran = kripke("check", counter, "--invariant", "x <")
    assert ran.code == 2
    assert "error: expected an expression" in ran.err


def test_simulate_prints_what_the_model_prints(kripke, counter: str) -> None:
    ran = kripke("simulate", counter, "--seed", "1", "--quiet")
    assert ran.code == 0
    assert ran.out == (
        "random run, seed 1: --seed 1 repeats it\n"
        "x is 1\nx is 2\nx is 3\n"
        "valid end: no step is left, after 13 steps\n"
    )  # fmt: skip


def test_a_trace_is_replayed_without_being_told_how_the_model_was_loaded(kripke, counter: str) -> None:
    kripke("check", counter, "-D", "TOP=1", "--invariant", "x < TOP", "--trace", "t.json", "--quiet")
    ran = kripke("replay", "t.json")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.endswith("replayed 2 steps: invariant violated: x < TOP\n")


def test_a_trace_in_a_changed_model(kripke, handshake: str, tmp_path: Path) -> None:
    kripke("check", handshake, "--trace", "t.json", "--quiet")
    model = tmp_path / handshake
    model.write_text("/* the same, one line further down */\n" + HANDSHAKE)
    ran = kripke("replay", "t.json")
    assert ran.code == 0
    assert ran.err == "note: handshake.pml has changed since the trace was saved\n"
    assert ran.out.endswith("replayed 2 steps: assertion violated: assert(got == 8) (handshake.pml:10:5)\n")
    model.write_text(HANDSHAKE.replace("ping(7)", "pong(7)"))
    ran = kripke("replay", "t.json")
    assert ran.code == 1
    assert "the trace deviates: step 1 is not possible here: " in ran.out


def test_info(kripke, counter: str) -> None:
    ran = kripke("info", counter)
    assert ran.code == 0
    assert ran.out.startswith("file: counter.pml\nlanguage: promela\nprocesses:\n  P:\n    instances: 2\n")


def test_emit_c(kripke, counter: str, tmp_path: Path) -> None:
    text = kripke("emit", counter, "--c").out
    assert '#include "model.h"' in text
    assert "kripke_model_entry" in text
    assert kripke("emit", counter, "--c", "-o", "out.c").out == ""
    assert (tmp_path / "out.c").read_text() == text


def test_explore(kripke, counter: str, tmp_path: Path) -> None:
    assert kripke("explore", counter, "-o", "g.aut").out == "54 states, 90 steps written to g.aut\n"


def test_without_a_compiler(command, counter: str) -> None:
    ran = command("check", counter, PATH="/nonexistent", KRIPKE_CC="")
    assert ran.returncode == 0
    assert ran.stdout.startswith("holds: no deadlock, no failed assertion in 54 states\n")
    assert ran.stderr == (
        "warning: no C compiler found; using the interpreter, which is far slower (kripke doctor tells more)\n"
    )
    ran = command("check", counter, "--engine", "native", PATH="/nonexistent", KRIPKE_CC="")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith("error: no C compiler found\nLooked for: KRIPKE_CC")


def test_ctrl_c_in_a_native_search(tmp_path: Path) -> None:
    (tmp_path / "big.pml").write_text(
        "int x, y;\nactive proctype P() { do :: x < 30000 -> x++ :: y < 30000 -> y++ :: x = 0 od }\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "kripke", "check", "big.pml", "--json", "--memory", "2G"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    wait_for_processor_time(process, 1.5)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    record = json.loads(out)
    assert (process.returncode, err) == (3, b"")
    assert (record["verdict"], record["reason"], record["complete"]) == ("unknown", "interrupted", False)
    assert record["states"] > 1000


def test_the_memory_limit_ends_in_unknown(kripke, tmp_path: Path) -> None:
    (tmp_path / "big.pml").write_text(
        "int x, y;\nactive proctype P() { do :: x < 30000 -> x++ :: y < 30000 -> y++ :: x = 0 od }\n"
    )
    ran = kripke("check", "big.pml", "--memory", "50M", "--quiet")
    assert ran.code == 3
    assert ran.out.startswith("unknown: the memory limit of 50.0 MB was reached, after ")


def test_a_whole_check_is_quick(command, counter: str) -> None:
    """From prompt to verdict with a warm cache: processor time, since the machine may be busy."""
    command("check", counter)
    times = []
    for _ in range(5):
        start = resource.getrusage(resource.RUSAGE_CHILDREN)
        command("check", counter)
        end = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(end.ru_utime + end.ru_stime - start.ru_utime - start.ru_stime)
    assert min(times) < 1.0


@pytest.mark.parametrize("engine", ["native", "interpreter"])
def test_a_model_that_fails_before_its_first_state(kripke, tmp_path: Path, engine: str) -> None:
    (tmp_path / "start.pml").write_text("byte z;\nbyte x = 1 / z;\nactive proctype P() { x++ }\n")
    ran = kripke("check", "start.pml", "--engine", engine)
    assert ran.code == 1
    assert ran.out.startswith("violated: division by zero: ")
    assert "\n  no trace: the model fails before its first state\n" in ran.out


def test_check_warns_of_mistakes_and_info_of_unused_names_too(kripke) -> None:
    Path("doubtful.pml").write_text("byte x = 300, unused;\nactive proctype P() { x < 0 -> x = 1 }\n")
    mistakes = [
        "doubtful.pml:1:6: warning: 300 does not fit into 'x' (byte) and becomes 44 [out-of-range]",
        "doubtful.pml:2:23: warning: this condition can never hold [never-holds]",
    ]
    checked = kripke("check", "doubtful.pml")
    assert checked.err.splitlines()[:2] == mistakes
    assert json.loads(kripke("check", "doubtful.pml", "--json").out)["warnings"] == mistakes
    unused = "doubtful.pml:1:15: warning: variable 'unused' is never used [unused-variable]"
    assert json.loads(kripke("info", "doubtful.pml", "--json").out)["warnings"] == [*mistakes, unused]


def test_a_sliced_model_has_no_spin_trail(kripke) -> None:
    Path("m.pml").write_text("active proctype P() { assert(false) }\n")
    ran = kripke("check", "m.pml", "--slice", "--spin-trail", "m.trail")
    assert ran.code == 2
    assert (
        "--spin-trail with --slice: SPIN takes steps that a slice leaves out; write the trail without --slice"
        in ran.err
    )


def test_reduction_does_not_change_what_a_claim_forbids(kripke, tmp_path: Path) -> None:
    (tmp_path / "m.pml").write_text(
        "chan q = [2] of { byte };\n"
        "active proctype owner() { byte x; xr q; q?x }\n"
        "active proctype other() { q!1; (len(q) < 2) }\n"
    )
    assert kripke("check", "m.pml").code == 0
    assert kripke("check", "m.pml", "--por", "--search", "dfs").code == 0
