"""Where nobody looks at the numbers of processes, and there are never too many, they come and go in any order."""

from __future__ import annotations

from pathlib import Path

import pytest

from kripke.process.dependence.anonymity import Numbers, numbers_that_matter
from tests.process.test_dependence import loaded

# Processes create their like, but each pair of creations takes a message, and there are three.
FED = """
chan f = [3] of { byte };
proctype node(chan up) {
    byte n; chan own = [0] of { byte };
    if
    :: f?1; run node(own); own?n; run node(own); own?n
    :: f?0
    fi;
    up!n
}
init {
    chan own = [0] of { byte }; byte n;
    f!1; f!0; f!0; run node(own); own?n
}
"""


@pytest.mark.parametrize(
    ("change", "matter"),
    [
        (("", ""), False),
        (("f!1; f!0", "do :: f!1 :: f!0; break od"), True),  # messages without end
        (("f?1;", "f?<1>;"), True),  # the message stays
        (("f?1;", ""), True),
        (("f?1; run node(own); own?n;", "f?1; do :: run node(own); own?n :: break od;"), True),
        (("up!n", "up!n; f!1"), True),  # who takes a message sends one
        (("run node(own); own?n\n}", "run node(f); own?n\n}"), True),  # f by another name
        (("f!1;", "f!_pid;"), True),
    ],
)
def test_processes_that_create_their_like(tmp_path: Path, change: tuple[str, str], matter: bool) -> None:
    text = FED.replace(*change) if change[0] else FED
    assert change == ("", "") or text != FED
    assert (numbers_that_matter(loaded(tmp_path, text).program, ()) is not Numbers.NONE) is matter


@pytest.mark.parametrize(
    ("text", "matter"),
    [
        ("byte x; proctype p() { x++ } init { run p(); run p() }", False),
        ("byte x; proctype p() { x++ } init { do :: run p() od }", True),
        ("byte x; proctype p() { x = _pid } init { run p(); run p() }", True),
        ("byte x; proctype p() { x++; run p() } init { run p() }", True),
        ("proctype q() { skip } proctype p() { run q(); run q() } init { run p(); run p() }", False),
        ("proctype q(chan n) { n!1 } proctype p() { chan c = [1] of { byte }; run q(c) } init { run p() }", False),
        ("proctype q(byte n) { skip } proctype p() { chan c = [1] of { byte }; run q(c) } init { run p() }", True),
    ],
)
def test_numbers(tmp_path: Path, text: str, matter: bool) -> None:
    assert (numbers_that_matter(loaded(tmp_path, text).program, ()) is not Numbers.NONE) is matter


# Numbers of channels go through the fields of commands; the maker's own channel is the only one that comes later.
MIXED = """
mtype = { go, stop };
byte number;
proctype worker(chan to) { chan c; do :: to?go -> to?c :: to!stop od }
proctype maker(chan to) {
    chan own = [0] of { byte };
    number = run worker(to);
    do :: to!go; to!own :: to?stop od
}
proctype helper(chan to) { run worker(to); end: do :: to?stop od }
init { chan both = [0] of { byte }; atomic { run maker(both); run helper(both) } }
"""


@pytest.mark.parametrize(
    ("change", "matter"),
    [
        (("", ""), Numbers.CHANNELS),
        (("to?go -> to?c", "to?go -> number > 2; to?c"), Numbers.PROCESSES),  # the number of a process is read
        (("do :: to!go; to!own :: to?stop od", "to!own"), Numbers.CHANNELS),  # kept by the worker, which has no end
        (("number = run worker(to);", "if :: run worker(to) :: skip fi; goto last; last: skip;"), Numbers.CHANNELS),
        (("to!go; to!own :: to?stop od", "run maker(to) od"), Numbers.PROCESSES),  # channels without end
        (("to!go; to!own", "to!go; own!stop"), Numbers.CHANNELS),
        (("to?c :: to!stop od", "to!stop od"), Numbers.CHANNELS),
    ],
)
def test_numbers_of_channels(tmp_path: Path, change: tuple[str, str], matter: Numbers) -> None:
    text = MIXED.replace(*change) if change[0] else MIXED
    assert change == ("", "") or text != MIXED
    assert numbers_that_matter(loaded(tmp_path, text).program, ()) is matter


def test_an_owner_that_may_end_before_it_creates(tmp_path: Path) -> None:
    """On one way it has no younger process that keeps it."""
    owner = "proctype owner() {{ chan m = [1] of {{ byte }}; byte v = m; {} }} init {{ run owner(); run owner() }}"
    endless = "proctype endless() { do :: skip od } "
    for body, matter in (
        ("run endless()", Numbers.CHANNELS),
        ("if :: run endless() :: skip fi", Numbers.PROCESSES),
        ("do :: run endless(); break od", Numbers.CHANNELS),
        ("d_step { v = 1; v = 2 }; run endless()", Numbers.CHANNELS),
    ):
        program = loaded(tmp_path, endless + owner.format(body)).program
        assert numbers_that_matter(program, ()) is matter, body
