"""Models that are wrong, huge or without bounds: a message with a place, the right exit code, never a traceback."""

from __future__ import annotations

import pytest


@pytest.fixture
def check(kripke, tmp_path):
    """Check a model given as text; the exit code and everything that was printed."""

    def run(text: str, *options: str) -> tuple[int, str]:
        path = tmp_path / "model.pml"
        path.write_text(text)
        outcome = kripke("check", str(path), *options)
        shown = (outcome.out + outcome.err).replace(str(tmp_path) + "/", "")
        assert "Traceback" not in shown
        return outcome.code, shown

    return run


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("active proctype P() { x = 1 }", "model.pml:1:23: error: unknown name 'x'"),
        ("byte count; active proctype P() { cuont = 1 }", "hint: did you mean 'count'?"),
        ("active proctype P() { byte x; x[1] = 2 }", "model.pml:1:31: error: 'x' is not an array"),
        ("byte a[3]; active proctype P() { a = 2 }", "'a' is an array: a subscript is missing"),
        ("byte b; active proctype P() { b!1 }", "model.pml:1:31: error: 'b' is not a channel"),
        ("typedef T { byte x }; T t; active proctype P() { t.y = 2 }", "'T' has no field 'y'"),
        ("byte x; byte x; active proctype P() { skip }", "model.pml:1:14: error: 'x' is declared twice"),
        ("active proctype P() { goto L }", "model.pml:1:23: error: no label 'L' in this process"),
        ("active proctype P() { break }", "model.pml:1:23: error: 'break' outside a loop"),
        ("proctype Q(byte n) { skip } init { run Q() }", "'Q' takes 1 argument, 0 given"),
        ("init { run Q() }", "there is no process type 'Q'"),
        ("proctype Q() { skip }", "nothing runs: the model has no init and no active proctype"),
        ("active [2000] proctype P() { skip }", "at most 255 processes can run, not 2000"),
        ("byte a[2000000]; active proctype P() { skip }", "an array of 2000000 elements is too large"),
        ("chan q = [65536] of { byte }; active proctype P() { skip }", "a channel's capacity is from 0 to 65535"),
        ("chan q[99] = [65535] of { int }; init { skip }", "the buffers of these channels are too large"),
        ("active proctype P() { do :: goto P0 od; P0: goto P1; P1: goto P0 }", "this jump leads round in a circle"),
    ],
)
def test_wrong_models_are_refused_with_a_place(check, text: str, message: str) -> None:
    code, shown = check(text)
    assert code == 2
    assert message in shown
    assert "model.pml:1:" in shown


def test_two_thousand_processes_started_one_by_one(check) -> None:
    code, shown = check("proctype P() { false } init { byte i; do :: run P() od }")
    assert code == 1
    assert "violated: too many processes" in shown


def test_recursion_without_bound(check) -> None:
    code, shown = check("proctype P() { run P() } init { run P() }")
    assert code == 1
    assert "violated: too many processes" in shown


def test_a_state_space_without_bound_ends_at_the_memory_limit(check) -> None:
    code, shown = check("int x, y; active proctype P() { do :: x >= 0 -> x++ :: y >= 0 -> y++ od }", "--memory", "20M")
    assert code == 3
    assert "unknown" in shown and "memory" in shown


@pytest.mark.parametrize("options", [":: x++", ":: x = 1 :: x = 2 :: x = 3"])
def test_an_atomic_sequence_that_never_ends(check, options: str) -> None:
    """With several options there are more ways through it than could ever be tried."""
    code, shown = check(f"byte x; active proctype P() {{ atomic {{ do {options} od }} }}")
    assert code == 1
    assert "endless sequence inside one step" in shown


def test_a_model_of_a_megabyte(check) -> None:
    """Many names and a long text, few states."""
    declarations = "\n".join(f"#define NAME_{i} {i % 200}  /* {'.' * 60} */" for i in range(10_000))
    code, shown = check(declarations + "\nbyte x; active proctype P() { x = NAME_9999; assert(x == 199) }")
    assert code == 0
    assert "holds" in shown
