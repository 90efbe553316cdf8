"""Where nobody looks at the numbers of processes, and there are never too many, they come and go in any order."""

from __future__ import annotations

from pathlib import Path

import pytest

from kripke.process.dependence.anonymity import numbers_matter
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
    assert numbers_matter(loaded(tmp_path, text).program, ()) is matter


@pytest.mark.parametrize(
    ("text", "matter"),
    [
        ("byte x; proctype p() { x++ } init { run p(); run p() }", False),
        ("byte x; proctype p() { x++ } init { do :: run p() od }", True),
        ("byte x; proctype p() { x = _pid } init { run p(); run p() }", True),
        ("byte x; proctype p() { x++; run p() } init { run p() }", True),
        ("proctype q() { skip } proctype p() { run q(); run q() } init { run p(); run p() }", False),
    ],
)
def test_numbers(tmp_path: Path, text: str, matter: bool) -> None:
    assert numbers_matter(loaded(tmp_path, text).program, ()) is matter
