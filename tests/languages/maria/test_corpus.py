"""The examples that come with Maria, with the numbers of states and arcs that Maria 1.3.5 reports."""

from __future__ import annotations

from pathlib import Path

import pytest
from maria_corpus import Edits, loaded, needed, windows

pytestmark = needed

#: model, what is replaced in its text, flags, states, arcs
SMALL: list[tuple[str, Edits, str, int, int]] = [
    ("buffer", {"stack 2": "stack 1"}, "", 4, 6),
    ("buffer", {}, "", 10, 18),
    ("buffer", {"stack 2": "queue 3"}, "", 16, 30),
    ("const", {}, "", 1, 0),
    ("init", {}, "", 1, 0),
    ("dbm", {r"id\[10\]": "id[2]"}, "", 7, 8),
    ("dbm", {r"id\[10\]": "id[4]"}, "", 109, 224),
    ("dbm", {r"id\[10\]": "id[4]"}, "UNUSED", 109, 224),
    ("dbm", {r"id\[10\]": "id[3]"}, "PRIORITY", 22, 30),
    ("dbm", {r"id\[10\]": "id[4]"}, "PRIORITY", 61, 104),
    ("dining", {}, "", 14, 27),
    ("dining", {r"1\.\.3": "1..5"}, "", 82, 265),
    ("modular", {}, "OPT", 512, 1600),
    ("modular", {}, "OPT MODULAR", 512, 1600),
    ("mutex", {r"\(1\.\.2\)": "(1..1)"}, "", 3, 3),
    ("mutex", {}, "", 8, 14),
    ("mutex", {r"\(1\.\.2\)": "(1..5)"}, "", 112, 400),
    ("object", {}, "", 2, 1),
    ("output", {}, "", 3, 2),
    ("quant", {}, "", 2, 1),
    ("queens", {r"1\.\.8": "1..3"}, "", 1, 0),
    ("queens", {r"1\.\.8": "1..5"}, "", 2, 10),
    ("queens", {r"1\.\.8": "1..6"}, "", 2, 4),
    ("swn", windows(1, 1), "", 264, 582),
    ("swn", windows(1, 2), "", 432, 981),
    ("swn", windows(1, 1), "PRIORITY", 234, 450),
    ("swn-m", {}, "", 240, 504),
    ("swn-m", {}, "PRIOP", 204, 378),
    ("swn-m", windows(1, 1), "LOSSY", 108, 310),
    ("sync", {"n = 8": "n = 5"}, "", 32, 160),
    ("typecast", {}, "", 4, 8),
]


#: for the compiled form; larger ones were compared by hand
LARGE: list[tuple[str, Edits, str, int, int]] = [
    ("dbm", {r"id\[10\]": "id[7]"}, "", 5104, 20426),
    ("dbm", {}, "PRIORITY", 10231, 46100),
    ("dining", {r"1\.\.3": "1..10"}, "", 6726, 43480),
    ("mutex", {r"\(1\.\.2\)": "(1..10)"}, "", 6144, 38400),
    ("order", {}, "", 80000, 80000),
    ("queens", {}, "", 2, 92),
    ("swn", windows(2, 1), "", 4662, 14403),
    ("swn", windows(2, 2), "PRIORITY", 5360, 13860),
    ("swn", windows(3, 3), "", 117792, 407358),
    ("swn-m", {}, "LLQ", 2280, 5808),
    ("swn-m", {}, "TIMEOUT TIMEOUT_SEND", 17898, 51564),
    ("swn-m", {}, "LOSSY", 323724, 1537638),
    ("sync", {}, "", 256, 2048),
]


@pytest.mark.parametrize(("name", "edits", "flags", "states", "arcs"), SMALL)
def test_counts_of_the_interpreter(tmp_path: Path, name: str, edits: Edits, flags: str, states: int, arcs: int) -> None:
    result = loaded(tmp_path, name, edits, flags).check(engine="interpreter", all_errors=True)
    assert (result.states, result.transitions - 1) == (states, arcs)
    assert result.errors == (1 if name == "dining" else 0)


@pytest.mark.parametrize(("name", "edits", "flags", "states", "arcs"), LARGE)
def test_counts_of_the_compiled_form(
    tmp_path: Path, name: str, edits: Edits, flags: str, states: int, arcs: int
) -> None:
    pytest.importorskip("kripke._native")
    result = loaded(tmp_path, name, edits, flags).check(engine="native", all_errors=True)
    assert (result.states, result.transitions - 1) == (states, arcs)
